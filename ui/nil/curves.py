"""The Nil page's curves: the bids before, the chart, nils by sequence, the rounds of a point, and
how well they foretell nils held out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding import questions
from analysis.bidding.questions import ANY, Pattern, name_of, parse_pattern
from analysis.nil import scores as nil_scores
from analysis.nil.rates import Source, compute_curves, compute_rates, compute_totals
from analysis.nil.rounds import ANY_KIND, Nils, count_nils, find_nils, find_rounds
from analysis.nil.scores import ALL, METHODS, NilScores
from analysis.plots.nil import FEW, FEW_FORECASTS, Mark, plot_calibration, plot_curves
from analysis.style.counts import KIND_LABELS
from spades.bidding import load_curves
from spades.bidding.curves import HUMAN_TABLE, N_VALUE_BINS, TABLE
from spades.core.errors import SpadesError
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.core.rules import MAX_BID
from ui.nil import state
from ui.nil.state import KIND_TITLES, TABLE_LABELS, page
from ui.shared import tables, widgets
from ui.shared.address import replay_link
from ui.shared.page import literal
from ui.shared.records import LogKey, log_key, n_repeated, n_shared, opened
from ui.shared.tables import count, number, percent, show_table
from ui.shared.widgets import row, show_chart, show_note

BIDS = (ANY, *range(MAX_BID + 1))
PATHS = {"srp": TABLE, "human": HUMAN_TABLE}
MAX_LISTED = 100
ECE = (
    "Expected calibration error: mean distance of forecast and share made over 20 bins of the "
    "forecast. Above 0 by chance where nils are few."
)
_COUNTED = {
    "forecast": percent("Mean forecast"), "n": count("Nils"), "made": count("Made"),
    "rate": percent("Share made"), **tables.ends(),
}  # fmt: skip
_SCORES = {
    "group": None, "share_made": None, "method": "Forecast", "n": count("Nils", "Held out."),
    **tables.with_ends("log_loss", "Log-loss", "%.4f", "Nats a nil; the less the better."),
    **tables.with_ends("brier", "Brier score", "%.4f", "Mean squared error; the less the better."),
    **tables.with_ends("ece", "ECE", "%.4f", ECE),
    **tables.with_ends("behind", "Log-loss behind the curves", "%+.4f",
                "Above 0: the curves foretell better."),
}  # fmt: skip


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
    with row():
        turns = {n: ordinal.capitalize() for n, ordinal in enumerate(questions.ORDINALS)}
        hint = "The first to bid has heard nobody; the fourth, the dealer, three bids."
        page.segments("You bid", "turn", turns, help=hint)
        look = {"format_func": questions.bid_word, "width": 135}
        look["help"] = "What this seat bid before you; any: every bid, taken together."
        for place in range(page.get("turn"))[::-1]:
            who = questions.BIDDERS_BEFORE[place].capitalize()
            page.select(who, state.PLACES[place], BIDS, **look)
        if can_compare:
            hint = "Add these bids to the sequences compared, then choose others."
            look = {"disabled": not state.get_previous(), "help": hint}
            call = (page.key("keep"), state.add_compared)
            widgets.show_button("Keep to compare", "add", *call, **look)


def show_source_controls(log_names: Sequence[str]) -> None:
    compared, tables_, logs = st.columns([4, 3, 4], gap="small", vertical_alignment="bottom")
    with compared:
        most, label = state.MAX_COMPARED, f"Compare with, up to {state.MAX_COMPARED}"
        hint = "Bids in order, the last your right opponent's: 3,1. nil or 0 is nil, * any bid."
        look = {"format_func": _sequence_label, "accept_new_options": True, "help": hint}
        look |= {"placeholder": "Type bids in order, as 3,1", "max_selections": most}
        look["on_change"] = state.settle_compared
        page.several(label, "compare", state.USUALLY_COMPARED, **look)
    with tables_:
        hint = "Curves, and the nils that they were fitted on. Humans here are simulated."
        page.pills("Fitted curves of", "tables", TABLE_LABELS, help=hint)
    with logs, row():
        hint = "Logs of the Data page: rates without a curve."
        show_logs_control("Nils of logs", log_names, placeholder="None", help=hint)
    for complaint in st.session_state.pop(page.key("typed"), []):
        st.warning(literal(f"Left out: {complaint}."), icon=":material/block:")


def show_logs_control(label: str, log_names: Sequence[str], **settings: Any) -> None:
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
    event = show_chart(figure, "nil_curves", "nil-curves", on_select="rerun")
    if clicked := widgets.new_click(page.key("clicked"), widgets.clicked_data(event)):
        source, bids, at = clicked[:3]
        page.put("at", bids)
        page.put("bin", int(at))
        for log in question.logs:
            if source == label_of(log.name, question.kind):
                page.put("log", log.name)
    st.caption(
        "Lines: fitted curves with 95% bands. Points: the share of nils made in a twentieth of nil "
        f"value, with exact 95% intervals, faded under {FEW} nils; below: how many. Click a point "
        "for its rounds."
    )
    tables.show_download(tables_of(question)[1], "nil-rates", "Points (CSV)")


def show_totals(question: Question) -> None:
    st.markdown("**Nils after these bids**")
    columns = {
        "source": "Nils of", "sequence": "Bids before", "made": count("Made"),
        "n": count("Nils", "Played out, after these bids, of every nil value."),
        "rate": percent("Share made", "Exact (Clopper-Pearson) 95% interval.", bar=True),
        **tables.ends(),
        "at 0.5": percent("Curve at 0.5", "Chance by the curve of a nil value of 0.5."),
        "at 0.9": percent("Curve at 0.9", "Chance by the curve of a nil value of 0.9."),
    }  # fmt: skip
    show_table(tables_of(question)[2], "nil-sequences", columns)
    if question.tables:
        fits = ". ".join(_what_was_fitted(table) for table in question.tables)
        show_note(f"{fits}. Good hands were dealt oftener there than they come.")


def _what_was_fitted(table: str) -> str:
    found = load_curves(PATHS[table]).metadata
    hint = f"{found.get('what', 'not recorded')}, {found.get('rounds', 0):,} rounds"
    return f"{TABLE_LABELS[table]}: {hint} ({found.get('command', '')})"


def show_repeats(logs: Sequence[str]) -> None:
    """Which rounds count once though they are in a log twice, and which in each of several logs."""
    for name in logs:
        tables.show_repeated(n_repeated(name), name)
    for at, n in enumerate(n_shared(logs)):
        if n:
            are, others = "1 round is" if n == 1 else f"{n:,} rounds are", " or ".join(logs[:at])
            same = literal(f"Of {logs[at]} {are} in {others} too, and so drawn twice.")
            st.caption(f":material/content_copy: {same}")


def show_point(question: Question, entries: dict) -> None:
    """A point of the chart, for keyboards and to see what was clicked; its rounds."""
    st.markdown("**The rounds behind a point**")
    if not entries:
        widgets.show_info(widgets.NO_LOGS, "inbox")
        return
    labels = {questions.format_bids(pattern): name_of(pattern) for pattern in question.patterns}
    if page.get("at") not in labels:
        page.put("at", next(iter(labels)))
    with row():
        page.select("Log", "log", list(entries), width=210)
        page.select("Bids before", "at", labels, width=190)
        ends = [f"{at / N_VALUE_BINS:.2f}" for at in range(N_VALUE_BINS + 1)]
        bins = {at: f"{ends[at]} to {ends[at + 1]}" for at in range(N_VALUE_BINS)}
        page.select("Nil value", "bin", bins, width=150)
    pattern, at = parse_pattern(page.get("at")), page.get("bin")
    points = [compute_rates([fitted(table)], [pattern]).iloc[at] for table in question.tables]
    of_fits = [f"{rates['source']} made {rates['made']:,} of {rates['n']:,}" for rates in points]
    show_rounds(entries, questions.sequences_of(pattern).tolist(), at, of_fits)


def show_rounds(
    entries: dict, sequences: list[int], at: int | None, of_fits: Sequence[str] = ()
) -> None:
    """The rounds of the log after these bids, each a link to Replay.

    ``at``: bin of nil value, None for all; ``of_fits``: what the tables say of the same point."""
    kind, log = page.get("kind"), page.get("log")
    rounds, n, n_made = rounds_behind(log_key(entries[log]), tuple(sequences), at, kind)
    who = "" if kind == ANY_KIND else f" bid by {KIND_TITLES[kind].lower()}"
    nils = "1 nil" if n == 1 else f"{n:,} nils"
    show_note(f"{nils}{who} in {log}, {n_made:,} made." if n else f"No such nil{who} in {log}.")
    if of_fits:
        hint = literal(f"Of the fits: {'; '.join(of_fits)}. Their rounds were counted, not stored.")
        st.caption(f":material/inventory_2: {hint}")
    if n:
        _show_round_table(rounds, log)
    else:
        hint = "No round to open here: choose another nil value or log, or set a bid to any."
        widgets.show_info(hint, "inbox")
    if n > len(rounds):
        st.caption(f"The first {len(rounds)} are shown.")


def _show_round_table(rounds: pd.DataFrame, log: str) -> None:
    shown = rounds.assign(
        open=[replay_link(log, i, ply=0) for i in rounds["round"]],
        kind=rounds["kind"].str.replace("-", " "),
        made=rounds["made"].map({True: "made", False: "set"}),
    )
    columns = {
        **tables.REPLAY_COLUMNS,
        "made": tables.text("Nil", "Made: the seat took no trick."),
        "bids": tables.text("Bids before", "In the order made."),
        "value": number("Nil value", "%.3f"),
        "tricks": number("Tricks", hint="Taken by the nil bidder."),
    }
    shown = shown[["open", "made", *rounds.columns.drop("made")]]
    show_table(shown, "nil-rounds", columns, height=300)


@widgets.errors_shown()
def show_foretold() -> None:
    """Forecasts of nils held out: of the curves, of one curve, of the nil value and of trees."""
    found = state.scores()
    _show_controls()
    scores, group = found[page.get("scored")], page.get("group")
    _show_scores(scores, group)
    methods = [name for name in METHODS if name in page.get("methods")]
    chart = "nil_foretold", "nil-calibration"
    if not methods:
        widgets.show_info("Choose whose forecasts to draw.", "group")
    elif page.get("by") == "bins":
        rows = nil_scores.calibration_rows(scores, group, methods)
        show_chart(plot_calibration(rows), *chart)
        _show_bins(rows)
    else:
        show_chart(plot_calibration(nil_scores.sequence_rows(scores, methods)), *chart)
        _show_sequences(scores)


def _show_controls() -> None:
    with row():
        page.segments("Rounds of", "scored")
        groups = {name: "every nil" if name == ALL else name for name in state.groups_known()}
        hint = "Groups of sequences: by bids before, nils among them, and times the fit saw them."
        page.select("Nils", "group", groups, width=260, help=hint)
        hint = "By forecast: nils of like forecasts together. By sequence: those after the same "
        page.segments("Drawn", "by", help=hint + "bids together, whatever their group.")
        page.pills("Forecasts of", "methods", wrap=True)


def _show_scores(scores: NilScores, group: str) -> None:
    table = nil_scores.score_table(scores)
    rows = table[table["group"] == group]
    n, made = int(rows["n"].iloc[0]), float(rows["share_made"].iloc[0])
    show_note(
        f"{n:,} nils of {scores.n_held_out:,} simulated rounds held out, {made:.1%} of them "
        f"made; fitted on {scores.n_fitted:,} others ({scores.what}). Intervals: 95%, bootstrap "
        "over rounds."
    )
    show_table(rows.assign(method=rows["method"].map(METHODS)), "nil-scores", columns=_SCORES)


def _show_bins(rows: pd.DataFrame) -> None:
    st.caption(
        "Above the dotted line more nils are made than were foretold. A point: the nils of one "
        f"twentieth of the forecast, with an exact 95% interval; faded under {FEW_FORECASTS} nils."
    )
    covered = st.column_config.CheckboxColumn("Holds", help="The interval holds the mean forecast.")
    columns = {"method": "Forecast", **_COUNTED, "is_covered": covered}
    rows = rows.assign(method=rows["method"].map(METHODS))
    show_table(rows, "nil-calibration", columns, height=250)


def _show_sequences(scores: NilScores) -> None:
    table, n_rows = nil_scores.sequence_table(scores), len(scores.sequences)
    held = ", ".join(f"{METHODS[name]} {k}" for name, k in scores.covered.items())
    show_note(
        f"{n_rows} of the {scores.n_seen} sequences heard, those with at least {scores.least} nils "
        f"held out. Intervals of the share made that hold the mean forecast: {held} of {n_rows}; "
        f"chances known exactly: {0.95 * n_rows:.0f} or more. Open points: it does not hold it."
    )
    columns = {
        "bids": tables.text("Bids before", "In the order made; 0: nil."),
        **_COUNTED,
        **{name: percent(label[0].upper() + label[1:]) for name, label in METHODS.items()},
    }
    table = table.assign(bids=table["bids"].where(table["bids"] != "", "first to bid"))
    show_table(table, "nil-sequence-scores", columns, height=320)
