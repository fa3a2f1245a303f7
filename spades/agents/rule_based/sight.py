"""One decision from the mover's side: own hand, what the table shows, what both sides need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spades.agents.rule_based.cards import above
from spades.agents.rule_based.public import (
    BAG_LIMIT,
    BAG_PENALTY,
    BAGS,
    BID,
    BLIND,
    BLIND_WORTH,
    DECK,
    HAS_NIL,
    NIL_WORTH,
    PLAYED,
    SCORE,
    SIGNALS,
    TARGET,
    TEN,
    TO_BAGS,
    TRICKS,
    VOIDS,
    Public,
    progress_in,
)  # fmt: skip
from spades.core.cards import HAND_SIZE, SPADES
from spades.core.kernel import Int, highest, kernel, lowest
from spades.core.rules import NIL_BID, NO_BID
from spades.core.scoring import POINTS_PER_TRICK, TEN_FOR_200
from spades.core.step import legal_cards
from spades.human.bidder import suit_cards

NEXT, PARTNER, PREVIOUS = 1, 2, 3  # seats as steps clockwise from the mover
NOBODY = 0
MANY_BAGS = 99


class Sight(NamedTuple):
    """What the seat to play knows; every field is an int64 in kernels.

    ``led`` is ``NO_SUIT`` and ``best`` -1 for the leader; ``ahead``: whose ``best`` is, ``NEXT``,
    ``PARTNER``, ``PREVIOUS`` or ``NOBODY``; ``place`` 0 (leader) to 3 (last). ``unseen``: the cards
    the others hold; ``left``: tricks to come, this one included. ``*_void``: suits shown out of,
    ``partner_signal``: doubletons signalled, as masks of whole suits. ``*_nil``: whether that seat
    bid nil and has no trick (a live nil). ``total``: the four bids, ``known`` whether all are;
    ``nils``: who bid nil, live or not, a bit a step. ``need`` and ``their_need``: tricks each
    side's contract still asks for (0: made). ``sure``: the mover's sure future takes.
    ``after`` and ``their_after``: the game's points when the round is over if every contract and
    live nil is made; ``target`` of the game. ``bags_room``: overtricks the mover's side can take
    before a bag penalty, ``MANY_BAGS`` where there is none.
    """

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
    nils: Int
    total: Int
    known: Int
    need: Int
    their_need: Int
    sure: Int
    after: Int
    their_after: Int
    target: Int
    bags_room: Int


@kernel
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


@kernel
def is_nil_bid(public: Public, seat: Int) -> bool:
    return bool(public.seats[BID, seat] == NIL_BID and public.table[HAS_NIL])


@kernel
def is_live_nil(public: Public, seat: Int) -> bool:
    return is_nil_bid(public, seat) and public.seats[TRICKS, seat] == 0


@kernel
def contract_of(public: Public, seat: Int) -> Int:
    """The contract of a seat's partnership, bids not known counting 0."""
    return max(public.seats[BID, seat], 0) + max(public.seats[BID, seat ^ 2], 0)


@kernel
def counting_tricks(public: Public, seat: Int) -> Int:
    """Tricks that count for the contract of a seat's partnership."""
    taken = 0
    for member in (seat, seat ^ 2):
        if not (public.table[TO_BAGS] and is_nil_bid(public, member)):
            taken += public.seats[TRICKS, member]
    return taken


@kernel
def nil_points(public: Public, seat: Int) -> Int:
    """What a seat's nil comes to, a live one counted as made; 0 without one."""
    if not is_nil_bid(public, seat):
        return 0
    worth = public.table[BLIND_WORTH] if public.seats[BLIND, seat] else public.table[NIL_WORTH]
    return worth if public.seats[TRICKS, seat] == 0 else -worth


@kernel
def points_after(public: Public, seat: Int) -> Int:
    """The game's points of a seat's partnership if its contract and live nils are made."""
    contract = contract_of(public, seat)
    made = TEN_FOR_200 if public.table[TEN] and contract >= 10 else POINTS_PER_TRICK * contract
    nils = nil_points(public, seat) + nil_points(public, seat ^ 2)
    return public.seats[SCORE, seat] + made + nils


@kernel
def bags_before_penalty(public: Public, seat: Int) -> Int:
    """Overtricks that a seat's partnership can still take before the penalty."""
    table, seats = public
    if table[BAG_LIMIT] == 0 or table[BAG_PENALTY] == 0:
        return MANY_BAGS
    taken = seats[TRICKS, seat] + seats[TRICKS, seat ^ 2]
    over = max(taken - contract_of(public, seat), 0)
    return max(table[BAG_LIMIT] - 1 - seats[BAGS, seat] - over, 0)


@kernel
def sight_of(hand: Int, public: Public) -> Sight:
    """The decision of the seat to play, who holds ``hand``."""
    table, seats = public
    at = progress_in(public)
    seat = at.turn
    after, opposite, before = (seat + 1) & 3, seat ^ 2, (seat + 3) & 3
    unseen = table[DECK] & ~(table[PLAYED] | hand)
    total, nils, known = 0, 0, 1
    for step in range(4):
        bidder = (seat + step) & 3
        total += max(seats[BID, bidder], 0)
        nils |= int(is_nil_bid(public, bidder)) << step
        known &= int(seats[BID, bidder] != NO_BID)
    return Sight(
        hand,
        legal_cards(hand, at),
        at.led,
        at.best,
        NOBODY if at.best < 0 else (at.winner - seat) & 3,
        at.ply & 3,
        unseen,
        HAND_SIZE - (at.ply >> 2),
        seats[VOIDS, after],
        seats[VOIDS, opposite],
        seats[VOIDS, before],
        seats[SIGNALS, opposite],
        int(is_live_nil(public, seat)),
        int(is_live_nil(public, after)),
        int(is_live_nil(public, opposite)),
        int(is_live_nil(public, before)),
        nils,
        total,
        known,
        max(contract_of(public, seat) - counting_tricks(public, seat), 0),
        max(contract_of(public, after) - counting_tricks(public, after), 0),
        sure_takes(suit_cards(hand, SPADES), suit_cards(unseen, SPADES)),
        points_after(public, seat),
        points_after(public, after),
        table[TARGET],
        bags_before_penalty(public, seat),
    )


@kernel
def may_beat(s: Sight, void: Int, card: Int) -> bool:
    """Whether a later seat that showed these voids may beat ``card`` in this trick.

    A seat that has shown nothing is taken to follow suit.
    """
    led = card >> 4 if s.led < 0 else s.led
    spades_out = suit_cards(s.unseen, SPADES) & ~void
    if suit_cards(void, led):
        if led == SPADES:
            return False
        return (above(spades_out, card) if card >> 4 == SPADES else spades_out) != 0
    return card >> 4 == led and above(s.unseen, card) != 0


@kernel
def may_be_overtaken(s: Sight, card: Int) -> bool:
    """Whether an opponent still to play may beat ``card``, which the mover plays or partner led.

    One with a live nil won't if it can help it, and is taken not to.
    """
    if s.place < 3 and not s.next_nil and may_beat(s, s.next_void, card):
        return True
    return s.place == 0 and not s.previous_nil and may_beat(s, s.previous_void, card)


@kernel
def holding(s: Sight, cards: Int) -> Int:
    """Those of some cards that no opponent still to play may beat."""
    safe, left = np.int64(0), cards
    while left:
        card = lowest(left)
        left &= left - 1
        if not may_be_overtaken(s, card):
            safe |= np.int64(1) << card
    return safe


@kernel
def is_boss(s: Sight, card: Int) -> bool:
    """Whether no card out is higher in the suit of ``card``."""
    return above(s.unseen, card) == 0


@kernel
def partner_wins(s: Sight) -> bool:
    """Whether partner is ahead with a card that no opponent still to play may beat."""
    return s.ahead == PARTNER and not may_be_overtaken(s, s.best)
