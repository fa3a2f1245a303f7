"""Flat searches: the legal cards are simulated, each simulation finished by rules of thumb.

Every simulation deals the hidden cards anew, plays a card and finishes the round with a mixture of
random cards (a share epsilon) and cards chosen by rules of thumb, each seat seeing its own hand
only (``spades.search.playouts.heuristic``). Hidden cards are drawn uniformly, by flat Monte Carlo
as a determinizer says. Values are points of the round for the mover's partnership, (s_p - 10 b_p) -
(s_o - 10 b_o).

*Flat Monte Carlo* (Whitehouse 2013, "Knowledge-based AI for Spades"): every legal card is simulated
equally often, and the best mean is played. To avoid oddball plays, the two cards that look best
by the rules of thumb get a bonus. What the paper leaves open and how it is read here: the share of
random cards (``epsilon``, 0.2) and the bonuses (``BEST_BONUS``, ``SECOND_BONUS``). The number of
simulations, in the paper that of the beginning of a round, is the same all round. A deal is used
once for every legal card, so that cards are compared on the same deals. The paper's deals are drawn
with a bias (``BiasedDeals``).

*Flat-UCB* (Dobre and Lascarides 2015, sections IV-A, IV-B and IV-D): one level of UCB,
seeded or not with what is known beforehand. Each iteration plays the card with the highest
X_j + C sqrt(2 ln n / n_j); rewards are those of the ISMCTS, points / c + 1/2. The card played has
the highest X_j. A seed is a value in place of playouts: a card that has one starts with X_j = Q and
n_j = 10. Those 10 count like 10 playouts, in X_j, in n_j and in n. Cards without a seed, and only
those, are tried once before any bound is looked at. In the paper C is 1, epsilon 0.2 and there are
1,000 playouts.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief import Determinizer, UniformDeals
from spades.core.cards import N_SEATS, Card, partnership_of
from spades.core.kernel import Int, kernel, seed_state
from spades.core.observation import Observation
from spades.core.options import borrowed, check_options, option
from spades.core.steps import Steps, last_value
from spades.search.heuristic import BEST_SCORE
from spades.search.playouts.heuristic import (
    EPSILON,
    HeuristicCards,
    card_scores,
    heuristic_cards,
    play_card_by_rules,
)
from spades.search.result import CardStatistics, SearchResult, mean_and_error
from spades.search.search import CHUNK, check_decision, check_iterations
from spades.search.settings import InvalidSearchError, SearchSettings
from spades.search.tree import progress_at, round_values, start_position, value_of

STANDARD_SIMULATIONS = 128
MAX_SIMULATIONS = 1_000_000
BEST_BONUS = 10.0
SECOND_BONUS = 5.0
"""Points for the best and the second-best card of the rules of thumb. The paper doesn't say how
much: of the size of the standard error of 128 simulations (about 6 points), the bonus decides
between cards that the simulations can't tell apart."""
MAX_BONUS = 1000.0
STANDARD_PLAYOUTS = 1000
SEED_VISITS = 10
N_HEURISTIC_SEEDS = 5
MAX_SEED_VISITS = 1_000_000
_DEAL_STREAM = 6
_PLAYOUT_STREAM = 7
_UCB_DEAL_STREAM = 8
_UCB_PLAYOUT_STREAM = 9


@dataclass(frozen=True)
class FlatSettings:
    """How flat Monte Carlo simulates a card, and what the rules of thumb add to its mean."""

    simulations: int = option(
        STANDARD_SIMULATIONS,
        least=1,
        most=MAX_SIMULATIONS,
        help="Simulations of each legal card.",
    )
    epsilon: float = option(
        EPSILON,
        least=0,
        most=1,
        help="Share of random cards in playouts; the rest by rules of thumb.",
    )
    best_bonus: float = option(
        BEST_BONUS,
        least=0,
        most=MAX_BONUS,
        unit="points",
        help="Added to the card that looks best by the rules of thumb.",
    )
    second_bonus: float = option(
        SECOND_BONUS,
        least=0,
        most=MAX_BONUS,
        unit="points",
        help="Added to the card that looks second best.",
    )

    def __post_init__(self) -> None:
        check_options(self, InvalidSearchError)


class Simulated(NamedTuple):
    """By legal card: ``cards`` int64 codes, ``sums`` and ``squares`` float64 of points, for N/S."""

    cards: NDArray[np.int64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]


@kernel
def simulate_cards(
    arms: Simulated,
    deals: NDArray,
    position: NDArray,
    rewards: NDArray,
    rules: HeuristicCards,
    state: np.uint64,
) -> np.uint64:
    """One simulation of every card in every deal; the random state after them.

    ``deals`` int64 (n, 4); ``rewards`` (14, 14, 14) points for N/S by the tricks of N, E, S."""
    cards, sums, squares = arms
    at = progress_at(position)
    hands = np.empty(N_SEATS, dtype=np.int64)
    for i in range(len(deals)):
        for j in range(len(cards)):
            for seat in range(N_SEATS):
                hands[seat] = deals[i, seat]
            taken, state = play_card_by_rules(cards[j], hands, at, rules, state)
            points = value_of(rewards, taken)
            sums[j] += points
            squares[j] += points * points
    return state


def flat_search(observation: Observation, **options: Any) -> SearchResult:
    """``flat_search_steps`` at once."""
    return last_value(flat_search_steps(observation, **options))


def flat_search_steps(
    observation: Observation,
    *,
    seed: int = 0,
    settings: FlatSettings | None = None,
    determinizer: Determinizer | None = None,
) -> Steps[SearchResult]:
    """Simulate a decision: which card does best on average, by what the seat to play may know.

    Mean points are without the bonuses, by which the choice goes as well. Raises
    ``InvalidSearchError`` where there is nothing to decide."""
    settings = settings or FlatSettings()
    cards = check_decision(observation)
    n = settings.simulations
    deck = observation.rules.cards
    arms = Simulated(np.array(cards, dtype=np.int64), *np.zeros((2, len(cards))))
    dealt = determinizer or UniformDeals(observation)
    rules = heuristic_cards(observation, settings.epsilon)
    position = start_position(observation)
    rewards = round_values(observation)
    deal_state = seed_state(seed, _DEAL_STREAM)
    state = seed_state(seed, _PLAYOUT_STREAM)
    for start in range(0, n, CHUNK):
        yield
        deals, deal_state = dealt.sample(min(CHUNK, n - start), deal_state)
        state = np.uint64(simulate_cards(arms, deals, position, rewards, rules, state))
    sign = 1 - 2 * partnership_of(observation.seat)
    rows = []
    for i, card in enumerate(cards):
        mean, error = mean_and_error(n, float(arms.sums[i]), float(arms.squares[i]))
        rows.append(CardStatistics(deck.card(card), n, n, sign * mean, error))
    bonus = bonuses(card_scores(observation), settings)
    best = max(
        rows, key=lambda row: (row.mean_value + bonus.get(row.card.code, 0.0), -row.card.code)
    )
    return SearchResult.without_tree(rows, best.card, seed)


def bonuses(scores: dict[int, int], settings: FlatSettings) -> dict[int, float]:
    """Points for the two cards that look best; among equals the lower code comes first."""
    first, *others = sorted(scores, key=lambda card: (-scores[card], card))
    bonus = {first: settings.best_bonus}
    if others:
        bonus[others[0]] = settings.second_bonus
    return bonus


@dataclass(frozen=True)
class FlatUcbSettings:
    """How Flat-UCB explores, plays out and counts its seeds."""

    exploration: float = option(1.0, least=0, most=1e6, help="C of UCB; published: 1.")
    epsilon: float = option(
        EPSILON,
        least=0,
        most=1,
        help="Share of random cards in playouts; the rest by rules of thumb.",
    )
    seed_visits: int = option(
        SEED_VISITS, least=1, most=MAX_SEED_VISITS, help="Playouts that a seed stands for."
    )
    reward_scale: float = borrowed(SearchSettings, "reward_scale")

    def __post_init__(self) -> None:
        check_options(self, InvalidSearchError)


class Seeds(NamedTuple):
    """Values known beforehand, of every legal card, lowest code first.

    ``values`` float64 (k,): Q, nan for a card without a seed; ``n_pairs`` int64 (k,): of how many
    pairs of a corpus each is the mean, 0 where it comes from elsewhere."""

    values: NDArray[np.float64]
    n_pairs: NDArray[np.int64]


@dataclass(frozen=True)
class FlatStatistics:
    """What a search found about one legal card.

    ``visits``: its playouts, the seed's not among them. ``mean_value`` of them in points for the
    mover's partnership and ``standard_error`` of that, nan without playouts. ``seed_value``: Q, nan
    without a seed, the mean over ``n_pairs`` pairs. ``value``: X_j, by which the card is chosen,
    seed included, as a reward; nan where nothing is known."""

    card: Card
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

    @property
    def best(self) -> FlatStatistics:
        """The card played: the highest X_j, the lowest code among equals."""
        known = [row for row in self.cards if not math.isnan(row.value)] or list(self.cards)
        return max(known, key=lambda row: (row.value, -row.card.code))


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


def flat_ucb(observation: Observation, **options: Any) -> FlatUcbResult:
    """``flat_ucb_steps`` at once."""
    return last_value(flat_ucb_steps(observation, **options))


def flat_ucb_steps(
    observation: Observation,
    *,
    iterations: int = STANDARD_PLAYOUTS,
    seed: int = 0,
    settings: FlatUcbSettings | None = None,
    seeds: Seeds | None = None,
) -> Steps[FlatUcbResult]:
    """Search a decision by playouts of its legal cards.

    Raises ``InvalidSearchError`` when another seat is to play, when bids are unknown, for seeds of
    other cards than the legal ones, or for iterations out of range."""
    settings = settings or FlatUcbSettings()
    check_iterations(iterations, iterations)
    arms = start_arms(np.array(check_decision(observation), dtype=np.int64), seeds, settings)
    rewards = round_values(observation)
    deals = UniformDeals(observation)
    known = (start_position(observation), heuristic_cards(observation, settings.epsilon))
    sign = 1 - 2 * partnership_of(observation.seat)
    numbers = (sign, settings.reward_scale, settings.exploration)
    deal_state = seed_state(seed, _UCB_DEAL_STREAM)
    state = seed_state(seed, _UCB_PLAYOUT_STREAM)
    for start in range(0, iterations, CHUNK):
        yield
        chunk, deal_state = deals.sample(min(CHUNK, iterations - start), deal_state)
        state = np.uint64(run_flat_ucb(arms, chunk, known, rewards, numbers, state))
    legal = observation.legal
    rows = tuple(_statistics(card, arms, i, seeds, settings) for i, card in enumerate(legal))
    return FlatUcbResult(rows, iterations)


def start_arms(cards: NDArray[np.int64], seeds: Seeds | None, settings: FlatUcbSettings) -> Arms:
    """The arms before the first playout."""
    k = len(cards)
    values = np.full(k, math.nan) if seeds is None else np.asarray(seeds.values, dtype=float)
    if values.shape != (k,) or np.isinf(values).any():
        raise InvalidSearchError(f"{k} cards are legal; seeds are {values}, a number or nan each")
    seeded = np.where(np.isnan(values), 0, settings.seed_visits).astype(np.int64)
    sums, squares, visits = (np.zeros(k, dtype=np.int64) for _ in range(3))
    return Arms(cards, seeded, seeded * np.nan_to_num(values), visits, sums, squares)


def heuristic_seeds(observation: Observation) -> Seeds:
    """Seeds from the rules of thumb: the best five cards, each with its score from 0 to 1.

    Among equal scores the lower code comes first. The paper says that the five best of the
    heuristic agent's own estimates are seeded "in the same manner", and not on which scale."""
    scores = np.array(list(card_scores(observation).values()), dtype=float)
    values = np.full(len(scores), math.nan)
    best = np.argsort(-scores, kind="stable")[:N_HEURISTIC_SEEDS]
    values[best] = scores[best] / BEST_SCORE
    return Seeds(values, np.zeros(len(scores), dtype=np.int64))


def _statistics(
    card: Card, arms: Arms, i: int, seeds: Seeds | None, settings: FlatUcbSettings
) -> FlatStatistics:
    visits = int(arms.visits[i])
    mean, error = mean_and_error(visits, int(arms.sums[i]), int(arms.squares[i]))
    return FlatStatistics(
        card=card,
        visits=visits,
        mean_value=mean,
        standard_error=error,
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
    found = 0
    highest_bound = -np.inf
    for i in range(len(arms.cards)):
        n_i = arms.visits[i] + arms.seeded[i]
        if n_i == 0:
            return i
        bound = arm_value(arms, i, scale) + exploration * math.sqrt(2.0 * math.log(n) / n_i)
        if bound > highest_bound:
            found = i
            highest_bound = bound
    return found


@kernel
def run_flat_ucb(
    arms: Arms,
    deals: NDArray,
    known: tuple[NDArray, HeuristicCards],
    rewards: NDArray,
    numbers: tuple[Int, float, float],
    state: np.uint64,
) -> np.uint64:
    """One iteration for each of ``deals`` int64 (n, 4), which are used up; the random state.

    ``known``: the start position and the playout. ``numbers``: 1 for N/S to play and -1 for E/W,
    reward scale, C."""
    at = progress_at(known[0])
    rules = known[1]
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
