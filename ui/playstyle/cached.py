"""What the Playstyle page shows of its logs, computed once."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from analysis.bidding.style import BiddingStyle, compute_bidding, find_bid_rounds
from analysis.plots import style as plots
from analysis.plots.panels import plot_panels
from analysis.style import compare as style
from analysis.style import counts
from analysis.style.counts import Cell, Group, PlayFilter, Plays
from spades.notation.log_store import open_log
from ui.shared.records import LogKey

MAX_LISTED = 25
Listed = tuple[pd.DataFrame, int]  # a page of rows, and how many there are
Pair = tuple[Group, Group]


@dataclass(frozen=True)
class Question:
    """Which plays of which logs are compared, in which classes."""

    logs: tuple[LogKey, ...]
    groups: tuple[Group, ...]
    where: PlayFilter
    classes: int

    @property
    def colors(self) -> dict[str, str]:
        return plots.color_of(self.groups)


# By their text caches tell questions apart; Streamlit's own way takes 0.8 ms at every call.
OPTIONS: dict[str, Any] = {"show_spinner": False, "hash_funcs": {Question: repr}}
computed_once = st.cache_data(max_entries=64, **OPTIONS)
drawn_once = st.cache_resource(max_entries=64, **OPTIONS)


class Comparison(NamedTuple):
    """The tables of ``analysis.style.compare``."""

    groups: pd.DataFrame
    frequencies: pd.DataFrame
    divergences: pd.DataFrame


@st.cache_resource(max_entries=4, show_spinner="Classifying every play of the log ...")
def classified(log: LogKey) -> Plays:
    return counts.classify(open_log(log.name), log.name)


@st.cache_resource(max_entries=4, show_spinner=False)
def pooled(logs: tuple[LogKey, ...]) -> list[Plays]:
    return counts.pool([classified(log) for log in logs])


def data_of(question: Question) -> list[Plays]:
    return pooled(question.logs)


@computed_once
def compare(question: Question) -> Comparison:
    samples = style.draw_samples(data_of(question), question.groups, question.where)
    tables = style.compute_groups, style.compute_frequencies, style.compute_divergences
    return Comparison(*(compute(samples, question.classes) for compute in tables))


@computed_once
def decompose(question: Question, pair: Pair, context: str) -> style.Decomposition:
    data, where = data_of(question), question.where
    of, to = (counts.context_counts(data, group, where, context) for group in pair)
    return style.compute_decomposition(of, to, context, question.classes)


@computed_once
def bidding(question: Question) -> BiddingStyle:
    return compute_bidding(data_of(question), question.groups, question.where)


@computed_once
def plays_behind(question: Question, cell: Cell, group: Group, page: int) -> Listed:
    data, where = data_of(question), question.where
    return counts.find_plays(data, group, where, cell, limit=MAX_LISTED, page=page)


@computed_once
def rounds_behind(question: Question, what: str, group: Group, page: int) -> Listed:
    return find_bid_rounds(data_of(question), group, what, limit=MAX_LISTED, page=page)


@drawn_once
def panels_figure(
    question: Question, measure: str, errors: str, is_narrow: bool, marked: tuple[str, str] | None
) -> Figure:
    options = {"measure": measure, "errors": errors, "is_narrow": is_narrow, "marked": marked}
    return plot_panels(compare(question).frequencies, colors=question.colors, **options)


@drawn_once
def divergence_figure(question: Question, start: str) -> Figure:
    pairs = compare(question).divergences
    return plots.plot_divergences(pairs[pairs["of"] == start], style.PUBLISHED_KL, question.colors)


@drawn_once
def heat_figure(question: Question, pair: Pair, context: str) -> Figure:
    of, to = (group.label for group in pair)
    found = decompose(question, pair, context)
    by = counts.CONTEXT_TITLES[context].lower()
    return plots.plot_decomposition(found, of=of, to=to, colors=question.colors, by=by)


@drawn_once
def bidding_figures(question: Question) -> dict[str, Figure]:
    return plots.plot_bidding(bidding(question), question.colors)
