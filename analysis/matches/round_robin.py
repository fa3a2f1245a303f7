"""Every agent against every other: the matches that fill a league."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Unpack

from analysis.matches.match import DEFAULT_TARGET, MatchError, MatchPlan, complete_match
from analysis.runs.parts import Run, RunOptions
from analysis.runs.store import key_of
from spades.agents import parse_agent

USUAL_AGENTS = ("random", "human", "wrp", "srp", "srp+rb", "srp+ms", "srp+bis")
MAX_AGENTS = 20


@dataclass(frozen=True)
class RoundRobin:
    """The agents, each as its shortest text, and what all their matches have in common.

    ``games`` of every two agents. Raises ``MatchError`` for fewer than two agents or more
    than ``MAX_AGENTS``, and what ``MatchPlan`` raises.
    """

    agents: tuple[str, ...] = USUAL_AGENTS
    games: int = 400
    seed: int = 0
    target: int = DEFAULT_TARGET
    floor: int | None = None
    nil_only: bool = False

    def __post_init__(self) -> None:
        agents = tuple(dict.fromkeys(str(parse_agent(text)) for text in self.agents))
        if not 2 <= len(agents) <= MAX_AGENTS:
            raise MatchError(f"{len(agents)} different agents; 2 to {MAX_AGENTS} can meet")
        object.__setattr__(self, "agents", agents)
        _ = self.plans  # refuses numbers that no match takes

    @property
    def plans(self) -> list[MatchPlan]:
        """A match of every two agents."""
        return [
            MatchPlan(first, second, self.games, self.seed, self.target, self.floor, self.nil_only)
            for first, second in itertools.combinations(self.agents, 2)
        ]

    @property
    def key(self) -> str:
        return key_of("round-robin", {"matches": sorted(plan.key for plan in self.plans)})


def play_round_robin(
    robin: RoundRobin, **options: Unpack[RunOptions]
) -> list[dict[str, Any]] | None:
    """Play, one after the other, what the store lacks; all documents, None if cancelled before."""
    documents, plans = [], robin.plans
    with Run(len(plans) * robin.games, "games", **options) as run:
        for plan in plans:
            document = complete_match(plan, run)
            if document is None:
                return None
            documents.append(document)
    return documents
