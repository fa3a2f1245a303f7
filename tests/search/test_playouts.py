"""The playout policies, and compiled kernels against their plain twins."""

import random

import numpy as np
import pytest

from spades.core.cards import STANDARD, suit_mask
from spades.core.kernel import seed_state
from spades.core.rules import beats, legal_mask
from spades.core.step import progress_of
from spades.search.playouts import random_cards
from spades.search.playouts.random_cards import pick
from tests.positions import random_round


def mask(*texts):
    return STANDARD.parse_cards(texts)


def text(card_mask):
    return STANDARD.format_cards(int(card_mask))  # a NumPy int where kernels run in Python


@pytest.mark.parametrize(
    ("legal", "trick", "led", "expected"),
    [
        (("HA", "HT", "H5"), ("HJ",), "H", "HT"),
        (("HA", "HQ"), ("HJ",), "H", ""),
        (("HA", "HT"), ("HJ", "S2"), "H", "HA"),  # trumped: every heart loses
        (("S9", "S3", "D4"), ("HJ", "S5"), "H", "D4"),  # 4 beats 3 in rank
        (("S4", "S3"), ("HJ", "S5"), "H", "S4"),
        (("DK", "CK", "SK"), ("HJ",), "H", "DK"),  # spades would win; equal ranks: lower suit code
        (("S7", "S6"), ("S8",), "S", "S7"),
    ],
)
def test_safest_loser_is_the_highest_card_that_loses(legal, trick, led, expected):
    cards = [STANDARD.parse_card(card) for card in trick]
    best = cards[0]
    for card in cards[1:]:
        best = card if beats(card, best) else best
    assert text(random_cards.safest_loser(mask(*legal), "SHDC".index(led), best)) == expected


def test_legal_cards_agree_with_the_rules():
    rng = random.Random(2)
    for _ in range(300):
        state = random_round(rng, rng.randrange(52))
        hand, led = state.hands[state.table.turn], state.table.led_suit
        may_lead = state.table.may_lead_spades
        found = (
            random_cards.leads(hand, may_lead)
            if led < 0
            else random_cards.follows(hand, suit_mask(led))
        )
        assert found == state.legal_plays() == legal_mask(hand, led, may_lead)


@pytest.mark.parametrize("nils", [0, 0b0101])
def test_playouts_take_every_trick(nils):
    rng = random.Random(3)
    for i in range(40):
        state = random_round(rng, rng.randrange(52))
        left = 13 - len(state.table.winners)
        hands = np.array(state.hands, dtype=np.int64)
        taken, _ = random_cards.play_at_random(hands, progress_of(state.table), nils, seed_state(i))
        taken -= progress_of(state.table).taken
        assert not hands.any()
        assert sum(taken >> (8 * seat) & 255 for seat in range(4)) == left


def test_pick_is_uniform_over_the_legal_cards():
    legal = mask("SA", "H2", "H9", "DK", "C3")
    rng = np.random.default_rng(4)
    drawn = [pick(legal, np.uint64(bits)) for bits in rng.integers(0, 2**63, 20_000)]
    counts = np.unique(drawn, return_counts=True)[1]
    assert len(counts) == 5
    assert abs(counts / 4000 - 1).max() < 0.06


def test_beats_orders_jokers_over_spades_and_spades_over_all():
    assert beats(15, 14)
    assert beats(0, 16 + 12)
    assert not beats(32 + 5, 16 + 3)
