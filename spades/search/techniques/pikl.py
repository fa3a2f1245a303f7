"""piKL (KL-regularised search, Jacob et al. 2022): the root's cards are weighed after the search.

The search is left unbiased, so that its values are honest, and its cards are weighed once with what
it found: pi(a) is proportional to P(a) exp(Q(a) / lambda), Q the mean value and lambda in points.
Below the root, in the other seats and in the seat's own later cards, nobody leans towards the
model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import mixed, seed_state, unit
from spades.core.options import option
from spades.search.techniques.technique import Technique, model_option

if TYPE_CHECKING:
    from spades.search.result import SearchResult

LIKELIEST = "likeliest"
SAMPLE = "sample"
PLAY_STREAM = 6


@dataclass(frozen=True)
class Pikl(Technique):
    """Weighs the unbiased search's values with P; ``lambda_`` in points."""

    name: ClassVar[str] = "pikl"
    label: ClassVar[str] = "piKL"
    meaning: ClassVar[str] = (
        "piKL (Jacob 2022) weighs the unbiased search's values Q with the model's P"
    )
    place: ClassVar[int] = 2
    probes: ClassVar[tuple[str, ...]] = ("", "model=devlin2016-nil,lambda=100,play=sample")
    strength: ClassVar[str] = "lambda"

    model: str = model_option()
    lambda_: float = option(
        20.0,
        least=0,
        most=1e9,
        label="λ",
        unit="points",
        help="π ∝ P exp(Q / λ): 0 is the best card, a large λ the human's.",
        usual=(0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0),
        step=5.0,
    )
    play_: str = option(
        LIKELIEST,
        choices=(LIKELIEST, SAMPLE),
        label="Plays",
        help="The likeliest card of piKL's policy π, or one drawn by it (sample).",
    )

    @property
    def strength_text(self) -> str:
        return f"λ {self.lambda_:.12g}"

    @property
    def mode_text(self) -> str:
        return "sampled" if self.play_ == SAMPLE else ""

    @property
    def has_policy(self) -> bool:
        return True

    def weighed(self, result: SearchResult, p: NDArray[np.float64] | None = None) -> SearchResult:
        """The same search with piKL's policy and the card that it plays."""
        if p is None:
            p = np.array([row.prior for row in result.cards])
        values = np.array([row.mean_value for row in result.cards])
        policy, added = human_policy(p, values, self.lambda_)
        chosen = int(policy.argmax())
        if self.play_ == SAMPLE:
            chosen = draw_card(policy, seed_state(result.seed, PLAY_STREAM))
        numbers = zip(p.tolist(), added.tolist(), policy.tolist(), strict=True)
        cards = tuple(
            replace(row, prior=prior, bias=bias, policy=share)
            for row, (prior, bias, share) in zip(result.cards, numbers, strict=True)
        )
        return replace(
            result,
            cards=cards,
            settings=replace(result.settings, bias=self),
            choice=cards[chosen].card,
            model_calls=1,
        )


def human_policy(
    p: NDArray[np.float64], values: NDArray[np.float64], lambda_: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """piKL's probability of every card, and what ``p`` adds to its value, in points: lambda ln P.

    ``p``: of a human model; ``values`` in points, nan for a card that the search never tried, which
    counts as the mean of the others: only the model speaks for it or against it. Means of few
    visits are noisy, but UCB tries every card: of 2,500 iterations the least tried one of a
    decision has over 100 in 95% of decisions, so that Q is taken as it is, unbiased. lambda 0 is
    the limit: the best cards, by ``p`` among equals."""
    known = values[~np.isnan(values)]
    fallback = known.mean() if len(known) else 0.0
    values = np.where(np.isnan(values), fallback, values)
    logs = np.log(np.maximum(p, np.finfo(float).tiny))
    behind = values - values.max()
    with np.errstate(over="ignore"):  # a tiny lambda is as good as 0
        weights = logs + (behind / lambda_ if lambda_ else np.where(behind < 0, -np.inf, 0.0))
    policy = np.exp(weights - weights.max())
    return policy / policy.sum(), lambda_ * logs + 0.0


def draw_card(p: NDArray[np.float64], state: np.uint64) -> int:
    """An index, drawn by probabilities; the same for the same random state."""
    u = unit(np.uint64(mixed(state)))
    return min(int(np.searchsorted(p.cumsum(), u, "right")), len(p) - 1)
