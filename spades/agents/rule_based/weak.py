"""WRP, the weak rule-based player: an average recreational human's rules of thumb.

Source: Cohensius et al. 2020, section 5.1, which gives its strength (on a par with recreational
humans when it bids as RB) and none of its rules. These are ours: aces first, second hand low,
third hand high, ruff when void, stop at the contract. It counts no cards, sees no shown voids and
no signals, never plays for a set, and looks at no score.
"""

from __future__ import annotations

from spades.agents.rule_based.cards import cheapest, strongest, weakest, winners
from spades.agents.rule_based.public import DECK, Public
from spades.agents.rule_based.sight import NEXT, PARTNER, PREVIOUS, Sight, sight_of
from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest
from spades.human.bidder import suit_cards


@kernel
def weak_card(hand: Int, public: Public) -> Int:
    """The card (code) that WRP plays from ``hand``; the same decision, the same card."""
    s = sight_of(hand, public)
    if s.legal & (s.legal - 1) == 0:
        return lowest(s.legal)
    deck = public.table[DECK]
    return weak_lead(s, deck) if s.led < 0 else weak_follow(s, deck)


@kernel
def aces(cards: Int, deck: Int) -> Int:
    """The highest card of each side suit, among some."""
    found = 0
    for suit in range(1, 4):
        found |= cards & (1 << highest(suit_cards(deck, suit)))
    return found


@kernel
def weak_lead(s: Sight, deck: Int) -> Int:
    """High with a nil to cover, low with one's own or the contract made, else an ace or low."""
    if s.own_nil:
        return weakest(s.legal)
    if s.partner_nil:
        return strongest(s.legal)
    held = aces(s.legal, deck)
    return highest(held) if s.need and held else weakest(s.legal)


@kernel
def weak_follow(s: Sight, deck: Int) -> Int:
    """Lose with an own nil, when an opponent's nil is ahead, or with the contract made; else win.

    Partner's nil: over her when she is ahead, and high when she is to play last.
    """
    winning = winners(s.legal, s.best)
    nil_ahead = (s.ahead == NEXT and s.next_nil) or (s.ahead == PREVIOUS and s.previous_nil)
    if s.partner_nil and winning and (s.ahead == PARTNER or s.place == 1):
        return cheapest(winning) if s.ahead == PARTNER else highest(winning)
    if s.own_nil or nil_ahead or s.need == 0:
        return weak_loser(s, winning)
    return weak_winner(s, winning, deck)


@kernel
def weak_loser(s: Sight, winning: Int) -> Int:
    """The strongest card that loses; forced to win, the lowest, or the highest when last."""
    losers = s.legal & ~winning
    if losers:
        return strongest(losers)
    return lowest(s.legal) if s.place < 3 else highest(s.legal)


@kernel
def weak_winner(s: Sight, winning: Int, deck: Int) -> Int:
    """Win unless partner is ahead: last as cheaply as can be, third high, second with an ace only.

    A ruff is the lowest that wins. An ace is played whoever is ahead but partner with a spade.
    """
    if not winning or (s.ahead == PARTNER and (s.place == 3 or s.best >> 4 == SPADES)):
        return weakest(s.legal)
    if s.place == 3 or winning & SPADES_MASK == winning:
        return cheapest(winning)
    held = aces(winning, deck)
    if held:
        return highest(held)
    if s.place == 2 and s.ahead != PARTNER:
        return highest(winning)
    return weakest(s.legal)
