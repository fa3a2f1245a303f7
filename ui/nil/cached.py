"""What the Nil page shows of tables and logs, computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.sequences import Pattern
from analysis.nil import foretold
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
from analysis.nil.rounds import ANY_KIND, Nils, count_nils, find_nils, find_rounds
from analysis.plots.nil import Mark, plot_curves
from analysis.style.counts import KIND_LABELS
from spades.bidding import load_curves
from spades.bidding.curves import HUMAN_TABLE, TABLE
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.notation.log_store import LogEntry, list_logs
from ui.shared.records import LogKey, opened

PATHS = {"srp": TABLE, "human": HUMAN_TABLE}
TABLE_LABELS = {"srp": "srp bots", "human": "simulated humans"}
SHOWN_FIRST = "four-srp-nil"
"""The shipped log with the most nils; it has rounds for the points of the bots' curves."""
MAX_LISTED = 100


@dataclass(frozen=True)
class Question:
    """Whose nils, after which bids: fitted tables by name, logs, and the kind of bidder in them."""

    tables: tuple[str, ...]
    logs: tuple[LogKey, ...]
    kind: str
    patterns: tuple[Pattern, ...]


def readable_logs() -> dict[str, LogEntry]:
    """The readable logs by name, the one with the most nils first."""
    entries = sorted(list_logs(), key=lambda entry: entry.name != SHOWN_FIRST)
    return {entry.name: entry for entry in entries if entry.is_readable}


def fitted(table: str) -> Source:
    """The curves of a table with the nils that they were fitted on."""
    found = load_curves(PATHS[table])
    return Source(TABLE_LABELS[table], found.counts, found)


@st.cache_resource(max_entries=8, show_spinner="Looking for the nils of the log ...")
def nils_of(log: LogKey) -> Nils:
    return find_nils(opened(log.name))


def label_of(log: str, kind: str) -> str:
    """What charts call a log's bidders; simulated humans among its seats are named."""
    if kind != ANY_KIND:
        return f"{log}, {KIND_LABELS[kind].lower()}"
    is_simulated = opened(log).kind == KINDS.index(SIMULATED_HUMAN)
    if is_simulated.all() and len(is_simulated):
        return f"{log} (simulated humans)"
    return f"{log} (some simulated humans)" if is_simulated.any() else log


@st.cache_data(max_entries=64, show_spinner=False)
def tables_of(question: Question) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Curves, rates by nil value, totals."""
    kind, patterns = question.kind, question.patterns
    sources = [fitted(table) for table in question.tables]
    for log in question.logs:
        sources.append(Source(label_of(log.name, kind), count_nils(nils_of(log), kind)))
    return tuple(f(sources, patterns) for f in (compute_curves, compute_rates, compute_totals))


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
def _scores_at(stamp: int) -> dict[str, NilScores]:
    """``stamp``: when the file of the scores was written."""
    return load_scores(foretold.SCORES)


def scores() -> dict[str, NilScores]:
    """The stored scores; ``NilScoresError`` where they can't be read."""
    path = foretold.SCORES
    return _scores_at(path.stat().st_mtime_ns if path.exists() else 0)


def groups_known() -> list[str]:
    """Groups of sequences that have scores of both tables."""
    try:
        found = scores()
    except NilScoresError:  # the panel says what is wrong
        return [ALL]
    return [name for name in found["srp"].groups if name in found["human"].groups]
