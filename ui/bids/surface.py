"""Nils over partner and sum, and the ace of spades by the bids heard."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.bidding.questions import bid_word
from analysis.nil.rates import cell_sequences, compute_cell, compute_surface
from analysis.nil.rounds import AceCounts, compute_aces, count_aces
from analysis.plots.nil import FEW, FEW_IN_CELL, plot_aces, plot_map, plot_surface
from analysis.text_tables import counted
from spades.core.rules import MAX_BID
from ui.bids import state
from ui.bids.curves import (
    fitted,
    label_of,
    show_kind_control,
    show_logs_control,
    show_repeats,
    show_rounds,
)
from ui.bids.state import TABLE_LABELS, page
from ui.shared import states, widgets
from ui.shared.log_in_hand import log_in_hand
from ui.shared.page import draw_again, literal
from ui.shared.panel import Panel
from ui.shared.records import LogKey, log_key, opened, readable_logs
from ui.shared.tables import count, ends, number, percent, text
from ui.shared.widgets import row

CLICKS = {
    "map": "Click a cell to see what is behind it.",
    "surface": "A surface can't be clicked: choose a cell by its bids.",
}


@st.cache_data(max_entries=64, show_spinner=False)
def surface_of(table: str, n_previous: int, value: float) -> pd.DataFrame:
    return compute_surface(fitted(table), n_previous, value)


@st.cache_data(max_entries=32, show_spinner=False)
def aces_of(log: LogKey, n_previous: int, kind: str) -> AceCounts:
    return count_aces(opened(log.name), n_previous, kind)


def show() -> None:
    state.settle()
    entries = readable_logs()
    with row("medium"):
        show_surface_controls()
    heard = page.get("after")
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        show_surface(surface_of(page.get("of"), heard, page.get("value") / 100))
    with behind:
        show_cell(list(entries))
        if entries:
            sequences = cell_sequences(heard, *state.cell()).tolist()
            show_rounds(Panel("nil-rounds"), entries, sequences, None)


def show_surface_controls() -> None:
    page.segments("Curves of", "of", TABLE_LABELS)
    hint = "The third bidder has heard partner and right opponent, the fourth all three."
    page.segments("You bid", "after", help=hint, on_change=state.put_usual_cell)
    page.segments("Chance", "measure")
    page.segments("Drawn as", "form")
    if page.get("measure") == "chance":
        page.rungs(
            "Nil value of the hand",
            "value",
            range(1, 101),
            format_func=lambda percent: f"{percent / 100:.2f}",
            width=240,
        )


def show_surface(rows: pd.DataFrame) -> None:
    panel = Panel("nil-surface")
    measure = page.get("measure")
    form = page.get("form")
    few_are = "faded" if form == "map" else "left out"
    if measure == "chance":
        meaning = f"the curves' chance of a nil of value {page.get('value') / 100:g}"
    else:
        meaning = "the share of nils made, of every nil value"
    reading = literal(
        f"{rows['n'].sum():,} nils of {TABLE_LABELS[page.get('of')]}: {meaning}; cells of fewer "
        f"than {FEW_IN_CELL} nils are {few_are}. {CLICKS[form]}"
    )
    if form == "map":
        figure = plot_map(rows, measure, state.cell())
        _take_click(panel.figure(figure, reading, on_select="rerun"))
    else:
        panel.figure(plot_surface(rows, measure), reading)
    panel.export(rows, "cells")


def _take_click(clicked: tuple | None) -> None:
    if not clicked:
        return
    partner = int(clicked[0])
    total = int(clicked[1])
    if (partner, total) != state.cell():
        page.put("partner", partner)
        page.put("sum", total)
        draw_again()  # this run has framed the previous cell


def show_cell(log_names: Sequence[str]) -> None:
    panel = Panel("nil-cell", "The sequences of a cell")
    with panel.question:
        page.select(
            "Partner's bid",
            "partner",
            range(MAX_BID + 1),
            on_change=state.settle_cell,
            format_func=bid_word,
            width=110,
        )
        page.select("Sum of the bids", "sum", state.cell_sums(), width=120)
        if log_names:
            show_kind_control()
    source = page.get("of")
    value = page.get("value") / 100
    partner, total = state.cell()
    sequences = compute_cell(fitted(source), page.get("after"), partner, total, value)
    n_nils = int(sequences["n"].sum())
    n_made = int(sequences["made"].sum())
    panel.answer(
        f"{counted(len(sequences), 'sequence')} of bids; {TABLE_LABELS[source]} made {n_made:,} of "
        f"{n_nils:,} nils after them."
    )
    columns = {
        "bids": text("Bids before", "In the order made; 0: nil."),
        "made": count("Made"),
        "n": count("Nils", "Of any nil value, in the rounds of the fit."),
        "rate": percent("Share made"),
        **ends(),
        "chance": percent("Curve", "Chance by the curve at the chosen nil value."),
    }
    panel.table(sequences, columns, height=215)
    compared = list(sequences["bids"].iloc[: 1 + state.MAX_COMPARED])
    label = "Curves after these bids"
    if len(compared) < len(sequences):
        label = f"Curves after the {len(compared)} with the most nils"
    key = page.key("compare_cell")
    widgets.show_button(label, "show_chart", key, state.compare_sequences, compared)


def show_aces() -> None:
    """How often a seat holds the ace of spades, by the sum of the bids it has heard."""
    state.settle()
    entries = readable_logs()
    panel = Panel("nil-ace")
    with panel.question:
        in_hand = log_in_hand()
        show_logs_control("Logs", list(entries), placeholder=in_hand, width=460)
        hint = "3: the fourth bidder, as in the paper."
        page.segments("Bids heard", "heard", help=hint)
    if not entries:
        states.show_empty(widgets.NO_LOGS, "inbox")
        return
    kind = page.get("kind")
    heard = page.get("heard")
    counts = []
    logs = page.get("logs") or [in_hand]
    for name in logs:
        aces = aces_of(log_key(entries[name]), heard, kind)
        counts.append((label_of(name, kind), aces))
    rows = compute_aces(counts)
    show_repeats(logs)
    if rows.empty:
        states.show_empty("No such seat in these logs.", "filter_alt_off")
        return
    panel.figure(
        plot_aces(rows),
        f"Of {sum(aces.n_rounds for _, aces in counts):,} seats about to bid, the share that "
        "holds the ace of spades (in joker decks: the high joker), like figure 7 of Cohensius "
        f"2020; 95% exact intervals. Sums heard by fewer than {FEW} seats are faded.",
    )
    columns = {
        "source": "Log",
        "total": number("Sum of bids", hint="A nil counts 0."),
        "n": count("Seats"),
        "held": count("Hold the ace"),
        "rate": percent("Share", bar=True),
        **ends(),
    }
    panel.table(rows, columns, height=300)
