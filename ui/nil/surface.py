"""The Nil page's surface over partner and sum, and the ace of spades by the bids heard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.sequences import bid_word
from analysis.plots.nil import FEW as FEW_SEATS
from analysis.plots.nil_surface import FEW, MEASURES
from spades.core.rules import MAX_BID
from ui.nil import state
from ui.nil.controls import TABLE_LABELS, show_kind_control
from ui.nil.curves import count, percent
from ui.shared.page import chart_config, draw_again, literal
from ui.shared.tables import show_download, show_table

CHART = "nil_surface"
CLICKS = {
    "map": "Click a cell to see what is behind it.",
    "surface": "A surface takes no clicks: choose a cell by its bids.",
}
FORMS = {"map": "Map", "surface": "Surface"}


def show_surface_controls() -> None:
    """Which curves, after how many bids, at which nil value, drawn how."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Curves of", state.TABLES, key=state.key("of"), format_func=TABLE_LABELS.get,
            required=True,
        )  # fmt: skip
        st.segmented_control(
            "You bid", (2, 3), key=state.key("after"), required=True,
            format_func={2: "Third", 3: "Fourth"}.get, on_change=state.put_usual_cell,
            help="The third bidder has heard partner and right opponent, the fourth all three.",
        )  # fmt: skip
        st.segmented_control(
            "Chance", list(MEASURES), key=state.key("measure"), required=True,
            format_func=MEASURES.get,
        )  # fmt: skip
        st.segmented_control(
            "Drawn as", list(FORMS), key=state.key("form"), required=True, format_func=FORMS.get
        )
        if state.get("measure") == "chance":
            st.slider("Nil value of the hand", 1, 100, key=state.key("value"), format="%d %%",
                      width=240)  # fmt: skip


def show_surface(rows: pd.DataFrame, figure: Figure) -> None:
    """The map, of which a click picks a cell, or the surface."""
    event: Any = st.plotly_chart(
        figure,
        width="stretch",
        key=CHART,
        on_select="rerun" if state.get("form") == "map" else "ignore",
        selection_mode="points",
        config=chart_config("nil-surface"),
    )
    if state.get("form") == "map":
        _take_click(event)
    who = TABLE_LABELS[state.get("of")]
    what = (
        f"the curves' chance of a nil of value {state.get('value') / 100:g}, several sequences of "
        "one sum weighted by the nils seen after each"
        if state.get("measure") == "chance"
        else "the share of nils made, of every nil value (which bids go with which hands is in it)"
    )
    form = state.get("form")
    few = "faded" if form == "map" else "left out"
    st.caption(
        literal(
            f"{rows['n'].sum():,} nils of {who}: {what}. Read across for a partner who can cover, "
            f"up for what all others hold; cells of fewer than {FEW} nils are {few}. {CLICKS[form]}"
        )
    )
    show_download(rows, "nil-surface", "Cells (CSV)")


def _take_click(event: Any) -> None:
    """A new click on a cell becomes the one looked into; an old one stays old."""
    points = event["selection"]["points"] if event else []
    data = points[0].get("customdata") if points else None
    if not data:
        state.put("clicked_cell", None)
        return
    clicked = tuple(int(data[str(i)] if isinstance(data, dict) else data[i]) for i in range(2))
    if clicked != st.session_state.get(state.key("clicked_cell")):
        state.put("clicked_cell", clicked)
        if clicked != (state.get("cell_partner"), state.get("cell_sum")):
            state.put("cell_partner", clicked[0])
            state.put("cell_sum", clicked[1])
            draw_again()  # the frame was drawn round the cell before


def show_cell_controls(log_names: Sequence[str]) -> None:
    """Which cell: for keyboards, and to see what was clicked; and in which log to look."""
    st.markdown("**What is behind a cell**")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Partner's bid", range(MAX_BID + 1), key=state.key("cell_partner"),
            format_func=bid_word, on_change=state.settle_cell, width=110,
        )  # fmt: skip
        st.selectbox(
            "Sum of the bids", state.cell_sums(), key=state.key("cell_sum"), width=120,
        )  # fmt: skip
        if log_names:
            st.selectbox("Log", log_names, key=state.key("log"), width=190)
            show_kind_control()


def show_cell(behind: pd.DataFrame) -> None:
    """The sequences of the cell: nils, and the way to their curves."""
    n, made = int(behind["n"].sum()), int(behind["made"].sum())
    who, n_sequences = TABLE_LABELS[state.get("of")], len(behind)
    sequences = "1 sequence" if n_sequences == 1 else f"{n_sequences} sequences"
    st.caption(literal(f"{sequences} of bids; {who} made {made:,} of {n:,} nils after them."))
    show_table(
        behind,
        "nil-cell",
        columns={
            "bids": st.column_config.TextColumn("Bids before", help="In the order made; 0: nil."),
            "n": count("Nils", "Of every nil value, in the fit's rounds."),
            "made": count("Made"),
            "rate": percent("Share made"),
            "low": percent("95 % from"),
            "high": percent("to"),
            "chance": percent("Curve", "Chance by the curve at the nil value chosen."),
        },
        height=215,
    )
    shown = list(behind["bids"].iloc[: 1 + state.MAX_COMPARED])
    st.button(
        "Curves after these bids" if n_sequences <= len(shown) else
        f"Curves after the {len(shown)} with the most nils",
        icon=":material/show_chart:",
        key=state.key("compare_cell"),
        on_click=state.compare_sequences,
        args=(shown,),
    )  # fmt: skip


def show_ace_controls(log_names: Sequence[str]) -> None:
    """Which logs, whose bids, and how many of them."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.multiselect(
            "Logs", log_names, key=state.key("logs"), max_selections=state.MAX_LOGS, width=460,
            placeholder=f"The first {state.MAX_LOGS}",
        )  # fmt: skip
        show_kind_control()
        st.segmented_control(
            "Bids heard", (1, 2, 3), key=state.key("heard"), required=True,
            help="3: the fourth bidder, as in the paper.",
        )  # fmt: skip


def show_aces(rows: pd.DataFrame, n_seats: int, figure: Figure) -> None:
    st.plotly_chart(figure, width="stretch", key="nil_aces", config=chart_config("nil-ace"))
    st.caption(
        f"Of {n_seats:,} seats about to bid, the share that holds the ace of spades (in joker "
        "decks: the high joker), by the sum of the bids it has heard; 95 % exact intervals. Sums "
        f"heard by fewer than {FEW_SEATS} seats are faded. The "
        "more the others bid, the safer a blind nil. Cohensius 2020, figure 7, shows the fourth "
        "bidder of several million games; the paper prints no figures for it."
    )
    show_table(
        rows,
        "nil-ace",
        columns={
            "source": "Log",
            "total": st.column_config.NumberColumn("Sum of bids", help="A nil counts 0."),
            "n": count("Seats"),
            "held": count("Hold the ace"),
            "rate": percent("Share", bar=True),
            "low": percent("95 % from"),
            "high": percent("to"),
        },
        height=300,
    )
