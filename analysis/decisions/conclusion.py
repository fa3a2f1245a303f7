"""The conclusion on a decision, from many independent searches of it.

The published baseline is one search; its choice may be the luck of its seed. A class of equivalent
cards is worth its mean value in all searches, and the differences between classes, taken search by
search, have intervals that hold at every look and for all pairs of classes at once. A decision is

- *clear*: the best class beats every other by more than the threshold,
- *toss-up*: at least one other lies within the threshold of the best,
- *leans*: neither is settled.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation

CLEAR, LEANS, TOSS_UP = "clear", "leans", "toss-up"
THRESHOLD = 1.0  # points
LEAST_SEARCHES = 60


@dataclass(frozen=True)
class ClassValue:
    """A class of equivalent cards over all searches; points for the mover's partnership.

    ``behind``: how far its mean is below the best one's, with the ends of that difference's
    interval; all 0 for the best itself."""

    cards: tuple[str, ...]
    behind: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Conclusion:
    """``classes``: all of them, the best first; ``kind``: ``CLEAR``, ``LEANS`` or ``TOSS_UP``."""

    kind: str
    classes: tuple[ClassValue, ...]
    threshold: float
    searches: int

    @property
    def best(self) -> ClassValue:
        return self.classes[0]

    @property
    def open(self) -> list[ClassValue]:
        """The best class, and those not told apart from it: not worse by the threshold."""
        rest = self.classes[1:]
        return [self.best, *(one for one in rest if one.interval[0] <= self.threshold)]

    @property
    def within(self) -> list[ClassValue]:
        """The best class, and those that are as good: their difference is below the threshold."""
        rest = self.classes[1:]
        return [self.best, *(one for one in rest if one.interval[1] < self.threshold)]

    @property
    def is_settled(self) -> bool:
        return self.kind != LEANS

    def class_of(self, card: str) -> ClassValue:
        return next(one for one in self.classes if card in one.cards)


def judge(
    items: Sequence[list], observation: Observation, threshold: float = THRESHOLD
) -> Conclusion | None:
    """The conclusion from the items of ``stability_run``; None before there are enough. Where one
    class alone is legal that is clear without a search."""
    classes, deck = equivalent_cards(observation), observation.rules.cards
    names = [tuple(map(deck.format_card, cards)) for cards in classes]
    if len(classes) == 1:
        only = ClassValue(names[0], 0.0, (0.0, 0.0))
        return Conclusion(CLEAR, (only,), threshold, len(items))
    from analysis.intervals import running_widths  # loads SciPy, which a first look does without

    values = _by_class(items, observation, classes)
    if len(values) < LEAST_SEARCHES:
        return None
    n, best = len(values), int(values.mean(axis=0).argmax())
    gaps = values[:, [best]] - values
    n_pairs = len(classes) * (len(classes) - 1) // 2
    widths = running_widths(gaps.std(axis=0, ddof=1), n, n_means=n_pairs)
    rows = [
        ClassValue(cards, gap, (gap - width, gap + width))
        for cards, gap, width in zip(
            names, gaps.mean(axis=0).tolist(), widths.tolist(), strict=True
        )
    ]
    rows.sort(key=lambda row: row.behind)
    return Conclusion(_kind_of(rows[1:], threshold), tuple(rows), threshold, n)


def _kind_of(others: Sequence[ClassValue], threshold: float) -> str:
    if all(row.interval[0] > threshold for row in others):
        return CLEAR
    return TOSS_UP if any(row.interval[1] < threshold for row in others) else LEANS


def _by_class(
    items: Sequence[list], observation: Observation, classes: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    """Value by search and class, (n, classes), of the searches that visited every class. Of
    equivalent cards every visit counts alike."""
    if not items:
        return np.zeros((0, len(classes)))
    place = {code: i for i, code in enumerate(cards_in(observation.legal_mask))}
    visits = np.array([item[1] for item in items], dtype=float)
    points = np.array([item[2] for item in items], dtype=float) * visits
    groups = [[place[code] for code in cards] for cards in classes]
    n = np.stack([visits[:, group].sum(axis=1) for group in groups], axis=1)
    total = np.stack([points[:, group].sum(axis=1) for group in groups], axis=1)
    is_whole = (n > 0).all(axis=1)
    return total[is_whole] / n[is_whole]
