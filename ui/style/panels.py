"""The panels of the groups: frequencies of moves, divergences and their decomposition,
bidding, and the hands behind a bar, a cell or a number."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from analysis.bidding import style as bidding
from analysis.bidding.style import MADE, NIL, SUM, BiddingStyle
from analysis.plots.style import MEET_ROW
from analysis.style import counts
from analysis.style.compare import (
    ALPHA,
    DIVERGENCE_COLUMNS,
    GROUP_COLUMNS,
    PUBLISHED_KL,
    REPLICATES,
    Decomposition,
    move_names,
)
from analysis.style.counts import CONTEXT_LABELS, CONTEXT_TITLES, Cell, Group
from analysis.style.kl_sample import OF_THESE_PLAYS
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from ui.shared import tables
from ui.shared.address import ask_number
from ui.shared.bar import show_link
from ui.shared.codecs import Integer
from ui.shared.page import draw_again, is_narrow, literal
from ui.shared.panel import Panel
from ui.shared.tables import columns_of, count, ends, number, with_ends
from ui.shared.widgets import new_click, show_note
from ui.style import cached, state
from ui.style.cached import MAX_LISTED, ListPage, Pair, Selection
from ui.style.state import page

ENDS = {"sd": "standard deviation over games", "interval": "95% bootstrap interval over games"}
EXACT = "95% Clopper–Pearson"
NIL_COLUMNS = {
    "group": "Group",
    "bids": count("Bids"),
    "nils": count("Nils"),
    **with_ends("rate", "Nil rate", hint=f"Of the seat's rounds; {EXACT} interval."),
    "played_out": count("Played out"),
    "made": count("Made"),
    **with_ends("success", "Nil success", hint=f"Of those played out; {EXACT}."),
}
ASKS = {"nils": NIL, "rate": NIL, "made": MADE, "success": MADE}
"""Which rounds a click on a cell of the table of nils asks for, by column."""
PUBLISHED_BIDDING = "Compare Cohensius 2020, figures 5 and 6 and section 1."
BIDDING_CHARTS = {
    "positions": (
        "Mean bid by position",
        "Who bids later has heard more; bars are 95% intervals over games.",
    ),
    "sums": (
        "Sum of the four bids",
        "Share of the rounds in which the group has a seat, by the sum of all four bids. A click "
        "on a point lists its rounds.",
    ),
    "legal": (
        "Branching factor",
        "Share of the plays that pass the filters, by how many cards were legal.",
    ),
}
"""Title and caption of each chart of ``bidding_figures``."""
ANY_MOVE = "any move"
PLAY_COLUMNS = {"trick": "Trick", "card": "Card", "move": "Abstract move"}
ROUND_COLUMNS = {
    "seat": tables.text("Seat", "Of the nil, or all of the group's."),
    "bids": tables.text("Bids", "In the order made."),
    "sum": number("Sum of bids"),
    "tricks": tables.text("Tricks", "Taken by these seats."),
}


def show_groups(groups: pd.DataFrame) -> None:
    columns = columns_of(GROUP_COLUMNS) | {"name": None}  # in the download alone
    Panel("groups").table(groups, columns)
    tables.warn_few(dict(zip(groups["group"], groups["games"], strict=True)), "games")


def show_panels(selection: Selection) -> None:
    """The frequencies, and beside them the hands behind the bar that is chosen."""
    if not page.get("bar"):
        _show_bars(selection)
        show_bar(selection)
        return
    if is_narrow():  # above the chart, which is longer than the screen
        behind = st.container()
        chart = st.container()
    else:
        chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        _show_bars(selection)
    with behind:
        show_bar(selection)


def _show_bars(selection: Selection) -> None:
    hint = f"Devlin 2016, figure 2. {DEFINITIONS_NOTE}"
    panel = Panel("style-panels", "Abstract moves", hint)
    with panel.question:
        page.segments("Share", "measure")
        page.segments("Bar ends", "errors")
    share = page.get("measure")
    errors = page.get("errors")
    groups = {group.value: group for group in selection.groups}
    marked = None
    if page.get("bar"):  # its hands are listed
        group = groups.get(page.get("bar_of"), selection.groups[0])
        marked = (page.get("bar"), group.label)
    figure = cached.panels_figure(selection, share, errors, is_narrow(), marked)
    clicked = panel.figure(
        figure,
        f"A bar is the share {state.MEASURES[share]} in that position; its ends: {ENDS[errors]}. A "
        "click lists its hands. The moves are our reconstruction: the papers print only names.",
        on_select="rerun",
    )
    panel.export(cached.compare(selection).frequencies, "frequencies")
    if clicked and clicked[0] in move_names(selection.classes):
        values = {group.label: group.value for group in selection.groups}
        page.put("bar", str(clicked[0]))
        page.put("bar_of", values.get(str(clicked[-1])))
        draw_again()  # the bar is marked, its hands come beside it


def show_divergences(selection: Selection, pair: Pair) -> None:
    """KL and JS of every pair in a table; a chart of the KL of the ``pair``'s first group to each
    other one, with the published figures."""
    hint = (
        f"KL divergence of the abstract moves; {ALPHA:g} is added to the count of every class. "
        f"Intervals: {REPLICATES:,} bootstraps over games."
    )
    panel = Panel("style-divergences", "How far apart", hint, widths=[1, 2])
    start = pair[0].label
    panel.figure(
        cached.divergence_figure(selection, start),
        f"KL({literal(start)} ‖ each other group); grey tick: the chance level, of groups of one "
        f"style. Dotted lines: published, of agents to real humans. {OF_THESE_PLAYS}.",
    )
    pairs = cached.compare(selection).divergences
    ordered = pairs.sort_values("of", key=lambda label: label != start, kind="stable")
    published = ", ".join(f"{name} {kl:.4f}" for name, kl in PUBLISHED_KL.items())
    note = f"Published (Devlin 2016, table 1), unit and direction not named: {published}."
    panel.table(ordered, columns_of(DIVERGENCE_COLUMNS), note)
    show_link("Papers", "All readings beside the paper's", {"figure": "devlin-table1"})


def show_bidding(selection: Selection, asks: Sequence[str]) -> None:
    """Bids by position, sums of bids, branching factor, nils; a click picks one of ``asks``."""
    style = cached.bidding(selection)
    figures = cached.bidding_figures(selection)
    counted = {"positions": style.positions, "sums": style.sums, "legal": style.legal}
    columns = st.columns(3, gap="medium")
    for column, (name, (title, reading)) in zip(columns, BIDDING_CHARTS.items(), strict=True):
        with column:
            panel = Panel(f"style-{name}", title, PUBLISHED_BIDDING)
            on_select = "rerun" if name == "sums" else "ignore"
            clicked = panel.figure(figures[name], reading, on_select=on_select)
            panel.export(counted[name])
            if clicked and f"{SUM}{clicked[0]}" in asks:
                page.put("rounds", f"{SUM}{clicked[0]}")
    event = Panel("style-nils", "Nils").table(
        style.nils,
        NIL_COLUMNS,
        f"Published, of people (Cohensius 2020): nil in {bidding.PUBLISHED_NIL_RATE:.1%} of "
        f"rounds, made in {bidding.PUBLISHED_NIL_SUCCESS:.1%}. A click lists its rounds.",
        on_select="rerun",
        selection_mode="single-cell",
    )
    cells = event["selection"]["cells"]
    ask = new_click(page.key("clicked_nils"), ASKS.get(cells[0][1]) if cells else None)
    if ask in asks:
        page.put("rounds", ask)


def show_means(style: BiddingStyle) -> None:
    columns = {
        "measure": "Mean of",
        "group": "Group",
        "n": count("n"),
        "games": count("Games"),
        "mean": number("Mean", "%.3f"),
        **ends("%.3f"),
    }
    note = (
        f"Published means (Cohensius 2020): sum of bids {bidding.PUBLISHED_SUM_OF_BIDS:g}, legal "
        f"cards {bidding.PUBLISHED_BRANCHING:g}."
    )
    Panel("means", "Means").table(style.means, columns, note)


def show_bar(selection: Selection) -> None:
    panel = Panel("bar-plays", "The hands behind a bar")
    names = move_names(selection.classes)
    labels = {"": "none: click a bar, or choose", **dict(zip(names, names, strict=True))}
    with panel.question:
        name = page.select("Abstract move of a bar", "bar", labels, width=320)
    if name:
        moves = counts.moves_of_class(names.index(name), selection.classes)
        _show_plays(panel, selection, selection.groups, Cell(tuple(moves)), "bar")


def show_rounds(selection: Selection, known: Mapping[str, str]) -> None:
    panel = Panel("bid-rounds", "The rounds behind a number")
    labels = {"": "none: click a sum or a nil count, or choose", **known}
    with panel.question:
        ask = page.select("Rounds with", "rounds", labels, width=320)
        if not ask:
            return
        group = state.choose_group("rounds", bidding.seat_groups(selection.groups))
        rows, n = _choose_page((ask, group), partial(cached.rounds_behind, selection, ask, group))
    _show_rows(panel, rows, f"{n:,} by {group.label}", "round", ROUND_COLUMNS)


def show_decomposition(selection: Selection, pair: Pair) -> None:
    """The divergence decomposed over a context: its heat map, and the hands behind a cell."""
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        panel = Panel("style-heat", "Where it comes from")
        with panel.question:
            context = page.view("Context", "context", CONTEXT_TITLES)
    parts = cached.decompose(selection, pair, context)
    # The largest cell where the link asks for none, or for one of another context.
    largest = parts.cells.loc[parts.cells["contribution"].idxmax()]
    names = (ANY_MOVE, *move_names(selection.classes))
    page.settle("at", CONTEXT_LABELS[context], str(largest["context"]))
    page.settle("move", names, str(largest["move"]))
    _show_heat_map(panel, parts, selection, pair, context)
    with behind:
        _show_cell(selection, pair, context, names)


def _show_heat_map(
    panel: Panel, parts: Decomposition, selection: Selection, pair: Pair, context: str
) -> None:
    of, to = pair
    reading = (
        "Colour says who plays the move more, its depth how many nats that adds to "
        f"KL({of.label} ‖ {to.label}); faded where noise may explain it. The cells add up to "
        f"{parts.kl_choices:.4f} nats, the first row to {parts.kl_contexts:.4f}: together "
        f"{parts.kl_joint:.4f}, never less than the KL of the moves alone, {parts.kl_moves:.4f}."
    )
    figure = cached.heat_figure(selection, pair, context, is_narrow())
    clicked = panel.figure(figure, literal(reading), on_select="rerun")
    panel.export(parts.cells, "cells")
    if clicked:
        page.put("at", clicked[0])
        page.put("move", ANY_MOVE if clicked[1] == MEET_ROW else clicked[1])


def _show_cell(selection: Selection, pair: Pair, context: str, names: Sequence[str]) -> None:
    """The cell that was clicked or is chosen here, and plays of one of both groups in it.

    ``names``: any move, then those of the classes."""
    panel = Panel("plays", "The hands behind a cell")
    labels = CONTEXT_LABELS[context]
    with panel.question:
        label = page.select(CONTEXT_TITLES[context], "at", labels, width=200)
        name = page.select("Abstract move", "move", names, width=320)
    moves: list[int] = []
    if name != ANY_MOVE:
        moves = counts.moves_of_class(names.index(name) - 1, selection.classes)
    cell = Cell(tuple(moves), (context, labels.index(label)))
    _show_plays(panel, selection, pair, cell, "at")


def _show_plays(
    panel: Panel, selection: Selection, groups: Sequence[Group], cell: Cell, name: str
) -> None:
    with panel.question:
        group = state.choose_group(name, groups)
        rows, n = _choose_page((cell, group), partial(cached.plays_behind, selection, cell, group))
    _show_rows(panel, rows, f"{n:,} by {group.label}", "play", PLAY_COLUMNS)


def _choose_page(what: object, find: Callable[[int], ListPage]) -> ListPage:
    """The page of a list that the reader chose; the choice is kept for each ``what``.

    ``find``: a page, from 0."""
    rows, n = find(0)
    n_pages = counts.page_count(n, MAX_LISTED)
    if n_pages <= 1:
        return rows, n
    key = page.key(f"page_{n_pages}_{what}")
    chosen_pages = st.session_state.setdefault(page.key("pages"), {})
    chosen = chosen_pages.get(key, 1)
    label = f"Page, of {n_pages:,}"
    typed, error = ask_number(label, Integer(1, n_pages), key, chosen, width=200)
    if not error:
        chosen = typed
    chosen_pages[key] = chosen
    return find(chosen - 1)


def _show_rows(
    panel: Panel, rows: pd.DataFrame, counted: str, what: str, columns: Mapping[str, Any]
) -> None:
    """Rows with log, round and ply, each with a link to Replay.

    ``counted``: how many there are, of whom; ``what``: play or round."""
    if rows.empty:
        show_note(f"No such {what}: {counted}.")
        return
    columns = {**tables.REPLAY_COLUMNS, "group": None, "log": "Log", **columns}
    last = ["seat", "kind", "player", "log", "round", "ply"]
    order = ["open", *rows.columns.drop([*last, "group"]), *last]
    if what == "play":
        listed = f"{len(rows)} plays"
        opens = "the hand just before the card."
    else:
        listed = f"{len(rows)} of them"
        opens = "a nil that was set at the trick that set it, every other round at its first lead."
    note = f"{listed}, spread evenly over the logs; in all {counted}. Replay opens {opens}"
    table = tables.with_links(rows)
    panel.table(table, columns, literal(note), height=320, column_order=order)
