"""What the Playstyle page shows of its groups: frequencies, divergences and where they come from,
bidding; the hands behind a cell, a bar or a number."""

from collections.abc import Callable, Mapping, Sequence
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
from ui.playstyle import cached, state
from ui.playstyle.cached import MAX_LISTED, Listed, Pair, Selection
from ui.playstyle.state import page
from ui.shared import tables
from ui.shared.address import ask_number, replay_link
from ui.shared.bar import show_link
from ui.shared.codecs import Integer
from ui.shared.page import draw_again, is_narrow, literal
from ui.shared.tables import columns_of, count, ends, number, show_download, show_table, with_ends
from ui.shared.widgets import clicked_data, new_click, row, show_chart, show_note

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
CHARTS = ("positions", "sums", "legal")
BIDDING_CHARTS = {
    "Mean bid by position": "Who bids later has heard more; bars are 95% intervals over games.",
    "Sum of the four bids": "Share of the rounds in which the group has a seat, by what all four "
    "bid together. A click on a point lists its rounds.",
    "Branching factor": "Share of the plays that pass the filters, by how many cards were legal.",
}
ANY_MOVE = "any move"
FILES = {"bar": "bar-plays", "at": "plays"}
PLAY_COLUMNS = {"trick": "Trick", "card": "Card", "move": "Abstract move"}
ROUND_COLUMNS = {
    "seat": tables.text("Seat", "Of the nil, or all of the group's."),
    "bids": tables.text("Bids", "In the order made."),
    "sum": number("Sum of bids"),
    "tricks": tables.text("Tricks", "Taken by these seats."),
}


def show_groups(groups: pd.DataFrame) -> None:
    columns = columns_of(GROUP_COLUMNS) | {"name": None}  # in the download alone
    show_table(groups, "groups", columns=columns)
    tables.warn_few(dict(zip(groups["group"], groups["games"], strict=True)), "games")


def show_panels(selection: Selection) -> None:
    """The frequencies, and beside them the hands behind the bar that is chosen."""
    if not page.get("bar"):
        _show_bars(selection)
        show_bar(selection)
        return
    # On a phone above the chart, which is longer than the screen.
    places = st.container(), st.container()
    behind, chart = places if is_narrow() else st.columns([3, 2], gap="medium")[::-1]
    with chart:
        _show_bars(selection)
    with behind:
        show_bar(selection)


def _show_bars(selection: Selection) -> None:
    share, errors = page.get("measure"), page.get("errors")
    known = {group.value: group for group in selection.groups}
    group = known.get(page.get("bar_of"), selection.groups[0])
    marked = (page.get("bar"), group.label) if page.get("bar") else None  # its hands are listed
    figure = cached.panels_figure(selection, share, errors, is_narrow(), marked)
    data = clicked_data(show_chart(figure, state.PANELS, "style", on_select="rerun"))
    clicked = new_click(page.key("clicked_bars"), data)
    if clicked and clicked[0] in move_names(selection.classes):
        labels = {group.label: group.value for group in selection.groups}
        page.put("bar", str(clicked[0]))
        page.put("bar_of", labels.get(str(clicked[-1])))
        draw_again()  # the bar is marked, its hands come beside it
    st.caption(
        f"A bar is the share {state.MEASURES[share]} in that position; its ends: {ENDS[errors]}. A "
        "click lists its hands. The moves are our reconstruction: the papers print only names."
    )


def show_divergences(selection: Selection, groups: Sequence[Group]) -> Pair:
    """KL and JS of every pair, the published figures next to them; the pair looked at."""
    hint = f"KL divergence of the abstract moves; {ALPHA:g} is added to the count of every class. "
    hint += f"Intervals: {REPLICATES:,} bootstraps over games."
    st.subheader("How far apart", help=hint)
    pair = state.choose_pair(groups)
    start = pair[0].label
    chart, table = st.columns([1, 2], gap="medium")
    with chart:
        show_chart(cached.divergence_figure(selection, start), "style_divergences", "style-kl")
        st.caption(
            f"KL({literal(start)} ‖ each other group); grey tick: the chance level, of groups of "
            "one style. Dotted lines: published, of agents to real humans."
        )
    pairs = cached.compare(selection).divergences
    with table:
        ordered = pairs.sort_values("of", key=lambda of: of != start, kind="stable")
        show_table(ordered, "divergences", columns=columns_of(DIVERGENCE_COLUMNS))
        published = ", ".join(f"{name} {kl:.4f}" for name, kl in PUBLISHED_KL.items())
        st.caption(f"Published (Devlin 2016, table 1), unit and direction not named: {published}.")
        show_link("Papers", "All readings beside the paper's", {"figure": "devlin-table1"})
    return pair


def show_bidding(selection: Selection, asks: Sequence[str]) -> None:
    """Bids by position, sums of bids, branching factor, nils; a click picks one of ``asks``."""
    st.subheader("Bidding", help="Compare Cohensius 2020, figures 5 and 6 and section 1.")
    columns, figures = st.columns(3, gap="medium"), cached.bidding_figures(selection)
    for column, name, title in zip(columns, CHARTS, BIDDING_CHARTS, strict=True):
        column.markdown(f"**{title}**")
        with column:
            keys = f"style_{name}", f"style-{name}"
            event = show_chart(figures[name], *keys, on_select=name == "sums" and "rerun")
        if name == "sums":
            points = event["selection"]["points"] if event else []
            x = points[0].get("x") if points else None
            take_click("sums", None if x is None else f"{SUM}{round(x)}", "rounds", asks)
        column.caption(BIDDING_CHARTS[title])
    select = {"key": "style_nils", "on_select": "rerun", "selection_mode": "single-cell"}
    event = show_table(cached.bidding(selection).nils, "nils", columns=NIL_COLUMNS, **select)
    st.caption(
        f"Published, of people (Cohensius 2020): nil in {bidding.PUBLISHED_NIL_RATE:.1%} of "
        f"rounds, made in {bidding.PUBLISHED_NIL_SUCCESS:.1%}. A click lists its rounds."
    )
    cells = event["selection"]["cells"]
    take_click("nils", ASKS.get(cells[0][1]) if cells else None, "rounds", asks)


def show_means(style: BiddingStyle) -> None:
    columns = {"measure": "Mean of", "group": "Group", "n": count("n"), "games": count("Games")}
    columns |= {"mean": number("Mean", "%.3f"), **ends("%.3f")}
    show_table(style.means, "means", columns=columns)
    st.caption(
        f"Published means (Cohensius 2020): sum of bids {bidding.PUBLISHED_SUM_OF_BIDS:g}, legal "
        f"cards {bidding.PUBLISHED_BRANCHING:g}."
    )
    charts = {"positions": style.positions, "sums": style.sums, "legal-cards": style.legal}
    with st.container(horizontal=True, gap="small"):
        for name, table in charts.items():
            show_download(table, name, f"{name.capitalize().replace('-', ' ')} (CSV)")


def take_click(source: str, clicked: str | None, name: str, known: Sequence[str]) -> None:
    """A new click on a chart or table becomes the bar, or the rounds, shown."""
    if (clicked := new_click(page.key(f"clicked_{source}"), clicked)) in known:
        page.put(name, clicked)


def show_bar(selection: Selection) -> None:
    st.markdown("**The hands behind a bar**")
    names = move_names(selection.classes)
    labels = {"": "none: click a bar, or choose", **{name: name for name in names}}
    if name := page.select("Abstract move of a bar", "bar", labels, width=320):
        moves = tuple(counts.moves_of_class(names.index(name), selection.classes))
        _show_plays(selection, selection.groups, Cell(moves), "bar")


def show_rounds(selection: Selection, known: Mapping[str, str]) -> None:
    st.markdown("**The rounds behind a number**")
    labels = {"": "none: click a sum or a nil count, or choose", **known}
    if what := page.select("Rounds with", "rounds", labels, width=320):
        group = _choose_group("rounds", bidding.seat_groups(selection.groups))
        found = _listed(lambda at: cached.rounds_behind(selection, what, group, at), (what, group))
        _show_rows(*found, group, "round", "bid-rounds", ROUND_COLUMNS)


def show_decomposition(selection: Selection, pair: Pair) -> None:
    """Over which context the divergence is taken apart, its heat map, and the hands behind."""
    st.markdown("**Where it comes from**")
    context = page.view("Context", "context", CONTEXT_TITLES)
    found = cached.decompose(selection, pair, context)
    # The cell asked for, the largest where none is; a link may have asked for another.
    largest = found.cells.loc[found.cells["contribution"].idxmax()]
    names = (ANY_MOVE, *move_names(selection.classes))
    page.settle("at", CONTEXT_LABELS[context], str(largest["context"]))
    page.settle("move", names, str(largest["move"]))
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        _show_heat_map(found, selection, pair, context)
    with behind:
        _show_cell(selection, pair, context, names)


def _show_heat_map(found: Decomposition, selection: Selection, pair: Pair, context: str) -> None:
    figure = cached.heat_figure(selection, pair, context)
    event = show_chart(figure, "style_heat", "style-decomposition", on_select="rerun")
    if clicked := new_click(page.key("clicked"), clicked_data(event)):
        page.put("at", clicked[0])
        page.put("move", ANY_MOVE if clicked[1] == MEET_ROW else clicked[1])
    of, to = (group.label for group in pair)
    show_note(
        f"Colour says who plays the move more, its depth how many nats that adds to KL({of} ‖ "
        f"{to}); faded where noise may explain it. The cells add up to {found.kl_choices:.4f} "
        f"nats, the first row to {found.kl_contexts:.4f}: together {found.kl_joint:.4f}, never "
        f"less than the KL of the moves alone, {found.kl_moves:.4f}."
    )
    show_download(found.cells, "decomposition", "Cells (CSV)")


def _show_cell(selection: Selection, pair: Pair, context: str, names: Sequence[str]) -> None:
    """The cell by name: for keyboards, and to see what was clicked; some plays of both groups."""
    st.markdown("**The hands behind a cell**")
    labels = CONTEXT_LABELS[context]
    with row():
        at = page.select(CONTEXT_TITLES[context], "at", labels, width=200)
        name = page.select("Abstract move", "move", names, width=320)
    i = names.index(name)  # 0: any move
    moves = counts.moves_of_class(i - 1, selection.classes) if i else ()
    _show_plays(selection, pair, Cell(tuple(moves), (context, labels.index(at))), "at")


def _choose_group(name: str, groups: Sequence[Group]) -> Group:
    """Whose hands are listed: one group at a time."""
    known = {group.value: group for group in groups}
    if len(known) == 1:
        return groups[0]
    labels = {value: group.label for value, group in known.items()}
    if page.get(f"{name}_of") not in labels:
        page.put(f"{name}_of", next(iter(labels)))
    return known[page.select("Hands of", f"{name}_of", labels, width=320)]


def _show_plays(selection: Selection, groups: Sequence[Group], cell: Cell, name: str) -> None:
    group = _choose_group(name, groups)
    found = _listed(lambda at: cached.plays_behind(selection, cell, group, at), (cell, group))
    _show_rows(*found, group, "play", FILES[name], PLAY_COLUMNS)


def _listed(find: Callable[[int], Listed], what: object) -> Listed:
    """A page of what was found; each ``what`` has its own. ``find``: of a page, from 0."""
    rows, n = find(0)
    n_pages = counts.page_count(n, MAX_LISTED)
    if n_pages > 1:
        key, pages = page.key(f"page_{n_pages}_{what}"), page.key("pages")
        known = st.session_state.setdefault(pages, {})
        at = known.get(key, 1)
        typed, why = ask_number(f"Page, of {n_pages:,}", Integer(1, n_pages), key, at, width=200)
        known[key] = at if why else typed
        rows, n = find(known[key] - 1)
    return rows, n


def _show_rows(
    rows: pd.DataFrame, n: int, group: Group, what: str, file: str, columns: Mapping[str, Any]
) -> None:
    """Rows with log, round and ply, each with a link to Replay; ``what``: play or round."""
    counted = f"{n:,} by {group.label}"
    if rows.empty:
        show_note(f"No such {what}: {counted}.")
        return
    links = [replay_link(one.log, one.round, ply=one.ply) for one in rows.itertuples()]
    shown = rows.assign(open=links, kind=rows["kind"].str.replace("-", " "))
    columns = {**tables.REPLAY_COLUMNS, "group": None, "log": "Log", **columns}
    last = ["seat", "kind", "player", "log", "round", "ply"]
    order = ["open", *rows.columns.drop([*last, "group"]), *last]
    show_table(shown[["open", *rows.columns]], file, columns, height=320, column_order=order)
    many, opens = f"{len(rows)} plays", "the hand just before the card."
    if what == "round":
        many = f"{len(rows)} of them"
        opens = "a nil that was set at the trick that set it, every other round at its first lead."
    show_note(f"{many}, spread evenly over the logs; in all {counted}. Replay opens {opens}")
