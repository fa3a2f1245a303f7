"""What follows from the arrays of a log, computed by compiled kernels in one walk a round.

Who played each card, who won each trick, how many cards were legal, points and bags; and the
replay check of whole logs. The rules are those of ``spades.core.rules``, which also words every
refusal; tests compare the two round by round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SEATS
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.kernel import Int, kernel, popcount
from spades.core.logs import NOT_PLAYED, Log
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers
from spades.core.scoring import POINTS_PER_TRICK, partnership_score
from spades.core.step import Progress, after_card, first_lead, legal_cards

NOBODY = -1

# What may be wrong with a round, in the order in which it is looked for.
(
    LEGAL, BAD_DEALER, BAD_DEAL, BAD_BID, BAD_BLIND,
    GAP_IN_PLAYS, NO_CARD, NOT_HELD, NOT_FOLLOWING, NOT_BROKEN,
) = range(10)  # fmt: skip
NO_PLY = -1
_NO_CODE = 63  # the sign bit: no deck has a card there


@dataclass(frozen=True)
class Derived:
    """What follows from n rounds. Where a round was cut short, the rest is ``NOBODY`` or 0.

    ``seats`` int8 (n, 52): who played each card; ``legal_count`` int8 (n, 52): of how many legal
    ones; ``winners`` int8 (n, 13): who won each trick; ``tricks_taken`` int8 (n, 4) by seat.
    ``points`` and ``bags`` int32 (n, 2) by partnership, before any bag penalty, 0 unless
    ``has_score`` bool (n,): the round is whole and its bids are known. ``bid_nil`` and
    ``made_nil`` bool (n, 4) by seat; a nil of a round cut short is not made (yet)."""

    seats: NDArray[np.int8]
    legal_count: NDArray[np.int8]
    winners: NDArray[np.int8]
    tricks_taken: NDArray[np.int8]
    points: NDArray[np.int32]
    bags: NDArray[np.int32]
    has_score: NDArray[np.bool_]
    bid_nil: NDArray[np.bool_]
    made_nil: NDArray[np.bool_]


@dataclass(frozen=True)
class Checked:
    """The replay check of n rounds: ``fault`` int8 (n,), ``LEGAL`` or what is wrong first, and
    ``ply`` int8 (n,), the play to blame from 0, ``NO_PLY`` where no play is."""

    fault: NDArray[np.int8]
    ply: NDArray[np.int8]

    @property
    def is_legal(self) -> NDArray[np.bool_]:
        return self.fault == LEGAL


class Walk(NamedTuple):
    """What a walk through a round, or n rounds, fills in: arrays as in ``Derived``."""

    seats: NDArray[np.int8]
    legal_count: NDArray[np.int8]
    winners: NDArray[np.int8]
    tricks_taken: NDArray[np.int8]

    @classmethod
    def empty(cls, *shape: int) -> Walk:
        return cls(
            seats=np.full((*shape, N_CARDS), NOBODY, dtype=np.int8),
            legal_count=np.zeros((*shape, N_CARDS), dtype=np.int8),
            winners=np.full((*shape, HAND_SIZE), NOBODY, dtype=np.int8),
            tricks_taken=np.zeros((*shape, N_SEATS), dtype=np.int8),
        )


@kernel
def walk_round(
    hands: NDArray, plays: NDArray, start: Progress, held: NDArray, walk: Walk
) -> tuple[Int, Int]:
    """Play one round out as far as it is legal; (fault, ply). ``held``: scratch, int64 (4,)."""
    for seat in range(N_SEATS):
        held[seat] = hands[seat]
    at = start
    while at.ply < N_CARDS:
        card = np.int64(plays[at.ply])
        if card == NOT_PLAYED:
            for later in range(at.ply + 1, N_CARDS):
                if plays[later] != NOT_PLAYED:
                    return GAP_IN_PLAYS, later
            return LEGAL, NO_PLY
        if card < 0 or card >= _NO_CODE:
            return NO_CARD, at.ply
        bit = np.int64(1) << card
        if not held[at.turn] & bit:
            return NOT_HELD, at.ply
        legal = legal_cards(held[at.turn], at)
        if not legal & bit:
            return (NOT_BROKEN if at.led < 0 else NOT_FOLLOWING), at.ply
        walk.seats[at.ply] = at.turn
        walk.legal_count[at.ply] = popcount(legal)
        held[at.turn] ^= bit
        at = after_card(at, card)
        if at.ply % N_SEATS == 0:
            walk.winners[at.ply // N_SEATS - 1] = at.winner
            walk.tricks_taken[at.winner] += 1
    return LEGAL, NO_PLY


@kernel
def is_deal(hands: NDArray, deck: Int) -> bool:
    """Whether four hands of 13 hold every card of the deck."""
    seen = np.int64(0)
    for seat in range(N_SEATS):
        hand = hands[seat]
        if hand & ~deck or hand & seen or popcount(hand) != HAND_SIZE:
            return False
        seen |= hand
    return True


@kernel
def auction_fault(bids: NDArray, blind: NDArray, dealer: Int, rules: RuleNumbers) -> Int:
    """What is wrong with four bids (``NO_BID``: unknown), entered from the dealer's left."""
    for i in range(1, N_SEATS + 1):
        seat = (dealer + i) % N_SEATS
        bid = np.int64(bids[seat])
        partner_bid = np.int64(bids[(seat + 2) % N_SEATS])
        if bid < NO_BID or bid > MAX_BID:
            return BAD_BID
        is_second = i > 2 and bid != NO_BID and partner_bid != NO_BID
        if is_second and bid < rules.min_bid - partner_bid:
            return BAD_BID
        if blind[seat] and (bid != NIL_BID or not rules.has_blind_nil):
            return BAD_BLIND
    return LEGAL


class _Columns(NamedTuple):
    """What the kernels read of a log; ``numbers`` int64 (rules, 16), ``RuleNumbers`` by code."""

    hands: NDArray
    plays: NDArray
    bids: NDArray
    blind: NDArray
    dealer: NDArray
    rules_code: NDArray
    numbers: NDArray


@kernel
def _rules_of(log: _Columns, i: Int) -> RuleNumbers:
    n = log.numbers[log.rules_code[i]]
    return RuleNumbers(
        n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7],
        n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15],
    )  # fmt: skip


@kernel
def _check_rounds(log: _Columns, held: NDArray, walk: Walk, fault: NDArray, ply: NDArray) -> None:
    for i in range(len(log.hands)):
        rules = _rules_of(log, i)
        dealer = log.dealer[i]
        ply[i] = NO_PLY
        if dealer < 0 or dealer >= N_SEATS:
            fault[i] = BAD_DEALER
        elif not is_deal(log.hands[i], rules.deck):
            fault[i] = BAD_DEAL
        else:
            fault[i] = auction_fault(log.bids[i], log.blind[i], dealer, rules)
        if fault[i] == LEGAL:
            walk.tricks_taken[:] = 0
            start = first_lead((dealer + 1) % N_SEATS, rules.any_lead)
            fault[i], ply[i] = walk_round(log.hands[i], log.plays[i], start, held, walk)


@kernel
def _derive_rounds(log: _Columns, held: NDArray, walks: Walk, scored: tuple) -> None:
    points, bags, has_score = scored
    seats, legal_count, winners, tricks = walks
    for i in range(len(log.hands)):
        rules = _rules_of(log, i)
        start = first_lead((log.dealer[i] + 1) % N_SEATS, rules.any_lead)
        walk = Walk(seats[i], legal_count[i], winners[i], tricks[i])
        walk_round(log.hands[i], log.plays[i], start, held, walk)
        if winners[i, HAND_SIZE - 1] != NOBODY:
            has_score[i] = _score(log.bids[i], log.blind[i], tricks[i], rules, points[i], bags[i])


@kernel
def _score(
    bids: NDArray,
    blind: NDArray,
    tricks: NDArray,
    rules: RuleNumbers,
    points: NDArray,
    bags: NDArray,
) -> bool:
    """Points and bags of a finished round; False where its bids are unknown."""
    if bids.min() == NO_BID:
        if not rules.bids_itself or bids.max() != NO_BID:
            return False
        for side in range(2):
            points[side] = POINTS_PER_TRICK * (tricks[side] + tricks[side + 2])
        return True
    for side in range(2):
        points[side], bags[side] = partnership_score(side, bids, blind, tricks, rules)
    return True


def _columns(log: Log) -> _Columns:
    *names, _ = _Columns._fields
    arrays = {name: np.ascontiguousarray(getattr(log, name)) for name in names}
    numbers = np.array([rules.numbers for rules in log.rules], dtype=np.int64)
    return _Columns(**arrays, numbers=numbers.reshape(-1, len(RuleNumbers._fields)))


def check_rounds(log: Log) -> Checked:
    """Replay every round of a log through the rules; never raises for what the arrays hold."""
    fault = np.zeros(len(log), dtype=np.int8)
    ply = np.zeros(len(log), dtype=np.int8)
    scratch = np.empty(N_SEATS, dtype=np.int64)
    _check_rounds(_columns(log), scratch, Walk.empty(), fault, ply)
    return Checked(fault, ply)


def derive(log: Log) -> Derived:
    """The derived values of a log's rounds, which must have passed ``check_rounds``."""
    n_rounds = len(log)
    walks = Walk.empty(n_rounds)
    points, bags = np.zeros((2, n_rounds, 2), dtype=np.int32)
    has_score = np.zeros(n_rounds, dtype=np.bool_)
    scratch = np.empty(N_SEATS, dtype=np.int64)
    _derive_rounds(_columns(log), scratch, walks, (points, bags, has_score))
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=np.bool_)
    bid_nil = (log.bids == NIL_BID) & has_nil[log.rules_code][:, None]
    is_over = walks.winners[:, -1:] != NOBODY
    return Derived(
        *walks,
        points=points,
        bags=bags,
        has_score=has_score,
        bid_nil=bid_nil,
        made_nil=bid_nil & is_over & (walks.tricks_taken == 0),
    )


def fault_text(log: Log, i: int, checked: Checked) -> str:
    """What is wrong with round ``i`` and what would be legal; empty for a legal one."""
    fault = int(checked.fault[i])
    ply = int(checked.ply[i])
    if fault == LEGAL:
        return ""
    if fault == BAD_DEALER:
        return f"dealer is {log.dealer[i]}; 0 to {N_SEATS - 1} are legal"
    if fault == GAP_IN_PLAYS:
        return f"play {ply} is a card after {NOT_PLAYED}, which ends the plays of a round cut short"
    if np.any(log.hands[i] < 0):
        return f"hands hold the masks {log.hands[i].tolist()}; no mask has bit 63"
    # The rules of the game say the rest in their own words.
    try:
        log.record(i).final()
    except SpadesError as error:
        return str(error)
    seat = next(seat for seat in range(N_SEATS) if log.blind[i, seat])
    return f"{SEATS[seat]} bids blind, but the bid is unknown; only nil may be blind"


def require_legal(log: Log) -> None:
    """Raise ``InvalidRecordError`` for the first round that breaks a rule, ``line`` from 1."""
    checked = check_rounds(log)
    if not checked.is_legal.all():
        i = int(np.argmin(checked.is_legal))
        raise InvalidRecordError(f"round {i + 1}: {fault_text(log, i, checked)}", i + 1)
