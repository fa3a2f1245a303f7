"""A sweep carried out: what the store lacks of it, setting by setting, on Dask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from analysis.matches.match import expected_seconds as match_seconds
from analysis.matches.match import match_parts, store_match, stored_document
from analysis.runs.parts import Part, Run, RunOptions, part_size, ranges
from analysis.runs.store import ResultStore
from analysis.sweeps.documents import Measured, setting_document, sweep_document
from analysis.sweeps.parts import (
    BUDGET_DECISIONS,
    MAX_PART,
    HeldOut,
    budget_part,
    decisions_part,
    hold_out,
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

SECONDS_A_ROUND = 0.06  # of four searches of 2,500 iterations


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
        """Measures the iterations of equal time; no part of the progress."""
        trial, n = setting.agent(self.plan.iterations), len(self.held.choices)
        choices = (0, min(BUDGET_DECISIONS, n))
        question = self.plan.budget_question(setting)

        def arguments() -> tuple:
            return trial, self.plan.baseline, self.held.some_choices(*choices), self.plan.seed

        return Part.of_store((self.store, BUDGET, question), budget_part, arguments, (trial,), 0)

    def decision_ranges(self, agent: str) -> list[tuple[int, int]]:
        both = (parse_agent(agent), parse_agent(self.plan.baseline))
        seconds = sum(map(seconds_a_decision, both))
        return ranges(self.plan.decisions, part_size(seconds, MAX_PART))

    def round_ranges(self) -> list[tuple[int, int]]:
        """They don't depend on the agent: most of the time goes to the other three seats."""
        return ranges(self.plan.rounds, part_size(SECONDS_A_ROUND, MAX_PART))

    def parts(self, agent: str) -> list[Part]:
        """All that is measured of one agent."""
        decisions = [self._decisions(agent, *part) for part in self.decision_ranges(agent)]
        rounds = [self._rounds(agent, *part) for part in self.round_ranges()]
        match = self.plan.match_plan(agent)
        games = match_parts(match, self.store) if match else []
        return [*decisions, *rounds, *(replace(part, size=1) for part in games)]

    def _decisions(self, agent: str, first: int, end: int) -> Part:
        plan, question = self.plan, self.plan.part_question(agent, first, end)

        def arguments() -> tuple:
            return agent, plan.baseline, self.held.some_choices(first, end), plan.seed, first

        place = (self.store, DECISIONS_PART, question)
        return Part.of_store(place, decisions_part, arguments, (agent,))

    def _rounds(self, agent: str, first: int, end: int) -> Part:
        plan, question = self.plan, self.plan.part_question(agent, first, end)

        def arguments() -> tuple:
            return agent, plan.baseline, self.held.some_rounds(first, end), plan.seed, first

        return Part.of_store((self.store, ROUNDS_PART, question), rounds_part, arguments, (agent,))

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
        """How many parts a setting has whose agent is known, its match's included."""
        agent = self.agent(setting)
        assert agent is not None
        match = self.plan.match_plan(agent)
        n = len(self.decision_ranges(agent)) + len(self.round_ranges())
        return n + (len(match.ranges) if match else 0)

    def document(self, setting: Setting) -> dict[str, Any] | None:
        """What the store says of a setting; None while anything is missing."""
        question = self.plan.question(setting)
        found = self.store.get(SETTING, question)
        if found is None and (measured := self._measured(setting)):
            found = setting_document(self.plan, self.held, setting, measured)
            self.store.put(SETTING, question, found)
        return found

    def _measured(self, setting: Setting) -> Measured | None:
        """The answers of a setting's parts; None while one is missing."""
        if (agent := self.agent(setting)) is None:
            return None
        match_plan = self.plan.match_plan(agent)
        match = stored_document(match_plan, self.store) if match_plan else None
        decisions = self._answers(DECISIONS_PART, agent, self.decision_ranges(agent))
        rounds = self._answers(ROUNDS_PART, agent, self.round_ranges())
        if decisions is None or rounds is None or (match_plan and match is None):
            return None
        baseline = self.plan.baseline
        usual = self._answers(DECISIONS_PART, baseline, self.decision_ranges(baseline))
        budget = self.store.get(BUDGET, self.plan.budget_question(setting))
        moves = [moves for part in rounds for moves in part["moves"]]
        return Measured(agent, decisions, usual, moves, budget, match)

    def _answers(
        self, kind: str, agent: str, parts: list[tuple[int, int]]
    ) -> list[dict[str, Any]] | None:
        questions = [self.plan.part_question(agent, *part) for part in parts]
        found = [self.store.get(kind, question) for question in questions]
        return [one for one in found if one] if all(found) else None


def run_sweep(plan: SweepPlan, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """Measure what the store lacks of a sweep: its document, None if cancelled before the end."""
    sweep = Sweep(plan)
    sweep.store.put(SWEEP, begun_question(plan), sweep.begun())
    missing = sweep.missing
    with Run(0, "parts", **options) as run:
        if not _complete(sweep, missing, run):
            return None
    documents = [sweep.document(setting) for setting in plan.settings]
    return sweep_document(plan, sweep.held.kind, [one for one in documents if one], plan.key)


def _complete(sweep: Sweep, missing: list[Setting], run: Run) -> bool:
    """Measure settings one after the other; whether all are done."""
    if not run.complete([sweep.budget(one) for one in missing if one.is_equal_time]):
        return False
    sizes = {setting: sweep.n_parts(setting) for setting in sweep.plan.settings}
    done = sum(size for setting, size in sizes.items() if setting not in missing)
    run.expect(sum(sizes.values()), done)
    for setting in missing:
        agent = sweep.agent(setting)
        assert agent is not None
        if not run.complete(sweep.parts(agent)):
            return False
        if match := sweep.plan.match_plan(agent):
            store_match(match, sweep.store)
        if sweep.document(setting) is None:
            return False
    return True


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
    return {"key": plan.key}
