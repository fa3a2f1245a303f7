"""Habits: a planted one is found first, equal groups have none, numbers are the page's."""

import numpy as np
import pytest

from analysis.style.compare import compute_divergences, draw_samples
from analysis.style.counts import PlayFilter, classify, groups_of
from analysis.style.habits import (
    ACTIONS,
    HABIT_COLUMNS,
    SITUATIONS,
    Choices,
    find_habits,
    habit_table,
    plays_of_habit,
)
from spades.human.features.abstract_moves import (
    MOVE_32_OF_68,
    MOVES_32,
    N_MOVES,
    N_SUIT_MOVES,
)
from spades.notation.log_store import open_log

LEAD_HIGH, LEAD_LOW, DUCK_HIGH, DUCK_LOW = (
    MOVES_32.index(name)
    for name in (
        "Lead non-spade highest",
        "Lead non-spade lowest",
        "Follow duck highest",
        "Follow duck lowest",
    )
)
FIRST_OF_68 = np.searchsorted(MOVE_32_OF_68, np.arange(N_MOVES))
EVERYWHERE, LEADS, OWN_NIL = (
    next(i for i, one in enumerate(SITUATIONS) if one.label == label)
    for label in ("everywhere", "place in the trick: leads", "nil alive: own")
)


def plays(rng, n, lead_low, duck_low, duck_low_at_nil):
    """Half the plays lead, half follow, one in four has an own nil alive; the chance of the lower
    of two cards."""
    is_lead = rng.random(n) < 0.5
    is_nil = rng.random(n) < 0.25
    chance = np.where(is_lead, lead_low, np.where(is_nil, duck_low_at_nil, duck_low))
    is_low = rng.random(n) < chance
    lead = np.where(is_low, LEAD_LOW, LEAD_HIGH)
    duck = np.where(is_low, DUCK_LOW, DUCK_HIGH)
    two = np.where(is_lead, 1 << LEAD_LOW | 1 << LEAD_HIGH, 1 << DUCK_LOW | 1 << DUCK_HIGH)
    situations = (
        (1 << EVERYWHERE) | np.where(is_lead, 1 << LEADS, 0) | np.where(is_nil, 1 << OWN_NIL, 0)
    )
    return Choices(
        moves=FIRST_OF_68[np.where(is_lead, lead, duck)].astype(np.int8),
        offered=two.astype(np.int64),
        situations=situations.astype(np.int64),
        games=np.arange(n) // 13,
    )


def named(habit):
    return ACTIONS[habit.action].name, SITUATIONS[habit.place].label


def test_a_planted_habit_is_the_first_row_and_a_smaller_one_the_second():
    rng = np.random.default_rng(1)
    one = plays(rng, 4000, lead_low=0.8, duck_low=0.5, duck_low_at_nil=0.9)
    other = plays(rng, 4000, lead_low=0.3, duck_low=0.5, duck_low_at_nil=0.5)
    habits = find_habits(one, other)
    assert len(habits) == 2
    assert named(habits[0])[0] in ("Lead non-spade lowest", "Lead non-spade highest")
    assert named(habits[0])[1] == "everywhere"
    assert named(habits[1])[0] in ("Follow duck lowest", "Follow duck highest")
    assert named(habits[1])[1] == "nil alive: own"
    assert habits[0].nats > habits[1].nats
    kls = [habit.kl_left for habit in habits]
    assert kls[0] > kls[1]
    assert kls[1] < 0.005


def test_what_the_other_group_never_does_is_listed_once():
    """No weights can make it: what is left stays as it was, and other habits are found."""
    rng = np.random.default_rng(8)
    one = plays(rng, 4000, lead_low=0.8, duck_low=0.6, duck_low_at_nil=0.6)
    other = plays(rng, 4000, lead_low=0.0, duck_low=0.3, duck_low_at_nil=0.3)
    first, second, *others = find_habits(one, other)
    assert named(first)[0].startswith("Lead non-spade")
    assert (first.to_taken, first.to_n)[0] in (0, first.to_n)
    names = [named(habit) for habit in (first, second, *others)]
    assert len(set(names)) == len(names)
    assert any(name.startswith("Follow duck") for name, _ in names)
    last = (second, *others)[-1]
    assert last.kl_left < first.kl_left


def test_what_a_habit_adds_is_its_share_times_the_kl_of_its_rates():
    rng = np.random.default_rng(2)
    one = plays(rng, 20_000, lead_low=0.9, duck_low=0.5, duck_low_at_nil=0.5)
    other = plays(rng, 20_000, lead_low=0.4, duck_low=0.5, duck_low_at_nil=0.5)
    (habit,) = find_habits(one, other)
    p, q = habit.of_taken / habit.of_n, habit.to_taken / habit.to_n
    kl = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    assert habit.nats == pytest.approx(habit.of_n / len(one) * kl, rel=0.01)
    assert {round(p, 1), round(q, 1)} in ({0.9, 0.4}, {0.1, 0.6})
    assert habit.is_more == (p > q)


def test_equal_groups_have_no_habit():
    n_listed = 0
    for seed in range(20):
        rng = np.random.default_rng(100 + seed)
        same = {"lead_low": 0.5, "duck_low": 0.3, "duck_low_at_nil": 0.3}
        n_listed += bool(find_habits(plays(rng, 2000, **same), plays(rng, 2000, **same)))
    assert n_listed <= 2


def test_few_plays_are_not_looked_at():
    rng = np.random.default_rng(3)
    one = plays(rng, 30, lead_low=1.0, duck_low=1.0, duck_low_at_nil=1.0)
    other = plays(rng, 30, lead_low=0.0, duck_low=0.0, duck_low_at_nil=0.0)
    assert all(min(habit.of_n, habit.to_n) >= 20 for habit in find_habits(one, other))
    nobody = Choices(one.moves[:0], one.offered[:0], one.situations[:0], one.games[:0])
    assert find_habits(nobody, other) == []
    assert list(habit_table([]).columns) == HABIT_COLUMNS


@pytest.fixture(scope="module")
def human_south():
    return [classify(open_log("human-south").take(slice(0, 300)), "human-south")]


def test_plays_of_a_log_are_choices_among_offered_moves(human_south):
    (group, _) = groups_of(human_south, "kind")
    choices = Choices.of(human_south, group, PlayFilter())
    assert (choices.offered >> choices.moves_32.astype(np.int64) & 1).all()
    is_forced = np.bitwise_count(choices.offered) == 1
    assert (choices.masks[0][is_forced] == 0).all()
    assert (choices.masks[1] & ~choices.masks[0] == 0).all()
    n, taken, *_ = choices.tally(np.ones(len(choices)))
    for i in range(N_MOVES):
        at = choices.at(EVERYWHERE, i)
        assert tuple(at.sum(axis=1)) == (n[EVERYWHERE, i], taken[EVERYWHERE, i])


def test_a_tally_is_what_plays_give_game_by_game(human_south):
    group = groups_of(human_south, "kind")[0]
    choices = Choices.of(human_south, group, PlayFilter())
    weights = np.random.default_rng(2).uniform(0.5, 2, len(choices))
    tally = choices.tally(weights)
    for place, action in ((EVERYWHERE, 0), (EVERYWHERE, 33), (1, 40)):
        is_choice, is_taken = choices.at(place, action)
        n = weights[is_choice].sum()
        rate = weights[is_taken].sum() / n
        residuals = np.bincount(choices.games, weights * (is_taken - rate * is_choice))
        assert tally.n[place, action] == pytest.approx(n)
        assert tally.rates[place, action] == pytest.approx(rate)
        assert tally.rate_errors[place, action] == pytest.approx(np.sqrt((residuals**2).sum()) / n)
        assert tally.effective_n[place, action] == pytest.approx(
            n**2 / (weights[is_choice] ** 2).sum()
        )


@pytest.mark.parametrize("classes", [N_MOVES, N_SUIT_MOVES])
def test_what_is_left_begins_at_the_kl_of_the_page(human_south, classes):
    groups = groups_of(human_south, "kind")
    one, other = (Choices.of(human_south, group, PlayFilter()) for group in groups)
    samples = draw_samples(human_south, groups, PlayFilter())
    kl = compute_divergences(samples, classes).iloc[0]["kl"]
    habits = find_habits(one, other, classes=classes)
    assert habits
    assert habits[0].kl_left < kl
    assert habits[-1].kl_left < habits[0].kl_left
    table = habit_table(habits)
    assert (table["of_low"] <= table["of_share"]).all()
    assert (table["of_share"] <= table["of_high"]).all()
    assert (table["nats"] > 0).all()


def test_the_plays_behind_a_habit_are_its_choices_most_surprising_first(human_south):
    groups = groups_of(human_south, "kind")
    one, other = (Choices.of(human_south, group, PlayFilter()) for group in groups)
    habit = find_habits(one, other)[0]
    rows, n = plays_of_habit(human_south, groups[1], PlayFilter(), habit)
    assert n == habit.to_n
    assert 0 < len(rows) <= n
    assert rows["expected"].between(0, 1).all()
    surprise = np.where(rows["is_taken"], rows["expected"], 1 - rows["expected"])
    assert (np.diff(surprise) >= 0).all()
