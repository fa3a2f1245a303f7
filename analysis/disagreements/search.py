"""A whole log judged: every decision with a choice, round after round on Dask.

Each decision is judged as on Replay (``analysis.decisions.evidence``); the budget is a number of
rounds played on, not a time, so that results are reproducible: they depend on the round, the agent,
the seed, the budget, the models that the agent uses and the code, not on how many rounds are
searched in which order. Shares of visits are means over ``SEARCHES`` searches by the agent. Human
models come in with ``analysis.disagreements.table``.

A task searches one round; its result is stored at once, so that a search is resumable.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any, Unpack

import numpy as np

from analysis.decisions.conclusion import (
    LEANS,
    OPEN,
    THRESHOLD,
    ClassValue,
    Conclusion,
    shares_by_class,
)
from analysis.decisions.evidence import Evidence
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import settings_of_agent
from analysis.decisions.stability import item_of
from analysis.disagreements.plan import SEARCHES, LogSearchPlan
from analysis.disagreements.rows import (
    COLUMNS,
    KINDS,
    OUTCOMES,
    STANDINGS,
    Rows,
    round_document,
)
from analysis.disagreements.stored import begin, find
from analysis.runs.store import ResultStore
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges
from spades.core.cards import N_SEATS
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.steps import last_value
from spades.notation.log_store import open_log
from spades.search.settings import InvalidSearchError

ROUNDS_AT_ONCE = 256  # whose results are looked for before the first of them is searched


def missing_rounds(plan: LogSearchPlan, n_rounds: int) -> list[int]:
    """The rounds that the plan asks for, of a log of ``n_rounds``, that aren't searched yet."""
    search = find(plan)
    searched = () if search.is_shipped else search.rounds
    asked = range(min(plan.rounds, n_rounds))
    return sorted(set(asked).difference(searched))


def run_log_search(plan: LogSearchPlan, **options: Unpack[RunOptions]) -> bool:
    """Search the plan's missing rounds; False if it was cancelled."""
    log = open_log(plan.log)
    missing = missing_rounds(plan, len(log))
    if not missing:
        return True
    store = ResultStore()
    kind = begin(plan)

    def task(index: int) -> Task:
        def arguments() -> tuple[LogSearchPlan, Log, int]:
            return plan, log.take(slice(index, index + 1)).compact(), index

        place = (store, kind, {"round": index})
        return Task.of_store(place, search_round, arguments, agents=(plan.agent,))

    n_rounds = min(plan.rounds, len(log))
    n_searched = n_rounds - len(missing)
    with TaskRunner(n_rounds, "rounds", n_searched, **options) as runner:
        for first, end in ranges(len(missing), ROUNDS_AT_ONCE):
            tasks = [task(index) for index in missing[first:end]]
            if not runner.complete(tasks):
                return False
    return True


def search_round(plan: LogSearchPlan, log: Log, index: int) -> dict[str, Any]:
    """The results of round ``index`` of the plan's log, as JSON; ``log``: that round alone."""
    return round_document(search_rounds(plan, log, index), index)


def search_rounds(plan: LogSearchPlan, log: Log, first: int) -> Rows:
    """Search every round of a part of a log; ``first``: the row of the first round."""
    table: list[tuple] = []
    refused: dict[int, str] = {}
    for index, record in enumerate(log.records(), first):
        try:
            table += list(_search_round(plan, record, index))
        except InvalidSearchError as error:
            reason, _, _ = str(error).partition(" | ")
            refused[index] = reason
    return Rows(np.array(table, COLUMNS), refused)


def _search_round(plan: LogSearchPlan, record: Record, index: int) -> Iterator[tuple]:
    """A row of ``COLUMNS`` for each class of each decision between classes, the best first."""
    parse_cards = record.rules.cards.parse_cards
    for ply in range(len(record.plays)):
        seen = record.observation(ply)
        if len(equivalent_cards(seen)) == 1:
            continue
        conclusion = conclude(plan, record, ply)
        kind = KINDS.index(conclusion.kind)
        for value in conclusion.classes:
            mask = parse_cards(value.cards)
            standing = STANDINGS.index(value.standing)
            yield (index, ply, mask, kind, standing, conclusion.rounds, *_numbers(value))


def _numbers(value: ClassValue) -> list[float]:
    """A class's numbers in the order of ``MEASURES``, ``OUTCOMES`` and ``NILS``."""
    numbers = [value.share, value.value, value.error, value.behind, *value.interval]
    if value.outcomes is not None:
        numbers += [getattr(value.outcomes, name) for name in OUTCOMES]
        numbers += [value.outcomes.nils.get(seat, nan) for seat in range(N_SEATS)]
    else:
        numbers += [nan] * (len(OUTCOMES) + N_SEATS)
    return [round(number, 4) for number in numbers]


def conclude(plan: LogSearchPlan, record: Record, ply: int) -> Conclusion:
    """The judge's conclusion on a decision, by as many rounds as planned at most, with the agent's
    mean shares of visits. Nothing is known of a decision that the judge doesn't value."""
    settings = judge_settings(replace(settings_of_agent(plan.agent), seed=plan.seed))
    evidence = Evidence(record, ply, settings, budget=inf, most_rounds=plan.played_on, keep=False)
    last_value(evidence.steps())
    conclusion = evidence.conclusion or _unknown(evidence.names)
    shares = dict(zip(evidence.names, _shares(plan, evidence.observation), strict=True))
    classes = [replace(value, share=shares[value.cards]) for value in conclusion.classes]
    return replace(conclusion, classes=tuple(classes))


def _shares(plan: LogSearchPlan, seen: Observation) -> FloatArray:
    """Each class's mean share of visits by the agent."""
    items = [item_of(plan.player.search(seen, plan.seed + i)) for i in range(SEARCHES)]
    return shares_by_class(items, seen, equivalent_cards(seen)).mean(axis=0)


def _unknown(names: Sequence[tuple[str, ...]]) -> Conclusion:
    """The conclusion where nothing is known."""
    classes = tuple(ClassValue(cards, OPEN, nan, (nan, nan)) for cards in names)
    return Conclusion(LEANS, classes, THRESHOLD)
