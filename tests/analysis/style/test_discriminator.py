"""The discriminator: chance for equal groups, hand counts, intervals."""

import numpy as np
import pytest

from analysis.style import discriminator
from analysis.style.counts import Group, PlayFilter, classify
from analysis.style.discriminator import FOLDS, Discriminator
from analysis.style.habits import SITUATIONS, Choices
from spades.core.records import SIMULATED_HUMAN
from spades.human import simulate_humans
from spades.human.features.abstract_moves import MOVE_32_OF_68

EVERYWHERE = 1  # the mask of the first situation alone
A, B, C = 3, 7, 20  # moves


def choices_of(moves, games, offered=(A, B), situations=EVERYWHERE):
    moves = np.searchsorted(MOVE_32_OF_68, moves).astype(np.int8)  # of the 68
    n = len(moves)
    return Choices(
        moves,
        np.full(n, sum(1 << move for move in offered), dtype=np.int64),
        np.broadcast_to(np.asarray(situations, dtype=np.int64), n).copy(),
        np.asarray(games, dtype=np.int64),
    )


def drawn(rng, p, n_games=60, plays=20, situations=EVERYWHERE):
    """Choices between A and B, A with probability p (a number, or one a play)."""
    n = n_games * plays
    moves = np.where(rng.random(n) < p, A, B)
    return choices_of(moves, np.repeat(np.arange(n_games), plays), situations=situations)


def simulated(seed, rounds=300):
    log = simulate_humans(rounds, seed)
    group = Group("kind", SIMULATED_HUMAN, "humans")
    return Choices.of([classify(log)], group, PlayFilter())


def test_a_simulated_human_is_not_told_from_itself():
    found = Discriminator(simulated(11)).tell(simulated(21))
    assert found.auc == pytest.approx(0.5, abs=0.02)
    low, high = found.interval
    assert high - low < 0.03


def test_two_rates_of_one_move_have_the_auc_that_is_counted_by_hand():
    """Of 10 choices 8 are A, of the others 4: a pair is told right if it is (A, B), half if it is
    equal: 0.8 * 0.6 + 0.5 * (0.8 * 0.4 + 0.2 * 0.6) = 0.7."""
    games = np.repeat(np.arange(2 * FOLDS), 10)
    one = choices_of(np.tile([A] * 8 + [B] * 2, 2 * FOLDS), games)
    other = choices_of(np.tile([A] * 4 + [B] * 6, 2 * FOLDS), games)
    found = Discriminator(other).tell(one)
    assert found.auc == pytest.approx(0.7)
    assert (found.n_one, found.n_other, found.n_games) == (100, 100, 10)
    assert found.interval == pytest.approx((0.7, 0.7)), "all games are alike"


def test_a_habit_in_one_situation_is_told():
    rng = np.random.default_rng(4)
    situations = np.where(rng.random(1200) < 0.5, 1 | 2, 1 | 4)
    is_first = situations == 3
    one = drawn(rng, np.where(is_first, 0.9, 0.1), situations=situations)
    other = drawn(rng, 0.5, situations=situations)
    found = Discriminator(other).tell(one)
    assert found.auc == pytest.approx(0.7, abs=0.03), "0.5 of a pair's plays in either situation"
    assert found.interval[0] > 0.6


def test_forced_plays_do_not_count():
    rng = np.random.default_rng(5)
    one, other = (drawn(rng, p) for p in (0.7, 0.5))
    whole = Discriminator(other).tell(one)
    forced = choices_of([C] * 600, np.arange(600) % 60, offered=(C,))
    with_forced = []
    for group in (one, other):
        columns = zip(group.arrays, forced.arrays, strict=True)
        with_forced.append(Choices(*(np.concatenate(pair) for pair in columns)))
    assert Discriminator(with_forced[1]).tell(with_forced[0]) == whole


@pytest.mark.slow
def test_the_interval_of_equal_groups_holds_chance_as_often_as_it_says():
    rng = np.random.default_rng(6)
    n_held = 0
    for _ in range(100):
        found = Discriminator(drawn(rng, 0.5, 30, 10)).tell(drawn(rng, 0.5, 30, 10))
        low, high = found.interval
        n_held += low < 0.5 < high
    assert 90 <= n_held <= 99


def test_too_few_games_are_not_judged():
    rng = np.random.default_rng(7)
    few, enough = (drawn(rng, 0.5, n) for n in (FOLDS - 1, FOLDS))
    assert Discriminator(enough).tell(few) is None
    assert Discriminator(few).tell(enough) is None
    assert Discriminator(enough).tell(enough) is not None
    nothing = few.take(slice(0))
    assert Discriminator(enough).tell(nothing) is None


def test_likelihood_and_gradient_are_those_of_the_model():
    rng = np.random.default_rng(8)
    weights = rng.normal(size=(len(SITUATIONS), 32))
    choices = choices_of([A, C], [0, 1], offered=(A, B, C), situations=[1 | 2, 1 | 8])
    log_p, gradient = discriminator._log_probabilities(choices, weights)
    utilities = [weights[[0, 1]].sum(axis=0), weights[[0, 3]].sum(axis=0)]
    for i, move in enumerate([A, C]):
        p = np.exp(utilities[i][[A, B, C]])
        assert log_p[i] == pytest.approx(np.log(np.exp(utilities[i][move]) / p.sum()))
    for place, move in ((0, A), (1, B), (3, C), (2, A)):
        step = np.zeros_like(weights)
        step[place, move] = 1e-6
        up, _ = discriminator._log_probabilities(choices, weights + step)
        down, _ = discriminator._log_probabilities(choices, weights - step)
        slope = (up - down).sum() / 2e-6
        assert gradient[place, move] == pytest.approx(slope, abs=1e-6)


def test_the_kernel_is_its_python():
    choices = simulated(30, rounds=3)
    weights = np.random.default_rng(9).normal(size=(len(SITUATIONS), 32))
    log_p, gradient = discriminator._log_probabilities(choices, weights)
    plain_p, plain_gradient = np.empty_like(log_p), np.zeros_like(gradient)
    moves = choices.moves_32.astype(np.int64)
    arguments = (weights, choices.situations, choices.offered, moves, plain_p, plain_gradient)
    discriminator._rate_choices.py_func(*arguments)
    assert plain_p == pytest.approx(log_p)
    assert plain_gradient == pytest.approx(gradient)
