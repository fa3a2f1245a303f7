"""Contracts, nils and bags to points.

Source: Whitehouse et al. 2013, section "Spades". With contract c and t tricks of a partnership:
t >= c scores 10 c + (t - c), each overtrick a bag; t < c scores -10 c. A nil adds +-100, a blind
nil +-200. Every ten bags of the game cost 100 points and are taken off the count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, Pair
from spades.core.kernel import Int, kernel
from spades.core.rules import NIL_BID, NO_BID, RuleNumbers, Rules

TEN_FOR_200 = 200
POINTS_PER_TRICK = 10
N_COUNTS = HAND_SIZE + 1
UNDECIDED = -1


@dataclass(frozen=True)
class RoundScore:
    """Points and bags of a round by partnership (N/S, E/W), before any bag penalty."""

    points: Pair
    bags: Pair


@dataclass(frozen=True)
class GameScore:
    """Score and bag count of a game by partnership, and the penalty points just taken off."""

    score: Pair
    bags: Pair
    penalties: Pair = (0, 0)


@kernel
def partnership_score(
    seat: Int, bids: NDArray, blind: NDArray, tricks: NDArray, rules: RuleNumbers
) -> tuple[Int, Int]:
    """Points and bags of a seat's partnership, from what each seat (4,) bid and took."""
    points = 0
    counting = 0  # tricks that count for the contract
    stray = 0  # tricks that are bags
    contract = 0
    for member in (seat, (seat + 2) & 3):
        bid = int(bids[member])
        taken = int(tricks[member])
        is_nil = rules.has_nil and bid == NIL_BID
        if is_nil:
            worth = rules.blind_nil if blind[member] else rules.nil
            points += worth if taken == 0 else -worth
        if is_nil and rules.nil_to_bags:
            stray += taken
        else:
            counting += taken
        contract += bid
    big = rules.ten_for_200 and contract >= 10
    if counting >= contract:
        points += TEN_FOR_200 if big else POINTS_PER_TRICK * contract
        stray += counting - contract
    else:
        points -= TEN_FOR_200 if big else rules.failed_contract * contract
    return points + stray, stray


@kernel
def bag_penalty(bags: Int, rules: RuleNumbers) -> tuple[Int, Int]:
    """Points that a game's count of bags costs, and the bags left in the count."""
    times = bags // rules.bag_limit if rules.bag_limit else 0
    return times * rules.bag_penalty, bags - times * rules.bag_limit


@kernel
def winner_of(score: NDArray, rules: RuleNumbers) -> Int:
    """The partnership that has won the game at a score (2,), ``UNDECIDED`` while it goes on."""
    is_over = max(score[0], score[1]) >= rules.target or min(score[0], score[1]) <= rules.floor
    if not is_over or score[0] == score[1]:
        return UNDECIDED
    return 0 if score[0] > score[1] else 1


def score_round(
    rules: Rules, bids: Sequence[int], blind: Sequence[bool], tricks: Sequence[int]
) -> RoundScore | None:
    """Score a finished round from what each seat bid and took; None if bids are unknown."""
    if min(bids) == NO_BID:
        if not (rules.first_hand_bids_itself and max(bids) == NO_BID):
            return None
        north, east, south, west = tricks
        points = (POINTS_PER_TRICK * (north + south), POINTS_PER_TRICK * (east + west))
        return RoundScore(points, bags=(0, 0))
    score = partnership_score.py_func
    our_points, our_bags = score(0, bids, blind, tricks, rules.numbers)
    their_points, their_bags = score(1, bids, blind, tricks, rules.numbers)
    return RoundScore((our_points, their_points), (our_bags, their_bags))


def add_round(rules: Rules, before: GameScore, scored: RoundScore) -> GameScore:
    """The game's score after a round, bag penalties taken."""
    scores: list[int] = []
    bags: list[int] = []
    penalties: list[int] = []
    for p in (0, 1):
        count = before.bags[p] + scored.bags[p]
        penalty, bags_left = bag_penalty.py_func(count, rules.numbers)
        scores.append(before.score[p] + scored.points[p] - penalty)
        bags.append(bags_left)
        penalties.append(penalty)
    return GameScore(_pair(scores), _pair(bags), _pair(penalties))


def _pair(values: Sequence[int]) -> Pair:
    ours, theirs = values
    return ours, theirs


def winner(rules: Rules, score: Sequence[int]) -> int | None:
    """Partnership that has won the game at this score, None while it goes on (a tie plays on)."""
    side = winner_of.py_func(score, rules.numbers)
    return None if side == UNDECIDED else side


@lru_cache(maxsize=256)
def evaluation_table(
    rules: Rules, bids: tuple[int, ...], blind: tuple[bool, ...]
) -> NDArray[np.int32]:
    """Value of every way the tricks can fall, for N/S, in points: the reward of a search.

    Shape (14, 14, 14), by the tricks of N, E and S (W has the rest; 0 where they pass 13):
    (s_ns - 10 b_ns) - (s_ew - 10 b_ew), s points and b bags of the round (Whitehouse 2013,
    equation 1, times c). 10 is the bag cost of these rules, ``Rules.bag_cost``."""
    table = np.zeros((N_COUNTS, N_COUNTS, N_COUNTS), dtype=np.int32)
    if min(bids) == NO_BID:
        north, east, south = np.indices(table.shape)
        worth = POINTS_PER_TRICK * (2 * (north + south) - HAND_SIZE)
        table[:] = np.where(north + east + south <= HAND_SIZE, worth, 0)
    else:
        fill_evaluations(np.array(bids), np.array(blind), rules.numbers, table)
    table.setflags(write=False)
    return table


@kernel
def fill_evaluations(bids: NDArray, blind: NDArray, rules: RuleNumbers, table: NDArray) -> None:
    for n in range(HAND_SIZE + 1):
        for e in range(HAND_SIZE + 1 - n):
            for s in range(HAND_SIZE + 1 - n - e):
                tricks = (n, e, s, HAND_SIZE - n - e - s)
                ours, our_bags = partnership_score(0, bids, blind, tricks, rules)
                theirs, their_bags = partnership_score(1, bids, blind, tricks, rules)
                table[n, e, s] = ours - theirs - rules.bag_cost * (our_bags - their_bags)
