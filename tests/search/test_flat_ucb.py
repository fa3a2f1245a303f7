"""Flat-UCB: bounds by hand, seeds that count, values of endings, nothing hidden looked at."""

import math
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from spades.core.cards import STANDARD, cards_in
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.core.scoring import evaluation_table
from spades.search.flat import (
    FlatStatistics,
    FlatUcbResult,
    FlatUcbSettings,
    Seeds,
    arm_value,
    choose_arm,
    flat_ucb,
    heuristic_seeds,
    start_arms,
)
from spades.search.playouts.heuristic import card_scores
from spades.search.settings import InvalidSearchError
from tests.positions import random_bids, random_round, swap_hidden
from tests.search import plain_flat_ucb

NAN = math.nan


def seeds_of(*values):
    return Seeds(np.array(values, dtype=float), np.arange(len(values)))


def arms_of(*values, settings=None):
    return start_arms(np.arange(len(values)), seeds_of(*values), settings or FlatUcbSettings())


def decision(seed, n_legal, ply=9):
    """A random observation with so many legal cards."""
    rng = random.Random(seed)
    for _ in range(2000):
        seen = observe(random_round(rng, ply, bids=random_bids(rng)))
        if seen.legal_mask.bit_count() == n_legal:
            return seen
    raise AssertionError(f"no decision between {n_legal} cards at ply {ply}")


def test_a_seed_is_ten_visits_at_its_value():
    arms = arms_of(0.8, NAN, 0.3)
    assert arms.seeded.tolist() == [10, 0, 10]
    assert [arm_value(arms, i, 400.0) for i in (0, 2)] == pytest.approx([0.8, 0.3])
    assert math.isnan(arm_value(arms, 1, 400.0))
    # Five playouts of 100 points each are rewards of 3/4: (10 * 0.8 + 5 * 0.75) / 15.
    arms.visits[0], arms.sums[0] = 5, 500
    assert arm_value(arms, 0, 400.0) == pytest.approx((8 + 3.75) / 15)


def test_the_arm_tried_is_the_unseeded_one_then_the_highest_bound():
    arms = arms_of(0.8, NAN, 0.3)
    assert choose_arm(arms, 20, 400.0, 1.0) == 1
    arms.visits[1], arms.sums[1] = 1, -40  # reward 0.4
    bounds = [
        0.8 + math.sqrt(2 * math.log(21) / 10),
        0.4 + math.sqrt(2 * math.log(21)),
        0.3 + math.sqrt(2 * math.log(21) / 10),
    ]
    assert choose_arm(arms, 21, 400.0, 1.0) == int(np.argmax(bounds)) == 1
    assert choose_arm(arms, 21, 400.0, 0.0) == 0
    arms.visits[1], arms.sums[1] = 40, -1600
    bounds[1] = 0.4 + math.sqrt(2 * math.log(60) / 40)
    bounds[0] = 0.8 + math.sqrt(2 * math.log(60) / 10)
    assert choose_arm(arms, 60, 400.0, 1.0) == 0


def test_of_equal_bounds_the_lowest_card_is_tried():
    assert choose_arm(arms_of(0.3, 0.8, 0.8), 30, 400.0, 1.0) == 1
    assert choose_arm(arms_of(0.8, 0.8, 0.3), 30, 400.0, 0.0) == 0


def by_the_book(seen, n, seeds, settings):
    """Visits as the formula has them, replaying the search's own rewards one iteration at a time.

    The k-th iteration of a search is that of any longer one: what it drew is the difference.
    """
    k = seen.legal_mask.bit_count()
    n_j = [0 if math.isnan(q) else settings.seed_visits for q in seeds.values]
    sums = [q * m if m else 0.0 for q, m in zip(seeds.values, n_j, strict=True)]
    before = flat_ucb(seen, iterations=0, seed=5, settings=settings, seeds=seeds)
    chosen = []
    for i in range(n):
        after = flat_ucb(seen, iterations=i + 1, seed=5, settings=settings, seeds=seeds)
        tried = [a.visits - b.visits for a, b in zip(after.cards, before.cards, strict=True)]
        assert sum(tried) == 1
        j = tried.index(1)
        total = sum(n_j)
        if 0 in n_j:
            expected = n_j.index(0)
        else:
            expected = max(
                range(k),
                key=lambda a: (
                    sums[a] / n_j[a]
                    + settings.exploration * math.sqrt(2 * math.log(total) / n_j[a])
                ),
            )
        assert j == expected
        old, new = before.cards[j], after.cards[j]
        points = new.mean_value * new.visits - (old.mean_value * old.visits if old.visits else 0)
        sums[j] += points / settings.reward_scale + 0.5
        n_j[j] += 1
        assert new.value == pytest.approx(sums[j] / n_j[j])
        before = after
        chosen.append(j)
    return chosen


@pytest.mark.parametrize("values", [(NAN, NAN, NAN), (0.9, NAN, 0.2), (0.6, 0.5, 0.7)])
@pytest.mark.parametrize("exploration", [1.0, 0.1])
def test_every_iteration_is_that_of_the_formula(values, exploration):
    settings = FlatUcbSettings(exploration=exploration)
    chosen = by_the_book(decision(3, 3), 40, seeds_of(*values), settings)
    assert len(set(chosen)) > 1


def test_ten_visits_of_a_seed_hold_a_card_back_and_more_do_longer():
    """A card seeded with 0 is tried later the more visits its seed stands for."""
    seen = decision(6, 3)
    visits = []
    for n in (1, 10, 1000):
        settings = FlatUcbSettings(seed_visits=n)
        found = flat_ucb(
            seen, iterations=200, seed=2, settings=settings, seeds=seeds_of(0.0, NAN, NAN)
        )
        visits.append(found.cards[0].visits)
        assert sum(row.visits for row in found.cards) == 200
    assert visits[0] > visits[1] > visits[2] == 0


def test_a_high_seed_wins_without_playouts_and_is_outvoted_with_many():
    seen = decision(6, 3)
    plain = flat_ucb(seen, iterations=3000, seed=1)
    worst = min(range(3), key=lambda i: plain.cards[i].mean_value)
    values = [0.3] * 3
    values[worst] = 1.0
    none = flat_ucb(seen, iterations=0, seeds=seeds_of(*values))
    assert none.best.card.code == plain.cards[worst].card.code
    many = flat_ucb(seen, iterations=30_000, seed=1, seeds=seeds_of(*values))
    assert many.best.card.code != plain.cards[worst].card.code
    row = many.cards[worst]
    assert (row.seed_value, row.n_pairs) == (1.0, worst)
    assert row.value > row.mean_value / 400 + 0.5


def test_the_card_of_the_highest_value_is_played_not_the_one_tried_most():
    known = {"mean_value": 0.0, "standard_error": 0.0, "seed_value": NAN, "n_pairs": 0}
    rows = [
        FlatStatistics(STANDARD.card(name), visits=visits, value=value, **known)
        for name, visits, value in (("H2", 10, 0.4), ("S9", 2, 0.6), ("D7", 0, NAN))
    ]
    assert FlatUcbResult(tuple(rows), 12).best.card == "S9"


def test_without_seeds_and_playouts_nothing_is_known():
    found = flat_ucb(decision(1, 4), iterations=0)
    assert all(math.isnan(row.value) and math.isnan(row.mean_value) for row in found.cards)
    assert found.best.card.code == found.cards[0].card.code


def test_visits_sum_and_a_seed_gives_one_result_however_long_the_chunks():
    seen = decision(2, 5)
    found, again = (flat_ucb(seen, iterations=5000, seed=3) for _ in range(2))
    assert found.cards == again.cards or repr(found.cards) == repr(again.cards)
    assert sum(row.visits for row in found.cards) == found.iterations == 5000
    assert [row.card.code for row in found.cards] == list(cards_in(seen.legal_mask))
    assert flat_ucb(seen, iterations=5000, seed=4).cards != found.cards
    assert all(0 < row.standard_error < 20 for row in found.cards)


def test_the_standard_error_is_that_of_the_mean():
    """Of a forced card: its playouts one by one, from searches one iteration longer each time."""
    seen, singles, before = decision(9, 1, ply=33), [], 0.0
    for n in range(1, 60):
        row = flat_ucb(seen, iterations=n, seed=1).cards[0]
        singles.append(row.mean_value * n - before)
        before = row.mean_value * n
    assert len({round(points) for points in singles}) > 1
    assert row.mean_value == pytest.approx(np.mean(singles))
    assert row.standard_error == pytest.approx(np.std(singles, ddof=1) / math.sqrt(59))


def test_values_of_the_last_trick_are_what_it_comes_to():
    rng = random.Random(5)
    for _ in range(10):
        state = random_round(rng, 51, bids=random_bids(rng))
        seen = observe(state)
        found = flat_ucb(seen, iterations=4, seed=1).cards[0]
        table, final = state.table, state.copy()
        final.play(found.card)
        rewards = evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))
        n, e, s, _ = final.table.tricks_taken
        points = (1 if seen.seat % 2 == 0 else -1) * rewards[n, e, s]
        assert found.mean_value == points
        assert found.value == pytest.approx(points / 400 + 0.5)
        assert found.standard_error == 0


def test_the_five_best_cards_by_the_rules_are_seeded():
    for seed in range(6):
        seen = decision(seed, 9, ply=4)
        scores, seeds = card_scores(seen), heuristic_seeds(seen)
        seeded = [c for c, v in zip(scores, seeds.values, strict=True) if not math.isnan(v)]
        best = sorted(scores, key=lambda card: (-scores[card], card))[:5]
        assert seeded == sorted(best)
        for card, value in zip(scores, seeds.values, strict=True):
            assert math.isnan(value) or value == scores[card] / 100
        assert not seeds.n_pairs.any()
    assert not np.isnan(heuristic_seeds(decision(1, 4)).values).any()


def test_no_search_looks_at_hidden_cards():
    rng = random.Random(5)
    for ply in range(0, 48, 6):
        state = random_round(rng, ply, bids=random_bids(rng))
        seen, other = observe(state), observe(swap_hidden(state, state.table.turn, rng))
        for seeds in (None, heuristic_seeds):
            found, again = (
                flat_ucb(o, iterations=60, seed=2, seeds=seeds and seeds(o)) for o in (seen, other)
            )
            assert repr(found.cards) == repr(again.cards)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"exploration": -1}, "exploration is -1"),
        ({"exploration": NAN}, "exploration is nan"),
        ({"epsilon": 1.5}, "epsilon is 1.5; 0 to 1 are legal"),
        ({"seed_visits": 0}, "seed_visits is 0; 1 to 1,000,000 are legal"),
        ({"reward_scale": 0.5}, "reward_scale is 0.5"),
    ],
)
def test_settings_out_of_range_are_refused(options, told):
    with pytest.raises(InvalidSearchError, match=told):
        FlatUcbSettings(**options)


def test_what_can_not_be_searched_is_refused():
    state = random_round(random.Random(3), 4)
    with pytest.raises(InvalidSearchError, match="nothing to decide"):
        flat_ucb(observe(state, (state.table.turn + 1) % 4))
    with pytest.raises(InvalidSearchError, match="0 to 1000000 are possible"):
        flat_ucb(observe(state), iterations=-1)
    k = observe(state).legal_mask.bit_count()
    for values in ([0.5] * (k + 1), [math.inf] * k):
        with pytest.raises(InvalidSearchError, match=f"{k} cards are legal; seeds are"):
            flat_ucb(observe(state), seeds=seeds_of(*values))
    unknown = observe(random_round(random.Random(1), 3, bids=(-1,) * 4))
    with pytest.raises(InvalidSearchError, match="bids are not known"):
        flat_ucb(unknown)
    rules = Rules(first_hand_bids_itself=True)
    state = random_round(random.Random(1), 3, bids=(-1,) * 4, rules=rules)
    assert flat_ucb(observe(state), iterations=50).iterations == 50


def test_compiled_searches_equal_their_plain_twin():
    command = [
        sys.executable, "-W", "ignore::RuntimeWarning", "-m", "tests.search.plain_flat_ucb",
    ]  # fmt: skip
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.splitlines() == [str(line) for line in plain_flat_ucb.lines()]
