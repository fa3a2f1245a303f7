"""The conclusion on a decision, from many independent searches of it by the judge.

The choice of one search may be the luck of its seed. A class of equivalent
cards is worth its mean value in all searches, and the differences between classes, taken search by
search, have intervals that hold at every look and for all pairs of classes at once. A decision is

- *clear*: the best class beats every other by more than the threshold,
- *toss-up*: at least one other lies within the threshold of the best,
- *leans*: neither is settled.

Where all possible deals can be listed and solved, the conclusion is the proof's instead
(``analysis.decisions.proof``).
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
OUTCOMES = 3  # place in an item of ``stability_series``


@dataclass(frozen=True)
class ClassValue:
    """A class of equivalent cards over all searches; points for the mover's partnership.

    ``behind``: how far its mean is below the best one's, with the ends of that difference's
    interval and its standard error between searches, ``gap_error``; all 0 for the best itself.
    ``value``: its mean, ``error`` that mean's standard error; ``share``: its mean share of a
    search's visits; nan without a search. ``outcomes``: what it leads to, in the first searches;
    None where there are no contracts, and where the values are a proof's."""

    cards: tuple[str, ...]
    behind: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    value: float = math.nan
    error: float = math.nan
    share: float = math.nan
    outcomes: Outcomes | None = None
    gap_error: float = 0.0


@dataclass(frozen=True)
class Proof:
    """All possible ``deals``, each solved with open hands; in ``best_in`` of them nothing is worth
    more than the best class, and ``dominated`` classes are worth more than it in none. ``rival``:
    the class that the judge's searches put first, where that is another which may be better."""

    deals: int
    best_in: int
    dominated: tuple[tuple[str, ...], ...] = ()
    rival: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether the best class is best however the cards lie."""
        return self.best_in == self.deals


@dataclass(frozen=True, eq=False)
class Conclusion:
    """``classes``: all of them, the best first; ``kind``: ``CLEAR``, ``LEANS`` or ``TOSS_UP``.
    ``searches``: how many were made, of ``iterations`` each (0: unknown); ``is_borne_out``: whether
    these are the longer ones. ``proof``: what the values come from where all deals were solved;
    the searches are then those that agree with it, or not, and 0 where none was needed."""

    kind: str
    classes: tuple[ClassValue, ...]
    threshold: float
    searches: int
    iterations: int = 0
    is_borne_out: bool = False
    proof: Proof | None = None

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
        """The best class, and those as good: their difference is no more than the threshold."""
        rest = self.classes[1:]
        return [self.best, *(one for one in rest if one.interval[1] <= self.threshold)]

    @property
    def is_settled(self) -> bool:
        return self.kind != LEANS

    @property
    def is_proven(self) -> bool:
        """Whether it stands without a search."""
        return self.proof is not None and self.proof.is_sure

    @property
    def is_doubtful(self) -> bool:
        """Whether longer searches are to bear it out: what is clear, other cards being legal."""
        return self.kind == CLEAR and len(self.classes) > 1 and not self.is_borne_out

    def borne_out(self, longer: "Conclusion | None") -> "Conclusion":
        """What longer searches make of it: it leans until there are enough. Shares of visits stay
        those of the shorter searches."""
        if longer is None:
            return replace(self, kind=LEANS)
        shares = {one.cards: one.share for one in self.classes}
        classes = tuple(replace(one, share=shares[one.cards]) for one in longer.classes)
        return replace(longer, classes=classes, is_borne_out=True)

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
    iterations: int = 0,
) -> Conclusion | None:
    """The conclusion from the items of ``stability_series``; None before there are ``least``. Where
    one class alone is legal that is clear without a search. ``iterations``: of each search."""
    classes, deck = equivalent_cards(observation), observation.rules.cards
    names = [tuple(map(deck.format_card, cards)) for cards in classes]
    if len(classes) == 1:
        return Conclusion(CLEAR, (ClassValue(names[0]),), threshold, len(items), iterations)
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
    rows = []
    for i, cards in enumerate(names):
        gap = float(means[best] - means[i])
        width = float(widths[i])
        row = ClassValue(
            cards,
            behind=gap,
            interval=(gap - width, gap + width),
            value=float(means[i]),
            error=float(errors[i]),
            share=float(shares[i]),
            outcomes=outcomes[i],
            gap_error=float(spreads[i]) / math.sqrt(n),
        )
        rows.append(row)
    rows.sort(key=lambda row: row.behind)
    return Conclusion(kind_of(rows[1:], threshold), tuple(rows), threshold, n, iterations)


def kind_of(others: Sequence[ClassValue], threshold: float) -> str:
    """What the differences of all but the best class make of a decision."""
    if all(row.interval[0] > threshold for row in others):
        return CLEAR
    return TOSS_UP if any(row.interval[1] <= threshold for row in others) else LEANS


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
