"""The Nil page's surface over partner and sum, and the ace of spades by the bids heard."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding.questions import bid_word
from analysis.nil.rates import compute_cell, compute_surface
from analysis.nil.rounds import AceCounts, compute_aces, count_aces
from analysis.plots.nil import FEW, FEW_IN_CELL, plot_aces, plot_map, plot_surface
from spades.core.rules import MAX_BID
from ui.nil import state
from ui.nil.curves import fitted, label_of, show_kind_control, show_logs_control, show_repeats
from ui.nil.state import TABLE_LABELS, page
from ui.shared import widgets
from ui.shared.page import draw_again
from ui.shared.records import LogKey, log_key, opened
from ui.shared.tables import count, ends, number, percent, show_download, show_table, text
from ui.shared.widgets import row, show_chart, show_note

CLICKS = {
    "map": "Click a cell to see what is behind it.",
    "surface": "A surface takes no clicks: choose a cell by its bids.",
}


@st.cache_data(max_entries=64, show_spinner=False)
def surface_of(table: str, n_previous: int, value: float) -> pd.DataFrame:
    return compute_surface(fitted(table), n_previous, value)


@st.cache_data(max_entries=32, show_spinner=False)
def aces_of(log: LogKey, n_previous: int, kind: str) -> AceCounts:
    return count_aces(opened(log.name), n_previous, kind)


def show_surface_controls() -> None:
    with row("medium"):
        page.segments("Curves of", "of", TABLE_LABELS)
        hint = "The third bidder has heard partner and right opponent, the fourth all three."
        page.segments("You bid", "after", help=hint, on_change=state.put_usual_cell)
        page.segments("Chance", "measure")
        page.segments("Drawn as", "form")
        if page.get("measure") == "chance":
            look = {"format_func": lambda percent: f"{percent / 100:.2f}", "width": 240}
            page.rungs("Nil value of the hand", "value", range(1, 101), **look)


def show_surface(rows: pd.DataFrame) -> None:
    measure, form = page.get("measure"), page.get("form")
    is_map = form == "map"
    figure = plot_map(rows, measure, state.cell()) if is_map else plot_surface(rows, measure)
    event = show_chart(figure, "nil_surface", "nil-surface", on_select=is_map and "rerun")
    if is_map:
        _take_click(event)
    what = "the share of nils made, of every nil value"
    if measure == "chance":
        what = f"the curves' chance of a nil of value {page.get('value') / 100:g}"
    few = "faded" if is_map else "left out"
    show_note(
        f"{rows['n'].sum():,} nils of {TABLE_LABELS[page.get('of')]}: {what}; cells of fewer than "
        f"{FEW_IN_CELL} nils are {few}. {CLICKS[form]}"
    )
    show_download(rows, "nil-surface", "Cells (CSV)")


def _take_click(event: Any) -> None:
    clicked = widgets.new_click(page.key("clicked_cell"), widgets.clicked_data(event))
    if clicked and tuple(map(int, clicked[:2])) != state.cell():
        page.put("partner", int(clicked[0]))
        page.put("sum", int(clicked[1]))
        draw_again()  # the frame was drawn round the cell before


def show_cell(log_names: Sequence[str]) -> None:
    st.markdown("**What is behind a cell**")
    with row():
        look = {"on_change": state.settle_cell, "format_func": bid_word, "width": 110}
        page.select("Partner's bid", "partner", range(MAX_BID + 1), **look)
        page.select("Sum of the bids", "sum", state.cell_sums(), width=120)
        if log_names:
            page.select("Log", "log", log_names, width=190)
            show_kind_control()
    source, value = page.get("of"), page.get("value") / 100
    behind = compute_cell(fitted(source), page.get("after"), *state.cell(), value)
    n, made, n_sequences = int(behind["n"].sum()), int(behind["made"].sum()), len(behind)
    sequences = "1 sequence" if n_sequences == 1 else f"{n_sequences} sequences"
    hint = f"{sequences} of bids; {TABLE_LABELS[source]} made {made:,} of {n:,} nils after them."
    show_note(hint)
    columns = {
        "bids": text("Bids before", "In the order made; 0: nil."), "made": count("Made"),
        "n": count("Nils", "Of every nil value, in the fit's rounds."),
        "rate": percent("Share made"), **ends(),
        "chance": percent("Curve", "Chance by the curve at the nil value chosen."),
    }  # fmt: skip
    show_table(behind, "nil-cell", columns, height=215)
    shown = list(behind["bids"].iloc[: 1 + state.MAX_COMPARED])
    is_all = n_sequences <= len(shown)
    label = f"Curves after {'these bids' if is_all else f'the {len(shown)} with the most nils'}"
    call = (page.key("compare_cell"), state.compare_sequences, shown)
    widgets.show_button(label, "show_chart", *call)


def show_aces(entries: dict) -> None:
    """How often a seat holds the ace of spades, by the sum of the bids it has heard."""
    with row():
        first = f"The first {state.MAX_LOGS}"
        show_logs_control("Logs", list(entries), placeholder=first, width=460)
        hint = "3: the fourth bidder, as in the paper."
        page.segments("Bids heard", "heard", help=hint)
    if not entries:
        widgets.show_info(widgets.NO_LOGS, "inbox")
        return
    kind, heard = page.get("kind"), page.get("heard")
    counts = [
        (label_of(name, kind), aces_of(log_key(entries[name]), heard, kind))
        for name in page.get("logs")
    ]
    rows = compute_aces(counts)
    show_repeats(page.get("logs"))
    if rows.empty:
        widgets.show_info("No such seat in these logs.", "filter_alt_off")
        return
    show_chart(plot_aces(rows), "nil_aces", "nil-ace")
    st.caption(
        f"Of {sum(found.n_rounds for _, found in counts):,} seats about to bid, the share that "
        "holds the ace of spades (in joker decks: the high joker), as figure 7 of Cohensius 2020; "
        f"95% exact intervals. Sums heard by fewer than {FEW} seats are faded."
    )
    columns = {
        "source": "Log", "total": number("Sum of bids", hint="A nil counts 0."),
        "n": count("Seats"), "held": count("Hold the ace"),
        "rate": percent("Share", bar=True), **ends(),
    }  # fmt: skip
    show_table(rows, "nil-ace", columns, height=300)
