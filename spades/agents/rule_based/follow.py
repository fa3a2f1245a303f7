"""Second, third and fourth hand when the side wants tricks."""

from __future__ import annotations

from spades.agents.rule_based.cards import above, cheapest, winners
from spades.agents.rule_based.discard import throw_away
from spades.agents.rule_based.sight import (
    PARTNER,
    Sight,
    holding,
    may_be_overtaken,
    partner_wins,
)  # fmt: skip
from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.human.bidder import suit_cards


@kernel
def touching_low(s: Sight, card: Int) -> Int:
    """The lowest own card as good as ``card``: no card out stands between them."""
    low, left = card, suit_cards(s.hand, card >> 4) & ((1 << card) - 1)
    while left:
        lower = highest(left)
        if above(s.unseen, lower) != above(s.unseen, card):
            break
        low = lower
        left ^= 1 << lower
    return low


@kernel
def follow_to_take(s: Sight) -> Int:
    """Win the trick as cheaply as will hold, unless it is partner's already."""
    winning = winners(s.legal, s.best)
    if not winning or partner_wins(s) or (s.place == 3 and s.ahead == PARTNER):
        return throw_away(s)
    if not suit_cards(s.legal, s.led):
        return ruff(s, winning)
    safe = holding(s, winning)
    if safe:
        return cheapest(safe)
    if s.place == 2:
        return third_hand(s, winning)
    return throw_away(s)


@kernel
def third_hand(s: Sight, winning: Int) -> Int:
    """Third hand high: the highest card, the lowest of its equals, where none surely holds.

    Low where the last hand has shown out and can ruff, and where partner's card is as good.
    """
    card = touching_low(s, highest(winning))
    if suit_cards(s.next_void, s.led) and may_be_overtaken(s, card):
        return throw_away(s)
    if s.ahead == PARTNER and popcount(above(s.unseen, s.best)) == popcount(above(s.unseen, card)):
        return throw_away(s)
    return card


@kernel
def ruff(s: Sight, winning: Int) -> Int:
    """Void in the led suit: ruff with the lowest spade that holds.

    Where none surely does, the highest against a last hand that has shown out, else the lowest.
    No ruff when every spade is a sure take, partner is still to play and a trick can be spared:
    such a spade takes its trick anyway.
    """
    if winning & SPADES_MASK != winning:
        return throw_away(s)
    spades = suit_cards(s.hand, SPADES)
    if s.place == 1 and popcount(spades) <= s.sure and s.left > s.need:
        return throw_away(s)
    safe = holding(s, winning)
    if safe:
        return lowest(safe)
    return highest(winning) if suit_cards(s.next_void, s.led) else lowest(winning)
