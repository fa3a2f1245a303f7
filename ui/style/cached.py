"""What the views of groups and of one player show of their logs, computed once."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.style import BiddingStyle, compute_bidding, find_bid_rounds
from analysis.people.rates import compare_rates, rates_in_parts, trials_of
from analysis.plots import style as plots
from analysis.plots.layout import with_narrow
from analysis.plots.panels import plot_panels
from analysis.style import compare as style
from analysis.style import counts
from analysis.style.counts import Cell, Group, PlayFilter, Plays
from analysis.style.habits import Choices, Habit, find_habits, plays_of_habit
from analysis.sweeps.nearest import Neighbour, nearest_settings
from spades.core.kernel import BoolArray
from spades.core.logs import Log
from spades.notation.log_store import open_log
from ui.shared.records import LogKey

MAX_LISTED = 25
ListPage = tuple[pd.DataFrame, int]  # some rows, and how many there are in all
Pair = tuple[Group, Group]


@dataclass(frozen=True)
class Selection:
    """Which plays of which logs are compared, in which classes."""

    logs: tuple[LogKey, ...]
    groups: tuple[Group, ...]
    where: PlayFilter
    classes: int

    @property
    def colors(self) -> dict[str, str]:
        return plots.color_of(self.groups)


# By their text caches tell selections apart; Streamlit's own way takes 0.8 ms at every call.
OPTIONS: dict[str, Any] = {"show_spinner": False, "hash_funcs": {Selection: repr}}
computed_once = st.cache_data(max_entries=64, **OPTIONS)
drawn_once = st.cache_resource(max_entries=64, **OPTIONS)


@st.cache_resource(max_entries=4, show_spinner="Classifying every play of the log ...")
def classified(log: LogKey) -> Plays:
    return counts.classify(open_log(log.name), log.name)


@st.cache_resource(max_entries=4, show_spinner=False)
def pooled(logs: tuple[LogKey, ...]) -> list[Plays]:
    return counts.pool([classified(log) for log in logs])


def data_of(selection: Selection) -> list[Plays]:
    return pooled(selection.logs)


@computed_once
def compare(selection: Selection) -> style.StyleComparison:
    samples = style.draw_samples(data_of(selection), selection.groups, selection.where)
    return style.StyleComparison.of(samples, selection.classes)


@computed_once
def decompose(selection: Selection, pair: Pair, context: str) -> style.Decomposition:
    data = data_of(selection)
    of, to = pair
    of_counts = counts.context_counts(data, of, selection.where, context)
    to_counts = counts.context_counts(data, to, selection.where, context)
    return style.compute_decomposition(of_counts, to_counts, context, selection.classes)


@computed_once
def choices(selection: Selection, group: Group) -> Choices:
    return Choices.of(data_of(selection), group, selection.where)


@computed_once
def habits(selection: Selection, pair: Pair) -> list[Habit]:
    of, to = pair
    own, others = (choices(selection, group) for group in (of, to))
    return find_habits(own, others, classes=selection.classes)


@computed_once
def habit_plays(selection: Selection, group: Group, habit: Habit) -> ListPage:
    data = data_of(selection)
    return plays_of_habit(data, group, selection.where, habit, limit=MAX_LISTED)


@computed_once
def nearest(selection: Selection, group: Group) -> list[Neighbour]:
    (sample,) = style.draw_samples(data_of(selection), [group], selection.where)
    return nearest_settings(sample, selection.classes)


@computed_once
def rates(selection: Selection, pair: Pair) -> pd.DataFrame:
    own, others = pair
    trials = [trials_of(*_seats(selection, group)) for group in (own, others)]
    return compare_rates(*trials)


@computed_once
def rate_in_parts(selection: Selection, group: Group, measure: str) -> pd.DataFrame:
    return rates_in_parts(*_seats(selection, group), measure)


def _seats(selection: Selection, group: Group) -> tuple[Log, BoolArray]:
    """The one log that has a group, and the group's seats in it."""
    plays = next(plays for plays in data_of(selection) if plays.name == group.log)
    return plays.log, counts.seats_of(plays, group)


@computed_once
def bidding(selection: Selection) -> BiddingStyle:
    return compute_bidding(data_of(selection), selection.groups, selection.where)


@computed_once
def plays_behind(selection: Selection, cell: Cell, group: Group, page: int) -> ListPage:
    data = data_of(selection)
    return counts.find_plays(data, group, selection.where, cell, limit=MAX_LISTED, page=page)


@computed_once
def rounds_behind(selection: Selection, what: str, group: Group, page: int) -> ListPage:
    return find_bid_rounds(data_of(selection), group, what, limit=MAX_LISTED, page=page)


@drawn_once
def panels_figure(
    selection: Selection, measure: str, errors: str, is_narrow: bool, marked: tuple[str, str] | None
) -> Figure:
    draw = partial(
        plot_panels,
        compare(selection).frequencies,
        colors=selection.colors,
        measure=measure,
        errors=errors,
        marked=marked,
    )
    if is_narrow:
        return draw(is_narrow=True)
    return with_narrow(draw(), draw(is_narrow=True))


@drawn_once
def divergence_figure(selection: Selection, start: str) -> Figure:
    pairs = compare(selection).divergences
    shown = pairs[pairs["of"] == start]
    return plots.plot_divergences(shown, style.PUBLISHED_KL, selection.colors)


@drawn_once
def heat_figure(selection: Selection, pair: Pair, context: str, is_narrow: bool) -> Figure:
    of, to = pair
    return plots.plot_decomposition(
        decompose(selection, pair, context),
        of=of.label,
        to=to.label,
        colors=selection.colors,
        by=counts.CONTEXT_TITLES[context].lower(),
        is_narrow=is_narrow,
    )


@drawn_once
def bidding_figures(selection: Selection) -> dict[str, Figure]:
    return plots.plot_bidding(bidding(selection), selection.colors)
