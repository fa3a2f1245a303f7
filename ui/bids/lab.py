"""Bidders over many rounds: their contracts and duels."""

import pandas as pd
import streamlit as st

from analysis.bidding import calibration
from analysis.bidding.bid_trials import PLAYER
from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.matches import league
from analysis.matches.match import MATCH
from analysis.plots.bidding import bidder_label, plot_by_bid, plot_duels
from analysis.runs.store import ResultStore
from spades.core.rules import Rules
from spades.notation.log_store import open_log
from ui.bids import state
from ui.bids.state import page
from ui.shared import tables
from ui.shared.bar import show_link
from ui.shared.panel import Panel
from ui.shared.records import LogKey, n_repeated
from ui.shared.tables import count, ends, number, percent, text, with_ends


@st.cache_data(max_entries=16, show_spinner="Simulating rounds of every bidder ...")
def _simulated(n: int, rules: Rules) -> pd.DataFrame:
    bids = [calibration.simulate_bidder(name, n=n, rules=rules) for name in BIDDERS_COMPARED]
    return calibration.calibration_table(pd.concat(bids))


@st.cache_data(max_entries=8, show_spinner="Counting the bids of the log ...")
def contracts_of(log: LogKey) -> pd.DataFrame:
    """How often the contracts of a log were made, by bidder and bid."""
    return calibration.calibration_table(calibration.bids_of_log(open_log(log.name).distinct()))


@st.cache_data(max_entries=16, show_spinner="Playing the duels ...")
def _duels(first: str, n: int, rules: Rules) -> pd.DataFrame:
    pairs = [(first, name) for name in BIDDERS_COMPARED if name != first]
    duels = {pair: calibration.play_duel(*pair, n=n, rules=rules) for pair in pairs}
    return calibration.duel_table(duels)


@st.cache_data(max_entries=8, show_spinner=False)
def _whole_games(stamp: tuple[str, int, float], rules: Rules) -> pd.DataFrame:
    """``stamp``: changes when there is a new match."""
    return calibration.bidder_matches(league.known_matches(), rules)


def show_lab(rules: Rules) -> None:
    """The comparison chosen, if any; nothing is simulated before."""
    hint = "Single rounds at 0 to 0, played by the strong rule-based player in all seats."
    panel = Panel("bid-lab", "Bidders over many rounds", hint)
    with panel.question:
        lab = page.segments("Compare", "lab", state.LAB_LABELS, required=False)
        if lab == "kept":
            page.select("Bids from", "lab_log", width=300)
        if lab == "duel":
            page.select("Bidder", "first", width=210)
        if lab == "duel" or (lab == "kept" and not page.get("lab_log")):
            page.select("Deals", "lab_rounds", format_func="{:,}".format, width=110)
    n = page.get("lab_rounds")
    first = page.get("first")
    if lab is None:
        panel.answer("Choose one: it takes a few seconds.")
    elif lab == "kept":
        log = state.log_keys().get(page.get("lab_log"))
        if log is None:
            _show_calibration(_simulated(n, rules))
        else:
            _show_calibration(contracts_of(log))
            tables.show_repeated(n_repeated(log.name), "this log")
    else:
        _show_duels(_duels(first, n, rules))
        _show_matches(_whole_games(ResultStore().stamp(MATCH), rules), first)


def _show_calibration(rows: pd.DataFrame) -> None:
    groups = list(dict.fromkeys(rows["group"]))
    left, right = st.columns(2, gap="medium")
    with left:
        Panel("bidding-made", "Contracts made").figure(plot_by_bid(rows, groups, "made"))
    with right:
        Panel("bidding-over", "Tricks beyond the bid").figure(plot_by_bid(rows, groups, "over"))
    note = (
        "A contract is both partners' bids together; it counts at each number bid in it. Bars are "
        "95% intervals."
    )
    columns = {
        "group": "Bidder",
        "bid": "Bid",
        "n": count("Bids"),
        "contracts": count("Contracts", "With at least one such bid."),
        **with_ends("made", "Contract made"),
        **with_ends("over", "Tricks beyond", "%+.2f"),
    }
    bids = ["all" if bid < 0 else str(bid) for bid in rows["bid"]]
    rows = rows.assign(group=rows["group"].map(bidder_label), bid=bids)
    Panel("bid-calibration").table(rows, columns, note, height=320)


def _show_duels(duels: pd.DataFrame) -> None:
    first = bidder_label(str(duels["first"].iloc[0]))
    panel = Panel("bid-duels")
    panel.figure(
        plot_duels(duels),
        f"Every deal is played from both sides. Right of zero {first} is ahead; bars are 95% "
        "intervals over deals. Points of bags are included, the penalty for ten isn't.",
    )
    columns = {
        "first": "Bidder",
        "second": "Against",
        "deals": count("Deals"),
        "ahead": number("Points a round ahead", "%+.2f"),
        **ends("%+.2f"),
    }
    duels = duels.assign(first=first, second=duels["second"].map(bidder_label))
    panel.table(duels, columns)


def _show_matches(pairs: pd.DataFrame, first: str) -> None:
    """Whole games between agents that differ only in their bidders, and a link to play more."""
    panel = Panel("bid-matches", "Whole games")
    second = next(name for name in BIDDERS_COMPARED if name != first)
    label = f"Play {bidder_label(first)} against {bidder_label(second)}"
    agents = {"ns": f"{PLAYER}+{first}", "ew": f"{PLAYER}+{second}"}
    show_link("Tune", label, {"view": "match", **agents})
    show_link("Papers", "The matches of Cohensius 2020 beside ours", {"figure": "cohensius-table2"})
    if pairs.empty:
        panel.answer("No match between agents that play alike and bid differently is stored.")
        return
    note = "Matches of agents that play alike; a bare srp bids as the simulated human."
    columns = {
        "first": "Agent",
        "second": "Against",
        "games": count("Games"),
        "win_rate": percent("Games won", "Of the games decided."),
        **ends(),
        "points_first": number("Points a round", "%.1f"),
        "points_second": number("the other", "%.1f"),
        "rules": text("Rules", "Names agents that have changed since."),
    }
    panel.table(pairs, columns, note)
