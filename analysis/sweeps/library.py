"""The sweeps there are: those shipped in ``data/sweeps`` and those begun in the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analysis.runs.store import Result, ResultStore, key_of
from analysis.sweeps.config import shipped_files, shipped_names, shipped_plan
from analysis.sweeps.documents import sweep_document
from analysis.sweeps.report import shipped_document
from analysis.sweeps.sweep import SETTING, SWEEP, SweepError, SweepPlan, setting_question
from spades.core.errors import SpadesError
from spades.core.records import SIMULATED_HUMAN

SHIPPED, STORED = "shipped", "stored"


@dataclass(frozen=True)
class Listed:
    """A sweep and what is known of it.

    ``id``: the name of a shipped one, the key of another. ``document``: results, None while there
    are none; ``source``: whether they are the shipped ones or those of the store. ``n_done`` of its
    settings are in the store by today's code. ``problem``: why today's code can't run it.
    """

    id: str
    title: str
    plan: SweepPlan | None
    document: dict[str, Any] | None
    source: str
    n_done: int = 0
    problem: str = ""

    @property
    def n_settings(self) -> int:
        return len(self.plan.settings) if self.plan else 0

    @property
    def is_finished(self) -> bool:
        return bool(self.plan) and self.n_done == self.n_settings

    @property
    def is_begun(self) -> bool:
        """Whether there is something left that a run would go on with."""
        return 0 < self.n_done < self.n_settings


def list_sweeps(store: ResultStore | None = None) -> list[Listed]:
    """Shipped sweeps by name, then those begun in the store, newest first."""
    store = store or ResultStore()
    answers = {result.key: result.answer for result in store.results(SETTING)}
    begun = [_Begun.of(result, answers) for result in store.results(SWEEP)]
    known = [one for one in begun[::-1] if one is not None]
    shipped = [_shipped(name, known) for name in shipped_names()]
    keys = {one.plan.key for one in shipped if one.plan and not one.problem}
    return [*shipped, *(_stored(one) for one in known if one.key not in keys)]


@dataclass(frozen=True)
class _Begun:
    """A sweep that was begun, and its finished settings' documents."""

    key: str
    plan: SweepPlan
    settings: list[dict[str, Any]]
    is_current: bool
    humans: str

    @classmethod
    def of(cls, result: Result, answers: dict[str, dict[str, Any]]) -> _Begun | None:
        try:
            plan = SweepPlan.from_document(result.answer["plan"])
            asked, models = result.answer["asked"], result.answer["models"]
            humans = result.answer["humans"]
            questions = [setting_question(one, plan.counts, asked, models) for one in plan.settings]
        except (SpadesError, KeyError, TypeError):
            return None  # made by code that had other fields
        found = [answers.get(key_of(SETTING, question)) for question in questions]
        key = str(result.question["key"])
        is_current = _asks(plan, asked, models)
        return cls(key, plan, [one for one in found if one], is_current, humans)


def _asks(plan: SweepPlan, asked: dict[str, Any], models: dict[str, str]) -> bool:
    """Whether today's code, log and models would ask the same."""
    try:
        return plan.asked() == asked and plan.models() == models
    except SpadesError:  # the log or a model is gone
        return False


def _stored(begun: _Begun) -> Listed:
    n_done = len(begun.settings) if begun.is_current else 0
    problem = (
        ""
        if begun.is_current
        else "the agents played otherwise then, or a model or the log is another"
    )
    document = _document(begun)
    title = begun.plan.title or begun.plan.name
    return Listed(begun.key, title, begun.plan, document, STORED, n_done, problem)


def _document(begun: _Begun) -> dict[str, Any] | None:
    if not begun.settings:
        return None
    document = sweep_document(begun.plan, begun.humans, begun.settings, begun.key)
    return {**document, "code": begun.settings[0]["code"]}


def _shipped(name: str, known: list[_Begun]) -> Listed:
    """A shipped sweep: the store's results if they are whole, else the shipped ones, else parts."""
    try:
        document = shipped_document(name)
    except SweepError:
        document = None
    try:
        plan = shipped_plan(name)
        key = plan.key
    except SpadesError as error:
        return _not_runnable(name, document, str(error))
    mine = next((one for one in known if one.key == key), None)
    n_done = len(mine.settings) if mine else 0
    if mine and (document is None or n_done == len(plan.settings)):
        return Listed(name, plan.title, plan, _document(mine), STORED, n_done)
    return Listed(name, plan.title, plan, document, SHIPPED, n_done)


def _not_runnable(name: str, document: dict[str, Any] | None, problem: str) -> Listed:
    """A shipped sweep whose models or log aren't here: its shipped results can still be seen."""
    title = document["title"] if document else name
    return Listed(name, title, None, document, SHIPPED, 0, problem)


def files_stamp() -> tuple[tuple[str, int], ...]:
    """Changes when a file of ``data/sweeps`` does."""
    return tuple((path.name, path.stat().st_mtime_ns) for path in shipped_files())


def is_simulated(document: dict[str, Any]) -> bool:
    return bool(document["humans"] == SIMULATED_HUMAN)
