"""The Nil page's curves: the bids before, the chart, nils by sequence, the rounds of a point."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding import questions
from analysis.bidding.questions import ANY, Pattern, name_of, parse_pattern
from analysis.nil.rates import Source, compute_curves, compute_rates, compute_totals
from analysis.nil.rounds import ANY_KIND, Nils, count_nils, find_nils, find_rounds
from analysis.plots.nil import FEW, Mark, plot_curves
from analysis.style.counts import KIND_LABELS
from spades.bidding import load_curves
from spades.bidding.curves import HUMAN_TABLE, N_VALUE_BINS, TABLE
from spades.core.errors import SpadesError
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.core.rules import MAX_BID
from ui.nil import state
from ui.nil.state import KIND_TITLES, TABLE_LABELS, page
from ui.shared import tables
from ui.shared.address import replay_link
from ui.shared.page import literal
from ui.shared.records import LogKey, log_key, opened
from ui.shared.tables import count, number, percent, show_table
from ui.shared.widgets import clicked_data, new_click, row, show_chart, show_info, show_note

BIDS = (ANY, *range(MAX_BID + 1))
PATHS = {"srp": TABLE, "human": HUMAN_TABLE}
MAX_LISTED = 100


@dataclass(frozen=True)
class Question:
    """Whose nils, after which bids: fitted tables by name, logs, and the kind of bidder in them."""

    tables: tuple[str, ...]
    logs: tuple[LogKey, ...]
    kind: str
    patterns: tuple[Pattern, ...]


def fitted(table: str) -> Source:
    """The curves of a table with the nils that they were fitted on."""
    found = load_curves(PATHS[table])
    return Source(TABLE_LABELS[table], found.counts, found)


@st.cache_resource(max_entries=8, show_spinner="Looking for the nils of the log ...")
def nils_of(log: LogKey) -> Nils:
    return find_nils(opened(log.name))


def label_of(log: str, kind: str) -> str:
    """What charts call a log's bidders; simulated humans among its seats are named."""
    if kind != ANY_KIND:
        return f"{log}, {KIND_LABELS[kind].lower()}"
    is_simulated = opened(log).kind == KINDS.index(SIMULATED_HUMAN)
    if is_simulated.all() and len(is_simulated):
        return f"{log} (simulated humans)"
    return f"{log} (some simulated humans)" if is_simulated.any() else log


@st.cache_data(max_entries=64, show_spinner=False)
def tables_of(question: Question) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Curves, rates by nil value, totals."""
    kind, patterns = question.kind, question.patterns
    sources = [fitted(table) for table in question.tables]
    for log in question.logs:
        sources.append(Source(label_of(log.name, kind), count_nils(nils_of(log), kind)))
    return tuple(f(sources, patterns) for f in (compute_curves, compute_rates, compute_totals))


@st.cache_resource(max_entries=64, show_spinner=False)
def curve_figure(question: Question, marks: tuple[Mark, ...], even: float, height: int) -> Figure:
    lines, rates, _ = tables_of(question)
    return plot_curves(lines, rates, marks=marks, even=even, height=height)


@st.cache_data(max_entries=64, show_spinner=False)
def rounds_behind(
    log: LogKey, sequences: tuple[int, ...], at: int | None, kind: str
) -> tuple[pd.DataFrame, int, int]:
    nils, indices = nils_of(log), np.array(sequences, dtype=np.int64)
    return find_rounds(opened(log.name), nils, indices, at, kind=kind, limit=MAX_LISTED)


def show_previous_controls(*, can_compare: bool) -> None:
    """In which seat you bid, and what was bid before."""
    with row():
        turns = {n: ordinal.capitalize() for n, ordinal in enumerate(questions.ORDINALS)}
        told = "The first to bid has heard nobody; the fourth, the dealer, three bids."
        page.segments("You bid", "turn", turns, help=told)
        look = {"format_func": questions.bid_word, "width": 135}
        look["help"] = "What this seat bid before you; any: every bid, taken together."
        for place in range(page.get("turn"))[::-1]:
            who = questions.BIDDERS_BEFORE[place].capitalize()
            page.select(who, state.PLACES[place], BIDS, **look)
        if can_compare:
            told = "Add these bids to the sequences compared, then choose others."
            keep = {"on_click": state.add_compared, "disabled": not state.get_previous()}
            look = {"icon": ":material/add:", "help": told}
            st.button("Keep to compare", key=page.key("keep"), **keep, **look)


def show_source_controls(log_names: Sequence[str]) -> None:
    """The other sequences, and whose nils."""
    compared, tables_, logs = st.columns([4, 3, 4], gap="small", vertical_alignment="bottom")
    with compared:
        page.several(
            f"Compare with, up to {state.MAX_COMPARED}",
            "compare",
            dict.fromkeys([*page.get("compare"), *state.USUALLY_COMPARED]).keys(),
            format_func=_sequence_label,
            accept_new_options=True,
            max_selections=state.MAX_COMPARED,
            on_change=state.settle_compared,
            placeholder="Type bids in order, as 3,1",
            help="Bids in the order made, the last your right opponent's: 3,1. "
            "nil or 0 is nil, * any bid.",
        )
    with tables_:
        told = "Curves, and the nils that they were fitted on. Humans here are simulated: the "
        told += "log-linear model of Devlin 2016 and a bidder calibrated to published figures."
        page.pills("Fitted curves of", "tables", TABLE_LABELS, help=told)
    with logs, row():
        told = "Logs of the Data page: rates without a curve."
        show_logs_control("Nils of logs", log_names, placeholder="None", help=told)
    for complaint in st.session_state.pop(page.key("typed"), []):
        st.warning(literal(f"Left out: {complaint}."), icon=":material/block:")


def show_logs_control(label: str, log_names: Sequence[str], **settings: Any) -> None:
    """Which logs, and whose nils in them."""
    page.several(label, "logs", log_names, max_selections=state.MAX_LOGS, **settings)
    show_kind_control()


def show_kind_control() -> None:
    page.select("Bid by", "kind", width=170, help="Who bid, in the logs.")


def _sequence_label(text: str) -> str:
    try:
        return name_of(parse_pattern(text))
    except SpadesError:  # being typed
        return text


def show_curves(question: Question, even: float) -> None:
    """The chart; a click on a point picks it. ``even``: the chance that is just worth a nil."""
    figure = curve_figure(question, (), even, 520)
    event = show_chart(figure, "nil_curves", "nil-curves", takes_clicks=True)
    if clicked := new_click(page.key("clicked"), clicked_data(event)):
        source, bids, at = clicked[:3]
        page.put("at", bids)
        page.put("bin", int(at))
        for log in question.logs:
            if source == label_of(log.name, question.kind):
                page.put("log", log.name)
    st.caption(
        "How likely a nil is made (up) by the nil value of the hand (across). Lines: fitted curves "
        "with 95 % bands; those of open bids (any) are means of the sequences that they stand for, "
        "without a band. Points: the share of nils made in a twentieth of nil value, with exact "
        f"95 % intervals, faded under {FEW} nils; where no nil was bid there is no point. The "
        "leftmost holds hands of value 0 too, which BIS gives no chance. Below: how many nils. "
        "Click a point for its rounds."
    )
    tables.show_download(tables_of(question)[1], "nil-rates", "Points (CSV)")


def show_totals(question: Question) -> None:
    """Nils of every sequence drawn, whatever their value; what the curves were fitted on."""
    st.markdown("**Nils after these bids**")
    show_table(
        tables_of(question)[2],
        "nil-sequences",
        columns={
            "source": "Nils of", "sequence": "Bids before", "made": count("Made"),
            "n": count("Nils", "Played out, after these bids, of every nil value."),
            "rate": percent("Share made", "Exact (Clopper-Pearson) 95 % interval.", bar=True),
            **tables.ends(),
            "at 0.5": percent("Curve at 0.5", "Chance by the curve of a nil value of 0.5."),
            "at 0.9": percent("Curve at 0.9", "Chance by the curve of a nil value of 0.9."),
        },
    )  # fmt: skip
    if question.tables:
        fits = ". ".join(_what_was_fitted(table) for table in question.tables)
        show_note(
            f"{fits}. A nil was tried in every round fitted, good hands dealt oftener than "
            "they come: shares over all nil values say little there, those at one value do."
        )


def _what_was_fitted(table: str) -> str:
    found = load_curves(PATHS[table]).metadata
    told = f"{found.get('what', 'not recorded')}, {found.get('rounds', 0):,} rounds"
    return f"{TABLE_LABELS[table]}: {told} ({found.get('command', '')})"


def show_point(question: Question, entries: dict) -> None:
    """A point of the chart, for keyboards and to see what was clicked; its rounds."""
    st.markdown("**The rounds behind a point**")
    if not entries:
        show_info("No logs yet: the Data page makes and imports them.", "inbox")
        return
    labels = {questions.format_bids(pattern): name_of(pattern) for pattern in question.patterns}
    if page.get("at") not in labels:
        page.put("at", next(iter(labels)))
    with row():
        page.select("Log", "log", list(entries), width=210)
        page.select("Bids before", "at", labels, width=190)
        page.select("Nil value", "bin", range(N_VALUE_BINS), format_func=_bin_text, width=150)
    pattern, at = parse_pattern(page.get("at")), page.get("bin")
    points = [compute_rates([fitted(table)], [pattern]).iloc[at] for table in question.tables]
    of_fits = [f"{rates['source']} made {rates['made']:,} of {rates['n']:,}" for rates in points]
    show_rounds(entries, questions.sequences_of(pattern).tolist(), at, of_fits)


def _bin_text(at: int) -> str:
    return f"{at / N_VALUE_BINS:.2f} to {(at + 1) / N_VALUE_BINS:.2f}"


def show_rounds(
    entries: dict, sequences: list[int], at: int | None, of_fits: Sequence[str] = ()
) -> None:
    """The rounds of the log after these bids, each a link to Replay.

    ``at``: bin of nil value, None for all; ``of_fits``: what the tables say of the same point.
    """
    kind, log = page.get("kind"), page.get("log")
    rounds, n, n_made = rounds_behind(log_key(entries[log]), tuple(sequences), at, kind)
    who = "" if kind == ANY_KIND else f" bid by {KIND_TITLES[kind].lower()}"
    nils = "1 nil" if n == 1 else f"{n:,} nils"
    show_note(f"{nils}{who} in {log}, {n_made:,} made." if n else f"No such nil{who} in {log}.")
    if of_fits:
        told = literal(f"Of the fits: {'; '.join(of_fits)}. Their rounds were counted, not stored.")
        st.caption(f":material/inventory_2: {told}")
    if n:
        _show_round_table(rounds, log)
    else:
        show_info(
            "No round to open here: choose another nil value or log, or set a bid to any.", "inbox"
        )
    if n > len(rounds):
        st.caption(f"The first {len(rounds)} are shown.")


def _show_round_table(rounds: pd.DataFrame, log: str) -> None:
    shown = rounds.assign(
        open=[replay_link(log, i, ply=0) for i in rounds["round"]],
        kind=rounds["kind"].str.replace("-", " "),
        made=rounds["made"].map({True: "made", False: "set"}),
    )
    show_table(
        shown[["open", "made", *rounds.columns.drop("made")]],
        "nil-rounds",
        columns={
            **tables.REPLAY_COLUMNS,
            "made": tables.text("Nil", "Made: the seat took no trick."),
            "bids": tables.text("Bids before", "In the order made."),
            "value": number("Nil value", "%.3f"),
            "tricks": number("Tricks", told="Taken by the nil bidder."),
        },
        height=300,
    )
