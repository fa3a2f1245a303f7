"""Exact tables against print, brute force and random deals; tricks and nil values by hand."""

import itertools
import math

import numpy as np
import pytest

from experiments.papers.cohensius import PRINTED
from spades.bidding.hands import (
    THIRD_CARD,
    allot_spades,
    holding_table,
    nil_table,
    nil_tables,
    nil_value,
    p_cnil,
    partner_fails,
    regions_of,
    regular_tricks,
    spade_tricks,
    top_spades,
)
from spades.core.cards import DECKS, RANKS, STANDARD
from spades.core.deal import random_deal
from tests.bidding.auctions import hand_of

PRINTED_BY = {table["dangerous"]: table["printed"] for table in PRINTED.values()}


@pytest.mark.parametrize("dangerous", PRINTED_BY)
def test_printed_tables_agree(dangerous):
    for held, printed in enumerate(PRINTED_BY[dangerous]):
        ours = holding_table()[dangerous, 13 - held]
        assert ours == pytest.approx(printed, abs=0.007)


def chance(falls):
    """Probability that c given cards fall exactly so, ``falls`` 0 1 2 a card: left right partner.

    From the number of hidden deals: the other cards fill the three hands.
    """
    rest = 39 - len(falls)
    sizes = [13 - falls.count(player) for player in range(3)]
    if min(sizes) < 0:
        return 0.0
    ways = math.comb(rest, sizes[0]) * math.comb(rest - sizes[0], sizes[1])
    return ways / (math.comb(39, 13) * math.comb(26, 13))


def test_holding_table_is_the_sum_over_all_lies():
    for out in (1, 4, 8):
        lies = list(itertools.product(range(3), repeat=out))
        for dangerous, more in itertools.product(range(4), range(3)):
            brute = sum(
                chance(lie)
                for lie in lies
                if all(lie.count(player) > more for player in range(dangerous))
            )
            assert holding_table()[dangerous, out, more] == pytest.approx(brute, abs=1e-12)


def bits_of(ranks):
    return sum(1 << RANKS.index(rank) for rank in ranks)


def is_set(held, hands, is_spades, third_card="printed"):
    """Whether a nil is set, worded as the paper's section 4.2; cards are ranks 0 to 12."""
    left, right, partner = hands
    for k, x in enumerate(sorted(held)[:3], start=1):
        ducks = all(
            len(cards) < k or sum(card < x for card in cards) >= k for cards in (left, right)
        )
        may_cut = not is_spades and len(partner) < k
        needed = 1 if (k, third_card) == (3, "printed") else k
        covers = sum(card > x for card in partner) >= needed
        if ducks and not may_cut and not covers:
            return True
    return False


def brute_cnil(held, is_spades, third_card="printed"):
    out = [card for card in range(13) if card not in held]
    total = 0.0
    for lie in itertools.product(range(3), repeat=len(out)):
        hands = [[card for card, who in zip(out, lie, strict=True) if who == p] for p in range(3)]
        total += 0.0 if is_set(held, hands, is_spades, third_card) else chance(lie)
    return total


@pytest.mark.parametrize("third_card", THIRD_CARD)
@pytest.mark.parametrize(
    "ranks", ["59JQKA", "K9543", "AKQJT987", "2579TQ", "3468JKA", "6789TJ", "2468T"]
)
def test_nil_table_is_the_sum_over_all_lies(ranks, third_card):
    held = [RANKS.index(rank) for rank in ranks]
    brute = brute_cnil(held, False, third_card)
    assert nil_table(13, False, third_card)[bits_of(ranks)] == pytest.approx(brute)


@pytest.mark.slow
@pytest.mark.parametrize("ranks", ["25J", "69T"])
def test_nil_table_of_spades_is_the_sum_over_all_lies(ranks):
    held = [RANKS.index(rank) for rank in ranks]
    assert nil_table(13, True)[bits_of(ranks)] == pytest.approx(brute_cnil(held, True))


@pytest.mark.parametrize(("ranks", "is_spades"), [("Q", False), ("J4", False), ("Q7", True)])
def test_nil_table_agrees_with_random_deals(ranks, is_spades):
    held = [RANKS.index(rank) for rank in ranks]
    out = np.array([card for card in range(13) if card not in held])
    rng, n, n_made = np.random.default_rng(5), 4000, 0
    for _ in range(n):
        places = rng.permutation(39)[: len(out)] // 13
        hands = [list(out[places == player]) for player in range(3)]
        n_made += not is_set(held, hands, is_spades)
    exact = nil_table(13, is_spades)[bits_of(ranks)]
    assert abs(n_made / n - exact) < 4 * math.sqrt(exact * (1 - exact) / n)


def test_examples_of_the_paper():
    side, spades = nil_table(13, False), nil_table(13, True)
    assert side[0] == spades[0] == 1.0  # a void is safe
    assert side[bits_of("Q")] == pytest.approx(0.572, abs=0.001)
    assert side[bits_of("K9543")] == pytest.approx(1.0, abs=1e-12)
    assert spades[bits_of("A")] == pytest.approx(0.0, abs=1e-12)
    assert 0.0 < side[bits_of("AQ")] < 0.01
    assert spades[bits_of("2345")] == 0.0  # a fourth spade denies nil


def test_readings_of_the_third_card():
    # I hold 2 7 Q; left 3 4 5, right 6 8 9: both duck thrice; partner T J K A covers 2 and 7.
    of_partner, three_low = (0, 0, 2, 2), (0, 1, 2, 0)  # two above Q; of 3 T J none
    fails = {
        name: [partner_fails.py_func(*cards, (False, n)) for cards in (of_partner, three_low)]
        for name, n in THIRD_CARD.items()
    }
    assert fails == {"pattern": [0b100, 0b100], "printed": [0, 0b100]}
    (as_printed, of_spades), (side, spades) = (
        [nil_table(13, is_spades, name) for is_spades in (False, True)] for name in THIRD_CARD
    )
    assert side[bits_of("27Q")] == pytest.approx(0.545, abs=0.001)
    assert as_printed[bits_of("27Q")] == pytest.approx(0.894, abs=0.001)
    assert spades[bits_of("46J")] == pytest.approx(0.575, abs=0.001)
    assert of_spades[bits_of("46J")] == pytest.approx(0.920, abs=0.001)
    for ranks in ("", "Q", "AQ", "K9543"):  # the paper's own examples are the same by both
        assert as_printed[bits_of(ranks)] == side[bits_of(ranks)]
    assert of_spades[bits_of("AKJ62")] == spades[bits_of("AKJ62")] == 0.0
    assert (as_printed >= side).all()
    assert as_printed[bits_of("QKA")] == pytest.approx(side[bits_of("QKA")])  # nothing is above


def test_every_holding_has_a_probability():
    for is_spades in (False, True):
        table = nil_table(13, is_spades)
        assert table.shape == (8192,)
        assert table.min() >= -1e-9
        assert table.max() <= 1.0 + 1e-9


def test_a_higher_single_card_is_more_dangerous():
    for is_spades in (False, True):
        singles = nil_table(13, is_spades)[1 << np.arange(13)]
        assert np.all(np.diff(singles) <= 1e-12)


def test_regions():
    assert regions_of(bits_of("59Q"), 13) == (3, 3, 2, 2)
    assert regions_of(bits_of("2"), 13) == (0, 12, 0, 0)
    assert regions_of(bits_of("K9543"), 13) == (1, 0, 0, 7)
    for bits in range(0, 8192, 37):
        assert sum(regions_of(bits, 13)) == 13 - bits.bit_count()
        assert regions_of(bits, 13) == regions_of.py_func(bits, 13)


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_tables_of_every_deck(deck):
    tables = nil_tables(deck)
    assert tables.shape == (4, 1 << len(deck.suits[0]))
    top_spade = 1 << (len(deck.suits[0]) - 1)
    assert p_cnil(top_spade, 0, deck) == pytest.approx(0.0, abs=1e-12)
    assert p_cnil(1 << 16, 1, deck) == 1.0  # the lowest heart
    assert not tables.flags.writeable


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
