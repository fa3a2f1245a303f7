"""A sweep carried out: what the store lacks of it, setting by setting, on Dask."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from analysis.matches.documents import expected_seconds as match_seconds
from analysis.matches.match import play_match
from analysis.runs.parts import Progress, dask_client, run_tasks
from analysis.runs.store import ResultStore, code_version
from analysis.sweeps.documents import setting_document, sweep_document
from analysis.sweeps.parts import (
    BUDGET_DECISIONS,
    HeldOut,
    budget_part,
    decisions_part,
    hold_out,
    part_size,
    ranges,
    rounds_part,
    seconds_a_decision,
)
from analysis.sweeps.sweep import (
    BUDGET,
    DECISIONS_PART,
    ROUNDS_PART,
    SETTING,
    SWEEP,
    Setting,
    SweepError,
    SweepPlan,
)
from spades.agents import parse_agent
from spades.notation.log_store import open_log

VERSION = ("code", "tables", "models")
SECONDS_A_ROUND = 0.06  # of four searches of 2,500 iterations


@dataclass(frozen=True)
class Part:
    """A task: the function and its arguments, and where its answer is kept."""

    kind: str
    question: dict[str, Any]
    function: Callable[..., dict[str, Any]]
    arguments: tuple


def check_amounts(plan: SweepPlan, n_choices: int, n_rounds: int) -> None:
    """Refuse a plan that asks for more of a log's held-out humans than there is."""
    for name, there in (("decisions", n_choices), ("rounds", n_rounds)):
        if getattr(plan, name) > there:
            raise SweepError(
                f"{name} is {getattr(plan, name):,}; the log {plan.log} has {there:,} "
                "held-out ones by humans"
            )


class Sweep:
    """A plan and the held-out play that it asks about; ``store`` is where everything is kept."""

    def __init__(self, plan: SweepPlan, store: ResultStore | None = None) -> None:
        self.plan = plan
        self.store = store or ResultStore()
        self.held: HeldOut = hold_out(open_log(plan.log), plan.seed)
        check_amounts(plan, len(self.held.choices), len(self.held.rounds))

    @property
    def missing(self) -> list[Setting]:
        """Settings that aren't in the store whole."""
        plan = self.plan
        return [one for one in plan.settings if not self.store.has(SETTING, plan.question(one))]

    def agent(self, setting: Setting) -> str | None:
        """A setting's agent; None while the iterations of equal time aren't measured."""
        if not setting.is_equal_time:
            return setting.agent()
        budget = self.store.get(BUDGET, self.plan.budget_question(setting))
        return None if budget is None else setting.agent(budget["iterations"])

    def budget(self, setting: Setting) -> Part:
        """The task that measures the iterations of equal time."""
        trial = setting.agent(self.plan.iterations)
        some = range(min(BUDGET_DECISIONS, len(self.held.choices)))
        choices = [self.held.choice(i) for i in some]
        arguments = (trial, self.plan.baseline, choices, self.plan.seed)
        return Part(BUDGET, self.plan.budget_question(setting), budget_part, arguments)

    def decision_ranges(self, agent: str) -> list[tuple[int, int]]:
        both = (parse_agent(agent), parse_agent(self.plan.baseline))
        return ranges(self.plan.decisions, part_size(sum(map(seconds_a_decision, both))))

    def round_ranges(self) -> list[tuple[int, int]]:
        """They don't depend on the agent: most of the time goes to the other three seats."""
        return ranges(self.plan.rounds, part_size(SECONDS_A_ROUND))

    def parts(self, agent: str) -> list[Part]:
        """The tasks of one agent, but for its match."""
        plan, held = self.plan, self.held
        found = []
        for first, end in self.decision_ranges(agent):
            choices = [held.choice(i) for i in range(first, end)]
            question = plan.part_question(agent, first, end)
            arguments = (agent, plan.baseline, choices, plan.seed, first)
            found.append(Part(DECISIONS_PART, question, decisions_part, arguments))
        for first, end in self.round_ranges():
            rounds = [
                (held.log.record(int(held.rounds[i])), int(held.seats[i]))
                for i in range(first, end)
            ]
            question = plan.part_question(agent, first, end)
            arguments = (agent, plan.baseline, rounds, plan.seed, first)
            found.append(Part(ROUNDS_PART, question, rounds_part, arguments))
        return found

    def begun(self) -> dict[str, Any]:
        """What the store says of a sweep that was begun."""
        plan = self.plan
        return {
            "plan": plan.document(),
            "asked": plan.asked(),
            "models": plan.models(),
            "humans": self.held.kind,
        }

    def n_parts(self, setting: Setting) -> int:
        """How many tasks a setting is, its match's included."""
        agent = self.agent(setting) or setting.agent(self.plan.iterations)
        match = self.plan.match_plan(agent)
        n = len(self.decision_ranges(agent)) + len(self.round_ranges())
        return n + (len(match.ranges) if match else 0)

    def document(self, setting: Setting) -> dict[str, Any] | None:
        """What the store says of a setting; None while anything is missing."""
        found = self.store.get(SETTING, self.plan.question(setting))
        if found is None and (agent := self.agent(setting)) is not None:
            found = setting_document(self, setting, agent)
            if found is not None:
                self.store.put(SETTING, self.plan.question(setting), found)
        return found


def run_sweep(
    plan: SweepPlan,
    *,
    client: Any = None,
    workers: int | None = None,
    scheduler: str | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any] | None:
    """Measure what the store lacks of a sweep: its document, None if cancelled before the end.

    ``client``: a Dask client to go on using; otherwise one is opened as
    ``dask_client`` does with ``workers`` and ``scheduler``.
    """
    sweep = Sweep(plan)
    sweep.store.put(SWEEP, begun_question(plan), sweep.begun())
    if missing := sweep.missing:
        with nullcontext(client) if client else dask_client(workers, scheduler) as at_work:
            if not _Work(sweep, at_work, tell, is_cancelled).settings(missing):
                return None
    documents = [sweep.document(setting) for setting in plan.settings]
    return sweep_document(plan, sweep.held.kind, [one for one in documents if one])


def expected_seconds(plan: SweepPlan) -> float:
    """About how long a sweep takes on one core, from nothing."""
    baseline = parse_agent(plan.baseline)
    usual = seconds_a_decision(baseline)
    seconds = 0.0
    for setting in plan.settings:
        agent = setting.agent(plan.iterations)
        own = seconds_a_decision(parse_agent(agent))
        seconds += plan.decisions * (own + usual) + plan.rounds * SECONDS_A_ROUND
        if match := plan.match_plan(agent):
            seconds += match_seconds(match)
    return seconds


def begun_question(plan: SweepPlan) -> dict[str, Any]:
    """What the store keeps a sweep under that has been begun."""
    return {"key": plan.key, **code_version()}


class _Work:
    """Carries out tasks with a client, counting them."""

    def __init__(
        self,
        sweep: Sweep,
        client: Any,
        tell: Callable[[Progress], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self.sweep = sweep
        self.client = client
        self.is_cancelled = is_cancelled
        self._tell = tell
        self._finished = 0  # tasks of the settings done
        self.progress = Progress(0, 0, "parts", time.monotonic())

    def settings(self, missing: list[Setting]) -> bool:
        """Measure settings one after the other; whether all are done."""
        if not self._budgets(missing):
            return False
        settings = self.sweep.plan.settings
        sizes = {setting: self.sweep.n_parts(setting) for setting in settings}
        done = [setting for setting in settings if setting not in missing]
        self._finished = sum(sizes[setting] for setting in done)
        total = sum(sizes.values())
        self.progress = Progress(total, self._finished, "parts", time.monotonic(), self._finished)
        for setting in missing:
            if not self._setting(setting):
                return False
            self._finished += sizes[setting]
            self._told(0)
        return True

    def _budgets(self, missing: list[Setting]) -> bool:
        waiting = [one for one in missing if one.is_equal_time and self.sweep.agent(one) is None]
        return self._carry_out([self.sweep.budget(one) for one in waiting])

    def _setting(self, setting: Setting) -> bool:
        sweep = self.sweep
        agent = sweep.agent(setting)
        assert agent is not None
        parts = sweep.parts(agent)
        if not self._carry_out(parts):
            return False
        if match := sweep.plan.match_plan(agent):
            n_parts = len(match.ranges)

            def tell(games: Progress) -> None:
                self._told(len(parts) + n_parts * games.done // games.total)

            if not play_match(match, client=self.client, tell=tell, is_cancelled=self.is_cancelled):
                return False
        return sweep.document(setting) is not None

    def _carry_out(self, parts: list[Part]) -> bool:
        """Do and store those parts that nobody has done yet; whether all are there."""
        store = self.sweep.store

        def is_needed(index: int) -> bool:
            return not store.has(parts[index].kind, parts[index].question)

        waiting = [i for i in range(len(parts)) if is_needed(i)]
        n_done = len(parts) - len(waiting)
        self._told(n_done)
        if waiting:
            tasks = [(parts[i].function, parts[i].arguments) for i in waiting]
            run = run_tasks(
                self.client,
                _call,
                tasks,
                is_needed=lambda index: is_needed(waiting[index]),
                is_cancelled=self.is_cancelled,
            )
            for index, made in run:
                part = parts[waiting[index]]
                store.put(part.kind, part.question, _answer(made, part))
                n_done += 1
                self._told(n_done)
        return all(store.has(part.kind, part.question) for part in parts)

    def _told(self, done_of_setting: int) -> None:
        if self.progress.total:  # known once the iterations of equal time are
            self.progress.done = min(self._finished + done_of_setting, self.progress.total)
            self._tell(self.progress)


def _call(function: Callable[..., dict[str, Any]], arguments: tuple) -> dict[str, Any]:
    return function(*arguments)


def _answer(made: dict[str, Any], part: Part) -> Any:
    version = {name: part.question[name] for name in VERSION if name in part.question}
    if made["version"] != version:
        raise SweepError(
            f"a worker runs other code, tables or models ({made['version']}) than this process "
            f"({version}): give both the same"
        )
    return made["answer"]
