"""What one log says, on one screen: how far its players are from simulated humans, its rates, its
nils beside the curve, its costliest decisions; each with a link to the page that says more.

Every number is computed by the function that this page calls too.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from analysis.bidding.decisions import even_chance
from analysis.bidding.questions import ANY, Pattern, format_bids, name_of
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.stored import StoredSearch, find
from analysis.disagreements.table import PLAYED, SEARCH
from analysis.nil.rounds import ANY_KIND
from analysis.style.counts import KIND_LABELS, Group, PlayFilter, groups_of
from analysis.style.kl_sample import OF_THESE_PLAYS
from analysis.text_tables import shown, span
from spades.core.cards import seat_name
from spades.core.logs import Log
from spades.core.records import BOT, KINDS, SIMULATED_HUMAN
from spades.core.rules import NO_BID, Rules
from spades.look.words import pretty_class
from spades.notation.log_store import LogEntry
from ui.bids import curves, lab
from ui.bids.state import page as bids
from ui.disagreements import controls, listed
from ui.disagreements import state as disagreements
from ui.shared.address import replay_link
from ui.shared.bar import show_link
from ui.shared.jobs import show_jobs
from ui.shared.page import is_narrow, literal
from ui.shared.panel import Panel
from ui.shared.records import log_key, readable_logs
from ui.shared.states import show_empty
from ui.shared.tables import REPLAY_COLUMNS, number, warn_few
from ui.shared.widgets import centered_row
from ui.style import cached
from ui.style.cached import Selection
from ui.style.state import COHORT, N_DEFAULT_GROUPS

CLASSES = 32  # of moves, as Style counts at first
JUDGED_ROUNDS = 10  # of a log, by a click here; more by Replay's form
TABLE_AND_CHART = (13, 12)  # their widths: the table's last column is in sight at 1280 pixels
N_LISTED = 5  # decisions
TURNS: tuple[Pattern, ...] = ((), (ANY,), (ANY, ANY), (ANY, ANY, ANY))
"""Any bids before a nil, by how many there were."""
CURVES = "human"
"""Whose nil curves the nils are compared with: simulated humans."""
RATE_COLUMNS = {
    "rate": "Rate",
    "who": "Of",
    "value": st.column_config.TextColumn("Value", alignment="right"),
    "interval": st.column_config.TextColumn("95%", alignment="right"),
    "n": number("n", "localized"),
}
DECISION_COLUMNS = {
    "open": REPLAY_COLUMNS["open"],
    "loss": number("Loss", "%.1f", "Points that the card played gave away, by the judge."),
    "interval": "95%",
    "played": "Played",
    "best": "Best",
    "seat": "Seat",
    "trick": number("Trick"),
    "round": REPLAY_COLUMNS["round"],
}


class Distance(NamedTuple):
    """How far the log's players are from simulated humans: the rows of Style's comparison from
    these to each other group."""

    selection: Selection
    humans: Group
    rows: pd.DataFrame

    @property
    def query(self) -> dict[str, str]:
        """The address of Style on this comparison."""
        logs = "|".join(log.name for log in self.selection.logs)
        return {"logs": logs, "by": self.humans.by, "from": self.humans.value}


class NilPoints(NamedTuple):
    """Nils of the log in the turn that has most of them, and the question that Bids shows."""

    question: curves.NilQuestion
    total: Mapping[str, Any]

    @property
    def query(self) -> dict[str, str]:
        (pattern,) = self.question.patterns
        name = self.question.logs[0].name
        return {
            "view": "curves",
            "sequence": format_bids(pattern),
            "compare": "",
            "tables": CURVES,
            "logs": name,
            "log": name,
        }


class Costly(NamedTuple):
    """The costliest plays of a log, as Replay lists them, of ``n`` judged decisions."""

    plan: LogSearchPlan
    search: StoredSearch
    rows: pd.DataFrame
    n: int
    values: Mapping[str, Any]

    @property
    def query(self) -> dict[str, str]:
        return disagreements.address_of(self.values)


def distance_of(name: str, log: Log) -> Distance | None:
    """None for the log of the simulated humans themselves, and where that isn't there."""
    entries = readable_logs()
    if name == COHORT or COHORT not in entries:
        return None
    keys = (log_key(entries[name]), log_key(entries[COHORT]))
    is_all_simulated = bool((log.kind == KINDS.index(SIMULATED_HUMAN)).all())
    by = "log" if is_all_simulated else "kind"
    groups = tuple(groups_of(cached.pooled(keys), by)[:N_DEFAULT_GROUPS])
    humans = next(group for group in groups if group.value in (COHORT, SIMULATED_HUMAN))
    selection = Selection(keys, groups, PlayFilter(), CLASSES)
    pairs = cached.compare(selection).divergences
    return Distance(selection, humans, pairs[pairs["of"] == humans.label])


def own_selection(name: str) -> Selection:
    """The log's kinds of players, as Style compares them."""
    keys = (log_key(readable_logs()[name]),)
    groups = tuple(groups_of(cached.pooled(keys), "kind")[:N_DEFAULT_GROUPS])
    return Selection(keys, groups, PlayFilter(), CLASSES)


def rates_of(name: str) -> pd.DataFrame:
    """Sums of bids and nils by kind of player, as on Style; contracts by bidder, as on Bids. NaN
    where there is none."""
    style = cached.bidding(own_selection(name))
    rows: list[dict[str, Any]] = []
    sums = style.means[style.means["measure"] == "sum of bids"]
    numbers = ["mean", "low", "high", "n"]
    for _, alike in sums.groupby(numbers, sort=False, dropna=False):  # those who share a table
        mean = alike.iloc[0]
        who = "everyone" if len(alike) == len(sums) > 1 else ", ".join(alike["group"])
        ends = (mean["low"], mean["high"])
        rows.append(_rate("Sum of the four bids", who, mean["mean"], ends, mean["n"], ".2f"))
    kept = lab.contracts_of(log_key(readable_logs()[name]))
    kept = kept[kept["bid"] == NO_BID]
    names = _kind_names(kept["group"])
    for made in kept.itertuples():
        ends = (made.made_low, made.made_high)
        rows.append(
            _rate("Contracts made", names[made.group], made.made, ends, made.contracts, ".1%")
        )
    for nil in style.nils.itertuples():
        ends = (nil.rate_low, nil.rate_high)
        rows.append(_rate("Nil bid", nil.group, nil.rate, ends, nil.bids, ".1%"))
        ends = (nil.success_low, nil.success_high)
        rows.append(_rate("Nil made", nil.group, nil.success, ends, nil.played_out, ".1%"))
    table = pd.DataFrame(rows, columns=list(RATE_COLUMNS))
    return table.sort_values("rate", key=lambda rates: rates.map(_order_of), kind="stable")


def _kind_names(bidders: Iterable[str]) -> dict[str, str]:
    """How the table calls each bidder: the bots' one bidder as the kind of player that it is."""
    bots = [name for name in bidders if name not in KIND_LABELS.values()]
    return {name: KIND_LABELS[BOT] if bots == [name] else name for name in bidders}


def _order_of(rate: str) -> int:
    return ("Sum of the four bids", "Contracts made", "Nil bid", "Nil made").index(rate)


def _rate(
    rate: str, who: str, value: float, ends: tuple[float, float], n: int, form: str
) -> dict[str, Any]:
    return {
        "rate": rate,
        "who": who,
        "value": shown(value, form),
        "interval": span(ends, form),
        "n": int(n),
    }


def nils_of(name: str) -> NilPoints | None:
    """None for a log without a nil that was played out."""
    logs = (log_key(readable_logs()[name]),)
    totals = curves.tables_of(curves.NilQuestion((), logs, ANY_KIND, TURNS))[2]
    at = int(totals["n"].argmax())
    total = totals.iloc[at].to_dict()
    if not total["n"]:
        return None
    return NilPoints(curves.NilQuestion((CURVES,), logs, ANY_KIND, (TURNS[at],)), total)


def costly_of(name: str) -> Costly:
    """What is judged of the log so far."""
    values, _ = disagreements.page.parse({"log": name, "against": PLAYED})
    plan = disagreements.plan_of({**values, "rounds": JUDGED_ROUNDS})
    search = find(plan)
    if not search.rounds:
        return Costly(plan, search, pd.DataFrame(), 0, values)
    judged = listed.judged_of(search, values)
    return Costly(plan, search, listed.disagreements(judged, values), len(judged), values)


def show_answer(entry: LogEntry, log: Log) -> None:
    """The answers, each a line with its way on; under them figures and tables.

    They are drawn in the page's order, also on a phone, where the columns are below one another:
    what comes late moves nothing that is seen."""
    name = entry.name
    lines = st.container(key="data_answer", gap="xsmall")
    if is_narrow():
        left = st.container()
        right = st.container()
    else:
        left, right = st.columns(TABLE_AND_CHART, gap="medium")
    distance = distance_of(name, log)
    nils = nils_of(name)
    costly = costly_of(name)
    with lines:
        _show_line(_distance_text(distance), "Style", "Style", distance.query if distance else {})
        _show_line(_nil_text(nils), "Bids", "Its nils", nils.query if nils else {})
        _show_line(_costly_text(costly, entry), "Replay", "Disagreements", costly.query)
        games = cached.compare(own_selection(name)).groups
        warn_few(dict(zip(games["group"], games["games"], strict=True)), "games")
    with left:
        Panel("log-rates", "Bids, contracts, nils").table(rates_of(name), RATE_COLUMNS)
        if distance is not None and len(distance.rows):
            figure = cached.divergence_figure(distance.selection, distance.humans.label)
            hint = f"{OF_THESE_PLAYS}."
            Panel("log-kl", "Distance from simulated humans", hint).figure(figure)
    with right:
        if nils is not None:
            threshold = bids.fields["threshold"].default
            even = even_chance(threshold, Rules().nil or 0)
            figure = curves.curve_figure(nils.question, None, even, 440)
            Panel("log-nils", "Nils beside the curve of simulated humans").figure(figure)
        _show_decisions(costly, log)


def _show_line(answer: str, page: str, label: str, query: Mapping[str, object]) -> None:
    with centered_row(horizontal_alignment="distribute"):
        st.markdown(answer, width="content")
        if query:
            show_link(page, label, query)


def _distance_text(distance: Distance | None) -> str:
    if distance is None:
        return "**Distance**: these are the simulated humans that other logs are compared with."
    parts = []
    for pair in distance.rows.itertuples():
        interval = span((pair.kl_low, pair.kl_high), ".4f")
        parts.append(
            f"{literal(pair.to)} {pair.kl:.4f} nats (95%: {interval}; by chance "
            f"{shown(pair.chance, '.4f')}; n = {pair.to_games:,} games)"
        )
    text = ", ".join(parts) or "no card was played"
    return (
        "**Distance from simulated humans** (KL of abstract moves, with the log "
        f"{COHORT} beside it): {text}"
    )


def _nil_text(nils: NilPoints | None) -> str:
    if nils is None:
        return "**Nils**: none was bid and played out."
    total = nils.total
    (pattern,) = nils.question.patterns
    return (
        f"**Nils** {name_of(pattern)}: {total['made']:,} of {total['n']:,} made, "
        f"{total['rate']:.1%} (95%: {span((total['low'], total['high']), '.1%')})"
    )


def _costly_text(costly: Costly, entry: LogEntry) -> str:
    n_rounds = len(costly.search.rounds)
    if not n_rounds:
        return "**Costliest play**: nothing of this log is judged yet."
    of = f"{costly.n:,} decisions of {n_rounds:,} of {entry.n_rounds:,} rounds judged"
    if costly.rows.empty:
        return f"**Costliest play**: none is clearly worse than the best; {of}"
    first = costly.rows.iloc[0]
    interval = span((first["low"], first["high"]), ".1f")
    points = f"{first['stakes']:.1f} points"
    return f"**Costliest play** gave away {points} (95%: {interval}); {of}"


def _show_decisions(costly: Costly, log: Log) -> None:
    panel = Panel("log-decisions", "Costliest decisions")
    plan = costly.plan
    if not costly.rows.empty:
        rows = costly.rows.head(N_LISTED).to_dict("records")
        table = [_decision(row, costly, log) for row in rows]
        panel.table(pd.DataFrame(table), DECISION_COLUMNS)
    elif costly.search.rounds:
        show_empty("No card played is clearly worse than the best.", "task_alt")
    else:
        controls.show_search_start(lambda: plan, "data_judge")
    if not costly.search.is_shipped:
        show_jobs("data_judging", made=lambda: controls.drawn(plan))


def _decision(row: Mapping[str, Any], costly: Costly, log: Log) -> dict[str, Any]:
    index, ply = int(row["round"]), int(row["ply"])
    deck = log.rules[log.rules_code[index]].cards
    source = disagreements.list_text(costly.values)
    ends = (row["low"], row["high"])
    place = {"ply": ply, "model": costly.values["model"], "list": source}
    return {
        "open": replay_link(costly.plan.log, index, **place),
        "loss": row["stakes"],
        "interval": span(ends, ".1f") if ends[0] < ends[1] else "exact",
        "played": pretty_class(listed.cards_of(row, PLAYED, deck)),
        "best": pretty_class(listed.cards_of(row, SEARCH, deck)),
        "seat": seat_name(row["seat"]),
        "trick": row["trick"] + 1,
        "round": index,
    }
