"""A published claim beside what we find, and the one rule that says whether they agree.

**The rule.** A claim is a range of values (one number; from a to b; above a), widened on each side
by the margin that its row names: the difference that wouldn't matter. *Agrees*: the 95% interval of
ours lies within the widened range (two one-sided tests of equivalence at 2.5% each). *Differs*: it
lies outside. *Can't tell*: it does neither; more games would, and the row says how many. A claim
with one end ("above 50%") is widened by nothing; where nothing is printed, nothing can be told.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, ratio_interval, share_interval
from analysis.text_tables import shown

AGREES, DIFFERS, CANT_TELL = "agrees", "differs", "can't tell"
UNKNOWN_CAUSE = "cause not found"
IN_PERCENT = "share", "ratio", "P(made)"
"""How units begin whose numbers are written in percent."""
WINS, ACCURACY, KL, POINTS = 0.04, 0.01, 0.01, 2.0
"""Margins: of shares of games, of shares of cards, of KL, of points a round."""
MOST_TOLD = 10**9  # more than anybody plays


class Claim(NamedTuple):
    """What a paper says: ``text`` as it says it, from ``low`` to ``high``; None: no end."""

    text: str
    low: float | None
    high: float | None
    margin: float = 0.0

    @property
    def ends(self) -> tuple[float, float]:
        """Widened by the margin; infinite where there is none."""
        low = -math.inf if self.low is None else self.low - self.margin
        return low, math.inf if self.high is None else self.high + self.margin

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
        weights = np.ones(len(values)) if weights is None else weights
        total = float(weights.sum())
        value = float(values.sum()) / total if total else None
        return cls(value, ratio_interval(values, weights), int(total), of)

    def less(self, other: Self) -> Self:
        """Less another one that is independent of it."""
        n, own, theirs = min(self.n, other.n), self.interval, other.interval
        if self.value is None or other.value is None or own is None or theirs is None:
            return self._replace(value=None, interval=None, n=n, points=None)
        value = self.value - other.value
        down = float(np.hypot(self.value - own[0], theirs[1] - other.value))
        up = float(np.hypot(own[1] - self.value, other.value - theirs[0]))
        points = self.points.less(other.points) if self.points and other.points else None
        return self._replace(value=value, interval=(value - down, value + up), n=n, points=points)


def verdict(interval: Interval, claim: Claim) -> str:
    """``agrees``, ``differs`` or ``can't tell``; see the rule above."""
    least, most = claim.ends
    if interval is None or claim[1:3] == (None, None):
        return CANT_TELL
    low, high = interval
    if least <= low and high <= most:
        return AGREES
    return DIFFERS if high < least or most < low else CANT_TELL


def n_to_tell(found: Estimate, claim: Claim) -> int | None:
    """About how many of them an interval would need that lies on one side of the nearest end of the
    claim, were the value what it is now; None where no number to be played helps, as at that end
    itself, or nothing is known."""
    if found.value is None or found.interval is None:
        return None
    half = (found.interval[1] - found.interval[0]) / 2
    gap = min(abs(found.value - end) for end in claim.ends)
    n = found.n * (half / gap) ** 2 if 0 < gap < math.inf else math.inf
    return math.ceil(n - 1e-6) if n < MOST_TOLD else None


def precision(*sizes: int) -> str:
    """What shares over so many games are worth: ``2,400 games: ±2.0%``."""
    return "; ".join(f"{n:,} games: ±{1.96 * math.sqrt(0.25 / n):.1%}" for n in sizes)


def row(figure: str, what: str, claim: Claim, found: Estimate, **about: Any) -> dict[str, Any]:
    """A row of ``reproduce --json``. ``about``: ``unit``; ``settings``: what was played; ``on``:
    on what it ran; ``panel``, ``series``, ``x``: where it stands in the picture."""
    interval = found.interval
    return {
        "id": figure,
        "claim": what,
        "published": claim.text,
        "published_range": [claim.low, claim.high],
        "ours": found.value,
        "interval": None if interval is None else list(map(float, interval)),
        "n": found.n,
        "of": found.of,
        "margin": claim.margin,
        "verdict": verdict(interval, claim),
        "n_to_tell": n_to_tell(found, claim),
        "points": found.points[:2] if found.points and found.points.interval else None,
        **about,
    }


class Sheet:
    """The document of a figure, row by row and point by point; ``about``: of all its rows."""

    def __init__(self, figure: str, *axes: str, **about: Any) -> None:
        self.figure, self.about = figure, about
        self.document: dict[str, Any] = {"rows": [], "points": [], "axes": [*axes], "readings": []}

    def row(
        self, what: str, claim: Claim, found: Estimate, *, to: str = "rows", **about: Any
    ) -> None:
        """Add a row; ``to``: ``readings`` for one by another reading."""
        made = row(self.figure, what, claim, found, **(self.about | about))
        self.document[to].append(made)

    def point(self, panel: str, series: str, x: float | str, found: Estimate | float) -> None:
        """Add a point of the picture; a number has no interval, as most published ones."""
        value, interval = found[:2] if isinstance(found, Estimate) else (found, None)
        place, (low, high) = {"panel": panel, "series": series, "x": x}, interval or (None, None)
        self.document["points"].append({**place, "y": value, "low": low, "high": high})

    def beside(self, panel: str, x: float | str, found: Estimate, published: float) -> None:
        """Add what we find, and what the paper prints."""
        self.point(panel, "ours", x, found)
        self.point(panel, "published", x, published)


def _written(one: dict[str, Any], value: float | None) -> str:
    """A number as a row's own are written: shares in percent, as papers print them."""
    return shown(value, ".1%" if one.get("unit", "").startswith(IN_PERCENT) else ".4g")


def texts_of(one: dict[str, Any]) -> dict[str, str]:
    """What people read of a row: claim, published, ours, its interval, n, verdict; points a round
    beside games won."""
    ends = [_written(one, end) for end in one["interval"] or ()]
    value, (low, high) = one.get("points") or (None, (None, None))
    return {
        "claim": one["claim"],
        "published": one["published"],
        "ours": _written(one, one["ours"]),
        "interval": " to ".join(ends) or "-",
        "points": "" if low is None else f"{value:+.1f} [{low:+.1f}, {high:+.1f}]",
        "n": f"{one['n']:,} {one['of']}",
        "verdict": verdict_text(one),
    }


def verdict_text(one: dict[str, Any]) -> str:
    """The verdict; where nothing can be told, how many it would take."""
    if one["verdict"] == CANT_TELL and one["n_to_tell"]:
        n = int(one["n_to_tell"])
        return f"{CANT_TELL} below some {round(n, -max(0, len(str(n)) - 2)):,}"  # two digits
    return str(one["verdict"])


def count_verdicts(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many rows have each verdict."""
    return {
        name: sum(one["verdict"] == name for one in rows) for name in (AGREES, DIFFERS, CANT_TELL)
    }
