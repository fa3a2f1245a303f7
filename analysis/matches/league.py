"""The league: all games of every pair of agents, and a rating of each agent.

Only matches by one set of rules are compared, whose agents still play as they did. Of matches
between the same two on the same seed the longest counts: it holds the others' games.
"""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_expit
from scipy.stats import norm

from analysis.intervals import CONFIDENCE, rate_columns
from analysis.matches.result import MatchResult, side_texts
from analysis.matches.shipped_league import all_results
from analysis.runs.store import Result, canonical
from analysis.text_tables import span
from spades.core.documents import Document
from spades.core.kernel import FloatArray, IntArray
from spades.core.rules import Rules

ELO = 400 / math.log(10)  # rating points for a factor e in the odds; 400 points are odds of 10
COLUMNS = (
    "first", "second", "games", "seed", "wins_first", "wins_second", "undecided", "rounds",
    "points_first", "points_second", "ms_first", "ms_second", "target", "floor", "nil_only",
    "rules", "code", "is_current", "key", "created",
)  # fmt: skip
PAIR_COLUMNS = (
    "first", "second", "games", "wins", "losses", "undecided", "win_rate", "low", "high", "rounds",
    "points_first", "points_second",
)  # fmt: skip
SUMS = ("games", "wins_first", "wins_second", "undecided", "rounds")
POINTS = ("points_first", "points_second")
VARIANT = ["rules", "nil_only", "is_current"]


Z95 = norm.ppf((1 + CONFIDENCE) / 2)
"""Standard errors to a side of an interval."""


class League(NamedTuple):
    """``pairs``: one row for every two agents that met. ``ratings``: one row an agent, best first.
    Shares and intervals are of decided games. ``rating`` in rating points (400 are odds of ten to
    one), the mean of the rated agents 0; ``behind``: how far an agent is below the first; both with
    standard error (``_se``) and interval (``_low``, ``_high``); missing where ``note`` says why."""

    pairs: pd.DataFrame
    ratings: pd.DataFrame


def known_matches(wrong: list[str] | None = None) -> pd.DataFrame:
    """``match_table`` of the store, and of the shipped matches that it lacks. ``wrong`` gets a
    message for each result that can't be read."""
    return match_table(all_results(_check, wrong))


def _check(stored: Result) -> None:
    """Raises an error unless a match's row and texts can be made."""
    _match_row(stored)
    side_texts(MatchResult.from_document(stored.answer))


def match_table(results: Iterable[Result]) -> pd.DataFrame:
    """One row a finished match, ``COLUMNS``; points are a round. ``rules`` is the JSON text of the
    options that aren't defaults, ``created`` seconds since 1970. Agents of other people have their
    version after their text: another one is another player."""
    return pd.DataFrame([_match_row(result) for result in results], columns=list(COLUMNS))


def _match_row(stored: Result) -> Document:
    result = MatchResult.from_document(stored.answer)
    same = ("games", "seed", "undecided", "rounds", "target", "floor", "nil_only", "code")
    return {
        **{name: getattr(result, name) for name in same},
        "first": result.title_of(result.ns),
        "second": result.title_of(result.ew),
        "wins_first": result.wins.ns,
        "wins_second": result.wins.ew,
        "points_first": result.points_per_round.ns,
        "points_second": result.points_per_round.ew,
        "ms_first": result.ms_per_move.ns,
        "ms_second": result.ms_per_move.ew,
        "rules": canonical(stored.question["rules"]),
        "is_current": result.is_current,
        "key": stored.key,
        "created": stored.created,
    }


@dataclass(frozen=True)
class Variant:
    """What the matches of a league have in common. ``rules``: JSON text of the options that aren't
    defaults. ``is_current``: whether agents and models still play as they did."""

    rules: str
    nil_only: bool
    is_current: bool = True

    @classmethod
    def of(cls, rules: Rules | None = None, *, nil_only: bool = False) -> Self:
        """Of today's agents by these rules, by default the default ones."""
        return cls(canonical((rules or Rules()).non_defaults()), nil_only)

    @property
    def name(self) -> str:
        """What a link calls it: ``500``, ``200_floor-100``, ``500_earlier``."""
        return "_".join(self._parts("{}", "floor{}", "{}.{}", "earlier"))

    @property
    def label(self) -> str:
        """For people: ``to 200 points, floor -100, nil-only``."""
        earlier = "as agents played earlier"
        return ", ".join(self._parts("to {} points", "floor {}", "{} {}", earlier))

    def _parts(self, target: str, floor: str, other: str, earlier: str) -> list[str]:
        """What distinguishes it from other leagues, by templates for target, floor and others."""
        options = json.loads(self.rules)
        parts = [target.format(options.pop("target", Rules.target))]
        if "losing_floor" in options:
            parts.append(floor.format(options.pop("losing_floor")))
        for name, value in sorted(options.items()):
            parts.append(other.format(name, value))
        if self.nil_only:
            parts.append("nil-only")
        if not self.is_current:
            parts.append(earlier)
        return parts


def variants(matches: pd.DataFrame) -> list[Variant]:
    """The leagues of a ``match_table``: those of this code first, then the newest first."""
    newest = matches.groupby(VARIANT)["created"].max().sort_values(ascending=False)
    by_age = [
        Variant(rules, bool(nil_only), bool(is_current))
        for rules, nil_only, is_current in newest.index
    ]
    return sorted(by_age, key=lambda variant: not variant.is_current)


def matches_of(matches: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    """Those rows of a ``match_table`` that belong to one league."""
    wanted = [getattr(variant, column) for column in VARIANT]
    return matches[(matches[VARIANT] == wanted).all(axis=1)]


def league_of(matches: pd.DataFrame, variant: Variant) -> League:
    """The league of one variant from a ``match_table``. A match of an agent against itself says
    nothing of strength and is left out."""
    wanted = matches_of(matches, variant)
    pairs = pair_table(longest_of_seeds(wanted[wanted["first"] != wanted["second"]]))
    return League(pairs, rating_table(pairs))


def longest_of_seeds(matches: pd.DataFrame) -> pd.DataFrame:
    """Of matches of the same two on one seed the longest, longest first: it holds the others."""
    ordered = matches.sort_values("games", ascending=False, kind="stable")
    return ordered.drop_duplicates(["first", "second", "seed"])


def pair_table(matches: pd.DataFrame) -> pd.DataFrame:
    """Every two agents that met: all their games together, from the view of ``first``. ``win_rate``
    with Clopper and Pearson's 95% interval ``low`` to ``high``; points a round of both, weighted
    by rounds."""
    sums = {name: matches[name].astype(np.int64) for name in SUMS}
    points = {name: matches[name].astype(float) * sums["rounds"] for name in POINTS}
    table = matches[["first", "second"]].assign(**sums, **points)
    met = table.groupby(["first", "second"], as_index=False).sum()
    met = met.rename(columns={"wins_first": "wins", "wins_second": "losses"})
    means = {name: met[name] / met["rounds"] for name in POINTS}
    return met.assign(**means, **_rates(met["wins"], met["losses"]))[list(PAIR_COLUMNS)]


def _rates(wins: ArrayLike, losses: ArrayLike) -> dict[str, NDArray]:
    columns = rate_columns(np.add(wins, losses), wins)
    return {"win_rate": columns["rate"], "low": columns["low"], "high": columns["high"]}


def rating_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """Bradley-Terry ratings of the agents in a ``pair_table``, best first.

    Agent i beats j with odds exp(s_i - s_j); the rating is s at the maximum of the likelihood over
    all decided games, times 400 / ln 10, and the standard errors, also that of a difference, come
    from the observed information. There are no draws (equal scores play on), and undecided games
    are left out. Games count as independent, though those of a pair share their deals: the true
    error is a little smaller or larger. A finite maximum needs that no group of agents has won, or
    lost, every game against the rest (Ford 1957): only the largest group for which that holds is
    rated."""
    agents = sorted({*pairs["first"], *pairs["second"]})
    wins = _win_matrix(pairs, agents)
    _, group = connected_components(csr_matrix(wins), directed=True, connection="strong")
    rated = group == np.bincount(group).argmax() if agents else np.zeros(0, dtype=bool)
    strength = np.full(len(agents), np.nan)
    error = np.full(len(agents), np.nan)
    behind = np.full(len(agents), np.nan)
    behind_error = np.full(len(agents), np.nan)
    if rated.sum() > 1:
        strength[rated], covariance = bradley_terry(wins[np.ix_(rated, rated)])
        error[rated] = np.sqrt(np.diag(covariance))
        behind[rated] = strength[rated].max() - strength[rated]
        behind_error[rated] = _errors_to(int(strength[rated].argmax()), covariance)
    else:
        rated[:] = False
    won = wins.sum(axis=1)
    lost = wins.sum(axis=0)
    table = pd.DataFrame(
        {
            "agent": agents,
            **_with_errors("rating", strength * ELO, error * ELO),
            **_with_errors("behind", behind * ELO, behind_error * ELO),
            "wins": won,
            "losses": lost,
            **_rates(won, lost),
            "note": list(map(_why_unrated, rated, won, lost)),
        }
    )
    return table.sort_values(["rating", "win_rate"], ascending=False, ignore_index=True)


def _with_errors(name: str, values: FloatArray, errors: FloatArray) -> dict[str, FloatArray]:
    """Columns of estimates, their standard errors and intervals; what is exact has none."""
    reach = np.where(errors.round(3) > 0, Z95 * errors, np.nan)
    return {
        name: values,
        f"{name}_se": errors,
        f"{name}_low": values - reach,
        f"{name}_high": values + reach,
    }


def _errors_to(first: int, covariance: FloatArray) -> FloatArray:
    """Standard errors of the differences of all estimates to one of them."""
    variances = np.diag(covariance)
    differences = variances + variances[first] - 2 * covariance[first]
    return np.sqrt(np.maximum(differences, 0.0))


def league_verdict(ratings: pd.DataFrame) -> str:
    """Who is first in a ``rating_table``, how far ahead of the next, and from how many of the
    others it is told apart: 95% for all of these comparisons together (Bonferroni).

    >>> pairs = pd.DataFrame({"first": ["a"], "second": ["b"], "wins": [80], "losses": [20]})
    >>> print(league_verdict(rating_table(pairs)))
    a rates highest of 2 agents: 241 Elo points above b (95%: 156 to 326).
    """
    rated = ratings[ratings["rating"].notna()]
    if rated.empty:
        return "No agent can be rated: none has both won and lost against another."
    first = rated.iloc[0]
    second = rated.iloc[1]
    others = rated.iloc[1:]
    interval = span((second["behind_low"], second["behind_high"]), ".0f")
    verdict = (
        f"{first['agent']} rates highest of {len(rated)} agents: {second['behind']:.0f} Elo "
        f"points above {second['agent']} (95%: {interval})"
    )
    if len(others) == 1:
        return f"{verdict}."
    reach_of_all = norm.ppf(1 - (1 - CONFIDENCE) / (2 * len(others)))
    n_apart = int((others["behind"] > reach_of_all * others["behind_se"]).sum())
    return f"{verdict}, and told apart from {n_apart} of the {len(others)} others."


def _win_matrix(pairs: pd.DataFrame, agents: list[str]) -> IntArray:
    """Games that agent i won against j, shape (n, n)."""
    first, second = (np.searchsorted(agents, pairs[name]) for name in ("first", "second"))
    wins = np.zeros((len(agents), len(agents)), dtype=np.int64)
    np.add.at(wins, (first, second), pairs["wins"].to_numpy(np.int64))
    np.add.at(wins, (second, first), pairs["losses"].to_numpy(np.int64))
    return wins


def _why_unrated(is_rated: np.bool_, won: np.int64, lost: np.int64) -> str:
    if is_rated:
        return ""
    if won + lost == 0:
        return "no decided game"
    if lost == 0:
        return "won every game: no finite rating"
    if won == 0:
        return "lost every game: no finite rating"
    return "not linked to the rated agents by both wins and losses"


def bradley_terry(wins: IntArray) -> tuple[FloatArray, FloatArray]:
    """Log-strengths with mean 0 (n,) and their covariance (n, n), from games that i won against j
    (n, n). The wins must link all agents both ways, or there is no finite maximum."""
    games = wins + wins.T
    total = wins.sum()

    def loss(strength: FloatArray) -> tuple[float, FloatArray]:
        gap = strength[:, None] - strength[None, :]
        likelihood = float((wins * log_expit(gap)).sum())
        gradient = (games * expit(gap) - wins).sum(axis=1)
        return -likelihood / total, gradient / total

    fit = minimize(loss, np.zeros(len(wins)), jac=True, method="BFGS", options={"gtol": 1e-9})
    strength = fit.x - fit.x.mean()
    gap = strength[:, None] - strength[None, :]
    weights = games * expit(gap) * expit(-gap)
    information = np.diag(weights.sum(axis=1)) - weights
    return strength, np.linalg.pinv(information, hermitian=True)
