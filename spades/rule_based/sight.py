"""The information of rule-based players: the public record of a round, and a decision from it.

``Public`` is what all four seats see, as arrays that kernels update card by card: bids, scores,
cards played, and what good players remember besides, the voids shown and the doubletons signalled.
``Sight`` is one decision: the public record and the hand of the seat to play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, SPADES, SPADES_MASK
from spades.core.kernel import Int, IntArray, highest, lean_kernel, lowest
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, NO_SUIT, RuleNumbers, Rules
from spades.core.scoring import POINTS_PER_TRICK, TEN_FOR_200
from spades.core.step import Progress, after_card, first_lead, legal_cards
from spades.human.features.abstract_moves import suit_cards

# Entries of ``Public.table``.
PLY, TURN, LED, BEST, AHEAD, MAY_LEAD, TAKEN, SHOWN, PLAYED, LED_BEFORE = range(10)
# Rows of ``Public.seats``; from ``FIRST`` on there is one for each suit.
BID, BLIND, TRICKS, VOIDS, SIGNALS, SCORE, BAGS, FIRST = range(8)
NOT_YET = -1  # a ``FIRST`` entry before the suit's first trick
CLOSED = -2  # a ``FIRST`` entry once it can no longer signal

NEXT, PARTNER, PREVIOUS = 1, 2, 3  # seats as steps clockwise from the mover
NONE_AHEAD = 0
MANY_BAGS = 99
NO_CARD = -1


class Public(NamedTuple):
    """The public record of a round.

    ``table`` int64 (10,): ``PLY`` to ``SHOWN``, the fields of a ``Progress``; ``PLAYED``, mask of
    the cards played, those of the current trick included; ``LED_BEFORE``, suits led in earlier
    tricks (masks of whole suits). ``seats`` int64 (12, 4): ``BID``; ``BLIND``; ``TRICKS`` taken;
    ``VOIDS`` shown and doubletons signalled in ``SIGNALS`` (masks of whole suits); ``SCORE`` and
    ``BAGS`` of the seat's partnership when the round began; from ``FIRST`` on, by suit, the card
    with which the seat may have begun a signal."""

    rules: RuleNumbers
    table: IntArray
    seats: IntArray

    @classmethod
    def empty(cls, rules: Rules) -> Public:
        return cls(
            rules=rules.numbers,
            table=np.zeros(LED_BEFORE + 1, np.int64),
            seats=np.zeros((FIRST + 4, N_SEATS), np.int64),
        )


@lean_kernel
def open_round(public: Public, dealer: Int, score: NDArray, bags: NDArray) -> None:
    """Reset the record to the start of a round; ``score`` and ``bags`` (2,) by partnership."""
    rules, table, seats = public
    table[:] = 0
    enter(public, first_lead((dealer + 1) & 3, rules.any_lead))
    seats[:] = 0
    seats[FIRST:] = NOT_YET
    seats[BID] = NO_BID
    for seat in range(N_SEATS):
        seats[SCORE, seat] = score[seat & 1]
        seats[BAGS, seat] = bags[seat & 1]


@lean_kernel
def turn_of(public: Public) -> Int:
    """Seat to play."""
    return public.table[TURN]


@lean_kernel
def progress_in(public: Public) -> Progress:
    table = public.table
    return Progress(
        ply=table[PLY],
        turn=table[TURN],
        led=table[LED],
        best=table[BEST],
        winner=table[AHEAD],
        may_lead=table[MAY_LEAD],
        taken=table[TAKEN],
        voids=table[SHOWN],
    )


@lean_kernel
def enter(public: Public, progress: Progress) -> None:
    for i in range(len(progress)):
        public.table[PLY + i] = progress[i]


@lean_kernel
def record_play(public: Public, card: Int) -> None:
    """Record the card that the seat to play plays."""
    _, table, seats = public
    before = progress_in(public)
    suit = card >> 4
    if before.led == NO_SUIT:
        seats[FIRST + suit, before.turn] = CLOSED
    elif suit != before.led:
        seats[VOIDS, before.turn] |= np.int64(SPADES_MASK) << (before.led << 4)
    else:
        _note_signal(public, before.turn, card)
    table[PLAYED] |= np.int64(1) << card
    after = after_card(before, card)
    if after.led == NO_SUIT:
        table[LED_BEFORE] |= np.int64(SPADES_MASK) << (before.led << 4)
        seats[TRICKS, after.winner] += 1
    enter(public, after)


@lean_kernel
def _note_signal(public: Public, seat: Int, card: Int) -> None:
    """Read a high-low doubleton signal (Cohensius 2020, D.3) from a card that follows suit. High: a
    card under the highest one out, in the first trick of the suit. Low: a lower card the next time
    the seat follows."""
    rules, table, seats = public
    suit = card >> 4
    best = table[BEST]
    whole_suit = np.int64(SPADES_MASK) << (suit << 4)
    first = seats[FIRST + suit, seat]
    if first >= 0 and card < first:
        seats[SIGNALS, seat] |= whole_suit
    out = rules.deck & ~table[PLAYED] & whole_suit
    is_best_boss = best >> 4 == suit and out & -(np.int64(2) << best) == 0
    is_first_trick = not table[LED_BEFORE] & whole_suit
    is_high = first == NOT_YET and is_best_boss and card < best and is_first_trick
    seats[FIRST + suit, seat] = card if is_high else CLOSED


def public_of(observation: Observation) -> Public:
    """The public record of an observation; unknown scores count as 0."""
    public = opened(observation)
    for card in observation.table.plays:
        record_play(public, card)
    return public


def opened(observation: Observation) -> Public:
    """The public record of an observation's round after the auction, before the first card."""
    table = observation.table
    public = Public.empty(observation.rules)
    score = np.array(observation.score_before or (0, 0), dtype=np.int64)
    bags = np.array(observation.bags_before or (0, 0), dtype=np.int64)
    open_round(public, table.dealer, score, bags)
    public.seats[BID] = table.bids
    public.seats[BLIND] = table.blind
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
    """The card of lowest rank; of equal ranks a side suit's before a spade."""
    chosen = NO_CARD
    strength = 99
    for suit in (3, 2, 1, 0):
        cards = suit_cards(mask, suit)
        if cards and lowest(cards) & 15 < strength:
            chosen = lowest(cards)
            strength = chosen & 15
    return chosen


@lean_kernel
def strongest(mask: Int) -> Int:
    """The card of highest rank; of equal ranks a side suit's before a spade."""
    chosen = NO_CARD
    strength = -1
    for suit in (3, 2, 1, 0):
        cards = suit_cards(mask, suit)
        if cards and highest(cards) & 15 > strength:
            chosen = highest(cards)
            strength = chosen & 15
    return chosen


@lean_kernel
def winners(legal: Int, best: Int) -> Int:
    """The legal cards that beat ``best``, the best card on the table."""
    ruffs = legal & SPADES_MASK if best >> 4 != SPADES else 0
    return above(legal, best) | ruffs


@lean_kernel
def cheapest(mask: Int) -> Int:
    """The cheapest of some winners: the lowest card of a side suit, else the lowest spade."""
    not_spades = mask & ~SPADES_MASK
    return lowest(not_spades) if not_spades else lowest(mask)


# The decision of the seat to play


class Sight(NamedTuple):
    """A decision of the seat to play, the mover; every field is an int64 in kernels.

    Trick: ``led`` is ``NO_SUIT`` and ``best`` -1 for the leader; ``ahead``: who played ``best``,
    ``NEXT``, ``PARTNER``, ``PREVIOUS`` or ``NONE_AHEAD``; ``place``: 0 (leader) to 3 (last).

    Cards: ``hand``, ``legal`` and ``unseen`` (held by the others) are masks; ``left``: tricks to
    come, this one included. ``*_void``: suits in which a seat is known to be void, and
    ``partner_signal``: doubletons signalled, masks of whole suits. ``sure``: the mover's sure
    future tricks.

    Contracts: ``*_nil``: whether a seat has a live nil (no trick yet). ``total``: sum of the four
    bids; ``known``: whether all are known. ``need`` and ``their_need``: tricks that each side's
    contract still needs, 0 if made. ``after`` and ``their_after``: game scores after the round if
    every contract and live nil is made; ``target`` of the game. ``bags_room``: overtricks that the
    mover's side can take before a bag penalty, ``MANY_BAGS`` without one."""

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

    One-suit Whist in the worst case: one opponent holds every spade that is ``out``, and the hand
    leads its spades, highest first. The opponent plays the lowest card that wins, or its lowest
    (the normal strategy, Wästlund 2004). Side suits have no sure tricks."""
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
    """The contract of a seat's partnership; unknown bids count as 0."""
    return max(public.seats[BID, seat], 0) + max(public.seats[BID, seat ^ 2], 0)


@lean_kernel
def need_of(public: Public, seat: Int) -> Int:
    """Tricks that the contract of a seat's partnership still needs."""
    need = contract_of(public, seat)
    for member in (seat, seat ^ 2):
        if not (public.rules.nil_to_bags and is_nil_bid(public, member)):
            need -= public.seats[TRICKS, member]
    return max(need, 0)


@lean_kernel
def points_after(public: Public, seat: Int) -> Int:
    """Game score of a seat's partnership after the round if its contract and live nils are made."""
    rules = public.rules
    contract = contract_of(public, seat)
    points = public.seats[SCORE, seat]
    if rules.ten_for_200 and contract >= 10:
        points += TEN_FOR_200
    else:
        points += POINTS_PER_TRICK * contract
    for member in (seat, seat ^ 2):
        if is_nil_bid(public, member):
            worth = rules.blind_nil if public.seats[BLIND, member] else rules.nil
            points += worth if public.seats[TRICKS, member] == 0 else -worth
    return points


@lean_kernel
def bags_before_penalty(public: Public, seat: Int) -> Int:
    """Overtricks that a seat's partnership can take before the penalty."""
    rules, _, seats = public
    if rules.bag_limit == 0 or rules.bag_penalty == 0:
        return MANY_BAGS
    n_taken = seats[TRICKS, seat] + seats[TRICKS, seat ^ 2]
    n_new_bags = max(n_taken - contract_of(public, seat), 0)
    return max(rules.bag_limit - 1 - seats[BAGS, seat] - n_new_bags, 0)


@lean_kernel
def sight_of(hand: Int, public: Public) -> Sight:
    """The decision of the seat to play, which holds ``hand``."""
    rules, table, seats = public
    progress = progress_in(public)
    seat = progress.turn
    next_seat = (seat + 1) & 3
    partner = seat ^ 2
    previous = (seat + 3) & 3
    unseen = rules.deck & ~(table[PLAYED] | hand)
    ahead = NONE_AHEAD if progress.best < 0 else (progress.winner - seat) & 3
    total = 0
    known = 1
    for bidder in range(4):
        total += max(seats[BID, bidder], 0)
        known &= int(seats[BID, bidder] != NO_BID)
    return Sight(
        hand=hand,
        legal=legal_cards(hand, progress),
        led=progress.led,
        best=progress.best,
        ahead=ahead,
        place=progress.ply & 3,
        unseen=unseen,
        left=HAND_SIZE - (progress.ply >> 2),
        next_void=seats[VOIDS, next_seat],
        partner_void=seats[VOIDS, partner],
        previous_void=seats[VOIDS, previous],
        partner_signal=seats[SIGNALS, partner],
        own_nil=int(is_live_nil(public, seat)),
        next_nil=int(is_live_nil(public, next_seat)),
        partner_nil=int(is_live_nil(public, partner)),
        previous_nil=int(is_live_nil(public, previous)),
        total=total,
        known=known,
        need=need_of(public, seat),
        their_need=need_of(public, next_seat),
        sure=sure_takes(suit_cards(hand, SPADES), suit_cards(unseen, SPADES)),
        after=points_after(public, seat),
        their_after=points_after(public, next_seat),
        target=rules.target,
        bags_room=bags_before_penalty(public, seat),
    )


@lean_kernel
def may_beat(sight: Sight, void: Int, card: Int) -> bool:
    """Whether a later seat known to have these voids may beat ``card`` in this trick. A seat not
    known to be void is assumed to follow suit."""
    led = card >> 4 if sight.led < 0 else sight.led
    spades_out = suit_cards(sight.unseen, SPADES) & ~void
    if suit_cards(void, led):
        if led == SPADES:
            return False
        beating = above(spades_out, card) if card >> 4 == SPADES else spades_out
        return beating != 0
    return card >> 4 == led and above(sight.unseen, card) != 0


@lean_kernel
def may_be_overtaken(sight: Sight, card: Int) -> bool:
    """Whether an opponent still to play may beat ``card``, which the mover plays or partner played.
    An opponent with a live nil is assumed not to."""
    if sight.place < 3 and not sight.next_nil and may_beat(sight, sight.next_void, card):
        return True
    return (
        sight.place == 0 and not sight.previous_nil and may_beat(sight, sight.previous_void, card)
    )


@lean_kernel
def holding(sight: Sight, cards: Int) -> Int:
    """The cards of a mask that no opponent still to play may beat."""
    safe = np.int64(0)
    remaining = cards
    while remaining:
        card = lowest(remaining)
        remaining &= remaining - 1
        if not may_be_overtaken(sight, card):
            safe |= np.int64(1) << card
    return safe


@lean_kernel
def is_boss(sight: Sight, card: Int) -> bool:
    """Whether none of the unseen cards is higher in the suit of ``card``."""
    return above(sight.unseen, card) == 0


@lean_kernel
def partner_wins(sight: Sight) -> bool:
    """Whether partner is ahead with a card that no opponent still to play may beat."""
    return sight.ahead == PARTNER and not may_be_overtaken(sight, sight.best)
