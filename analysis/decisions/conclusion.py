"""The conclusion on a decision, from many independent searches of it.

The published baseline is one search; its choice may be the luck of its seed. A class of equivalent
cards is worth its mean value in all searches, and the differences between classes, taken search by
search, have intervals that hold at every look and for all pairs of classes at once. A decision is

- *clear*: the best class beats every other by more than the threshold,
- *toss-up*: at least one other lies within the threshold of the best,
- *leans*: neither is settled.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.observation import Observation
from spades.search.outcomes import Outcomes

CLEAR, LEANS, TOSS_UP = "clear", "leans", "toss-up"
THRESHOLD = 1.0  # points
LEAST_SEARCHES = 60
LONGER, LONGEST = 10, 25_000  # times the iterations of those that bear out what is clear, at most
LEAST_LONGER = 40
OUTCOMES = 3  # place in an item of ``stability_run``


@dataclass(frozen=True)
class ClassValue:
    """A class of equivalent cards over all searches; points for the mover's partnership.

    ``behind``: how far its mean is below the best one's, with the ends of that difference's
    interval and its standard error between searches, ``gap_error``; all 0 for the best itself.
    ``value``: its mean, ``error`` that mean's standard error; ``share``: its mean share of a
    search's visits; nan without a search. ``outcomes``: what it leads to, in the first searches;
    None where there are no contracts. ``wins``: searches that choose one of its cards."""

    cards: tuple[str, ...]
    behind: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    value: float = math.nan
    error: float = math.nan
    share: float = math.nan
    outcomes: Outcomes | None = None
    gap_error: float = 0.0
    wins: int = 0


@dataclass(frozen=True, eq=False)
class Conclusion:
    """``classes``: all of them, the best first; ``kind``: ``CLEAR``, ``LEANS`` or ``TOSS_UP``.
    ``iterations`` of each search, where those are longer than the decision's own, else 0."""

    kind: str
    classes: tuple[ClassValue, ...]
    threshold: float
    searches: int
    iterations: int = 0

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

    @property
    def is_doubtful(self) -> bool:
        """Whether longer searches are to bear it out: what is clear, other cards being legal."""
        return self.kind == CLEAR and len(self.classes) > 1 and not self.iterations

    def borne_out(self, longer: "Conclusion | None", iterations: int) -> "Conclusion":
        """What longer searches, of so many ``iterations``, make of it: it leans until there are
        enough. Visits and choices stay those of searches of the decision's own length."""
        if longer is None:
            return replace(self, kind=LEANS)
        own = {one.cards: one for one in self.classes}
        classes = tuple(
            replace(one, share=own[one.cards].share, wins=own[one.cards].wins)
            for one in longer.classes
        )
        return replace(longer, classes=classes, iterations=iterations)

    def class_of(self, card: str) -> ClassValue:
        return next(one for one in self.classes if card in one.cards)


def longer_than(iterations: int) -> int:
    """Iterations of the searches that bear out what is clear by searches of so many; no more than
    these where they are long enough themselves."""
    return max(iterations, min(LONGER * iterations, LONGEST))


def next_look(searches: int, least: int = LEAST_SEARCHES) -> int:
    """After how many searches to judge again, where so many were made."""
    return max(least, searches + searches // 8)


def judge(
    items: Sequence[list],
    observation: Observation,
    threshold: float = THRESHOLD,
    *,
    least: int = LEAST_SEARCHES,
) -> Conclusion | None:
    """The conclusion from the items of ``stability_run``; None before there are ``least``. Where
    one class alone is legal that is clear without a search."""
    classes, deck = equivalent_cards(observation), observation.rules.cards
    names = [tuple(map(deck.format_card, cards)) for cards in classes]
    if len(classes) == 1:
        return Conclusion(CLEAR, (ClassValue(names[0]),), threshold, len(items))
    from analysis.intervals import running_widths  # loads SciPy, which a first look does without

    values, all_shares, outcomes = _by_class(items, observation, classes)
    n = len(values)
    if n < least:
        return None
    means, errors = values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(n)
    best, shares = int(means.argmax()), all_shares.mean(axis=0)
    gaps = values[:, [best]] - values
    n_pairs = len(classes) * (len(classes) - 1) // 2
    spreads = gaps.std(axis=0, ddof=1)
    widths = running_widths(spreads, n, n_means=n_pairs)
    rows, numbers = [], np.stack([means, errors, shares, spreads / n**0.5], axis=1).tolist()
    for i, cards in enumerate(names):
        gap, width = float(means[best] - means[i]), float(widths[i])
        ends, (value, error, share, gap_error) = (gap - width, gap + width), numbers[i]
        wins = sum(item[0] in classes[i] for item in items)
        more = (value, error, share, outcomes[i], gap_error, wins)
        rows.append(ClassValue(cards, gap, ends, *more))
    rows.sort(key=lambda row: row.behind)
    return Conclusion(_kind_of(rows[1:], threshold), tuple(rows), threshold, n)


def _kind_of(others: Sequence[ClassValue], threshold: float) -> str:
    if all(row.interval[0] > threshold for row in others):
        return CLEAR
    return TOSS_UP if any(row.interval[1] < threshold for row in others) else LEANS


def _by_class(
    items: Sequence[list], observation: Observation, classes: Sequence[Sequence[int]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Outcomes | None]]:
    """By search and class (n, classes), of the searches that visited every class: values and shares
    of visits; by class outcomes. Of equivalent cards every visit counts alike."""
    if not items:
        none = np.zeros((0, len(classes)))
        return none, none, []
    place = {code: i for i, code in enumerate(cards_in(observation.legal_mask))}
    groups = np.zeros((len(place), len(classes)))
    for i, cards in enumerate(classes):
        groups[[place[code] for code in cards], i] = 1
    visits = np.array([item[1] for item in items], dtype=float)
    points = np.array([item[2] for item in items], dtype=float) * visits
    n = visits @ groups
    is_whole = np.all(n > 0, axis=1)
    n, points = n[is_whole], (points @ groups)[is_whole]
    shares = n / n.sum(axis=1, keepdims=True)
    outcomes: list[Outcomes | None] = [None] * len(classes)
    if len(items[0]) > OUTCOMES and len(n):
        sums = np.array([item[OUTCOMES] for item in items if len(item) > OUTCOMES], dtype=float)
        sums = np.swapaxes(sums, 1, 2) @ groups  # (searches, outcomes, classes)
        sums = sums[is_whole[: len(sums)]]
        means = (sums / n[: len(sums), None]).mean(axis=0).T
        outcomes = [Outcomes.of(row, observation) for row in means]
    return points / n, shares, outcomes
