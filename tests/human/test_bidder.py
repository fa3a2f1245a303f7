import numpy as np
import pytest

from spades.core.cards import STANDARD
from spades.core.deal import random_deal
from spades.core.errors import IllegalBidError
from spades.core.kernel import seed_state, two_normals
from spades.core.observation import observe
from spades.core.rules import Round, Rules
from spades.human.bidder import (
    IMPOSSIBLE,
    BidderParameters,
    count_tricks,
    nil_danger,
    sample_bid,
    surplus_of,
)
from spades.human.simulated import human_bid, load_simulated_human

CALM = BidderParameters(offset=0.0, noise=0.0, previous=-0.1, nil_tolerance=0.0, nil_noise=0.0)
NONE_YET = np.full(4, -1, dtype=np.int8)


def _hand(text):
    """A hand of the standard deck written S.H.D.C."""
    groups = zip("SHDC", text.split("."), strict=True)
    return STANDARD.parse_cards(suit + rank for suit, ranks in groups for rank in ranks)


@pytest.mark.parametrize(
    ("hand", "tricks"),
    [
        ("432.5432.432.432", 0.0),
        ("432.A432.432.432", 0.90),
        ("432.A432.K32.Q32", 0.90 + 0.70 + 0.35),
        ("432.65432.K.5432", 0.30 + 0.5),  # a lone king; its suit can be ruffed
        ("432.765432..5432", 0.8),  # a void
        (".765432.432.5432", 0.0),  # no spade to ruff with
        ("AKQJ.432.432.432", 1.0 + 0.9 + 0.7 + 0.5),
        ("A5432.432.43.432", 1.0 + 2 * 0.8),
        ("K.5432.5432.5432", 0.0),  # the king falls
        ("K2.5432.543.5432", 0.9),
        ("5432.5432.65432.", 0.8 + 0.8),  # one long, one ruff
    ],
)
def test_count_of_tricks(hand, tricks):
    found = count_tricks(_hand(hand), STANDARD.mask)
    assert found == pytest.approx(tricks)
    assert count_tricks.py_func(_hand(hand), STANDARD.mask) == pytest.approx(tricks)


@pytest.mark.parametrize(
    ("hand", "danger"),
    [
        ("69T.69TA.69T.69T", 0),  # the naive classifier just passes
        ("69T.79TA.69T.69T", 1),
        ("69T.79TA.69J.8", 1 + 1 + 2),
        ("2.23.2345678.234", 0),
        ("2345.234.234.234", IMPOSSIBLE),  # four spades
        ("A.2345.2345.2345", 8),  # one spade, the ace
    ],
)
def test_danger_of_a_nil(hand, danger):
    assert nil_danger(_hand(hand), STANDARD.mask) == danger
    assert nil_danger.py_func(_hand(hand), STANDARD.mask) == danger


def _bid(hand, bids=NONE_YET, rules=None, bidder=CALM, seat=0, seed=1):
    numbers = (rules or Rules()).numbers
    bids = np.array(bids, dtype=np.int8)
    return sample_bid(_hand(hand), seat, bids, numbers, bidder, seed_state(seed))[0]


LOW = "69T.69TA.69T.69T"


def test_nil_where_the_classifier_passes():
    assert _bid(LOW) == 0
    assert _bid("69T.79TA.69T.69T") == 1
    assert _bid("69T.79TA.69T.69T", bidder=CALM._replace(nil_tolerance=1.0)) == 0


def test_no_nil_after_the_partners():
    assert _bid(LOW, bids=(-1, 3, 0, 3)) >= 1
    assert _bid(LOW, bids=(-1, 0, 3, 3)) == 0


def test_no_nil_where_the_rules_have_none():
    poor = "432.5432.432.432"
    assert _bid(poor, rules=Rules(nil=None, blind_nil=None)) == 0  # an ordinary zero
    rich = "AKQ.A43.5432.432"
    assert _bid(rich, rules=Rules(nil=None, blind_nil=None)) == 4


def test_no_nil_that_min_bid_forbids():
    assert _bid(LOW, bids=(-1, 3, 3, 3), rules=Rules(min_bid=4)) == 1
    assert _bid(LOW, bids=(-1, 3, 4, 3), rules=Rules(min_bid=4)) == 0


def test_high_bids_before_lower_the_bid():
    hand = "AKQ.A43.5432.432"  # 3.55 tricks
    assert _bid(hand) == 4
    assert _bid(hand, bids=(-1, 4, 4, 4)) == 3
    assert _bid(hand, bids=(-1, 1, 2, 1)) == 4
    assert surplus_of(NONE_YET) == 0.0
    assert surplus_of(np.array([-1, 4, 3, -1])) == pytest.approx(7 - 2 * 10.55 / 4)


def test_every_bid_is_legal(rules):
    for min_bid in (0, 4, 13):
        options = Rules(deck=rules.deck, min_bid=min_bid)
        for seed in range(60):
            state = Round.deal(options, seed % 4, random_deal(options.cards, seed))
            random_state = seed_state(seed)
            for turn in range(1, 5):
                seat = (seed + turn) % 4
                bid, random_state = human_bid(observe(state, seat), random_state)
                state.table.bid(seat, bid)  # raises what is illegal
            assert not any(state.table.blind)


def test_a_bid_sees_the_own_hand_only():
    hands = random_deal(STANDARD, 3)
    others = [random_deal(STANDARD, seed) for seed in range(4, 7)]
    bids = set()
    for deal in [hands, *others]:
        state = Round.deal(Rules(), 3, hands)
        state.hands[1:] = deal[1:]
        bids.add(int(human_bid(observe(state, 0), seed_state(8))[0]))
    assert len(bids) == 1


def test_a_seat_bids_once():
    state = Round.deal(Rules(), 3, random_deal(STANDARD, 3))
    state.table.bid(0, 3)
    with pytest.raises(IllegalBidError, match="the auction is over for this seat"):
        human_bid(observe(state, 0), seed_state(1))


def test_kernel_equals_its_python_twin():
    numbers, bidder = Rules(min_bid=3).numbers, load_simulated_human().bidder
    for seed in range(200):
        hand = random_deal(STANDARD, seed)[0]
        bids = np.array([-1, 3, (-1, 0, 2)[seed % 3], -1], dtype=np.int8)
        args = (hand, 0, bids, numbers, bidder, seed_state(seed))
        assert sample_bid(*args) == sample_bid.py_func(*args)


def test_normals_are_normal():
    stats = pytest.importorskip("scipy.stats")
    pairs = np.array([two_normals(seed_state(7, i))[:2] for i in range(4000)])
    for sample in pairs.T:
        assert stats.kstest(sample, "norm").pvalue > 0.001
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.05
