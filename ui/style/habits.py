"""What tells one group from another: the distance in a sentence, habits largest first, and the
positions behind one of them."""

from typing import Literal

import streamlit as st

from analysis.style.habits import ACTIONS, LEAST_PLAYS, SITUATIONS, Habit, habit_table
from analysis.style.kl_sample import OF_THESE_PLAYS
from analysis.text_tables import span, with_interval
from ui.shared.page import is_narrow, literal
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.tables import REPLAY_COLUMNS, count, number, percent, text, with_links
from ui.shared.widgets import show_note
from ui.style import cached
from ui.style.cached import Pair, Selection
from ui.style.state import choose_group, page

SHORT = 180  # pixels of a table on a phone
ROWS_OF_SHORT = 5  # that it has room for
MOST_NAMED = 3  # habits of which the sentence says how much is left
LEAST_NAMED = 0.005  # of the divergence, that habits make
POSITION_COLUMNS = {
    "is_taken": st.column_config.CheckboxColumn("Did", help="Whether the seat did it here."),
    "expected": percent("Human", "How likely a human does it here, by devlin2016-nil."),
    "card": "Card",
    "move": "Abstract move",
    "trick": "Trick",
}


def show_habits(selection: Selection, pair: Pair) -> None:
    """The answer of the page: how far apart two groups are, and by which habits."""
    habits = cached.habits(selection, pair)
    answer = _answer(selection, pair, habits)
    hint = f"{OF_THESE_PLAYS}."
    if not habits:
        Panel("habits").answer(answer, hint)
        show_empty(
            f"No habit is told apart: every one of {LEAST_PLAYS} choices or more is as frequent in "
            "both as chance allows.",
            "balance",
        )
        return
    table, behind = st.columns([2, 1], gap="medium")
    with table:
        panel = Panel("habits")
        panel.answer(answer, hint)
        _show_table(panel, pair, habits)
    with behind:
        _show_positions(selection, pair, habits)


def _answer(selection: Selection, pair: Pair, habits: list[Habit]) -> str:
    of, to = pair
    divergences = cached.compare(selection).divergences
    is_pair = (divergences["of"] == of.label) & (divergences["to"] == to.label)
    row = divergences[is_pair].iloc[0]
    said = (
        f"{literal(of.label)} and {literal(to.label)} are {row['kl']:.4f} nats apart "
        f"({span((row['kl_low'], row['kl_high']), '.4f')}; by chance {row['chance']:.4f})"
    )
    named = habits[:MOST_NAMED]
    if named:
        n = "One habit makes" if len(named) == 1 else f"{len(named)} habits make"
        gone = 1 - named[-1].kl_left / row["kl"]
        if gone >= LEAST_NAMED:
            said += f". {n} {gone:.0%} of it"
    return f"{said}."


def _show_table(panel: Panel, pair: Pair, habits: list[Habit]) -> None:
    of, to = pair
    table = habit_table(habits)
    for side in ("of", "to"):
        table[f"{side}_said"] = [
            with_interval(
                f"{row[f'{side}_share']:.0%}", (row[f"{side}_low"], row[f"{side}_high"]), ".0%"
            )
            for row in table.to_dict("records")
        ]
    hint = "How often, of the plays where it was a choice; 95% interval."
    columns = {
        "habit": text("Habit"),
        "situation": text("Where"),
        "of_said": text(of.label, hint),
        "of_n": count("n", "Choices of the group."),
        "to_said": text(to.label, hint),
        "to_n": count("n", "Choices of the group."),
        "nats": number("Adds", "%.4f", "To the divergence of the choices: nats a play."),
        "kl_left": number("KL left", "%.4f", f"If {to.label} had this habit and those above."),
    }
    note = (
        "A habit is told apart at 95% after the correction for all that were looked at. Then "
        f"{to.label} are weighted until they have it too, and the next is looked for in what is "
        "left."
    )
    event = panel.table(
        table,
        columns,
        literal(note),
        height=_height(len(table), "auto"),
        column_order=list(columns),
        on_select="rerun",
        selection_mode="single-row",
    )
    rows = event["selection"]["rows"]
    if rows:
        page.put("habit", rows[0] + 1)


def _show_positions(selection: Selection, pair: Pair, habits: list[Habit]) -> None:
    """Choices behind a habit; a click on a row's link opens Replay there."""
    chosen = min(page.get("habit"), len(habits))
    page.put("habit", chosen)
    habit = habits[chosen - 1]
    title = f"{ACTIONS[habit.action].name}, {SITUATIONS[habit.place].label}"
    panel = Panel("habit-plays", title)
    with panel.question:
        group = choose_group("habit", pair[::-1])
    rows, n = cached.habit_plays(selection, group, habit)
    if rows.empty:
        show_note(f"No such choice by {group.label}.")
        return
    order = ["open", *POSITION_COLUMNS, "seat", "log", "round", "ply"]
    note = (
        f"{len(rows)} of {n:,} choices by {group.label}, those first that surprise most by what "
        "humans do there."
    )
    panel.table(
        with_links(rows)[order],
        {**REPLAY_COLUMNS, "log": "Log", **POSITION_COLUMNS},
        literal(note),
        height=_height(len(rows), 320),
    )


def _height(n_rows: int, usual: int | Literal["auto"]) -> int | Literal["auto"]:
    """Of a table: on a phone a long one is short and scrolls, a short one has no empty rows."""
    if not is_narrow():
        return usual
    return SHORT if n_rows > ROWS_OF_SHORT else "auto"
