"""The view of the seat to play: a row of int64 that every human model reads.

Seats are relative to the seat to play: left, partner, right. No column holds a hidden card. The
first twelve columns are the fields of a ``DecisionFields``, all that the features of Devlin 2016
need: their kernels take that tuple, which stays in registers; networks and corpora read the whole
row, a ``View``.

=====================  =========================================================================
column                 meaning
=====================  =========================================================================
0 to 11                the fields of a ``DecisionFields``, in order
TABLE (3)              cards of left, partner and right on the table, one-card masks, 0: none
OTHER_BIDS (2)         bids of left and right, ``NO_BID`` where unknown
OTHER_TRICKS (2)       tricks of left and right so far
CARDS_PLAYED (4)       cards played so far by own seat, left, partner, right, the table's included
VOIDS                  suits that a seat is known to be void in: bit ``4 * relative seat + suit``
=====================  =========================================================================
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS
from spades.core.errors import IllegalPlayError
from spades.core.kernel import Int, IntArray, kernel, lean_kernel
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.rules import RuleNumbers, Rules
from spades.core.step import Progress, after_card, first_lead, legal_cards, progress_of, tricks_of

NO_NIL, NIL_TRICKS_COUNT, NIL_TRICKS_ARE_BAGS = range(3)


class DecisionFields(NamedTuple):
    """A decision from the point of view of the seat to play; every field is an int64 in kernels.

    ``hand``, ``legal``: masks of the cards held and of the legal ones. ``led_suit`` is ``NO_SUIT``
    and ``best_card`` -1 for the leader. ``played``: mask of all cards played, those of the current
    trick included. ``deck``: mask of the 52. ``turn_in_trick``: 0 (leader) to 3 (last). Bids are
    ``NO_BID`` (-1) if unknown; tricks are those taken so far. ``nil_rule``: whether a bid of 0 is a
    nil, and whether the tricks of a failed one count for the partner's contract or as bags."""

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


N_FIELDS = len(DecisionFields._fields)
(
    HAND, LEGAL, LED_SUIT, BEST_CARD, PLAYED, DECK, PLACE, OWN_BID, PARTNER_BID, OWN_TRICKS,
    PARTNER_TRICKS, NIL_RULE, TABLE,
) = range(N_FIELDS + 1)  # fmt: skip
OTHER_BIDS = TABLE + 3
OTHER_TRICKS = OTHER_BIDS + 2
CARDS_PLAYED = OTHER_TRICKS + 2
VOIDS = CARDS_PLAYED + N_SEATS
N_VIEW = VOIDS + 1

View = IntArray


def nil_rule_of(rules: Rules) -> int:
    """The ``nil_rule`` of ``DecisionFields`` for these rules."""
    if rules.nil is None:
        return NO_NIL
    return NIL_TRICKS_ARE_BAGS if rules.failed_nil_tricks == "bags" else NIL_TRICKS_COUNT


@kernel
def decision_in(
    progress: Progress, hand: Int, played: Int, bids: NDArray, rules: RuleNumbers
) -> DecisionFields:
    """The decision of the seat to play in a round; ``bids`` (4,) by seat."""
    seat = progress.turn
    partner = seat ^ 2
    return DecisionFields(
        hand=hand,
        legal=legal_cards(hand, progress),
        led_suit=progress.led,
        best_card=progress.best,
        played=played,
        deck=rules.deck,
        turn_in_trick=progress.ply & 3,
        own_bid=np.int64(bids[seat]),
        partner_bid=np.int64(bids[partner]),
        own_tricks=tricks_of(seat, progress.taken),
        partner_tricks=tricks_of(partner, progress.taken),
        nil_rule=rules.has_nil * (1 + rules.nil_to_bags),
    )


@kernel
def decision_at(view: NDArray) -> DecisionFields:
    """The decision in the first twelve columns of a view."""
    return DecisionFields(
        hand=view[HAND],
        legal=view[LEGAL],
        led_suit=view[LED_SUIT],
        best_card=view[BEST_CARD],
        played=view[PLAYED],
        deck=view[DECK],
        turn_in_trick=view[PLACE],
        own_bid=view[OWN_BID],
        partner_bid=view[PARTNER_BID],
        own_tricks=view[OWN_TRICKS],
        partner_tricks=view[PARTNER_TRICKS],
        nil_rule=view[NIL_RULE],
    )


def decision_of(observation: Observation) -> DecisionFields:
    """The decision a seat faces; ``IllegalPlayError`` unless it is to play."""
    return DecisionFields(*view_of(observation)[:N_FIELDS].tolist())


def view_of(observation: Observation) -> View:
    """The view of the seat to play, int64 (24,); ``IllegalPlayError`` for another seat."""
    table = observation.table
    rules = observation.rules
    legal = observation.legal_mask
    if not legal:
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    last_cards = np.zeros(N_SEATS, dtype=np.int64)
    for i, card in enumerate(table.trick):
        last_cards[(table.leader + i) % N_SEATS] = 1 << card
    seats = np.array(table.bids, np.int64), np.array(table.played, np.int64), last_cards
    own = observation.hand_mask, legal, rules.cards.mask
    view = np.empty(N_VIEW, dtype=np.int64)
    fill_view(view, progress_of(table), own, seats, nil_rule_of(rules))
    return view


@lean_kernel
def fill_view(
    view: View,
    progress: Progress,
    own: tuple[Int, Int, Int],
    table: tuple[NDArray, NDArray, NDArray],
    nil_rule: Int,
) -> None:
    """Write the view of the seat to play into ``view`` (24,). ``own``: masks of its hand, its legal
    cards and the deck. ``table``: by seat (4,) each, the bids, masks of the cards played, and masks
    of the last card."""
    hand, legal, deck = own
    bids, played, last = table
    turn = progress.turn
    place = progress.ply & 3
    left = (turn + 1) & 3
    partner = (turn + 2) & 3
    right = (turn + 3) & 3
    view[HAND] = hand
    view[LEGAL] = legal
    view[LED_SUIT] = progress.led
    view[BEST_CARD] = progress.best
    view[PLAYED] = played[0] | played[1] | played[2] | played[3]
    view[DECK] = deck
    view[PLACE] = place
    view[NIL_RULE] = nil_rule
    view[OWN_BID] = bids[turn]
    view[PARTNER_BID] = bids[partner]
    view[OWN_TRICKS] = tricks_of(turn, progress.taken)
    view[PARTNER_TRICKS] = tricks_of(partner, progress.taken)
    view[OTHER_BIDS] = bids[left]
    view[OTHER_BIDS + 1] = bids[right]
    view[OTHER_TRICKS] = tricks_of(left, progress.taken)
    view[OTHER_TRICKS + 1] = tricks_of(right, progress.taken)
    view[CARDS_PLAYED] = played[turn]
    for i in range(1, N_SEATS):
        seat = (turn + i) & 3
        view[TABLE + i - 1] = last[seat] if i + place >= N_SEATS else 0
        view[CARDS_PLAYED + i] = played[seat]
    from_turn_on = progress.voids >> (turn << 2)
    before_turn = progress.voids << (16 - (turn << 2))
    view[VOIDS] = (from_turn_on | before_turn) & 0xFFFF


@lean_kernel
def bid_and_tricks(view: View, seat: Int) -> tuple[Int, Int]:
    """Bid and tricks of a relative seat: 0 own, 1 left, 2 partner, 3 right."""
    if seat & 1:
        return np.int64(view[OTHER_BIDS + seat // 2]), np.int64(view[OTHER_TRICKS + seat // 2])
    return np.int64(view[OWN_BID + seat // 2]), np.int64(view[OWN_TRICKS + seat // 2])


def rules_table(log: Log) -> IntArray:
    """The log's k rules as numbers (k, 3): nil rule, whether spades may always be led, the deck's
    mask."""
    rows = [
        (nil_rule_of(rules), int(rules.spades_lead == "any"), rules.cards.mask)
        for rules in log.rules
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


@kernel
def round_views(
    dealt: tuple, rules: NDArray, scratch: NDArray, views: NDArray, seats: NDArray
) -> Progress:
    """Write every view of one round, in the order played; returns the progress after the last card.

    ``dealt``: hands int64 (4,) by seat, plays int8 card codes (52,), -1 after the last of an
    unfinished round, the seat that leads first, bids int8 (4,). ``rules``: a row of
    ``rules_table``. ``scratch``: int64 (3, 4). ``views``: int64 (52, 24). ``seats``: int64 (52,),
    the seat that plays."""
    hands, plays, leader, bids = dealt
    nil_rule, may_lead, deck = rules
    held = scratch[0]
    played = scratch[1]
    last = scratch[2]
    for seat in range(N_SEATS):
        held[seat] = hands[seat]
        played[seat] = 0
        last[seat] = 0
    progress = first_lead(np.int64(leader), may_lead)
    for ply in range(plays.size):
        card = np.int64(plays[ply])
        seat = progress.turn
        if card < 0:
            break
        own = held[seat], np.int64(legal_cards(held[seat], progress)), deck
        fill_view(views[ply], progress, own, (bids, played, last), nil_rule)
        seats[ply] = seat
        last[seat] = np.int64(1) << card
        held[seat] ^= last[seat]
        played[seat] |= last[seat]
        progress = after_card(progress, card)
    return progress
