"""Rounds with a live nil: playing one's own, covering partner's, attacking an opponent's.

Covering and attacking give ``NO_CARD`` where the nil asks nothing special of this trick.
"""

from __future__ import annotations

from spades.agents.rule_based.cards import NO_CARD, above, below, cheapest, winners
from spades.agents.rule_based.discard import duck_under, most_dangerous, throw_away
from spades.agents.rule_based.follow import touching_low
from spades.agents.rule_based.goals import DUCK, goal_of
from spades.agents.rule_based.lead import can_ruff, likely_wins
from spades.agents.rule_based.sight import NEXT, PARTNER, PREVIOUS, Sight, may_beat
from spades.core.cards import SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.human.bidder import suit_cards

PARTNER_OUT = 30  # a lead partner can't win goes before a queen, after an ace or a king

# The own nil


@kernel
def play_nil(s: Sight) -> Int:
    """Take no trick: lead what others must beat, follow as high as still loses.

    Void in the led suit, the most dangerous card goes; spades go under a higher spade.
    """
    if s.led < 0:
        return lead_nil(s)
    losers = s.legal & ~winners(s.legal, s.best)
    if not losers:
        return lowest(s.legal)
    if suit_cards(s.legal, s.led):
        return highest(losers)
    return most_dangerous(s, losers)


@kernel
def lead_nil(s: Sight) -> Int:
    """The lowest card of the suit whose lowest card is least likely to win."""
    found, least = NO_CARD, 999
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if not cards:
            continue
        risk = likely_wins(s, lowest(cards))
        if risk < least:
            found, least = lowest(cards), risk
    return found


# Partner's nil


@kernel
def cover_partner(s: Sight) -> Int:
    """Keep partner from winning the trick (D.2): never given up while the nil is live.

    Whatever it costs the own contract, as the paper's player does. Partner ahead: go over, as
    cheaply as can be. Partner last to play with a card out that would win: play high, or ruff.
    """
    if s.place == 0:
        return lead_to_cover(s)
    is_exposed = s.ahead == PARTNER or (s.place == 1 and may_beat(s, s.partner_void, s.best))
    if s.place == 1 and suit_cards(s.partner_void, s.led):
        is_exposed = False  # partner discards
    winning = winners(s.legal, s.best)
    if not is_exposed or not winning:
        return NO_CARD
    if s.place == 1 and suit_cards(s.legal, s.led):
        return touching_low(s, highest(winning))
    return cheapest(winning)


@kernel
def lead_to_cover(s: Sight) -> Int:
    """The highest card of the suit that partner can best go under, or has shown out of.

    Partner throws a dangerous card on a suit she is out of, so any lead of it is safe.
    """
    found, least = NO_CARD, 999
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if not cards:
            continue
        card = touching_low(s, highest(cards))
        risk = 3 * popcount(above(s.unseen, card)) - popcount(below(s.unseen, card))
        if suit_cards(s.partner_void, suit):
            risk -= PARTNER_OUT
        if risk < least:
            found, least = card, risk
    return found


# An opponent's nil


@kernel
def is_live_nil_at(s: Sight, step: Int) -> bool:
    """Whether the opponent at a step has a live nil; never for others."""
    return bool((step == NEXT and s.next_nil) or (step == PREVIOUS and s.previous_nil))


@kernel
def may_catch_next(s: Sight) -> bool:
    """Whether the next seat's nil could be forced over the card on the table.

    It still has to play and follow, and of the suit no more cards are out below than above.
    """
    if s.place == 3 or not s.next_nil or suit_cards(s.next_void, s.led):
        return False
    higher, lower = popcount(above(s.unseen, s.best)), popcount(below(s.unseen, s.best))
    return s.best >> 4 == s.led and higher > 0 and lower <= higher


@kernel
def attack_nil(s: Sight) -> Int:
    """Leave the trick to a nil bidder who is ahead, or may be forced ahead (D.2).

    Low cards are kept for leads under the nil where tricks aren't wanted, high ones where they are.
    """
    if s.place == 0:
        return lead_at_nil(s)
    if not is_live_nil_at(s, s.ahead) and not may_catch_next(s):
        return NO_CARD
    losers = s.legal & ~winners(s.legal, s.best)
    if losers:
        return duck_under(s) if goal_of(s) == DUCK else throw_low(s, losers)
    card = lowest(s.legal)
    is_under = may_catch_next(s) and s.led == card >> 4 and above(s.unseen, card) != 0
    return card if is_under else NO_CARD


@kernel
def throw_low(s: Sight, losers: Int) -> Int:
    """The lowest loser of the led suit; void in it, the plain card worth least."""
    if suit_cards(s.legal, s.led) or not losers & ~SPADES_MASK:
        return lowest(losers)
    return throw_away(s)


@kernel
def lead_at_nil(s: Sight) -> Int:
    """The low card that a nil bidder can least go under: few cards out below it, many above.

    In a suit the nil bidder has not shown out of, better one that the coverer can't ruff.
    ``NO_CARD`` where more cards are out below than above everywhere.
    """
    found, least = NO_CARD, 0
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if not cards or not is_open_to(s, suit):
            continue
        card = lowest(cards)
        higher, lower = popcount(above(s.unseen, card)), popcount(below(s.unseen, card))
        price = lower - higher
        cover = s.previous_void if s.next_nil else s.next_void
        if can_ruff(s, cover, suit):
            price += 3
        if higher and price <= least:
            found, least = card, price
    return found


@kernel
def is_open_to(s: Sight, suit: Int) -> bool:
    """Whether an opponent with a live nil may still hold cards of a suit."""
    is_next = s.next_nil and not suit_cards(s.next_void, suit)
    return bool(is_next or (s.previous_nil and not suit_cards(s.previous_void, suit)))
