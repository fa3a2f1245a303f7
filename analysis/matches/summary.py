"""Numbers of a match: win rate, points, nils and contracts, each with its interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, ratio_interval, share_interval
from spades.agents import PairResults
from spades.core.rules import Rules

CARDS_A_ROUND = 26  # of a partnership
SIDES = ("ns", "ew")


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
