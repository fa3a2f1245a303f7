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
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from spades.human.features.logs import LEVEL_POINTS, NEAR_BAGS
from ui.playstyle import state
from ui.shared.page import watch_window
from ui.shared.widgets import pills, row, segments, select, select_several

HEAD, PANELS = "style_head", "style_panels"
"""Keys of the controls' container and of the panels below it."""
BY_LABELS = {name: CONTEXT_TITLES.get(name, name.capitalize()) for name in GROUPINGS}
BY_LABELS["kind"] = "Kind of player"
FILTER_HELP = {
    "nil": "Whose nil is alive for the seat to play; the first of own, partner's, an opponent's.",
    "bags": f"Near: at most {NEAR_BAGS} more bags of the own partnership cost the penalty.",
    "partner": "Whether the partner's card wins the trick so far.",
    "turn": "Whether the seat leads or plays second, third or last.",
    "score": f"Own score before the round; level within {LEVEL_POINTS} points.",
    "contract": "Whether the own partnership has the tricks it bid.",
}
MEASURES = {"within": "of its category", "share": "of all plays"}
ERRORS = {"sd": "SD over games", "interval": "95 % interval"}
N_DEFAULT_GROUPS = 3


def show_log_controls(log_names: Sequence[str]) -> None:
    """Which logs, and what their plays are grouped by."""
    logs, by = st.columns([4, 1], vertical_alignment="bottom")
    with logs:
        select_several("Logs", log_names, state.key("logs"))
    with by:
        told = "Groups of seats, or the same seats in different contexts."
        select("Compare by", BY_LABELS, state.key("by"), help=told)


def settle_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups chosen, the first few where none is; a link may have asked for others."""
    known = {group.value: group for group in groups}
    for value in state.get("groups"):
        if value not in known:
            state.settle("groups", value or state.NAMELESS, list(known))
    chosen = [value for value in state.get("groups") if value in known][: state.MAX_GROUPS]
    state.put("groups", chosen or [group.value for group in groups[:N_DEFAULT_GROUPS]])
    return [known[value] for value in state.get("groups")]


def show_group_controls(groups: Sequence[Group]) -> None:
    """Which of the groups, how many classes, and which plays count."""
    chosen, rest = st.columns([3, 2], vertical_alignment="bottom")
    with chosen:
        labels, most = {group.value: group.label for group in groups}, state.MAX_GROUPS
        told = f"Groups, up to {most}"
        select_several(told, labels, state.key("groups"), max_selections=most)
    with rest, row():
        told = "68 tell hearts, diamonds and clubs apart; the published table lists 32."
        classes = {n: f"{n} classes" for n in (32, 68)}
        segments("Abstract moves", classes, state.key("classes"), help=told)
        with st.popover("Which plays", icon=":material/filter_alt:"):
            _show_filters()


def _show_filters() -> None:
    st.caption("Nothing chosen in a line lets everything pass.")
    for name in state.FILTER_CONTEXTS:
        pills(CONTEXT_TITLES[name], CONTEXT_LABELS[name], state.key(name), help=FILTER_HELP[name])
    st.slider("Tricks", 1, ALL_TRICKS[1] + 1, key=state.key("tricks"))
    st.slider("Own bid", *state.ALL_BIDS, key=state.key("bids"), help="0 is nil.")
    told = "Plays of the only legal card. The papers count all plays, so they count here."
    st.toggle("Count forced plays", key=state.key("forced"), help=told)


def show_frequency_controls() -> None:
    """The section's title; what a bar is a share of, and what its ends say."""
    st.subheader("Abstract moves", help=f"Devlin 2016, figure 2. {DEFINITIONS_NOTE}")
    with st.container(horizontal=True, gap="medium"):
        segments("Share", MEASURES, state.key("measure"))
        segments("Bar ends", ERRORS, state.key("errors"))
        watch_window(above=HEAD, below=PANELS)  # takes no room here


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
