"""Where a divergence comes from, and the hands behind a cell, a bar or a number: clicks, lists."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding.style import seat_groups
from analysis.plots.style import MEET_ROW
from analysis.style import counts
from analysis.style.compare import Decomposition, move_names
from analysis.style.counts import CONTEXT_LABELS, CONTEXT_TITLES, Cell, Group
from ui.playstyle import cached
from ui.playstyle.cached import MAX_LISTED, Pair, Question
from ui.playstyle.state import page
from ui.shared.address import replay_link
from ui.shared.tables import REPLAY_COLUMNS, number, show_download, show_table, text
from ui.shared.widgets import clicked_data, new_click, row, show_chart, show_note

ANY_MOVE = "any move"
Found = Callable[[Any, int], tuple[pd.DataFrame, int]]
"""Of a group and a page, from 0: some rows, and how many there are."""
PLAY_COLUMNS = {"trick": "Trick", "card": "Card", "move": "Abstract move"}
ROUND_COLUMNS = {
    "seat": text("Seat", "Of the nil, or all of the group's."),
    "bids": text("Bids", "In the order made."),
    "sum": number("Sum of bids"),
    "tricks": text("Tricks", "Taken by these seats."),
}


def take_click(source: str, clicked: str | None, name: str, known: Sequence[str]) -> None:
    """A new click on a chart or table becomes the bar, or the rounds, shown."""
    if (clicked := new_click(page.key(f"clicked_{source}"), clicked)) in known:
        page.put(name, clicked)


def show_bar(question: Question, groups: Sequence[Group]) -> None:
    """A bar by name, for keyboards and to see what was clicked; some plays behind it."""
    st.markdown("**The hands behind a bar**")
    names = move_names(question.classes)
    labels = {"": "none: click a bar, or choose", **{name: name for name in names}}
    if name := page.select("Abstract move of a bar", "bar", labels, width=320):
        moves = tuple(counts.moves_of_class(names.index(name), question.classes))
        _show_plays(question, groups, Cell(moves), "bar-plays")


def show_rounds(question: Question, known: Mapping[str, str]) -> None:
    """A number of the bidding style by name; some of the rounds behind it."""
    st.markdown("**The rounds behind a number**")
    labels = {"": "none: click a sum or a nil count, or choose", **known}
    if what := page.select("Rounds with", "rounds", labels, width=320):
        groups = seat_groups(question.groups)
        found = _listed(groups, lambda *of: cached.rounds_behind(question, what, *of), what)
        _show_rows(*found, "round", "bid-rounds", ROUND_COLUMNS)


def show_decomposition(question: Question, pair: Pair) -> None:
    """Over which context the divergence is taken apart, its heat map, and the hands behind."""
    st.markdown("**Where it comes from**")
    context = page.view("Context", "context", CONTEXT_TITLES)
    found = cached.decompose(question, pair, context)
    # The cell asked for, the largest where none is; a link may have asked for another.
    largest = found.cells.loc[found.cells["contribution"].idxmax()]
    names = (ANY_MOVE, *move_names(question.classes))
    page.settle("at", CONTEXT_LABELS[context], str(largest["context"]))
    page.settle("move", names, str(largest["move"]))
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        _show_heat_map(found, question, pair, context)
    with behind:
        _show_cell(question, pair, context, names)


def _show_heat_map(found: Decomposition, question: Question, pair: Pair, context: str) -> None:
    """The decomposition; a new click picks the cell shown."""
    figure = cached.heat_figure(question, pair, context)
    event = show_chart(figure, "style_heat", "style-decomposition", takes_clicks=True)
    if clicked := new_click(page.key("clicked"), clicked_data(event)):
        page.put("at", clicked[0])
        page.put("move", ANY_MOVE if clicked[1] == MEET_ROW else clicked[1])
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


def _show_cell(question: Question, pair: Pair, context: str, names: Sequence[str]) -> None:
    """The cell by name: for keyboards, and to see what was clicked; some plays of both groups."""
    st.markdown("**The hands behind a cell**")
    labels = CONTEXT_LABELS[context]
    with row():
        at = page.select(CONTEXT_TITLES[context], "at", labels, width=200)
        name = page.select("Abstract move", "move", names, width=320)
    moves = (
        counts.moves_of_class(names.index(name) - 1, question.classes) if name != ANY_MOVE else ()
    )
    _show_plays(question, pair, Cell(tuple(moves), (context, labels.index(at))), "plays")


def _show_plays(question: Question, groups: Sequence[Group], cell: Cell, file: str) -> None:
    """Some of the plays of each group in a cell, each a link to Replay."""
    found = _listed(groups, lambda *of: cached.plays_behind(question, cell, *of), cell)
    _show_rows(*found, "play", file, PLAY_COLUMNS)


def _listed(groups: Sequence[Any], find: Found, what: object) -> tuple[pd.DataFrame, str]:
    """A page of what was found of each group, the groups in turns; how many there are.

    Other groups, or another ``what``, start at the first page anew.
    """
    found = [find(group, 0) for group in groups]
    n_pages = counts.page_count(max(n for _, n in found), MAX_LISTED)
    if n_pages > 1:
        key = page.key(f"page_{n_pages}_{(*groups, what)}")
        number_of = st.number_input(f"Page, of {n_pages:,}", 1, n_pages, key=key, width=200)
        found = [find(group, number_of - 1) for group in groups]
    tables = [rows for rows, _ in found if len(rows)] or [found[0][0]]
    numbers = {group.label: n for group, (_, n) in zip(groups, found, strict=True)}
    counted = ", ".join(f"{n:,} by {label}" for label, n in numbers.items())
    return pd.concat(tables).sort_index(kind="stable"), counted


def _show_rows(
    rows: pd.DataFrame, counted: str, what: str, file: str, columns: Mapping[str, Any]
) -> None:
    """Rows with log, round and ply, each with a link to Replay; ``what``: play or round."""
    if rows.empty:
        show_note(f"No such {what}: {counted}.")
        return
    links = [replay_link(one.log, one.round, ply=one.ply) for one in rows.itertuples()]
    shown = rows.assign(open=links, kind=rows["kind"].str.replace("-", " "))
    columns = {**REPLAY_COLUMNS, "group": "Group", "log": "Log", **columns}
    show_table(shown[["open", *rows.columns]], file, columns=columns, height=320)
    many, opens = f"{len(rows)} plays", "the hand just before the card."
    if what == "round":
        many = f"{len(rows)} of them"
        opens = "a nil that was set at the trick that set it, every other round at its first lead."
    show_note(f"{many}, spread evenly over the logs; in all {counted}. Replay opens {opens}")
