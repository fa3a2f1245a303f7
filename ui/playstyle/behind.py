"""What is behind a bar or a number of the Playstyle page: clicks, controls, lists of hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding.style_rounds import MADE, NIL, SUM
from analysis.style.compare import move_names
from analysis.style.plays import page_count
from ui.playstyle import state
from ui.playstyle.cells import LINK_COLUMNS, linked, show_page_control
from ui.shared.page import literal
from ui.shared.tables import show_table

MAX_LISTED = 25
NIL_COLUMNS = {"nils": NIL, "rate": NIL, "made": MADE, "success": MADE}
"""What a click on a cell of the table of nils asks for, by column."""

Found = Callable[[Any, int], tuple[pd.DataFrame, int]]
"""Of a group and a page, from 0: some rows, and how many there are."""


def settle(name: str, known: Sequence[str]) -> None:
    """The bar or the number asked for, nothing where it isn't there; a link may have asked."""
    if (value := state.get(name)) and value not in known:
        state.complain(name, value, known)
        state.put(name, "")


def take_bar(event: Any, classes: int) -> None:
    """A new click on a bar becomes the bar shown."""
    _take("bars", _clicked_datum(event), "bar", move_names(classes))


def take_sum(event: Any, known: Sequence[str]) -> None:
    """A new click on a sum of bids becomes the rounds shown."""
    points = event["selection"]["points"] if event else []
    found = f"{SUM}{round(points[0]['x'])}" if points and points[0].get("x") is not None else None
    _take("sums", found, "rounds", known)


def take_nils(event: Any, known: Sequence[str]) -> None:
    """A new click on a cell of the table of nils becomes the rounds shown."""
    cells = event["selection"]["cells"] if event else []
    found = NIL_COLUMNS.get(cells[0][1]) if cells else None
    _take("nils", found, "rounds", known)


def _clicked_datum(event: Any) -> str | None:
    points = event["selection"]["points"] if event else []
    data = points[0].get("customdata") if points else None
    if data is None:
        return None
    return str(data["0"] if isinstance(data, dict) else data[0])


def _take(source: str, clicked: str | None, name: str, known: Sequence[str]) -> None:
    """A chart keeps its selection: only a new one counts, an old one doesn't come back."""
    remembered = state.key(f"clicked_{source}")
    if clicked == st.session_state.get(remembered):
        return
    st.session_state[remembered] = clicked
    if clicked in known:
        state.put(name, clicked)


def show_bar_control(classes: int) -> str:
    """The bar by name: for keyboards, and to see what was clicked; empty for none."""
    st.markdown("**The hands behind a bar**")
    return st.selectbox(
        "Abstract move of a bar",
        ["", *move_names(classes)],
        key=state.key("bar"),
        format_func=lambda move: move or "none: click a bar, or choose",
        width=320,
    )


def show_rounds_control(asks: Mapping[str, str]) -> str:
    """The number by name; empty for none."""
    st.markdown("**The rounds behind a number**")
    return st.selectbox(
        "Rounds with",
        ["", *asks],
        key=state.key("rounds"),
        format_func=lambda what: asks.get(what, "none: click a sum or a nil count, or choose"),
        width=320,
    )


def listed(
    groups: Sequence[Any], find: Found, question: object
) -> tuple[pd.DataFrame, dict[str, int]]:
    """A page of what was found of each group, the groups in turns; how many there are by label."""
    found = [find(group, 0) for group in groups]
    counts = {group.label: n for group, (_, n) in zip(groups, found, strict=True)}
    n_pages = page_count(max(counts.values(), default=0), MAX_LISTED)
    if n_pages > 1 and (page := show_page_control(n_pages, question) - 1):
        found = [find(group, page) for group in groups]
    tables = [rows for rows, _ in found if len(rows)] or [found[0][0]]
    return pd.concat(tables).sort_index(kind="stable"), counts


def show_rounds(rounds: pd.DataFrame, counts: Mapping[str, int]) -> None:
    """Some of the rounds of each group, each a link to Replay."""
    told = ", ".join(f"{n:,} by {label}" for label, n in counts.items())
    if rounds.empty:
        st.caption(literal(f"No such round: {told}."))
        return
    show_table(
        linked(rounds)[["open", *rounds.columns]],
        "bid-rounds",
        columns={
            **LINK_COLUMNS,
            "seat": st.column_config.TextColumn("Seat", help="Of the nil, or all of the group's."),
            "kind": "Kind",
            "player": "Player",
            "hand": st.column_config.TextColumn("Hand", help="Spades.hearts.diamonds.clubs"),
            "bids": st.column_config.TextColumn("Bids", help="In the order made."),
            "sum": st.column_config.NumberColumn("Sum of bids"),
            "tricks": st.column_config.TextColumn("Tricks", help="Taken by these seats."),
        },
        height=320,
    )
    st.caption(
        literal(
            f"{len(rounds)} of them, spread evenly over the logs; in all {told}. Replay opens a "
            "nil that was set at the trick that set it, every other round at its first lead."
        )
    )
