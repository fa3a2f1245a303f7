"""The Nil page's panel on forecasts of nils held out: scores, calibration, single sequences."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.nil.foretold import ALL, METHODS, NilScores, SequenceScores
from analysis.plots.nil import FEW_FORECASTS
from ui.nil import state
from ui.nil.controls import TABLE_LABELS
from ui.nil.curves import count, percent
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_table

BY = {"bins": "By forecast", "sequences": "By sequence"}
_MEASURES = {
    "log_loss": ("Log-loss", "%.4f", "Nats a nil; the less the better."),
    "brier": ("Brier score", "%.4f", "Mean squared error of the forecast; the less the better."),
    "ece": (
        "ECE",
        "%.4f",
        "Expected calibration error: mean distance of forecast and share made over 20 bins of the "
        "forecast. Above 0 by chance where nils are few.",
    ),
}


def group_label(name: str) -> str:
    return "every nil" if name == ALL else name


def show_controls(groups: list[str]) -> None:
    """Whose rounds, which sequences, and whose forecasts are drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "Rounds of", state.TABLES, key=state.key("scored"), format_func=TABLE_LABELS.get,
            required=True,
        )  # fmt: skip
        st.selectbox(
            "Nils", groups, key=state.key("group"), format_func=group_label, width=260,
            help="Groups of sequences: by how many bids came before, nils among them, and how "
            "often the fit had seen them.",
        )  # fmt: skip
        st.segmented_control(
            "Drawn", list(BY), key=state.key("by"), format_func=BY.get, required=True,
            help="By forecast: nils of like forecasts together. By sequence: those after the same "
            "bids together, whatever their group.",
        )  # fmt: skip
        st.pills(
            "Forecasts of", list(METHODS), selection_mode="multi", key=state.key("methods"),
            format_func=METHODS.get, wrap=True,
        )  # fmt: skip


def show_scores(rows: pd.DataFrame, scores: NilScores) -> None:
    """Log-loss, Brier score and calibration error of every method."""
    n, made = int(rows["n"].iloc[0]), float(rows["share_made"].iloc[0])
    st.caption(
        literal(
            f"{n:,} nils of {scores.n_held_out:,} simulated rounds held out, {made:.1%} of them "
            f"made; the curves and the trees were fitted on {scores.n_fitted:,} others "
            f"({scores.what}). Intervals: 95 %, bootstrap over rounds. The raw nil value is no "
            "chance, it is only taken for one here."
        )
    )
    columns: dict = {
        "group": None,
        "method": "Forecast",
        "n": count("Nils", "Held out."),
        "share_made": None,
    }
    for name, (label, form, told) in _MEASURES.items():
        columns |= _with_interval(name, label, form, told)
    columns |= _with_interval(
        "behind", "Log-loss behind the curves", "%+.4f", "Above 0: the curves foretell better."
    )
    show_table(rows.assign(method=rows["method"].map(METHODS)), "nil-scores", columns=columns)


def _with_interval(name: str, label: str, form: str, told: str) -> dict:
    number = st.column_config.NumberColumn
    return {
        name: number(label, format=form, help=told),
        f"{name}_low": number("95 % from", format=form),
        f"{name}_high": number("to", format=form),
    }


def show_chart(figure: Figure) -> None:
    st.plotly_chart(
        figure, width="stretch", key="nil_foretold", config=chart_config("nil-calibration")
    )


def show_bins(rows: pd.DataFrame) -> None:
    """The bins that are drawn."""
    st.caption(
        "On the dotted line as many nils are made as were foretold; above it more. A point: the "
        "nils whose forecasts lie in one twentieth, at their mean forecast, with an exact 95 % "
        f"interval; faded under {FEW_FORECASTS} nils."
    )
    show_table(
        rows.assign(method=rows["method"].map(METHODS)),
        "nil-calibration",
        columns={"method": "Forecast", **_COUNTED, "is_covered": _COVERED},
        height=250,
    )


_COVERED = st.column_config.CheckboxColumn("Holds", help="The interval holds the mean forecast.")
_COUNTED = {
    "forecast": percent("Mean forecast"),
    "n": count("Nils"),
    "made": count("Made"),
    "rate": percent("Share made"),
    "low": percent("95 % from"),
    "high": percent("to"),
}


def show_sequences(table: pd.DataFrame, found: SequenceScores, scores: NilScores) -> None:
    """How many intervals hold the forecasts, and every sequence."""
    n_rows = len(found.rows)
    held = ", ".join(f"{METHODS[name]} {k}" for name, k in found.covered.items())
    st.caption(
        literal(
            f"{n_rows} of the {found.seen} sequences heard, those with at least {found.least} nils "
            f"held out: {found.n_nils:,} of {scores.n_held_out:,}. Intervals of the share made "
            f"that hold the mean forecast: {held} of {n_rows}; chances known exactly would be held "
            f"by {0.95 * n_rows:.0f} or somewhat more. Open points: the interval does not hold it."
        )
    )
    methods = {name: percent(label[0].upper() + label[1:]) for name, label in METHODS.items()}
    show_table(
        table.assign(bids=table["bids"].where(table["bids"] != "", "first to bid")),
        "nil-sequence-scores",
        columns={
            "bids": st.column_config.TextColumn("Bids before", help="In the order made; 0: nil."),
            **_COUNTED,
            **methods,
        },
        height=320,
    )
