"""The results of a search: the answer, its coverage, charts and downloads."""

import math
from typing import Any

import pandas as pd
import streamlit as st

from analysis.decisions.conclusion import THRESHOLD
from analysis.disagreements import summary as summaries
from analysis.disagreements.judged import (
    DIVERGENCE,
    DecisionFilter,
    exported_rows,
)
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.stored import Asked, StoredSearch, list_searches
from analysis.disagreements.table import decision_table, is_valued, whole_table
from analysis.plots.disagreements import plot_histogram, plot_shares
from analysis.runs.store import key_of
from analysis.text_tables import span
from spades.core.logs import Log
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.human import load_model, model_hash
from spades.notation.log_store import LogEntry, list_logs
from ui.disagreements import state
from ui.disagreements.state import page
from ui.shared import tables
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.records import opened
from ui.shared.states import show_partial
from ui.shared.widgets import centered_row

DAMAGED_SHOWN = 5
FACTS = ("log", "content", "agent", "seed", "played_on", "human_model", "human_model_hash", "code")
Summary = tuple[pd.DataFrame, pd.DataFrame, tuple[float, float, float]]


def searches(newest: StoredSearch | None) -> list[Asked]:
    """Every search that can be looked at; ``newest`` is the one that may have begun."""
    logs = tuple((entry.name, entry.modified) for entry in list_logs())
    begun = (newest.key, bool(newest.rounds)) if newest else None
    return _searches((logs, begun))


@st.cache_data(max_entries=1, show_spinner=False)
def _searches(stamp: tuple) -> list[Asked]:
    return list_searches()


def facts_of(search: StoredSearch, model: str) -> dict[str, Any]:
    question = {**search.question, "human_model": model, "human_model_hash": model_hash(model)}
    facts = {"key": key_of("disagreements", question), **question}
    bias_models = facts.pop("models", {})
    facts["bias_models"] = " ".join(f"{name}:{digest}" for name, digest in bias_models.items())
    return facts


def decisions_of(search: StoredSearch, log_name: str, model: str) -> pd.DataFrame:
    """Every decision that was searched to the end, a row each."""
    query = (search.key, log_name, model, model_hash(model))
    return _decisions(query, search.rounds, _search=search)


@st.cache_resource(max_entries=4, show_spinner="Putting human models beside the search ...")
def _decisions(
    query: tuple[str, str, str, str], rounds: tuple[int, ...], *, _search: StoredSearch
) -> pd.DataFrame:
    """``query``: the search's key, log, human model and its hash; ``rounds``: those searched."""
    _, log_name, model, _ = query
    log = opened(log_name)
    tables = [_round_table(query, index, _search, log) for index in rounds]
    return whole_table(tables, log, load_model(model))


@st.cache_resource(max_entries=4096, show_spinner=False)
def _round_table(
    query: tuple[str, str, str, str], index: int, _search: StoredSearch, _log: Log
) -> pd.DataFrame:
    _, _, model, _ = query
    only = _log.take(slice(index, index + 1))
    return decision_table(_search.read(index), only, index, load_model(model))


@st.cache_resource(max_entries=8, show_spinner=False)
def _left_out(
    key: str, rounds: tuple[int, ...], *, _search: StoredSearch
) -> tuple[dict[int, str], int]:
    """Rounds that can't be searched, and why; how many decisions have cards without a value."""
    refused: dict[int, str] = {}
    n_unvalued = 0
    for rows in _search.read_all():  # one round at a time in memory
        refused |= rows.refused
        valued = is_valued(rows.table[rows.starts])
        n_unvalued += len(valued) - int(valued.sum())
    return refused, n_unvalued


@st.cache_resource(max_entries=8, show_spinner=False)
def summary_of(
    facts: tuple, threshold: float, where: DecisionFilter, *, _judged: pd.DataFrame
) -> Summary:
    """Counts by class and lens, the histogram and the mean of divergence, with intervals."""
    shown = _judged[where.decisions(_judged)]
    return (
        summaries.summarise(shown, where.role),
        summaries.divergence_histogram(shown),
        summaries.mean_divergence(shown),
    )


def show_damaged(search: StoredSearch) -> None:
    """Stored rounds of the search that can't be read."""
    damaged = search.damaged
    if not damaged:
        return
    lines = [f"- {literal(reason)}" for reason in damaged[:DAMAGED_SHOWN]]
    if len(damaged) > DAMAGED_SHOWN:
        lines.append(f"- and {len(damaged) - DAMAGED_SHOWN:,} more")
    rounds_are = "1 stored round is"
    if len(damaged) > 1:
        rounds_are = f"{len(damaged):,} stored rounds are"
    lines.insert(0, f"{rounds_are} damaged; “Search on” searches them again. In the result store:")
    show_partial("\n".join(lines), icon="broken_image")


def show_coverage(search: StoredSearch, entry: LogEntry, n_decisions: int, log: Log) -> None:
    sentences = [
        f"**{len(search.rounds):,} of {entry.n_rounds:,} rounds searched**, {n_decisions:,} "
        "decisions with a choice. A decision counts once its search is complete."
    ]
    refused, n_unvalued = _left_out(search.key, search.rounds, _search=search)
    if n_unvalued:
        sentences.append(
            f"{n_unvalued:,} more are left out: their cards have no value by the judge."
        )
    if refused:
        reason = literal(next(iter(refused.values())))
        sentences.append(f"{len(refused):,} of these rounds can't be searched: {reason}.")
    if KINDS.index(SIMULATED_HUMAN) in log.kind:
        sentences.append(
            ":material/smart_toy: **Simulated humans** play in this log: no real human did."
        )
    st.caption(" ".join(sentences))


def show_facts(search: StoredSearch, facts: dict[str, Any]) -> None:
    """What the numbers depend on, at the foot of the page."""
    names = [f"{name.replace('_', ' ')} {literal(str(facts[name]))}" for name in FACTS]
    if facts["bias_models"]:
        names.append(f"bias {literal(facts['bias_models'])}")
    st.caption(" · ".join([f"key `{facts['key']}`", *names]))
    if search.is_shipped:
        st.caption(
            ":material/inventory_2: Searched by an earlier version of this agent or of the judge; "
            "“Search” begins anew with today's."
        )


def show_charts(summary: Summary, n: int, n_rounds: int) -> None:
    shares, histogram, mean = summary
    chosen = page.view("Chart", "chart")
    of = f"{n:,} decisions of {n_rounds:,} rounds"
    if chosen == DIVERGENCE:
        table = histogram
        figure = plot_histogram(histogram)
        about = _about_divergence(of, *mean)
    else:
        table = shares
        figure = plot_shares(shares, chosen)
        about = _about_shares(of, chosen)
    panel = Panel(f"disagreements-by-{chosen}")
    reading = f"{about} The filters by class, lens and least value apply to the list only."
    panel.figure(figure, reading)
    panel.export(table)
    tables.warn_few({"here": n_rounds}, "rounds")


def _about_divergence(of: str, mean: float, low: float, high: float) -> str:
    interval = ""
    if not math.isnan(low):
        interval = f" (95% over rounds: {span((low, high), '.3f')})"
    return f"Divergence of {of}: mean {mean:.3f} bits{interval}. Colours are the classes."


def _about_shares(of: str, chosen: str) -> str:
    text = f"Share of {of}; 95% intervals by bootstrap over rounds."
    if chosen == "lens":
        return f"{text} Lenses look at the {state.ROLE_LABELS[page.get('lens_of')]}."
    return f"{text} Every find counts as a trap too."


def show_answer(rows: pd.DataFrame, n_smaller: int, n_decisions: int) -> None:
    """How many disagreements there are, as a sentence, and their order."""
    unit = "bits" if page.get("by") == DIVERGENCE else "points"
    least = page.get(unit)
    of_least = ""
    if least:
        of_least = f" of at least {least:g} {unit.removesuffix('s') if least == 1 else unit}"
    n_of_all = f"{len(rows):,} of {n_decisions:,} decisions"
    smaller = f" ({n_smaller:,} are smaller)" if n_smaller else ""
    with centered_row(key="disagreements_answer", horizontal_alignment="distribute"):
        st.markdown(
            f"##### {n_of_all} are disagreements{of_least}{smaller}",
            width="content",
        )
        page.view("Biggest first by", "by")


def show_export(rows: pd.DataFrame, plan: LogSearchPlan, log: Log, facts: dict[str, Any]) -> None:
    """The download of all rows, and what a disagreement is."""
    exported = exported_rows(rows, log, facts)
    Panel("disagreements-list").export(exported, "rows")
    st.caption(
        "A disagreement is another card that is clearly worse: by more than "
        f"{THRESHOLD:g} point on average, with an interval above 0.{_about_replay(plan)}"
    )


def _about_replay(plan: LogSearchPlan) -> str:
    """How Replay shows a decision by a biased search."""
    if plan.player.bias is None:
        return ""
    return " The biased search is shown next to the unbiased one on Replay."
