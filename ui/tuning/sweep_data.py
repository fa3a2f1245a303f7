"""The sweeps that the Tuning page shows, read once."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from analysis.runs.store import ResultStore, code_version
from analysis.sweeps.library import Listed, files_stamp, list_sweeps
from analysis.sweeps.parts import hold_out
from analysis.sweeps.sweep import SETTING, SWEEP
from analysis.sweeps.views import view_table
from spades.notation.log_store import open_log


def made() -> tuple[Any, ...]:
    """Changes when a setting has been measured or a sweep begun."""
    store = ResultStore()
    return store.stamp(SETTING), store.stamp(SWEEP)


def sweeps() -> dict[str, Listed]:
    """All sweeps by their id."""
    return _sweeps(made(), files_stamp(), tuple(code_version().values()))


@st.cache_resource(max_entries=2, show_spinner=False)
def _sweeps(made: tuple, files: tuple, version: tuple) -> dict[str, Listed]:
    return {one.id: one for one in list_sweeps()}


@st.cache_data(max_entries=8, show_spinner="Counting the log's humans ...")
def held_out_counts(log: str, content: str) -> tuple[int, int]:
    """Decisions with a choice, and rounds, that humans played in a log; ``content``: its hash."""
    held = hold_out(open_log(log), seed=0)
    return len(held.choices), len(held.rounds)


@st.cache_data(max_entries=8, show_spinner=False)
def settings_of(document: dict[str, Any]) -> pd.DataFrame:
    return view_table(document)
