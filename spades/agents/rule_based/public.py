"""What all four seats see of a round, as arrays that kernels keep up to date card by card.

Beside the rules, bids, scores and cards played it remembers what good players remember: who has
shown out of which suit, and who has signalled a doubleton.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, SPADES_MASK
from spades.core.kernel import Int, kernel
from spades.core.observation import Observation
from spades.core.rules import NO_BID, NO_SUIT, Rules
from spades.core.scoring import scoring_options
from spades.core.step import Progress, after_card, first_lead

NO_FLOOR = -(1 << 40)

# Entries of ``Public.table``. The rules come first, as ``rule_numbers`` lists them.
(
    DECK, ANY_LEAD, MIN_BID, TARGET, FLOOR, BAG_LIMIT, BAG_PENALTY,
    HAS_NIL, NIL_WORTH, BLIND_WORTH, TO_BAGS, FAILED, TEN,
    PLY, TURN, LED, BEST, AHEAD, MAY_LEAD, TAKEN, SHOWN, PLAYED, LED_BEFORE,
) = range(23)  # fmt: skip
N_RULES = PLY

# Rows of ``Public.seats``; the last four are a suit each.
BID, BLIND, TRICKS, VOIDS, SIGNALS, SCORE, BAGS, FIRST = range(8)
N_ROWS = FIRST + 4
NOT_YET, CLOSED = -1, -2
"""A ``FIRST`` entry before the suit's first trick, and once it can signal nothing any more."""


class Public(NamedTuple):
    """The table's numbers and those of each seat, int64 (23,) and (12, 4).

    ``table``: the rules; ``PLY`` to ``SHOWN`` the fields of a ``Progress``; ``PLAYED`` mask, the
    trick under way included; ``LED_BEFORE`` suits led in tricks before (masks of the whole suit).
    ``seats``: ``BID``, ``BLIND``, ``TRICKS`` taken, ``VOIDS`` shown and doubletons signalled (suit
    masks), ``SCORE`` and ``BAGS`` of the seat's partnership when the round began, and by suit the
    card first played to it under its highest.
    """

    table: NDArray[np.int64]
    seats: NDArray[np.int64]


def empty_public() -> Public:
    return Public(np.zeros(LED_BEFORE + 1, np.int64), np.zeros((N_ROWS, N_SEATS), np.int64))


def rule_numbers(rules: Rules) -> NDArray[np.int64]:
    """The first entries of ``Public.table``, shape (13,)."""
    floor = NO_FLOOR if rules.losing_floor is None else rules.losing_floor
    return np.array(
        [
            rules.cards.mask,
            int(rules.spades_lead == "any"),
            rules.min_bid,
            rules.target,
            floor,
            rules.bag_limit,
            rules.bag_penalty,
            *scoring_options(rules),
        ],
        dtype=np.int64,
    )


@kernel
def open_round(public: Public, rules: NDArray, dealer: Int, score: NDArray, bags: NDArray) -> None:
    """The record before the auction; ``score`` and ``bags`` by partnership, shape (2,)."""
    table, seats = public
    table[:] = 0
    table[:N_RULES] = rules
    enter(public, first_lead((dealer + 1) & 3, rules[ANY_LEAD]))
    seats[:] = 0
    seats[FIRST:] = NOT_YET
    for seat in range(N_SEATS):
        seats[BID, seat] = NO_BID
        seats[SCORE, seat], seats[BAGS, seat] = score[seat & 1], bags[seat & 1]


@kernel
def turn_of(public: Public) -> Int:
    """Seat to play."""
    return public.table[TURN]


@kernel
def progress_in(public: Public) -> Progress:
    """How far the round has come."""
    t = public.table
    return Progress(
        t[PLY], t[TURN], t[LED], t[BEST], t[AHEAD], t[MAY_LEAD], t[TAKEN], t[SHOWN]
    )  # fmt: skip


@kernel
def enter(public: Public, at: Progress) -> None:
    for i in range(len(at)):
        public.table[PLY + i] = at[i]


@kernel
def record_play(public: Public, card: Int) -> None:
    """Enter the card that the seat to play puts on the table."""
    table, seats = public
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


@kernel
def _note_signal(public: Public, seat: Int, card: Int) -> None:
    """High-low doubleton (Cohensius 2020, D.3), read from a card that follows suit.

    High: under the highest card out, in the first trick of the suit. Low: a lower card the next
    time the seat follows.
    """
    table, seats = public
    suit, best = card >> 4, table[BEST]
    suit_cards = np.int64(SPADES_MASK) << (suit << 4)
    first = seats[FIRST + suit, seat]
    if first >= 0 and card < first:
        seats[SIGNALS, seat] |= suit_cards
    out = table[DECK] & ~table[PLAYED] & suit_cards
    under_boss = best >> 4 == suit and card < best and out & -(np.int64(2) << best) == 0
    is_high = first == NOT_YET and under_boss and not table[LED_BEFORE] & suit_cards
    seats[FIRST + suit, seat] = card if is_high else CLOSED


def public_of(observation: Observation) -> Public:
    """The record of what an observation's table shows; scores not known count as 0."""
    table, public = observation.table, empty_public()
    score = np.array(observation.score_before or (0, 0), dtype=np.int64)
    bags = np.array(observation.bags_before or (0, 0), dtype=np.int64)
    open_round(public, rule_numbers(observation.rules), table.dealer, score, bags)
    public.seats[BID], public.seats[BLIND] = table.bids, table.blind
    for card in table.plays:
        record_play(public, card)
    return public
