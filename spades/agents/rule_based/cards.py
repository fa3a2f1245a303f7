"""Picking cards out of masks: higher, lower, strongest, weakest, winners, losers."""

from __future__ import annotations

import numpy as np

from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest
from spades.human.bidder import suit_cards

NO_CARD = -1


@kernel
def above(mask: Int, card: Int) -> Int:
    """The cards of a mask that are higher than ``card`` in its suit."""
    return suit_cards(mask, card >> 4) & -(np.int64(2) << card)


@kernel
def below(mask: Int, card: Int) -> Int:
    """The cards of a mask that are lower than ``card`` in its suit."""
    return suit_cards(mask, card >> 4) & ((np.int64(1) << card) - 1)


@kernel
def weakest(mask: Int) -> Int:
    """The card of least strength within its suit; among equals a plain card before a spade."""
    found, strength = NO_CARD, 99
    for suit in (3, 2, 1, 0):
        cards = suit_cards(mask, suit)
        if cards and lowest(cards) & 15 < strength:
            found = lowest(cards)
            strength = found & 15
    return found


@kernel
def strongest(mask: Int) -> Int:
    """The card of most strength within its suit; among equals a plain card before a spade."""
    found, strength = NO_CARD, -1
    for suit in (3, 2, 1, 0):
        cards = suit_cards(mask, suit)
        if cards and highest(cards) & 15 > strength:
            found = highest(cards)
            strength = found & 15
    return found


@kernel
def winners(legal: Int, best: Int) -> Int:
    """The cards of a mask that beat ``best``, a card on the table."""
    higher = above(legal, best)
    if best >> 4 != SPADES:
        higher |= legal & SPADES_MASK
    return higher


@kernel
def cheapest(mask: Int) -> Int:
    """The least costly of some winners: the lowest plain card, else the lowest spade."""
    plain = mask & ~SPADES_MASK
    return lowest(plain) if plain else lowest(mask)
