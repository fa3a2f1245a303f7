"""What each legal card of a decision is worth over many deals.

Cards are compared deal by deal, which removes the luck of the deal. Values are points for the
mover's partnership.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from analysis.decisions.conclusion import interval_around
from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.observation import Observation

TIE = 1e-9


@dataclass(frozen=True)
class Regret:
    """How many points less than the best of each solved deal a card is worth: ``mean`` and 95%
    ``interval`` over so many ``deals``; in ``best_in`` of them no card is worth more."""

    mean: float
    interval: tuple[float, float]
    deals: int
    best_in: int


@dataclass(frozen=True)
class MeanPoints:
    """Mean over ``n`` deals, points for the mover's partnership; the error is nan for one deal."""

    card: str
    n: int
    mean: float
    standard_error: float

    @classmethod
    def of(cls, card: str, values: FloatArray, *, is_every: bool = False, **more: Any) -> Self:
        """``is_every``: whether no other deal is possible, so that the mean has no error."""
        n = len(values)
        if is_every:
            error = 0.0
        elif n > 1:
            error = float(values.std(ddof=1)) / math.sqrt(n)
        else:
            error = math.nan
        return cls(card, n, float(values.mean()), error, **more)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean."""
        return interval_around(self.mean, self.standard_error)


class Difference(MeanPoints):
    """Points of a card less those of another in the same deals."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval[0] > 0 or self.interval[1] < 0


@dataclass(frozen=True)
class CandidateValue(MeanPoints):
    """A candidate card. ``best_in``: deals where no candidate is worth more; ``regret``: points
    less than the best of each deal; ``is_fixed``: whether it is worth the same in all deals. By
    other card: ``against``, its value less the other's, and ``beats``, deals where it is worth
    more."""

    best_in: int
    regret: MeanPoints
    is_fixed: bool
    against: dict[str, Difference]
    beats: dict[str, int]


def candidate_values(
    cards: Sequence[str], values: FloatArray, *, is_every: bool = False
) -> list[CandidateValue]:
    """A row a card from ``values`` (deals, cards), the highest mean first. ``is_every``: whether no
    other deal is possible. Raises ``SpadesError`` without a deal."""
    if not len(values):
        raise SpadesError("no deal was sampled yet; values need at least one")
    best = values.max(axis=1)
    by_card = dict(zip(cards, values.T, strict=True))
    rows = []
    for card, points in by_card.items():
        gaps = {other: points - theirs for other, theirs in by_card.items() if other != card}
        row = CandidateValue.of(
            card,
            points,
            is_every=is_every,
            best_in=int((points >= best - TIE).sum()),
            regret=MeanPoints.of(card, best - points, is_every=is_every),
            is_fixed=bool(np.ptp(points) <= TIE),
            against={
                other: Difference.of(card, gap, is_every=is_every) for other, gap in gaps.items()
            },
            beats={other: int((gap > TIE).sum()) for other, gap in gaps.items()},
        )
        rows.append(row)
    return sorted(rows, key=lambda row: -row.mean)


def differences(rows: Sequence[CandidateValue], reference: str) -> list[Difference]:
    """Points of every other card less those of ``reference``, in the order of the rows."""
    return [row.against[reference] for row in rows if row.card != reference]


def legal_cards(observation: Observation) -> list[str]:
    """Texts of the legal cards, lowest code first."""
    deck = observation.rules.cards
    return [deck.format_card(card) for card in cards_in(observation.legal_mask)]


def values_by_class(observation: Observation, values: FloatArray) -> tuple[list[str], FloatArray]:
    """The highest card of each class of equivalent cards, and the classes' mean values: (n,
    classes) from (n, cards), lowest code first."""
    classes = equivalent_cards(observation)
    legal = list(cards_in(observation.legal_mask))
    means = [values[:, [legal.index(code) for code in codes]].mean(axis=1) for codes in classes]
    deck = observation.rules.cards
    return [deck.format_card(codes[0]) for codes in classes], np.stack(means, axis=1)
