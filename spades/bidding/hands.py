"""What a hand is worth before the auction is looked at: tricks of a regular bid, and nil value.

Source: Cohensius et al. 2020, sections 4.1.1 to 4.1.4 and 4.2. Cards count by their place below the
top of their suit, so that every deck will do: where jokers are, the four highest spades stand for
A K Q J.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.bidding.tables import N_TRICKS
from spades.core.cards import SPADES_MASK, SUIT_CARDS
from spades.core.kernel import Int, highest, kernel, popcount

N_SPADE_HONOURS = 4
FREE_SPADES = 4  # every spade beyond these is long
VOID_FACTOR = 1.15


@kernel
def suit_bits(mask: Int, suit: Int) -> Int:
    """The cards of a suit within a mask, its lowest card at bit 0."""
    return mask >> np.int64(16 * suit) & np.int64(SUIT_CARDS)


@kernel
def side_suit_tricks(cards: Int, top: Int, p_hold: NDArray) -> float:
    """Tricks that the three highest cards of a side suit are worth.

    ``cards``: the suit's bits, its highest card at bit ``top``. ``p_hold`` (3,): probability that
    its first, second, third trick isn't cut. The highest card is to win the first trick, the next
    the second, and so on; one with fewer other cards than tricks to wait for is worth nothing.
    """
    tricks, length = 0.0, popcount(cards)
    for place in range(min(length, N_TRICKS)):
        if cards >> (top - place) & 1:
            tricks += p_hold[place]
    return tricks


@kernel
def spade_tricks(spades: Int, top: Int) -> Int:
    """Tricks of spades kept for their own suit: mostly protected honours, and long spades."""
    length = popcount(spades)
    tricks = max(0, length - FREE_SPADES)
    for place in range(min(length, N_SPADE_HONOURS)):
        tricks += spades >> (top - place) & 1
    return tricks


@kernel
def allot_spades(hand: Int, deck: Int, p_holds: NDArray) -> tuple[float, Int]:
    """Tricks of the spades, each used where it is worth most; and how many of them cut.

    The lowest spades cut, at the best short suits first; the rest are worth what they are without
    those. ``p_holds`` (17, 3): ``holding_table`` for the opponents that
    may cut higher.
    """
    top = highest(suit_bits(deck, 0))
    spades = suit_bits(hand, 0)
    best, n_cuts, cutting, cut_tricks = float(spade_tricks(spades, top)), 0, 0, 0.0
    trick_1, trick_2, trick_3 = (
        popcount(suit_bits(hand, 1)),
        popcount(suit_bits(hand, 2)),
        popcount(suit_bits(hand, 3)),
    )
    out_1 = popcount(suit_bits(deck, 1)) - trick_1
    out_2 = popcount(suit_bits(deck, 2)) - trick_2
    out_3 = popcount(suit_bits(deck, 3)) - trick_3
    while spades:
        worth_1 = p_holds[out_1, trick_1] if trick_1 < N_TRICKS else 0.0
        worth_2 = p_holds[out_2, trick_2] if trick_2 < N_TRICKS else 0.0
        worth_3 = p_holds[out_3, trick_3] if trick_3 < N_TRICKS else 0.0
        worth = max(worth_1, worth_2, worth_3)
        if worth <= 0.0:
            break
        if worth == worth_1:
            trick_1 += 1
        elif worth == worth_2:
            trick_2 += 1
        else:
            trick_3 += 1
        spades &= spades - 1
        cutting += 1
        cut_tricks += worth
        total = cut_tricks + spade_tricks(spades, top)
        if total > best:
            best, n_cuts = total, cutting
    return best, n_cuts


@kernel
def regular_tricks(hand: Int, deck: Int, p_holds: NDArray) -> float:
    """Tricks of a hand, before the term in the previous bids: side-suit honours and spades.

    ``hand``, ``deck``: masks. ``p_holds``: as in ``allot_spades``.
    """
    tricks, _ = allot_spades(hand, deck, p_holds)
    for suit in range(1, 4):
        cards, whole = suit_bits(hand, suit), suit_bits(deck, suit)
        tricks += side_suit_tricks(cards, highest(whole), p_holds[popcount(whole & ~cards)])
    return tricks


@kernel
def nil_value(hand: Int, p_cnils: NDArray) -> float:
    """Heuristic chance of a nil: Pr(cnil) of the four suits, times 1.15 with a void, at most 1.

    ``p_cnils``: ``nil_tables`` of the deck.
    """
    value, has_void = 1.0, False
    for suit in range(4):
        cards = suit_bits(hand, suit)
        value *= p_cnils[suit, cards]
        has_void |= cards == 0
    return min(1.0, value * VOID_FACTOR) if has_void else value


@kernel
def top_spades(hand: Int, deck: Int, n: Int) -> Int:
    """How many of the n highest spades the hand holds."""
    spades = hand & np.int64(SPADES_MASK)
    top = highest(deck & np.int64(SPADES_MASK))
    return popcount(spades >> (top - n + 1))
