"""A whole log searched once: every decision with a choice, by one agent, round after round on Dask.

Each decision is searched as Replay searches it, from what the seat to play sees, with the same
seed: a row of the Disagreements page and the page it opens show the same numbers. What a search
finds depends on the round, the agent, its iterations, the seed, the models it leans on and the
code, not on who searched, in which order or for how many rounds: a stopped search goes on, a
longer one takes over what a shorter one has found. Human models are no part of it: they are asked
when the numbers are put beside each other (``analysis.disagreements.found``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from analysis.disagreements.files import (
    KIND,
    LogSearchError,
    Rows,
    begin,
    covered,
    gaps,
    is_sound,
    joined,
    part_path,
    parts_of,
    read_part,
    rows_of,
    write_part,
)
from analysis.logs.simulate import seconds_a_round
from analysis.runs.parts import Part, Run, RunOptions, part_size
from analysis.runs.store import key_of, version_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.cards import N_SEATS, strength_of, suit_of
from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import content_hash, open_log
from spades.search.search import InvalidSearchError

STANDARD_AGENT = "ismcts:iterations=2500"
MAX_PART = 256
MAX_ROUNDS = 10_000_000
MAX_SEED = 2**31 - 1
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
            "content": content_hash(self.log),
            "agent": self.agent,
            "iterations": self.player.iterations,
            "seed": self.seed,
            **self.version(),
        }

    def version(self) -> dict[str, Any]:
        return version_of(self.agent)

    @property
    def key(self) -> str:
        return key_of(KIND, self.question())

    @property
    def part_size(self) -> int:
        """Rounds of a part."""
        return part_size(self.seconds_a_round, MAX_PART)

    @property
    def seconds_a_round(self) -> float:
        return N_SEATS * seconds_a_round(parse_agent(self.agent))


def run_log_search(plan: LogSearchPlan, **options: Unpack[RunOptions]) -> bool:
    """Search what is missing of the plan's rounds; whether all are there at the end."""
    log, question = open_log(plan.log), plan.question()
    folder, rounds = begin(question), min(plan.rounds, len(log))
    missing = gaps(parts_of(question), rounds, plan.part_size)
    parts = [_part(plan, log, folder, question, *gap) for gap in missing]
    done = rounds - sum(part.size for part in parts)
    with Run(rounds, "rounds", done, **options) as run:
        run.complete(parts)
    return not gaps(parts_of(question), rounds, plan.part_size)


def _part(
    plan: LogSearchPlan, log: Log, folder: Path, question: dict[str, Any], first: int, end: int
) -> Part:
    path = part_path(folder, first, end)
    return Part(
        search_part,
        lambda: (plan, log.take(slice(first, end)).compact(), first),
        (plan.agent,),
        is_stored=lambda: is_sound(path, question),
        store=lambda rows: write_part(path, rows, question, first, end),
        size=end - first,
    )


def search_part(plan: LogSearchPlan, log: Log, first: int) -> Rows:
    """Search every round of a piece of a log, whose first is row ``first``. Runs on a worker."""
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
