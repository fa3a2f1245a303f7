"""The Playstyle page's controls: which logs, which groups, which plays."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.style.counts import (
    ALL_TRICKS,
    CONTEXT_LABELS,
    CONTEXT_TITLES,
    GROUPINGS,
    Group,
    PlayFilter,
)
from spades.human.features.contexts import LEVEL_POINTS, NEAR_BAGS
from ui.playstyle import state

BY_LABELS = {
    "kind": "Kind of player",
    "agent": "Agent",
    "player": "Player",
    "log": "Log",
    **{name: title for name, title in CONTEXT_TITLES.items() if name != "trick"},
}
FILTER_HELP = {
    "nil": "Whose nil is alive for the seat to play; the first of own, partner's, an opponent's.",
    "bags": f"Near: at most {NEAR_BAGS} more bags of the own partnership cost the penalty.",
    "partner": "Whether the partner's card wins the trick so far.",
    "turn": "Whether the seat leads or plays second, third or last.",
    "score": f"Own score before the round; level within {LEVEL_POINTS} points.",
    "contract": "Whether the own partnership has the tricks it bid.",
}
N_DEFAULT_GROUPS = 3


def show_log_controls(log_names: Sequence[str]) -> None:
    """Which logs, and what their plays are grouped by."""
    logs, by = st.columns([4, 1], vertical_alignment="bottom")
    with logs:
        st.multiselect("Logs", log_names, key=state.key("logs"))
    with by:
        st.selectbox(
            "Compare by",
            GROUPINGS,
            key=state.key("by"),
            format_func=BY_LABELS.get,
            help="Groups of seats, or the same seats in different contexts.",
        )


def settle_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups chosen, the first few where none is; a link may have asked for others."""
    known = {group.value: group for group in groups}
    for value in state.get("groups"):
        if value not in known:
            state.complain("groups", value, list(known))
    chosen = [value for value in state.get("groups") if value in known][: state.MAX_GROUPS]
    state.put("groups", chosen or [group.value for group in groups[:N_DEFAULT_GROUPS]])
    return [known[value] for value in state.get("groups")]


def show_group_controls(groups: Sequence[Group]) -> None:
    """Which of the groups, how many classes, and which plays count."""
    labels = {group.value: group.label for group in groups}
    chosen, rest = st.columns([3, 2], vertical_alignment="bottom")
    with chosen:
        st.multiselect(
            f"Groups, up to {state.MAX_GROUPS}",
            list(labels),
            key=state.key("groups"),
            format_func=labels.get,
            max_selections=state.MAX_GROUPS,
        )
    with rest, st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.segmented_control(
            "Abstract moves",
            [32, 68],
            key=state.key("classes"),
            format_func=lambda n: f"{n} classes",
            required=True,
            help="68 tell hearts, diamonds and clubs apart; the published table lists 32.",
        )
        with st.popover("Which plays", icon=":material/filter_alt:"):
            _show_filters()


def _show_filters() -> None:
    st.caption("Nothing chosen in a line lets everything pass.")
    for name in state.FILTER_CONTEXTS:
        st.pills(
            CONTEXT_TITLES[name],
            CONTEXT_LABELS[name],
            selection_mode="multi",
            key=state.key(name),
            help=FILTER_HELP[name],
        )
    st.slider("Tricks", 1, ALL_TRICKS[1] + 1, key=state.key("tricks"))
    st.slider("Own bid", *state.ALL_BIDS, key=state.key("bids"), help="0 is nil.")
    st.toggle(
        "Count forced plays",
        key=state.key("forced"),
        help="Plays of the only legal card. The papers count all plays, so they count here.",
    )


def filter_text(where: PlayFilter) -> str:
    """The filter in words; empty where everything counts."""
    parts = []
    for name in state.FILTER_CONTEXTS:
        if codes := getattr(where, name):
            labels = " or ".join(CONTEXT_LABELS[name][code] for code in codes)
            parts.append(f"{CONTEXT_TITLES[name].lower()}: {labels}")
    if where.tricks != ALL_TRICKS:
        parts.append(f"tricks {where.tricks[0] + 1} to {where.tricks[1] + 1}")
    if where.bids is not None:
        parts.append(f"own bid {where.bids[0]} to {where.bids[1]}")
    if not where.forced:
        parts.append("no forced plays")
    return "; ".join(parts)
