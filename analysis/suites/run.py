"""An agent asked the positions of a suite, each with several seeds.

A task asks one position; its result is stored under what it depends on, so that a run is resumable
and what was asked is never asked again of an agent that behaves as it did.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Unpack

from analysis.decisions.settings import record_key
from analysis.intervals import share_interval
from analysis.records import documents_of
from analysis.runs.store import Question, ResultStore, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner
from analysis.suites.position import LISTS, PASSING, UNLISTED, SuitePosition
from analysis.suites.suite import Suite
from spades.agents import Agent, parse_agent
from spades.core.cards import Card
from spades.core.deal import derive_seed
from spades.core.documents import MAX_INT, Document
from spades.core.errors import SpadesError
from spades.core.observation import Observation

KIND = "suite"
"""The kind of stored result of a position asked."""
SEEDS = 10
MAX_SEEDS = 10_000


class SuiteError(SpadesError):
    """A run of a suite that can't be."""


@dataclass(frozen=True)
class SuitePlan:
    """Which agent is asked a suite. ``agent`` is stored as the shortest text that names the same
    agent; ``n_seeds``: how often it is asked each position, with seeds derived from ``seed``.

    Raises ``UnknownAgentError`` for an agent that isn't there, and ``SuiteError``."""

    suite: Suite
    agent: str
    seed: int = 0
    n_seeds: int = SEEDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "agent", str(parse_agent(self.agent)))
        if not 1 <= self.n_seeds <= MAX_SEEDS:
            raise SuiteError(f"{self.n_seeds} seeds a position; 1 to {MAX_SEEDS:,} are legal")
        if not 0 <= self.seed <= MAX_INT:
            raise SuiteError(f"seed is {self.seed}; 0 to {MAX_INT} are legal")
        if not self.suite.positions:
            raise SuiteError(f"{self.suite.name} has no position to ask")

    def question(self, position: SuitePosition) -> Question:
        """All that the cards chosen at a position depend on."""
        return {
            "record": record_key(position.record),
            "ply": position.ply,
            "agent": self.agent,
            "seed": self.seed,
            "seeds": self.n_seeds,
            **version_of(self.agent),
        }


class _Counted(Protocol):
    """How often an agent passed, ``of`` how many times."""

    @property
    def passed(self) -> int: ...

    @property
    def of(self) -> int: ...


class _PassRate:
    """The pass rate, and its interval over seeds."""

    @property
    def rate(self: _Counted) -> float:
        return self.passed / self.of

    @property
    def interval(self: _Counted) -> tuple[float, float] | None:
        """Clopper and Pearson's 95% interval of ``rate``."""
        return share_interval(self.passed, self.of)


@dataclass(frozen=True)
class PositionResult(_PassRate):
    """What an agent chose at a position. ``chosen``: how often each card, the most frequent first;
    of equivalent cards the one that it named."""

    position: SuitePosition
    chosen: dict[str, int]

    @property
    def id(self) -> str:
        return self.position.id

    @cached_property
    def by_list(self) -> dict[str, int]:
        """How often it chose a card of each list, or of none."""
        counts = dict.fromkeys((*LISTS, UNLISTED), 0)
        for card, n in self.chosen.items():
            counts[self.position.verdicts[card]] += n
        return counts

    @property
    def passed(self) -> int:
        """How often a card passed."""
        return sum(self.by_list[name] for name in PASSING)

    @property
    def of(self) -> int:
        """How often it was asked."""
        return sum(self.chosen.values())

    def document(self) -> Document:
        """As JSON."""
        return documents_of(self, ("id", "passed", "of", "rate", "interval", "chosen"))


@dataclass(frozen=True)
class ThemeResult(_PassRate):
    """How often an agent passed at the positions of a theme."""

    theme: str
    positions: int
    passed: int
    of: int


@dataclass(frozen=True)
class SuiteResult:
    """What an agent chose at every position of a suite, in its order. ``rate``: the mean of the
    positions' pass rates, which all have the same number of seeds."""

    name: str
    agent: str
    seed: int
    n_seeds: int
    positions: tuple[PositionResult, ...]

    @property
    def total(self) -> ThemeResult:
        """All positions together."""
        return _together("all", self.positions)

    @property
    def rate(self) -> float:
        return self.total.rate

    @property
    def themes(self) -> list[ThemeResult]:
        """By theme; a position counts in each of its own."""
        members: dict[str, list[PositionResult]] = {}
        for result in self.positions:
            for theme in result.position.themes:
                members.setdefault(theme, []).append(result)
        return [_together(theme, results) for theme, results in members.items()]

    def below(self, rate: float) -> list[PositionResult]:
        """The positions passed less often than ``rate``, the least often first."""
        failing = [result for result in self.positions if result.rate < rate]
        return sorted(failing, key=lambda result: result.rate)

    def document(self) -> Document:
        """As JSON."""
        return documents_of(self, ("agent", "positions", "rate"))


def _together(theme: str, results: Iterable[PositionResult]) -> ThemeResult:
    counted = list(results)
    n_passed = sum(result.passed for result in counted)
    n_asked = sum(result.of for result in counted)
    return ThemeResult(theme, len(counted), n_passed, n_asked)


def chosen_cards(observation: Observation, agent: Agent, seed: int, n_seeds: int) -> list[Card]:
    """The card that an agent plays, with each of ``n_seeds`` seeds derived from ``seed``."""
    format_card = observation.rules.cards.format_card
    return [
        format_card(agent.player.play(observation, derive_seed(seed, i))) for i in range(n_seeds)
    ]


def run_suite(plan: SuitePlan, **options: Unpack[RunOptions]) -> SuiteResult | None:
    """Ask the positions that aren't stored; None if it was cancelled."""
    store = ResultStore()
    positions = plan.suite.positions
    tasks = [_task(plan, position, store) for position in positions]
    with TaskRunner(len(tasks), "positions", **options) as runner:
        if not runner.complete(tasks):
            return None
    results = []
    for position in positions:
        cards = store.get(KIND, plan.question(position))
        assert cards is not None, "every task is complete"
        results.append(position_result(position, cards))
    return SuiteResult(plan.suite.name, plan.agent, plan.seed, plan.n_seeds, tuple(results))


def position_result(position: SuitePosition, cards: Iterable[Any]) -> PositionResult:
    """The result of a position at which these cards were played."""
    counts = Counter(map(str, cards))
    return PositionResult(position, dict(counts.most_common()))


def _task(plan: SuitePlan, position: SuitePosition, store: ResultStore) -> Task:
    def arguments() -> tuple[Observation, str, int, int]:
        return position.observation, plan.agent, plan.seed, plan.n_seeds

    place = (store, KIND, plan.question(position))
    return Task.of_store(place, _ask, arguments, agents=(plan.agent,))


def _ask(observation: Observation, agent: str, seed: int, n_seeds: int) -> list[str]:
    """``chosen_cards`` as texts, for the store."""
    return list(map(str, chosen_cards(observation, parse_agent(agent), seed, n_seeds)))
