"""The chance of a nil: one sum, by hand and of simulated rounds."""

import math

import numpy as np
import pytest

from analysis.bidding.bid_trials import BidTrials, TriedBid, try_bids
from analysis.nil.chance import (
    NilChance,
    describe_alike,
    nil_chance,
    parts_table,
    verdict,
)
from analysis.nil.rates import Source, value_of
from spades.bidding import load_curves, observe_auction
from spades.bidding.curves import NIL_TABLE
from spades.core.cards import STANDARD, parse_hand
from spades.core.deal import random_deal
from spades.core.rules import Rules
from tests.analysis.nils import made_up_source

HAND = "J52.9643.Q.K9543"
BY_HAND = NilChance(
    made=617, n=1000, of_value=0.702, of_value_ends=(0.696, 0.707), n_after=22_133, what_differs=()
)
WITHOUT_CURVE = NilChance(3, 10, None, (math.nan, math.nan), 5, ())


def hand(text=HAND, previous=(), **options):
    return observe_auction(parse_hand(text, STANDARD), previous, **options)


def trials_of(made, bid=0, tolerance=None, bidder="bis"):
    nothing = np.zeros(len(made), dtype=np.int64)
    tried = TriedBid(bid, "nil", nothing, nothing, nothing, np.array(made))
    return BidTrials((tried,), bidder, 0, len(made), 20_000, tolerance)


def test_the_parts_sum_to_the_chance():
    assert BY_HAND.chance == 0.617
    assert BY_HAND.cards == pytest.approx(-0.085)
    low, high = BY_HAND.ends
    assert low < 0.617 < high
    below, above = BY_HAND.cards_ends
    assert below == pytest.approx(-0.085 - math.hypot(0.617 - low, 0.005))
    assert above == pytest.approx(-0.085 + math.hypot(high - 0.617, 0.006))
    table = parts_table(BY_HAND, 100)
    assert table["chance"].iloc[:2].sum() == pytest.approx(table["chance"].iloc[2])
    assert table["points"].iloc[:2].sum() == pytest.approx(table["points"].iloc[2])
    assert table["points"].tolist() == pytest.approx([40.4, -17.0, 23.4])
    assert table["n"].tolist() == pytest.approx([22_133, math.nan, 1000], nan_ok=True)
    assert table["what"].tolist() == [
        "Hands of this value, after these bids", "Added by these cards", "This nil",
    ]  # fmt: skip


def test_the_sentence():
    assert BY_HAND.text() == (
        "Hands of this value, after these bids, make 70.2% of their nils (69.6% to 70.7%); these "
        "cards −8.5 pp (−11.6 to −5.4): 61.7% (58.6% to 64.7%)."
    )
    assert WITHOUT_CURVE.text() == "Made in 30.0% (6.7% to 65.2%) of 10 simulated rounds."
    assert len(parts_table(WITHOUT_CURVE, 100)) == 1
    assert math.isnan(WITHOUT_CURVE.cards)


@pytest.mark.parametrize(
    ("threshold", "side"),
    [
        (10.0, "over the threshold"),
        (25.0, "too close to the threshold to call"),
        (40.0, "not over the threshold"),
    ],
)
def test_the_verdict(threshold, side):
    text = verdict(BY_HAND, threshold, 100)
    assert text.startswith("The chance of this nil, 61.7%, makes it +23.4 points (+17.2 to +29.4)")
    assert text.endswith(f": {side}.")


def test_the_curve_is_that_of_the_bids_and_what_differs_is_said():
    made = [True, True, False]
    curves = load_curves(NIL_TABLE)
    value = value_of(parse_hand(HAND, STANDARD), STANDARD)
    found = nil_chance(hand(previous=(4, 3)), trials_of(made, tolerance=0))
    assert (found.made, found.n) == (2, 3)
    assert found.of_value == curves.probability((4, 3), value)
    assert found.of_value_ends == curves.interval((4, 3), value)
    assert found.cards_name == "these cards"
    found = nil_chance(hand(previous=(4, 3)), trials_of(made, tolerance=1))
    assert found.cards_name == "these cards and bids before met only nearly"
    found = nil_chance(hand(previous=(4, 3), score=(90, -40)), trials_of(made))
    assert found.cards_name == "these cards, the score and bids before not met"
    found = nil_chance(hand(rules=Rules(nil=50)), trials_of(made))
    assert found.cards_name == "these cards and the rules"
    assert nil_chance(hand(), trials_of(made)).cards_name == "these cards"


def test_there_is_no_curve_of_other_bidders_or_of_a_nil_denied():
    assert nil_chance(hand(), trials_of([True], bidder="human")).of_value is None
    assert nil_chance(hand("5432.32.5432.432"), trials_of([True])).of_value is None
    assert nil_chance(hand(), trials_of([True], bid=3)) is None
    assert nil_chance(hand(rules=Rules(nil=None)), trials_of([True])) is None


def test_what_happened_to_others():
    source = made_up_source({((1, 3), 16): (40, 30), ((), 16): (10, 5), ((), 4): (2, 1)}, "a log")
    assert describe_alike(source, (1, 3), 0.81) == (
        "a log: 35 of 50 nils of like value (0.80 to 0.85) were made, 70.0% (95%: 55.4% to 82.1%), "
        "whatever was bid before; after these bids 30 of 40."
    )
    assert describe_alike(source, (1, 3), 0.2).endswith("after these bids none was bid.")
    assert describe_alike(Source("b", source.counts), (), 0.6).startswith("b: no nils of like")


def test_cards_add_nothing_on_the_mean():
    """The curve is the mean of the simulated chances of hands of its value: over hands as they are
    dealt, to the first bidder, what the cards add is 0 but for chance."""
    added = []
    for seed in range(150):
        seen = observe_auction(random_deal(STANDARD, seed)[0])
        found = nil_chance(seen, try_bids(seen, [0], n=300))
        if found.of_value is not None:
            added.append(found.cards)
    error = np.std(added, ddof=1) / math.sqrt(len(added))
    assert len(added) > 40
    assert error < 0.03
    assert abs(np.mean(added)) < 3 * error
