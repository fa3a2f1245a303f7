"""The chance to win the game at a score, and what the rest of a round is worth by it.

The chance follows from how rounds end, which are drawn from games of strong agents and scored by
the rules asked for: V of the side that deals next solves

    V(dealing, other) = E[1 - V(other after the round, dealing after the round)]

with 1 or 0 where the game is over. Rounds are taken as independent of the score. How well chances
made so agree with games played, where agents bid and play by the score, is measured on other games
(``data/tables/winning.json``; ``python -m experiments.measure_winning``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spades.core.arrays import read_arrays
from spades.core.cards import HAND_SIZE, N_SEATS
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lean_sum_kernel
from spades.core.kernel_cache import cache_root
from spades.core.observation import Observation
from spades.core.paths import DATA, replacing, stored_table
from spades.core.rules import NO_BID, RuleNumbers, Rules
from spades.core.scoring import (
    N_COUNTS,
    POINTS_PER_TRICK,
    GameScore,
    RoundScore,
    add_round,
    evaluation_table,
    partnership_score,
    winner,
)

OUTCOMES = DATA / "tables" / "round_outcomes.npz"
COMMAND = "python -m experiments.measure_winning"
VERSION = 1
STEP = 10  # points between two rows of a table
LOWEST = -400  # points; a lower score counts as this one
PAST_TARGET = 300  # points; a score this far past the target counts as the last row
MOST_TARGET = 1000  # points
MOST_BAGS = 20  # of a bag limit
N_OUTCOMES = 400  # ways a round ends that stand for all that were seen
_TOLERANCE = 2e-3  # of a chance, between two sweeps
_MOST_SWEEPS = 40
_MOST_POINTS = 1000  # of a value, which a search adds up in 32 bits
_WAYS = np.array(
    [
        (*three, HAND_SIZE - sum(three))
        for three in np.ndindex((N_COUNTS,) * 3)
        if sum(three) <= HAND_SIZE
    ]
)  # that the tricks can fall, by seat


class UnknownChanceError(SpadesError):
    """A position whose chance to win can't be said."""


@dataclass(frozen=True)
class RoundEndings:
    """How n rounds of strong agents ended, seats from the dealer on: ``bids`` int8 (n, 4), 0 nil;
    ``blind`` bool (n, 4), nils bid blind; ``tricks`` int8 (n, 4)."""

    bids: NDArray[np.int8]
    blind: NDArray[np.bool_]
    tricks: NDArray[np.int8]

    @classmethod
    @lru_cache(maxsize=1)
    def shipped(cls) -> RoundEndings:
        with stored_table(OUTCOMES, COMMAND, UnknownChanceError):
            file = read_arrays(OUTCOMES)
            if int(file["version"]) != VERSION:
                raise ValueError(f"version {file['version']} instead of {VERSION}")
            return cls(file["bids"], file["blind"], file["tricks"])

    def scored(self, rules: Rules) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """At most about ``N_OUTCOMES`` ways that rounds end by these rules and how likely each is.

        The ways int64 (k, 4): steps of points without those of bags, and bags, of the dealer's
        side, then of the other. Drawn in equal steps from all, ordered."""
        by_side = np.zeros((len(self.bids), 2, 2), dtype=np.int64)
        _score_each(self.bids, self.blind, self.tricks, rules.numbers, by_side)
        points = by_side[:, :, 0]
        bags = by_side[:, :, 1]
        if not rules.bag_limit:
            bags[:] = 0
        points[:] = np.round((points - bags) / STEP)
        ways, counts = np.unique(by_side.reshape(-1, 4), axis=0, return_counts=True)
        marks = (np.arange(N_OUTCOMES) + 0.5) / N_OUTCOMES * counts.sum()
        drawn = ways[np.searchsorted(np.cumsum(counts), marks)]
        kept, times = np.unique(drawn, axis=0, return_counts=True)
        return kept, times / N_OUTCOMES


@kernel
def _score_each(
    bids: NDArray, blind: NDArray, tricks: NDArray, rules: RuleNumbers, out: NDArray
) -> None:
    """Points and bags by side into ``out`` int64 (n, 2, 2)."""
    for i in range(len(bids)):
        for side in range(2):
            points, bags = partnership_score(side, bids[i], blind[i], tricks[i], rules)
            out[i, side, 0] = points
            out[i, side, 1] = bags


@dataclass(frozen=True)
class WinningChances:
    """Chances of the side that deals next, by its standing and the other's.

    ``values`` float32 (s, s), s = rows x ``n_bags``: a standing is a row of ``STEP`` points (those
    of bags not counted) from ``LOWEST`` on, and a count of bags."""

    rules: Rules
    values: NDArray[np.float32]
    n_bags: int

    def chance(self, score: GameScore, dealer: int) -> float:
        """That N/S win the game before a round that ``dealer`` deals; 1 or 0 where it is over."""
        winning_side = winner(self.rules, score.score)
        if winning_side is not None:
            return float(winning_side == 0)
        dealing = dealer % 2
        other = 1 - dealing
        dealing_places = self._places(score.score[dealing], score.bags[dealing])
        other_places = self._places(score.score[other], score.bags[other])
        chance = sum(
            dealing_weight * other_weight * float(self.values[a, b])
            for a, dealing_weight in dealing_places
            for b, other_weight in other_places
        )
        return 1 - chance if dealing else chance

    def _places(self, score: int, bags: int) -> tuple[tuple[int, float], ...]:
        """The two standings that a score lies between, and how near it is to each."""
        bags = bags % self.n_bags
        last = len(self.values) // self.n_bags - 1
        steps = min(max((score - bags - LOWEST) / STEP, 0.0), float(last))
        row = min(int(steps), last - 1)
        share_of_next = steps - row
        place = row * self.n_bags + bags
        return ((place, 1 - share_of_next), (place + self.n_bags, share_of_next))


@lru_cache(maxsize=8)
def winning_chances(rules: Rules) -> WinningChances:
    """The chances by some rules: some seconds at the first call ever, then from the cache folder.

    Raises ``UnknownChanceError`` for a target or a bag limit that is out of range."""
    in_range = 1 <= rules.target <= MOST_TARGET and rules.bag_limit <= MOST_BAGS
    if not in_range:
        raise UnknownChanceError(
            f"the target is {rules.target} and the bag limit {rules.bag_limit}; chances to win are "
            f"known for targets of 1 to {MOST_TARGET} and bag limits to {MOST_BAGS}"
        )
    return chances_of(rules, RoundEndings.shipped())


def chances_of(rules: Rules, endings: RoundEndings) -> WinningChances:
    """The chances that follow from how rounds ended; ``rules`` as ``winning_chances`` takes
    them."""
    ways, weights = endings.scored(rules)
    n_bags = rules.bag_limit or 1
    key = hashlib.sha256(repr((VERSION, rules)).encode() + ways.tobytes())
    path = cache_root() / "chances" / f"{key.hexdigest()[:16]}.npy"
    size = (rules.target + PAST_TARGET - LOWEST) // STEP * n_bags
    with suppress(OSError, ValueError, EOFError, MemoryError):
        values = np.load(path, allow_pickle=False)
        if values.shape == (size, size) and values.dtype == np.float32:
            return WinningChances(rules, values, n_bags)
    values = _solve(rules, ways, weights.astype(np.float32), size // n_bags)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new, new.open("wb") as file:
            np.save(file, values)
    return WinningChances(rules, values, n_bags)


def _solve(
    rules: Rules, ways: NDArray[np.int64], weights: NDArray[np.float32], n_rows: int
) -> NDArray[np.float32]:
    """Sweeps until no chance changes by more than the tolerance; from who is ahead now."""
    n_bags = rules.bag_limit or 1
    rows = LOWEST + STEP * np.arange(n_rows)
    standings = (rows[:, None] + np.arange(n_bags)).ravel()
    ours, theirs = np.meshgrid(standings, standings, indexing="ij")
    values = (np.sign(ours - theirs) / 2 + 0.5).astype(np.float32)
    floor = rules.losing_floor if rules.losing_floor is not None else standings[0] - 1
    is_at_target = np.maximum(ours, theirs) >= rules.target
    is_at_floor = np.minimum(ours, theirs) <= floor
    is_over = (is_at_target | is_at_floor) & (ours != theirs)
    shape = (n_rows, n_bags, n_rows, n_bags)
    by_bags = values.reshape(shape)
    over_by_bags = is_over.reshape(shape)
    penalty = round((rules.bag_penalty + rules.bag_limit) / STEP)
    sums = np.zeros((n_bags, n_bags), dtype=np.float32)
    for _ in range(_MOST_SWEEPS):
        change = _sweep(by_bags, over_by_bags, ways, weights, penalty, sums)
        if change < _TOLERANCE:
            break
    return values


@lean_sum_kernel
def _sweep(
    values: NDArray, over: NDArray, ways: NDArray, weights: NDArray, penalty: Int, sums: NDArray
) -> float:
    """Make every chance anew from those after the round, high scores first; the largest change."""
    n_rows = values.shape[0]
    n_bags = values.shape[1]
    largest = 0.0
    for total in range(2 * n_rows - 2, -1, -1):
        for i in range(max(0, total - n_rows + 1), min(n_rows - 1, total) + 1):
            j = total - i
            if over[i, 0, j, 0] and over[i, n_bags - 1, j, 0] and over[i, 0, j, n_bags - 1]:
                continue
            sums[:, :] = 0
            for k in range(len(weights)):
                _add_way(values, ways[k], weights[k], (i, j, penalty), sums)
            for x in range(n_bags):
                for y in range(n_bags):
                    if not over[i, x, j, y]:
                        found = np.float32(1) - sums[y, x]
                        largest = max(largest, float(abs(found - values[i, x, j, y])))
                        values[i, x, j, y] = found
    return largest


@lean_sum_kernel
def _add_way(
    values: NDArray, way: NDArray, weight: np.float32, at: tuple[Int, Int, Int], sums: NDArray
) -> None:
    """Add what one way leads to from the standings of two rows, by bags of the other side and of
    the dealing one: the other deals next."""
    n_rows = values.shape[0]
    n_bags = values.shape[1]
    i, j, penalty = at
    i += way[0] - penalty * (way[1] // n_bags)
    j += way[2] - penalty * (way[3] // n_bags)
    dx = way[1] % n_bags
    dy = way[3] % n_bags
    row = min(max(i, 0), n_rows - 1)
    wrapped = min(max(i - penalty, 0), n_rows - 1)
    for y in range(n_bags):
        is_over = y + dy >= n_bags
        their_row = min(max(j - penalty if is_over else j, 0), n_rows - 1)
        their_bags = y + dy - n_bags if is_over else y + dy
        for x in range(n_bags - dx):
            sums[y, x] += weight * values[their_row, their_bags, row, x + dx]
        for x in range(n_bags - dx, n_bags):
            sums[y, x] += weight * values[their_row, their_bags, wrapped, x + dx - n_bags]


@dataclass(frozen=True)
class GameStakes:
    """What a round can do to the game, for N/S.

    ``table`` int32 (14, 14, 14) by the tricks of N, E and S, as ``evaluation_table``, in *match
    points*: the change of the chance to win times ``scale``, which makes these values spread as
    widely as the points of the round do. ``before``: the chance before the round."""

    table: NDArray[np.int32]
    before: float
    scale: float

    def chance(self, value: float, *, side: int = 0) -> float:
        """The chance of a partnership to win at a mean value of its own, match points."""
        before = 1 - self.before if side else self.before
        if not self.scale:
            return before
        return min(max(before + value / self.scale, 0.0), 1.0)


def game_stakes(observation: Observation) -> GameStakes:
    """Of the round under way, whose bids are known or which bids itself.

    Where ten bags cost the penalty and their count isn't known, it is the last digit of the score:
    all else is a multiple of ten. Raises ``UnknownChanceError`` where the score isn't known and by
    rules without a table."""
    table = observation.table
    score = observation.score_before
    bags = observation.bags_before
    if bags is None and score is not None and table.rules.bag_limit == STEP:
        bags = (score[0] % STEP, score[1] % STEP)
    if score is None or bags is None:
        raise UnknownChanceError(
            "the score before the round is not known, so the chance to win the game isn't either | "
            f"{observation.text()}"
        )
    before = GameScore(score, bags)
    return _stakes(table.rules, tuple(table.bids), tuple(table.blind), before, table.dealer)


@lru_cache(maxsize=256)
def _stakes(
    rules: Rules, bids: tuple[int, ...], blind: tuple[bool, ...], before: GameScore, dealer: int
) -> GameStakes:
    chances = winning_chances(rules)
    next_dealer = (dealer + 1) % N_SEATS
    now = chances.chance(before, dealer)
    scored = _scored_ways(rules, bids, blind)
    scores, score_of_way = np.unique(scored.reshape(-1, 4), axis=0, return_inverse=True)
    after = []
    for our_points, our_bags, their_points, their_bags in scores.tolist():
        scored_round = RoundScore((our_points, their_points), (our_bags, their_bags))
        after.append(chances.chance(add_round(rules, before, scored_round), next_dealer))
    places = tuple(_WAYS.T[:3])
    changes = np.zeros((N_COUNTS,) * 3)
    changes[places] = np.array(after)[score_of_way.ravel()] - now
    weights = _weights(bids)
    points_spread = _spread(evaluation_table(rules, bids, blind)[places], weights)
    changes_spread = _spread(changes[places], weights)
    scale = points_spread / changes_spread if changes_spread > 1e-9 else 0.0
    table = np.clip(np.round(scale * changes), -_MOST_POINTS, _MOST_POINTS).astype(np.int32)
    table.setflags(write=False)
    return GameStakes(table, now, scale)


def _scored_ways(rules: Rules, bids: tuple[int, ...], blind: tuple[bool, ...]) -> NDArray[np.int64]:
    """Points and bags of both partnerships, (k, 2, 2), after each of ``_WAYS``."""
    scored = np.zeros((len(_WAYS), 2, 2), dtype=np.int64)
    if min(bids) == NO_BID:
        scored[:, :, 0] = POINTS_PER_TRICK * (_WAYS[:, :2] + _WAYS[:, 2:])
        return scored
    shape = (len(_WAYS), N_SEATS)
    same_bids = np.broadcast_to(bids, shape)
    same_blind = np.broadcast_to(blind, shape)
    _score_each(same_bids, same_blind, _WAYS, rules.numbers, scored)
    return scored


def _weights(bids: Sequence[int]) -> NDArray[np.float64]:
    """How likely each of ``_WAYS`` is if every trick fell to a seat by its bid's share."""
    shares = np.maximum(np.array(bids, dtype=float), 0.5)
    log_shares = np.log(shares / shares.sum())
    log_factorials = np.zeros(N_COUNTS)
    log_factorials[1:] = np.cumsum(np.log(np.arange(1, N_COUNTS)))
    log_weights = _WAYS @ log_shares + log_factorials[HAND_SIZE]
    return np.exp(log_weights - log_factorials[_WAYS].sum(axis=1))


def _spread(values: NDArray, weights: NDArray[np.float64]) -> float:
    """The standard deviation."""
    mean = np.average(values, weights=weights)
    variance = np.average((values - mean) ** 2, weights=weights)
    return float(np.sqrt(variance))
