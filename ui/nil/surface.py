"""The Nil page's surface over partner and sum, and the ace of spades by the bids heard."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from analysis.nil.ace import compute_aces
from analysis.nil.rates import compute_cell
from analysis.plots.nil import FEW, FEW_IN_CELL, plot_aces, plot_map, plot_surface
from ui.nil import cached, state
from ui.nil.cached import TABLE_LABELS
from ui.shared.page import draw_again
from ui.shared.records import log_key
from ui.shared.tables import count, ends, number, percent, show_download, show_table, text
from ui.shared.widgets import clicked_data, new_click, show_chart, show_info, show_note

CLICKS = {
    "map": "Click a cell to see what is behind it.",
    "surface": "A surface takes no clicks: choose a cell by its bids.",
}


def show_surface(rows: pd.DataFrame) -> None:
    """The map, of which a click picks a cell, or the surface."""
    measure, form = state.get("measure"), state.get("form")
    is_map = form == "map"
    figure = plot_map(rows, measure, state.cell()) if is_map else plot_surface(rows, measure)
    event = show_chart(figure, "nil_surface", "nil-surface", takes_clicks=is_map)
    if is_map:
        _take_click(event)
    what = (
        f"the curves' chance of a nil of value {state.get('value') / 100:g}, several sequences of "
        "one sum weighted by the nils seen after each"
        if measure == "chance"
        else "the share of nils made, of every nil value (which bids go with which hands is in it)"
    )
    few = "faded" if is_map else "left out"
    show_note(
        f"{rows['n'].sum():,} nils of {TABLE_LABELS[state.get('of')]}: {what}. Read across for "
        "a partner who can cover, up for what all others hold; cells of fewer than "
        f"{FEW_IN_CELL} nils are {few}. {CLICKS[form]}"
    )
    show_download(rows, "nil-surface", "Cells (CSV)")


def _take_click(event: Any) -> None:
    """A new click on a cell becomes the one looked into."""
    clicked = new_click(state.key("clicked_cell"), clicked_data(event))
    if clicked and tuple(map(int, clicked[:2])) != state.cell():
        state.put("partner", int(clicked[0]))
        state.put("sum", int(clicked[1]))
        draw_again()  # the frame was drawn round the cell before


def show_cell() -> None:
    """The sequences of the cell: nils, and the way to their curves."""
    source, value = state.get("of"), state.get("value") / 100
    behind = compute_cell(cached.fitted(source), state.get("after"), *state.cell(), value)
    n, made, n_sequences = int(behind["n"].sum()), int(behind["made"].sum()), len(behind)
    sequences = "1 sequence" if n_sequences == 1 else f"{n_sequences} sequences"
    told = f"{sequences} of bids; {TABLE_LABELS[source]} made {made:,} of {n:,} nils after them."
    show_note(told)
    show_table(
        behind,
        "nil-cell",
        columns={
            "bids": text("Bids before", "In the order made; 0: nil."),
            "n": count("Nils", "Of every nil value, in the fit's rounds."),
            "made": count("Made"),
            "rate": percent("Share made"),
            **ends(),
            "chance": percent("Curve", "Chance by the curve at the nil value chosen."),
        },
        height=215,
    )
    shown = list(behind["bids"].iloc[: 1 + state.MAX_COMPARED])
    is_all = n_sequences <= len(shown)
    st.button(
        f"Curves after {'these bids' if is_all else f'the {len(shown)} with the most nils'}",
        icon=":material/show_chart:",
        key=state.key("compare_cell"),
        on_click=state.compare_sequences,
        args=(shown,),
    )


def show_aces(entries: dict) -> None:
    """How often a seat holds the ace of spades, by the sum of the bids it has heard."""
    kind, counts = state.get("kind"), []
    for name in state.shown_logs():
        found = cached.aces_of(log_key(entries[name]), state.get("heard"), kind)
        counts.append((cached.label_of(name, kind), found))
    rows = compute_aces(counts)
    if rows.empty:
        show_info("No such seat in these logs.", "filter_alt_off")
        return
    show_chart(plot_aces(rows), "nil_aces", "nil-ace")
    st.caption(
        f"Of {sum(found.n_rounds for _, found in counts):,} seats about to bid, the share that "
        "holds the ace of spades (in joker decks: the high joker), by the sum of the bids it has "
        f"heard; 95 % exact intervals. Sums heard by fewer than {FEW} seats are faded. The "
        "more the others bid, the safer a blind nil. Cohensius 2020, figure 7, shows the fourth "
        "bidder of several million games; the paper prints no figures for it."
    )
    show_table(
        rows,
        "nil-ace",
        columns={
            "source": "Log",
            "total": number("Sum of bids", told="A nil counts 0."),
            "n": count("Seats"),
            "held": count("Hold the ace"),
            "rate": percent("Share", bar=True),
            **ends(),
        },
        height=300,
    )
