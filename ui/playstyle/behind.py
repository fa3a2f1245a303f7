"""The hands behind a bar, a cell or a number of the Playstyle page: clicks, controls, lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding.style import seat_groups
from analysis.style.compare import move_names
from analysis.style.counts import Group
from analysis.style.plays import moves_of_class, page_count
from ui.playstyle import cached, state
from ui.playstyle.cached import MAX_LISTED, Question
from ui.shared.address import replay_link
from ui.shared.tables import REPLAY_COLUMNS, number, show_table, text
from ui.shared.widgets import new_click, select, show_note

Found = Callable[[Any, int], tuple[pd.DataFrame, int]]
"""Of a group and a page, from 0: some rows, and how many there are."""


def take_click(source: str, clicked: str | None, name: str, known: Sequence[str]) -> None:
    """A new click on a chart or table becomes the bar, or the rounds, shown."""
    if (clicked := new_click(state.key(f"clicked_{source}"), clicked)) in known:
        state.put(name, clicked)


def show_bar(question: Question, groups: Sequence[Group]) -> None:
    """A bar by name, for keyboards and to see what was clicked; some plays behind it."""
    st.markdown("**The hands behind a bar**")
    names = move_names(question.classes)
    labels = {"": "none: click a bar, or choose", **{name: name for name in names}}
    if name := select("Abstract move of a bar", labels, state.key("bar"), width=320):
        show_plays(question, groups, None, moves_named(name, question.classes), "bar-plays")


def moves_named(name: str, classes: int) -> tuple[int, ...]:
    """Which of the 68 moves a class stands for."""
    return tuple(moves_of_class(move_names(classes).index(name), classes))


def show_plays(
    question: Question,
    groups: Sequence[Group],
    at: tuple[str, int] | None,
    moves: tuple[int, ...],
    file: str,
) -> None:
    """Some of the plays of each group, ``at`` a context and value, each a link to Replay."""
    plays, counted = _listed(
        groups,
        lambda group, page: cached.plays_behind(question, group, at, moves, page),
        (*groups, moves) if at is None else (*groups, at, moves),
    )
    if plays.empty:
        show_note(f"No such play: {counted}.")
        return
    columns = {"trick": "Trick", "card": "Card", "move": "Abstract move"}
    _show_rows(plays, file, columns)
    told = f"{len(plays)} plays, spread evenly over the logs; in all {counted}. Replay opens the "
    show_note(f"{told}hand just before the card.")


def show_rounds(question: Question, known: Mapping[str, str]) -> None:
    """A number of the bidding style by name; some of the rounds behind it."""
    st.markdown("**The rounds behind a number**")
    labels = {"": "none: click a sum or a nil count, or choose", **known}
    what = select("Rounds with", labels, state.key("rounds"), width=320)
    if not what:
        return
    groups = seat_groups(question.groups)
    rounds, counted = _listed(
        groups,
        lambda group, page: cached.rounds_behind(question, group, what, page),
        (*groups, what),
    )
    if rounds.empty:
        show_note(f"No such round: {counted}.")
        return
    columns = {
        "seat": text("Seat", "Of the nil, or all of the group's."),
        "bids": text("Bids", "In the order made."),
        "sum": number("Sum of bids"),
        "tricks": text("Tricks", "Taken by these seats."),
    }
    _show_rows(rounds, "bid-rounds", columns)
    show_note(
        f"{len(rounds)} of them, spread evenly over the logs; in all {counted}. Replay opens a "
        "nil that was set at the trick that set it, every other round at its first lead."
    )


def _listed(groups: Sequence[Any], find: Found, question: object) -> tuple[pd.DataFrame, str]:
    """A page of what was found of each group, the groups in turns; how many there are.

    Another ``question`` starts at the first page anew.
    """
    found = [find(group, 0) for group in groups]
    n_pages = page_count(max(n for _, n in found), MAX_LISTED)
    if n_pages > 1:
        key = state.key(f"page_{n_pages}_{question}")
        page = st.number_input(f"Page, of {n_pages:,}", 1, n_pages, key=key, width=200)
        found = [find(group, page - 1) for group in groups]
    tables = [rows for rows, _ in found if len(rows)] or [found[0][0]]
    counts = {group.label: n for group, (_, n) in zip(groups, found, strict=True)}
    told = ", ".join(f"{n:,} by {label}" for label, n in counts.items())
    return pd.concat(tables).sort_index(kind="stable"), told


def _show_rows(rows: pd.DataFrame, file: str, columns: Mapping[str, Any]) -> None:
    """Rows with log, round and ply, each with a link to Replay."""
    links = [replay_link(one.log, one.round, ply=one.ply) for one in rows.itertuples()]
    shown = rows.assign(open=links, kind=rows["kind"].str.replace("-", " "))
    columns = {**REPLAY_COLUMNS, "group": "Group", "log": "Log", **columns}
    show_table(shown[["open", *rows.columns]], file, columns=columns, height=320)
