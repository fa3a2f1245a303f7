"""One decision as the twelve numbers that the features of Devlin 2016 look at.

What the seat to play knows: own cards, the trick, the cards played, the bids and tricks of the own
partnership. A search builds a ``Decision`` from its scalars; arrays hold one as a row of
int64, shape (12,), in the order of the fields.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, SPADES_MASK, partner_of, suit_mask
from spades.core.errors import IllegalPlayError
from spades.core.kernel import Int, kernel, lean_kernel
from spades.core.observation import Observation
from spades.core.rules import NO_SUIT, Rules, beats, legal_mask
from spades.core.step import Progress, tricks_of

NO_NIL, NIL_TRICKS_COUNT, NIL_TRICKS_ARE_BAGS = range(3)


class Decision(NamedTuple):
    """A seat to play, from its own point of view; every field is an int64 in kernels.

    ``hand``, ``legal``: masks of the cards held and of those it may play. ``led_suit`` is
    ``NO_SUIT`` and ``best_card`` -1 for the leader. ``played``: every card played, those of the
    trick under way included. ``deck``: all 52. ``turn_in_trick`` 0 (leader) to 3 (last). Bids are
    ``NO_BID`` (-1) where unknown; tricks are those taken so far. ``nil_rule``: whether a bid of 0
    is a nil, and whether tricks of a failed one count for the partner's contract or are bags.
    """

    hand: Int
    legal: Int
    led_suit: Int
    best_card: Int
    played: Int
    deck: Int
    turn_in_trick: Int
    own_bid: Int
    partner_bid: Int
    own_tricks: Int
    partner_tricks: Int
    nil_rule: Int


N_FIELDS = len(Decision._fields)


def nil_rule_of(rules: Rules) -> int:
    """What a bid of 0 means under these rules, as ``Decision`` has it."""
    if rules.nil is None:
        return NO_NIL
    return NIL_TRICKS_ARE_BAGS if rules.failed_nil_tricks == "bags" else NIL_TRICKS_COUNT


def decision_of(observation: Observation) -> Decision:
    """The decision a seat faces; ``IllegalPlayError`` unless it is to play."""
    table, seat = observation.table, observation.seat
    if not (legal := observation.legal_mask):
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    partner = partner_of(seat)
    return Decision(
        hand=observation.hand,
        legal=legal,
        led_suit=table.led_suit,
        best_card=table.best_card,
        played=table.played_mask,
        deck=observation.rules.cards.mask,
        turn_in_trick=len(table.trick),
        own_bid=table.bids[seat],
        partner_bid=table.bids[partner],
        own_tricks=table.tricks_taken[seat],
        partner_tricks=table.tricks_taken[partner],
        nil_rule=nil_rule_of(observation.rules),
    )


@kernel
def decision_at(row: NDArray) -> Decision:
    """The decision that a row of an array holds."""
    return Decision(
        row[0], row[1], row[2], row[3], row[4], row[5],
        row[6], row[7], row[8], row[9], row[10], row[11],
    )  # fmt: skip


@kernel
def round_decisions(
    hands: NDArray,
    plays: NDArray,
    leader: Int,
    bids: NDArray,
    options: tuple[Int, Int, Int],
    held: NDArray,
    out: NDArray,
) -> Int:
    """Every decision of one round, in the order played; their number.

    ``hands`` int64 (4,) and ``bids`` int8 (4,) by seat, ``plays`` int8 card codes (52,), -1 after
    the last of a round cut short; ``leader``: the seat that leads first. ``options``: the nil rule,
    whether spades may always be led, the deck's mask. ``held``: scratch, int64 (2, 4), the cards
    and tricks of each seat. ``out``: int64 (52, 12).
    """
    nil_rule, may_lead_spades, deck = options
    for seat in range(N_SEATS):
        held[0, seat], held[1, seat] = hands[seat], 0
    played, winner, turn = np.int64(0), np.int64(leader), np.int64(leader)
    led, best = np.int64(NO_SUIT), np.int64(-1)
    for ply in range(plays.size):
        card = np.int64(plays[ply])
        if card < 0:
            return ply
        if ply % N_SEATS == 0:
            led, best, turn = np.int64(NO_SUIT), np.int64(-1), winner
        partner = (turn + 2) % N_SEATS
        hand, row = held[0, turn], out[ply]
        row[0], row[1] = hand, legal_mask(hand, led, may_lead_spades or played & SPADES_MASK)
        row[2], row[3], row[4], row[5], row[6] = led, best, played, deck, ply % N_SEATS
        row[7], row[8], row[9], row[10] = bids[turn], bids[partner], held[1, turn], held[1, partner]
        row[11] = nil_rule
        held[0, turn] ^= np.int64(1) << card
        played |= np.int64(1) << card
        if best < 0 or beats(card, best):
            best, winner = card, turn
        led = led if led >= 0 else card >> 4
        held[1, winner] += ply % N_SEATS == N_SEATS - 1
        turn = (turn + 1) % N_SEATS
    return plays.size


(
    HAND,
    LEGAL,
    LED_SUIT,
    BEST_CARD,
    PLAYED,
    DECK,
    PLACE,
    OWN_BID,
    PARTNER_BID,
    OWN_TRICKS,
    PARTNER_TRICKS,
    NIL_RULE,
    TABLE,
) = range(N_FIELDS + 1)
OTHER_BIDS = TABLE + 3
OTHER_TRICKS = OTHER_BIDS + 2
CARDS_PLAYED = OTHER_TRICKS + 2
VOIDS = CARDS_PLAYED + N_SEATS
N_VIEW = VOIDS + 1

View = NDArray[np.int64]
_SUITS = tuple(suit_mask(suit) for suit in range(4))


def view_of(observation: Observation) -> View:
    """The row of the seat to play, int64 (24,); ``IllegalPlayError`` for another seat."""
    table, seat = observation.table, observation.seat
    row = np.zeros(N_VIEW, dtype=np.int64)
    row[:N_FIELDS] = decision_of(observation)
    for i, card in enumerate(table.trick):
        # The trick's seats but the mover's own: 1 to 3 to the left of it.
        row[TABLE - 1 + (table.leader + i - seat) % N_SEATS] = 1 << card
    for i, other in enumerate(((seat + 1) % N_SEATS, (seat + 3) % N_SEATS)):
        row[OTHER_BIDS + i] = table.bids[other]
        row[OTHER_TRICKS + i] = table.tricks_taken[other]
    for other, (played, void) in enumerate(zip(table.played, table.voids, strict=True)):
        relative = (other - seat) % N_SEATS
        row[CARDS_PLAYED + relative] = played
        row[VOIDS] |= suits_in(void) << (4 * relative)
    return row


def suits_in(mask: int) -> int:
    """The suits that a mask has cards of, a bit each."""
    found = 0
    for suit, cards in enumerate(_SUITS):
        if mask & cards:
            found |= 1 << suit
    return found


@lean_kernel
def fill_view(
    view: View,
    at: Progress,
    own: tuple[Int, Int, Int],
    table: tuple[NDArray, NDArray, NDArray],
    nil_rule: Int,
) -> None:
    """Write what the seat to play sees into ``view`` (24,).

    ``own``: masks of its hand, its legal cards and the deck. ``table``, (4,) each: bids, masks of
    the cards played and of the last card, by seat.
    """
    hand, legal, deck = own
    bids, played, last = table
    turn, place = at.turn, at.ply & 3
    left, partner, right = (turn + 1) & 3, (turn + 2) & 3, (turn + 3) & 3
    view[0], view[1], view[2], view[3] = hand, legal, at.led, at.best
    view[4] = played[0] | played[1] | played[2] | played[3]
    view[5], view[6], view[11] = deck, place, nil_rule
    view[7], view[8] = bids[turn], bids[partner]
    view[9], view[10] = tricks_of(turn, at.taken), tricks_of(partner, at.taken)
    view[OTHER_BIDS], view[OTHER_BIDS + 1] = bids[left], bids[right]
    view[OTHER_TRICKS] = tricks_of(left, at.taken)
    view[OTHER_TRICKS + 1] = tricks_of(right, at.taken)
    view[CARDS_PLAYED] = played[turn]
    for i in range(1, N_SEATS):
        seat = (turn + i) & 3
        view[TABLE + i - 1] = last[seat] if i + place >= N_SEATS else 0
        view[CARDS_PLAYED + i] = played[seat]
    view[VOIDS] = ((at.voids >> (turn << 2)) | (at.voids << (16 - (turn << 2)))) & 0xFFFF
