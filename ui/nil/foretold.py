"""The Nil page's panel on forecasts of nils held out: scores, calibration, single sequences."""

import pandas as pd
import streamlit as st

from analysis.nil.scores import (
    ALL,
    METHODS,
    NilScores,
    NilScoresError,
    calibration_rows,
    score_table,
    sequence_rows,
    sequence_table,
)
from analysis.plots.nil import FEW_FORECASTS, plot_calibration
from ui.nil import state
from ui.nil.state import page
from ui.shared.tables import count, ends, percent, show_table, text, with_ends
from ui.shared.widgets import row, show_chart, show_error, show_info, show_note

ECE = (
    "Expected calibration error: mean distance of forecast and share made over 20 bins of the "
    "forecast. Above 0 by chance where nils are few."
)
_COUNTED = {
    "forecast": percent("Mean forecast"), "n": count("Nils"), "made": count("Made"),
    "rate": percent("Share made"), **ends(),
}  # fmt: skip
_SCORES = {
    "group": None, "share_made": None, "method": "Forecast", "n": count("Nils", "Held out."),
    **with_ends("log_loss", "Log-loss", "%.4f", "Nats a nil; the less the better."),
    **with_ends("brier", "Brier score", "%.4f", "Mean squared error; the less the better."),
    **with_ends("ece", "ECE", "%.4f", ECE),
    **with_ends("behind", "Log-loss behind the curves", "%+.4f",
                "Above 0: the curves foretell better."),
}  # fmt: skip


def show_foretold() -> None:
    """Forecasts of nils held out: of the curves, of one curve, of the nil value and of trees."""
    try:
        found = state.scores()
    except NilScoresError as error:
        show_error(error)
        return
    _show_controls()
    scores, group = found[page.get("scored")], page.get("group")
    _show_scores(scores, group)
    methods = [name for name in METHODS if name in page.get("methods")]
    if not methods:
        show_info("Choose whose forecasts to draw.", "group")
    elif page.get("by") == "bins":
        _show_bins(calibration_rows(scores, group, methods))
    else:
        _show_calibration(sequence_rows(scores, methods))
        _show_sequences(scores)


def _show_controls() -> None:
    """Whose rounds, which sequences, and whose forecasts are drawn."""
    with row():
        page.segments("Rounds of", "scored")
        groups = {name: "every nil" if name == ALL else name for name in state.groups_known()}
        told = "Groups of sequences: by bids before, nils among them, and times the fit saw them."
        page.select("Nils", "group", groups, width=260, help=told)
        told = "By forecast: nils of like forecasts together. By sequence: those after the same "
        page.segments("Drawn", "by", help=told + "bids together, whatever their group.")
        page.pills("Forecasts of", "methods", wrap=True)


def _show_scores(scores: NilScores, group: str) -> None:
    """Log-loss, Brier score and calibration error of every method."""
    table = score_table(scores)
    rows = table[table["group"] == group]
    n, made = int(rows["n"].iloc[0]), float(rows["share_made"].iloc[0])
    show_note(
        f"{n:,} nils of {scores.n_held_out:,} simulated rounds held out, {made:.1%} of them "
        f"made; the curves and the trees were fitted on {scores.n_fitted:,} others "
        f"({scores.what}). Intervals: 95 %, bootstrap over rounds. The raw nil value is no "
        "chance, it is only taken for one here."
    )
    show_table(rows.assign(method=rows["method"].map(METHODS)), "nil-scores", columns=_SCORES)


def _show_calibration(rows: pd.DataFrame) -> None:
    show_chart(plot_calibration(rows), "nil_foretold", "nil-calibration")


def _show_bins(rows: pd.DataFrame) -> None:
    """Nils of like forecasts together."""
    _show_calibration(rows)
    st.caption(
        "On the dotted line as many nils are made as were foretold; above it more. A point: the "
        "nils whose forecasts lie in one twentieth, at their mean forecast, with an exact 95 % "
        f"interval; faded under {FEW_FORECASTS} nils."
    )
    covered = st.column_config.CheckboxColumn("Holds", help="The interval holds the mean forecast.")
    show_table(
        rows.assign(method=rows["method"].map(METHODS)),
        "nil-calibration",
        columns={"method": "Forecast", **_COUNTED, "is_covered": covered},
        height=250,
    )


def _show_sequences(scores: NilScores) -> None:
    """How many intervals hold the forecasts, and every sequence."""
    table, n_rows = sequence_table(scores), len(scores.sequences)
    held = ", ".join(f"{METHODS[name]} {k}" for name, k in scores.covered.items())
    show_note(
        f"{n_rows} of the {scores.n_seen} sequences heard, those with at least {scores.least} nils "
        f"held out: {table['n'].sum():,} of {scores.n_held_out:,}. Intervals of the share made "
        f"that hold the mean forecast: {held} of {n_rows}; chances known exactly would be held "
        f"by {0.95 * n_rows:.0f} or somewhat more. Open points: the interval does not hold it."
    )
    show_table(
        table.assign(bids=table["bids"].where(table["bids"] != "", "first to bid")),
        "nil-sequence-scores",
        columns={
            "bids": text("Bids before", "In the order made; 0: nil."),
            **_COUNTED,
            **{name: percent(label[0].upper() + label[1:]) for name, label in METHODS.items()},
        },
        height=320,
    )
