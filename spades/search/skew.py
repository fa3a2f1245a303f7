"""Skew: rules of thumb inflate or reduce what the search believes of the root's cards, at first.

Source: Whitehouse 2013, "Integrating heuristic knowledge". Each card of the root gets a skew s in
[1/2, 3/2]; a reward that is backed up through it at iteration t is multiplied by

    s_t = 1 + (s - 1) k / (k + t),

so that the skew decays to 1. (The paper prints the factor t / (k + t) for "the skew values decay
towards 1"; what decays towards 1 so is s, its distance from 1 shrinking by the complement.) Its k
is a tuned constant that it doesn't print: ours is ``DEFAULT_K`` and was not tuned.

Ours are three more readings. The skew is 1/2 + score / 100 by the rules of
``spades.search.heuristic``. Rewards are multiplied on the scale where they are 0 to 1, points
/ c + 1/2: on the scale of equation 1, around 0, inflating a bad result would make it worse. The
few rounds beyond that scale count as 0 or 1 in the skew's part, for the same reason.

Sums of rewards in the tree stay whole points: what the skew adds, (s_t - 1) times the reward, is
summed beside them and enters the selection at the root alone, which is where cards differ in skew.
The mean values that a search reports are therefore those of the rewards as they fell, without skew;
visits, and with them the move played, are what the skew changes.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import partnership_of
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel
from spades.core.observation import Observation
from spades.core.options import check_options, option
from spades.search.heuristic import BEST_SCORE
from spades.search.playouts.heuristic import card_scores
from spades.search.tree import N_CODES

DEFAULT_K = 100.0
MAX_K = 1e9


class InvalidSkewError(SpadesError):
    """A skew that no search can have."""


class Skew(NamedTuple):
    """``excess`` float64 (64,): s - 1 by card code; ``sums`` float64 (64,): the sum, over the
    visits of each card, of k / (k + t) times the reward, 0 to 1. ``team``: whose rewards."""

    excess: NDArray[np.float64]
    sums: NDArray[np.float64]
    k: float
    reward_scale: float
    team: Int


@dataclass(frozen=True)
class RuleSkew:
    """Rules of thumb skew the root's cards, decaying with ``skew_k`` iterations."""

    name: ClassVar[str] = "on"

    skew_k: float = option(
        DEFAULT_K,
        least=0,
        most=MAX_K,
        label="Skew k",
        unit="iterations",
        help="Iterations after which the skew has halved.",
        step=10.0,
    )

    def __post_init__(self) -> None:
        check_options(self, InvalidSkewError)

    def numbers(self, observation: Observation, reward_scale: float) -> Skew:
        """The skew of a search that begins; points / ``reward_scale`` + 1/2 are rewards from 0 to
        1."""
        excess = np.zeros(N_CODES)
        for card, factor in card_skews(observation).items():
            excess[card] = factor - 1.0
        team = partnership_of(observation.seat)
        sums = np.zeros(N_CODES)
        return Skew(excess, sums, float(self.skew_k), float(reward_scale), team)


SKEWS: dict[str, type[RuleSkew]] = {RuleSkew.name: RuleSkew}


def card_skews(observation: Observation) -> dict[int, float]:
    """The skew of every legal card (code) before it decays, 1/2 to 3/2.

    Raises ``IllegalPlayError`` for a seat that isn't to play."""
    return {card: 0.5 + score / BEST_SCORE for card, score in card_scores(observation).items()}


@kernel
def add_skewed(skew: Skew | None, code: Int, reward: Int, t: Int) -> None:
    """Back a reward (points for N/S) up through the root's card ``code`` at iteration t >= 1."""
    if skew is None:
        return
    points = -reward if skew.team else reward
    scaled = min(max(points / skew.reward_scale + 0.5, 0.0), 1.0)
    skew.sums[code] += skew.k / (skew.k + t) * scaled
