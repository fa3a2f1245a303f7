"""The sweeps that the Tuning page shows: read once, run as jobs, and as a table of settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from analysis.runs.jobs import Job
from analysis.runs.store import ResultStore
from analysis.sweeps.library import Listed, list_sweeps, shipped_files
from analysis.sweeps.measures import hold_out
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import SETTING, SWEEP, SweepPlan
from analysis.sweeps.views import view_table
from spades.core.behaviour import behaviour_of_searches
from spades.notation.log_store import open_log
from ui.shared.jobs import WORKERS, job_book
from ui.shared.tables import number, text

COLUMNS = {
    "label": ("Setting", "", ""),
    "accuracy_all": (
        "Accuracy, all plays",
        "percent",
        "Share of all plays in which its card is the human's; forced plays are always right.",
    ),
    "accuracy": ("Accuracy, choices", "percent", "The same of plays with a choice of cards."),
    "decisions": ("Decisions", "localized", "Held-out plays with a choice, the same for all."),
    "gain": ("Gain", "percent", "Accuracy over the unbiased search's on the same decisions."),
    "kl": ("KL", "%.4f", "KL(humans ‖ agent) of 32 abstract moves, nats."),
    "kl_chance": ("KL by chance", "%.4f", "What two samples of one style and these sizes show."),
    "rounds": ("Rounds", "localized", "In the human's seat, for KL."),
    "win_rate": ("Win rate", "percent", "Against the unbiased search, whose own is 50 %."),
    "games": ("Games", "localized", "On common deals, each played twice with sides swapped."),
    "points": ("Points a round", "%+.1f", "More than the unbiased search."),
    "ms": ("ms a move", "%.2f", "On decisions with a choice."),
    "time_ratio": ("Time ×", "%.2f", "Relative to the unbiased search, in the same run."),
    "model_calls": ("Model calls", "%.1f", "A move."),
    "iterations": ("Iterations", "localized", "A move; at equal time as measured here."),
}
WITH_INTERVAL = ("accuracy_all", "accuracy", "gain", "kl", "win_rate", "points", "time_ratio")


def stamp() -> tuple[Any, ...]:
    """Changes when a setting has been measured or a sweep begun."""
    store = ResultStore()
    return store.stamp(SETTING), store.stamp(SWEEP)


def sweeps() -> dict[str, Listed]:
    """All sweeps by their id."""
    files = tuple((path.name, path.stat().st_mtime_ns) for path in shipped_files())
    return _sweeps(stamp(), files, behaviour_of_searches())


@st.cache_resource(max_entries=2, show_spinner=False)
def _sweeps(results: tuple, files: tuple, version: str) -> dict[str, Listed]:
    return {one.id: one for one in list_sweeps()}


@st.cache_data(max_entries=8, show_spinner="Counting the log's humans ...")
def held_out_counts(log: str, content: str) -> tuple[int, int]:
    """Decisions with a choice, and rounds, that humans played in a log; ``content``: its hash."""
    held = hold_out(open_log(log), seed=0)
    return len(held.choices), len(held.rounds)


@st.cache_data(max_entries=8, show_spinner=False)
def settings_of(document: dict[str, Any]) -> pd.DataFrame:
    return view_table(document)


def start_sweep(plan: SweepPlan) -> None:
    def work(job: Job) -> None:
        run_sweep(plan, workers=WORKERS, tell=job.tell, is_cancelled=lambda: job.is_stopping)

    title = f"{plan.title or plan.name}, {len(plan.settings)} settings"
    job_book().start(title, work, subject=plan.key)


def is_under_way(plan: SweepPlan) -> bool:
    return job_book().under_way(plan.key) is not None


def show_settings(table: pd.DataFrame, name: str, *, on_pick: Callable[[list[int]], None]) -> None:
    """Every number of all settings with its interval; a click on a row calls ``on_pick``."""
    shown, config = pd.DataFrame(index=table.index), {}
    for column, (label, form, told) in COLUMNS.items():
        shown[column] = table[column]
        config[column] = number(label, form, told) if form else text(label, width=430)
        if column in WITH_INTERVAL:
            shown[f"{column}_range"] = _ranges(table, column, form)
            config[f"{column}_range"] = text(f"{label}, 95 %")
    key = f"tuning_rows_{name}"
    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        column_config=config,
        on_select=lambda: on_pick(st.session_state[key]["selection"]["rows"]),
        selection_mode="single-row",
        key=key,
    )


def _ranges(table: pd.DataFrame, name: str, form: str) -> list[str]:
    """Intervals as text, empty where there is none."""

    def formatted(value: float) -> str:
        return f"{value:.1%}" if form == "percent" else form % value

    return [
        "" if pd.isna(low) else f"{formatted(low)} to {formatted(high)}"
        for low, high in zip(table[f"{name}_low"], table[f"{name}_high"], strict=True)
    ]
