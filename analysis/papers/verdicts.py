"""Verdicts on published claims, and how a stored row is written for people.

The rule that says which verdict a claim gets is in ``experiments/papers/claims.py``. A row is
``published`` (as printed), ``ours`` with its 95% ``interval``, ``n``, ``of`` (games, cards, ...),
``unit``, ``margin``, ``verdict`` and, where nothing can be told at this n, ``n_to_tell``.
"""

from collections.abc import Sequence

from analysis.intervals import Interval
from analysis.text_tables import points_text, shown, signed, span, with_interval
from spades.core.documents import Document

AGREES = "agrees"
DIFFERS = "differs"
CANT_TELL = "can't tell"
NO_N = "no n can tell"
"""Where ``CANT_TELL`` stays however much is played."""
OUTCOMES = (AGREES, DIFFERS, CANT_TELL, NO_N)
UNKNOWN_CAUSE = "cause not found"
UNITS_IN_PERCENT = ("share", "ratio", "P(made)")
"""How units begin whose numbers are written in percent."""
LONGEST_HOURS = 4 * 24 * 2
"""Of one core: four days of two cores. What takes longer isn't played here."""


def texts_of(row: Document) -> dict[str, str]:
    """What people read of a row: claim, published, ours, interval, points, n, verdict.

    ``points``: points a round beside games won; empty where the row has none.
    """
    form = _form_of(row)
    return {
        "claim": row["claim"],
        "published": row["published"],
        "ours": shown(row["ours"], form),
        "interval": span(row["interval"] or None, form),
        "points": _format_points(row),
        "n": f"{row['n']:,} {row['of']}",
        "verdict": verdict_text(row),
    }


def _form_of(row: Document) -> str:
    """How the numbers of a row are written: shares in percent, as papers print them."""
    return ".1%" if _is_in_percent(row) else ".4g"


def difference_text(value: float, interval: Interval, unit: str) -> str:
    """A difference of two numbers of a unit with its interval: of shares in percentage points.

    >>> difference_text(0.171, (0.164, 0.177), "share of cards")
    '+17.1 pp (+16.4 to +17.7)'
    """
    if not _is_in_percent({"unit": unit}):
        return with_interval(f"{signed(value, '+.3g')} {unit}", interval, "+.3g")
    in_points = [100 * end for end in interval] if interval else None
    return with_interval(f"{points_text(value)} pp", in_points, "+.1f")


def _is_in_percent(row: Document) -> bool:
    return str(row.get("unit", "")).startswith(UNITS_IN_PERCENT)


def _format_points(row: Document) -> str:
    if not row.get("points"):
        return ""
    value, interval = row["points"]
    return with_interval(signed(value), interval, "+.1f")


def outcome_of(row: Document) -> str:
    """The verdict of a row, or ``NO_N``."""
    if row["verdict"] == CANT_TELL and not row["n_to_tell"]:
        return NO_N
    return str(row["verdict"])


def takes_too_long(row: Document) -> bool:
    """Whether more games would tell, but not within four days of two cores."""
    hours = row.get("hours_to_tell")
    return outcome_of(row) == CANT_TELL and hours is not None and hours > LONGEST_HOURS


def verdict_text(row: Document) -> str:
    """The verdict with its margin; if undecided, the sample size that would decide."""
    outcome = outcome_of(row)
    if outcome == NO_N:
        return f"{NO_N}: {_why_no_n(row)}"
    if outcome == CANT_TELL:
        text = f"{CANT_TELL}: some {_two_digits(row['n_to_tell'])} {row['of']} would"
        return f"{text}, over four days of two cores" if takes_too_long(row) else text
    if row.get("no_effect"):
        effect = "not significant" if outcome == AGREES else "significant"
        return f"{outcome}: {effect}"
    if not row["margin"]:
        return outcome
    margin = _margin_text(row)
    published = _margin_is_around(row)
    if outcome == AGREES:
        return f"{AGREES}: within {margin} of {published}"
    return f"{DIFFERS}: more than {margin} from {published}"


def _why_no_n(row: Document) -> str:
    if row["interval"] is None:
        return "ours has no interval"
    if row["published_range"] == [None, None]:
        return "nothing is printed"
    return "ours lies on the margin" if row["margin"] else "ours lies on the bound"


def _two_digits(number: float) -> str:
    n = int(number)
    n_zeros = max(0, len(str(n)) - 2)
    return f"{round(n, -n_zeros):,}"


def _margin_text(row: Document) -> str:
    margin = row["margin"]
    if not _is_in_percent(row):
        return f"{margin:.3g}"
    in_points = f"{100 * margin:.3g}"
    return f"{in_points} point" if in_points == "1" else f"{in_points} points"


def _margin_is_around(row: Document) -> str:
    """What the margin is around: what is printed, without its own interval; 0 of what is level."""
    published = str(row["published"])
    if row["published_range"] == [0, 0] and not any(letter.isdigit() for letter in published):
        return "0"
    return published.partition(" ± ")[0]


def count_outcomes(rows: Sequence[Document]) -> dict[str, int]:
    """How many rows have each outcome."""
    outcomes = [outcome_of(row) for row in rows]
    return {outcome: outcomes.count(outcome) for outcome in OUTCOMES}
