"""The search: sums, seeds, hidden cards, resuming, cancelling, refusals, the last tricks."""

import os
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from spades.belief import deal_count
from spades.core.cards import DECKS, cards_in, partnership_of
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.core.scoring import evaluation_table
from spades.search import Search, SearchSettings, search
from spades.search.playouts import PLAYOUTS
from spades.search.settings import InvalidSearchError
from spades.search.tree import MAX_ITERATIONS
from tests.positions import random_bids, random_round, swap_hidden
from tests.search import plain_search


def fingerprint(result):
    rows = [
        (row.card.code, row.visits, row.availability, row.mean_value, row.standard_error)
        for row in result.cards
    ]
    return repr((rows, result.checkpoints.tolist(), result.visit_curves.tolist(), result.nodes))


def positions(seed, plies, **options):
    rng = random.Random(seed)
    return [random_round(rng, ply, bids=random_bids(rng), **options) for ply in plies]


@pytest.mark.parametrize("playout", PLAYOUTS)
@pytest.mark.parametrize("deck", DECKS)
def test_visits_sum_to_iterations_and_never_exceed_availability(deck, playout):
    settings = SearchSettings(playout=PLAYOUTS[playout]())
    for state in positions(1, range(0, 52, 3), rules=Rules(deck=deck)):
        result = search(observe(state), iterations=700, seed=3, settings=settings)
        assert sum(row.visits for row in result.cards) == 700 == result.iterations
        assert all(row.visits <= row.availability <= 700 for row in result.cards)
        assert {row.card.code for row in result.cards} == set(cards_in(state.legal_plays()))
        assert result.nodes <= 701


def test_visit_curves_grow_to_the_final_visits():
    result = search(observe(positions(2, [9])[0]), iterations=2500)
    assert result.checkpoints[-1] == 2500
    assert 24 <= len(result.checkpoints) <= 60
    assert (np.diff(result.checkpoints) > 0).all()
    assert (np.diff(result.visit_curves, axis=0) >= 0).all()
    assert (result.visit_curves.sum(axis=1) == result.checkpoints).all()
    assert result.visit_curves[-1].tolist() == [row.visits for row in result.cards]


def test_same_seed_same_result_other_seed_another():
    observation = observe(positions(3, [6])[0])
    first, again = search(observation, seed=5), search(observation, seed=5)
    assert fingerprint(first) == fingerprint(again)
    assert fingerprint(first) != fingerprint(search(observation, seed=6))


@pytest.mark.parametrize("playout", PLAYOUTS)
def test_hidden_cards_make_no_difference(playout):
    rng = random.Random(4)
    for ply in range(0, 48, 2):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        settings = SearchSettings(playout=PLAYOUTS[playout]())
        results = [
            search(observe(s), iterations=300, seed=ply, settings=settings) for s in (state, other)
        ]
        assert fingerprint(results[0]) == fingerprint(results[1])


def test_running_on_equals_running_at_once():
    observation = observe(positions(5, [4])[0])
    whole = search(observation, iterations=9000, seed=1)
    parts = Search(observation, seed=1, room=10)
    for n in (1, 99, 4900, 4000):
        parts.run(n)
    rows = [(row.card.code, row.visits, row.availability, row.mean_value) for row in whole.cards]
    assert rows == [
        (row.card.code, row.visits, row.availability, row.mean_value)
        for row in parts.result().cards
    ]
    assert parts.result().visit_curves[-1].sum() == 9000


def test_values_are_in_points_for_the_movers_side():
    """At the last card the value is the evaluation itself, for either side."""
    rng = random.Random(7)
    for _ in range(20):
        state = random_round(rng, 51, bids=random_bids(rng))
        row = search(observe(state), iterations=10).cards[0]
        mover = partnership_of(state.table.turn)
        while not state.table.is_over:
            state.play(next(cards_in(state.legal_plays())))
        n, e, s, _ = state.table.tricks_taken
        table = evaluation_table(
            state.table.rules, tuple(state.table.bids), tuple(state.table.blind)
        )
        expected = int(table[n, e, s]) * (1 if mover == 0 else -1)
        assert row.mean_value == expected
        assert row.standard_error == 0.0


def minimax(state, table):
    if state.table.is_over:
        n, e, s, _ = state.table.tricks_taken
        return int(table[n, e, s])
    values = [minimax(after(state, card), table) for card in cards_in(state.legal_plays())]
    return max(values) if partnership_of(state.table.turn) == 0 else min(values)


def after(state, card):
    copy = state.copy()
    copy.play(card)
    return copy


def determined_endings(seed, n):
    """Endings of up to three tricks in which the observation leaves one deal, and the card matters.

    Yields (round, value of every legal card in points for the mover's side).
    """
    rng = random.Random(seed)
    while n:
        state = random_round(rng, rng.randrange(40, 47), bids=random_bids(rng))
        if state.legal_plays().bit_count() < 2 or deal_count(observe(state)) != 1:
            continue
        table = evaluation_table(
            state.table.rules, tuple(state.table.bids), tuple(state.table.blind)
        )
        sign = 1 if partnership_of(state.table.turn) == 0 else -1
        legal = list(cards_in(state.legal_plays()))
        values = {card: sign * minimax(after(state, card), table) for card in legal}
        if len(set(values.values())) > 1:
            n -= 1
            yield state, values


@pytest.mark.slow
@pytest.mark.parametrize("playout", PLAYOUTS)
def test_the_last_tricks_are_played_at_their_exhaustive_optimum(playout):
    settings = SearchSettings(playout=PLAYOUTS[playout]())
    for state, values in determined_endings(8, 40):
        best = search(observe(state), iterations=2500, settings=settings).best.card.code
        assert values[best] == max(values.values()), state.text()


def test_nil_aware_playouts_save_more_nils():
    """A nil bidder with low cards is worth more to its side when playouts let it duck."""
    rng = random.Random(9)
    gains = []
    for _ in range(12):
        state = random_round(rng, 0, bids=(0, 3, 5, 3))
        values = {}
        for playout in ("nil-aware", "uniform"):
            result = search(
                observe(state), iterations=800, settings=SearchSettings(playout=PLAYOUTS[playout]())
            )
            sign = 1 if partnership_of(state.table.turn) == 0 else -1
            values[playout] = sign * result.best.mean_value
        gains.append(values["nil-aware"] - values["uniform"])
    assert np.mean(gains) > 10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda o: search(o, iterations=MAX_ITERATIONS + 1), "iterations asked for"),
        (lambda o: search(o, iterations=-1), "iterations asked for"),
        (
            lambda o: search(o, settings=SearchSettings(playout="psychic")),
            "UniformPlayout, NilAwarePlayout",
        ),
        (lambda o: search(o, settings=SearchSettings(exploration=-1)), "exploration"),
        (lambda o: search(o, settings=SearchSettings(reward_scale=0)), "reward_scale"),
    ],
)
def test_impossible_settings_are_refused(make, message):
    with pytest.raises(InvalidSearchError, match=message):
        make(observe(positions(10, [0])[0]))


def test_a_seat_that_is_not_to_play_has_nothing_to_search():
    state = positions(11, [5])[0]
    with pytest.raises(InvalidSearchError, match="nothing to decide"):
        search(observe(state, (state.table.turn + 1) % 4))


def test_unknown_bids_are_refused_but_a_first_hand_that_bids_itself_is_not():
    unknown = (-1, -1, -1, -1)
    with pytest.raises(InvalidSearchError, match="bids are not known"):
        search(observe(random_round(random.Random(1), 3, bids=unknown)))
    rules = Rules(first_hand_bids_itself=True)
    state = random_round(random.Random(1), 3, bids=unknown, rules=rules)
    assert search(observe(state), iterations=50).iterations == 50


def test_compiled_search_equals_its_plain_twin():
    # Plain uint64 arithmetic warns where it wraps; compiled it is silent.
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-m", "tests.search.plain_search"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.splitlines() == [str(line) for line in plain_search.lines()]


def test_no_iterations_give_no_visits():
    result = search(observe(positions(12, [0])[0]), iterations=0)
    assert all(row.visits == 0 and np.isnan(row.mean_value) for row in result.cards)


@pytest.mark.parametrize(
    ("found", "played"),
    [
        (((40, 60.0), (70, -10.0), (69, 90.0)), 1),  # visits, mean value
        (((50, 1.0), (50, 2.0), (49, 3.0)), 1),
        (((50, 2.0), (50, 2.0), (50, 1.0)), 0),
    ],
)
def test_the_card_visited_most_is_played_then_the_higher_mean_then_the_lower_card(found, played):
    result = search(observe(positions(13, [0])[0]), iterations=0)
    rows = tuple(
        replace(row, visits=visits, mean_value=mean)
        for row, (visits, mean) in zip(result.cards, found, strict=False)
    )
    assert replace(result, cards=rows).best == rows[played]


def test_the_depth_is_that_of_the_deepest_reply():
    for ply in (0, 21, 46, 48):
        state = random_round(random.Random(ply), ply)
        grown = Search(observe(state), seed=ply)

        def depth_after(*cards, grown=grown):
            return max(
                (1 + depth_after(*cards, row.card) for row in grown.replies(*cards)), default=0
            )

        assert grown.depth == 0
        grown.run(1)
        assert grown.depth == 1
        grown.run(150)
        assert grown.depth == depth_after() <= 52 - ply
