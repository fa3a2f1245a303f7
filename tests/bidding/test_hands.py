"""Regular tricks and nil value of hands worked by hand."""

import numpy as np
import pytest

from spades.bidding.hands import (
    allot_spades,
    holding_table,
    nil_tables,
    nil_value,
    regular_tricks,
    spade_tricks,
    top_spades,
)
from spades.core.cards import DECKS, STANDARD
from spades.core.deal import random_deal
from tests.bidding.auctions import hand_of

TWO = holding_table()[2]
EXAMPLE = "AKJ62.AQ.Q.K9543"


def first(held, dangerous=2):
    return holding_table()[dangerous, 13 - held]


def test_the_papers_hand():
    tricks = regular_tricks(hand_of(EXAMPLE), STANDARD.mask, TWO)
    assert tricks == pytest.approx(0.678 + 0.99 + 2 + 2.299, abs=0.005)
    assert tricks == pytest.approx(5.97, abs=0.005)


@pytest.mark.parametrize(
    ("hand", "tricks"),
    [
        ("432.5432.432.432", 0),
        ("432.A432.432.432", first(4)[0]),
        ("432.AK32.432.432", first(4)[0] + first(4)[1]),
        ("432.AKQ2.432.432", first(4).sum()),
        ("432.KQ32.432.432", first(4)[1] + first(4)[2]),
        ("5432.5432.5432.K", first(1)[1] + first(1)[2]),  # a lone king; two cuts
        ("432.Q5.5432.5432", first(2)[2]),  # the queen can't wait; one cut
        ("A432.432.432.432", 1),
        ("K432.432.432.432", 1),
        ("Q432.432.432.432", 1),
        ("J432.432.432.432", 1),
        ("J32.5432.432.432", 0),
        ("AKQJ.432.432.432", 4),
        ("65432.5432.43.43", 2 * first(2)[2]),  # two cuts are worth more than a long one
        ("765432.432.432.2", 2),  # two long ones; cuts of .94 and .73 would use them up
        ("432.765432.5432.", first(0).sum()),
        ("2.8765432.5432.2", first(1)[1]),
        (".5432.65432.5432", 0),  # no spade to cut with
    ],
)
def test_tricks_of_hands(hand, tricks):
    held = hand_of(hand)
    assert regular_tricks(held, STANDARD.mask, TWO) == pytest.approx(tricks)
    assert regular_tricks.py_func(held, STANDARD.mask, TWO) == pytest.approx(tricks)


def test_fewer_dangerous_opponents_make_honours_worth_more():
    hand = hand_of("432.AK32.432.432")
    one = regular_tricks(hand, STANDARD.mask, holding_table()[1])
    assert one == pytest.approx(first(4, 1)[0] + first(4, 1)[1])
    assert one > regular_tricks(hand, STANDARD.mask, TWO)


def best_use(hand):
    """The most that spades can be worth, by trying every set of them as cuts."""
    spades = [card for card in range(13) if hand >> card & 1]
    cuts = sorted(
        (
            TWO[13 - held, trick]
            for held in ((hand >> 16 * suit & 0xFFFF).bit_count() for suit in (1, 2, 3))
            for trick in range(held, 3)
        ),
        reverse=True,
    )
    best = 0.0
    for chosen in range(1 << len(spades)):
        kept = sum(1 << c for i, c in enumerate(spades) if not chosen >> i & 1)
        n_cuts = chosen.bit_count()
        if n_cuts <= len(cuts):
            best = max(best, spade_tricks(kept, 12) + sum(cuts[:n_cuts]))
    return best


def test_no_other_use_of_the_spades_is_worth_more():
    for seed in range(60):
        hand = random_deal(STANDARD, seed)[0]
        tricks, n_cuts = allot_spades(hand, STANDARD.mask, TWO)
        assert tricks == pytest.approx(best_use(hand))
        assert allot_spades.py_func(hand, STANDARD.mask, TWO) == (tricks, n_cuts)


def test_the_highest_spades_of_a_joker_deck_are_its_jokers():
    deck = DECKS["joker-joker-ace"]
    hand = hand_of("A.6543.543.543.HL", deck)
    assert top_spades(hand, deck.mask, 3) == 3
    assert regular_tricks(hand, deck.mask, TWO) == pytest.approx(3)


def test_nil_value_is_the_product_over_suits():
    tables = nil_tables(STANDARD)
    hand = hand_of("93.Q42.T85.J7643")
    suits = [hand >> 16 * suit & 0xFFFF for suit in range(4)]
    product = np.prod([tables[suit, cards] for suit, cards in enumerate(suits)])
    assert nil_value(hand, tables) == pytest.approx(product)
    assert nil_value.py_func(hand, tables) == pytest.approx(product)


def test_a_void_is_worth_15_percent_once():
    tables = nil_tables(STANDARD)
    one, two = hand_of("9.98432.QT85432."), hand_of(".98432.QT965432.")
    for hand in (one, two):
        suits = [hand >> 16 * suit & 0xFFFF for suit in range(4)]
        product = np.prod([tables[suit, cards] for suit, cards in enumerate(suits)])
        assert nil_value(hand, tables) == pytest.approx(min(1.0, 1.15 * product))
    assert nil_value(hand_of("432.65432.65432."), tables) == 1.0
