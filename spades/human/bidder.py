"""The bid of a simulated human: a count of tricks, noise, and a noisy nil classifier.

No human bids are published: this is a recreational player's rule of thumb, its free parameters
calibrated to published marginals (``data/tables/simulated_human.json``). It never bids blind nil.
Cards count by their place below the highest of their suit, in every deck.

Regular bid: the count of ``count_tricks`` + ``offset`` + ``previous`` for each trick by which the
bids before are above the usual + noise, rounded; at least 1, and what ``min_bid`` requires. Nil:
where the rules have it and the partner didn't bid it, with at most three spades, when the lowest,
second and third lowest cards of the four suits are in all, with noise, little enough above
6 / 9 / T. The naive classifier (Cohensius 2020, appendix F.2: 5 / 8 / T, no card above) is the
strict form of that; with 6 / 9 / T it takes 2.5% of hands, far fewer than humans do.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS
from spades.core.kernel import Int, highest, kernel, lean_kernel, lowest, popcount, two_normals
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers
from spades.human.features.abstract_moves import suit_cards

MEAN_BID = 10.55 / N_SEATS  # mean bid, Cohensius 2020, figure 5
MAX_NIL_SPADES = 3
IMPOSSIBLE = 99.0

HONOUR_VALUES = np.array(
    [
        [0.0, 0.95, 0.95, 0.95, 0.90, 0.80, 0.65, 0.50, 0.35, 0.2, 0.1, 0.1, 0.1, 0.1],
        [0.0, 0.30, 0.65, 0.70, 0.60, 0.45, 0.30, 0.15, 0.10, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.00, 0.20, 0.35, 0.30, 0.20, 0.10, 0.05, 0.00, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)
"""Tricks that ace, king, queen of a side suit count for, shape (3, 14), by the suit's length."""

SPADE_VALUES = np.array([1.0, 0.9, 0.7, 0.5])
"""Tricks of the four highest spades, each counted with as many other spades as are above it."""

LENGTH_VALUE, FREE_SPADES = 0.8, 3  # each small spade beyond the third
RUFF_VALUES = np.array([0.8, 0.5])
"""Tricks of a small spade not counted yet, with a void, a singleton."""

NIL_LIMITS = (8, 5, 4)
"""Lowest, second, third lowest card of a suit in a nil: six, nine, ten, as places below the ace."""


class BidderParameters(NamedTuple):
    """Parameters of the bid; the first and the fourth are calibrated.

    ``offset``: tricks added to the count. ``noise``: its standard deviation, tricks. ``previous``:
    tricks for each trick by which the bids before are above the usual 2.64 a seat.
    ``nil_tolerance``: places that the low cards of a nil hand may be above 6 / 9 / T in all;
    ``nil_noise``: standard deviation of that, places."""

    offset: float
    noise: float
    previous: float
    nil_tolerance: float
    nil_noise: float


@lean_kernel
def count_side_suit(cards: Int, top: Int) -> float:
    """Tricks that a player counts for ace, king and queen of a side suit whose ace is ``top``."""
    value, length = 0.0, popcount(cards)
    for place in range(len(HONOUR_VALUES)):
        if cards >> (top - place) & 1:
            value += HONOUR_VALUES[place, length]
    return value


@lean_kernel
def count_spades(spades: Int, top: Int) -> tuple[float, Int]:
    """Tricks counted for spades, high and long, and the small spades left to ruff with."""
    value, length = 0.0, popcount(spades)
    small = length
    for place in range(len(SPADE_VALUES)):
        if spades >> (top - place) & 1 and length > place:
            value += SPADE_VALUES[place]
            small -= 1
    long = min(small, max(0, length - FREE_SPADES))
    return value + LENGTH_VALUE * long, small - long


@lean_kernel
def count_tricks(hand: Int, deck: Int) -> float:
    """Tricks that a recreational player sees in a hand: high cards, long spades, ruffs."""
    value, small = count_spades(suit_cards(hand, 0), highest(suit_cards(deck, 0)))
    for suit in range(1, 4):
        cards = suit_cards(hand, suit)
        value += count_side_suit(cards, highest(suit_cards(deck, suit)))
        length = popcount(cards)
        if length < len(RUFF_VALUES) and small > 0:
            value += RUFF_VALUES[length]
            small -= 1
    return value


@lean_kernel
def nil_danger(hand: Int, deck: Int) -> float:
    """Places, in all, by which the three lowest cards of every suit are above 6 / 9 / T.
    ``IMPOSSIBLE`` with more than three spades."""
    if popcount(suit_cards(hand, 0)) > MAX_NIL_SPADES:
        return IMPOSSIBLE
    danger = 0.0
    for suit in range(4):
        cards, top = suit_cards(hand, suit), highest(suit_cards(deck, suit))
        for limit in NIL_LIMITS:
            if cards:
                danger += max(0, limit - top + lowest(cards))
                cards &= cards - 1
    return danger


@lean_kernel
def surplus_of(bids: NDArray) -> float:
    surplus = 0.0
    for bid in bids:
        if bid != NO_BID:
            surplus += bid - MEAN_BID
    return surplus


@kernel
def sample_bid(
    hand: Int,
    seat: Int,
    bids: NDArray,
    rules: RuleNumbers,
    bidder: BidderParameters,
    state: np.uint64,
) -> tuple[Int, np.uint64]:
    """A simulated human's bid, and the random state two draws on. ``bids`` by seat, ``NO_BID``
    where none yet. Always legal, whatever ``min_bid``."""
    noise, doubt, state = two_normals(state)
    partner_bid = int(bids[(seat + 2) % N_SEATS])
    least = 0 if partner_bid == NO_BID else max(0, rules.min_bid - partner_bid)
    if rules.has_nil and least == 0 and partner_bid != NIL_BID:
        danger = nil_danger(hand, rules.deck) + bidder.nil_noise * doubt
        if danger <= bidder.nil_tolerance:
            return NIL_BID, state
    tricks = count_tricks(hand, rules.deck) + bidder.offset + bidder.noise * noise
    tricks += bidder.previous * surplus_of(bids)
    bid = max(math.floor(tricks + 0.5), least, rules.has_nil)
    return min(bid, MAX_BID), state
