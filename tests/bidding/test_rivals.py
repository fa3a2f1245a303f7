"""IO, MS, RB and KB clause by clause, and noise."""

import numpy as np
import pytest

from spades.bidding import BIDDER_CODES, BLIND_NIL, bidder_options, make_bid, rivals
from spades.bidding.hands import holding_table
from spades.core.cards import DECKS, STANDARD
from spades.core.deal import random_deal
from spades.core.kernel import seed_state
from spades.core.rules import Rules
from tests.bidding.auctions import STATE, auction, context, hand_of

DECK = STANDARD.mask
GROUND = context()


def made(name, hand, seen=None, ground=GROUND, **options):
    chosen = bidder_options(code=BIDDER_CODES[name], **options)
    return make_bid(hand_of(hand), seen or auction(), chosen, ground, STATE)[0]


@pytest.mark.parametrize(
    ("hand", "tricks"),
    [
        ("432.5432.432.432", 1.2),
        ("AKQJT.432.43.432", 5),
        ("T9.5432.432.5432", 1.4),
        (".A432.5432.65432", 1),
        (".AK32.5432.65432", 2),
        (".K432.5432.65432", 0.5),
        (".5432.K.98765432", 0),  # a lone king
        (".K2.A65432.AK432", 3.5),
    ],
)
def test_io_tricks(hand, tricks):
    assert rivals.io_tricks(hand_of(hand), DECK) == pytest.approx(tricks)
    assert rivals.io_tricks.py_func(hand_of(hand), DECK) == pytest.approx(tricks)


IO_LOW = "942.QJ32.Q432.Q2"


def test_io_nil():
    assert made("io", IO_LOW, auction(4, 3)) == 0
    assert made("io", IO_LOW, auction(3, 3)) == 1  # the partner bid less than four
    assert made("io", IO_LOW) == 1  # the partner hasn't bid
    assert made("io", "942.KJ32.Q432.Q2", auction(4, 3)) == 2  # a king: 1.2 + .5
    assert made("io", "T42.QJ32.Q432.Q2", auction(4, 3)) == 2  # a high spade
    assert made("io", "9432.QJ32.Q43.Q2", auction(4, 3)) == 2  # four spades
    assert made("io", IO_LOW, auction(4, 3), context(Rules(nil=None, blind_nil=None))) == 1


@pytest.mark.parametrize(
    ("hand", "tricks"),
    [
        ("32.5432.432.5432", 0),
        ("32.A432.K32.K432", 3),
        ("32.5432.65432.AK", 2),
        ("32.765432.5432.K", 0),  # a lone king
        ("Q32.432.432.5432", 1),
        ("Q3.432.5432.5432", 0),
        ("AQ.432.5432.5432", 2),
        ("KQ.432.5432.5432", 1),
        ("AKQ2.432.432.432", 4),  # the fourth spade
        ("65432.432.432.32", 2),
        ("A.5432.5432.5432", 0),  # the ace, less one for the lone spade
        (".65432.5432.5432", -1),
        ("432.765432.432.2", 1),
        ("432.8765432.32.2", 1),
        ("5432.65432.432.2", 1),  # only with exactly three spades
        ("432.98765432.2.2", 1),  # one for any number of short suits
    ],
)
def test_ms_tricks(hand, tricks):
    assert rivals.ms_tricks(hand_of(hand), DECK) == tricks
    assert rivals.ms_tricks.py_func(hand_of(hand), DECK) == tricks


def test_ms_bid():
    assert made("ms", "AKQ2.A32.K32.432") == 6
    assert made("ms", ".QJT98.QJT9.QJT9") == 1  # never less than one


NAIVE = "58T.58TA.58T.58T"


@pytest.mark.parametrize("name", ["ms", "rb"])
def test_naive_nil(name):
    assert made(name, NAIVE) == 0
    assert made(name, "68T.58TA.58T.58T") > 0
    assert made(name, "59T.58TA.58T.58T") > 0
    assert made(name, "58J.58TA.58T.58T") > 0
    assert made(name, "5.58TAKQ.58T.58T") == 0
    assert made(name, "2345.234.234.234") > 0  # four spades
    assert made(name, ".23J.23456789TJ.") > 0  # the paper's almost perfect nil
    assert made(name, NAIVE, auction(0, 3)) > 0  # the partner's nil
    assert made(name, NAIVE, auction(0, 3, 3)) == 0  # an opponent's
    raised = bidder_options(code=BIDDER_CODES[name], nil_ranks=2)  # 7, T, Q
    assert rivals.counted_bid(hand_of("7TQ.7TQA.7TQ.7TQ"), auction(), raised, GROUND) == 0
    assert rivals.counted_bid(hand_of("8TQ.7TQA.7TQ.7TQ"), auction(), raised, GROUND) > 0


def test_rb_tricks():
    side, high, low = rivals.RB_SIDE, rivals.RB_HIGH_SPADE, rivals.RB_LOW_SPADE
    hand = hand_of("AJ432.K5.Q32.A32")
    expected = high[0, 5] + high[3, 5] + 3 * low[5] + side[1, 2] + side[2, 3] + side[0, 3]
    assert rivals.rb_tricks(hand, DECK) == pytest.approx(expected)
    assert rivals.rb_tricks.py_func(hand, DECK) == pytest.approx(expected)
    seven = hand_of("8765432.432.43.2")
    assert rivals.rb_tricks(seven, DECK) == pytest.approx(7 * low[6])


def test_rb_bids_what_people_bid():
    """Its free values are set so that four of it sum to about 10.55 (Cohensius 2020, figure 5)."""
    options, ground = bidder_options(code=BIDDER_CODES["rb"]), GROUND
    bids = [
        make_bid(hand, auction(), options, ground, STATE)[0]
        for seed in range(600)
        for hand in random_deal(STANDARD, seed)
    ]
    assert np.mean(bids) * 4 == pytest.approx(10.55, abs=0.4)


def test_kb_tricks():
    hold = holding_table()[2]
    neutral = bidder_options(code=BIDDER_CODES["kb"])
    tricks = rivals.kb_tricks(hand_of("432.AK32.Q32.432"), auction(), neutral, GROUND)
    assert tricks == pytest.approx(hold[9, 0] + hold[9, 1] + hold[10, 2])
    spades = rivals.kb_spade_tricks
    assert spades(hand_of("A.5432.5432.5432"), DECK) == 1
    assert spades(hand_of("K2.5432.432.5432"), DECK) == pytest.approx(0.93)
    assert spades(hand_of("K.65432.432.5432"), DECK) == 0.0
    assert spades(hand_of("AQ2.5432.432.432"), DECK) == pytest.approx(1.93)
    assert spades(hand_of("432.8765432.32.2"), DECK) == pytest.approx(0.5 + 0.15)  # ruffs
    assert spades(hand_of("65432.5432.43.43"), DECK) == pytest.approx(0.9 + 2 * 0.15)


def test_kb_personality_and_bags_move_the_bid():
    hand = hand_of("AK32.A32.432.432")

    def tricks(personality=0.0, bags=0, rules=None, theirs=0, their_bags=1):
        values = {"personality": personality, "their_bags": their_bags}
        options = bidder_options(code=BIDDER_CODES["kb"], **values)
        seen = auction(bags=(bags, theirs))
        return rivals.kb_tricks(hand, seen, options, context(rules or Rules()))

    assert tricks(1.0) - tricks() == pytest.approx(0.6)
    assert tricks(-1.0) - tricks() == pytest.approx(-0.6)
    assert tricks(bags=6) == tricks()
    assert tricks(bags=7) - tricks() == pytest.approx(0.5)
    assert tricks(bags=9, rules=Rules(bag_limit=0)) == tricks()
    assert tricks(theirs=7) - tricks() == pytest.approx(0.5)  # either partnership's
    assert tricks(theirs=7, their_bags=0) == tricks()


@pytest.mark.parametrize(
    ("hand", "bids"),
    [
        ("63.J9643.Q32.632", [1, 1, 0]),  # nil value 0.54
        ("7.J975.K7632.T42", [1, 0, 0]),  # 0.66
        ("9.8.KQJ852.KQ653", [1, 0, 0]),  # 0.64
    ],
)
def test_kb_asks_a_nil_value_by_its_personality(hand, bids):
    personalities = (-1.0, 0.0, 1.0)  # nil from 0.7, 0.6, 0.5 on
    assert [made("kb", hand, personality=p, randomness=0.0) for p in personalities] == bids


def test_kb_nil_and_randomness():
    low, middling = "42.5432.5432.432", "93.Q42.T85.J7643"
    assert made("kb", low, randomness=0.0) == 0
    assert made("kb", low, auction(0, 3), randomness=0.0) >= 1
    assert made("kb", middling, randomness=0.0) >= 1
    options = bidder_options(code=BIDDER_CODES["kb"], randomness=2.0)
    hand = hand_of("AK32.A32.432.432")
    bids = {make_bid(hand, auction(), options, GROUND, seed_state(s))[0] for s in range(50)}
    assert len(bids) > 2


def test_noise():
    hand = hand_of("AK32.A32.432.432")
    calm = bidder_options(code=BIDDER_CODES["ms"])
    assert make_bid(hand, auction(), calm, GROUND, STATE)[0] == 4

    def bids(**options):
        noisy = calm._replace(**options)
        return np.array(
            [make_bid(hand, auction(), noisy, GROUND, seed_state(s))[0] for s in range(400)]
        )

    moved = bids(noise=1.0)
    assert moved.std() == pytest.approx(1.0, abs=0.15)
    assert moved.mean() == pytest.approx(4.0, abs=0.2)
    nils = bids(nil_rate=0.3) == 0
    assert nils.mean() == pytest.approx(0.3, abs=0.09)
    low = hand_of(NAIVE)
    noisy = calm._replace(noise=3.0)
    assert {make_bid(low, auction(), noisy, GROUND, seed_state(s))[0] for s in range(20)} == {0}


def test_noise_leaves_a_blind_nil():
    options = bidder_options(blind_nil=1, big6=1, noise=2.0, nil_rate=0.5)
    seen = auction(3, 6, 3, score=(0, 101))
    for seed in range(10):
        hand = random_deal(STANDARD, seed)[0]
        assert make_bid(hand, seen, options, GROUND, seed_state(seed))[0] == BLIND_NIL


@pytest.mark.parametrize("name", BIDDER_CODES)
def test_kernels_equal_their_python_twins(name):
    options = bidder_options(code=BIDDER_CODES[name])
    for seed in range(30):
        hand, state = random_deal(STANDARD, seed)[0], seed_state(seed)
        args = (hand, auction(3, 4), options, GROUND, state)
        assert make_bid(*args) == make_bid.py_func(*args)


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_places_count_in_every_deck(deck):
    ground = context(Rules(deck=deck.name))
    top = 1 << (len(deck.suits[0]) - 1)
    assert rivals.io_tricks(top, deck.mask) == 1
    assert rivals.ms_tricks(top, deck.mask) == 0  # its trick, less one for a lone spade
    assert rivals.rb_tricks(top, deck.mask) == rivals.RB_HIGH_SPADE[0, 1]
    assert rivals.kb_spade_tricks(top, deck.mask) == 1
    assert not rivals.is_naive_nil(top, auction(), 0, ground)
