"""Flat Monte Carlo: means, errors, bonuses, refusals."""

import random

import numpy as np
import pytest

from spades.core.cards import cards_in, partnership_of
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.core.scoring import evaluation_table
from spades.search.flat import (
    BEST_BONUS,
    SECOND_BONUS,
    FlatSettings,
    InvalidSearchError,
    bonuses,
    flat_search,
)
from spades.search.playouts.heuristic import card_scores
from tests.positions import random_bids, random_round, swap_hidden


def positions(seed, plies, **options):
    rng = random.Random(seed)
    return [random_round(rng, ply, bids=random_bids(rng), **options) for ply in plies]


def flat(state, seed=3, determinizer=None, **options):
    settings = FlatSettings(**options)
    return flat_search(observe(state), seed=seed, settings=settings, determinizer=determinizer)


def test_every_legal_card_has_a_row_and_a_seed_one_result():
    for state in positions(1, range(0, 52, 3)):
        found = flat(state, simulations=30)
        assert [row.card.code for row in found.cards] == list(cards_in(state.legal_plays()))
        assert found.cards == flat(state, simulations=30).cards
        assert found.best in found.cards
    assert flat(positions(1, [0])[0]).cards != flat(positions(1, [0])[0], seed=4).cards


def test_the_value_of_the_last_trick_is_the_evaluation():
    for state in positions(2, [51] * 20):
        row = flat(state, simulations=7).cards[0]
        mover = partnership_of(state.table.turn)
        table = evaluation_table(
            state.table.rules, tuple(state.table.bids), tuple(state.table.blind)
        )
        state.play(next(cards_in(state.legal_plays())))
        n, e, s, _ = state.table.tricks_taken
        assert row.mean_value == int(table[n, e, s]) * (1 if mover == 0 else -1)
        assert row.standard_error == 0.0


def test_standard_errors_are_those_of_independent_simulations():
    """Means of many searches of 100 spread as the standard error of each says."""
    state = positions(3, [10])[0]
    found = [flat(state, seed=seed, simulations=100).cards for seed in range(200)]
    means = np.array([[row.mean_value for row in cards] for cards in found])
    errors = np.array([[row.standard_error for row in cards] for cards in found])
    ratio = means.std(axis=0, ddof=1) / errors.mean(axis=0)
    assert ((ratio > 0.8) & (ratio < 1.2)).all()


def test_one_simulation_has_no_error():
    assert all(np.isnan(row.standard_error) for row in flat(positions(4, [3])[0],
                                                            simulations=1).cards)  # fmt: skip


def test_the_two_best_looking_cards_get_the_bonuses():
    n_decided = 0
    for state in positions(5, range(0, 50, 2)):
        scores, found = card_scores(observe(state)), flat(state, simulations=4)
        ranked = sorted(found.cards, key=lambda row: (-scores[row.card.code], row.card.code))
        given = [BEST_BONUS, SECOND_BONUS, *[0.0] * len(ranked)]
        values = {row: row.mean_value + bonus for row, bonus in zip(ranked, given, strict=False)}
        assert values[found.best] == max(values.values())
        n_decided += found.best.mean_value < max(row.mean_value for row in found.cards)
    assert n_decided


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({4: 10, 5: 30, 9: 20}, {5: 7.0, 9: 2.0}),
        ({4: 10, 5: 10, 9: 10}, {4: 7.0, 5: 2.0}),
        ({4: 10}, {4: 7.0}),
    ],
)
def test_bonuses_by_hand(scores, expected):
    assert bonuses(scores, FlatSettings(best_bonus=7.0, second_bonus=2.0)) == expected


def test_a_large_bonus_decides_and_none_leaves_the_means():
    for state in positions(6, range(0, 48, 3)):
        scores = card_scores(observe(state))
        best = flat(state, simulations=20, best_bonus=1000.0, second_bonus=0.0).best
        assert scores[best.card.code] == max(scores.values())
        plain = flat(state, simulations=20, best_bonus=0.0, second_bonus=0.0)
        assert plain.best.mean_value == max(row.mean_value for row in plain.cards)


@pytest.mark.parametrize("rules", [Rules(), Rules(deck="joker-joker-deuce-deuce")])
def test_hidden_cards_make_no_difference(rules):
    rng = random.Random(7)
    for ply in range(0, 48, 2):
        state = random_round(rng, ply, rules=rules, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        assert flat(state, simulations=20).cards == flat(other, simulations=20).cards


def test_deals_come_in_chunks_without_a_seam(monkeypatch):
    state = positions(8, [20])[0]
    whole = flat(state, simulations=50).cards
    monkeypatch.setattr("spades.search.flat.CHUNK", 7)
    assert flat(state, simulations=50).cards == whole


def test_a_seat_that_is_not_to_play_and_unknown_bids_are_refused():
    state = positions(9, [5])[0]
    with pytest.raises(InvalidSearchError, match="nothing to decide"):
        flat_search(observe(state, (state.table.turn + 1) % 4))
    with pytest.raises(InvalidSearchError, match="bids are not known"):
        flat(random_round(random.Random(1), 3, bids=(-1,) * 4))
    rules = Rules(first_hand_bids_itself=True)
    assert flat(random_round(random.Random(1), 3, bids=(-1,) * 4, rules=rules)).cards


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"simulations": 0}, "simulations is 0; 1 to 1,000,000 are legal"),
        ({"epsilon": -0.1}, "epsilon is -0.1; 0 to 1 are legal"),
        ({"best_bonus": -1.0}, "best_bonus is -1.0; 0 to 1,000 are legal"),
    ],
)
def test_settings_out_of_range_are_refused(options, told):
    with pytest.raises(InvalidSearchError, match=told):
        FlatSettings(**options)
