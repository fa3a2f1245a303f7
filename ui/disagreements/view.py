"""What was found: its coverage, its charts, and a table whose rows open Replay at their ply."""

from typing import Any

import pandas as pd
import streamlit as st

from analysis.decisions.conclusion import THRESHOLD
from analysis.decisions.judge import JUDGE
from analysis.disagreements import found as finds
from analysis.disagreements import search
from analysis.disagreements.found import DIVERGENCE, DecisionFilter, decision_table
from analysis.disagreements.search import Asked, Found, LogSearchPlan, PartFile
from analysis.plots.disagreements import plot_histogram, plot_shares
from analysis.runs.store import key_of
from spades.core.logs import Log, repeated_rounds
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.human import load_model, model_hash
from spades.notation.log_store import LogEntry, list_logs
from spades.search.bias import UNBIASED
from ui.disagreements import state
from ui.disagreements.state import page
from ui.shared import tables
from ui.shared.address import replay_link, text_of
from ui.shared.options import BIAS_OPTIONS, DEALING_OPTIONS, SEARCH_OPTIONS, STRENGTHS
from ui.shared.page import literal
from ui.shared.records import ListedRows, opened
from ui.shared.tables import number, percent, show_download, show_frame, text
from ui.shared.widgets import show_chart, show_info

MAX_SHOWN = 500
DAMAGED_SHOWN = 5
REASON_WIDTH = 520
FACTS = ("log", "content", "agent", "seed", "searches", "human_model", "human_model_hash", "code")
Summary = tuple[pd.DataFrame, pd.DataFrame, tuple[float, float, float]]


def searches(newest: Found | None) -> list[Asked]:
    """Every search that can be looked at; ``newest`` is the one that may have begun."""
    logs = tuple((entry.name, entry.modified) for entry in list_logs())
    return _searches((logs, newest and (newest.key, newest.rounds > 0)))


@st.cache_data(max_entries=1, show_spinner=False)
def _searches(stamp: tuple) -> list[Asked]:
    return search.list_searches()


def facts_of(found: Found, model: str) -> dict[str, Any]:
    question = {**found.question, "human_model": model, "human_model_hash": model_hash(model)}
    flat = {name: value for name, value in question.items() if name != "models"}
    leans = question.get("models", {})
    flat["bias_models"] = " ".join(f"{name}:{digest}" for name, digest in leans.items())
    return {"key": key_of("disagreements", question), **flat}


def decisions_of(found: Found, log_name: str, model: str) -> pd.DataFrame:
    """Every decision that was searched to the end, a row each."""
    spans = search.covered(found.parts)
    parts = tuple((str(part.path), part.stamp, first, end) for part, first, end in spans)
    return _decisions((found.key, log_name, model, model_hash(model)), parts, _found=found)


@st.cache_resource(max_entries=4, show_spinner="Putting human models beside the search ...")
def _decisions(query: tuple, parts: tuple, *, _found: Found) -> pd.DataFrame:
    """``query``: the search's key, log, human model and its hash; ``parts``: path, stamp, first
    round and end of each."""
    _, log_name, model, _ = query
    log, spans = opened(log_name), zip(parts, search.covered(_found.parts), strict=True)
    tables = [_part_table(query, key, file, _found, log) for key, (file, *_) in spans]
    if not tables:
        return decision_table(search.joined([]), log, 0, load_model(model))
    table, (repeated,) = pd.concat(tables, ignore_index=True), repeated_rounds([log])
    return table[~repeated[table["round"]]].reset_index(drop=True)


@st.cache_resource(max_entries=4096, show_spinner=False)
def _part_table(
    query: tuple, part: tuple[str, int, int, int], _part: PartFile, _found: Found, _log: Log
) -> pd.DataFrame:
    _, _, first, end = part
    rows = search.read_part(_part, _found.key).within(first, end)
    return decision_table(rows, _log.take(slice(first, end)), first, load_model(query[2]))


@st.cache_resource(max_entries=8, show_spinner=False)
def _left_out(key: str, parts: tuple, *, _found: Found) -> tuple[dict[int, str], int]:
    """Rounds that can't be searched, and why; how many decisions have cards without a value."""
    rows = search.joined(search.read_part(part, _found.key) for part in _found.parts)
    return rows.refused, int((~finds.is_valued(rows.table[rows.starts])).sum())


@st.cache_resource(max_entries=8, show_spinner=False)
def summary_of(
    facts: tuple, threshold: float, where: DecisionFilter, *, _judged: pd.DataFrame
) -> Summary:
    """Counts by class and lens, the histogram and the mean of divergence, with intervals."""
    shown = _judged[where.decisions(_judged)]
    return (
        finds.summarise(shown, where.role),
        finds.divergence_histogram(shown),
        finds.mean_divergence(shown),
    )


def show_damaged(found: Found) -> None:
    """Files that should be parts of the search and can't be read."""
    damaged = found.damaged
    if not damaged:
        return
    lines = [f"- {literal(one.why)}" for one in damaged[:DAMAGED_SHOWN]]
    if len(damaged) > DAMAGED_SHOWN:
        lines.append(f"- and {len(damaged) - DAMAGED_SHOWN:,} more")
    files = "1 file is" if len(damaged) == 1 else f"{len(damaged):,} files are"
    what = f"{files} damaged; “Search on” searches their rounds again. In the results folder:"
    st.warning("\n".join([what, *lines]), icon=":material/broken_image:")


def show_coverage(found: Found, entry: LogEntry, n_decisions: int, log: Log) -> None:
    covers = f"**{found.rounds:,} of {entry.n_rounds:,} rounds searched**, {n_decisions:,} "
    covers += "decisions with a choice. A decision counts once its search is complete."
    stamps = tuple((str(part.path), part.stamp) for part in found.parts)
    refused, n_unvalued = _left_out(found.key, stamps, _found=found)
    if n_unvalued:
        covers += f" {n_unvalued:,} more are left out: there the agent plays one card by rule, as "
        covers += "the one that ducks highest under its own nil, and values no other."
    if refused:
        why = literal(next(iter(refused.values())))
        covers += f" {len(refused):,} of these rounds can't be searched: {why}."
    if (log.kind == KINDS.index(SIMULATED_HUMAN)).any():
        covers += " :material/smart_toy: **Simulated humans** play in this log: no real human did."
    st.caption(covers)


def show_facts(found: Found, facts: dict[str, Any]) -> None:
    """What the numbers depend on, at the foot of the page."""
    names = [f"{name.replace('_', ' ')} {literal(str(facts[name]))}" for name in FACTS]
    if facts["bias_models"]:
        names.append(f"bias {literal(facts['bias_models'])}")
    st.caption(" · ".join([f"key `{facts['key']}`", *names]))
    if found.is_shipped:
        shipped = "Searched by an agent that played otherwise; “Search” begins anew with today's."
        st.caption(f":material/inventory_2: {shipped}")


def show_charts(summary: Summary, n: int, n_rounds: int) -> None:
    rows, bars, mean = summary
    chosen = page.view("Chart", "chart")
    is_histogram = chosen == DIVERGENCE
    figure = plot_histogram(bars) if is_histogram else plot_shares(rows, chosen)
    show_chart(figure, f"disagreements_plot_{chosen}", f"disagreements-{chosen}")
    tables.warn_few({"here": n_rounds}, "rounds")
    of = f"{n:,} decisions of {n_rounds:,} rounds"
    value, low, high = mean
    within = "" if low != low else f", 95% {low:.3f} to {high:.3f} over rounds"
    about = f"Divergence of {of}: mean {value:.3f} bits{within}. Colours are the classes."
    about = about if is_histogram else _about_shares(of, chosen)
    st.caption(f"{about} Class, lens and the least of a row choose rows of the list only.")
    show_download(bars if is_histogram else rows, f"disagreements-{chosen}", "Chart (CSV)")


def _about_shares(of: str, chosen: str) -> str:
    whose = f" Lenses look at the {state.ROLE_LABELS[page.get('lens_of')]}." * (chosen == "lens")
    traps = " Every find counts as a trap too." * (chosen == "class")
    return f"Share of {of}; 95% intervals by bootstrap over rounds.{whose}{traps}"


def show_rows(judged: pd.DataFrame, plan: LogSearchPlan, log: Log, facts: dict[str, Any]) -> None:
    by = page.get("by")
    unit = "bits" if by == DIVERGENCE else "points"
    least = page.get(unit)
    unit = unit[:-1] if least == 1 else unit
    passing = judged[state.decision_filter().rows(judged) & judged["is_clear"].to_numpy()]
    found = finds.ranked(passing, by, least)
    if found.empty:
        few = f"{len(passing):,} of {len(judged):,} decisions are disagreements that pass the "
        few += f"filters, none with at least {least:g} {unit}."
        show_info(few, "filter_alt_off")
        return
    shown = finds.shown_rows(found.head(MAX_SHOWN), log)
    places = shown[["round", "ply"]].to_numpy().tolist()
    links = [
        link_to_decision(plan, *place, rows=ListedRows.around(i, places, plan.log))
        for i, place in enumerate(places)
    ]
    shown.insert(0, "open", links)
    more = f", the first {MAX_SHOWN:,} shown" if len(found) > MAX_SHOWN else ""
    st.markdown(
        f"**{len(found):,} of {len(judged):,} decisions** are disagreements of at least {least:g} "
        f"{unit}{more}; without that limit the filters leave {len(passing):,}."
    )
    show_frame(shown, _columns(), height=460, key="disagreements_rows")
    exported = finds.exported_rows(found, log, facts)
    show_download(exported, "disagreements", f"{len(found):,} rows (CSV)")
    st.caption(
        "A disagreement is another card that is clearly worse: by more than "
        f"{THRESHOLD:g} point at 95%." + _what_replay_lacks(plan)
    )


def _columns() -> dict[str, Any]:
    against = state.OTHERS[page.get("against")]
    stakes = f"Points for the mover's side that the best is worth more than {against}."
    why = f"Of {against}: what a lens finds, and the outcomes that cost it most, as {JUDGE}'s "
    why += "playouts estimate them (not calibrated)."
    return {
        **tables.REPLAY_COLUMNS,
        "stakes": number("Stakes", "%.1f", stakes),
        "interval": text(
            "95%", "Holds at every look, for all cards at once. Exact: all deals solved."
        ),
        "search": text("Best", "By the conclusion of the agent above; = joins equivalent cards."),
        "human": text("Human", "The likeliest card by the model."),
        "played": text("Played"),
        "reason": text("Why", why, width=REASON_WIDTH),
        "human_p": percent("Likely", "How likely the human's card is."),
        "search_p": percent("Human plays the best"),
        "conclusion": text("Conclusion", "Clear: the best beats every other card."),
        "n_searches": number("Searches", hint="Independent searches of the decision."),
        "divergence": number("Divergence", "%.3f", "Jensen–Shannon, bits, 0 to 1."),
        "class": text("Class", "Against the human's likeliest card."),
        "trick": number("Trick"),
    }


def link_to_decision(plan: LogSearchPlan, index: int, ply: int, **more: object) -> str:
    """The address of Replay at a decision, with ``more`` of its fields; an agent other than the
    judge is the search shown there."""
    player = plan.player
    values = {"ply": ply, "seed": plan.seed, "model": page.get("model")}
    if plan.agent == JUDGE:  # it judges there as well
        return replay_link(plan.log, index, **values, **more)
    values["iterations"] = player.iterations
    for name, option in (SEARCH_OPTIONS | DEALING_OPTIONS).items():
        value = getattr(player, option.field)
        if value != option.default:
            values[name] = text_of(value)
    if player.bias != UNBIASED:
        values |= {"technique": player.bias, "bias_model": player.model}
        values |= {name: getattr(player, BIAS_OPTIONS[name].field) for name in STRENGTHS}
    return replay_link(plan.log, index, **values, **more)


def _what_replay_lacks(plan: LogSearchPlan) -> str:
    if plan.agent == JUDGE:
        return ""
    player, lacks = plan.player, [f"what is concluded there is by {JUDGE}"]
    if player.bias != UNBIASED:
        lacks.append("the biased search is shown next to the unbiased one there")
    return f" Of this agent: {'; '.join(lacks)}." if lacks else ""
