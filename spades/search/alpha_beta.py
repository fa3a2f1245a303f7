"""What every legal card comes to if all four hands are open: exact values, by alpha-beta.

Both sides know all cards and play for points, (s_p - 10 b_p) - (s_o - 10 b_o) as every search here:
contracts, nils and bags in one number, so that a side may want to lose tricks. Nobody has to guess,
so a bluff or a safety play looks worse than it is.

The tree is walked by windows of one point (MTD(f), Plaat et al. 1996) over a table of bounds. Two
positions share an entry if the same seats hold the same places among the cards left of each suit,
the same seat leads, and the tricks to come count alike: ``Ends.kinds`` numbers what the points
still hang on, so that a contract made or lost and a nil that failed no longer tell positions apart.
Touching cards are tried once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SPADES_MASK
from spades.core.kernel import (
    Int,
    gather_bits,
    inlined_kernel,
    kernel,
    lean_kernel,
    lowest,
    nth_bit,
    popcount,
)
from spades.core.rules import Rules
from spades.core.scoring import evaluation_table
from spades.core.step import Progress, after_card, legal_cards
from spades.search.tree import value_of

MAX_TRICKS = 10  # of 52 bits, those that fit a key; more take hours
N_ENTRIES = 1 << 16
FAR = 1 << 20  # beyond all points
EMPTY = -1

# Columns of a frame, one for each card that may be played.
PLY, TURN, LED, BEST, WINNER, MAY_LEAD, TAKEN, ON_TABLE = range(8)
ALPHA, BETA, VALUE, LEFT, CARD, CHOICE, FIRST = range(8, 15)
ENTRY, KEY_0, KEY_1, BASE, LOW, HIGH = range(15, 21)
N_COLUMNS = 21
# Columns of the table: two words of the key, bounds less the base, and the best card's place.
LOWER = 2
UPPER = 3
MOVE = 4
N_WORDS = 5


class Ends(NamedTuple):
    """What the tricks to come can add to the points, by tricks left and the tricks that N, E and S
    took since the root, int64 (r + 1, r + 1, r + 1, r + 1).

    ``kinds``: equal where every way the rest can fall adds the same. ``low``, ``high``: the least
    and most that it can add to the base, the points for N/S if West took all the rest."""

    kinds: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]


class Memory(NamedTuple):
    """What a thread's solver works in: ``table`` int64 (``N_ENTRIES``, 5), ``frames`` int64
    (53, 21), ``history`` int64 (4, 64): how often a seat's card cut a branch off, ``hands`` (4,)
    and ``values`` (64,)."""

    table: NDArray[np.int64]
    frames: NDArray[np.int64]
    history: NDArray[np.int64]
    hands: NDArray[np.int64]
    values: NDArray[np.int64]

    @classmethod
    def new(cls) -> Memory:
        table = np.full((N_ENTRIES, N_WORDS), EMPTY, dtype=np.int64)
        frames = np.zeros((N_CARDS + 1, N_COLUMNS), dtype=np.int64)
        sizes = ((N_SEATS, 64), N_SEATS, 64)
        return cls(table, frames, *(np.zeros(size, dtype=np.int64) for size in sizes))


@lru_cache(maxsize=64)
def ends_from(
    rules: Rules,
    bids: tuple[int, ...],
    blind: tuple[bool, ...],
    taken: tuple[int, ...],
    most: int = MAX_TRICKS,
) -> Ends:
    """The ends of a round in which the seats (4,) have taken so many tricks; of its last ``most``
    tricks alone."""
    rewards = evaluation_table(rules, bids, blind).astype(np.int64)
    left = HAND_SIZE - sum(taken)
    most = min(most, left)
    shape = (most + 1, left + 1, left + 1, left + 1)
    ends = Ends(*(np.zeros(shape, dtype=np.int64) for _ in Ends._fields))
    for r in range(most + 1):
        starts = _counts(left - r)
        steps = _counts(r)
        tricks = np.array(taken[:3])[None, None] + starts[:, None] + steps[None]
        added = rewards[tuple(np.moveaxis(tricks, 2, 0))]
        added = added - added[:, [0]]  # less what West's taking all comes to
        numbers: dict[bytes, int] = {}
        kinds = [numbers.setdefault(row.tobytes(), len(numbers)) for row in added]
        place = (r, *starts.T)
        ends.kinds[place] = kinds
        ends.low[place] = added.min(axis=1)
        ends.high[place] = added.max(axis=1)
    return ends


@lru_cache(maxsize=16)
def _counts(n: int) -> NDArray[np.int64]:
    """All tricks of N, E and S that add up to at most n, (k, 3); none first."""
    found = np.argwhere(np.indices((n + 1,) * 3).sum(axis=0) <= n)
    return found.astype(np.int64)


class Problem(NamedTuple):
    """``rewards``: points for N/S by the tricks of N, E and S. ``root``: tricks taken before, as in
    ``Progress``."""

    rewards: NDArray[np.int32]
    ends: Ends
    root: Int


@lean_kernel
def distinct(legal: Int, hand: Int, ranked: Int) -> Int:
    """The legal cards, the highest of touching ones: ``ranked`` are the cards that could part them,
    in all hands and on the table."""
    found = np.int64(0)
    left = legal
    while left:
        card = left & -left
        left ^= card
        suit = np.int64(SPADES_MASK) << (lowest(card) & 48)
        above = ranked & suit & ~((card << 1) - 1)
        if not (above & -above) & hand:
            found |= card
    return found


@inlined_kernel
def progress_in(frames: NDArray, d: Int) -> Progress:
    return Progress(
        frames[d, PLY], frames[d, TURN], frames[d, LED], frames[d, BEST],
        frames[d, WINNER], frames[d, MAY_LEAD], frames[d, TAKEN], 0,
    )  # fmt: skip


@inlined_kernel
def put_frame(frames: NDArray, d: Int, at: Progress, on_table: Int, alpha: Int, beta: Int) -> None:
    frames[d, PLY] = at.ply
    frames[d, TURN] = at.turn
    frames[d, LED] = at.led
    frames[d, BEST] = at.best
    frames[d, WINNER] = at.winner
    frames[d, MAY_LEAD] = at.may_lead
    frames[d, TAKEN] = at.taken
    frames[d, ON_TABLE] = on_table
    frames[d, ALPHA] = alpha
    frames[d, BETA] = beta


@inlined_kernel
def enter(
    memory: tuple[NDArray, ...], problem: tuple[NDArray, tuple[NDArray, ...], Int], d: Int
) -> tuple[bool, Int]:
    """Come to a position: whether its value is known for the window asked for, and that value."""
    table = memory[0]
    frames = memory[1]
    hands = memory[3]
    rewards, (kinds, low, high), root = problem
    at = progress_in(frames, d)
    frames[d, ENTRY] = EMPTY
    frames[d, FIRST] = 0
    held = hands[0] | hands[1] | hands[2] | hands[3]
    if at.ply & 3 == 0:
        left = HAND_SIZE - (at.ply >> 2)
        if left <= 1:
            while at.ply < N_CARDS:
                at = after_card(at, lowest(hands[at.turn]))
            return True, value_of(rewards, at.taken)
        since = at.taken - root
        n = since & 255
        e = (since >> 8) & 255
        s = (since >> 16) & 255
        base = value_of(rewards, at.taken)
        lower = base + low[left, n, e, s]
        upper = base + high[left, n, e, s]
        key_0, key_1 = key_of(hands, held, at.winner, at.may_lead, kinds[left, n, e, s])
        entry = place_of(key_0, key_1)
        if table[entry, 0] == key_0 and table[entry, 1] == key_1:
            lower = base + table[entry, LOWER]
            upper = base + table[entry, UPPER]
            move = table[entry, MOVE]
            if move >= 0:
                suit = np.int64(SPADES_MASK) << (move & 48)
                frames[d, FIRST] = nth_bit(held & suit, move & 15)
        if lower >= frames[d, BETA] or lower == upper:
            return True, lower
        if upper <= frames[d, ALPHA]:
            return True, upper
        frames[d, ENTRY] = entry
        frames[d, KEY_0] = key_0
        frames[d, KEY_1] = key_1
        frames[d, BASE] = base
        frames[d, LOW] = lower
        frames[d, HIGH] = upper
    hand = hands[at.turn]
    frames[d, LEFT] = distinct(legal_cards(hand, at), hand, held | frames[d, ON_TABLE])
    frames[d, VALUE] = FAR if at.turn & 1 else -FAR
    frames[d, CHOICE] = EMPTY
    return False, 0


@inlined_kernel
def key_of(hands: NDArray, held: Int, leader: Int, may_lead: Int, kind: Int) -> tuple[Int, Int]:
    """All that the points to come hang on, in two words."""
    lengths = np.int64(0)
    for suit in range(3):
        lengths |= popcount((held >> (16 * suit)) & SPADES_MASK) << (5 * suit)
    key_0 = gather_bits(hands[1] | hands[3], held) | lengths << 40
    key_0 |= leader << 55 | may_lead << 57
    return key_0, gather_bits(hands[2] | hands[3], held) | kind << 40


@inlined_kernel
def place_of(key_0: Int, key_1: Int) -> Int:
    mixed = np.uint64(key_0) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= (np.uint64(key_1) + (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(40)) & np.uint64(N_ENTRIES - 1))


@inlined_kernel
def choose(memory: tuple[NDArray, ...], d: Int) -> Int:
    """The next card to try, a code: the table's, else the one that cut off most."""
    frames = memory[1]
    history = memory[2]
    left = frames[d, LEFT]
    turn = frames[d, TURN]
    if frames[d, FIRST] & left:
        return lowest(frames[d, FIRST])
    best = -1
    found = 0
    while left:
        code = lowest(left)
        left &= left - 1
        if history[turn, code] > best:
            best = history[turn, code]
            found = code
    return found


@inlined_kernel
def leave(memory: tuple[NDArray, ...], d: Int) -> Int:
    """The value of a position whose cards are tried, which the table keeps."""
    table = memory[0]
    frames = memory[1]
    hands = memory[3]
    value = frames[d, VALUE]
    entry = frames[d, ENTRY]
    if entry >= 0:
        low = frames[d, LOW]
        high = frames[d, HIGH]
        if value < frames[d, BETA]:
            high = min(high, value)
        if value > frames[d, ALPHA]:
            low = max(low, value)
        table[entry, 0] = frames[d, KEY_0]
        table[entry, 1] = frames[d, KEY_1]
        table[entry, LOWER] = low - frames[d, BASE]
        table[entry, UPPER] = high - frames[d, BASE]
        code = frames[d, CHOICE]
        held = hands[0] | hands[1] | hands[2] | hands[3]
        in_suit = held & (np.int64(SPADES_MASK) << (code & 48))
        table[entry, MOVE] = (code & 48) | popcount(in_suit & ((np.int64(1) << code) - 1))
    return value


@lean_kernel
def value_in_window(
    memory: tuple[NDArray, ...],
    problem: tuple[NDArray, tuple[NDArray, ...], Int],
    start: tuple[Progress, Int],
    beta: Int,
) -> Int:
    """A bound on the value for N/S: at least ``beta``, and no more than the value; or less, and no
    less than it. ``start``: the progress and the cards on the table."""
    frames = memory[1]
    history = memory[2]
    hands = memory[3]
    put_frame(frames, 0, start[0], start[1], beta - 1, beta)
    d = 0
    is_known = False
    value = np.int64(0)
    is_known, value = enter(memory, problem, 0)
    while True:
        if not is_known:
            if frames[d, LEFT]:
                code = choose(memory, d)
                turn = frames[d, TURN]
                card = np.int64(1) << code
                frames[d, LEFT] &= ~card
                frames[d, CARD] = code
                hands[turn] ^= card
                at = after_card(progress_in(frames, d), code)
                on_table = frames[d, ON_TABLE] | card if at.ply & 3 else np.int64(0)
                put_frame(frames, d + 1, at, on_table, beta - 1, beta)
                d += 1
                is_known, value = enter(memory, problem, d)
                continue
            value = leave(memory, d)
        if d == 0:
            return value
        d -= 1
        code = frames[d, CARD]
        turn = frames[d, TURN]
        hands[turn] ^= np.int64(1) << code
        is_known = False
        if turn & 1:
            if value < frames[d, VALUE]:
                frames[d, VALUE] = value
                frames[d, CHOICE] = code
            is_cut = value < beta
        else:
            if value > frames[d, VALUE]:
                frames[d, VALUE] = value
                frames[d, CHOICE] = code
            is_cut = value >= beta
        if is_cut:
            frames[d, LEFT] = 0
            history[turn, code] += N_CARDS - frames[d, PLY]


@lean_kernel
def exact_value(
    memory: tuple[NDArray, ...],
    problem: tuple[NDArray, tuple[NDArray, ...], Int],
    start: tuple[Progress, Int],
    guess: Int,
) -> Int:
    """The value for N/S of a position, whose hands are in the memory, from a guess."""
    low: Int = -FAR
    high: Int = FAR
    while low < high:
        beta = max(guess, low + 1)
        guess = value_in_window(memory, problem, start, beta)
        if guess < beta:
            high = guess
        else:
            low = guess
    return guess


@kernel
def solve_cards(
    memory: tuple[NDArray, ...],
    problem: tuple[NDArray, tuple[NDArray, ...], Int],
    start: tuple[Progress, Int],
    deal: NDArray,
    guess: Int,
) -> Int:
    """The value for N/S of every legal card of the seat to play, by code into ``values`` of the
    memory; a guess for the next deal. ``deal`` int64 (4,): the cards held."""
    hands = memory[3]
    values = memory[4]
    for seat in range(N_SEATS):
        hands[seat] = deal[seat]
    at, on_table = start
    held = hands[0] | hands[1] | hands[2] | hands[3]
    hand = hands[at.turn]
    legal = legal_cards(hand, at)
    left = distinct(legal, hand, held | on_table)
    while left:
        card = left & -left
        left ^= card
        hands[at.turn] ^= card
        after = after_card(at, lowest(card))
        lies = on_table | card if after.ply & 3 else np.int64(0)
        guess = exact_value(memory, problem, (after, lies), guess)
        hands[at.turn] ^= card
        values[lowest(card)] = guess
    left = legal  # touching cards are worth the same: that of the highest, already there
    while left:
        code = lowest(left)
        left &= left - 1
        suit = np.int64(SPADES_MASK) << (code & 48)
        at_hand = code
        while True:
            above = (held | on_table) & suit & ~((np.int64(2) << at_hand) - 1)
            if not above or not (above & -above) & hand:
                break
            at_hand = lowest(above)
        values[code] = values[at_hand]
    return guess
