"""A match's result made up by hand."""

from analysis.matches.result import BySide, Made, MatchResult, PointsDifference


def made_up(ns, ew, **change):
    """A result between two agents in which nothing but what is named is told."""
    nothing = BySide(None, None)
    unknown = Made(0, 0, None, None)
    numbers = {
        "games": 40, "seed": 1, "target": 500, "floor": None, "nil_only": False, "rules": {},
        "key": "k", "code": "c", "wins": BySide(20, 20), "undecided": 0, "win_rate": 0.5,
        "interval": (0.3, 0.7), "interval_pairs": None, "rounds": 400,
        "points_per_round": BySide(20.0, 20.0), "points_interval": nothing,
        "points_difference": PointsDifference(0.0, None), "bags_per_round": BySide(1.0, 1.0),
        "penalty_per_round": BySide(0.0, 0.0), "nil": BySide(unknown, unknown),
        "contract": BySide(unknown, unknown), "ms_per_move": nothing,
    }  # fmt: skip
    return MatchResult(ns=ns, ew=ew, **{**numbers, **change})
