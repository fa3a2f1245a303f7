"""The searches of logs there are: those of the results folder, and those shipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.disagreements.files import (
    KIND,
    Damaged,
    PartFile,
    begun,
    covered,
    flaw,
    shipped,
    sound_and_damaged,
)
from analysis.disagreements.search import LogSearchPlan
from analysis.runs.store import key_of
from spades.core.errors import SpadesError
from spades.notation.log_store import list_logs

ASKED = ("log", "content", "agent", "iterations", "seed")
Asked = tuple[str, str, int]
"""What a search is chosen by: its log, agent and seed."""


@dataclass(frozen=True)
class Found:
    """What there is of a search: the parts of ``question``, and whether today's code asks it.

    ``is_shipped``: it came with the project, searched by an earlier agent. ``damaged``: parts that
    can't be read; their rounds aren't searched.
    """

    question: dict[str, Any]
    parts: tuple[PartFile, ...] = ()
    is_shipped: bool = False
    damaged: tuple[Damaged, ...] = ()

    @property
    def key(self) -> str:
        return key_of(KIND, self.question)

    @property
    def rounds(self) -> int:
        """Rounds searched."""
        return sum(end - first for _, first, end in covered(self.parts))


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


def list_searches() -> list[Asked]:
    """Searches with something to see, shipped ones first, then those begun last."""
    logs = {entry.name for entry in list_logs() if entry.is_readable}
    questions = [facts["question"] for _, facts in shipped()] + begun()
    listed: list[Asked] = []
    for question in questions:
        try:
            plan = LogSearchPlan(question["log"], 1, question["agent"], question["seed"])
            found = find(plan) if plan.log in logs else None
        except (SpadesError, KeyError, TypeError):
            continue  # a log or a model that is gone, or a question of other code
        if found is not None and found.rounds:
            listed.append((plan.log, plan.agent, plan.seed))
    return list(dict.fromkeys(listed))
