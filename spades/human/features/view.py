"""What the seat to play sees, as numbers: a row of int64 that every human model reads.

Seats are relative to the seat to play: left, partner, right. No column holds a hidden card. The
first twelve columns are a ``Decision``, all that the features of Devlin 2016 look at: their kernels
take that tuple, which stays in registers; networks and corpora read the whole row, a ``View``.

=====================  =========================================================================
column                 meaning
=====================  =========================================================================
0 to 11                the fields of a ``Decision``, in order
TABLE (3)              cards of left, partner and right on the table, one-card masks, 0: none
OTHER_BIDS (2)         bids of left and right, ``NO_BID`` where unknown
OTHER_TRICKS (2)       tricks of left and right so far
CARDS_PLAYED (4)       cards played so far by own seat, left, partner, right, the table's included
VOIDS                  suits that a seat has shown out of: bit ``4 * relative seat + suit``
=====================  =========================================================================
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS
from spades.core.errors import IllegalPlayError
from spades.core.kernel import Int, kernel, lean_kernel
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.rules import RuleNumbers, Rules
from spades.core.step import Progress, after_card, first_lead, legal_cards, progress_of, tricks_of

NO_NIL, NIL_TRICKS_COUNT, NIL_TRICKS_ARE_BAGS = range(3)


class Decision(NamedTuple):
    """A seat to play, from its own point of view; every field is an int64 in kernels.

    ``hand``, ``legal``: masks of the cards held and of those it may play. ``led_suit`` is
    ``NO_SUIT`` and ``best_card`` -1 for the leader. ``played``: every card played, those of the
    trick under way included. ``deck``: all 52. ``turn_in_trick`` 0 (leader) to 3 (last). Bids are
    ``NO_BID`` (-1) where unknown; tricks are those taken so far. ``nil_rule``: whether a bid of 0
    is a nil, and whether tricks of a failed one count for the partner's contract or are bags."""

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
(
    HAND, LEGAL, LED_SUIT, BEST_CARD, PLAYED, DECK, PLACE, OWN_BID, PARTNER_BID, OWN_TRICKS,
    PARTNER_TRICKS, NIL_RULE, TABLE,
) = range(N_FIELDS + 1)  # fmt: skip
OTHER_BIDS = TABLE + 3
OTHER_TRICKS = OTHER_BIDS + 2
CARDS_PLAYED = OTHER_TRICKS + 2
VOIDS = CARDS_PLAYED + N_SEATS
N_VIEW = VOIDS + 1

View = NDArray[np.int64]


def nil_rule_of(rules: Rules) -> int:
    """What a bid of 0 means under these rules, as ``Decision`` has it."""
    if rules.nil is None:
        return NO_NIL
    return NIL_TRICKS_ARE_BAGS if rules.failed_nil_tricks == "bags" else NIL_TRICKS_COUNT


@kernel
def decision_in(
    at: Progress, hand: Int, played: Int, bids: NDArray, rules: RuleNumbers
) -> Decision:
    """The decision of the seat to play in a round under way; ``bids`` (4,) by seat."""
    seat, partner = at.turn, at.turn ^ 2
    return Decision(
        hand, legal_cards(hand, at), at.led, at.best, played, rules.deck, at.ply & 3,
        np.int64(bids[seat]), np.int64(bids[partner]), tricks_of(seat, at.taken),
        tricks_of(partner, at.taken), rules.has_nil * (1 + rules.nil_to_bags),
    )  # fmt: skip


@kernel
def decision_at(row: NDArray) -> Decision:
    return Decision(
        row[0], row[1], row[2], row[3], row[4], row[5],
        row[6], row[7], row[8], row[9], row[10], row[11],
    )  # fmt: skip


def decision_of(observation: Observation) -> Decision:
    """The decision a seat faces; ``IllegalPlayError`` unless it is to play."""
    return Decision(*view_of(observation)[:N_FIELDS].tolist())


def view_of(observation: Observation) -> View:
    """The row of the seat to play, int64 (24,); ``IllegalPlayError`` for another seat."""
    table, rules = observation.table, observation.rules
    if not (legal := observation.legal_mask):
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    bids, played, last = np.array([table.bids, table.played, [0] * N_SEATS], dtype=np.int64)
    for i, card in enumerate(table.trick):
        last[(table.leader + i) % N_SEATS] = 1 << card
    own = (observation.hand_mask, legal, rules.cards.mask)
    view = np.empty(N_VIEW, dtype=np.int64)
    fill_view(view, progress_of(table), own, (bids, played, last), nil_rule_of(rules))
    return view


@lean_kernel
def fill_view(view: View, at: Progress, own: tuple, table: tuple, nil_rule: Int) -> None:
    """Write what the seat to play sees into ``view`` (24,). ``own``: masks of its hand, its legal
    cards and the deck. ``table``, (4,) each, by seat: bids, masks of the cards played and of the
    last card."""
    hand, legal, deck = own
    bids, played, last = table
    turn, place = at.turn, at.ply & 3
    left, partner, right = (turn + 1) & 3, (turn + 2) & 3, (turn + 3) & 3
    view[HAND], view[LEGAL], view[LED_SUIT], view[BEST_CARD] = hand, legal, at.led, at.best
    view[PLAYED] = played[0] | played[1] | played[2] | played[3]
    view[DECK], view[PLACE], view[NIL_RULE] = deck, place, nil_rule
    view[OWN_BID], view[PARTNER_BID] = bids[turn], bids[partner]
    view[OWN_TRICKS] = tricks_of(turn, at.taken)
    view[PARTNER_TRICKS] = tricks_of(partner, at.taken)
    view[OTHER_BIDS], view[OTHER_BIDS + 1] = bids[left], bids[right]
    view[OTHER_TRICKS] = tricks_of(left, at.taken)
    view[OTHER_TRICKS + 1] = tricks_of(right, at.taken)
    view[CARDS_PLAYED] = played[turn]
    for i in range(1, N_SEATS):
        seat = (turn + i) & 3
        view[TABLE + i - 1] = last[seat] if i + place >= N_SEATS else 0
        view[CARDS_PLAYED + i] = played[seat]
    view[VOIDS] = ((at.voids >> (turn << 2)) | (at.voids << (16 - (turn << 2)))) & 0xFFFF


@lean_kernel
def bid_and_tricks(view: View, seat: Int) -> tuple[Int, Int]:
    """Of a relative seat: 0 the own one, 1 left, 2 partner, 3 right."""
    if seat & 1:
        return np.int64(view[OTHER_BIDS + seat // 2]), np.int64(view[OTHER_TRICKS + seat // 2])
    return np.int64(view[OWN_BID + seat // 2]), np.int64(view[OWN_TRICKS + seat // 2])


def rules_table(log: Log) -> NDArray[np.int64]:
    """Of each of a log's rules: nil rule, whether spades may always be led, deck's mask, (k, 3)."""
    rows = [(nil_rule_of(r), int(r.spades_lead == "any"), r.cards.mask) for r in log.rules]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


@kernel
def round_views(
    dealt: tuple, rules: NDArray, scratch: NDArray, views: NDArray, seats: NDArray
) -> Progress:
    """Every view of one round, in the order played; the progress after the last card.

    ``dealt``: hands int64 (4,) by seat, plays int8 card codes (52,), -1 after the last of a round
    cut short, the seat that leads first, bids int8 (4,). ``rules``: a row of ``rules_table``.
    ``scratch``: int64 (3, 4). ``views``: int64 (52, 24). ``seats``: int64 (52,), who plays."""
    hands, plays, leader, bids = dealt
    held, played, last = scratch[0], scratch[1], scratch[2]
    for seat in range(N_SEATS):
        held[seat], played[seat], last[seat] = hands[seat], 0, 0
    at = first_lead(np.int64(leader), rules[1])
    for ply in range(plays.size):
        card, seat = np.int64(plays[ply]), at.turn
        if card < 0:
            break
        own = (held[seat], np.int64(legal_cards(held[seat], at)), rules[2])
        fill_view(views[ply], at, own, (bids, played, last), rules[0])
        seats[ply] = seat
        last[seat] = np.int64(1) << card
        held[seat] ^= last[seat]
        played[seat] |= last[seat]
        at = after_card(at, card)
    return at
