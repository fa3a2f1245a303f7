"""A published claim beside what we find, and the one rule that says whether they agree.

**The rule.** A claim is a range of values (one number; from a to b; above a), widened on each side
by the margin that its row names: the difference that wouldn't matter. *Agrees*: the 95% interval of
ours lies within the widened range (two one-sided tests of equivalence at 2.5% each). *Differs*: it
lies outside. *Can't tell*: it does neither; more games would, and the row says how many. A claim
with one end ("above 50%") is widened by nothing; where nothing is printed, nothing can be told.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, ratio_interval, share_interval

AGREES, DIFFERS, CANT_TELL = "agrees", "differs", "can't tell"
UNKNOWN_CAUSE = "cause not found"
WINS, ACCURACY, KL, POINTS = 0.04, 0.01, 0.01, 2.0
"""Margins: of shares of games, of shares of cards, of KL, of points a round."""


class Claim(NamedTuple):
    """What a paper says: ``text`` as it says it, from ``low`` to ``high``; None: no end."""

    text: str
    low: float | None
    high: float | None
    margin: float = 0.0


NOT_PRINTED = Claim("not printed", None, None)


class Estimate(NamedTuple):
    """What we find: ``n`` of ``of`` (games, cards ...), ``interval`` at 95%."""

    value: float | None
    interval: Interval
    n: int
    of: str


def printed(value: float, margin: float, text: str = "") -> Claim:
    """A number that the paper prints."""
    return Claim(text or f"{value:g}", value, value, margin)


def above(value: float, text: str) -> Claim:
    return Claim(text, value, None)


def below(value: float, text: str) -> Claim:
    return Claim(text, None, value)


def verdict(interval: Interval, claim: Claim) -> str:
    """``agrees``, ``differs`` or ``can't tell``; see the rule above."""
    if interval is None or claim[1:3] == (None, None):
        return CANT_TELL
    least = -math.inf if claim.low is None else claim.low - claim.margin
    most = math.inf if claim.high is None else claim.high + claim.margin
    low, high = interval
    if least <= low and high <= most:
        return AGREES
    return DIFFERS if high < least or most < low else CANT_TELL


def n_to_tell(found: Estimate, claim: Claim) -> int | None:
    """About how many of them an interval would need that lies on one side of the nearest end of the
    claim, were the value what it is now; None where no number helps, or nothing is known."""
    if found.value is None or found.interval is None:
        return None
    half = (found.interval[1] - found.interval[0]) / 2
    ends = [
        end
        for end in (
            None if claim.low is None else claim.low - claim.margin,
            None if claim.high is None else claim.high + claim.margin,
        )
        if end is not None
    ]
    gap = min((abs(found.value - end) for end in ends), default=0.0)
    return None if gap == 0 else math.ceil(found.n * (half / gap) ** 2 - 1e-6)


def half_width(n: int, p: float = 0.5) -> float:
    """About half the 95% interval of a share over n independent trials."""
    return 1.96 * math.sqrt(p * (1 - p) / n)


def precision(*sizes: int, of: str = "games") -> str:
    """What shares over so many are worth: ``2,400 games: ±2.0%``."""
    return "; ".join(f"{n:,} {of}: ±{half_width(n):.1%}" for n in sizes)


def share(n_of: int, n: int, of: str) -> Estimate:
    """A share with Clopper and Pearson's interval."""
    return Estimate(n_of / n if n else None, share_interval(n_of, n), n, of)


def mean(values: NDArray, of: str, weights: NDArray | None = None) -> Estimate:
    """A mean over independent units, or a ratio of sums, with its interval over them."""
    weights = np.ones(len(values)) if weights is None else weights
    total = float(weights.sum())
    value = float(values.sum()) / total if total else None
    return Estimate(value, ratio_interval(values, weights), int(total), of)


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
        **about,
    }


def point(panel: str, series: str, x: float | str, found: Estimate) -> dict[str, Any]:
    """A point of a figure's picture, with its interval."""
    low, high = found.interval or (None, None)
    place = {"panel": panel, "series": series, "x": x}
    return {**place, "y": found.value, "low": low, "high": high}


def bare_point(panel: str, series: str, x: float | str, y: float) -> dict[str, Any]:
    """A point that has no interval, as most published ones."""
    return point(panel, series, x, Estimate(y, None, 0, ""))


def n_text(one: dict[str, Any]) -> str:
    return f"{one['n']:,} {one['of']}"


def verdict_text(one: dict[str, Any]) -> str:
    """The verdict; where nothing can be told, how many it would take."""
    if one["verdict"] == CANT_TELL and one["n_to_tell"]:
        return f"{CANT_TELL} below some {rounded(one['n_to_tell']):,}"
    return str(one["verdict"])


def rounded(n: int) -> int:
    """To two digits."""
    size = max(0, len(str(n)) - 2)
    return int(round(n, -size))


def count_verdicts(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many rows have each verdict."""
    return {
        name: sum(one["verdict"] == name for one in rows) for name in (AGREES, DIFFERS, CANT_TELL)
    }
