"""Cards thrown to a trick that the mover doesn't want or can't win."""

from __future__ import annotations

from spades.agents.rule_based.cards import NO_CARD, above, below, weakest, winners
from spades.agents.rule_based.sight import Sight, is_boss, sure_takes
from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.human.bidder import suit_cards

BOSS_PRICE, GUARD_PRICE, SHORT_GAIN = 20, 8, 3


@kernel
def signals_doubleton(s: Sight, losers: Int) -> bool:
    """High-low doubleton (D.3): exactly two small cards under a boss in the suit's first trick.

    Only with a spade to ruff the third trick, in a side suit, and never a card that could still
    win: it has at least two higher cards out beside the one on the table.
    """
    if popcount(losers) != 2 or s.led == SPADES or losers != suit_cards(s.hand, s.led):
        return False
    if not suit_cards(s.hand, SPADES) or not is_boss(s, s.best):
        return False
    return popcount(above(s.unseen, highest(losers))) >= 2


@kernel
def follow_low(s: Sight) -> Int:
    """The lowest card of the led suit, or the higher of a doubleton as a signal (D.3)."""
    losers = s.legal & ~winners(s.legal, s.best)
    if signals_doubleton(s, losers):
        return highest(losers)
    return lowest(s.legal)


@kernel
def price_of(s: Sight, card: Int) -> Int:
    """How much a side's lowest card is worth keeping: the lower, the sooner it goes.

    A winner is dear, so is the one guard of a second-best card; a singleton goes sooner, to
    ruff that suit later. (The paper says nothing on discards.)
    """
    suit = suit_cards(s.hand, card >> 4)
    price = card & 15
    if is_boss(s, card):
        price += BOSS_PRICE
    if popcount(suit) == 2 and popcount(above(s.unseen, highest(suit))) == 1:
        price += GUARD_PRICE
    if popcount(suit) == 1 and suit_cards(s.hand, SPADES):
        price -= SHORT_GAIN
    return price


@kernel
def discard_loser(s: Sight) -> Int:
    """Void in the led suit, the trick not wanted: the plain card worth least, else a low spade."""
    found, least = NO_CARD, 99
    for suit in range(1, 4):
        cards = suit_cards(s.legal, suit)
        if cards and price_of(s, lowest(cards)) < least:
            found = lowest(cards)
            least = price_of(s, found)
    return found if found != NO_CARD else lowest(s.legal)


@kernel
def throw_away(s: Sight) -> Int:
    """Give the trick up and keep what may win later."""
    if suit_cards(s.legal, s.led):
        return follow_low(s)
    return discard_loser(s)


@kernel
def danger_of(s: Sight, card: Int) -> Int:
    """How likely a suit's highest card is to win a trick: high, with few low cards beside it."""
    danger = (card & 15) - 2 * popcount(below(s.hand, card))
    if not below(s.unseen, card) and not above(s.unseen, card):
        danger += BOSS_PRICE  # the suit's last card wins whenever led
    return danger


@kernel
def most_dangerous(s: Sight, cards: Int) -> Int:
    """The card to be rid of among some that can't win this trick; spades before plain cards."""
    if cards & SPADES_MASK:
        return highest(cards & SPADES_MASK)
    found, most = NO_CARD, -99
    for suit in range(1, 4):
        held = suit_cards(cards, suit)
        if held and danger_of(s, highest(held)) > most:
            found = highest(held)
            most = danger_of(s, found)
    return found


@kernel
def spare_cards(s: Sight, cards: Int) -> Int:
    """Without the spades whose loss would leave fewer sure takes than the contract needs."""
    spare, spades = cards & ~SPADES_MASK, suit_cards(s.hand, SPADES)
    left, out = cards & SPADES_MASK, suit_cards(s.unseen, SPADES)
    while left:
        card = left & -left
        left ^= card
        if s.need == 0 or sure_takes(spades ^ card, out) >= s.need:
            spare |= card
    return spare


@kernel
def duck_under(s: Sight) -> Int:
    """Lose the trick with the highest card that does; forced to win, with as much as it takes.

    Void in the led suit, the card most likely to win a trick later goes, never a spade that the
    contract needs. Nothing but winners: the lowest if a later seat may go over it, else the
    highest, which would have won a trick anyway.
    """
    losers = s.legal & ~winners(s.legal, s.best)
    if losers and suit_cards(s.legal, s.led):
        return highest(losers)
    if losers:
        spare = spare_cards(s, losers)
        return most_dangerous(s, spare if spare else losers)
    if suit_cards(s.legal, s.led):
        return lowest(s.legal) if s.place < 3 else highest(s.legal)
    return weakest(s.legal)
