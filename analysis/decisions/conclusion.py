"""The conclusion on a decision: which class of equivalent cards is best, and how sure that is.

Every class but the best *stands* in one of three ways beside it:

- *behind*: it gives points away, by all that is known,
- *as good*: it gives away no more than the threshold,
- *open*: neither is settled.

A decision is then

- *clear*: every other class is behind,
- *toss-up*: at least one other is as good,
- *leans*: neither is settled; if unlike judges put different classes first, the *judges differ*.

Cards and bids are compared by ``estimated``; samples without a model of their errors by
``compare``, which takes differences deal by deal, with intervals that hold at every look and for
all pairs at once. Where all possible deals can be solved, the proof comes first
(``analysis.decisions.proof``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from analysis.decisions.estimate import Estimate
from analysis.decisions.judge import PLAYER
from analysis.records import documents_of
from analysis.text_tables import signed, with_interval
from spades.core.cards import cards_in
from spades.core.documents import Document
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.search.outcomes import Outcomes

CLEAR = "clear"
LEANS = "leans"
DIFFER = "judges differ"
TOSS_UP = "toss-up"
BEHIND = "behind"
OPEN = "open"
AS_GOOD = "as good"
THRESHOLD = 1.0  # points
VAGUE = 5.0  # points, the standard error beyond which no class is as good
INTERVAL_SE = 1.96  # standard errors to a side of a 95% interval
BEST = "best"
FINE = "fine"
SLIP = "slip"
MISTAKE = "mistake"
GRADES = {BEST: 0.0, FINE: 3.0, SLIP: 8.0, MISTAKE: math.inf}
"""The words for a loss, and the most points that each stands for."""
SEARCH = "search"
NETWORK = "network"
GREEDY_NETWORK = "greedy network"
PLAYED_ON = "rounds played on"
SOLVER = "solved deals"
"""Judges, as views name them."""
_PROVEN = ("deals", "best_in", "gain")  # of a proof, as JSON


@dataclass(frozen=True)
class ClassValue:
    """A class of equivalent cards, judged; points for the mover's partnership.

    ``standing``: beside the best class, which is as good as itself. ``value``: its mean, with the
    standard error ``error``. ``behind``: how far that is below the best class's, with the 95%
    ``interval`` and the standard error ``gap_error``; all 0 for the best class. ``share``: its mean
    share of a search's visits. All of these are nan without a search. ``outcomes``: what it leads
    to; None where there are no contracts, and where the values come from a proof."""

    cards: tuple[str, ...]
    standing: str = AS_GOOD
    behind: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    value: float = math.nan
    error: float = math.nan
    share: float = math.nan
    outcomes: Outcomes | None = None
    gap_error: float = 0.0

    @property
    def loss(self) -> float:
        """Points that it gives away: none where it is the best or as good."""
        return 0.0 if self.standing == AS_GOOD else self.behind


class Loss(NamedTuple):
    """The ``points`` that a card gives away; ``is_settled``: whether that is more than a leaning
    and no judge puts the card first."""

    points: float
    is_settled: bool

    @property
    def grade(self) -> str:
        """The word for it, of ``GRADES``."""
        return next(grade for grade, most in GRADES.items() if self.points <= most)


@dataclass(frozen=True)
class Gain:
    """What the class ``cards`` gains over another that is proven as good, ``over``, where the round
    is played on by agents that see their own hands alone and may err: ``points`` with the 95%
    ``interval``, in so many ``rounds``."""

    cards: tuple[str, ...]
    over: tuple[str, ...]
    points: float
    interval: tuple[float, float]
    rounds: int


@dataclass(frozen=True)
class Proof:
    """What solving all possible deals, ``deals`` of them, with open hands shows. In ``best_in`` of
    them no class is worth more than the best; ``dominated`` classes are worth more in none.
    ``equals``: groups of several classes that are worth the same in every deal. ``gain``: of the
    best class over one that is proven as good, if others err; None where none was found."""

    deals: int
    best_in: int
    dominated: tuple[tuple[str, ...], ...] = ()
    equals: tuple[tuple[tuple[str, ...], ...], ...] = ()
    gain: Gain | None = None

    def equal_to(self, cards: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The other classes that are worth the same as a class in every deal."""
        groups = [group for group in self.equals if cards in group]
        return [other for group in groups for other in group if other != cards]

    @property
    def is_sure(self) -> bool:
        """Whether the best class is best however the cards lie."""
        return self.best_in == self.deals


class View(NamedTuple):
    """The class of ``cards`` that a judge, named ``by``, puts first."""

    by: str
    cards: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Conclusion:
    """What the judge concludes of a decision; points for the mover's partnership.

    ``kind``: ``CLEAR``, ``LEANS``, ``DIFFER`` or ``TOSS_UP``. ``classes``: all of them, the best
    first. ``threshold``: the difference that matters. ``rounds``: how many were played on.
    ``proof``: what solving all deals says, where that was done; the values are the proof's, if it
    is sure. ``views``: where judges differ, each one's best class."""

    kind: str
    classes: tuple[ClassValue, ...]
    threshold: float
    rounds: int = 0
    proof: Proof | None = None
    views: tuple[View, ...] = ()

    @property
    def best(self) -> ClassValue:
        return self.classes[0]

    @property
    def open(self) -> list[ClassValue]:
        """The best class, and those that may be as good."""
        others = [other for other in self.classes[1:] if other.standing != BEHIND]
        return [self.best, *others]

    @property
    def within(self) -> list[ClassValue]:
        """The best class, and those that are as good."""
        others = [other for other in self.classes[1:] if other.standing == AS_GOOD]
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
            "judge": PLAYER,
            "kind": self.kind,
            "cards": [list(candidate.cards) for candidate in self.open],
            **documents_of(self, ("lead", "interval", "rounds")),
            "views": {view.by: list(view.cards) for view in self.views},
            "proof": documents_of(self.proof, _PROVEN) if self.proof else None,
        }

    @property
    def is_settled(self) -> bool:
        return self.kind in (CLEAR, TOSS_UP)

    @property
    def is_proven(self) -> bool:
        """Whether a proof settles it without a search."""
        return self.proof is not None and self.proof.is_sure

    def class_of(self, card: str) -> ClassValue:
        return next(candidate for candidate in self.classes if card in candidate.cards)

    def loss_of(self, card: str) -> Loss:
        """What a card gives away: the one number of the page, the graph, the review, the report."""
        judged = self.class_of(card)
        is_first_somewhere = any(card in view.cards for view in self.views)
        is_best_of_many = judged is self.best and self.kind not in (CLEAR, TOSS_UP)
        is_unsettled = judged.standing == OPEN or is_first_somewhere or is_best_of_many
        return Loss(judged.loss, not is_unsettled)


def interval_around(points: float, error: float) -> tuple[float, float]:
    """The 95% interval of an estimate with the standard error ``error``."""
    return points - INTERVAL_SE * error, points + INTERVAL_SE * error


def estimate_text(points: float, error: float, unit: str = "points") -> str:
    """What an estimate says, as sentences have it; what is exact has no interval.

    >>> estimate_text(12.3, 2), estimate_text(26, 0)
    ('12.3 points (95%: 8.4 to 16.2)', '26.0 points')
    """
    interval = interval_around(points, error) if error else None
    return with_interval(f"{signed(points, '.1f')} {unit}", interval, ".1f", says="95%: ")


def next_look(rounds: int, least: int) -> int:
    """After how many rounds in all to judge again."""
    return max(least, rounds + rounds // 8)


def estimated(
    names: Sequence[tuple[str, ...]], estimate: Estimate, threshold: float = THRESHOLD
) -> list[ClassValue]:
    """What each of several alternatives is worth by an estimate, the best first.

    One is behind if on average it gives away more than the threshold, and the whole interval is
    above 0; it is as good if on average it gives away no more than the threshold, with a standard
    error of ``VAGUE`` points at most."""
    best = estimate.best
    rows = []
    for i, name in enumerate(names):
        lead, error = estimate.lead(best, i)
        interval = interval_around(lead, error)
        standing = OPEN
        if lead <= threshold and error <= VAGUE:
            standing = AS_GOOD
        elif lead > threshold and interval[0] > 0:
            standing = BEHIND
        row = ClassValue(
            name,
            standing,
            behind=lead,
            interval=interval,
            value=float(estimate.values[i]),
            error=math.sqrt(max(0.0, estimate.covariance[i, i])),
            gap_error=error,
        )
        rows.append(row)
    return sorted(rows, key=lambda row: row.behind)


def compare(
    names: Sequence[tuple[str, ...]], values: FloatArray, threshold: float = THRESHOLD
) -> list[ClassValue]:
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
        interval = (gap - width, gap + width)
        row = ClassValue(
            name,
            standing_of(interval, threshold),
            behind=gap,
            interval=interval,
            value=float(means[i]),
            error=float(errors[i]),
            gap_error=float(spreads[i]) / math.sqrt(n),
        )
        rows.append(row)
    return sorted(rows, key=lambda row: row.behind)


def standing_of(interval: tuple[float, float], threshold: float) -> str:
    """How a class stands, from the interval of how far it is behind the best."""
    low, high = interval
    if low > threshold:
        return BEHIND
    return AS_GOOD if high <= threshold else OPEN


def kind_of(others: Sequence[ClassValue]) -> str:
    """The kind of a decision, from how all classes but the best stand."""
    standings = [other.standing for other in others]
    if all(standing == BEHIND for standing in standings):
        return CLEAR
    return TOSS_UP if AS_GOOD in standings else LEANS


def shares_by_class(
    items: Sequence[list], observation: Observation, classes: Sequence[Sequence[int]]
) -> FloatArray:
    """Shares of visits, (searches, classes)."""
    visits = np.array([item[1] for item in items], float) @ _membership(observation, classes)
    return visits / visits.sum(axis=1, keepdims=True)


def _membership(observation: Observation, classes: Sequence[Sequence[int]]) -> FloatArray:
    """(legal cards, classes): 1 where a card is of a class."""
    index = {code: i for i, code in enumerate(cards_in(observation.legal_mask))}
    membership = np.zeros((len(index), len(classes)))
    for i, cards in enumerate(classes):
        membership[[index[code] for code in cards], i] = 1
    return membership


def values_by_search(
    items: Sequence[list], observation: Observation, classes: Sequence[Sequence[int]]
) -> tuple[FloatArray, FloatArray]:
    """Values and shares of visits, (searches, classes), of the searches that visited every class,
    from the items of a ``stability_series``. A class's value is the mean over the visits to all its
    cards."""
    if not items:
        nothing = np.zeros((0, len(classes)))
        return nothing, nothing
    membership = _membership(observation, classes)
    card_visits = np.array([item[1] for item in items], dtype=float)
    card_points = np.array([item[2] for item in items], dtype=float) * card_visits
    visits = card_visits @ membership
    points = card_points @ membership
    is_whole = np.all(visits > 0, axis=1)
    visits = visits[is_whole]
    return points[is_whole] / visits, visits / visits.sum(axis=1, keepdims=True)
