"""What rule-based players see: the public record of a round, and one decision from it.

``Public`` is what all four seats see, as arrays that kernels keep up to date card by card; beside
the bids, scores and cards played it remembers what good players remember: who has shown out of
which suit, and who has signalled a doubleton. ``Sight`` adds the hand of the seat to play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, lean_kernel, lowest
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, NO_SUIT, RuleNumbers, Rules
from spades.core.scoring import POINTS_PER_TRICK, TEN_FOR_200
from spades.core.step import Progress, after_card, first_lead, legal_cards
from spades.human.bidder import suit_cards

# Entries of ``Public.table``, and rows of ``Public.seats``; the last four are a suit each.
PLY, TURN, LED, BEST, AHEAD, MAY_LEAD, TAKEN, SHOWN, PLAYED, LED_BEFORE = range(10)
BID, BLIND, TRICKS, VOIDS, SIGNALS, SCORE, BAGS, FIRST = range(8)
NOT_YET, CLOSED = -1, -2
"""A ``FIRST`` entry before the suit's first trick, and once it can signal nothing any more."""

NEXT, PARTNER, PREVIOUS = 1, 2, 3  # seats as steps clockwise from the mover
NOBODY = 0
MANY_BAGS = 99
NO_CARD = -1


class Public(NamedTuple):
    """The rules, the table's numbers and those of each seat, int64 (10,) and (12, 4).

    ``table``: ``PLY`` to ``SHOWN`` the fields of a ``Progress``; ``PLAYED`` mask, the trick under
    way included; ``LED_BEFORE`` suits led in tricks before (masks of the whole suit). ``seats``:
    ``BID``, ``BLIND``, ``TRICKS`` taken, ``VOIDS`` shown and doubletons signalled (suit masks),
    ``SCORE`` and ``BAGS`` of the seat's partnership when the round began, and by suit the card
    first played to it under its highest."""

    rules: RuleNumbers
    table: NDArray[np.int64]
    seats: NDArray[np.int64]

    @classmethod
    def empty(cls, rules: Rules) -> Public:
        table, seats = np.zeros(LED_BEFORE + 1, np.int64), np.zeros((FIRST + 4, N_SEATS), np.int64)
        return cls(rules.numbers, table, seats)


@lean_kernel
def open_round(public: Public, dealer: Int, score: NDArray, bags: NDArray) -> None:
    """The record before the auction; ``score`` and ``bags`` by partnership, shape (2,)."""
    rules, table, seats = public
    table[:] = 0
    enter(public, first_lead((dealer + 1) & 3, rules.any_lead))
    seats[:] = 0
    seats[FIRST:] = NOT_YET
    seats[BID] = NO_BID
    for seat in range(N_SEATS):
        seats[SCORE, seat], seats[BAGS, seat] = score[seat & 1], bags[seat & 1]


@lean_kernel
def turn_of(public: Public) -> Int:
    """Seat to play."""
    return public.table[TURN]


@lean_kernel
def progress_in(public: Public) -> Progress:
    t = public.table
    return Progress(
        t[PLY], t[TURN], t[LED], t[BEST], t[AHEAD], t[MAY_LEAD], t[TAKEN], t[SHOWN]
    )  # fmt: skip


@lean_kernel
def enter(public: Public, at: Progress) -> None:
    for i in range(len(at)):
        public.table[PLY + i] = at[i]


@lean_kernel
def record_play(public: Public, card: Int) -> None:
    """Enter the card that the seat to play puts on the table."""
    _, table, seats = public
    before, suit = progress_in(public), card >> 4
    if before.led == NO_SUIT:
        seats[FIRST + suit, before.turn] = CLOSED
    elif suit != before.led:
        seats[VOIDS, before.turn] |= np.int64(SPADES_MASK) << (before.led << 4)
    else:
        _note_signal(public, before.turn, card)
    table[PLAYED] |= np.int64(1) << card
    at = after_card(before, card)
    if at.led == NO_SUIT:
        table[LED_BEFORE] |= np.int64(SPADES_MASK) << (before.led << 4)
        seats[TRICKS, at.winner] += 1
    enter(public, at)


@lean_kernel
def _note_signal(public: Public, seat: Int, card: Int) -> None:
    """High-low doubleton (Cohensius 2020, D.3), read from a card that follows suit. High: under the
    highest card out, in the first trick of the suit. Low: a lower card the next time the seat
    follows."""
    rules, table, seats = public
    suit, best = card >> 4, table[BEST]
    whole_suit = np.int64(SPADES_MASK) << (suit << 4)
    first = seats[FIRST + suit, seat]
    if first >= 0 and card < first:
        seats[SIGNALS, seat] |= whole_suit
    out = rules.deck & ~table[PLAYED] & whole_suit
    under_boss = best >> 4 == suit and card < best and out & -(np.int64(2) << best) == 0
    is_high = first == NOT_YET and under_boss and not table[LED_BEFORE] & whole_suit
    seats[FIRST + suit, seat] = card if is_high else CLOSED


def public_of(observation: Observation) -> Public:
    """The record of what an observation's table shows; scores not known count as 0."""
    public = opened(observation)
    for card in observation.table.plays:
        record_play(public, card)
    return public


def opened(observation: Observation) -> Public:
    """The same after the auction, before the first card."""
    table, public = observation.table, Public.empty(observation.rules)
    score = np.array(observation.score_before or (0, 0), dtype=np.int64)
    bags = np.array(observation.bags_before or (0, 0), dtype=np.int64)
    open_round(public, table.dealer, score, bags)
    public.seats[BID], public.seats[BLIND] = table.bids, table.blind
    return public


# Picking cards out of masks


@lean_kernel
def above(mask: Int, card: Int) -> Int:
    """The cards of a mask that are higher than ``card`` in its suit."""
    return suit_cards(mask, card >> 4) & -(np.int64(2) << card)


@lean_kernel
def below(mask: Int, card: Int) -> Int:
    """The cards of a mask that are lower than ``card`` in its suit."""
    return suit_cards(mask, card >> 4) & ((np.int64(1) << card) - 1)


@lean_kernel
def weakest(mask: Int) -> Int:
    """The card of least strength within its suit; among equals a plain card before a spade."""
    found, strength = NO_CARD, 99
    for suit in (3, 2, 1, 0):
        cards = suit_cards(mask, suit)
        if cards and lowest(cards) & 15 < strength:
            found = lowest(cards)
            strength = found & 15
    return found


@lean_kernel
def strongest(mask: Int) -> Int:
    """The card of most strength within its suit; among equals a plain card before a spade."""
    found, strength = NO_CARD, -1
    for suit in (3, 2, 1, 0):
        cards = suit_cards(mask, suit)
        if cards and highest(cards) & 15 > strength:
            found = highest(cards)
            strength = found & 15
    return found


@lean_kernel
def winners(legal: Int, best: Int) -> Int:
    """The cards of a mask that beat ``best``, a card on the table."""
    return above(legal, best) | (legal & SPADES_MASK if best >> 4 != SPADES else 0)


@lean_kernel
def cheapest(mask: Int) -> Int:
    """The least costly of some winners: the lowest plain card, else the lowest spade."""
    plain = mask & ~SPADES_MASK
    return lowest(plain) if plain else lowest(mask)


# The decision of the seat to play


class Sight(NamedTuple):
    """What the seat to play knows; every field is an int64 in kernels.

    ``led`` is ``NO_SUIT`` and ``best`` -1 for the leader; ``ahead``: whose ``best`` is, ``NEXT``,
    ``PARTNER``, ``PREVIOUS`` or ``NOBODY``; ``place`` 0 (leader) to 3 (last). ``unseen``: the cards
    the others hold; ``left``: tricks to come, this one included. ``*_void``: suits shown out of,
    ``partner_signal``: doubletons signalled, as masks of whole suits. ``*_nil``: whether that seat
    bid nil and has no trick (a live nil). ``total``: the four bids, ``known`` whether all are.
    ``need`` and ``their_need``: tricks each side's contract still asks for (0: made). ``sure``: the
    mover's sure future takes. ``after`` and ``their_after``: the game's points when the round is
    over if every contract and live nil is made; ``target`` of the game. ``bags_room``: overtricks
    the mover's side can take before a bag penalty, ``MANY_BAGS`` where there is none."""

    hand: Int
    legal: Int
    led: Int
    best: Int
    ahead: Int
    place: Int
    unseen: Int
    left: Int
    next_void: Int
    partner_void: Int
    previous_void: Int
    partner_signal: Int
    own_nil: Int
    next_nil: Int
    partner_nil: Int
    previous_nil: Int
    total: Int
    known: Int
    need: Int
    their_need: Int
    sure: Int
    after: Int
    their_after: Int
    target: Int
    bags_room: Int


@lean_kernel
def sure_takes(spades: Int, out: Int) -> Int:
    """Tricks that a hand's spades win against any defence (Cohensius 2020, D.1).

    One-suit Whist against the worst case: one opponent holds every spade that is ``out``, and the
    hand leads all spade tricks, highest first. The opponent beats with the lowest card that does,
    and else throws its lowest (the normal strategy, Wästlund 2004). Side suits have no sure take.
    """
    takes = 0
    while spades:
        card = highest(spades)
        spades ^= np.int64(1) << card
        higher = above(out, card)
        if higher:
            out ^= higher & -higher
        else:
            takes += 1
            out &= out - 1
    return takes


@lean_kernel
def is_nil_bid(public: Public, seat: Int) -> bool:
    return bool(public.seats[BID, seat] == NIL_BID and public.rules.has_nil)


@lean_kernel
def is_live_nil(public: Public, seat: Int) -> bool:
    return is_nil_bid(public, seat) and public.seats[TRICKS, seat] == 0


@lean_kernel
def contract_of(public: Public, seat: Int) -> Int:
    """The contract of a seat's partnership, bids not known counting 0."""
    return max(public.seats[BID, seat], 0) + max(public.seats[BID, seat ^ 2], 0)


@lean_kernel
def need_of(public: Public, seat: Int) -> Int:
    """Tricks that the contract of a seat's partnership still asks for."""
    need = contract_of(public, seat)
    for member in (seat, seat ^ 2):
        if not (public.rules.nil_to_bags and is_nil_bid(public, member)):
            need -= public.seats[TRICKS, member]
    return max(need, 0)


@lean_kernel
def points_after(public: Public, seat: Int) -> Int:
    """The game's points of a seat's partnership if its contract and live nils are made."""
    rules, contract = public.rules, contract_of(public, seat)
    points = public.seats[SCORE, seat]
    points += TEN_FOR_200 if rules.ten_for_200 and contract >= 10 else POINTS_PER_TRICK * contract
    for member in (seat, seat ^ 2):
        if is_nil_bid(public, member):
            worth = rules.blind_nil if public.seats[BLIND, member] else rules.nil
            points += worth if public.seats[TRICKS, member] == 0 else -worth
    return points


@lean_kernel
def bags_before_penalty(public: Public, seat: Int) -> Int:
    """Overtricks that a seat's partnership can still take before the penalty."""
    rules, _, seats = public
    if rules.bag_limit == 0 or rules.bag_penalty == 0:
        return MANY_BAGS
    taken = seats[TRICKS, seat] + seats[TRICKS, seat ^ 2]
    over = max(taken - contract_of(public, seat), 0)
    return max(rules.bag_limit - 1 - seats[BAGS, seat] - over, 0)


@lean_kernel
def sight_of(hand: Int, public: Public) -> Sight:
    """The decision of the seat to play, who holds ``hand``."""
    rules, table, seats = public
    at = progress_in(public)
    seat = at.turn
    after, opposite, before = (seat + 1) & 3, seat ^ 2, (seat + 3) & 3
    unseen = rules.deck & ~(table[PLAYED] | hand)
    total, known = 0, 1
    for bidder in range(4):
        total += max(seats[BID, bidder], 0)
        known &= int(seats[BID, bidder] != NO_BID)
    return Sight(
        hand, legal_cards(hand, at), at.led, at.best,
        NOBODY if at.best < 0 else (at.winner - seat) & 3,
        at.ply & 3, unseen, HAND_SIZE - (at.ply >> 2),
        seats[VOIDS, after], seats[VOIDS, opposite], seats[VOIDS, before], seats[SIGNALS, opposite],
        int(is_live_nil(public, seat)), int(is_live_nil(public, after)),
        int(is_live_nil(public, opposite)), int(is_live_nil(public, before)),
        total, known, need_of(public, seat), need_of(public, after),
        sure_takes(suit_cards(hand, SPADES), suit_cards(unseen, SPADES)),
        points_after(public, seat), points_after(public, after),
        rules.target, bags_before_penalty(public, seat),
    )  # fmt: skip


@lean_kernel
def may_beat(s: Sight, void: Int, card: Int) -> bool:
    """Whether a later seat that showed these voids may beat ``card`` in this trick. A seat that has
    shown nothing is taken to follow suit."""
    led = card >> 4 if s.led < 0 else s.led
    spades_out = suit_cards(s.unseen, SPADES) & ~void
    if suit_cards(void, led):
        if led == SPADES:
            return False
        return (above(spades_out, card) if card >> 4 == SPADES else spades_out) != 0
    return card >> 4 == led and above(s.unseen, card) != 0


@lean_kernel
def may_be_overtaken(s: Sight, card: Int) -> bool:
    """Whether an opponent still to play may beat ``card``, which the mover plays or partner led.
    One with a live nil won't if it can help it, and is taken not to."""
    if s.place < 3 and not s.next_nil and may_beat(s, s.next_void, card):
        return True
    return s.place == 0 and not s.previous_nil and may_beat(s, s.previous_void, card)


@lean_kernel
def holding(s: Sight, cards: Int) -> Int:
    """Those of some cards that no opponent still to play may beat."""
    safe, left = np.int64(0), cards
    while left:
        card = lowest(left)
        left &= left - 1
        if not may_be_overtaken(s, card):
            safe |= np.int64(1) << card
    return safe


@lean_kernel
def is_boss(s: Sight, card: Int) -> bool:
    """Whether no card out is higher in the suit of ``card``."""
    return above(s.unseen, card) == 0


@lean_kernel
def partner_wins(s: Sight) -> bool:
    """Whether partner is ahead with a card that no opponent still to play may beat."""
    return s.ahead == PARTNER and not may_be_overtaken(s, s.best)
