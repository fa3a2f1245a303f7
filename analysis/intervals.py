"""What a match says: win rate, points, nils and contracts, each with its interval.

Intervals are at 95 %. Shares of independent trials have Clopper and Pearson's (1934), as the papers
report them. The two games of a pair share their deals, so they aren't independent; what is, are
the pairs. A ratio of two sums over pairs (wins to games, points to rounds) also has the interval of
``ratio_interval``, in which a pair counts once: narrower than Clopper and Pearson's where luck
of the deal decides both games of a pair for opposite sides.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spades.agents import PairResults
from spades.core.rules import Rules

CONFIDENCE = 0.95
CARDS_A_ROUND = 26  # of a partnership
SIDES = ("ns", "ew")
Interval = tuple[float, float] | None


def share_interval(n_of: int, n: int) -> Interval:
    """Clopper and Pearson's interval of a share, None of nothing."""
    if not n:
        return None
    found = stats.binomtest(n_of, n).proportion_ci(CONFIDENCE, method="exact")
    return float(found.low), float(found.high)


def ratio_interval(numerators: NDArray, denominators: NDArray) -> Interval:
    """Interval of sum(numerators) / sum(denominators) over independent pairs.

    The delta method: with ratio r, pair i contributes e_i = numerator - r * denominator; the
    standard error is sqrt(n / (n - 1) * sum(e_i^2)) / sum(denominators), and Student's t has n - 1
    degrees of freedom. None for fewer than two pairs, and where no pair differs from the others:
    then they don't tell how much they would.
    """
    n, total = len(numerators), float(np.sum(denominators))
    if n < 2 or not total:
        return None
    ratio = float(np.sum(numerators)) / total
    residuals = np.asarray(numerators, dtype=float) - ratio * np.asarray(denominators, dtype=float)
    error = math.sqrt(n / (n - 1) * float(residuals @ residuals)) / total
    if error < 1e-12 * max(1.0, abs(ratio)):
        return None
    width = float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1)) * error
    return ratio - width, ratio + width


def match_summary(results: PairResults, rules: Rules) -> dict[str, Any]:
    """Numbers of a match, ``ns`` being the first agent and ``ew`` the second.

    ``win_rate`` is of the games that were decided: equal scores at the target play on, and one that
    is still open after 100 rounds is ``undecided`` and nobody's win. ``interval`` is Clopper and
    Pearson's over those games, ``interval_pairs`` over pairs. ``points_per_round`` are points of
    the game's score, bag penalties taken off (``penalty_per_round``). ``ms_per_move`` is the mean
    over the cards of timed games, forced ones too, as this machine took it.
    """
    winners = results.winners(rules)
    wins = [int((winners == side).sum()) for side in (0, 1)]
    decided = sum(wins)
    return {
        "wins": _by_side(wins),
        "undecided": int((winners < 0).sum()),
        "win_rate": wins[0] / decided if decided else None,
        "interval": share_interval(wins[0], decided),
        "interval_pairs": _clipped(
            ratio_interval((winners == 0).sum(axis=1), (winners >= 0).sum(axis=1))
        ),
        "rounds": int(results.rounds.sum()),
        **_points(results),
        "nil": _shares(results.nils_made, results.nils, "bid"),
        "contract": _shares(results.contracts_made, results.contracts, "bid"),
        "ms_per_move": _milliseconds(results),
    }


def _points(results: PairResults) -> dict[str, Any]:
    rounds = results.rounds.sum(axis=1)
    scores = results.scores.sum(axis=1)
    penalties, bags = (_totals(array) for array in (results.penalties, results.bags))
    n = int(rounds.sum())
    return {
        "points_per_round": _by_side([float(side.sum()) / n for side in scores.T]),
        "points_interval": _by_side([ratio_interval(side, rounds) for side in scores.T]),
        "points_difference": {
            "value": float((scores[:, 0] - scores[:, 1]).sum()) / n,
            "interval": ratio_interval(scores[:, 0] - scores[:, 1], rounds),
        },
        "bags_per_round": _by_side([bags[0] / n, bags[1] / n]),
        "penalty_per_round": _by_side([penalties[0] / n, penalties[1] / n]),
    }


def _shares(made: NDArray[np.int64], tried: NDArray[np.int64], what: str) -> dict[str, Any]:
    """How many were tried and made by each side, the share made and its interval."""
    return _by_side(
        [
            {
                what: n,
                "made": n_made,
                "share": n_made / n if n else None,
                "interval": share_interval(n_made, n),
            }
            for n_made, n in zip(_totals(made), _totals(tried), strict=True)
        ]
    )


def _milliseconds(results: PairResults) -> dict[str, Any]:
    """Mean time a card over the games that were timed."""
    is_timed = (results.nanoseconds > 0).any(axis=2)
    cards = CARDS_A_ROUND * int(results.rounds[is_timed].sum())
    spent = _totals(results.nanoseconds)
    return _by_side([nanoseconds / cards / 1e6 if cards else None for nanoseconds in spent])


def _totals(array: NDArray[np.int64]) -> list[int]:
    """Sum over all games by agent."""
    return [int(total) for total in array.sum(axis=(0, 1))]


def _by_side(values: list) -> dict[str, Any]:
    return dict(zip(SIDES, values, strict=True))


def _clipped(interval: Interval) -> Interval:
    return interval and (max(0.0, interval[0]), min(1.0, interval[1]))
