"""The bid of a simulated human: a trick count with noise, and a noisy nil classifier.

No human bids are published: this is a recreational player's rule of thumb, its free parameters
calibrated to published marginals (``data/tables/simulated_human.json``). It never bids blind nil.
Cards count by their place below the highest of their suit, in every deck.

Regular bid: ``count_tricks`` + ``offset`` + ``previous`` times the previous bids' excess over the
mean + noise, rounded; at least 1, and at least what ``min_bid`` requires. Nil: if the rules have it
and the partner didn't bid it, with at most three spades, and if the total number of ranks by which
the lowest, second and third lowest cards of the four suits exceed 6 / 9 / T is, with noise, small
enough. The naive classifier (Cohensius 2020, appendix F.2: 5 / 8 / T, no card above) is the strict
form of that; with 6 / 9 / T the strict form bids nil on 2.5% of hands, far fewer than humans do.
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
"""Tricks of the four highest spades; each counts only with as many other spades as are higher."""

LENGTH_VALUE = 0.8  # tricks of each small spade beyond the third
FREE_SPADES = 3
RUFF_VALUES = np.array([0.8, 0.5])
"""Tricks of a small spade that isn't a long one, with a void or a singleton."""

NIL_LIMITS = (8, 5, 4)
"""Limits of the lowest, second and third lowest card of a suit for nil: six, nine, ten, as places
below the ace."""


class BidderParameters(NamedTuple):
    """Parameters of the bid; ``offset`` and ``nil_tolerance`` are calibrated.

    ``offset``: tricks added to the count. ``noise``: standard deviation of the count, tricks.
    ``previous``: tricks added for each trick by which the previous bids exceed the mean of 2.64 a
    seat. ``nil_tolerance``: total ranks by which the low cards of a nil hand may exceed
    6 / 9 / T; ``nil_noise``: standard deviation of that, ranks."""

    offset: float
    noise: float
    previous: float
    nil_tolerance: float
    nil_noise: float


@lean_kernel
def count_side_suit(cards: Int, top: Int) -> float:
    """Tricks counted for ace, king and queen of a side suit whose ace is ``top``."""
    value = 0.0
    length = popcount(cards)
    for place in range(len(HONOUR_VALUES)):
        if cards >> (top - place) & 1:
            value += HONOUR_VALUES[place, length]
    return value


@lean_kernel
def count_spades(spades: Int, top: Int) -> tuple[float, Int]:
    """Tricks counted for high and long spades, and the number of small spades left to ruff with."""
    value = 0.0
    length = popcount(spades)
    n_small = length
    for place in range(len(SPADE_VALUES)):
        if spades >> (top - place) & 1 and length > place:
            value += SPADE_VALUES[place]
            n_small -= 1
    n_long = min(n_small, max(0, length - FREE_SPADES))
    return value + LENGTH_VALUE * n_long, n_small - n_long


@lean_kernel
def count_tricks(hand: Int, deck: Int) -> float:
    """Tricks that a recreational player counts in a hand: high cards, long spades, ruffs."""
    value, n_small = count_spades(suit_cards(hand, 0), highest(suit_cards(deck, 0)))
    for suit in range(1, 4):
        cards = suit_cards(hand, suit)
        value += count_side_suit(cards, highest(suit_cards(deck, suit)))
        length = popcount(cards)
        if length < len(RUFF_VALUES) and n_small > 0:
            value += RUFF_VALUES[length]
            n_small -= 1
    return value


@lean_kernel
def nil_danger(hand: Int, deck: Int) -> float:
    """Total ranks by which the three lowest cards of every suit exceed 6 / 9 / T; ``IMPOSSIBLE``
    with more than three spades."""
    if popcount(suit_cards(hand, 0)) > MAX_NIL_SPADES:
        return IMPOSSIBLE
    danger = 0.0
    for suit in range(4):
        cards = suit_cards(hand, suit)
        top = highest(suit_cards(deck, suit))
        for limit in NIL_LIMITS:
            if cards:
                danger += max(0, limit - top + lowest(cards))
                cards &= cards - 1
    return danger


@lean_kernel
def surplus_of(bids: NDArray) -> float:
    """Tricks by which the bids made exceed the mean bid, in all."""
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
    """A simulated human's bid, always legal, and the random state two draws on. ``bids`` by seat,
    ``NO_BID`` if not made yet."""
    bid_noise, nil_noise, state = two_normals(state)
    partner_bid = int(bids[(seat + 2) % N_SEATS])
    least = 0 if partner_bid == NO_BID else max(0, rules.min_bid - partner_bid)
    if rules.has_nil and least == 0 and partner_bid != NIL_BID:
        danger = nil_danger(hand, rules.deck) + bidder.nil_noise * nil_noise
        if danger <= bidder.nil_tolerance:
            return NIL_BID, state
    tricks = count_tricks(hand, rules.deck) + bidder.offset + bidder.noise * bid_noise
    tricks += bidder.previous * surplus_of(bids)
    bid = max(math.floor(tricks + 0.5), least, rules.has_nil)
    return min(bid, MAX_BID), state
