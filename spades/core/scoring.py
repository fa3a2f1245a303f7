"""Contracts, nils and bags to points.

Source: Whitehouse et al. 2013, section "Spades". With contract c and t tricks of a partnership:
t >= c scores 10 c + (t - c), each overtrick a bag; t < c scores -10 c. A nil adds +-100, a blind
nil +-200. Every ten bags of the game cost 100 points and are taken off the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE
from spades.core.kernel import Int, kernel
from spades.core.rules import NIL_BID, NO_BID, Rules

TEN_FOR_200 = 200
POINTS_PER_TRICK = 10
N_COUNTS = HAND_SIZE + 1


@dataclass(frozen=True)
class RoundScore:
    """Points and bags of a round by partnership (N/S, E/W), before any bag penalty."""

    points: tuple[int, int]
    bags: tuple[int, int]


@dataclass(frozen=True)
class GameScore:
    """Score and bag count of a game by partnership, and the penalty points just taken off."""

    score: tuple[int, int]
    bags: tuple[int, int]
    penalties: tuple[int, int] = (0, 0)


def scoring_options(rules: Rules) -> tuple[int, int, int, int, int, int]:
    """What ``partnership_score`` takes: has nil, its worth, blind, to bags, failed, ten."""
    return (
        int(rules.nil is not None),
        rules.nil or 0,
        rules.blind_nil or 0,
        int(rules.failed_nil_tricks == "bags"),
        rules.failed_contract,
        int(rules.ten_for_200),
    )


@kernel
def partnership_score(
    seat: Int, bids: NDArray, blind: NDArray, tricks: NDArray, options: tuple
) -> tuple[Int, Int]:
    """Points and bags of a seat's partnership, from what each seat (4,) bid and took."""
    has_nil, nil, blind_nil, to_bags, failed, ten_for_200 = options
    points, counting, stray, contract = 0, 0, 0, 0
    for member in (seat, (seat + 2) & 3):
        bid, taken = int(bids[member]), int(tricks[member])
        is_nil = has_nil and bid == NIL_BID
        if is_nil:
            worth = blind_nil if blind[member] else nil
            points += worth if taken == 0 else -worth
        if is_nil and to_bags:
            stray += taken
        else:
            counting += taken
        contract += bid
    big = ten_for_200 and contract >= 10
    if counting >= contract:
        points += TEN_FOR_200 if big else POINTS_PER_TRICK * contract
        stray += counting - contract
    else:
        points -= TEN_FOR_200 if big else failed * contract
    return points + stray, stray


def score_round(
    rules: Rules, bids: Sequence[int], blind: Sequence[bool], tricks: Sequence[int]
) -> RoundScore | None:
    """Score a finished round from what each seat bid and took; None if bids are unknown."""
    if min(bids) == NO_BID:
        if not (rules.first_hand_bids_itself and max(bids) == NO_BID):
            return None
        ours, theirs = tricks[0] + tricks[2], tricks[1] + tricks[3]
        return RoundScore((POINTS_PER_TRICK * ours, POINTS_PER_TRICK * theirs), (0, 0))
    score, options = partnership_score.py_func, scoring_options(rules)
    ours, theirs = (score(side, bids, blind, tricks, options) for side in (0, 1))
    return RoundScore((ours[0], theirs[0]), (ours[1], theirs[1]))


def add_round(rules: Rules, before: GameScore, scored: RoundScore) -> GameScore:
    """The game's score after a round, bag penalties taken."""
    score, bags, penalties = [], [], []
    for p in (0, 1):
        count = before.bags[p] + scored.bags[p]
        times = count // rules.bag_limit if rules.bag_limit else 0
        penalties.append(times * rules.bag_penalty)
        score.append(before.score[p] + scored.points[p] - penalties[p])
        bags.append(count - times * rules.bag_limit)
    return GameScore((score[0], score[1]), (bags[0], bags[1]), (penalties[0], penalties[1]))


def winner(rules: Rules, score: Sequence[int]) -> int | None:
    """Partnership that has won the game at this score, None while it goes on (a tie plays on)."""
    reached = max(score) >= rules.target
    fallen = rules.losing_floor is not None and min(score) <= rules.losing_floor
    if not (reached or fallen) or score[0] == score[1]:
        return None
    return 0 if score[0] > score[1] else 1


@lru_cache(maxsize=256)
def evaluation_table(
    rules: Rules, bids: tuple[int, ...], blind: tuple[bool, ...]
) -> NDArray[np.int32]:
    """Value of every way the tricks can fall, for N/S, in points: the reward of a search.

    Shape (14, 14, 14), by the tricks of N, E and S (W has the rest; 0 where they pass 13):
    (s_ns - 10 b_ns) - (s_ew - 10 b_ew), s points and b bags of the round (Whitehouse 2013,
    equation 1, times c). 10 is the bag cost of these rules, ``Rules.bag_cost``.
    """
    table = np.zeros((N_COUNTS, N_COUNTS, N_COUNTS), dtype=np.int32)
    if min(bids) == NO_BID:
        for n, e, s in np.ndindex(table.shape):
            if n + e + s <= HAND_SIZE:
                table[n, e, s] = POINTS_PER_TRICK * (2 * (n + s) - HAND_SIZE)
    else:
        fill_evaluations(
            np.array(bids), np.array(blind), scoring_options(rules), rules.bag_cost, table
        )
    table.setflags(write=False)
    return table


@kernel
def fill_evaluations(
    bids: NDArray[np.int64],
    blind: NDArray[np.bool_],
    options: tuple,
    bag_cost: int,
    table: NDArray[np.int32],
) -> None:
    for n in range(HAND_SIZE + 1):
        for e in range(HAND_SIZE + 1 - n):
            for s in range(HAND_SIZE + 1 - n - e):
                tricks = (n, e, s, HAND_SIZE - n - e - s)
                ours, our_bags = partnership_score(0, bids, blind, tricks, options)
                theirs, their_bags = partnership_score(1, bids, blind, tricks, options)
                table[n, e, s] = ours - bag_cost * our_bags - theirs + bag_cost * their_bags
