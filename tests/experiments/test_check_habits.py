"""Known habits: what is stored of them, and a player that has one."""

import json

import numpy as np
import pytest

from analysis.style.habits import ACTIONS, SITUATIONS, Habit
from experiments.check_habits import (
    ANYWHERE,
    CANDIDATES,
    NEVER,
    PATH,
    KnownHabit,
    action_of,
    choices_of_player,
    is_right,
)


def test_the_shipped_table_says_what_the_guide_says():
    table = json.loads(PATH.read_text())
    assert table["right"] == sum(row["is_right"] for row in table["rows"]) == 19
    assert len(table["rows"]) == len(table["equal"]) == 20
    assert table["equal_without"] == table["equal"].count(0) == 20


def test_a_player_never_does_what_its_habit_forbids(monkeypatch):
    monkeypatch.setattr("experiments.check_habits.ROUNDS", 12)
    never = [i for i, known in enumerate(CANDIDATES) if known.factor == NEVER]
    habit = next(i for i in never if CANDIDATES[i].action == "Follow duck lowest")
    action = [one.name for one in ACTIONS].index("Follow duck lowest")
    with_habit = choices_of_player(habit, 1)
    without = choices_of_player(-1, 1)
    assert len(with_habit) == len(without) == 12 * 13
    tally = with_habit.tally(np.ones(len(with_habit)))
    n_choices, n_taken = tally.n[0, action], tally.taken[0, action]
    assert n_choices > 5
    assert n_taken == 0
    assert without.tally(np.ones(len(without))).taken[0, action] > 0


@pytest.mark.parametrize(
    ("action", "place", "is_more", "is_known"),
    [
        ("Lead spade", 0, False, True),
        ("Lead non-spade", 0, True, True),
        ("Lead spade lowest", 0, False, True),
        ("Lead spade", 0, True, False),
        ("Lead spade", 1, False, False),
        ("Follow duck", 0, False, False),
    ],
)
def test_the_right_row_is_the_habit_in_its_situation_or_its_opposite(
    action, place, is_more, is_known
):
    known = KnownHabit("Lead spade", ANYWHERE, NEVER)
    taken = (9, 1) if is_more else (1, 9)
    found = Habit(
        [one.name for one in ACTIONS].index(action), place, taken[0], 10, taken[1], 10, 0.1, 0.1
    )
    assert SITUATIONS[0] == ANYWHERE
    assert action_of(action).name == action
    assert is_right(known, found) == is_known
