"""Groups: what groups of players play, how far apart they are, and where that comes from."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.bidding.style import asks_of
from analysis.style.compare import move_names
from analysis.style.counts import Group, Plays, groups_of, has_simulated
from spades.core.errors import SpadesError
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from ui.shared.page import draw_so_far, is_narrow
from ui.shared.records import LogKey, log_key, readable_logs
from ui.shared.states import show_empty
from ui.shared.tables import show_achieved, show_repeated
from ui.shared.widgets import NO_LOGS, show_error
from ui.style import cached, habits, nearest, panels, state
from ui.style.cached import Pair, Selection
from ui.style.state import page


def show() -> None:
    entries = readable_logs()
    if not entries:
        show_empty(NO_LOGS, "inbox")
        st.caption(DEFINITIONS_NOTE)
        return
    logs = tuple(log_key(entries[name]) for name in page.get("logs"))
    names = list(entries)
    choice = st.container()
    if not is_narrow():
        with choice:
            state.show_log_controls(names)
    try:
        data = cached.pooled(logs)
    except SpadesError as error:
        if is_narrow():
            with choice:
                state.show_log_controls(names)
        show_error(error, "This log can't be read: ")
        return
    if any(len(plays.log) for plays in data):
        show_groups(logs, data, names, choice)
    else:
        show_empty("No round in these logs.", "inbox")


def show_groups(
    logs: tuple[LogKey, ...], data: list[Plays], names: list[str], choice: DeltaGenerator
) -> None:
    """Everything under the choice of logs; ``names``: of all logs; ``choice``: the place of the
    controls, which on a narrow page are all behind one button."""
    options = groups_of(data, page.get("by"))
    groups = state.settle_groups(options)
    selection = Selection(logs, tuple(groups), state.play_filter(), page.get("classes"))
    with choice:
        if is_narrow():
            with state.choice_button(groups):
                state.show_log_controls(names)
                state.show_group_controls(options)
        else:
            state.show_group_controls(options)
    show_comparison(data, selection, state.choose_pair)


def show_comparison(
    data: list[Plays],
    selection: Selection,
    choose_pair: Callable[[list[Group]], Pair],
    show_more: Callable[[], None] | None = None,
) -> None:
    """What tells the groups of a selection apart; ``choose_pair``: of those with plays;
    ``show_more``: what comes below the habits."""
    page.settle("bar", move_names(selection.classes))
    show_notes(data)
    comparison = cached.compare(selection)
    n_decisions = dict(zip(selection.groups, comparison.groups["decisions"], strict=True))
    played = [group for group in selection.groups if n_decisions[group]]
    if not played:
        panels.show_groups(comparison.groups)
        show_empty("No play passes these filters.", "filter_alt_off")
        return
    pair = None
    if len(played) > 1:
        pair = choose_pair(played)
        habits.show_habits(selection, pair)
        draw_so_far()
    if show_more is not None:
        show_more()
    nearest.show_nearest(selection, pair or played)
    draw_so_far()
    panels.show_panels(selection)
    draw_so_far()
    panels.show_groups(comparison.groups)
    if has_simulated(data):
        show_achieved()
    if pair is not None:
        panels.show_divergences(selection, pair)
        panels.show_decomposition(selection, pair)
    else:
        show_empty("Choose a second group to compare with.", "group_add")
    show_bidding(selection)


def show_bidding(selection: Selection) -> None:
    """Bidding style, and some rounds behind the number chosen; on a narrow page, where all of it
    is long, folded away until it is asked for."""
    bidding = cached.bidding(selection)
    asks = asks_of(bidding.sums["value"].tolist())
    page.settle("rounds", list(asks))
    if is_narrow():
        place = st.expander(
            "Bids, nils and branching factor",
            expanded=bool(page.get("rounds")),
            key="style_bidding_fold",
            on_change="rerun",
        )
        if not place.open:
            return
    else:
        place = st.container()
    with place:
        panels.show_bidding(selection, list(asks))
        panels.show_rounds(selection, asks)
        panels.show_means(bidding)


def show_notes(data: list[Plays]) -> None:
    """Who is simulated, what is counted once."""
    if has_simulated(data):
        st.caption(
            ":material/smart_toy: **Simulated humans** are in these logs, not real players. They "
            "resemble humans only in what the model's features capture."
        )
    show_repeated(sum(int(plays.repeated.sum()) for plays in data), "these logs")
