"""The Nil page's panel on forecasts of nils held out: scores, calibration, single sequences."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from analysis.nil.calibration import NilScoresError
from analysis.nil.foretold import (
    ALL,
    METHODS,
    NilScores,
    calibration_rows,
    score_table,
    sequence_rows,
    sequence_table,
)
from analysis.plots.nil import FEW_FORECASTS, plot_calibration
from spades.bidding.curves import COMMAND
from ui.nil import cached, state
from ui.nil.cached import TABLE_LABELS
from ui.shared.tables import count, ends, percent, show_table, text, with_ends
from ui.shared.widgets import (
    pills,
    row,
    segments,
    select,
    show_chart,
    show_error,
    show_info,
    show_note,
)

BY = {"bins": "By forecast", "sequences": "By sequence"}
REMAKE = f"The stored scores have no {{}} yet: {COMMAND} makes them anew, with these."
_COUNTED = {
    "forecast": percent("Mean forecast"),
    "n": count("Nils"),
    "made": count("Made"),
    "rate": percent("Share made"),
    **ends(),
}
_SCORES = {
    "group": None,
    "method": "Forecast",
    "n": count("Nils", "Held out."),
    "share_made": None,
    **with_ends("log_loss", "Log-loss", "%.4f", "Nats a nil; the less the better."),
    **with_ends(
        "brier", "Brier score", "%.4f", "Mean squared error of the forecast; the less the better."
    ),
    **with_ends(
        "ece",
        "ECE",
        "%.4f",
        "Expected calibration error: mean distance of forecast and share made over 20 bins of the "
        "forecast. Above 0 by chance where nils are few.",
    ),
    **with_ends(
        "behind", "Log-loss behind the curves", "%+.4f", "Above 0: the curves foretell better."
    ),
}


def show_foretold() -> None:
    """Forecasts of nils held out: of the curves, of one curve, of the nil value and of trees."""
    try:
        found = cached.scores()
    except NilScoresError as error:
        show_error(error)
        return
    _show_controls()
    mine = found[state.get("scored")]
    _show_scores(mine)
    methods = [name for name in METHODS if name in state.get("methods")]
    if not methods:
        show_info("Choose whose forecasts to draw.", "group")
    elif state.get("by") == "bins":
        _show_bins(calibration_rows(mine, state.get("group"), methods))
    elif mine.sequences is None:
        show_info(REMAKE.format("single sequences"), "inbox")
    else:
        _show_calibration(sequence_rows(mine, methods))
        _show_sequences(mine)


def _show_controls() -> None:
    """Whose rounds, which sequences, and whose forecasts are drawn."""
    with row():
        segments("Rounds of", TABLE_LABELS, state.key("scored"))
        select(
            "Nils",
            {name: "every nil" if name == ALL else name for name in cached.groups_known()},
            state.key("group"),
            width=260,
            help="Groups of sequences: by how many bids came before, nils among them, and how "
            "often the fit had seen them.",
        )
        segments(
            "Drawn",
            BY,
            state.key("by"),
            help="By forecast: nils of like forecasts together. By sequence: those after the same "
            "bids together, whatever their group.",
        )
        pills("Forecasts of", METHODS, state.key("methods"), wrap=True)


def _show_scores(scores: NilScores) -> None:
    """Log-loss, Brier score and calibration error of every method."""
    table = score_table(scores)
    rows = table[table["group"] == state.get("group")]
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
    if rows.empty:
        show_info(REMAKE.format("bins of this group"), "inbox")
        return
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
    found, table = scores.sequences, sequence_table(scores)
    assert found is not None
    n_rows = len(found.rows)
    held = ", ".join(f"{METHODS[name]} {k}" for name, k in found.covered.items())
    show_note(
        f"{n_rows} of the {found.seen} sequences heard, those with at least {found.least} nils "
        f"held out: {found.n_nils:,} of {scores.n_held_out:,}. Intervals of the share made "
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
