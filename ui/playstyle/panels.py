"""What the Playstyle page shows of its groups: frequencies, divergences, bidding."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.bidding.style import (
    MADE,
    NIL,
    PUBLISHED_BRANCHING,
    PUBLISHED_NIL_RATE,
    PUBLISHED_NIL_SUCCESS,
    PUBLISHED_SUM_OF_BIDS,
    SUM,
    BiddingStyle,
)
from analysis.style.compare import ALPHA, PUBLISHED_KL, REPLICATES, move_names
from analysis.style.counts import Group
from ui.playstyle import cached, state
from ui.playstyle.behind import take_click
from ui.playstyle.cached import Pair, Question
from ui.playstyle.state import page
from ui.shared import tables
from ui.shared.page import is_narrow, literal
from ui.shared.tables import count, ends, number, show_download, show_table, with_ends
from ui.shared.widgets import clicked_data, show_chart

ENDS = {
    "sd": "its ends say how much games differ (standard deviation over games that have such plays)",
    "interval": "its ends say how well the share is known (95 % bootstrap interval over games)",
}
PAIR_COLUMNS = {
    "of": "KL of",
    "to": "to",
    **with_ends("kl", "KL (nats)", "%.4f"),
    "chance": number("Chance level", "%.4f", "Noise between groups of one style, of these sizes."),
    **with_ends("js", "JS (bits)", "%.4f"),
    "of_games": count("Games of"),
    "to_games": count("Games to"),
    "of_decisions": count("Plays of"),
    "to_decisions": count("Plays to"),
}
EXACT = "95 % Clopper–Pearson"
NIL_COLUMNS = {
    "group": "Group",
    "bids": count("Bids"),
    "nils": count("Nils"),
    **with_ends("rate", "Nil rate", told=f"Of the seat's rounds; {EXACT} interval."),
    "played_out": count("Played out"),
    "made": count("Made"),
    **with_ends("success", "Nil success", told=f"Of those played out; {EXACT}."),
}
ASKS = {"nils": NIL, "rate": NIL, "made": MADE, "success": MADE}
"""Which rounds a click on a cell of the table of nils asks for, by column."""
CHARTS = ("positions", "sums", "legal")
BIDDING_CHARTS = {
    "Mean bid by position": "Who bids later has heard more; bars are 95 % intervals over games.",
    "Sum of the four bids": "Share of the rounds in which the group has a seat, by what all four "
    "bid together. A click on a point lists its rounds.",
    "Branching factor": "Share of the plays that pass the filters, by how many cards were legal.",
}


def show_groups(groups: pd.DataFrame) -> None:
    """How much each group played."""
    told = "Mean KL between two random halves of the group's own games: noise alone."
    plays = count("Plays", "Cards played that pass the filters.")
    columns = {"group": "Group", "games": count("Games"), "decisions": plays}
    columns["kl_halves"] = number("KL of two halves (nats)", "%.5f", told)
    show_table(groups, "groups", columns=columns)


def show_panels(question: Question) -> None:
    """Devlin's five panels; a click on a bar picks it."""
    share, errors = page.get("measure"), page.get("errors")
    figure = cached.panels_figure(question, share, errors, is_narrow())
    data = clicked_data(show_chart(figure, state.PANELS, "style", takes_clicks=True))
    take_click("bars", data and str(data[0]), "bar", move_names(question.classes))
    st.caption(
        f"A bar is the share {state.MEASURES[share]} that was in that position; {ENDS[errors]}. A "
        "click on a bar lists its hands. The moves are our reconstruction: the papers print only "
        "their names."
    )


def show_divergences(question: Question, groups: Sequence[Group]) -> Pair:
    """KL and JS of every pair, the published figures next to them; the pair looked at."""
    st.subheader(
        "How far apart",
        help=f"KL divergence of the abstract moves, in nats; {ALPHA:g} is added to the count of "
        f"every class. Jensen–Shannon divergence in bits, 0 to 1. Intervals: {REPLICATES:,} "
        "bootstraps over games.",
    )
    pair = state.choose_pair(groups)
    start = pair[0].label
    chart, table = st.columns([2, 3], gap="medium")
    with chart:
        show_chart(cached.divergence_figure(question, start), "style_divergences", "style-kl")
        st.caption(
            f"KL({literal(start)} ‖ each other group): a dot whose interval reaches the grey "
            "tick, the chance level, shows no difference in style. Dotted lines: Devlin 2016, "
            "table 1, agents against real humans of AI Factory Spades."
        )
    pairs = cached.compare(question).divergences.drop(columns="classes")
    with table:
        ordered = pairs.sort_values("of", key=lambda of: of != start, kind="stable")
        show_table(ordered, "divergences", columns=PAIR_COLUMNS)
        published = ", ".join(f"{name} {kl:.4f}" for name, kl in PUBLISHED_KL.items())
        st.caption(
            f"Published, against real humans (Devlin 2016, table 1): {published}. The paper says "
            "neither which way it took the divergence nor whether forced plays count: both move "
            "the figure (the table has both ways; forced plays are under “Which plays”)."
        )
    return pair


def show_bidding(question: Question, asks: Sequence[str], *, is_simulated: bool) -> None:
    """Bids by position, sums of bids, branching factor, nils; a click picks one of ``asks``."""
    st.subheader(
        "Bidding",
        help="Compare Cohensius 2020: sum of bids (figure 5), branching factor (figure 6), and "
        "the nils of human players (section 1).",
    )
    columns, figures = st.columns(3, gap="medium"), cached.bidding_figures(question)
    for column, name, title in zip(columns, CHARTS, BIDDING_CHARTS, strict=True):
        column.markdown(f"**{title}**")
        with column:
            keys = f"style_{name}", f"style-{name}"
            event = show_chart(figures[name], *keys, takes_clicks=name == "sums")
        if name == "sums":
            points = event["selection"]["points"] if event else []
            x = points[0].get("x") if points else None
            take_click("sums", None if x is None else f"{SUM}{round(x)}", "rounds", asks)
        column.caption(BIDDING_CHARTS[title])
    select = {"key": "style_nils", "on_select": "rerun", "selection_mode": "single-cell"}
    event = show_table(cached.bidding(question).nils, "nils", columns=NIL_COLUMNS, **select)
    st.caption(
        f"Published, of human players (Cohensius 2020): nil in {PUBLISHED_NIL_RATE:.1%} of a "
        f"seat's rounds, made in {PUBLISHED_NIL_SUCCESS:.1%}. A click on a number of nils, or of "
        "those made, lists their rounds."
    )
    cells = event["selection"]["cells"]
    take_click("nils", ASKS.get(cells[0][1]) if cells else None, "rounds", asks)
    if is_simulated:
        tables.show_nil_note()


def show_means(style: BiddingStyle) -> None:
    """Means of bids and of legal cards, and the tables of all charts."""
    columns = {"measure": "Mean of", "group": "Group", "n": count("n"), "games": count("Games")}
    columns |= {"mean": number("Mean", "%.3f"), **ends("%.3f")}
    show_table(style.means, "means", columns=columns)
    st.caption(
        f"Published means (Cohensius 2020): sum of bids {PUBLISHED_SUM_OF_BIDS:g}, legal cards "
        f"{PUBLISHED_BRANCHING:g}."
    )
    charts = {"positions": style.positions, "sums": style.sums, "legal-cards": style.legal}
    with st.container(horizontal=True, gap="small"):
        for name, table in charts.items():
            show_download(table, name, f"{name.capitalize().replace('-', ' ')} (CSV)")
