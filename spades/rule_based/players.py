"""The players: SRP, the strong rule-based one, and WRP, the weak one; which rules decide a card.

First what a side plays for. Source: Cohensius et al. 2020, D.2 (goals) and E (round types, end-game
conditions). The paper gives no numbers for when a goal changes; ours are next to their reasons.
"""

from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, lean_kernel, lowest, popcount
from spades.human.bidder import suit_cards
from spades.rule_based import tricks
from spades.rule_based.sight import (
    MANY_BAGS,
    NEXT,
    NO_CARD,
    PARTNER,
    PREVIOUS,
    Public,
    Sight,
    above,
    below,
    cheapest,
    may_beat,
    sight_of,
    strongest,
    weakest,
    winners,
)

TAKE, DUCK = range(2)
UNDER, OVER, ALWAYS = 10, 13, 13
PARTNER_OUT = 30  # a lead partner can't win goes before a queen, after an ace or a king
ATTACK_SPARE = 2
"""Tricks the side may lose beyond its contract, at least, to go on attacking a nil."""


@lean_kernel
def set_slack(s: Sight) -> Int:
    """Tricks nobody needs, at most, for a side to play for setting the other, by the sum of bids.

    By the paper's types without nils (E): a round with a nil is as full as its sum of bids says.
    One trick more than that must be taken beyond the own contract. With 14 bid or more one side
    must fail; in the over rounds one bag is a fair price; in the under rounds only a set within one
    trick is."""
    if s.total <= UNDER:
        return 0
    return 1 if s.total <= OVER else ALWAYS


@lean_kernel
def we_can_win(s: Sight) -> bool:
    """End-game condition 1: made contracts bring this side the game (E)."""
    return bool(s.after >= s.target and s.after > s.their_after)


@lean_kernel
def they_can_win(s: Sight) -> bool:
    """End-game condition 2: made contracts bring the opponents the game (E)."""
    return bool(s.their_after >= s.target and s.their_after > s.after)


@lean_kernel
def plays_for_set(s: Sight) -> bool:
    """Whether to take tricks beyond the own contract to set the opponents' (D.2, E).

    Their contract must be neither made nor lost. At the end of the game a set is needed at any
    price when they would win, and none is when this side would. A set that brings the bag penalty
    is worth it only where it needs no bag."""
    if s.their_need == 0 or s.their_need > s.left:
        return False
    if they_can_win(s):
        return True
    slack = s.left - s.need - s.their_need
    if we_can_win(s) or slack + 1 > s.bags_room:
        return slack < 0
    return bool(slack <= set_slack(s))


@lean_kernel
def goal_of(s: Sight) -> Int:
    """``TAKE`` tricks or ``DUCK`` them (D.2).

    Take: bids not known; no penalty for bags; a set is on; or the contract needs more tricks than
    the mover's sure takes, and can still be made. Otherwise tricks are bags, or go to an opponent
    as bags: duck ("avoiding bags": the bid is guaranteed and a set unlikely, D.1)."""
    if not s.known or s.bags_room == MANY_BAGS or plays_for_set(s):
        return TAKE
    return TAKE if s.sure < s.need <= s.left else DUCK


@lean_kernel
def attacks_nil(s: Sight) -> bool:
    """Whether to go for an opponent's live nil (D.2).

    Dropped when it costs the contract, that is when fewer than ``ATTACK_SPARE`` tricks can be lost
    and the mover's sure takes don't cover the need. When making everything wins the opponents the
    game, never dropped ("set the niler at all costs", E)."""
    if not (s.next_nil or s.previous_nil):
        return False
    if they_can_win(s) or s.sure >= s.need:
        return True
    return bool(s.need > s.left or s.left - s.need >= ATTACK_SPARE)


# The own nil


@lean_kernel
def play_nil(s: Sight) -> Int:
    """Take no trick: lead what others must beat, follow as high as still loses. Void in the led
    suit, the most dangerous card goes; spades go under a higher spade."""
    if s.led < 0:
        return lead_nil(s)
    losers = s.legal & ~winners(s.legal, s.best)
    if not losers:
        return lowest(s.legal)
    return highest(losers) if suit_cards(s.legal, s.led) else tricks.most_dangerous(s, losers)


@lean_kernel
def lead_nil(s: Sight) -> Int:
    """The lowest card of the suit whose lowest card is least likely to win."""
    found, least = NO_CARD, 999
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if cards and tricks.likely_wins(s, lowest(cards)) < least:
            found = lowest(cards)
            least = tricks.likely_wins(s, found)
    return found


# Partner's nil


@lean_kernel
def cover_partner(s: Sight) -> Int:
    """Keep partner from winning the trick (D.2): never given up while the nil is live. Whatever it
    costs the own contract, as the paper's player does. Partner ahead: go over, as cheaply as can
    be. Partner last to play with a card out that would win: play high, or ruff."""
    if s.place == 0:
        return lead_to_cover(s)
    if s.place == 1:
        discards = suit_cards(s.partner_void, s.led)
        is_exposed = not discards and may_beat(s, s.partner_void, s.best)
    else:
        is_exposed = s.ahead == PARTNER
    winning = winners(s.legal, s.best)
    if not is_exposed or not winning:
        return NO_CARD
    if s.place == 1 and suit_cards(s.legal, s.led):
        return tricks.touching_low(s, highest(winning))
    return cheapest(winning)


@lean_kernel
def lead_to_cover(s: Sight) -> Int:
    """The highest card of the suit that partner can best go under, or has shown out of. Partner
    throws a dangerous card on a suit she is out of, so any lead of it is safe."""
    found, least = NO_CARD, 999
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if not cards:
            continue
        card = tricks.touching_low(s, highest(cards))
        risk = 3 * popcount(above(s.unseen, card)) - popcount(below(s.unseen, card))
        risk -= PARTNER_OUT * int(suit_cards(s.partner_void, suit) != 0)
        if risk < least:
            found, least = card, risk
    return found


# An opponent's nil


@lean_kernel
def nil_is_ahead(s: Sight) -> bool:
    """Whether an opponent with a live nil is winning the trick."""
    return bool((s.ahead == NEXT and s.next_nil) or (s.ahead == PREVIOUS and s.previous_nil))


@lean_kernel
def may_catch_next(s: Sight) -> bool:
    """Whether the next seat's nil could be forced over the card on the table. It still has to play
    and follow, and of the suit no more cards are out below than above."""
    if s.place == 3 or not s.next_nil or suit_cards(s.next_void, s.led):
        return False
    higher, lower = popcount(above(s.unseen, s.best)), popcount(below(s.unseen, s.best))
    return s.best >> 4 == s.led and higher > 0 and lower <= higher


@lean_kernel
def attack_nil(s: Sight) -> Int:
    """Leave the trick to a nil bidder who is ahead, or may be forced ahead (D.2).

    Low cards are kept for leads under the nil where tricks aren't wanted, high ones where they are:
    then the lowest loser of the led suit goes; void in it, the plain card worth least."""
    if s.place == 0:
        return lead_at_nil(s)
    if not nil_is_ahead(s) and not may_catch_next(s):
        return NO_CARD
    losers = s.legal & ~winners(s.legal, s.best)
    if losers and goal_of(s) == DUCK:
        return tricks.duck_under(s)
    if losers:
        is_low = suit_cards(s.legal, s.led) or not losers & ~SPADES_MASK
        return lowest(losers) if is_low else tricks.throw_away(s)
    card = lowest(s.legal)
    is_under = may_catch_next(s) and s.led == card >> 4 and above(s.unseen, card) != 0
    return card if is_under else NO_CARD


@lean_kernel
def lead_at_nil(s: Sight) -> Int:
    """The low card that a nil bidder can least go under: few cards out below it, many above. In a
    suit the nil bidder has not shown out of, better one that the coverer can't ruff. ``NO_CARD``
    where more cards are out below than above everywhere."""
    found, least = NO_CARD, 0
    for suit in range(4):
        cards = suit_cards(s.legal, suit)
        if not cards or not is_open_to(s, suit):
            continue
        card = lowest(cards)
        higher, lower = popcount(above(s.unseen, card)), popcount(below(s.unseen, card))
        cover = s.previous_void if s.next_nil else s.next_void
        price = lower - higher + 3 * int(tricks.can_ruff(s, cover, suit))
        if higher and price <= least:
            found, least = card, price
    return found


@lean_kernel
def is_open_to(s: Sight, suit: Int) -> bool:
    """Whether an opponent with a live nil may still hold cards of a suit."""
    is_next = s.next_nil and not suit_cards(s.next_void, suit)
    return bool(is_next or (s.previous_nil and not suit_cards(s.previous_void, suit)))


@lean_kernel
def strong_card(hand: Int, public: Public) -> Int:
    """The card (code) that SRP plays from ``hand``; the same decision, the same card."""
    s = sight_of(hand, public)
    return lowest(s.legal) if s.legal & (s.legal - 1) == 0 else decide(s)


@lean_kernel
def decide(s: Sight) -> Int:
    """Own nil, then partner's, then an opponent's, then the contract, sets and bags. The order is
    the paper's where it says (covering is never given up, D.2), else ours. While partner's nil is
    live, tricks that the contract needs are taken though sure: who wins, leads."""
    if s.own_nil:
        return play_nil(s)
    card = NO_CARD
    if s.partner_nil:
        card = cover_partner(s)
    if card == NO_CARD and attacks_nil(s):
        card = attack_nil(s)
    if card != NO_CARD:
        return card
    if goal_of(s) == TAKE or (s.partner_nil and s.need):
        return tricks.lead_to_take(s) if s.led < 0 else tricks.follow_to_take(s)
    if s.led < 0:
        return tricks.lead_to_lose(s)
    return tricks.throw_away(s) if s.partner_nil else tricks.duck_under(s)


@lean_kernel
def weak_card(hand: Int, public: Public) -> Int:
    """The card (code) that WRP plays from ``hand``; the same decision, the same card."""
    s, deck = sight_of(hand, public), public.rules.deck
    if s.legal & (s.legal - 1) == 0:
        return lowest(s.legal)
    return weak_lead(s, deck) if s.led < 0 else weak_follow(s, deck)


@lean_kernel
def aces(cards: Int, deck: Int) -> Int:
    """The highest card of each side suit, among some."""
    found = 0
    for suit in range(1, 4):
        found |= cards & (1 << highest(suit_cards(deck, suit)))
    return found


@lean_kernel
def weak_lead(s: Sight, deck: Int) -> Int:
    """High with a nil to cover, low with one's own or the contract made, else an ace or low."""
    if s.own_nil:
        return weakest(s.legal)
    if s.partner_nil:
        return strongest(s.legal)
    held = aces(s.legal, deck)
    return highest(held) if s.need and held else weakest(s.legal)


@lean_kernel
def weak_follow(s: Sight, deck: Int) -> Int:
    """Lose with an own nil, when an opponent's nil is ahead, or with the contract made; else win.
    Partner's nil: over her when she is ahead, and high when she is to play last."""
    winning = winners(s.legal, s.best)
    if s.partner_nil and winning and (s.ahead == PARTNER or s.place == 1):
        return cheapest(winning) if s.ahead == PARTNER else highest(winning)
    if s.own_nil or nil_is_ahead(s) or s.need == 0:
        return weak_loser(s, winning)
    return weak_winner(s, winning, deck)


@lean_kernel
def weak_loser(s: Sight, winning: Int) -> Int:
    """The strongest card that loses; forced to win, the lowest, or the highest when last."""
    losers = s.legal & ~winning
    if losers:
        return strongest(losers)
    return lowest(s.legal) if s.place < 3 else highest(s.legal)


@lean_kernel
def weak_winner(s: Sight, winning: Int, deck: Int) -> Int:
    """Win unless partner is ahead: last as cheaply as can be, third high, second with an ace only.
    A ruff is the lowest that wins. An ace is played whoever is ahead but partner with a spade."""
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
