"""What the Disagreements page shows, computed once: the decisions of each part, then of all."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from analysis.disagreements.files import PartFile, covered, joined, read_part
from analysis.disagreements.found import (
    DecisionFilter,
    decision_table,
    divergence_histogram,
    mean_divergence,
    summarise,
)
from analysis.disagreements.search import Asked, Found, list_searches
from analysis.runs.store import key_of, model_hash
from spades.core.logs import Log
from spades.human import load_model
from spades.notation.log_store import list_logs
from ui.shared.stored_logs import opened

KIND = "disagreements"


@st.cache_data(max_entries=1, show_spinner=False)
def _searches(stamp: tuple) -> list[Asked]:
    return list_searches()


def searches(newest: Found | None) -> list[Asked]:
    """Every search that can be looked at; ``newest`` is the one that may have begun."""
    logs = tuple((entry.name, entry.modified) for entry in list_logs())
    return _searches((logs, newest and (newest.key, newest.rounds > 0)))


def facts_of(found: Found, model: str) -> dict[str, Any]:
    """All that the numbers shown depend on, and the key that stands for it."""
    question = {**found.question, "human_model": model, "human_model_hash": model_hash(model)}
    flat = {name: value for name, value in question.items() if name != "models"}
    leans = question.get("models", {})
    flat["bias_models"] = " ".join(f"{name}:{digest}" for name, digest in leans.items())
    return {"key": key_of(KIND, question), **flat}


def decisions_of(found: Found, log_name: str, model: str) -> pd.DataFrame:
    """Every decision that was searched to the end, a row each."""
    parts = tuple((str(part.path), part.stamp, *span) for part, *span in covered(found.parts))
    asked = (found.key, log_name, model, model_hash(model))
    return _decisions(asked, parts, _found=found)


@st.cache_resource(max_entries=4, show_spinner="Putting human models beside the search ...")
def _decisions(asked: tuple, parts: tuple, *, _found: Found) -> pd.DataFrame:
    """``asked``: the search's key, log, human model and its hash."""
    _, log_name, model, _ = asked
    log = opened(log_name)
    tables = [
        _part_table(asked, (str(part.path), part.stamp, *span), part, _found, log)
        for part, *span in covered(_found.parts)
    ]
    if not tables:
        return decision_table(joined([]), log, 0, load_model(model))
    return pd.concat(tables, ignore_index=True)


@st.cache_resource(max_entries=4096, show_spinner=False)
def _part_table(
    asked: tuple, part: tuple[str, int, int, int], _part: PartFile, _found: Found, _log: Log
) -> pd.DataFrame:
    """``part``: path, stamp, first round and end."""
    _, _, first, end = part
    rows = read_part(_part, _found.question).within(first, end)
    return decision_table(rows, _log.take(slice(first, end)), first, load_model(asked[2]))


def refused_rounds(found: Found) -> dict[int, str]:
    """Rounds that couldn't be searched, and why."""
    parts = tuple((str(part.path), part.stamp) for part in found.parts)
    return _refused(found.key, parts, _found=found)


@st.cache_resource(max_entries=8, show_spinner=False)
def _refused(key: str, parts: tuple, *, _found: Found) -> dict[int, str]:
    return joined(read_part(part, _found.question) for part in _found.parts).refused


@st.cache_resource(max_entries=8, show_spinner=False)
def summary_of(
    facts: tuple, threshold: float, where: DecisionFilter, *, _judged: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[float, float, float]]:
    """Counts by class and lens, the histogram and the mean of divergence, with intervals."""
    shown = _judged[where.decisions(_judged)]
    return summarise(shown, where.role), divergence_histogram(shown), mean_divergence(shown)
