"""The league: what the store's matches say of every pair of agents, and one rating for each.

Only matches by one set of rules are compared, whose agents still play as they did. Of
matches between the same two on the same seed the longest counts, since it holds the others' games.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit

from analysis.intervals import share_interval
from analysis.matches.documents import is_current
from analysis.matches.match import MATCH
from analysis.matches.shipped_league import all_results
from analysis.runs.store import Result, ResultStore, canonical
from spades.core.rules import Rules

ELO = 400 / math.log(10)  # rating points for a factor e in the odds; 400 points are odds of 10
COLUMNS = (
    "first", "second", "games", "seed", "wins_first", "wins_second", "undecided", "rounds",
    "points_first", "points_second", "ms_first", "ms_second", "target", "floor", "nil_only",
    "rules", "code", "is_current", "key", "created",
)  # fmt: skip


@dataclass(frozen=True)
class League:
    """``pairs``: one row for every two agents that met. ``ratings``: one row an agent, best first.

    Shares and intervals are of decided games. ``rating`` and ``rating_se`` in rating points (400
    are odds of ten to one), the mean of the rated agents 0; missing where ``note`` says why.
    """

    pairs: pd.DataFrame
    ratings: pd.DataFrame


def stored_matches(store: ResultStore | None = None) -> pd.DataFrame:
    """One row a finished match of the store, ``COLUMNS``; points are a round.

    ``rules`` is the JSON text of the options that aren't defaults, ``created`` seconds since 1970.
    """
    return _match_table((store or ResultStore()).results(MATCH))


def known_matches(store: ResultStore | None = None) -> pd.DataFrame:
    """The same with the shipped matches that the store doesn't have."""
    return _match_table(all_results(store or ResultStore()))


def _match_table(results: Iterable[Result]) -> pd.DataFrame:
    return pd.DataFrame([_match_row(result) for result in results], columns=list(COLUMNS))


def _match_row(result: Result) -> dict[str, Any]:
    found = result.answer
    sides = {
        f"{name}_{column}": found[key][side]
        for name, key in (("wins", "wins"), ("points", "points_per_round"), ("ms", "ms_per_move"))
        for column, side in (("first", "ns"), ("second", "ew"))
    }
    same = ("games", "seed", "undecided", "rounds", "target", "floor", "nil_only", "code")
    return {
        "first": found["ns"],
        "second": found["ew"],
        **{name: found[name] for name in same},
        **sides,
        "rules": canonical(result.question["rules"]),
        "is_current": is_current(found),
        "key": result.key,
        "created": result.created,
    }


@dataclass(frozen=True)
class Variant:
    """What the matches of one league have in common.

    ``rules``: JSON text of the options that aren't defaults. ``is_current``: agents and models
    still play as they did then.
    """

    rules: str
    nil_only: bool
    is_current: bool = True

    @classmethod
    def of(cls, rules: Rules | None = None, *, nil_only: bool = False) -> Variant:
        """Of today's agents by these rules, by default the default ones."""
        return cls(canonical((rules or Rules()).non_defaults()), nil_only)

    @property
    def name(self) -> str:
        """What a link calls it: ``500``, ``200_floor-100``, ``500_earlier``."""
        target, floor, others = self._options
        parts = [str(target), *([] if floor is None else [f"floor{floor}"])]
        parts += [f"{option}.{value}" for option, value in others]
        parts += ["nil-only"] if self.nil_only else []
        parts += [] if self.is_current else ["earlier"]
        return "_".join(parts)

    @property
    def label(self) -> str:
        """For people: ``to 200 points, floor -100, nil-only``."""
        target, floor, others = self._options
        parts = [f"to {target} points", *([] if floor is None else [f"floor {floor}"])]
        parts += [f"{option} {value}" for option, value in others]
        parts += ["nil-only"] if self.nil_only else []
        parts += [] if self.is_current else ["as agents played earlier"]
        return ", ".join(parts)

    @property
    def _options(self) -> tuple[int, int | None, list[tuple[str, Any]]]:
        """Target, floor, and the other rules that aren't defaults."""
        options = json.loads(self.rules)
        target = options.pop("target", Rules.target)
        return target, options.pop("losing_floor", None), sorted(options.items())


def variants(matches: pd.DataFrame) -> list[Variant]:
    """The leagues of ``stored_matches``: those of this code first, then the newest first."""
    columns = ["rules", "nil_only", "is_current"]
    newest = matches.groupby(columns)["created"].max().sort_values(ascending=False)
    found = [Variant(rules, bool(nil), bool(current)) for rules, nil, current in newest.index]
    return sorted(found, key=lambda variant: not variant.is_current)


def matches_of(matches: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    """Those rows of ``stored_matches`` that belong to one league."""
    columns = ["rules", "nil_only", "is_current"]
    wanted = [getattr(variant, column) for column in columns]
    return matches[(matches[columns] == wanted).all(axis=1)]


def league_of(matches: pd.DataFrame, variant: Variant) -> League:
    """The league of one variant from ``stored_matches``.

    A match of an agent against itself says nothing of strength and is left out.
    """
    wanted = matches_of(matches, variant)
    wanted = wanted[wanted["first"] != wanted["second"]]
    pairs = pair_table(longest_of_seeds(wanted))
    return League(pairs, rating_table(pairs))


def longest_of_seeds(matches: pd.DataFrame) -> pd.DataFrame:
    """Of matches of the same two on one seed the longest, longest first: it holds the others."""
    ordered = matches.sort_values("games", ascending=False, kind="stable")
    return ordered.drop_duplicates(["first", "second", "seed"], keep="first")


def pair_table(matches: pd.DataFrame) -> pd.DataFrame:
    """Every two agents that met: all their games together, from the view of ``first``.

    ``win_rate`` with Clopper and Pearson's 95 % interval ``low`` to ``high``; points a round of
    both, weighted by rounds.
    """
    rows = []
    for (first, second), met in matches.groupby(["first", "second"], sort=True):
        wins, losses = int(met["wins_first"].sum()), int(met["wins_second"].sum())
        rounds = met["rounds"]
        rows.append(
            {
                "first": first,
                "second": second,
                "games": int(met["games"].sum()),
                "wins": wins,
                "losses": losses,
                "undecided": int(met["undecided"].sum()),
                **_rate(wins, losses),
                "rounds": int(rounds.sum()),
                "points_first": float((met["points_first"] * rounds).sum() / rounds.sum()),
                "points_second": float((met["points_second"] * rounds).sum() / rounds.sum()),
            }
        )
    columns = (
        "first", "second", "games", "wins", "losses", "undecided", "win_rate", "low", "high",
        "rounds", "points_first", "points_second",
    )  # fmt: skip
    return pd.DataFrame(rows, columns=list(columns))


def _rate(wins: int, losses: int) -> dict[str, float]:
    low, high = share_interval(wins, wins + losses) or (math.nan, math.nan)
    return {
        "win_rate": wins / (wins + losses) if wins + losses else math.nan,
        "low": low,
        "high": high,
    }


def rating_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """Bradley-Terry ratings of the agents in a ``pair_table``, best first.

    Agent i beats j with odds exp(s_i - s_j); the rating is s at the maximum of the likelihood over
    all decided games, times 400 / ln 10, and its standard error comes from the observed
    information. There are no draws (equal scores play on), and undecided games are left out. Games
    count as independent, though those of a pair share their deals: the true error is a little
    smaller or larger. A finite maximum needs that no group of agents has won, or lost, every game
    against the rest (Ford 1957): only the largest group for which that holds is rated.
    """
    agents = sorted({*pairs["first"], *pairs["second"]})
    wins = _win_matrix(pairs, agents)
    _, group = connected_components(csr_matrix(wins), directed=True, connection="strong")
    rated = group == np.bincount(group).argmax() if agents else np.zeros(0, dtype=bool)
    strength, error = np.full(len(agents), np.nan), np.full(len(agents), np.nan)
    if rated.sum() > 1:
        strength[rated], error[rated] = bradley_terry(wins[np.ix_(rated, rated)])
    else:
        rated[:] = False
    rows = []
    for i, agent in enumerate(agents):
        won, lost = int(wins[i].sum()), int(wins[:, i].sum())
        note = "" if rated[i] else _why_unrated(won, lost)
        rows.append(
            {
                "agent": agent,
                "rating": strength[i] * ELO,
                "rating_se": error[i] * ELO,
                "wins": won,
                "losses": lost,
                **_rate(won, lost),
                "note": note,
            }
        )
    columns = ["agent", "rating", "rating_se", "wins", "losses", "win_rate", "low", "high", "note"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values(["rating", "win_rate"], ascending=False, ignore_index=True)


def _win_matrix(pairs: pd.DataFrame, agents: list[str]) -> NDArray[np.int64]:
    """Games that agent i won against j, shape (n, n)."""
    index = {agent: i for i, agent in enumerate(agents)}
    wins = np.zeros((len(agents), len(agents)), dtype=np.int64)
    for row in pairs.itertuples():
        i, j = index[row.first], index[row.second]
        wins[i, j] += row.wins
        wins[j, i] += row.losses
    return wins


def _why_unrated(won: int, lost: int) -> str:
    if not won + lost:
        return "no decided game"
    if not lost:
        return "won every game: no finite rating"
    if not won:
        return "lost every game: no finite rating"
    return "not linked to the rated agents by both wins and losses"


def bradley_terry(wins: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log-strengths with mean 0 and their standard errors, from games that i won against j (n, n).

    The wins must link all agents both ways, or there is no finite maximum.
    """
    games, total = wins + wins.T, wins.sum()

    def loss(strength: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        gap = strength[:, None] - strength[None, :]
        likelihood = float((wins * log_expit(gap)).sum())
        return -likelihood / total, (games * expit(gap) - wins).sum(axis=1) / total

    found = minimize(loss, np.zeros(len(wins)), jac=True, method="BFGS", options={"gtol": 1e-9})
    strength = found.x - found.x.mean()
    gap = strength[:, None] - strength[None, :]
    weights = games * expit(gap) * expit(-gap)
    information = np.diag(weights.sum(axis=1)) - weights
    return strength, np.sqrt(np.diag(np.linalg.pinv(information, hermitian=True)))
