"""One setting measured at once, as a sweep measures its settings, and how far that is.

Games, rounds and decisions are measured by turns, so that every number is there after a few seconds
and grows surer. The parts have the keys of every sweep: what one measured, no other measures again.
"""

from itertools import zip_longest
from typing import Any, NamedTuple, Unpack

from analysis.runs.tasks import RunOptions, Task, TaskRunner
from analysis.sweeps.run import Sweep, begin_sweep
from analysis.sweeps.sweep import DECISIONS_PART, ROUNDS_PART, Setting, SweepPlan

BENCH = "bench"
"""Name of the plans of single settings."""


class Amount(NamedTuple):
    """How much of a setting is measured: of ``sweep.COUNTS``."""

    label: str
    games: int
    decisions: int
    rounds: int


AMOUNTS = {
    "quick": Amount("a first look", 200, 1000, 200),
    "full": Amount("as the sweeps", 1000, 2000, 800),
}


def plan_of(setting: Setting, log: str, iterations: int, amount: Amount) -> SweepPlan:
    """The sweep of this setting alone, beside the unbiased search of so many iterations."""
    return SweepPlan(
        (setting,),
        amount.games,
        amount.decisions,
        amount.rounds,
        log=log,
        iterations=iterations,
        name=BENCH,
        title=setting.label,
    )


def measure_point(plan: SweepPlan, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """Measure what the store lacks of a plan's last setting: its document, None if cancelled."""
    sweep = Sweep(plan)
    begin_sweep(sweep)
    setting = plan.settings[-1]
    tasks = _by_turns(sweep, setting)
    with TaskRunner(len(tasks), "parts", **options) as runner:
        if not runner.complete(tasks):
            return None
    return sweep.document(setting)


def _by_turns(sweep: Sweep, setting: Setting) -> list[Task]:
    """A task of games, one of rounds, one of decisions and the same without a bias, and so on."""
    agent = sweep.agent(setting)
    kinds = (
        sweep.match_tasks(agent),
        sweep.tasks_of(ROUNDS_PART, agent),
        sweep.tasks_of(DECISIONS_PART, agent),
        sweep.tasks_of(DECISIONS_PART, sweep.plan.baseline),
    )
    return [task for turn in zip_longest(*kinds) for task in turn if task is not None]
