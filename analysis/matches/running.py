"""A match under way: its expected time and precision, how it stands, and rules to end it early.

The rule is checked after every part, in the order of the deals: where a match stops depends on its
plan alone. The interval is ``sequential_interval``, over pairs of games: a pair scores the share of
its games that the first agent won, an undecided one half. Looked at after every pair, it leaves out
the true share in at most 5% of all matches, whatever their length: between equals a match that is
to stop at "one is better" stops wrongly with at most that probability. Simulated with independent
games it did so in 1.5% of 20,000 matches of 400 games and in 2.3% of 8,000 of 2,000 games; stopping
by an interval for one look, in 39% and 51%. A winner of 55% of the games is told after 850 games,
of 60% after 220 (medians). Matches that a rule may end don't count in the league: luck favours
those that stop."""

import math
from functools import lru_cache
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import Interval, sequential_interval, share_interval
from analysis.logs.simulate import ROUNDS_A_GAME, seconds_a_round
from analysis.matches.match import PART, MatchPlan, expected_seconds, match_tasks
from analysis.runs.store import ResultStore, canonical
from analysis.runs.tasks import RunOptions, TaskRunner
from analysis.text_tables import span
from spades.agents import Duel, PairResults, parse_agent, play_pairs
from spades.core.cards import HAND_SIZE
from spades.core.rules import Rules

ALL = "all"
CLEAR = "clear"
STORED = "the times of their stored matches"
MEASURED = "a short look here"
USUAL = "a usual speed"
LONGEST_MEASURED = 0.2  # seconds a round of an agent whose speed is measured here
WIDTHS = {"5": 0.05, "2": 0.02}
RULES = {
    ALL: "all games are played",
    CLEAR: "one is better (the interval leaves out 50%)",
    **{name: f"the interval is ±{name}%" for name in WIDTHS},
}
"""When a match ends; the number of games is the most it takes."""


class Standing(NamedTuple):
    """How a match stands after its first ``games``: the ``share`` that the first agent won, with an
    undecided game counted half, and its ``interval``; ``is_over``: whether its rule ends it."""

    games: int
    share: float
    interval: Interval
    is_over: bool


class Standings:
    """``all``: the standings of a match after each of its stored parts, in the order of its deals.

    They end before the first missing part, or with the part after which the rule ends the match.
    """

    def __init__(self, plan: MatchPlan, until: str = ALL) -> None:
        self.all: list[Standing] = []
        self._plan = plan
        self._until = until
        self._store = ResultStore()
        self._parts_left = list(plan.parts().items())
        self._scores = np.zeros(0)

    def update(self) -> Standing | None:
        """Read new parts from the store; returns the last standing, None before the first."""
        while self._parts_left and not self.is_over:
            (first, end), question = self._parts_left[0]
            document = self._store.get(PART, question)
            if document is None:
                break
            del self._parts_left[0]
            self._add(PairResults.from_document(document, end - first))
        return self.all[-1] if self.all else None

    def _add(self, results: PairResults) -> None:
        """Add the results of the next part."""
        if self._plan != self._plan.ordered:
            results = results.swapped()
        scores = pair_scores(results.winners(self._plan.full_rules))
        self._scores = np.append(self._scores, scores)
        interval = sequential_interval(self._scores)
        standing = Standing(
            games=2 * len(self._scores),
            share=float(self._scores.mean()),
            interval=interval,
            is_over=is_met(self._until, interval),
        )
        self.all.append(standing)

    @property
    def is_over(self) -> bool:
        """Whether its rule has ended the match."""
        return bool(self.all) and self.all[-1].is_over


def pair_scores(winners: NDArray) -> NDArray:
    """Share of each pair's games that the first agent won, from the winners (pairs, 2)."""
    n_won = (winners == 0).sum(axis=1)
    n_lost = (winners == 1).sum(axis=1)
    return 0.5 + (n_won - n_lost) / 4


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
    standings = Standings(plan, until)
    is_cancelled = options.get("is_cancelled", lambda: False)

    def is_over() -> bool:
        standings.update()
        return standings.is_over or is_cancelled()

    options["is_cancelled"] = is_over
    with TaskRunner(plan.games, "games", **options) as runner:
        runner.complete(match_tasks(plan, ResultStore()))
    return standings.update()


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
    text = standing_text(plan, standing)
    if standing.share > 0.5:
        return f"{plan.ns} wins more often than {plan.ew}: {text}."
    return f"{plan.ew} wins more often than {plan.ns}: {text}."


def half_width(games: int) -> float:
    """Of the 95% interval (Clopper-Pearson) around a share near one half of so many games."""
    low, high = share_interval(games // 2, games) or (0.0, 1.0)
    return (high - low) / 2


def games_for(width: float) -> int:
    """About how many games an interval of half this width takes, near one half; even."""
    return 2 * math.ceil((1.96 / width) ** 2 / 8)


def expected_time(plan: MatchPlan, matches: pd.DataFrame) -> tuple[float, str]:
    """About how many seconds a match takes on one core, and the source of the estimate: the agents'
    times in a ``match_table``, a short measurement, or a usual speed where measuring takes long."""
    rules = canonical(plan.full_rules.non_defaults())
    alike = matches[(matches["rules"] == rules) & (matches["nil_only"] == plan.nil_only)]
    rounds_a_game = alike["rounds"].sum() / alike["games"].sum() if len(alike) else ROUNDS_A_GAME
    if plan.duel.is_compiled:
        return expected_seconds(plan) * rounds_a_game / ROUNDS_A_GAME, USUAL
    times, source = _round_seconds(plan, matches)
    return plan.games * rounds_a_game * sum(times), source


def _round_seconds(plan: MatchPlan, matches: pd.DataFrame) -> tuple[list[float], str]:
    """Seconds that each agent takes for a round's cards in both seats, and the source."""
    agents = (plan.ns, plan.ew)
    stored = [_stored_seconds(agent, matches) for agent in agents]
    if all(stored):
        return stored, STORED
    duel = plan.duel
    others = [2 * seconds_a_round(agent) for agent in (duel.first, duel.second)]
    programs = duel.first.programs + duel.second.programs
    source = USUAL
    # A connected program isn't called just to time it: it may have disconnected.
    if max(others) < LONGEST_MEASURED and all(program.runs_anywhere for program in programs):
        others = [_measured_seconds(agent) for agent in agents]
        source = MEASURED
    return [known or other for known, other in zip(stored, others, strict=True)], source


@lru_cache(maxsize=64)
def _measured_seconds(agent: str) -> float:
    """Seconds that an agent takes for a round's cards in both seats, measured by two rounds."""
    round_only = Rules(target=1, losing_floor=-1)
    duel = Duel(parse_agent(agent), parse_agent("uct:iterations=1"), round_only)
    play_pairs(duel, 0, 0, 1)  # compiles
    played = play_pairs(duel, 0, 0, 1)
    n_rounds = max(1, int(played.rounds.sum()))  # a program may finish none
    return float(played.nanoseconds[:, :, 0].sum()) / 1e9 / n_rounds


def _stored_seconds(agent: str, matches: pd.DataFrame) -> float:
    """Seconds that an agent took for a round's cards in both seats in its newest match, else 0."""
    columns = ["created", "ms"]
    sides = [
        matches.loc[matches[side] == agent, ["created", f"ms_{side}"]].set_axis(columns, axis=1)
        for side in ("first", "second")
    ]
    timed = pd.concat(sides).dropna().sort_values("created")
    if timed.empty:
        return 0.0
    return float(timed["ms"].iloc[-1]) * 2 * HAND_SIZE / 1000
