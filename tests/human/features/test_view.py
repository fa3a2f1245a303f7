"""The row that models are asked with: what a seat sees, seats relative to it."""

import random

import numpy as np
import pytest

from spades.core.errors import IllegalPlayError
from spades.core.observation import observe
from spades.human import load_model, load_prior
from spades.human.features.view import (
    CARDS_PLAYED,
    N_VIEW,
    OTHER_BIDS,
    OTHER_TRICKS,
    TABLE,
    VOIDS,
    decision_of,
    view_of,
)
from spades.human.model import prior_probabilities
from tests.positions import random_bids, random_round, swap_hidden


def some_observations(n=40, seed=5):
    rng = random.Random(seed)
    return [observe(random_round(rng, rng.randrange(52), bids=random_bids(rng))) for _ in range(n)]


@pytest.mark.parametrize("observation", some_observations())
def test_a_view_holds_what_the_table_shows(observation):
    view, table, seat = view_of(observation), observation.table, observation.seat
    partner, deck = (seat + 2) % 4, observation.rules.cards.mask
    assert decision_of(observation)[:7] == (
        observation.hand_mask, observation.legal_mask, table.led_suit, table.best_card,
        table.played_mask, deck, len(table.trick),
    )  # fmt: skip
    assert view[7:11].tolist() == [
        table.bids[seat], table.bids[partner], table.tricks_taken[seat],
        table.tricks_taken[partner],
    ]  # fmt: skip
    assert view.shape == (N_VIEW,)
    left, partner, right = ((seat + i) % 4 for i in (1, 2, 3))
    on_table = {(table.leader + i) % 4: 1 << card for i, card in enumerate(table.trick)}
    assert view[TABLE : TABLE + 3].tolist() == [on_table.get(s, 0) for s in (left, partner, right)]
    assert view[OTHER_BIDS : OTHER_BIDS + 2].tolist() == [table.bids[left], table.bids[right]]
    taken = table.tricks_taken
    assert view[OTHER_TRICKS : OTHER_TRICKS + 2].tolist() == [taken[left], taken[right]]
    played = view[CARDS_PLAYED : CARDS_PLAYED + 4]
    assert int(np.bitwise_or.reduce(played)) == table.played_mask
    assert sum(int(mask).bit_count() for mask in played) == len(table.plays)
    assert not int(played[0]) & observation.hand_mask


def test_a_view_knows_who_has_shown_out_of_what():
    rng = random.Random(3)
    state = random_round(rng, 40)
    observation = observe(state)
    voids = int(view_of(observation)[VOIDS])
    table = state.table
    for relative in range(4):
        seat = (observation.seat + relative) % 4
        for suit in range(4):
            shown = any(
                table.seats[ply] == seat
                and table.plays[ply] >> 4 != suit
                and table.plays[ply - ply % 4] >> 4 == suit
                for ply in range(40)
            )
            assert (voids >> (4 * relative + suit) & 1) == shown


def test_a_view_holds_no_hidden_card():
    rng = random.Random(11)
    for _ in range(20):
        state = random_round(rng, rng.randrange(40))
        seat = state.table.turn
        other = swap_hidden(state, seat, rng)
        assert np.array_equal(view_of(observe(state)), view_of(observe(other)))


def test_another_seat_has_no_view():
    state = random_round(random.Random(1), 5)
    with pytest.raises(IllegalPlayError, match="not this seat's turn"):
        view_of(observe(state, (state.table.turn + 1) % 4))


@pytest.mark.parametrize("name", ["devlin2016", "devlin2016-nil"])
def test_compiled_code_asks_the_same_model(name):
    out = np.empty(13)
    for observation in some_observations():
        n = prior_probabilities(load_prior(name), view_of(observation), out)
        asked = load_model(name).predict_proba([observation])[0]
        assert np.allclose(asked[asked > 0], out[:n], atol=1e-12)
        assert n == observation.legal_mask.bit_count()
