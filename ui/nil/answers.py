"""What the Nil page shows of tables and logs, worked out once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.nil import foretold as nil_foretold
from analysis.nil.ace import AceCounts, count_aces
from analysis.nil.calibration import NilScoresError
from analysis.nil.foretold import ALL, NilScores, load_scores
from analysis.nil.rates import (
    Source,
    compute_curves,
    compute_rates,
    compute_surface,
    compute_totals,
)
from analysis.nil.rounds import Nils, count_nils, find_nils, find_rounds
from analysis.plots.nil import Mark, plot_curves
from spades.bidding import load_curves
from spades.bidding.curves import HUMAN_TABLE, TABLE
from ui.nil.controls import TABLE_LABELS, log_label
from ui.nil.curves import MAX_LISTED
from ui.nil.data import Question
from ui.shared.stored_logs import LogKey, opened

PATHS = {"srp": TABLE, "human": HUMAN_TABLE}


def fitted(table: str) -> Source:
    """The curves of a table with the nils that they were fitted on."""
    found = load_curves(PATHS[table])
    return Source(TABLE_LABELS[table], found.counts, found)


def metadata_of(table: str) -> dict[str, Any]:
    return load_curves(PATHS[table]).metadata


@st.cache_resource(max_entries=8, show_spinner="Looking for the nils of the log ...")
def nils_of(log: LogKey) -> Nils:
    return find_nils(opened(log.name))


def label_of(log: str, kind: str) -> str:
    return log_label(log, kind, opened(log).kind)


def sources_of(question: Question) -> list[Source]:
    logs = [
        Source(label_of(log.name, question.kind), count_nils(nils_of(log), question.kind))
        for log in question.logs
    ]
    return [*map(fitted, question.tables), *logs]


@st.cache_data(max_entries=64, show_spinner=False)
def tables_of(question: Question) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Curves, rates by nil value, totals."""
    asked = sources_of(question), question.patterns
    return compute_curves(*asked), compute_rates(*asked), compute_totals(*asked)


@st.cache_resource(max_entries=64, show_spinner=False)
def curve_figure(question: Question, marks: tuple[Mark, ...], even: float, height: int) -> Figure:
    lines, rates, _ = tables_of(question)
    return plot_curves(lines, rates, marks=marks, even=even, height=height)


@st.cache_data(max_entries=64, show_spinner=False)
def rounds_behind(
    log: LogKey, sequences: tuple[int, ...], at: int | None, kind: str
) -> tuple[pd.DataFrame, int, int]:
    nils, indices = nils_of(log), np.array(sequences, dtype=np.int64)
    return find_rounds(opened(log.name), nils, indices, at, kind=kind, limit=MAX_LISTED)


@st.cache_data(max_entries=64, show_spinner=False)
def surface_of(table: str, n_previous: int, value: float) -> pd.DataFrame:
    return compute_surface(fitted(table), n_previous, value)


@st.cache_data(max_entries=32, show_spinner=False)
def aces_of(log: LogKey, n_previous: int, kind: str) -> AceCounts:
    return count_aces(opened(log.name), n_previous, kind)


@st.cache_data(max_entries=2, show_spinner=False)
def scores_at(stamp: int) -> dict[str, NilScores]:
    """The stored scores; ``stamp``: when their file was written."""
    return load_scores(nil_foretold.SCORES)


def scores() -> dict[str, NilScores]:
    path = nil_foretold.SCORES
    return scores_at(path.stat().st_mtime_ns if path.exists() else 0)


def groups_known() -> list[str]:
    """Groups of sequences that have scores of both tables."""
    try:
        found = scores()
    except NilScoresError:  # the panel says what is wrong
        return [ALL]
    return [name for name in found["srp"].groups if name in found["human"].groups]
