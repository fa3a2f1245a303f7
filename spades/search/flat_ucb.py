"""Flat-UCB: one level of UCB over the legal cards, seeded or not with what is known beforehand.

Source: Dobre and Lascarides 2015, sections IV-A, IV-B and IV-D; spec 2. Each iteration draws a
deal that agrees with the observation, plays the card with the highest X_j + C sqrt(2 ln n / n_j),
and finishes the round with every seat playing by rules of thumb, at random with epsilon, each
seeing its own hand only (``spades.search.rule_playouts``). Rewards are those of the ISMCTS:
points / c + 1/2 for the mover's partnership. The card played has the highest X_j.

A seed is a value in place of playouts: a card that has one starts with X_j = Q and n_j = 10. Those
10 count like 10 playouts, in X_j, in n_j and in n. Cards without a seed, and only those, are tried
once before any bound is looked at. In the paper C is 1, epsilon 0.2 and there are 1,000 playouts.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief import Determinizer, UniformDeals
from spades.core.cards import partnership_of
from spades.core.kernel import Int, kernel, seed_state
from spades.core.observation import Observation
from spades.search.heuristic import BEST_SCORE
from spades.search.rule_playouts import (
    EPSILON,
    RulePlayout,
    card_scores,
    play_card_by_rules,
    rule_playout,
)
from spades.search.search import CHUNK, InvalidSearchError, SearchSettings, check_decision
from spades.search.tree import MAX_ITERATIONS, progress_at, round_values, start_position, value_of

STANDARD_PLAYOUTS = 1000
SEED_VISITS = 10
N_HEURISTIC_SEEDS = 5
MAX_SEED_VISITS = 1_000_000
_DEAL_STREAM, _PLAYOUT_STREAM = 8, 9


@dataclass(frozen=True)
class FlatUcbSettings:
    """``exploration``: C. ``epsilon``: share of random cards in a playout. ``seed_visits``: how
    many playouts a seed stands for. ``reward_scale``: points that make up 1 of reward."""

    exploration: float = 1.0
    epsilon: float = EPSILON
    seed_visits: int = SEED_VISITS
    reward_scale: float = SearchSettings.reward_scale

    def __post_init__(self) -> None:
        if not 0 <= self.exploration < 1e6:
            raise InvalidSearchError(f"exploration is {self.exploration}, at least 0 is legal")
        if not 0 <= self.epsilon <= 1:
            raise InvalidSearchError(f"epsilon is {self.epsilon}; 0 to 1 are legal")
        if not 1 <= self.seed_visits <= MAX_SEED_VISITS:
            raise InvalidSearchError(
                f"seed_visits is {self.seed_visits}; 1 to {MAX_SEED_VISITS:,} are legal"
            )
        if not 1 <= self.reward_scale < 1e6:
            raise InvalidSearchError(f"reward_scale is {self.reward_scale}, at least 1 is legal")


class Seeds(NamedTuple):
    """Values known beforehand, of every legal card, lowest code first.

    ``values`` float64 (k,): Q, nan for a card without a seed; ``n_pairs`` int64 (k,): of how many
    pairs of a corpus each is the mean, 0 where it comes from elsewhere.
    """

    values: NDArray[np.float64]
    n_pairs: NDArray[np.int64]


@dataclass(frozen=True)
class FlatStatistics:
    """What a search found about one legal card (a code).

    ``visits``: its playouts, the seed's not among them. ``mean_value`` of them in points for the
    mover's partnership and ``standard_error`` of that, nan without playouts. ``seed_value``: Q, nan
    without a seed, the mean over ``n_pairs`` pairs. ``value``: X_j, by which the card is chosen,
    seed included, as a reward; nan where nothing is known.
    """

    card: int
    visits: int
    mean_value: float
    standard_error: float
    seed_value: float
    n_pairs: int
    value: float


@dataclass(frozen=True)
class FlatUcbResult:
    """A row for every legal card, lowest code first."""

    cards: tuple[FlatStatistics, ...]
    iterations: int
    seed: int
    seconds: float
    settings: FlatUcbSettings

    @property
    def best(self) -> FlatStatistics:
        """The card played: the highest X_j, the lowest code among equals."""
        known = [row for row in self.cards if not math.isnan(row.value)] or list(self.cards)
        return max(known, key=lambda row: (row.value, -row.card))


class Arms(NamedTuple):
    """The legal cards (k,): ``cards`` codes, ``seeded`` visits that a seed stands for and
    ``seed_sums`` its summed reward, float64; ``visits``, ``sums`` and ``squares`` of playouts,
    points, int64."""

    cards: NDArray[np.int64]
    seeded: NDArray[np.int64]
    seed_sums: NDArray[np.float64]
    visits: NDArray[np.int64]
    sums: NDArray[np.int64]
    squares: NDArray[np.int64]


def flat_ucb(
    observation: Observation,
    *,
    iterations: int = STANDARD_PLAYOUTS,
    seed: int = 0,
    settings: FlatUcbSettings | None = None,
    seeds: Seeds | None = None,
    determinizer: Determinizer | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> FlatUcbResult:
    """Search a decision by playouts of its legal cards.

    ``is_cancelled`` is asked every 4,096 iterations. Raises
    ``InvalidSearchError`` when another seat is to play, when bids are
    unknown, for seeds of other cards than the legal ones, or for iterations out of range.
    """
    started, settings = time.perf_counter(), settings or FlatUcbSettings()
    if not 0 <= iterations <= MAX_ITERATIONS:
        raise InvalidSearchError(
            f"{iterations} iterations asked for; 0 to {MAX_ITERATIONS} are possible"
        )
    arms = start_arms(np.array(check_decision(observation), dtype=np.int64), seeds, settings)
    rewards, deals = round_values(observation), determinizer or UniformDeals(observation)
    known = (start_position(observation), rule_playout(observation, settings.epsilon))
    numbers = (
        1 - 2 * partnership_of(observation.seat),
        settings.reward_scale,
        settings.exploration,
    )
    deal_state, state = seed_state(seed, _DEAL_STREAM), seed_state(seed, _PLAYOUT_STREAM)
    done = 0
    while done < iterations and not is_cancelled():
        chunk, deal_state = deals.sample(min(CHUNK, iterations - done), deal_state)
        state = np.uint64(run_flat_ucb(arms, chunk, known, rewards, numbers, state))
        done += len(chunk)
    rows = tuple(_statistics(arms, i, seeds, settings) for i in range(len(arms.cards)))
    return FlatUcbResult(rows, done, seed, time.perf_counter() - started, settings)


def start_arms(cards: NDArray[np.int64], seeds: Seeds | None, settings: FlatUcbSettings) -> Arms:
    """The arms before the first playout."""
    k = len(cards)
    values = np.full(k, math.nan) if seeds is None else np.asarray(seeds.values, dtype=float)
    if values.shape != (k,) or np.isinf(values).any():
        raise InvalidSearchError(f"{k} cards are legal; seeds are {values}, a number or nan each")
    seeded = np.where(np.isnan(values), 0, settings.seed_visits).astype(np.int64)
    sums, squares, visits = (np.zeros(k, dtype=np.int64) for _ in range(3))
    return Arms(cards, seeded, seeded * np.nan_to_num(values), visits, sums, squares)


def heuristic_seeds(observation: Observation, n_best: int = N_HEURISTIC_SEEDS) -> Seeds:
    """Seeds from the rules of thumb: the best five cards, each with its score from 0 to 1.

    Among equal scores the lower code comes first. The paper says that the five best of the
    heuristic agent's own estimates are seeded "in the same manner", and not on which scale.
    """
    scores = np.array(list(card_scores(observation).values()), dtype=float)
    values = np.full(len(scores), math.nan)
    best = np.argsort(-scores, kind="stable")[:n_best]
    values[best] = scores[best] / BEST_SCORE
    return Seeds(values, np.zeros(len(scores), dtype=np.int64))


def _statistics(
    arms: Arms, i: int, seeds: Seeds | None, settings: FlatUcbSettings
) -> FlatStatistics:
    visits, total = int(arms.visits[i]), int(arms.sums[i])
    mean = total / visits if visits else math.nan
    spread = max(0.0, int(arms.squares[i]) / visits - mean * mean) if visits else math.nan
    return FlatStatistics(
        card=int(arms.cards[i]),
        visits=visits,
        mean_value=mean,
        standard_error=math.sqrt(spread / (visits - 1)) if visits > 1 else math.nan,
        seed_value=math.nan if seeds is None else float(seeds.values[i]),
        n_pairs=0 if seeds is None else int(seeds.n_pairs[i]),
        value=float(arm_value(arms, i, settings.reward_scale)),
    )


@kernel
def arm_value(arms: Arms, i: Int, scale: float) -> float:
    """X_j: mean reward of playouts and seed together, nan where there is neither."""
    n = arms.visits[i] + arms.seeded[i]
    if n == 0:
        return np.nan
    return float((arms.seed_sums[i] + arms.sums[i] / scale + 0.5 * arms.visits[i]) / n)


@kernel
def choose_arm(arms: Arms, n: Int, scale: float, exploration: float) -> Int:
    """The arm to play out after n tries, seeds' included: one never tried, else the best bound."""
    found, highest_bound = 0, -np.inf
    for i in range(len(arms.cards)):
        n_i = arms.visits[i] + arms.seeded[i]
        if n_i == 0:
            return i
        bound = arm_value(arms, i, scale) + exploration * math.sqrt(2.0 * math.log(n) / n_i)
        if bound > highest_bound:
            found, highest_bound = i, bound
    return found


@kernel
def run_flat_ucb(
    arms: Arms,
    deals: NDArray,
    known: tuple[NDArray, RulePlayout],
    rewards: NDArray,
    numbers: tuple[Int, float, float],
    state: np.uint64,
) -> np.uint64:
    """One iteration for each of ``deals`` int64 (n, 4), which are used up; the random state.

    ``known``: the start position and the playout. ``numbers``: 1 for N/S to play and -1 for E/W,
    reward scale, C.
    """
    at, rules = progress_at(known[0]), known[1]
    sign, scale, exploration = numbers
    n = arms.visits.sum() + arms.seeded.sum()
    for hands in deals:
        i = choose_arm(arms, n, scale, exploration)
        taken, state = play_card_by_rules(arms.cards[i], hands, at, rules, state)
        value = sign * value_of(rewards, taken)
        arms.visits[i] += 1
        arms.sums[i] += value
        arms.squares[i] += value * value
        n += 1
    return state
