"""The strong rule-based player, SRP, and the weak one, WRP: which rules decide a card.

Source: Cohensius et al. 2020, D.2 (goals) and E (round types, end-game conditions). The paper
prints no numbers for when a goal changes; ours stand next to their reasons.
"""

from spades.core.cards import SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, lean_kernel, lowest, popcount
from spades.human.features.abstract_moves import suit_cards
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
UNDER = 10  # sum of bids up to which a round is under
OVER = 13  # sum of bids up to which one side need not fail
ALL_TRICKS = 13
PARTNER_IS_VOID = 30  # preferred to the lead of a queen, but not of an ace or a king
ATTACK_SPARE = 2
"""Least number of tricks that the side can lose without failing, to go on attacking a nil."""


@lean_kernel
def set_slack(sight: Sight) -> Int:
    """The most tricks that neither side needs with which a side still plays to set the other, by
    the sum of bids. A set then costs one more bag than that.

    Round types as in the paper (E), by the sum of bids even if a nil was bid. With 14 bid or more
    one side must fail; in over rounds one spare trick is a fair price; in under rounds none is."""
    if sight.total <= UNDER:
        return 0
    return 1 if sight.total <= OVER else ALL_TRICKS


@lean_kernel
def we_can_win(sight: Sight) -> bool:
    """End-game condition 1: this side wins the game if all contracts are made (E)."""
    return bool(sight.after >= sight.target and sight.after > sight.their_after)


@lean_kernel
def they_can_win(sight: Sight) -> bool:
    """End-game condition 2: the opponents win the game if all contracts are made (E)."""
    return bool(sight.their_after >= sight.target and sight.their_after > sight.after)


@lean_kernel
def plays_for_set(sight: Sight) -> bool:
    """Whether to take tricks beyond the own contract to set the opponents (D.2, E).

    Their contract must be neither made nor lost. If they would win the game, a set is worth any
    price. If this side would win it, or the set would bring the bag penalty, only a set without a
    bag is."""
    if sight.their_need == 0 or sight.their_need > sight.left:
        return False
    if they_can_win(sight):
        return True
    slack = sight.left - sight.need - sight.their_need
    if we_can_win(sight) or slack + 1 > sight.bags_room:
        return slack < 0
    return bool(slack <= set_slack(sight))


@lean_kernel
def goal_of(sight: Sight) -> Int:
    """``TAKE`` tricks or ``DUCK`` them (D.2).

    Take if a bid is unknown, bags cost nothing, the side plays for a set, or the contract needs
    more tricks than the mover's sure ones and can still be made. Otherwise more tricks are bags:
    duck ("avoiding bags": the bid is guaranteed and a set unlikely, D.1)."""
    if not sight.known or sight.bags_room == MANY_BAGS or plays_for_set(sight):
        return TAKE
    return TAKE if sight.sure < sight.need <= sight.left else DUCK


@lean_kernel
def attacks_nil(sight: Sight) -> bool:
    """Whether to attack an opponent's live nil (D.2).

    Not if that endangers the contract: if fewer than ``ATTACK_SPARE`` tricks can be lost and the
    mover's sure tricks don't cover the need. Always if the opponents would win the game ("set the
    niler at all costs", E)."""
    if not (sight.next_nil or sight.previous_nil):
        return False
    if they_can_win(sight) or sight.sure >= sight.need:
        return True
    return bool(sight.need > sight.left or sight.left - sight.need >= ATTACK_SPARE)


# The own nil


@lean_kernel
def play_nil(sight: Sight) -> Int:
    """Take no trick: lead what others must beat, follow with the highest card that loses. Void in
    the led suit, discard the most dangerous card, or a spade under a higher one."""
    if sight.led < 0:
        return lead_nil(sight)
    losers = sight.legal & ~winners(sight.legal, sight.best)
    if not losers:
        return lowest(sight.legal)
    if suit_cards(sight.legal, sight.led):
        return highest(losers)
    return tricks.most_dangerous(sight, losers)


@lean_kernel
def lead_nil(sight: Sight) -> Int:
    """The lowest card of the suit whose lowest card is least likely to win."""
    chosen = NO_CARD
    least = 999
    for suit in range(4):
        cards = suit_cards(sight.legal, suit)
        if cards and tricks.likely_wins(sight, lowest(cards)) < least:
            chosen = lowest(cards)
            least = tricks.likely_wins(sight, chosen)
    return chosen


# Partner's nil


@lean_kernel
def cover_partner(sight: Sight) -> Int:
    """Keep partner from winning the trick, whatever that costs the own contract (D.2). If partner
    is ahead, beat her as cheaply as possible. If she plays last and may win, play high, or ruff.
    ``NO_CARD`` if she isn't exposed or can't be covered."""
    if sight.place == 0:
        return lead_to_cover(sight)
    if sight.place == 1:
        discards = suit_cards(sight.partner_void, sight.led)
        is_exposed = not discards and may_beat(sight, sight.partner_void, sight.best)
    else:
        is_exposed = sight.ahead == PARTNER
    winning = winners(sight.legal, sight.best)
    if not is_exposed or not winning:
        return NO_CARD
    if sight.place == 1 and suit_cards(sight.legal, sight.led):
        return tricks.touching_low(sight, highest(winning))
    return cheapest(winning)


@lean_kernel
def lead_to_cover(sight: Sight) -> Int:
    """The highest card of the suit that partner can best play under, or is void in: then she
    discards, so any lead of that suit is safe."""
    chosen = NO_CARD
    least = 999
    for suit in range(4):
        cards = suit_cards(sight.legal, suit)
        if not cards:
            continue
        card = tricks.touching_low(sight, highest(cards))
        risk = 3 * popcount(above(sight.unseen, card)) - popcount(below(sight.unseen, card))
        risk -= PARTNER_IS_VOID * int(suit_cards(sight.partner_void, suit) != 0)
        if risk < least:
            chosen = card
            least = risk
    return chosen


# An opponent's nil


@lean_kernel
def nil_is_ahead(sight: Sight) -> bool:
    """Whether an opponent with a live nil is winning the trick."""
    next_is_ahead = sight.ahead == NEXT and sight.next_nil
    previous_is_ahead = sight.ahead == PREVIOUS and sight.previous_nil
    return bool(next_is_ahead or previous_is_ahead)


@lean_kernel
def may_catch_next(sight: Sight) -> bool:
    """Whether the next seat's nil may be forced to beat the card on the table: it has yet to play
    and isn't known to be void, and the unseen cards of the suit include as many above as below."""
    if sight.place == 3 or not sight.next_nil or suit_cards(sight.next_void, sight.led):
        return False
    n_higher = popcount(above(sight.unseen, sight.best))
    n_lower = popcount(below(sight.unseen, sight.best))
    return sight.best >> 4 == sight.led and n_higher > 0 and n_lower <= n_higher


@lean_kernel
def attack_nil(sight: Sight) -> Int:
    """Leave the trick to a nil bidder who is ahead, or may be forced ahead (D.2).

    A side that ducks keeps its low cards, to lead them under the nil. One that wants tricks keeps
    its high cards: it plays the lowest loser of the led suit, or, void in it, its least valuable
    card of a side suit."""
    if sight.place == 0:
        return lead_at_nil(sight)
    if not nil_is_ahead(sight) and not may_catch_next(sight):
        return NO_CARD
    losers = sight.legal & ~winners(sight.legal, sight.best)
    if losers and goal_of(sight) == DUCK:
        return tricks.duck_under(sight)
    if losers:
        is_low = suit_cards(sight.legal, sight.led) or not losers & ~SPADES_MASK
        return lowest(losers) if is_low else tricks.throw_away(sight)
    card = lowest(sight.legal)
    is_under = may_catch_next(sight) and sight.led == card >> 4 and above(sight.unseen, card) != 0
    return card if is_under else NO_CARD


@lean_kernel
def lead_at_nil(sight: Sight) -> Int:
    """The low card that a nil bidder can least play under: few unseen cards below it, many above,
    in a suit in which she isn't known to be void, preferably one that her partner can't ruff.
    ``NO_CARD`` if more cards are unseen below than above in every suit."""
    chosen = NO_CARD
    least = 0
    for suit in range(4):
        cards = suit_cards(sight.legal, suit)
        if not cards or not is_open_to(sight, suit):
            continue
        card = lowest(cards)
        n_higher = popcount(above(sight.unseen, card))
        n_lower = popcount(below(sight.unseen, card))
        partner_void = sight.previous_void if sight.next_nil else sight.next_void
        price = n_lower - n_higher + 3 * int(tricks.can_ruff(sight, partner_void, suit))
        if n_higher and price <= least:
            chosen = card
            least = price
    return chosen


@lean_kernel
def is_open_to(sight: Sight, suit: Int) -> bool:
    """Whether an opponent with a live nil may still hold cards of a suit."""
    is_next_open = sight.next_nil and not suit_cards(sight.next_void, suit)
    is_previous_open = sight.previous_nil and not suit_cards(sight.previous_void, suit)
    return bool(is_next_open or is_previous_open)


@lean_kernel
def strong_card(hand: Int, public: Public) -> Int:
    """The card (code) that SRP plays from ``hand``; deterministic."""
    sight = sight_of(hand, public)
    has_one_card = sight.legal & (sight.legal - 1) == 0
    return lowest(sight.legal) if has_one_card else decide(sight)


@lean_kernel
def decide(sight: Sight) -> Int:
    """Own nil, then partner's, then an opponent's, then the contract, sets and bags. The order is
    the paper's where it gives one (covering is never given up, D.2), else ours. While partner's nil
    is live, sure tricks that the contract needs are taken at once, to keep the lead."""
    if sight.own_nil:
        return play_nil(sight)
    card = NO_CARD
    if sight.partner_nil:
        card = cover_partner(sight)
    if card == NO_CARD and attacks_nil(sight):
        card = attack_nil(sight)
    if card != NO_CARD:
        return card
    if goal_of(sight) == TAKE or (sight.partner_nil and sight.need):
        return tricks.lead_to_take(sight) if sight.led < 0 else tricks.follow_to_take(sight)
    if sight.led < 0:
        return tricks.lead_to_lose(sight)
    return tricks.throw_away(sight) if sight.partner_nil else tricks.duck_under(sight)


@lean_kernel
def weak_card(hand: Int, public: Public) -> Int:
    """The card (code) that WRP plays from ``hand``; deterministic."""
    sight = sight_of(hand, public)
    deck = public.rules.deck
    if sight.legal & (sight.legal - 1) == 0:
        return lowest(sight.legal)
    return weak_lead(sight, deck) if sight.led < 0 else weak_follow(sight, deck)


@lean_kernel
def aces(cards: Int, deck: Int) -> Int:
    """The cards of a mask that are the highest of a side suit."""
    chosen = 0
    for suit in range(1, 4):
        chosen |= cards & (1 << highest(suit_cards(deck, suit)))
    return chosen


@lean_kernel
def weak_lead(sight: Sight, deck: Int) -> Int:
    """High to cover a nil, low with an own nil or the contract made, else an ace, or low."""
    if sight.own_nil:
        return weakest(sight.legal)
    if sight.partner_nil:
        return strongest(sight.legal)
    own_aces = aces(sight.legal, deck)
    return highest(own_aces) if sight.need and own_aces else weakest(sight.legal)


@lean_kernel
def weak_follow(sight: Sight, deck: Int) -> Int:
    """Lose with an own nil, if an opponent's nil is ahead, or with the contract made; else win. To
    cover partner's nil, beat her if she is ahead, and play high if she plays last."""
    winning = winners(sight.legal, sight.best)
    if sight.partner_nil and winning and (sight.ahead == PARTNER or sight.place == 1):
        return cheapest(winning) if sight.ahead == PARTNER else highest(winning)
    if sight.own_nil or nil_is_ahead(sight) or sight.need == 0:
        return weak_loser(sight, winning)
    return weak_winner(sight, winning, deck)


@lean_kernel
def weak_loser(sight: Sight, winning: Int) -> Int:
    """The highest loser; if forced to win the lowest card, or the highest in the last seat."""
    losers = sight.legal & ~winning
    if losers:
        return strongest(losers)
    return lowest(sight.legal) if sight.place < 3 else highest(sight.legal)


@lean_kernel
def weak_winner(sight: Sight, winning: Int, deck: Int) -> Int:
    """Win unless partner is ahead: in last seat cheaply, in third seat high, in second seat with an
    ace only. Ruff as low as wins. An ace is played unless partner is ahead with a spade or it is
    the last seat."""
    is_partners_trick = sight.place == 3 or sight.best >> 4 == SPADES
    if not winning or (sight.ahead == PARTNER and is_partners_trick):
        return weakest(sight.legal)
    if sight.place == 3 or winning & SPADES_MASK == winning:
        return cheapest(winning)
    winning_aces = aces(winning, deck)
    if winning_aces:
        return highest(winning_aces)
    if sight.place == 2 and sight.ahead != PARTNER:
        return highest(winning)
    return weakest(sight.legal)
