"""The Playstyle page's heat map, and the hands behind a cell of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.plots.style import MEET_ROW
from analysis.style.compare import Decomposition, move_names
from analysis.style.counts import CONTEXT_LABELS, CONTEXT_TITLES, Group
from ui.playstyle import state
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_download, show_table

CHART = "style_heat"
ANY_MOVE = "any move"


def settle_pair(groups: list[Group]) -> tuple[Group, Group]:
    """The two groups to compare, in order; the first two where none are chosen."""
    known = {group.value: group for group in groups}
    for name in ("from", "to"):
        if (value := state.get(name)) is not None and value not in known:
            state.complain(name, value, list(known))
    start = known.get(state.get("from"), groups[0])
    others = [group for group in groups if group != start]
    end = known.get(state.get("to"), others[0])
    end = end if end != start else others[0]
    state.put("from", start.value)
    state.put("to", end.value)
    return start, end


def show_pair_controls(groups: list[Group]) -> tuple[Group, Group]:
    """Which divergence is looked at: a select box each way."""
    known = {group.value: group for group in groups}
    labels = {group.value: group.label for group in groups}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        start = st.selectbox(
            "KL of", list(known), key=state.key("from"), format_func=labels.get, width=320
        )
        others = [value for value in known if value != start]
        if state.get("to") not in others:
            state.put("to", others[0])
        end = st.selectbox("to", others, key=state.key("to"), format_func=labels.get, width=320)
    return known[start], known[end]


def settle_cell(found: Decomposition, context: str, classes: int) -> None:
    """The cell asked for, the largest where none is; a link may have asked for another."""
    wanted = (("at", CONTEXT_LABELS[context]), ("move", (*move_names(classes), ANY_MOVE)))
    for name, known in wanted:
        if (value := state.get(name)) and value not in known:
            state.complain(name, value, known)
            state.put(name, "")
    at, move = largest_cell(found)
    state.put("at", state.get("at") or at)
    state.put("move", state.get("move") or move)


def largest_cell(found: Decomposition) -> tuple[str, str]:
    row = found.cells.loc[found.cells["contribution"].idxmax()]
    return str(row["context"]), str(row["move"])


def show_heat_map(found: Decomposition, pair: tuple[Group, Group], figure: Figure) -> None:
    """The decomposition; a click picks a cell."""
    of, to = (group.label for group in pair)
    event: Any = st.plotly_chart(
        figure,
        width="stretch",
        key=CHART,
        on_select="rerun",
        selection_mode="points",
        config=chart_config("style-decomposition"),
    )
    _take_click(event)
    context = CONTEXT_TITLES[state.get("context")].lower()
    st.caption(
        literal(
            f"Where KL({of} ‖ {to}) comes from, by {context}: colour says who plays the move more, "
            "its depth how many nats that adds; faded where noise may explain it. The cells add up "
            f"to {found.kl_choices:.4f} nats of choices within a context, the first row to "
            f"{found.kl_contexts:.4f} of meeting it more or less often: together "
            f"{found.kl_joint:.4f}, never less than the KL of the moves alone, "
            f"{found.kl_moves:.4f}. (Chain rule; each term is p ln(p/q) − p + q.)"
        )
    )
    show_download(found.cells, "decomposition", "Cells (CSV)")


def _take_click(event: Any) -> None:
    """A new click on the chart becomes the cell shown; an old one doesn't come back."""
    points = event["selection"]["points"] if event else []
    data = points[0].get("customdata") if points else None
    if data is None:
        return
    at, move = (data["0"], data["1"]) if isinstance(data, dict) else (data[0], data[1])
    clicked = (at, ANY_MOVE if move == MEET_ROW else move)
    if clicked != st.session_state.get(state.key("clicked")):
        state.put("clicked", clicked)
        state.put("at", clicked[0])
        state.put("move", clicked[1])


def show_context_control() -> str:
    """Over which context the divergence is taken apart."""
    st.markdown("**Where it comes from**")
    return st.segmented_control(
        "Context",
        list(CONTEXT_TITLES),
        key=state.key("context"),
        format_func=CONTEXT_TITLES.get,
        required=True,
        label_visibility="collapsed",
    )


def show_cell_controls(classes: int) -> None:
    """The cell by name: for keyboards, and to see what was clicked."""
    st.markdown("**The hands behind a cell**")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            CONTEXT_TITLES[state.get("context")],
            CONTEXT_LABELS[state.get("context")],
            key=state.key("at"),
            width=200,
        )
        st.selectbox(
            "Abstract move", [ANY_MOVE, *move_names(classes)], key=state.key("move"), width=320
        )


def show_page_control(n_pages: int, question: object) -> int:
    """Which page of a cell's plays is listed, from 1; another ``question`` starts anew."""
    return st.number_input(
        f"Page, of {n_pages:,}",
        1,
        n_pages,
        key=state.key(f"page_{n_pages}_{question}"),
        width=200,
    )


LINK_COLUMNS = {
    "open": st.column_config.LinkColumn("Open", display_text="Replay", width="small"),
    "group": "Group",
    "log": "Log",
    "round": st.column_config.NumberColumn("Round", help="Row of the log, from 0."),
    "ply": st.column_config.NumberColumn("Ply", help="Cards played before, from 0."),
}


def linked(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with log, round and ply, each with a link to Replay."""
    return rows.assign(
        open=[
            "/?" + urlencode({"log": row.log, "round": row.round, "ply": row.ply})
            for row in rows.itertuples()
        ],
        kind=rows["kind"].str.replace("-", " "),
    )


def show_plays(plays: pd.DataFrame, counts: Mapping[str, int], file: str = "plays") -> None:
    """Some of the plays of each group behind a cell or a bar, each a link to Replay."""
    told = ", ".join(f"{n:,} by {label}" for label, n in counts.items())
    if plays.empty:
        st.caption(literal(f"No such play: {told}."))
        return
    shown = linked(plays)
    show_table(
        shown[["open", *plays.columns]],
        file,
        columns={
            **LINK_COLUMNS,
            "trick": "Trick",
            "seat": "Seat",
            "kind": "Kind",
            "player": "Player",
            "card": "Card",
            "move": "Abstract move",
        },
        height=320,
    )
    st.caption(
        literal(
            f"{len(plays)} plays, spread evenly over the logs; in all {told}. Replay opens the "
            "hand just before the card."
        )
    )
