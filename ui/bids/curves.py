"""Success curves of nil: bids before, chart, nils by sequence, the rounds behind a point,
and the calibration of the curves."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding import questions
from analysis.bidding.decisions import even_chance
from analysis.bidding.questions import ANY, Pattern, name_of, parse_pattern
from analysis.nil import scores as nil_scores
from analysis.nil.rates import (
    Source,
    compute_curves,
    compute_rates,
    compute_totals,
    describe_thin,
)
from analysis.nil.rounds import ANY_KIND, Nils, count_nils, find_nils, find_rounds
from analysis.nil.scores import ALL, METHODS, NilScores
from analysis.plots.nil import FEW, FEW_FORECASTS, Mark, plot_calibration, plot_curves
from analysis.style.counts import KIND_LABELS
from analysis.text_tables import counted
from spades.bidding import load_curves
from spades.bidding.curves import HUMAN_NIL_TABLE, N_VALUE_BINS, NIL_TABLE
from spades.core.errors import SpadesError
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.core.rules import MAX_BID, Rules
from ui.bids import state
from ui.bids.state import KIND_TITLES, TABLE_LABELS, page
from ui.shared import states, tables, widgets
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.records import LogKey, log_key, n_repeated, n_shared, opened, readable_logs
from ui.shared.states import show_partial
from ui.shared.tables import count, number, percent
from ui.shared.widgets import row, show_note

BIDS = (ANY, *range(MAX_BID + 1))
PATHS = {"srp": NIL_TABLE, "human": HUMAN_NIL_TABLE}
MAX_LISTED = 100
ECE = (
    "Expected calibration error: mean distance of forecast and share made over 20 bins of the "
    "forecast. Above 0 by chance where nils are few."
)
_FORECAST_COLUMNS = {
    "forecast": percent("Mean forecast"),
    "n": count("Nils"),
    "made": count("Made"),
    "rate": percent("Share made"),
    **tables.ends(),
}
_SCORE_COLUMNS = {
    "group": None,
    "share_made": None,
    "method": "Forecast",
    "n": count("Nils", "Held out."),
    **tables.with_ends("log_loss", "Log-loss", "%.4f", "Nats a nil; less is better."),
    **tables.with_ends("brier", "Brier score", "%.4f", "Mean squared error; less is better."),
    **tables.with_ends("ece", "ECE", "%.4f", ECE),
    **tables.with_ends(
        "behind", "Log-loss behind nil curves", "%+.4f", "Above 0: nil curves predict better."
    ),
}


@dataclass(frozen=True)
class NilQuestion:
    """Which nils are drawn, after which sequences of bids: those of fitted tables (by name), and
    those of one kind of bidder in logs."""

    tables: tuple[str, ...]
    logs: tuple[LogKey, ...]
    kind: str
    patterns: tuple[Pattern, ...]


def fitted(table: str) -> Source:
    """The curves of a table with the nils that they were fitted on."""
    curves = load_curves(PATHS[table])
    return Source(TABLE_LABELS[table], curves.counts, curves)


@st.cache_resource(max_entries=8, show_spinner="Looking for the nils of the log ...")
def nils_of(log: LogKey) -> Nils:
    return find_nils(opened(log.name))


def label_of(log: str, kind: str) -> str:
    """A log's bidders as charts call them; simulated humans are named as such."""
    if kind != ANY_KIND:
        return f"{log}, {KIND_LABELS[kind].lower()}"
    is_simulated = opened(log).kind == KINDS.index(SIMULATED_HUMAN)
    if not is_simulated.any():
        return log
    if is_simulated.all():
        return f"{log} (simulated humans)"
    return f"{log} (some simulated humans)"


@st.cache_data(max_entries=64, show_spinner=False)
def tables_of(question: NilQuestion) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Curves, rates by nil value, totals."""
    sources = [fitted(table) for table in question.tables]
    for log in question.logs:
        counts = count_nils(nils_of(log), question.kind)
        sources.append(Source(label_of(log.name, question.kind), counts))
    patterns = question.patterns
    return (
        compute_curves(sources, patterns),
        compute_rates(sources, patterns),
        compute_totals(sources, patterns),
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def curve_figure(question: NilQuestion, mark: Mark | None, even: float, height: int) -> Figure:
    lines, rates, _ = tables_of(question)
    return plot_curves(lines, rates, mark=mark, even=even, height=height)


@st.cache_data(max_entries=64, show_spinner=False)
def rounds_behind(
    log: LogKey, sequences: tuple[int, ...], bin_index: int | None, kind: str
) -> tuple[pd.DataFrame, int, int]:
    return find_rounds(
        opened(log.name),
        nils_of(log),
        np.array(sequences, dtype=np.int64),
        bin_index,
        kind=kind,
        limit=MAX_LISTED,
    )


def show() -> None:
    state.settle()
    entries = readable_logs()
    _show_sequence_controls()
    show_source_controls(list(entries))
    logs = tuple(log_key(entries[name]) for name in page.get("logs"))
    tables_chosen = tuple(page.get("tables"))
    question = NilQuestion(tables_chosen, logs, page.get("kind"), tuple(state.patterns()))
    if not (tables_chosen or logs):
        states.show_empty("Choose whose nils to look at: fitted curves or a log.", "group")
        return
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        show_curves(question, even(Rules().nil or 0))
    with behind:
        show_point(question, entries)
    show_totals(question)
    show_repeats(page.get("logs"))
    with st.expander("Calibration of the curves", expanded=page.get("scores_open")):
        show_calibration()


def even(worth: int) -> float:
    """The chance above which BIS bids nil, by the chosen threshold."""
    return even_chance(page.get("threshold"), worth)


def _show_sequence_controls() -> None:
    with row():
        turns = dict(enumerate(map(str.capitalize, questions.ORDINALS)))
        hint = "The first to bid has heard no bid; the fourth, the dealer, has heard three."
        page.segments("You bid", "turn", turns, help=hint)
        for place in range(page.get("turn"))[::-1]:
            page.select(
                questions.BIDDERS_BEFORE[place].capitalize(),
                state.PLACES[place],
                BIDS,
                format_func=questions.bid_word,
                width=135,
                help="This seat's bid before yours; any: all its bids together.",
            )
        widgets.show_button(
            "Keep to compare",
            "add",
            page.key("keep"),
            state.add_compared,
            disabled=not state.get_sequence(),
            help="Add these bids to the compared sequences, then choose others.",
        )


def show_source_controls(log_names: Sequence[str]) -> None:
    compared, fitted_tables, logs = st.columns([4, 3, 4], gap="small", vertical_alignment="bottom")
    with compared:
        page.several(
            f"Compare with, up to {state.MAX_COMPARED}",
            "compare",
            state.USUALLY_COMPARED,
            format_func=_sequence_label,
            accept_new_options=True,
            placeholder="Type bids in order, as 3,1",
            max_selections=state.MAX_COMPARED,
            on_change=state.settle_compared,
            help="Bids in order, the last your right opponent's: 3,1. nil or 0 is nil, * any bid.",
        )
    with fitted_tables:
        hint = "Curves, and the nils that they were fitted to. Humans here are simulated."
        page.pills("Fitted curves of", "tables", TABLE_LABELS, help=hint)
    with logs, row():
        hint = "Logs of the Data page: rates without a curve."
        show_logs_control("Nils of logs", log_names, placeholder="None", help=hint)
    for error in st.session_state.pop(page.key("typed_errors"), []):
        show_partial(literal(f"Left out: {error}."))


def show_logs_control(label: str, log_names: Sequence[str], **settings: Any) -> None:
    state.LOGS.control(label, log_names, max_selections=state.MAX_LOGS, **settings)
    show_kind_control()


def show_kind_control() -> None:
    page.select("Bid by", "kind", width=170, help="Who bid, in the logs.")


def _sequence_label(text: str) -> str:
    try:
        return name_of(parse_pattern(text))
    except SpadesError:  # being typed
        return text


def show_curves(question: NilQuestion, even: float) -> None:
    """The chart; a click on a point picks it. ``even``: the chance at which a nil just pays."""
    panel = Panel("nil-curves")
    rates = tables_of(question)[1]
    clicked = panel.figure(
        curve_figure(question, None, even, 520),
        "Lines: fitted curves with 95% bands. Points: the share of nils made in a twentieth of nil "
        f"value, with exact 95% intervals; below: their number. Both are faded under {FEW} nils: a "
        "thin curve's height is that of like bids. Click a point for its rounds."
        + _thin_text(question, rates),
        on_select="rerun",
    )
    panel.export(rates, "points")
    if clicked:
        source, bids, bin_index = clicked[:3]
        page.put("at", bids)
        page.put("bin", int(bin_index))
        for log in question.logs:
            if source == label_of(log.name, question.kind):
                page.put("log", log.name)


def _thin_text(question: NilQuestion, rates: pd.DataFrame) -> str:
    """Where the fitted curves rest on few nils."""
    text = ""
    for table in question.tables:
        label = TABLE_LABELS[table]
        thin = describe_thin(rates[rates["source"] == label], FEW)
        if thin:
            text += f"\n\nThin, under {FEW} nils in a twentieth, of {label}: {literal(thin)}."
    return text


def show_totals(question: NilQuestion) -> None:
    columns = {
        "source": "Nils of",
        "sequence": "Bids before",
        "made": count("Made"),
        "n": count("Nils", "Played out, after these bids, of any nil value."),
        "rate": percent("Share made", "Exact (Clopper-Pearson) 95% interval.", bar=True),
        **tables.ends(),
        "at 0.5": percent("Curve at 0.5", "Chance by the curve of a nil value of 0.5."),
        "at 0.9": percent("Curve at 0.9", "Chance by the curve of a nil value of 0.9."),
    }
    note = ""
    if question.tables:
        fits = ". ".join(_fit_text(table) for table in question.tables)
        note = literal(f"{fits}. Good hands were dealt more often there than by chance.")
    Panel("nil-sequences", "Nils after these bids").table(tables_of(question)[2], columns, note)


def _fit_text(table: str) -> str:
    metadata = load_curves(PATHS[table]).metadata
    what = metadata.get("what", "not recorded")
    rounds = metadata.get("rounds", 0)
    return f"{TABLE_LABELS[table]}: {what}, {rounds:,} rounds ({metadata.get('command', '')})"


def show_repeats(logs: Sequence[str]) -> None:
    """Rounds that are in a log twice, which count once, and rounds that are in several logs."""
    for name in logs:
        tables.show_repeated(n_repeated(name), name)
    for i, n in enumerate(n_shared(logs)):
        if not n:
            continue
        rounds = counted(n, "round is", "rounds are")
        others = " or ".join(logs[:i])
        note = literal(f"Of {logs[i]} {rounds} in {others} too, and so drawn twice.")
        st.caption(f":material/content_copy: {note}")


def show_point(question: NilQuestion, entries: dict) -> None:
    """The point that was clicked or is chosen here, and its rounds."""
    panel = Panel("nil-rounds", "The rounds behind a point")
    if not entries:
        states.show_empty(widgets.NO_LOGS, "inbox")
        return
    labels = {questions.format_bids(pattern): name_of(pattern) for pattern in question.patterns}
    if page.get("at") not in labels:
        page.put("at", next(iter(labels)))
    with panel.question:
        page.select("Bids before", "at", labels, width=190)
        edges = [f"{i / N_VALUE_BINS:.2f}" for i in range(N_VALUE_BINS + 1)]
        bins = {i: f"{low} to {high}" for i, (low, high) in enumerate(pairwise(edges))}
        page.select("Nil value", "bin", bins, width=150)
    pattern = parse_pattern(page.get("at"))
    bin_index = page.get("bin")
    fit_counts = []
    for table in question.tables:
        rates = compute_rates([fitted(table)], [pattern]).iloc[bin_index]
        fit_counts.append(f"{rates['source']} made {rates['made']:,} of {rates['n']:,}")
    sequences = questions.sequences_of(pattern).tolist()
    show_rounds(panel, entries, sequences, bin_index, fit_counts)


def show_rounds(
    panel: Panel,
    entries: dict,
    sequences: list[int],
    bin_index: int | None,
    fit_counts: Sequence[str] = (),
) -> None:
    """The rounds of the log after these bids, each a link to Replay.

    ``bin_index``: of the nil value, None for all; ``fit_counts``: the counts of the fitted tables
    at the same point."""
    kind = page.get("kind")
    log = page.get("log")
    key = log_key(entries[log])
    rounds, n, n_made = rounds_behind(key, tuple(sequences), bin_index, kind)
    bidders = "" if kind == ANY_KIND else f" bid by {KIND_TITLES[kind].lower()}"
    if n:
        answer = f"{counted(n, 'nil')}{bidders} in {log}, {n_made:,} made."
    else:
        answer = f"No such nil{bidders} in {log}."
    panel.answer(literal(answer))
    note = f"The first {len(rounds)} are shown. " if n > len(rounds) else ""
    if fit_counts:
        note += f"Of the fits: {'; '.join(fit_counts)}. Their rounds were counted, not stored."
    if n:
        _show_round_table(panel, rounds, log, note)
    else:
        hint = "No round to open here: choose another nil value or log, or set a bid to any."
        states.show_empty(hint, "inbox")
        show_note(note)


def _show_round_table(panel: Panel, rounds: pd.DataFrame, log: str, note: str) -> None:
    made = rounds["made"].map({True: "made", False: "set"})
    shown = tables.with_links(rounds.assign(log=log, ply=0, made=made))
    columns = {
        **tables.REPLAY_COLUMNS,
        "made": tables.text("Nil", "Made: the seat took no trick."),
        "bids": tables.text("Bids before", "In the order made."),
        "value": number("Nil value", "%.3f"),
        "tricks": number("Tricks", hint="Taken by the nil bidder."),
    }
    shown = shown[["open", "made", *rounds.columns.drop("made")]]
    panel.table(shown, columns, literal(note), height=300)


@widgets.errors_shown()
def show_calibration() -> None:
    """Forecasts of held-out nils: by nil curves, BIS's logistic ones, one curve, the nil value and
    trees."""
    by_table = state.scores()
    panel = Panel("nil-calibration")
    with panel.question:
        _show_controls()
    scores = by_table[page.get("scored")]
    _show_scores(scores, page.get("group"))
    methods = [name for name in METHODS if name in page.get("methods")]
    if not methods:
        states.show_empty("Choose whose forecasts to draw.", "group")
        return
    by = page.get("by")
    if by == "bins":
        _show_bins(panel, nil_scores.calibration_rows(scores, page.get("group"), methods))
    elif by == "strata":
        _show_strata(panel, scores, methods)
    else:
        _show_sequences(panel, scores, methods)


def _show_controls() -> None:
    page.segments("Rounds of", "scored")
    groups = {name: name for name in state.groups_known()}
    groups[ALL] = "every nil"
    hint = "Groups of sequences: by bids before, nils among them, and times the fit saw them."
    page.select("Nils", "group", groups, width=260, help=hint)
    hint = (
        "By nil value: nils of a fifth of the nil value after like bids together. By forecast: "
        "nils of like forecasts together. By sequence: those after the same bids together. The "
        "first and the last go by every nil, whatever the group."
    )
    page.segments("Drawn", "by", help=hint)
    page.pills("Forecasts of", "methods", wrap=True)


def _show_scores(scores: NilScores, group: str) -> None:
    table = nil_scores.score_table(scores)
    rows = table[table["group"] == group]
    n = int(rows["n"].iloc[0])
    share_made = float(rows["share_made"].iloc[0])
    note = (
        f"{n:,} nils of {scores.n_held_out:,} simulated rounds held out, {share_made:.1%} of them "
        f"made; fitted to {scores.n_fitted:,} others ({scores.what}). Intervals: 95%, bootstrap "
        "over rounds."
    )
    rows = rows.assign(method=rows["method"].map(METHODS))
    Panel("nil-scores").table(rows, _SCORE_COLUMNS, literal(note))


def _show_bins(panel: Panel, rows: pd.DataFrame) -> None:
    panel.figure(
        plot_calibration(rows),
        "Above the dotted line more nils are made than predicted. A point: the nils of one "
        f"twentieth of the forecast, with an exact 95% interval; faded under {FEW_FORECASTS} nils.",
    )
    covered = st.column_config.CheckboxColumn("Holds", help="The interval holds the mean forecast.")
    columns = {"method": "Forecast", **_FORECAST_COLUMNS, "is_covered": covered}
    rows = rows.assign(method=rows["method"].map(METHODS))
    panel.table(rows, columns, height=250)


def _show_strata(panel: Panel, scores: NilScores, methods: Sequence[str]) -> None:
    table = nil_scores.stratum_table(scores)
    is_better = table["behind_low"] > 0
    is_worse = table["behind_high"] < 0
    panel.figure(
        plot_calibration(nil_scores.stratum_rows(scores, methods)),
        f"{len(table)} strata: what was heard before, by fifth of the nil value. The nil curves "
        f"predict better than BIS's logistic curves in {is_better.sum()}, worse in "
        f"{is_worse.sum()}, by the 95% interval of the difference in log-loss. Open points: the "
        "interval of the share made does not hold the forecast.",
    )
    columns = {
        "heard": "Heard",
        "values": "Nil value",
        "n": count("Nils", "Held out."),
        "made": count("Made"),
        "rate": percent("Share made"),
        **tables.ends(),
        **{name: percent(label[0].upper() + label[1:]) for name, label in METHODS.items()},
        **tables.with_ends(
            "behind", "Gain", "%+.4f", "Log-loss of BIS's logistic curves less the nil curves'."
        ),
    }
    table["values"] = [nil_scores.nil_values(fifth) for fifth in table["fifth"]]
    panel.table(table[list(columns)], columns, height=320)


def _show_sequences(panel: Panel, scores: NilScores, methods: Sequence[str]) -> None:
    n_rows = len(scores.sequences)
    covered = ", ".join(f"{METHODS[name]} {n}" for name, n in scores.covered.items())
    panel.figure(
        plot_calibration(nil_scores.sequence_rows(scores, methods)),
        f"{n_rows} of the {scores.n_seen} sequences heard, those with at least {scores.least} nils "
        f"held out. Intervals of the share made that hold the mean forecast: {covered} of "
        f"{n_rows}; exact chances would be in {0.95 * n_rows:.0f} or more. Open points: the "
        "interval does not hold the forecast.",
    )
    columns = {
        "bids": tables.text("Bids before", "In the order made; 0: nil."),
        **_FORECAST_COLUMNS,
        **{name: percent(label[0].upper() + label[1:]) for name, label in METHODS.items()},
    }
    table = nil_scores.sequence_table(scores)
    table["bids"] = table["bids"].replace("", "first to bid")
    panel.table(table, columns, height=320)
