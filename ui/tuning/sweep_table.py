"""The table of a sweep's settings: every number with its interval; a row can be picked."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

COLUMNS = {
    "label": ("Setting", "text", ""),
    "accuracy_all": (
        "Accuracy, all plays",
        "percent",
        "Share of all plays in which its card is the human's; forced plays are always right.",
    ),
    "accuracy": (
        "Accuracy, choices",
        "percent",
        "The same of plays with a choice of cards.",
    ),
    "decisions": ("Decisions", "localized", "Held-out plays with a choice, the same for all."),
    "gain": ("Gain", "percent", "Accuracy over the unbiased search's on the same decisions."),
    "kl": ("KL", "%.4f", "KL(humans ‖ agent) of 32 abstract moves, nats."),
    "kl_chance": ("KL by chance", "%.4f", "What two samples of one style and these sizes show."),
    "rounds": ("Rounds", "localized", "In the human's seat, for KL."),
    "win_rate": (
        "Win rate",
        "percent",
        "Against the unbiased search, whose own is 50 %.",
    ),
    "games": ("Games", "localized", "On common deals, each played twice with sides swapped."),
    "points": ("Points a round", "%+.1f", "More than the unbiased search."),
    "ms": ("ms a move", "%.2f", "On decisions with a choice."),
    "time_ratio": ("Time ×", "%.2f", "Relative to the unbiased search, in the same run."),
    "model_calls": ("Model calls", "%.1f", "A move."),
    "iterations": ("Iterations", "localized", "A move; at equal time as measured here."),
}
WITH_INTERVAL = ("accuracy_all", "accuracy", "gain", "kl", "win_rate", "points", "time_ratio")


def show_settings(table: pd.DataFrame, name: str, *, on_pick: Callable[[list[int]], None]) -> None:
    """All settings; a click on a row calls ``on_pick`` with its place."""
    shown, config = pd.DataFrame(index=table.index), {}
    for column, (label, form, told) in COLUMNS.items():
        shown[column] = table[column]
        if form == "text":
            config[column] = st.column_config.TextColumn(label, width=430)
        else:
            config[column] = st.column_config.NumberColumn(label, format=form, help=told or None)
        if column in WITH_INTERVAL:
            shown[f"{column}_range"] = _ranges(table, column, form)
            config[f"{column}_range"] = st.column_config.TextColumn(f"{label}, 95 %")
    key = f"tuning_rows_{name}"

    def picked() -> None:
        on_pick(st.session_state[key]["selection"]["rows"])

    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        column_config=config,
        on_select=picked,
        selection_mode="single-row",
        key=key,
    )


def _ranges(table: pd.DataFrame, name: str, form: str) -> list[str]:
    """Intervals as text, empty where there is none."""
    return [
        "" if pd.isna(low) else f"{_text(low, form)} to {_text(high, form)}"
        for low, high in zip(table[f"{name}_low"], table[f"{name}_high"], strict=True)
    ]


def _text(value: float, form: str) -> str:
    return f"{value:.1%}" if form == "percent" else form % value
