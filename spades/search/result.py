"""What a search found: a row for every legal card.

Point of view: every value here is in points for the partnership of the seat to play, the expected
difference (s_p - 10 b_p) - (s_o - 10 b_o) of the round (Whitehouse 2013, equation 1); with the
objective ``game``, in match points.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import Card
from spades.core.errors import IllegalPlayError, shown
from spades.core.winning import GameStakes
from spades.look.html import Row, bar, chip, element, figure, percent, table
from spades.search.settings import STANDARD_SETTINGS, SearchSettings


@dataclass(frozen=True)
class CardStatistics:
    """What a search found about one legal card.

    ``prior``: P that a human plays it, nan where no model was called. ``bias``: what that added to
    the card's value when the search ended, in points. ``policy``: of piKL, the probability with
    which the card is played."""

    card: Card
    visits: int
    availability: int
    mean_value: float
    standard_error: float
    prior: float = math.nan
    bias: float = 0.0
    policy: float = math.nan


@dataclass(frozen=True, repr=False)
class SearchResult:
    """Root statistics of a search, a row for every legal card, in the one order of cards.

    ``mean_value`` in points for the mover's partnership and ``standard_error`` of that mean (the
    iterations of a search are not independent draws: read it as a lower bound); both are nan for a
    card never visited. ``visit_curves`` (checkpoints, cards) are the visits at ``checkpoints``, a
    few dozen iteration counts. ``model_calls``: how often a human model was called, in
    ``queried_nodes`` of the tree. ``endings`` int32 (cards, k): how often the round ended in each
    way, a column a row of ``spades.search.outcomes.endings_from``; none where that wasn't counted.
    ``choice``: the card played, where that isn't the one visited most. ``stakes``: of the objective
    ``game``."""

    cards: tuple[CardStatistics, ...]
    checkpoints: NDArray[np.int64]
    visit_curves: NDArray[np.int32]
    iterations: int
    nodes: int
    seed: int
    seconds: float
    settings: SearchSettings
    endings: NDArray[np.int32]
    model_calls: int = 0
    queried_nodes: int = 0
    choice: Card | None = None
    stakes: GameStakes | None = None

    @classmethod
    def without_tree(cls, cards: Sequence[CardStatistics], choice: Card, seed: int) -> Self:
        """What an agent without a search tree found; ``choice``: the card that it plays."""
        k = len(cards)
        n = sum(row.visits for row in cards)
        curves = np.zeros((0, k), np.int32)
        endings = np.zeros((k, 0), np.int32)
        none = np.zeros(0, np.int64)
        settings = STANDARD_SETTINGS
        return cls(tuple(cards), none, curves, n, 0, seed, 0.0, settings, endings, choice=choice)

    @property
    def best(self) -> CardStatistics:
        """The move played: ``choice``, or most visits, then the higher value, then the lower
        card."""
        if self.choice is not None:
            return next(row for row in self.cards if row.card == self.choice)
        return max(self.cards, key=lambda row: (row.visits, row.mean_value, -row.card.code))

    def row(self, card: str) -> CardStatistics:
        """What was found about a legal card; ``IllegalPlayError`` for another one."""
        for row in self.cards:
            if row.card == card:
                return row
        legal = " ".join(row.card for row in self.cards)
        raise IllegalPlayError(f"{shown(card)} is no legal card here; legal: {legal}")

    def __repr__(self) -> str:
        return (
            f"<SearchResult {self.best.card} of {len(self.cards)} cards, "
            f"{self.iterations:,} iterations, seed {self.seed}>"
        )

    def __str__(self) -> str:
        """A table: the cards most visited first, the chosen one marked."""
        unit = "match points" if self.stakes else "points"
        width = max(len("card"), *(len(row.card.symbol) for row in self.cards))
        lines = [f"   {'card':{width}}  visits  share  value ({unit} ± standard error)"]
        for row in sorted(self.cards, key=lambda row: (-row.visits, row.card)):
            mark = ">" if row.card == self.best.card else " "
            share = row.visits / max(1, self.iterations)
            line = f" {mark} {row.card.symbol:{width}}  {row.visits:6,}  {share:5.1%}"
            if row.visits:
                line += f"  {_value_text(row)}"
            lines.append(line)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same table as a notebook shows it."""
        longest = max(1, *(row.visits for row in self.cards))
        iterations = max(1, self.iterations)
        unit = "match points" if self.stakes else "points"
        rows = []
        for row in sorted(self.cards, key=lambda row: (-row.visits, row.card)):
            is_best = row.card == self.best.card
            share = percent(row.visits / iterations) + (" ★" if is_best else "")
            value = _value_text(row) if row.visits else "–"
            cells = [chip(row.card), bar(share, row.visits / longest), f"{row.visits:,}", value]
            rows.append(Row("is-choice" if is_best else "", cells))
        columns = [
            ("card", "Card"),
            ("search", "Search"),
            ("visits", "Visits"),
            ("value", f"Value, {unit} ± s.e."),
        ]
        title = f"{self.iterations:,} iterations, seed {self.seed}. ★ the card that it plays."
        return figure(element("p", "quiet", title), table(columns, rows, "decision", header="card"))

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Of the cards: piKL's policy, else their shares of the visits."""
        if not math.isnan(self.cards[0].policy):
            return np.array([row.policy for row in self.cards])
        return np.array([row.visits for row in self.cards]) / max(1, self.iterations)


def _value_text(row: CardStatistics) -> str:
    """A mean value and its standard error, with a minus sign as pages write it."""
    return f"{row.mean_value:+.1f} ± {row.standard_error:.1f}".replace("-", "−")


def mean_and_error(n: int, total: float, squares: float) -> tuple[float, float]:
    """Mean of ``n`` values by their sum and that of their squares, and its standard error; nan
    where ``n`` is too small."""
    if not n:
        return math.nan, math.nan
    mean = total / n
    variance = max(0.0, squares / n - mean * mean)
    return mean, math.sqrt(variance / (n - 1)) if n > 1 else math.nan
