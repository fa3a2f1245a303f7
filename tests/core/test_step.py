"""The compiled step of the game against the table's own, card by card."""

import random

import numpy as np
import pytest

from spades.core.cards import DECKS, N_CARDS, cards_in
from spades.core.rules import Rules
from spades.core.step import after_card, first_lead, legal_cards, progress_of, tricks_of
from tests.positions import random_round


@pytest.mark.parametrize("lead", ["broken", "any"])
@pytest.mark.parametrize("deck", DECKS)
def test_compiled_step_agrees_with_the_table(deck, lead):
    rules, rng = Rules(deck=deck, spades_lead=lead), random.Random(11)
    for _ in range(4):
        state = random_round(rng, 0, rules=rules)
        at = first_lead(state.table.turn, lead == "any")
        while at.ply < N_CARDS:
            assert at == progress_of(state.table)
            legal = state.legal_plays()
            assert legal_cards(state.hands[at.turn], at) == legal
            card = rng.choice(list(cards_in(legal)))
            assert after_card.py_func(at, np.int64(card)) == after_card(at, card)
            at = after_card(at, card)
            state.play(card)
        assert at == progress_of(state.table)
        assert [tricks_of(seat, at.taken) for seat in range(4)] == state.table.tricks_taken
