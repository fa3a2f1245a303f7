"""A match before its end: what it will take and tell, how it stands, and rules to stop it early.

A rule is looked at after every part, in the order of the deals: where a match stops depends on its
plan alone. The interval is ``sequential_interval``, over pairs of games: a pair scores the share of
its games that the first agent won, an undecided one half. Looked at after every pair, it leaves out
the true share in at most 5% of all matches, whatever their length: between equals a match that is
to stop at "one is better" stops wrongly with at most that probability. Simulated with independent
games it did so in 1.5% of 20,000 matches of 400 games and in 2.3% of 8,000 of 2,000 games; who
stops at an interval for one look, in 39% and 51%. Who wins 55% of the games is told after 850
games, 60% after 220 (medians). A rule's match is no match of the league: those that stop are those
that luck has favoured.
"""

import math
from functools import lru_cache
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import Interval, sequential_interval, share_interval
from analysis.logs.simulate import ROUNDS_A_GAME, seconds_a_round
from analysis.matches.match import PART, MatchPlan, expected_seconds, match_parts
from analysis.runs.parts import Run, RunOptions
from analysis.runs.store import ResultStore, canonical
from analysis.text_tables import span
from spades.agents import Duel, PairResults, parse_agent, play_pairs
from spades.core.cards import HAND_SIZE
from spades.core.rules import Rules

ALL, CLEAR = "all", "clear"
STORED, LOOKED, USUAL = "the times of their stored matches", "a short look here", "a usual speed"
LONGEST_LOOK = 0.2  # seconds a round of an agent that may be looked at
WIDTHS = {"5": 0.05, "2": 0.02}
RULES = {
    ALL: "all games are played",
    CLEAR: "one is better (the interval leaves out 50%)",
    **{name: f"the interval is ±{name}%" for name in WIDTHS},
}
"""When a match ends; the number of games is the most it takes."""


class Standing(NamedTuple):
    """How a match stands after its first ``games``: the ``share`` that the first agent won, games
    undecided half, with its ``interval``; ``is_over``: by its rule."""

    games: int
    share: float
    interval: Interval
    is_over: bool


class Watch:
    """The standings of a match after each part that is stored, in the order of its deals, up to the
    first that is missing or the one after which its rule ends it."""

    def __init__(self, plan: MatchPlan, until: str = ALL) -> None:
        self.standings: list[Standing] = []
        self._plan, self._until, self._store = plan, until, ResultStore()
        self._left = list(plan.parts().items())[::-1]
        self._scores = np.zeros(0)

    def look(self) -> Standing | None:
        """Read what is new in the store: the last standing, None before there is one."""
        while self._left and not self.is_over:
            (first, end), question = self._left[-1]
            found = self._store.get(PART, question)
            if found is None:
                break
            self._left.pop()
            results = PairResults.from_document(found, end - first)
            played = results if self._plan == self._plan.ordered else results.swapped()
            scores = pair_scores(played.winners(self._plan.full_rules))
            self._scores = np.append(self._scores, scores)
            share, interval = float(self._scores.mean()), sequential_interval(self._scores)
            is_over = is_met(self._until, interval)
            self.standings.append(Standing(2 * len(self._scores), share, interval, is_over))
        return self.standings[-1] if self.standings else None

    @property
    def is_over(self) -> bool:
        return bool(self.standings) and self.standings[-1].is_over


def pair_scores(winners: NDArray) -> NDArray:
    """Share of each pair's games that the first agent won, from the winners (pairs, 2)."""
    return 0.5 + ((winners == 0).sum(axis=1) - (winners == 1).sum(axis=1)) / 4


def is_met(until: str, interval: Interval) -> bool:
    """Whether a rule ends a match that has this interval."""
    if until == ALL or interval is None:
        return False
    low, high = interval
    if until == CLEAR:
        return not low <= 0.5 <= high
    return (high - low) / 2 <= WIDTHS[until]


def play_until(plan: MatchPlan, until: str, **options: Unpack[RunOptions]) -> Standing | None:
    """Play the parts of a match in order until its rule is met, or all are played."""
    watch, is_cancelled = Watch(plan, until), options.get("is_cancelled", lambda: False)
    options["is_cancelled"] = lambda: bool(watch.look() and watch.is_over) or is_cancelled()
    with Run(plan.games, "games", **options) as run:
        run.complete(match_parts(plan, ResultStore()))
    return watch.look()


def standing_text(plan: MatchPlan, standing: Standing) -> str:
    """How a match stands, for people."""
    low, high = standing.interval or (0.0, 1.0)
    return (
        f"{plan.ns} wins {standing.share:.1%} of {standing.games:,} games against "
        f"{plan.ew}, 95% interval {span((low, high), '.1%')}, however often one looks"
    )


def sequential_verdict(plan: MatchPlan, standing: Standing) -> str:
    """Who is better, by the interval that holds at every look."""
    if not is_met(CLEAR, standing.interval):
        return f"No clear difference in games won: {standing_text(plan, standing)}."
    better, worse = (plan.ns, plan.ew) if standing.share > 0.5 else (plan.ew, plan.ns)
    return f"{better} wins more often than {worse}: {standing_text(plan, standing)}."


def half_width(games: int) -> float:
    """Of the 95% interval (Clopper-Pearson) around a share near one half of so many games."""
    low, high = share_interval(games // 2, games) or (0.0, 1.0)
    return (high - low) / 2


def games_for(width: float) -> int:
    """About how many games an interval of half this width takes, near one half; even."""
    return 2 * math.ceil((1.96 / width) ** 2 / 8)


def expected_time(plan: MatchPlan, matches: pd.DataFrame) -> tuple[float, str]:
    """About how many seconds a match takes on one core, and by what: times of its agents in a
    ``match_table``, a short look at their speed, or the usual speed where that would take long."""
    rules = canonical(plan.full_rules.non_defaults())
    alike = matches[(matches["rules"] == rules) & (matches["nil_only"] == plan.nil_only)]
    rounds_a_game = alike["rounds"].sum() / alike["games"].sum() if len(alike) else ROUNDS_A_GAME
    duel = plan.duel
    if duel.is_compiled:
        return expected_seconds(plan) * rounds_a_game / ROUNDS_A_GAME, USUAL
    times = [_seconds_of(side, matches) for side in (plan.ns, plan.ew)]
    usual, source = [2 * seconds_a_round(agent) for agent in (duel.first, duel.second)], STORED
    if not all(times):
        is_quick = max(usual) < LONGEST_LOOK
        source = LOOKED if is_quick else USUAL
        looked = [_looked(side) for side in (plan.ns, plan.ew)] if is_quick else usual
        times = [time or other for time, other in zip(times, looked, strict=True)]
    return plan.games * rounds_a_game * sum(times), source


@lru_cache(maxsize=64)
def _looked(agent: str) -> float:
    """Seconds of an agent for a round's cards, both seats, in two rounds played here and now."""
    round_only = Rules(target=1, losing_floor=-1)
    duel = Duel(parse_agent(agent), parse_agent("uct:iterations=1"), round_only)
    play_pairs(duel, 0, 0, 1)  # compiles
    played = play_pairs(duel, 0, 0, 1)
    return float(played.nanoseconds[:, :, 0].sum()) / 1e9 / int(played.rounds.sum())


def _seconds_of(agent: str, matches: pd.DataFrame) -> float:
    """What an agent took for a round's cards in its newest match, both seats; 0 without one."""
    sides = [
        matches.loc[matches[side] == agent, ["created", time]].set_axis(["created", "ms"], axis=1)
        for side, time in (("first", "ms_first"), ("second", "ms_second"))
    ]
    timed = pd.concat(sides).dropna().sort_values("created")
    return float(timed["ms"].iloc[-1]) * 2 * HAND_SIZE / 1000 if len(timed) else 0.0
