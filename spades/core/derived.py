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
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, Rules
from spades.core.scoring import POINTS_PER_TRICK, partnership_score, scoring_options
from spades.core.step import Progress, after_card, first_lead, legal_cards

NOBODY = -1

# What may be wrong with a round, in the order in which it is looked for.
(
    LEGAL,
    BAD_DEALER,
    BAD_DEAL,
    BAD_BID,
    BAD_BLIND,
    GAP_IN_PLAYS,
    NO_CARD,
    NOT_HELD,
    NOT_FOLLOWING,
    NOT_BROKEN,
) = range(10)
NO_PLY = -1

_N_OPTIONS = 11
_ANY_LEAD, _DECK, _MIN_BID, _HAS_BLIND, _BIDS_ITSELF = range(5)
_NO_CODE = 63  # the sign bit: no deck has a card there


@dataclass(frozen=True)
class Derived:
    """What n rounds come to. Where a round was cut short, the rest is ``NOBODY`` or 0.

    ``seats`` int8 (n, 52): who played each card; ``legal_count`` int8 (n, 52): of how many legal
    ones; ``winners`` int8 (n, 13): who won each trick; ``tricks_taken`` int8 (n, 4) by seat.
    ``points`` and ``bags`` int32 (n, 2) by partnership, before any bag penalty, 0 unless
    ``has_score`` bool (n,): the round is whole and its bids are known. ``bid_nil`` and
    ``made_nil`` bool (n, 4) by seat; a nil of a round cut short is not made (yet).
    """

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
    """What a walk through a round fills in, int8: ``seats`` and ``legal_count`` (52,), ``winners``
    (13,), ``tricks_taken`` (4,)."""

    seats: NDArray[np.int8]
    legal_count: NDArray[np.int8]
    winners: NDArray[np.int8]
    tricks_taken: NDArray[np.int8]


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
        walk.seats[at.ply], walk.legal_count[at.ply] = at.turn, popcount(legal)
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
def auction_fault(bids: NDArray, blind: NDArray, dealer: Int, min_bid: Int, has_blind: Int) -> Int:
    """What is wrong with four bids (``NO_BID``: unknown), entered from the dealer's left."""
    for i in range(1, N_SEATS + 1):
        seat = (dealer + i) % N_SEATS
        bid, before = np.int64(bids[seat]), np.int64(bids[(seat + 2) % N_SEATS])
        if bid < NO_BID or bid > MAX_BID:
            return BAD_BID
        if i > 2 and bid != NO_BID and before != NO_BID and bid < min_bid - before:
            return BAD_BID
        if blind[seat] and (bid != NIL_BID or not has_blind):
            return BAD_BLIND
    return LEGAL


class _Columns(NamedTuple):
    """What the kernels read of a log; ``options`` int64 (rules, 11) by rules code."""

    hands: NDArray
    plays: NDArray
    bids: NDArray
    blind: NDArray
    dealer: NDArray
    rules_code: NDArray
    options: NDArray


@kernel
def _check_rounds(log: _Columns, held: NDArray, walk: Walk, fault: NDArray, ply: NDArray) -> None:
    for i in range(len(log.hands)):
        option = log.options[log.rules_code[i]]
        bids, blind, dealer = log.bids[i], log.blind[i], log.dealer[i]
        ply[i] = NO_PLY
        if dealer < 0 or dealer >= N_SEATS:
            fault[i] = BAD_DEALER
        elif not is_deal(log.hands[i], option[_DECK]):
            fault[i] = BAD_DEAL
        else:
            fault[i] = auction_fault(bids, blind, dealer, option[_MIN_BID], option[_HAS_BLIND])
        if fault[i] == LEGAL:
            walk.tricks_taken[:] = 0
            start = first_lead((dealer + 1) % N_SEATS, option[_ANY_LEAD])
            fault[i], ply[i] = walk_round(log.hands[i], log.plays[i], start, held, walk)


@kernel
def _derive_rounds(log: _Columns, held: NDArray, walks: Walk, scored: tuple) -> None:
    points, bags, has_score = scored
    seats, legal_count, winners, tricks = walks
    for i in range(len(log.hands)):
        option = log.options[log.rules_code[i]]
        start = first_lead((log.dealer[i] + 1) % N_SEATS, option[_ANY_LEAD])
        walk = Walk(seats[i], legal_count[i], winners[i], tricks[i])
        walk_round(log.hands[i], log.plays[i], start, held, walk)
        if winners[i, HAND_SIZE - 1] != NOBODY:
            has_score[i] = _score(log.bids[i], log.blind[i], tricks[i], option, points[i], bags[i])


@kernel
def _score(
    bids: NDArray, blind: NDArray, tricks: NDArray, option: NDArray, points: NDArray, bags: NDArray
) -> bool:
    """Points and bags of a finished round; False where its bids are unknown."""
    if bids.min() == NO_BID:
        if not option[_BIDS_ITSELF] or bids.max() != NO_BID:
            return False
        for side in range(2):
            points[side] = POINTS_PER_TRICK * (tricks[side] + tricks[side + 2])
        return True
    scoring = (option[5], option[6], option[7], option[8], option[9], option[10])
    for side in range(2):
        points[side], bags[side] = partnership_score(side, bids, blind, tricks, scoring)
    return True


def _options_of(rules: Rules) -> tuple[int, ...]:
    return (
        int(rules.spades_lead == "any"),
        rules.cards.mask,
        rules.min_bid,
        int(rules.has_blind_nil),
        int(rules.first_hand_bids_itself),
        *scoring_options(rules),
    )


def _columns(log: Log) -> _Columns:
    options = np.array([_options_of(rules) for rules in log.rules], dtype=np.int64)
    names = _Columns._fields[:-1]
    arrays = {name: np.ascontiguousarray(getattr(log, name)) for name in names}
    return _Columns(**arrays, options=options.reshape(-1, _N_OPTIONS))


def _empty_walk(shape: tuple[int, ...]) -> Walk:
    return Walk(
        np.full((*shape, N_CARDS), NOBODY, dtype=np.int8),
        np.zeros((*shape, N_CARDS), dtype=np.int8),
        np.full((*shape, HAND_SIZE), NOBODY, dtype=np.int8),
        np.zeros((*shape, N_SEATS), dtype=np.int8),
    )


def check_rounds(log: Log) -> Checked:
    """Replay every round of a log through the rules; never raises for what the arrays hold."""
    fault, ply = np.zeros(len(log), dtype=np.int8), np.zeros(len(log), dtype=np.int8)
    held = np.empty(N_SEATS, dtype=np.int64)
    _check_rounds(_columns(log), held, _empty_walk(()), fault, ply)
    return Checked(fault, ply)


def derive(log: Log) -> Derived:
    """The derived values of a log's rounds, which must have passed ``check_rounds``."""
    n, walks = len(log), _empty_walk((len(log),))
    points, bags = np.zeros((n, 2), dtype=np.int32), np.zeros((n, 2), dtype=np.int32)
    has_score = np.zeros(n, dtype=np.bool_)
    held = np.empty(N_SEATS, dtype=np.int64)
    _derive_rounds(_columns(log), held, walks, (points, bags, has_score))
    is_whole = walks.winners[:, -1:] != NOBODY
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=np.bool_)
    bid_nil = (log.bids == NIL_BID) & has_nil[log.rules_code][:, None]
    return Derived(
        **walks._asdict(),
        points=points,
        bags=bags,
        has_score=has_score,
        bid_nil=bid_nil,
        made_nil=bid_nil & is_whole & (walks.tricks_taken == 0),
    )


def fault_text(log: Log, i: int, checked: Checked) -> str:
    """What is wrong with round ``i`` and what would be legal; empty for a legal one."""
    fault, ply = int(checked.fault[i]), int(checked.ply[i])
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
    """Raise ``InvalidRecordError`` for the first round that breaks a rule; ``line`` is its
    row from 1."""
    checked = check_rounds(log)
    if not checked.is_legal.all():
        i = int(np.argmin(checked.is_legal))
        raise InvalidRecordError(f"round {i + 1}: {fault_text(log, i, checked)}", i + 1)
