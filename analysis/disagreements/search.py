"""A whole log searched once: every decision with a choice, by one agent, round after round on Dask.

Each decision is searched as Replay searches it, from what the seat to play sees, with the same
seed: a row of the Disagreements page and the page it opens show the same numbers. What a search
finds depends on the round, the agent, its iterations, the seed, the models it leans on and the
code, not on who searched, in which order or for how many rounds: a stopped search goes on, a
longer one takes over what a shorter one has found. Human models are no part of it: they are asked
when the numbers are put beside each other (``analysis.disagreements.found``).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from analysis.disagreements.files import (
    KIND,
    LogSearchError,
    Rows,
    begin,
    covered,
    gaps,
    joined,
    part_path,
    parts_of,
    read_part,
    rows_of,
    write_part,
)
from analysis.logs.simulate import seconds_a_round
from analysis.runs.agent_models import models_of
from analysis.runs.parts import Progress, dask_client, run_tasks
from analysis.runs.store import code_version, key_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.cards import N_SEATS, strength_of, suit_of
from spades.core.logs import ARRAYS, CODES, TABLES, Log
from spades.core.records import RoundRecord
from spades.notation.log_store import open_log, path_of
from spades.search.search import InvalidSearchError

STANDARD_AGENT = "ismcts:iterations=2500"
PART_SECONDS = 1.5
MAX_PART = 256
MAX_ROUNDS = 10_000_000
MAX_SEED = 2**31 - 1
VERSION = ("code", "tables", "models")
CardRow = tuple[int, int, int, int, float, float]


@dataclass(frozen=True)
class LogSearchPlan:
    """Which rounds of a log are searched, and how: the first ``rounds`` rows, all where there are
    fewer. ``agent`` is stored as the shortest text that names the same player; only ``ismcts``
    has visits."""

    log: str
    rounds: int
    agent: str = STANDARD_AGENT
    seed: int = 0

    def __post_init__(self) -> None:
        agent = parse_agent(self.agent)
        if not isinstance(agent.player, IsmctsPlayer):
            raise LogSearchError(f"{agent} doesn't search, so it has no visits; ismcts does")
        object.__setattr__(self, "agent", str(agent).partition("+")[0])
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise LogSearchError(f"{self.rounds} rounds; 1 to {MAX_ROUNDS:,} are legal")
        if not 0 <= self.seed <= MAX_SEED:
            raise LogSearchError(f"seed is {self.seed}; 0 to {MAX_SEED} are legal")

    @property
    def player(self) -> IsmctsPlayer:
        player = parse_agent(self.agent).player
        assert isinstance(player, IsmctsPlayer)
        return player

    def question(self) -> dict[str, Any]:
        """Everything that the rows depend on; the number of rounds is no part of it."""
        return {
            "log": self.log,
            "content": log_hash(self.log),
            "agent": self.agent,
            "iterations": self.player.iterations,
            "seed": self.seed,
            **self.version(),
        }

    def version(self) -> dict[str, Any]:
        return {**code_version(), **models_of(self.agent)}

    @property
    def key(self) -> str:
        return key_of(KIND, self.question())

    @property
    def part_size(self) -> int:
        """Rounds of a task, so that it takes about ``PART_SECONDS``."""
        return min(max(1, round(PART_SECONDS / self.seconds_a_round)), MAX_PART)

    @property
    def seconds_a_round(self) -> float:
        return N_SEATS * seconds_a_round(parse_agent(self.agent))


def log_hash(name: str) -> str:
    """Hash of a stored log's rounds, 16 hex digits."""
    path = path_of(name)
    return _log_hash(name, str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _log_hash(name: str, path: str, stamp: int) -> str:
    log, digest = open_log(name), hashlib.sha256()
    for column in (*ARRAYS, *CODES):
        digest.update(np.ascontiguousarray(getattr(log, column)).tobytes())
    for table in dict.fromkeys(TABLES.values()):
        digest.update(repr(getattr(log, table)).encode())
    return digest.hexdigest()[:16]


def run_log_search(
    plan: LogSearchPlan,
    *,
    client: Any = None,
    workers: int | None = None,
    scheduler: str | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> bool:
    """Search what is lacking of the plan's rounds; whether all are there at the end.

    ``client``: a Dask client to go on using; otherwise one is opened as
    ``dask_client`` does with ``workers`` and ``scheduler``.
    """
    log, question = open_log(plan.log), plan.question()
    folder, rounds = begin(question), min(plan.rounds, len(log))
    missing = gaps(parts_of(question), rounds, plan.part_size)
    done = rounds - sum(end - first for first, end in missing)
    progress = Progress(rounds, done, "rounds", time.monotonic(), done)
    tell(progress)
    if missing:
        tasks = [
            (plan, log.take(slice(first, end)).compact(), first, plan.version())
            for first, end in missing
        ]
        with nullcontext(client) if client else dask_client(workers, scheduler) as at_work:
            for index, rows in run_tasks(at_work, search_part, tasks, is_cancelled=is_cancelled):
                first, end = missing[index]
                write_part(part_path(folder, first, end), rows, question, first, end)
                progress.done += end - first
                tell(progress)
    return not gaps(parts_of(question), rounds, plan.part_size)


def search_part(plan: LogSearchPlan, log: Log, first: int, version: dict[str, Any]) -> Rows:
    """Search every round of a piece of a log, whose first is row ``first``. Runs on a worker."""
    if version != plan.version():
        raise LogSearchError(
            f"a worker runs other code, tables or models ({plan.version()}) than who asked "
            f"({version}): give both the same"
        )
    found: list[CardRow] = []
    refused = {}
    for i, record in enumerate(log.records(), first):
        try:
            found += _search_round(plan, record, i)
        except InvalidSearchError as error:
            refused[i] = str(error).partition(" | ")[0]
    return rows_of(found, refused)


def _search_round(plan: LogSearchPlan, record: RoundRecord, index: int) -> list[CardRow]:
    """Rows of every decision of a round that isn't forced."""
    player, rows = plan.player, []
    for ply, state in enumerate(record.positions()):
        seen = record.observe(state)
        legal = 0 if ply == len(record.plays) else seen.legal_mask
        if legal & (legal - 1) == 0:
            continue
        found = player.search(seen, plan.seed)
        for row in sorted(found.cards, key=lambda row: (suit_of(row.card), -strength_of(row.card))):
            values = (row.mean_value, row.standard_error)
            rows.append((index, ply, row.card, row.visits, *values))
    return rows


def stored_rows(plan: LogSearchPlan) -> Rows:
    """Everything that has been found of the plan's rounds, in order."""
    question = plan.question()
    return joined(
        read_part(part, question).within(first, min(end, plan.rounds))
        for part, first, end in covered(parts_of(question))
    )
