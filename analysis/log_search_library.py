"""The searches of logs there are: those of the results folder, and those shipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.log_search import LogSearchPlan
from analysis.log_search_files import (
    KIND,
    Damaged,
    Part,
    begun,
    covered,
    flaw,
    shipped,
    sound_and_damaged,
)
from analysis.store import key_of
from spades.errors import SpadesError
from spades.log_store import list_logs

ASKED = ("log", "content", "agent", "iterations", "seed")


@dataclass(frozen=True)
class Found:
    """What there is of a search: the parts of ``question``, and whether today's code asks it.

    ``is_shipped``: it came with the project, searched by other code. ``damaged``: parts that
    can't be read; their rounds aren't searched.
    """

    question: dict[str, Any]
    parts: tuple[Part, ...] = ()
    is_shipped: bool = False
    damaged: tuple[Damaged, ...] = ()

    @property
    def key(self) -> str:
        return key_of(KIND, self.question)

    @property
    def rounds(self) -> int:
        """Rounds searched."""
        return sum(end - first for _, first, end in covered(self.parts))


@dataclass(frozen=True)
class Listed:
    """A search that can be looked at: its log, agent and seed, and how many rounds it has."""

    log: str
    agent: str
    seed: int
    rounds: int
    of: int

    @property
    def asked(self) -> tuple[str, str, int]:
        return self.log, self.agent, self.seed


def find(plan: LogSearchPlan) -> Found:
    """What has been searched as the plan asks: by today's code, or else shipped by another's."""
    question = plan.question()
    parts, damaged = sound_and_damaged(question)
    if not parts:
        for part, facts in shipped():
            if not _asks_same(facts["question"], question):
                continue
            if why := flaw(part, key_of(KIND, facts["question"])):
                damaged.append(Damaged(part, why))
            else:
                return Found(facts["question"], (part,), True, tuple(damaged))
    return Found(question, tuple(parts), damaged=tuple(dict.fromkeys(damaged)))


def _asks_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in ASKED)


def list_searches() -> list[Listed]:
    """Searches with something to see, shipped ones first, then those begun last."""
    sizes = {entry.name: entry.n_rounds for entry in list_logs() if entry.is_readable}
    questions = [facts["question"] for _, facts in shipped()] + begun()
    listed: dict[tuple[str, str, int], Listed] = {}
    for question in questions:
        try:
            plan = LogSearchPlan(question["log"], 1, question["agent"], question["seed"])
            found = find(plan) if plan.log in sizes else None
        except (SpadesError, KeyError, TypeError):
            continue  # a log or a model that is gone, or a question of other code
        if found is not None and found.rounds:
            asked = (plan.log, plan.agent, plan.seed)
            listed.setdefault(asked, Listed(*asked, found.rounds, sizes[plan.log]))
    return list(listed.values())
