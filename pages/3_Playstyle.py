"""Playstyle: what groups of players play, how far apart they are, and where that comes from."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.bidding.style import seat_groups
from analysis.bidding.style_rounds import asks_of
from analysis.style.compare import move_names
from analysis.style.counts import CONTEXT_LABELS, Group, PlayFilter, Plays, groups_of, has_simulated
from analysis.style.plays import moves_of_class
from spades.core.errors import SpadesError
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from spades.notation.log_store import LogEntry, list_logs
from ui.playstyle import answers, behind, cells, controls, panels, state
from ui.playstyle.data import Question
from ui.shared import window
from ui.shared.human_figures import show_achieved
from ui.shared.page import draw_so_far, literal, setup, show_complaints
from ui.shared.stored_logs import LogKey, log_key


def main() -> None:
    setup("Playstyle")
    st.title("Playstyle")
    readable = [entry for entry in list_logs() if entry.is_readable]
    # A log with several agents in it has something to compare: those come first.
    entries = {entry.name: entry for entry in sorted(readable, key=has_one_agent)}
    if not entries:
        show_empty()
        return
    state.read_state(list(entries))
    logs = tuple(log_key(entries[name]) for name in state.get("logs"))
    is_back = state.is_back(logs) and not window.is_narrow()
    head = st.container(key=panels.HEAD)
    with head:
        report = st.container()
        if not is_back:
            controls.show_log_controls(list(entries))
    try:
        data = [answers.classified(log) for log in logs]
    except SpadesError as error:
        st.error(literal(f"This log can't be read: {error}"), icon=":material/block:")
        return
    if not any(len(plays.log) for plays in data):
        st.info("No round in these logs.", icon=":material/inbox:")
        return
    show_page(head, logs, data, list(entries) if is_back else [])
    state.write_state()
    with report:
        show_complaints(state.get("complaints"))


def has_one_agent(entry: LogEntry) -> bool:
    plan = entry.provenance.get("plan")
    return not isinstance(plan, dict) or len(set(map(str, plan.get("agents", ())))) < 2


def show_page(
    head: DeltaGenerator, logs: tuple[LogKey, ...], data: list[Plays], log_names: list[str]
) -> None:
    """Everything under the choice of logs.

    ``log_names``: given where the reader is back and that choice isn't shown yet. What was seen
    before is then drawn first, the controls above it, for which it has nothing to wait for, after.
    """
    options = groups_of(data, state.get("by"))
    groups = controls.settle_groups(options)
    question = Question(logs, tuple(groups), state.play_filter(), state.get("classes"))
    behind.settle("bar", move_names(question.classes))
    place = st.container()
    if log_names:
        show_figure(place, question)
        draw_so_far()
    with head:
        if log_names:
            controls.show_log_controls(log_names)
        controls.show_group_controls(options)
        show_notes(data, question.where)
    found = answers.compare(question)
    played = [group for group, n in zip(groups, found.groups["decisions"], strict=True) if n]
    state.keep_seen(logs if played else ())
    if not played:
        panels.show_groups(found.groups)
        st.info("No play passes these filters.", icon=":material/filter_alt_off:")
        return
    with head:
        panels.show_frequency_controls()
    if not log_names:
        show_figure(place, question)
    draw_so_far()
    show_bar(question, played)
    panels.show_tables(found.frequencies, found.groups)
    if has_simulated(data):
        show_achieved()
    if len(played) > 1:
        show_comparison(question, played)
    else:
        st.info("Choose a second group to compare with.", icon=":material/group_add:")
    show_bidding(question, is_simulated=has_simulated(data))


def show_figure(place: DeltaGenerator, question: Question) -> None:
    """The five panels, as the controls say."""
    measure, errors = state.get("measure"), state.get("errors")
    with place:
        figure = answers.panels_figure(question, measure, errors, window.is_narrow())
        panels.show_panels(figure, question.classes)


def show_comparison(question: Question, groups: list[Group]) -> None:
    """Divergences, where one comes from, and the hands behind."""
    panels.show_divergence_title()
    cells.settle_pair(groups)
    pair = cells.show_pair_controls(groups)
    start = pair[0].label
    panels.show_divergences(
        answers.compare(question).divergences, start, answers.divergence_figure(question, start)
    )
    context = cells.show_context_control()
    found = answers.decompose(question, pair, context)
    cells.settle_cell(found, context, question.classes)
    chart, behind = st.columns([3, 2], gap="medium")
    with chart:
        cells.show_heat_map(found, pair, answers.heat_figure(question, pair, context))
    with behind:
        cells.show_cell_controls(question.classes)
        show_hands(question, pair)


def show_hands(question: Question, pair: tuple[Group, Group]) -> None:
    """Some plays of both groups in the cell chosen."""
    context, name = state.get("context"), state.get("move")
    moves = () if name == cells.ANY_MOVE else moves_named(name, question.classes)
    at = (context, CONTEXT_LABELS[context].index(state.get("at")))
    plays, counts = behind.listed(
        pair,
        lambda group, page: answers.plays_behind(question, group, at, moves, page),
        (*pair, at, moves),
    )
    cells.show_plays(plays, counts)


def show_bar(question: Question, groups: list[Group]) -> None:
    """Some plays of every group behind the bar chosen."""
    name = behind.show_bar_control(question.classes)
    if not name:
        return
    moves = moves_named(name, question.classes)
    plays, counts = behind.listed(
        groups,
        lambda group, page: answers.plays_behind(question, group, None, moves, page),
        (*groups, moves),
    )
    cells.show_plays(plays, counts, "bar-plays")


def show_bidding(question: Question, *, is_simulated: bool) -> None:
    """Bidding style, and in it some rounds behind the number chosen."""
    found = answers.bidding(question)
    asks = asks_of(found.sums["value"].tolist())
    behind.settle("rounds", list(asks))
    figures = answers.bidding_figures(question)
    panels.show_bidding(found, figures, list(asks), is_simulated=is_simulated)
    if what := behind.show_rounds_control(asks):
        groups = seat_groups(question.groups)
        rounds, counts = behind.listed(
            groups,
            lambda group, page: answers.rounds_behind(question, group, what, page),
            (*groups, what),
        )
        behind.show_rounds(rounds, counts)
    panels.show_means(found)


def moves_named(name: str, classes: int) -> tuple[int, ...]:
    """Which of the 68 moves a class stands for."""
    return tuple(moves_of_class(move_names(classes).index(name), classes))


def show_notes(data: list[Plays], where: PlayFilter) -> None:
    """What the reader must know of these plays: who is simulated, what is left out."""
    if has_simulated(data):
        st.caption(
            ":material/smart_toy: **Simulated humans** are in these logs: the log-linear model of "
            "Devlin 2016 and a bidder calibrated to published figures, not real players. They keep "
            "only what the model's features see of human play, and may stand nearer to the bots."
        )
    if text := controls.filter_text(where):
        st.caption(f":material/filter_alt: Only plays with {literal(text)}.")


def show_empty() -> None:
    st.info(
        "No logs yet: make one on the Data page, or run `python -m spades simulate "
        "--rounds 2000 --out data/logs/first.parquet`, then reload.",
        icon=":material/inbox:",
    )
    st.caption(DEFINITIONS_NOTE)


if __name__ == "__main__":
    main()
