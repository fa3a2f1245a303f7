"""Flat Monte Carlo: every legal card is simulated equally often, and the best mean is played.

Source: Whitehouse 2013, "Knowledge-based AI for Spades". Each simulation deals the hidden cards
anew, plays the card and finishes the round with a mixture of random cards and cards chosen by rules
of thumb; the card with the best average wins. To avoid oddball plays, the two cards that look best
by the rules of thumb get a bonus.

What the paper leaves open and how it is read here: the share of random cards (``epsilon``, 0.2) and
the bonuses (``BEST_BONUS``, ``SECOND_BONUS``). The number of simulations, in the paper that
of the beginning of a round, is the same all round. A deal is used once for every legal card, so
that cards are compared on the same deals. Hidden cards are drawn uniformly unless a determinizer is
given; the paper's are drawn with a bias (``BiasedDeals``).

Point of view: values are points of the round for the mover's partnership,
(s_p - 10 b_p) - (s_o - 10 b_o).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief import Determinizer, UniformDeals
from spades.core.cards import N_SEATS, partnership_of
from spades.core.errors import SpadesError
from spades.core.kernel import kernel, seed_state
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from spades.search.rule_playouts import (
    EPSILON,
    RulePlayout,
    card_scores,
    play_card_by_rules,
    rule_playout,
)
from spades.search.tree import progress_at, round_values, start_position, value_of

STANDARD_SIMULATIONS = 128
MAX_SIMULATIONS = 1_000_000
BEST_BONUS, SECOND_BONUS = 10.0, 5.0
"""Points for the best and the second-best card of the rules of thumb. The paper doesn't say how
much: of the size of the standard error of 128 simulations (about 6 points), the bonus decides
between cards that the simulations can't tell apart."""
MAX_BONUS = 1000.0
CHUNK = 4096  # deals drawn at a time
_DEAL_STREAM, _PLAYOUT_STREAM = 6, 7


class InvalidFlatSearchError(SpadesError):
    """A flat search that can't be run."""


@dataclass(frozen=True)
class FlatSettings:
    """``simulations`` a legal card; ``epsilon``: share of random cards in the playouts; bonuses of
    the best and second-best card by the rules of thumb, points."""

    simulations: int = STANDARD_SIMULATIONS
    epsilon: float = EPSILON
    best_bonus: float = BEST_BONUS
    second_bonus: float = SECOND_BONUS

    def __post_init__(self) -> None:
        if not 1 <= self.simulations <= MAX_SIMULATIONS:
            raise InvalidFlatSearchError(
                f"simulations is {self.simulations}; 1 to {MAX_SIMULATIONS} are legal"
            )
        if not 0 <= self.epsilon <= 1:
            raise InvalidFlatSearchError(f"epsilon is {self.epsilon}; 0 to 1 are legal")
        for name in ("best_bonus", "second_bonus"):
            if not 0 <= getattr(self, name) <= MAX_BONUS:
                raise InvalidFlatSearchError(
                    f"{name} is {getattr(self, name)}; 0 to {MAX_BONUS:g} points are legal"
                )


@dataclass(frozen=True)
class FlatCard:
    """What was found about a legal card (a code): ``mean_value`` of its simulations and the
    ``standard_error`` of that mean (nan of one simulation), both in points; ``score``: how good it
    looks by the rules of thumb, 0 to 100; ``bonus``, points."""

    card: int
    mean_value: float
    standard_error: float
    score: int
    bonus: float

    @property
    def value(self) -> float:
        """What the cards are ranked by, points."""
        return self.mean_value + self.bonus


@dataclass(frozen=True)
class FlatResult:
    """A row for every legal card, lowest code first; ``simulations`` of each."""

    cards: tuple[FlatCard, ...]
    simulations: int
    seed: int

    @property
    def best(self) -> FlatCard:
        """The card played: the highest value with its bonus, then the lower code."""
        return max(self.cards, key=lambda row: (row.value, -row.card))


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
    rules: RulePlayout,
    state: np.uint64,
) -> np.uint64:
    """One simulation of every card in every deal; the random state after them.

    ``deals`` int64 (n, 4); ``rewards`` (14, 14, 14) points for N/S by the tricks of N, E, S.
    """
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


def flat_search(
    observation: Observation,
    *,
    seed: int = 0,
    settings: FlatSettings | None = None,
    determinizer: Determinizer | None = None,
) -> FlatResult:
    """Simulate a decision: which card does best on average, by what the seat to play may know.

    Raises ``InvalidFlatSearchError`` when bids are unknown, and
    ``IllegalPlayError`` for a seat that isn't to play.
    """
    settings = settings or FlatSettings()
    scores, table = card_scores(observation), observation.table
    if min(table.bids) == NO_BID and not (
        table.rules.first_hand_bids_itself and max(table.bids) == NO_BID
    ):
        raise InvalidFlatSearchError(
            f"the bids are not known, so no play has a value | {observation.text()}"
        )
    n = len(scores)
    arms = Simulated(np.array(list(scores), dtype=np.int64), np.zeros(n), np.zeros(n))
    dealt = determinizer or UniformDeals(observation)
    rules = rule_playout(observation, settings.epsilon)
    position = start_position(observation)
    rewards = round_values(observation)
    deal_state, state = seed_state(seed, _DEAL_STREAM), seed_state(seed, _PLAYOUT_STREAM)
    for start in range(0, settings.simulations, CHUNK):
        deals, deal_state = dealt.sample(min(CHUNK, settings.simulations - start), deal_state)
        state = np.uint64(simulate_cards(arms, deals, position, rewards, rules, state))
    sign = 1 - 2 * partnership_of(observation.seat)
    rows = _rows(arms, scores, sign, settings)
    return FlatResult(rows, settings.simulations, seed)


def bonuses(scores: dict[int, int], settings: FlatSettings) -> dict[int, float]:
    """Points for the two cards that look best; among equals the lower code comes first."""
    first, *others = sorted(scores, key=lambda card: (-scores[card], card))
    found = {first: settings.best_bonus}
    if others:
        found[others[0]] = settings.second_bonus
    return found


def _rows(
    arms: Simulated, scores: dict[int, int], sign: int, settings: FlatSettings
) -> tuple[FlatCard, ...]:
    n, given = settings.simulations, bonuses(scores, settings)
    rows = []
    for i, (card, score) in enumerate(scores.items()):
        mean = float(arms.sums[i]) / n
        variance = max(0.0, float(arms.squares[i]) / n - mean * mean)
        error = math.sqrt(variance / (n - 1)) if n > 1 else math.nan
        rows.append(FlatCard(card, sign * mean, error, score, given.get(card, 0.0)))
    return tuple(rows)
