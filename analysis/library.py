"""Analyses in one call, as ``import spades`` offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.decisions.decision import (
    DEFAULT_MODEL,
    Decision,
    analyse_decision,
    analyse_observation,
    settings_of_agent,
)
from analysis.intervals import Interval
from analysis.matches.documents import match_summary
from spades.agents import Duel, parse_agent, play_pairs
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.records import RoundRecord
from spades.core.rules import Rules


def analyse(
    source: RoundRecord | Observation,
    ply: int | None = None,
    *,
    agent: str = "ismcts",
    models: Sequence[str] = (DEFAULT_MODEL,),
    seed: int = 0,
) -> Decision:
    """Search a decision and put beside it how likely humans play each card.

    ``source``: a round, of which the decision is the one with ``ply`` cards played, or an
    observation of the seat to play. ``agent``: whose search it is, as a text such as
    ``ismcts:iterations=10000``. ``models``: human models, by name or file.

    >>> import spades
    >>> (record,) = spades.read("bug-report-335")
    >>> decision = spades.analyse(record, 24, seed=1)
    >>> print(decision.played, decision.search_choice.card)
    H4 ST
    >>> for row in (decision.row("H4"), decision.row("ST")):
    ...     print(row.card, row.visits, f"{row.human['devlin2016']:.0%}")
    H4 276 44%
    ST 487 1%

    Raises ``SpadesError`` for a round without a ply or with one past its end, for an agent that
    gives cards no values, and where there is nothing to search."""
    settings = replace(settings_of_agent(agent), models=tuple(models), seed=seed)
    if isinstance(source, Observation):
        if ply is not None:
            raise SpadesError(f"ply is {ply}; an observation is of one ply, so none is given")
        return analyse_observation(source, settings)
    n_plays = len(source.plays)
    if ply is None or not 0 <= ply <= n_plays:
        raise SpadesError(f"ply is {ply}; 0 to {n_plays}, the cards played before, are legal")
    return analyse_decision(source, ply, settings)


@dataclass(frozen=True)
class MatchResult:
    """A match of ``first`` against ``second``, by games and points; intervals are at 95%.

    ``wins``: games that each won, and ``undecided`` ones. ``win_rate``: the first agent's share of
    the games decided, with Clopper and Pearson's interval, None where none was.
    ``points_difference``: points a round, first less second, with an interval over pairs."""

    first: str
    second: str
    games: int
    wins: tuple[int, int]
    undecided: int
    win_rate: float | None
    win_interval: Interval
    points_difference: float
    points_interval: Interval

    def __str__(self) -> str:
        lines = [f"{self.first} against {self.second}: {self.games:,} games"]
        if self.win_rate is None:
            lines.append("no game was decided")
        else:
            share = f"{self.win_rate:.1%}{_interval(self.win_interval, '.1%')}"
            lines.append(f"{self.first} won {self.wins[0]:,} of {sum(self.wins):,}, {share}")
        points = f"{self.points_difference:+.1f}{_interval(self.points_interval, '+.1f')}"
        lines.append(f"points a round, {self.first} less {self.second}: {points}")
        return "\n".join(lines)


def _interval(interval: Interval, spec: str) -> str:
    if interval is None:
        return ""
    low, high = interval
    return f" (95%: {low:{spec}} to {high:{spec}})"


def play_match(
    first: str,
    second: str,
    *,
    games: int = 100,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
) -> MatchResult:
    """Play two agents against each other, every deal twice with the sides exchanged.

    ``games``: an even number. ``rules``: those of the game, or the options that aren't default, as
    ``{"target": 200}``. Plays in this process and stores nothing; the command ``spades match``
    spreads over processes, goes on where it was stopped and keeps its result.

    >>> import spades
    >>> print(spades.play_match("srp+bis", "random+random", games=10, seed=1))
    srp+bis against random+random: 10 games
    srp+bis won 10 of 10, 100.0% (95%: 69.2% to 100.0%)
    points a round, srp+bis less random+random: +102.7 (95%: +91.2 to +114.2)

    Raises ``UnknownAgentError`` for a text that names no agent, and ``SpadesError`` for an odd
    number of games."""
    if games < 2 or games % 2:
        raise SpadesError(f"games is {games}; an even number from 2 on is legal")
    if not isinstance(rules, Rules):
        rules = Rules.from_options(rules or {})
    duel = Duel(parse_agent(first), parse_agent(second), rules)
    summary = match_summary(play_pairs(duel, seed, 0, games // 2), rules)
    points = summary["points_difference"]
    return MatchResult(
        first=first,
        second=second,
        games=games,
        wins=(summary["wins"]["ns"], summary["wins"]["ew"]),
        undecided=summary["undecided"],
        win_rate=summary["win_rate"],
        win_interval=summary["interval"],
        points_difference=points["value"],
        points_interval=points["interval"],
    )
