"""A published claim, our estimate, and the one rule that says whether they agree.

**The rule.** A claim is a range of values (one number; from a to b; above a), widened on each side
by the margin that its row names: the difference that wouldn't matter. *Agrees*: the 95% interval of
ours lies within the widened range (two one-sided tests of equivalence at 2.5% each). *Differs*: it
lies outside. *Can't tell*: it does neither; more games would, and the row says how many. A claim
with one end ("above 50%") is widened by nothing; where nothing is printed, nothing can be told.

"No significant effect" is a test of its own: *differs* where our interval leaves out 0, that is
where the effect is significant; *agrees* where it holds 0 and lies within the margin. "Not
significantly weaker" is the same on one side: *differs* where the interval lies below the level.
"""

import math
from functools import partialmethod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, difference_interval, ratio_interval, share_interval
from analysis.papers.figures import PUBLISHED
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS
from spades.core.documents import Document

# Margins of the claims: the difference that wouldn't matter.
WINS = 0.04
"""Of shares of games."""
ACCURACY = 0.01
"""Of shares of cards."""
KL = 0.01
POINTS = 2.0
"""Points a round."""
MOST_TO_TELL = 10**9
"""More games than anybody plays."""


class Claim(NamedTuple):
    """What a paper says: ``text`` as it says it, from ``low`` to ``high``; None: no end.

    ``no_effect``: it says that what it names, 0 or a level, isn't significantly left.
    """

    text: str
    low: float | None
    high: float | None
    margin: float = 0.0
    no_effect: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        """Widened by the margin; infinite where there is none."""
        return self._widened(self.margin)

    @property
    def ends_to_leave(self) -> tuple[float, float]:
        """Ours differs where its interval lies beyond one: of a test of no effect, not widened."""
        return self._widened(0.0) if self.no_effect else self.ends

    def _widened(self, margin: float) -> tuple[float, float]:
        low = -math.inf if self.low is None else self.low - margin
        high = math.inf if self.high is None else self.high + margin
        return low, high

    @property
    def drawn(self) -> float:
        """Where a figure has what is printed, of a range its upper end; ``ValueError``: nowhere."""
        if self.low is None or self.high is None:
            raise ValueError(f"no number is printed: {self.text}")
        return self.high

    @classmethod
    def printed(cls, value: float, margin: float, text: str = "") -> Self:
        """A number that the paper prints."""
        return cls(text or f"{value:g}", value, value, margin)

    @classmethod
    def share(cls, value: float, margin: float) -> Self:
        """A share that the paper prints."""
        return cls.printed(value, margin, f"{value:.1%}")

    @classmethod
    def above(cls, value: float, text: str) -> Self:
        return cls(text, value, None)

    @classmethod
    def below(cls, value: float, text: str) -> Self:
        return cls(text, None, value)

    @classmethod
    def without_effect(cls, margin: float) -> Self:
        return cls("no significant effect", 0.0, 0.0, margin, no_effect=True)

    @classmethod
    def not_weaker(cls, level: float, margin: float) -> Self:
        """Not significantly below a level."""
        return cls("not significantly weaker", level, None, margin, no_effect=True)


NOT_PRINTED = Claim("not printed", None, None)


class Estimate(NamedTuple):
    """What we find: ``n`` of ``of`` (games, cards ...), ``interval`` at 95%. ``points``: of games
    won, how far their side is ahead, points a round, which tell more."""

    value: float | None
    interval: Interval
    n: int
    of: str
    points: "Estimate | None" = None

    @classmethod
    def share(cls, n_of: int, n: int, of: str) -> Self:
        """A share with Clopper and Pearson's interval."""
        return cls(n_of / n if n else None, share_interval(n_of, n), n, of)

    @classmethod
    def mean(cls, values: NDArray, of: str, weights: NDArray | None = None) -> Self:
        """A mean over independent units, or a ratio of sums, with its interval over them."""
        if weights is None:
            weights = np.ones(len(values))
        total = float(weights.sum())
        value = float(values.sum()) / total if total else None
        return cls(value, ratio_interval(values, weights), int(total), of)

    def less(self, other: Self) -> Self:
        """Less another one that is independent of it."""
        n = min(self.n, other.n)
        if self.value is None or other.value is None or not (self.interval and other.interval):
            return self._replace(value=None, interval=None, n=n, points=None)
        value = self.value - other.value
        interval = difference_interval(self.value, self.interval, other.value, other.interval)
        points = None
        if self.points and other.points:
            points = self.points.less(other.points)
        return self._replace(value=value, interval=interval, n=n, points=points)

    def over(self, other: Self) -> Self:
        """Divided by another one, above 0, that is independent of it."""
        n = min(self.n, other.n)
        if self.value is None or not other.value or not (self.interval and other.interval):
            return self._replace(value=None, interval=None, n=n, points=None)
        own_low, own_high = self.interval
        other_low, other_high = other.interval
        value = self.value / other.value
        down = np.hypot(self.value - own_low, value * (other_high - other.value))
        up = np.hypot(own_high - self.value, value * (other.value - other_low))
        interval = (value - float(down) / other.value, value + float(up) / other.value)
        return self._replace(value=value, interval=interval, n=n, points=None)


def mean_of(estimates: list[Estimate]) -> Estimate:
    """The mean of settings that were measured on the same decisions or deals.

    Its interval is as if all erred alike: no narrower than the mean's own.
    """
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    intervals = [estimate.interval for estimate in estimates if estimate.interval]
    lows, highs = zip(*intervals, strict=True)
    interval = (float(np.mean(lows)), float(np.mean(highs)))
    return estimates[0]._replace(value=float(np.mean(values)), interval=interval)


def verdict(interval: Interval, claim: Claim) -> str:
    """``agrees``, ``differs`` or ``can't tell``; see the rule above."""
    least, most = claim.ends
    is_printed = claim.low is not None or claim.high is not None
    if interval is None or not is_printed:
        return CANT_TELL
    low, high = interval
    lowest, highest = claim.ends_to_leave
    if high < lowest or highest < low:
        return DIFFERS
    return AGREES if least <= low and high <= most else CANT_TELL


def n_to_tell(estimate: Estimate, claim: Claim) -> int | None:
    """About how many an interval would need that lies on one side of the nearest end of the claim,
    were the value what it is now; None where no number of games helps, or nothing is known."""
    if estimate.value is None or estimate.interval is None:
        return None
    low, high = estimate.interval
    half_width = (high - low) / 2
    gap = min(abs(estimate.value - end) for end in claim.ends)
    if claim.no_effect:  # either the interval fits within the margin, or it leaves out 0
        least, most = claim.ends
        lowest, highest = claim.ends_to_leave
        gap = max(
            min(estimate.value - least, most - estimate.value),
            lowest - estimate.value,
            estimate.value - highest,
        )
    if gap in (0, math.inf):
        return None
    n = estimate.n * (half_width / gap) ** 2
    return math.ceil(n - 1e-6) if n < MOST_TO_TELL else None


def row(figure: str, what: str, claim: Claim, estimate: Estimate, **about: Any) -> Document:
    """A row of ``reproduce --json``. ``about``: ``unit``; ``settings``: what was played; ``on``:
    on what it ran; ``panel``, ``series``, ``x``: where it stands in the picture."""
    interval = estimate.interval
    points = estimate.points
    return {
        "id": figure,
        "claim": what,
        "published": claim.text,
        "published_range": [claim.low, claim.high],
        "ours": estimate.value,
        "interval": None if interval is None else list(map(float, interval)),
        "n": estimate.n,
        "of": estimate.of,
        "margin": claim.margin,
        "no_effect": claim.no_effect,
        "verdict": verdict(interval, claim),
        "n_to_tell": n_to_tell(estimate, claim),
        "points": points[:2] if points and points.interval else None,
        **about,
    }


class Sheet:
    """The document of a figure, row by row and point by point.

    ``axes``: titles of x and y; ``about``: what is the same of all its rows.
    """

    def __init__(self, figure: str, x_title: str, y_title: str, **about: Any) -> None:
        self.figure = figure
        self.about = about
        self.document: Document = {
            "rows": [],
            "points": [],
            "axes": [x_title, y_title],
            "readings": [],
        }

    def _add(self, rows: str, what: str, claim: Claim, estimate: Estimate, **about: Any) -> None:
        about = self.about | about
        self.document[rows].append(row(self.figure, what, claim, estimate, **about))

    row = partialmethod(_add, "rows")
    """Add a row."""
    reading = partialmethod(_add, "readings")
    """Add a row by another reading of the paper; it never counts."""

    def point(
        self,
        panel: str,
        series: str,
        x: float | str,
        y: Estimate | float,
        margin: float | None = None,
    ) -> None:
        """Add a point of the picture; a number has no interval. ``margin``: of a published one."""
        if not isinstance(y, Estimate):
            y = Estimate(y, None, 0, "")
        low, high = y.interval or (None, None)
        point = {"panel": panel, "series": series, "x": x, "y": y.value, "low": low, "high": high}
        self.document["points"].append({**point, "margin": margin})

    def published(self, panel: str, x: float | str, claim: Claim) -> None:
        """Add the point that a paper prints, with its margin; ``claim``: of the point's row."""
        self.point(panel, PUBLISHED, x, claim.drawn, claim.margin)

    def beside(self, panel: str, x: float | str, estimate: Estimate, claim: Claim) -> None:
        """Add two points to the picture: our value and the published one."""
        self.point(panel, "ours", x, estimate)
        self.published(panel, x, claim)
