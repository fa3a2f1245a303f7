"""Charts of the disagreements, and their table: each row opens Replay at its ply."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from analysis.disagreements.found import DIVERGENCE, exported_rows, ranked, shown_rows
from analysis.disagreements.search import LogSearchPlan
from analysis.plots.disagreements import plot_histogram, plot_shares
from spades.agents import IsmctsPlayer
from spades.core.logs import Log
from spades.search.bias import UNBIASED
from ui.disagreements import state
from ui.shared.links import replay_link
from ui.shared.search_options import DEALING_OPTIONS, ITERATION_CHOICES, SEARCH_OPTIONS
from ui.shared.tables import REPLAY_COLUMNS, number, percent, show_download, text
from ui.shared.widgets import show_chart, show_info, show_view_control

MAX_SHOWN = 500
LENSES_WIDTH = 290  # two of the names, or the longest
Summary = tuple[pd.DataFrame, pd.DataFrame, tuple[float, float, float]]


def show_charts(summary: Summary, n: int, n_rounds: int) -> None:
    """How far search and humans part, and how often in which way."""
    rows, bars, mean = summary
    chosen = show_view_control(state.CHARTS, state.key("chart"), "Chart")
    is_histogram = chosen == DIVERGENCE
    figure = plot_histogram(bars) if is_histogram else plot_shares(rows, chosen)
    show_chart(figure, f"disagreements_plot_{chosen}", f"disagreements-{chosen}")
    of = f"{n:,} decisions of {n_rounds:,} rounds"
    st.caption(_about_histogram(of, mean) if is_histogram else _about_shares(of, rows, chosen))
    show_download(bars if is_histogram else rows, f"disagreements-{chosen}", "Chart (CSV)")


def _all_of_them() -> str:
    if state.get("class") or state.get("lens"):
        return " Of all of them: class, lens and the least of a row choose rows of the list only."
    return " Of all of them, also below the least of a row."


def _about_histogram(of: str, mean: tuple[float, float, float]) -> str:
    value, low, high = mean
    within = "" if low != low else f", 95 % {low:.3f} to {high:.3f} over rounds"
    told = f"Divergence of {of}: mean {value:.3f} bits{within}. Colours are the classes."
    return told + _all_of_them()


def _about_shares(of: str, rows: pd.DataFrame, chosen: str) -> str:
    whose = f" Lenses look at the {state.ROLE_LABELS[state.get('lens_of')]}." * (chosen == "lens")
    traps = " Every find counts as a trap too." * (chosen == "class")
    return (
        f"Share of {of}, the count beside each; 95 % intervals by bootstrap over rounds. None is "
        f"drawn for a count of 0: what it may hide is in the CSV, Clopper–Pearson over rounds."
        f"{whose}{traps}{_all_of_them()}"
    )


def show_rows(judged: pd.DataFrame, plan: LogSearchPlan, log: Log, facts: dict[str, Any]) -> None:
    """The decisions that pass the filters, biggest first."""
    by = state.get("by")
    least = state.get("bits") if by == DIVERGENCE else state.get("points")
    unit = "bits" if by == DIVERGENCE else "points"
    passing = judged[state.decision_filter().rows(judged)]
    found = ranked(passing, by, least)
    if found.empty:
        show_info(
            f"{len(passing):,} of {len(judged):,} decisions pass the filters, none with at least "
            f"{least:g} {unit}: lower the threshold, or take a filter away.",
            "filter_alt_off",
        )
        return
    shown = shown_rows(found.head(MAX_SHOWN), log, state.get("lens_of"))
    places = zip(shown["round"], shown["ply"], strict=True)
    shown.insert(0, "open", [link_to_decision(plan, i, ply) for i, ply in places])
    more = f", the first {MAX_SHOWN:,} shown" if len(found) > MAX_SHOWN else ""
    st.markdown(
        f"**{len(found):,} of {len(judged):,} decisions** with at least {least:g} {unit}{more}; "
        f"without that limit the filters leave {len(passing):,}."
    )
    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        height=460,
        placeholder="–",
        column_config=_columns(),
        key="disagreements_rows",
    )
    show_download(exported_rows(found, log, facts), "disagreements", f"{len(found):,} rows (CSV)")
    st.caption(
        "“Replay” opens the hand just before the card, with the same iterations, seed and model. "
        "Values are points for the mover's side." + _what_replay_lacks(plan)
    )


def _columns() -> dict[str, Any]:
    against, role = state.OTHERS[state.get("against")], state.ROLE_LABELS[state.get("lens_of")]
    stakes = f"Points the search's card is worth more than {against}, by the search's mean values."
    return {
        **REPLAY_COLUMNS,
        "divergence": number("Divergence", "%.3f", "Jensen–Shannon, bits, 0 to 1."),
        "stakes": number("Stakes", "%+.1f", stakes),
        "stakes_se": number("± s.e.", "%.1f", "Standard error of that difference."),
        "class": text("Class", "Against the human's likeliest card."),
        "search": text("Search", "The card with most visits."),
        "search_p": percent("Human plays it", "The search's card."),
        "human": text("Human", "The likeliest card by the model."),
        "human_p": percent("Likely", "How likely that card is."),
        "played": text("Played"),
        "lenses": text("Lenses", f"Of the {role}.", width=LENSES_WIDTH),
        "trick": number("Trick"),
    }


def link_to_decision(plan: LogSearchPlan, index: int, ply: int) -> str:
    """The address of Replay at a decision, searched as here."""
    player = plan.player
    values: dict[str, Any] = {
        "ply": ply,
        "iterations": player.iterations,
        "seed": plan.seed,
        "model": state.get("model"),
    }
    for name in (*DEALING_OPTIONS, *SEARCH_OPTIONS):
        value = getattr(player, name)
        if value != getattr(IsmctsPlayer, name):
            values[name] = int(value) if isinstance(value, bool) else value
    if player.bias != UNBIASED:
        values |= {"technique": player.bias, "bias_model": player.model}
        values |= {name: getattr(player, name) for name in ("c_bt", "k", "w", "delay")}
    return replay_link(plan.log, index, **values)


def _what_replay_lacks(plan: LogSearchPlan) -> str:
    """What Replay can't repeat of an agent, said plainly."""
    player = plan.player
    told = []
    if player.bias != UNBIASED:
        told.append("the biased search is shown next to the unbiased one there")
    if player.iterations not in ITERATION_CHOICES:
        told.append(f"Replay doesn't offer {player.iterations:,} iterations, the nearest are taken")
    return f" Of this agent: {'; '.join(told)}." if told else ""
