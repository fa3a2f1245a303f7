"""The conclusion on a decision, from many independent searches of it by the judge.

The choice of one search may be due to its seed. A class of equivalent cards is worth its mean value
over all searches; the differences between classes, taken search by search, have intervals that hold
at every look and for all pairs of classes at once. A decision is

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

from analysis.decisions.judge import JUDGE
from analysis.records import documents_of
from spades.core.cards import cards_in
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.search.outcomes import Outcomes

CLEAR = "clear"
LEANS = "leans"
TOSS_UP = "toss-up"
THRESHOLD = 1.0  # points
LEAST_SEARCHES = 60
LONGER = 10  # times the iterations, of the searches that confirm a clear conclusion
LONGEST = 25_000  # iterations of a confirming search, at most
LEAST_LONGER = 40
_PROVEN = ("deals", "best_in", "gain")  # of a proof, as JSON
OUTCOMES = 3  # index in an item of ``stability_series``


@dataclass(frozen=True)
class ClassValue:
    """A class of equivalent cards over all searches; points for the mover's partnership.

    ``value``: its mean, with the standard error ``error``. ``behind``: how far that is below the
    best class's, with the 95% ``interval`` and the standard error ``gap_error``; all 0 for the best
    class. ``share``: its mean share of a search's visits. All of these are nan without a search.
    ``outcomes``: what it leads to by the first searches; None where there are no contracts, and
    where the values come from a proof."""

    cards: tuple[str, ...]
    behind: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    value: float = math.nan
    error: float = math.nan
    share: float = math.nan
    outcomes: Outcomes | None = None
    gap_error: float = 0.0


@dataclass(frozen=True)
class Gain:
    """What the class ``cards`` gains over another that is proven as good, ``over``, where the round
    is played on by agents that see their own hands alone and may err: ``points`` with the 95%
    ``interval``, in ``deals`` possible deals."""

    cards: tuple[str, ...]
    over: tuple[str, ...]
    points: float
    interval: tuple[float, float]
    deals: int


@dataclass(frozen=True)
class Proof:
    """What solving all possible deals, ``deals`` of them, with open hands shows. In ``best_in`` of
    them no class is worth more than the best; ``dominated`` classes are worth more in none.
    ``rival``: the class that the judge's searches put first instead, if it may be better.
    ``gain``: of one of the best classes over another, if others err; None where none was found."""

    deals: int
    best_in: int
    dominated: tuple[tuple[str, ...], ...] = ()
    rival: tuple[str, ...] = ()
    gain: Gain | None = None

    @property
    def is_sure(self) -> bool:
        """Whether the best class is best however the cards lie."""
        return self.best_in == self.deals


@dataclass(frozen=True, eq=False)
class Conclusion:
    """What the judge concludes of a decision; points for the mover's partnership.

    ``kind``: ``CLEAR``, ``LEANS`` or ``TOSS_UP``. ``classes``: all of them, the best first.
    ``threshold``: the difference that matters. ``searches``: how many were made, of ``iterations``
    each (0: unknown); ``is_confirmed``: whether these are the longer, confirming ones. ``proof``:
    where the values come from if all deals were solved; the searches are then those that agree with
    it or not, 0 where none was needed."""

    kind: str
    classes: tuple[ClassValue, ...]
    threshold: float
    searches: int
    iterations: int = 0
    is_confirmed: bool = False
    proof: Proof | None = None

    @property
    def best(self) -> ClassValue:
        return self.classes[0]

    @property
    def open(self) -> list[ClassValue]:
        """The best class, and those that may be within the threshold of it."""
        others = [other for other in self.classes[1:] if other.interval[0] <= self.threshold]
        return [self.best, *others]

    @property
    def within(self) -> list[ClassValue]:
        """The best class, and those that are within the threshold of it."""
        others = [other for other in self.classes[1:] if other.interval[1] <= self.threshold]
        return [self.best, *others]

    @property
    def is_choice(self) -> bool:
        """Whether there was more than one class to choose from."""
        return len(self.classes) > 1

    @property
    def judged_best(self) -> list[ClassValue]:
        """The best class, in a toss-up all that are as good; empty without a choice."""
        if not self.is_choice:
            return []
        return self.within if self.kind == TOSS_UP else [self.best]

    @property
    def lead(self) -> float | None:
        """Points of the best class over the next; None without a choice."""
        return self.classes[1].behind if self.is_choice else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of ``lead``."""
        return self.classes[1].interval if self.is_choice else None

    def document(self) -> Document:
        """As JSON. ``cards``: the best class, then the classes that may be as good; ``proof``: the
        number of deals solved, and of those in which the best class is best."""
        return {
            "judge": JUDGE,
            "kind": self.kind,
            "cards": [list(candidate.cards) for candidate in self.open],
            **documents_of(self, ("lead", "interval", "searches", "iterations")),
            "proof": documents_of(self.proof, _PROVEN) if self.proof else None,
        }

    @property
    def is_settled(self) -> bool:
        return self.kind != LEANS

    @property
    def is_proven(self) -> bool:
        """Whether a proof settles it without a search."""
        return self.proof is not None and self.proof.is_sure

    @property
    def needs_confirmation(self) -> bool:
        """Whether longer searches are to confirm it: what is clear where there is a choice."""
        return self.kind == CLEAR and self.is_choice and not self.is_confirmed

    def confirmed(self, longer: "Conclusion | None") -> "Conclusion":
        """The conclusion of the longer, confirming searches, with the shorter ones' shares of
        visits; a leaning until there are enough of them."""
        if longer is None:
            return replace(self, kind=LEANS)
        shares = {known.cards: known.share for known in self.classes}
        classes = tuple(
            replace(candidate, share=shares[candidate.cards]) for candidate in longer.classes
        )
        return replace(longer, classes=classes, is_confirmed=True)

    def class_of(self, card: str) -> ClassValue:
        return next(candidate for candidate in self.classes if card in candidate.cards)


def confirming_iterations(iterations: int) -> int:
    """Iterations of the searches that confirm searches of ``iterations``."""
    return max(iterations, min(LONGER * iterations, LONGEST))


def next_look(searches: int, least: int = LEAST_SEARCHES) -> int:
    """After how many searches in all to judge again."""
    return max(least, searches + searches // 8)


def judge(
    items: Sequence[list],
    observation: Observation,
    threshold: float = THRESHOLD,
    *,
    least: int = LEAST_SEARCHES,
    iterations: int = 0,
) -> Conclusion | None:
    """The conclusion from the items of a ``stability_series``; None before there are ``least``.
    With one legal class it is clear without a search. ``iterations``: of each search."""
    classes = equivalent_cards(observation)
    deck = observation.rules.cards
    names = [tuple(map(deck.format_card, cards)) for cards in classes]
    if len(classes) == 1:
        return Conclusion(CLEAR, (ClassValue(names[0]),), threshold, len(items), iterations)
    values, shares, outcomes = values_by_search(items, observation, classes)
    if len(values) < least:
        return None
    rows = compare(names, values)
    described = []
    for cards, share, leads_to in zip(names, shares.mean(axis=0), outcomes, strict=True):
        row = next(row for row in rows if row.cards == cards)
        described.append(replace(row, share=float(share), outcomes=leads_to))
    described.sort(key=lambda row: row.behind)
    kind = kind_of(described[1:], threshold)
    return Conclusion(kind, tuple(described), threshold, len(values), iterations)


def compare(names: Sequence[tuple[str, ...]], values: FloatArray) -> list[ClassValue]:
    """What each of several alternatives is worth by ``values`` (n, alternatives), points that are
    compared row by row: the best first."""
    from analysis.intervals import running_widths  # loads SciPy, which a first look does without

    n = len(values)
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / math.sqrt(n)
    best = int(means.argmax())
    gaps = values[:, [best]] - values
    n_pairs = len(names) * (len(names) - 1) // 2
    spreads = gaps.std(axis=0, ddof=1)
    widths = running_widths(spreads, n, n_means=n_pairs)
    rows = []
    for i, name in enumerate(names):
        gap = float(means[best] - means[i])
        width = float(widths[i])
        row = ClassValue(
            name,
            behind=gap,
            interval=(gap - width, gap + width),
            value=float(means[i]),
            error=float(errors[i]),
            gap_error=float(spreads[i]) / math.sqrt(n),
        )
        rows.append(row)
    return sorted(rows, key=lambda row: row.behind)


def kind_of(others: Sequence[ClassValue], threshold: float) -> str:
    """The kind of a decision, from how far all classes but the best are behind it."""
    if all(row.interval[0] > threshold for row in others):
        return CLEAR
    if any(row.interval[1] <= threshold for row in others):
        return TOSS_UP
    return LEANS


def values_by_search(
    items: Sequence[list], observation: Observation, classes: Sequence[Sequence[int]]
) -> tuple[FloatArray, FloatArray, list[Outcomes | None]]:
    """Values and shares of visits, (searches, classes), of the searches that visited every class,
    and outcomes by class. A class's value is the mean over the visits to all its cards."""
    if not items:
        nothing = np.zeros((0, len(classes)))
        return nothing, nothing, []
    index = {code: i for i, code in enumerate(cards_in(observation.legal_mask))}
    membership = np.zeros((len(index), len(classes)))  # 1 where a card is of a class
    for i, cards in enumerate(classes):
        membership[[index[code] for code in cards], i] = 1
    card_visits = np.array([item[1] for item in items], dtype=float)
    card_points = np.array([item[2] for item in items], dtype=float) * card_visits
    visits = card_visits @ membership
    points = card_points @ membership
    is_whole = np.all(visits > 0, axis=1)
    visits = visits[is_whole]
    points = points[is_whole]
    shares = visits / visits.sum(axis=1, keepdims=True)
    outcomes: list[Outcomes | None] = [None] * len(classes)
    if len(items[0]) > OUTCOMES and len(visits):
        card_sums = np.array([item[OUTCOMES] for item in items if len(item) > OUTCOMES], float)
        sums = np.swapaxes(card_sums, 1, 2) @ membership  # (searches, outcomes, classes)
        sums = sums[is_whole[: len(sums)]]
        means = (sums / visits[: len(sums), None]).mean(axis=0).T
        outcomes = [Outcomes.of(row, observation) for row in means]
    return points / visits, shares, outcomes
