"""What follows from the arrays of a log, computed by compiled kernels in one walk a round.

Who played each card, who won each trick, how many cards were legal, points and bags; and the
replay check of whole logs. The rules are those of ``spades.core.rules``, which also words every
refusal; tests compare the two round by round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SEATS, SPADES_MASK
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.kernel import Int, kernel, popcount
from spades.core.logs import NOT_PLAYED, Log
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, NO_SUIT, Rules, beats, legal_mask
from spades.core.scoring import POINTS_PER_TRICK, partnership_score, scoring_options

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


@kernel
def walk_round(
    hands: NDArray,
    plays: NDArray,
    leader: Int,
    any_lead: bool,
    held: NDArray,
    seats: NDArray,
    legal_count: NDArray,
    winners: NDArray,
    tricks_taken: NDArray,
) -> tuple[Int, Int]:
    """Play one round out as far as it is legal; (fault, ply). Fills the last four arrays.

    ``held``: scratch, int64 (4,).
    """
    for seat in range(N_SEATS):
        held[seat] = hands[seat]
    turn, winner, broken = np.int64(leader), np.int64(leader), False
    led, best = np.int64(NO_SUIT), np.int64(-1)
    for ply in range(N_CARDS):
        card = np.int64(plays[ply])
        if card == NOT_PLAYED:
            for later in range(ply + 1, N_CARDS):
                if plays[later] != NOT_PLAYED:
                    return GAP_IN_PLAYS, later
            return LEGAL, NO_PLY
        if card < 0 or card >= _NO_CODE:
            return NO_CARD, ply
        if ply % N_SEATS == 0:
            led, best, turn = np.int64(NO_SUIT), np.int64(-1), winner
        hand, bit = held[turn], np.int64(1) << card
        if not hand & bit:
            return NOT_HELD, ply
        legal = legal_mask(hand, led, any_lead or broken)
        if not legal & bit:
            return (NOT_BROKEN if led < 0 else NOT_FOLLOWING), ply
        seats[ply], legal_count[ply] = turn, popcount(legal)
        held[turn] = hand ^ bit
        broken = broken or bit & SPADES_MASK != 0
        led = led if led >= 0 else card >> 4
        if best < 0 or beats(card, best):
            best, winner = card, turn
        if ply % N_SEATS == N_SEATS - 1:
            winners[ply // N_SEATS] = winner
            tricks_taken[winner] += 1
        turn = (turn + 1) % N_SEATS
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


@kernel
def _check_rounds(
    columns: tuple[NDArray, NDArray, NDArray, NDArray, NDArray],
    rules_code: NDArray,
    options: NDArray,
    scratch: tuple[NDArray, NDArray, NDArray, NDArray, NDArray],
    fault: NDArray,
    ply: NDArray,
) -> None:
    hands, plays, bids, blind, dealer = columns
    held, seats, legal_count, winners, tricks_taken = scratch
    for i in range(len(hands)):
        option = options[rules_code[i]]
        ply[i] = NO_PLY
        if dealer[i] < 0 or dealer[i] >= N_SEATS:
            fault[i] = BAD_DEALER
        elif not is_deal(hands[i], option[_DECK]):
            fault[i] = BAD_DEAL
        else:
            fault[i] = auction_fault(
                bids[i], blind[i], dealer[i], option[_MIN_BID], option[_HAS_BLIND]
            )
        if fault[i] == LEGAL:
            tricks_taken[:] = 0
            fault[i], ply[i] = walk_round(
                hands[i], plays[i], (dealer[i] + 1) % N_SEATS, option[_ANY_LEAD] != 0,
                held, seats, legal_count, winners, tricks_taken,
            )  # fmt: skip


@kernel
def _derive_rounds(
    columns: tuple[NDArray, NDArray, NDArray, NDArray, NDArray],
    rules_code: NDArray,
    options: NDArray,
    held: NDArray,
    walked: tuple[NDArray, NDArray, NDArray, NDArray],
    scored: tuple[NDArray, NDArray, NDArray],
) -> None:
    hands, plays, bids, blind, dealer = columns
    seats, legal_count, winners, tricks_taken = walked
    points, bags, has_score = scored
    for i in range(len(hands)):
        option = options[rules_code[i]]
        walk_round(
            hands[i], plays[i], (dealer[i] + 1) % N_SEATS, option[_ANY_LEAD] != 0,
            held, seats[i], legal_count[i], winners[i], tricks_taken[i],
        )  # fmt: skip
        if winners[i, HAND_SIZE - 1] != NOBODY:
            has_score[i] = _score(bids[i], blind[i], tricks_taken[i], option, points[i], bags[i])


@kernel
def _score(
    bids: NDArray, blind: NDArray, tricks: NDArray, option: NDArray, points: NDArray, bags: NDArray
) -> bool:
    """Points and bags of a finished round; False where its bids are unknown."""
    lowest = min(min(bids[0], bids[1]), min(bids[2], bids[3]))
    if lowest == NO_BID:
        highest = max(max(bids[0], bids[1]), max(bids[2], bids[3]))
        if not option[_BIDS_ITSELF] or highest != NO_BID:
            return False
        for side in range(2):
            points[side] = POINTS_PER_TRICK * (tricks[side] + tricks[side + 2])
        return True
    scoring = (option[5], option[6], option[7], option[8], option[9], option[10])
    for side in range(2):
        partner = side + 2
        points[side], bags[side] = partnership_score(
            np.int64(bids[side]), np.int64(bids[partner]), blind[side], blind[partner],
            np.int64(tricks[side]), np.int64(tricks[partner]), scoring,
        )  # fmt: skip
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


def _option_table(log: Log) -> NDArray[np.int64]:
    """What the kernels need of every rules in the log's table, shape (rules, 11)."""
    options = [_options_of(rules) for rules in log.rules]
    return np.array(options, dtype=np.int64).reshape(len(options), _N_OPTIONS)


def _columns(log: Log) -> tuple[NDArray, ...]:
    arrays = (log.hands, log.plays, log.bids, log.blind, log.dealer)
    return tuple(np.ascontiguousarray(array) for array in arrays)


def _walked(shape: tuple[int, ...]) -> tuple[NDArray[np.int8], ...]:
    """Empty arrays for a walk: seats, legal counts, winners, tricks taken."""
    return (
        np.full((*shape, N_CARDS), NOBODY, dtype=np.int8),
        np.zeros((*shape, N_CARDS), dtype=np.int8),
        np.full((*shape, HAND_SIZE), NOBODY, dtype=np.int8),
        np.zeros((*shape, N_SEATS), dtype=np.int8),
    )


def check_rounds(log: Log) -> Checked:
    """Replay every round of a log through the rules; never raises for what the arrays hold."""
    fault, ply = np.zeros(len(log), dtype=np.int8), np.zeros(len(log), dtype=np.int8)
    scratch = (np.empty(N_SEATS, dtype=np.int64), *_walked(()))
    _check_rounds(
        _columns(log), np.ascontiguousarray(log.rules_code), _option_table(log), scratch, fault, ply
    )
    return Checked(fault, ply)


def derive(log: Log) -> Derived:
    """What the rounds of a log come to; they must have passed ``check_rounds``."""
    n = len(log)
    walked = _walked((n,))
    points, bags = np.zeros((n, 2), dtype=np.int32), np.zeros((n, 2), dtype=np.int32)
    has_score = np.zeros(n, dtype=np.bool_)
    _derive_rounds(
        _columns(log),
        np.ascontiguousarray(log.rules_code),
        _option_table(log),
        np.empty(N_SEATS, dtype=np.int64),
        walked,
        (points, bags, has_score),
    )
    seats, legal_count, winners, tricks_taken = walked
    is_whole = winners[:, -1:] != NOBODY
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=np.bool_)
    bid_nil = (log.bids == NIL_BID) & has_nil[log.rules_code][:, None]
    return Derived(
        seats=seats,
        legal_count=legal_count,
        winners=winners,
        tricks_taken=tricks_taken,
        points=points,
        bags=bags,
        has_score=has_score,
        bid_nil=bid_nil,
        made_nil=bid_nil & is_whole & (tricks_taken == 0),
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
