"""The Playstyle page's heat map: where a divergence comes from, and the hands behind a cell."""

from __future__ import annotations

from typing import Any

import streamlit as st

from analysis.plots.style import MEET_ROW
from analysis.style.compare import Decomposition, move_names
from analysis.style.counts import CONTEXT_LABELS, CONTEXT_TITLES, Group
from ui.playstyle import cached, state
from ui.playstyle.behind import moves_named, show_plays
from ui.playstyle.cached import Question
from ui.shared.tables import show_download
from ui.shared.widgets import (
    clicked_data,
    new_click,
    row,
    select,
    show_chart,
    show_note,
    show_view_control,
)

ANY_MOVE = "any move"
Pair = tuple[Group, Group]


def settle_pair(groups: list[Group]) -> None:
    """The two groups to compare, in order; the first two where none are chosen."""
    known = [group.value for group in groups]
    start = state.settle("from", state.get("from"), known, known[0])
    others = [value for value in known if value != start]
    end = state.settle("to", state.get("to"), known, others[0])
    state.put("from", start)
    state.put("to", end if end != start else others[0])


def show_pair_controls(groups: list[Group]) -> Pair:
    """Which divergence is looked at: a select box each way."""
    known = {group.value: group for group in groups}
    labels = {group.value: group.label for group in groups}
    with row():
        start = select("KL of", labels, state.key("from"), width=320)
        others = {value: label for value, label in labels.items() if value != start}
        if state.get("to") not in others:
            state.put("to", next(iter(others)))
        end = select("to", others, state.key("to"), width=320)
    return known[start], known[end]


def show_decomposition(question: Question, pair: Pair) -> None:
    """Over which context the divergence is taken apart, its heat map, and the hands behind."""
    st.markdown("**Where it comes from**")
    context = show_view_control(CONTEXT_TITLES, state.key("context"), "Context")
    found = cached.decompose(question, pair, context)
    _settle_cell(found, context, question.classes)
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        _show_heat_map(found, question, pair, context)
    with behind:
        _show_cell(question, pair, context)


def _settle_cell(found: Decomposition, context: str, classes: int) -> None:
    """The cell asked for, the largest where none is; a link may have asked for another."""
    largest = found.cells.loc[found.cells["contribution"].idxmax()]
    at = state.settle("at", state.get("at"), CONTEXT_LABELS[context], str(largest["context"]))
    moves = (*move_names(classes), ANY_MOVE)
    move = state.settle("move", state.get("move"), moves, str(largest["move"]))
    state.put("at", at)
    state.put("move", move)


def _show_heat_map(found: Decomposition, question: Question, pair: Pair, context: str) -> None:
    """The decomposition; a click picks a cell."""
    figure = cached.heat_figure(question, pair, context)
    _take_click(show_chart(figure, "style_heat", "style-decomposition", takes_clicks=True))
    of, to = (group.label for group in pair)
    show_note(
        f"Where KL({of} ‖ {to}) comes from, by {CONTEXT_TITLES[context].lower()}: colour says "
        "who plays the move more, its depth how many nats that adds; faded where noise may "
        f"explain it. The cells add up to {found.kl_choices:.4f} nats of choices within a "
        f"context, the first row to {found.kl_contexts:.4f} of meeting it more or less often: "
        f"together {found.kl_joint:.4f}, never less than the KL of the moves alone, "
        f"{found.kl_moves:.4f}. (Chain rule; each term is p ln(p/q) − p + q.)"
    )
    show_download(found.cells, "decomposition", "Cells (CSV)")


def _take_click(event: Any) -> None:
    """A new click on the chart becomes the cell shown."""
    if clicked := new_click(state.key("clicked"), clicked_data(event)):
        at, move = clicked[:2]
        state.put("at", at)
        state.put("move", ANY_MOVE if move == MEET_ROW else move)


def _show_cell(question: Question, pair: Pair, context: str) -> None:
    """The cell by name: for keyboards, and to see what was clicked; some plays of both groups."""
    st.markdown("**The hands behind a cell**")
    labels, names = CONTEXT_LABELS[context], (ANY_MOVE, *move_names(question.classes))
    with row():
        at = select(CONTEXT_TITLES[context], labels, state.key("at"), width=200)
        name = select("Abstract move", names, state.key("move"), width=320)
    moves = () if name == ANY_MOVE else moves_named(name, question.classes)
    show_plays(question, pair, (context, labels.index(at)), moves, "plays")
