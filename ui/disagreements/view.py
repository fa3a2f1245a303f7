"""Charts of the disagreements, and their table: each row opens Replay at its ply."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from analysis.disagreements.found import DIVERGENCE, ranked
from analysis.disagreements.rows import exported_rows, shown_rows
from analysis.disagreements.search import LogSearchPlan
from analysis.plots.disagreements import plot_histogram, plot_shares
from spades.agents import IsmctsPlayer
from spades.core.logs import Log
from spades.search.bias import UNBIASED
from ui.disagreements import state
from ui.shared.links import DEALING_OPTIONS, ITERATION_CHOICES, SEARCH_OPTIONS
from ui.shared.page import chart_config
from ui.shared.tables import show_download

MAX_SHOWN = 500
LENSES_WIDTH = 290  # two of the names, or the longest
Summary = tuple[pd.DataFrame, pd.DataFrame, tuple[float, float, float]]


def show_charts(summary: Summary, n: int, n_rounds: int) -> None:
    """How far search and humans part, and how often in which way."""
    rows, bars, mean = summary
    chosen = st.segmented_control(
        "Chart",
        list(state.CHARTS),
        key=state.key("chart"),
        format_func=state.CHARTS.get,
        required=True,
        label_visibility="collapsed",
    )
    figure = plot_histogram(bars) if chosen == DIVERGENCE else plot_shares(rows, chosen)
    st.plotly_chart(
        figure,
        width="stretch",
        key=f"disagreements_plot_{chosen}",
        config=chart_config(f"disagreements-{chosen}"),
    )
    st.caption(_how_to_read(chosen, rows, mean, n, n_rounds))
    show_download(bars if chosen == DIVERGENCE else rows, f"disagreements-{chosen}", "Chart (CSV)")


def _how_to_read(
    chosen: str, rows: pd.DataFrame, mean: tuple[float, float, float], n: int, n_rounds: int
) -> str:
    of = f"{n:,} decisions of {n_rounds:,} rounds"
    all_of_them = " Of all of them, also below the least of a row."
    if state.get("class") or state.get("lens"):
        all_of_them = (
            " Of all of them: class, lens and the least of a row choose rows of the list only."
        )
    if chosen == DIVERGENCE:
        value, low, high = mean
        within = "" if low != low else f", 95 % {low:.3f} to {high:.3f} over rounds"
        return (
            f"Divergence of {of}: mean {value:.3f} bits{within}. Colours are the classes."
            f"{all_of_them}"
        )
    whose = f" Lenses look at the {state.ROLE_LABELS[state.get('lens_of')]}." * (chosen == "lens")
    traps = " Every find counts as a trap too." * (chosen == "class")
    return (
        f"Share of {of}, the count beside each; 95 % intervals by bootstrap over rounds. None is "
        f"drawn for a count of 0: what it may hide is in the CSV, Clopper–Pearson over rounds."
        f"{whose}{traps}{all_of_them}"
    )


def show_rows(judged: pd.DataFrame, plan: LogSearchPlan, log: Log, facts: dict[str, Any]) -> None:
    """The decisions that pass the filters, biggest first."""
    by = state.get("by")
    least = state.get("bits") if by == DIVERGENCE else state.get("points")
    unit = "bits" if by == DIVERGENCE else "points"
    passing = judged[state.decision_filter().rows(judged)]
    found = ranked(passing, by, least)
    if found.empty:
        st.info(
            f"{len(passing):,} of {len(judged):,} decisions pass the filters, none with at least "
            f"{least:g} {unit}: lower the threshold, or take a filter away.",
            icon=":material/filter_alt_off:",
        )
        return
    shown = shown_rows(found.head(MAX_SHOWN), log, state.get("lens_of"))
    links = [replay_link(plan, i, ply) for i, ply in zip(shown["round"], shown["ply"], strict=True)]
    shown.insert(0, "open", links)
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
    number = st.column_config.NumberColumn
    return {
        "open": st.column_config.LinkColumn("Open", display_text="Replay", width="small"),
        "divergence": number("Divergence", format="%.3f", help="Jensen–Shannon, bits, 0 to 1."),
        "stakes": number(
            "Stakes", format="%+.1f", help=f"Points the search's card is worth more than "
            f"{state.OTHERS[state.get('against')]}, by the search's mean values.",
        ),
        "stakes_se": number("± s.e.", format="%.1f", help="Standard error of that difference."),
        "class": st.column_config.TextColumn("Class", help="Against the human's likeliest card."),
        "search": st.column_config.TextColumn("Search", help="The card with most visits."),
        "search_p": number("Human plays it", format="percent", help="The search's card."),
        "human": st.column_config.TextColumn("Human", help="The likeliest card by the model."),
        "human_p": number("Likely", format="percent", help="How likely that card is."),
        "played": st.column_config.TextColumn("Played"),
        "lenses": st.column_config.TextColumn(
            "Lenses", width=LENSES_WIDTH, help=f"Of the {state.ROLE_LABELS[state.get('lens_of')]}."
        ),
        "seat": "Seat",
        "kind": "Kind",
        "trick": number("Trick"),
        "round": number("Round", help="Row of the log, from 0."),
        "ply": number("Ply", help="Cards played before, from 0."),
    }  # fmt: skip


def replay_link(plan: LogSearchPlan, index: int, ply: int) -> str:
    """The address of Replay at a decision, searched as here."""
    player = plan.player
    values: dict[str, Any] = {
        "log": plan.log,
        "round": index,
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
    return "/?" + urlencode(values)


def _what_replay_lacks(plan: LogSearchPlan) -> str:
    """What Replay can't repeat of an agent, said plainly."""
    player = plan.player
    told = []
    if player.bias != UNBIASED:
        told.append("the biased search stands beside the unbiased one there")
    if player.iterations not in ITERATION_CHOICES:
        told.append(f"Replay doesn't offer {player.iterations:,} iterations, the nearest are taken")
    return f" Of this agent: {'; '.join(told)}." if told else ""
