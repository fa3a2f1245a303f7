"""A whole log searched once: every decision with a choice, by one agent, round after round on Dask.

Each decision is searched as Replay does, with the same seed. What is found depends on the round,
the agent, the seed, the models it leans on and the code, not on how many rounds are searched in
which order: a stopped search goes on. Human models come in with ``analysis.disagreements.found``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from analysis.disagreements import files
from analysis.disagreements.files import Damaged, LogSearchError, PartFile, Question, Rows
from analysis.logs.simulate import seconds_a_round
from analysis.runs.parts import Part, Run, RunOptions, part_size
from analysis.runs.store import version_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.cards import N_SEATS, strength_of, suit_of
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.records import RoundRecord
from spades.notation.log_store import content_hash, list_logs, open_log
from spades.search.search import InvalidSearchError

STANDARD_AGENT = "ismcts:iterations=2500"
MAX_PART = 256
MAX_ROUNDS = 10_000_000
MAX_SEED = 2**31 - 1
ASKED = ("log", "content", "agent", "iterations", "seed")
CardRow = tuple[int, int, int, int, float, float]
Asked = tuple[str, str, int]
"""What a search is chosen by: its log, agent and seed."""


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

    def question(self) -> Question:
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
        return files.search_key(self.question())

    @property
    def part_size(self) -> int:
        """Rounds of a part."""
        return part_size(self.seconds_a_round, MAX_PART)

    @property
    def seconds_a_round(self) -> float:
        return N_SEATS * seconds_a_round(parse_agent(self.agent))

    def missing(self, n_rounds: int) -> list[tuple[int, int]]:
        """What is left to search, (first, end) of each part, of a log of ``n_rounds``."""
        return files.gaps(
            files.parts_of(self.question()), min(self.rounds, n_rounds), self.part_size
        )


def run_log_search(plan: LogSearchPlan, **options: Unpack[RunOptions]) -> bool:
    """Search what is missing of the plan's rounds; whether all are there at the end."""
    log, question = open_log(plan.log), plan.question()
    folder, rounds = files.begin(question), min(plan.rounds, len(log))
    parts = [_part(plan, log, folder, question, *gap) for gap in plan.missing(rounds)]
    with Run(rounds, "rounds", rounds - sum(part.size for part in parts), **options) as run:
        run.complete(parts)
    return not plan.missing(rounds)


def _part(
    plan: LogSearchPlan, log: Log, folder: Path, question: Question, first: int, end: int
) -> Part:
    path = files.part_path(folder, first, end)
    return Part(
        search_part,
        lambda: (plan, log.take(slice(first, end)).compact(), first),
        (plan.agent,),
        is_stored=lambda: files.is_sound(path, question),
        store=lambda rows: files.write_part(path, rows, question, first, end),
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
    return files.rows_of(found, refused)


def _search_round(plan: LogSearchPlan, record: RoundRecord, index: int) -> list[CardRow]:
    """Rows of every decision of a round that isn't forced."""
    player, rows = plan.player, []
    for ply, state in enumerate(record.positions()):
        seen = record.observe(state)
        if ply == len(record.plays) or seen.legal_mask.bit_count() < 2:
            continue
        cards = player.search(seen, plan.seed).cards
        for row in sorted(cards, key=lambda row: (suit_of(row.card), -strength_of(row.card))):
            values = (row.mean_value, row.standard_error)
            rows.append((index, ply, row.card, row.visits, *values))
    return rows


def stored_rows(plan: LogSearchPlan) -> Rows:
    """Everything that has been found of the plan's rounds, in order."""
    question = plan.question()
    return files.joined(
        files.read_part(part, question).within(first, min(end, plan.rounds))
        for part, first, end in files.covered(files.parts_of(question))
    )


@dataclass(frozen=True)
class Found:
    """What there is of a search: the parts of ``question``, and whether today's code asks it.

    ``is_shipped``: it came with the project, searched by an earlier agent. ``damaged``: parts that
    can't be read; their rounds aren't searched.
    """

    question: Question
    parts: tuple[PartFile, ...] = ()
    is_shipped: bool = False
    damaged: tuple[Damaged, ...] = ()

    @property
    def key(self) -> str:
        return files.search_key(self.question)

    @property
    def rounds(self) -> int:
        """Rounds searched."""
        return sum(end - first for _, first, end in files.covered(self.parts))


def find(plan: LogSearchPlan) -> Found:
    """What has been searched as the plan asks: by today's code, or else shipped by another's."""
    question = plan.question()
    parts, damaged = files.sound_and_damaged(question)
    for part, facts in [] if parts else files.shipped():
        theirs = facts["question"]
        if any(theirs.get(name) != question.get(name) for name in ASKED):
            continue
        if not (why := files.flaw(part, files.search_key(theirs))):
            return Found(theirs, (part,), True, tuple(damaged))
        damaged.append(Damaged(part, why))
    return Found(question, tuple(parts), damaged=tuple(dict.fromkeys(damaged)))


def list_searches() -> list[Asked]:
    """Searches with something to see, shipped ones first, then those begun last."""
    logs = {entry.name for entry in list_logs() if entry.is_readable}
    listed: list[Asked] = []
    for question in [facts["question"] for _, facts in files.shipped()] + files.begun():
        try:
            plan = LogSearchPlan(question["log"], 1, question["agent"], question["seed"])
            if plan.log in logs and find(plan).rounds:
                listed.append((plan.log, plan.agent, plan.seed))
        except (SpadesError, KeyError, TypeError):
            continue  # a log or a model that is gone, or a question of other code
    return list(dict.fromkeys(listed))
