"""A whole log judged: every decision with a choice, round after round on Dask.

Each decision is judged as on Replay: by all possible deals where these can be solved, else searched
again and again from the same seed on, until that settles it or the budget is spent. The budget is a
number of searches, not a time, so that results repeat: they depend on the round, the agent, the
seed, the budget, the models the agent uses and the code, not on how many rounds are searched in
which order. Any agent may stand in for the judge, but what cards lead to is stored of the judge
alone. Human models come in with ``analysis.disagreements.table``.

A task searches one round; its result is stored at once, so that a search is resumable.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from typing import Any, Unpack

import numpy as np

from analysis.decisions.candidates import item_of
from analysis.decisions.conclusion import (
    LEANS,
    LEAST_LONGER,
    LEAST_SEARCHES,
    THRESHOLD,
    ClassValue,
    Conclusion,
    confirming_iterations,
    judge,
    next_look,
)
from analysis.decisions.judge import JUDGE
from analysis.decisions.proof import agreed, prove
from analysis.disagreements.plan import MOST_LONGER, LogSearchPlan
from analysis.disagreements.rows import COLUMNS, KINDS, OUTCOMES, Rows, round_document
from analysis.disagreements.stored import begin, find
from analysis.runs.store import ResultStore
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges
from spades.agents import IsmctsPlayer
from spades.core.cards import N_SEATS
from spades.core.equivalence import equivalent_cards
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import Record
from spades.notation.log_store import open_log
from spades.search.search import InvalidSearchError

ROUNDS_AT_ONCE = 256  # whose results are looked for before the first of them is searched

ROUNDS_AT_ONCE = 256  # whose results are looked for before the first of them is searched


def missing_rounds(plan: LogSearchPlan, n_rounds: int) -> list[int]:
    """Rounds of a log of ``n_rounds`` that the plan asks for and that aren't searched yet."""
    search = find(plan)
    searched = set() if search.is_shipped else set(search.rounds)
    return [index for index in range(min(plan.rounds, n_rounds)) if index not in searched]


def run_log_search(plan: LogSearchPlan, **options: Unpack[RunOptions]) -> bool:
    """Search what is missing of the plan's rounds; whether all are there at the end."""
    log = open_log(plan.log)
    missing = missing_rounds(plan, len(log))
    if not missing:
        return True
    store = ResultStore()
    kind = begin(plan)

    def task(index: int) -> Task:
        return Task.of_store(
            (store, kind, {"round": index}),
            search_round,
            lambda: (plan, log.take(slice(index, index + 1)).compact(), index),
            agents=(plan.agent,),
        )

    n_rounds = min(plan.rounds, len(log))
    with TaskRunner(n_rounds, "rounds", n_rounds - len(missing), **options) as runner:
        for first, end in ranges(len(missing), ROUNDS_AT_ONCE):
            if not runner.complete([task(index) for index in missing[first:end]]):
                return False
    return True


def search_round(plan: LogSearchPlan, log: Log, index: int) -> dict[str, Any]:
    """The document of a log's only round, which is row ``index`` of the log asked for."""
    return round_document(search_rounds(plan, log, index), index)


def search_rounds(plan: LogSearchPlan, log: Log, first: int) -> Rows:
    """Search every round of a piece of a log, whose first is row ``first``."""
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
    has_outcomes = plan.agent == JUDGE
    parse_cards = record.rules.cards.parse_cards
    for ply in range(len(record.plays)):
        seen = record.observation(ply)
        if len(equivalent_cards(seen)) == 1:
            continue
        conclusion = conclude(plan, seen)
        kind = KINDS.index(conclusion.kind)
        for one in conclusion.classes:
            numbers = _numbers(one, has_outcomes=has_outcomes)
            yield (index, ply, parse_cards(one.cards), kind, conclusion.searches, *numbers)


def _numbers(one: ClassValue, *, has_outcomes: bool) -> list[float]:
    """A class's numbers in the order of ``MEASURES``, ``OUTCOMES`` and ``NILS``."""
    measures = [one.share, one.value, one.error, one.behind, *one.interval]
    outcomes = one.outcomes if has_outcomes else None
    if outcomes is None:
        leads_to = [nan] * (len(OUTCOMES) + N_SEATS)
    else:
        leads_to = [getattr(outcomes, name) for name in OUTCOMES]
        leads_to += [outcomes.nils.get(seat, nan) for seat in range(N_SEATS)]
    return [round(number, 4) for number in (*measures, *leads_to)]


def conclude(plan: LogSearchPlan, seen: Observation) -> Conclusion:
    """The conclusion on a decision as Replay draws it, by as many searches as planned at most.

    It has the mean shares of visits, which a proof hasn't got. Nothing is known of a decision of
    which too few searches visited every class.
    """
    proven = prove(seen) if plan.player.objective.is_points else None
    is_proven = proven is not None and proven.is_proven
    first = _searched(
        plan.player, plan.seed, seen, (LEAST_SEARCHES, plan.searches), is_proven=is_proven
    )
    if first is None:
        return _unknown(seen)
    searched = first if is_proven else confirmed(plan, seen, first)
    if proven is None:
        return searched
    concluded = agreed(proven, searched)
    assert concluded is not None
    shares = {one.cards: one.share for one in first.classes}
    classes = tuple(replace(one, share=shares[one.cards]) for one in concluded.classes)
    return replace(concluded, classes=classes, searches=searched.searches)


def _unknown(seen: Observation) -> Conclusion:
    """The conclusion where the searches say nothing of some class."""
    format_card = seen.rules.cards.format_card
    classes = []
    for codes in equivalent_cards(seen):
        cards = tuple(format_card(code) for code in codes)
        classes.append(ClassValue(cards, nan, (nan, nan)))
    return Conclusion(LEANS, tuple(classes), THRESHOLD, 0)


def confirmed(plan: LogSearchPlan, seen: Observation, first: Conclusion) -> Conclusion:
    """The conclusion after longer searches, where a first one needs confirming."""
    iterations = confirming_iterations(plan.player.iterations)
    if not first.needs_confirmation or iterations == plan.player.iterations:
        return first
    player = replace(plan.player, iterations=iterations)
    return first.confirmed(_searched(player, plan.seed, seen, (LEAST_LONGER, MOST_LONGER)))


def _searched(
    player: IsmctsPlayer,
    seed: int,
    seen: Observation,
    amounts: tuple[int, int],
    *,
    is_proven: bool = False,
) -> Conclusion | None:
    """The conclusion by searches of one length; None where some class was visited too seldom.

    ``amounts``: searches before the first conclusion, and at most. They are made until that is
    settled; of a decision that is proven without them, until there are enough for a conclusion.
    """
    least, most = amounts
    items: list[list] = []
    conclusion = None
    is_enough = False
    while len(items) < most and not is_enough:
        for i in range(len(items), min(next_look(len(items), least), most)):
            items.append(item_of(player.search(seen, seed + i), seen, i))
        conclusion = judge(items, seen, least=least, iterations=player.iterations)
        is_enough = conclusion is not None and (conclusion.is_settled or is_proven)
    return conclusion
