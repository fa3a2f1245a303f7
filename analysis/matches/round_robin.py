"""Every agent against every other: the matches that fill a league."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from analysis.matches.documents import stored_games
from analysis.matches.match import DEFAULT_TARGET, MatchError, MatchPlan, play_match
from analysis.runs.parts import Progress, dask_client
from analysis.runs.store import ResultStore, key_of
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
    robin: RoundRobin,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> list[dict[str, Any]] | None:
    """Play, one after the other, what the store lacks; all documents, None if cancelled before.

    The workers are those of ``play_match``, and stay up between matches.
    """
    store, plans = ResultStore(), robin.plans
    stored = {plan.key: stored_games(plan, store) for plan in plans}
    total, done = len(plans) * robin.games, sum(stored.values())
    progress = Progress(total, done, "games", time.monotonic(), done)
    tell(progress)
    documents = []
    with dask_client(workers, scheduler) if done < total else nullcontext() as client:
        for plan in plans:

            def tell_whole(one: Progress, key: str = plan.key) -> None:
                stored[key] = one.done
                progress.done = sum(stored.values())
                tell(progress)

            document = play_match(plan, client=client, tell=tell_whole, is_cancelled=is_cancelled)
            if document is None:
                return None
            documents.append(document)
    return documents
