"""A whole log judged: every decision with a choice, round after round on Dask.

Each decision is judged as on Replay: by all possible deals where these can be solved, else by
repeated searches from consecutive seeds, until these settle it or the budget is spent. The budget
is a number of searches, not a time, so that results are reproducible: they depend on the round, the
agent, the seed, the budget, the models the agent uses and the code, not on how many rounds are
searched in which order. Any search may stand in for the judge, but outcomes of cards are stored of
the judge alone. Human models come in with ``analysis.disagreements.table``.

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
    has_outcomes = plan.agent == JUDGE
    parse_cards = record.rules.cards.parse_cards
    for ply in range(len(record.plays)):
        seen = record.observation(ply)
        if len(equivalent_cards(seen)) == 1:
            continue
        conclusion = conclude(plan, seen)
        kind = KINDS.index(conclusion.kind)
        for value in conclusion.classes:
            mask = parse_cards(value.cards)
            numbers = _numbers(value, has_outcomes=has_outcomes)
            yield (index, ply, mask, kind, conclusion.searches, *numbers)


def _numbers(value: ClassValue, *, has_outcomes: bool) -> list[float]:
    """A class's numbers in the order of ``MEASURES``, ``OUTCOMES`` and ``NILS``."""
    numbers = [value.share, value.value, value.error, value.behind, *value.interval]
    if has_outcomes and value.outcomes is not None:
        numbers += [getattr(value.outcomes, name) for name in OUTCOMES]
        numbers += [value.outcomes.nils.get(seat, nan) for seat in range(N_SEATS)]
    else:
        numbers += [nan] * (len(OUTCOMES) + N_SEATS)
    return [round(number, 4) for number in numbers]


def conclude(plan: LogSearchPlan, seen: Observation) -> Conclusion:
    """The conclusion on a decision as Replay draws it, by as many searches as planned at most.

    It has the mean shares of visits, which a proof lacks. Nothing is known of a decision if too few
    searches visited every class.
    """
    proven = prove(seen) if plan.player.objective.is_points else None
    is_proven = proven is not None and proven.is_proven
    n_searches = (LEAST_SEARCHES, plan.searches)
    first = _searched(plan.player, plan.seed, seen, n_searches, is_proven=is_proven)
    if first is None:
        return _unknown(seen)
    searched = first if is_proven else confirmed(plan, seen, first)
    if proven is None:
        return searched
    concluded = agreed(proven, searched)
    assert concluded is not None
    shares = {value.cards: value.share for value in first.classes}
    classes = [replace(value, share=shares[value.cards]) for value in concluded.classes]
    return replace(concluded, classes=tuple(classes), searches=searched.searches)


def _unknown(seen: Observation) -> Conclusion:
    """The conclusion where too few searches visited every class."""
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
    longer = _searched(player, plan.seed, seen, (LEAST_LONGER, MOST_LONGER))
    return first.confirmed(longer)


def _searched(
    player: IsmctsPlayer,
    seed: int,
    seen: Observation,
    n_searches: tuple[int, int],
    *,
    is_proven: bool = False,
) -> Conclusion | None:
    """The conclusion by searches of one length; None where some class was visited too seldom.

    ``n_searches``: least, and most. The searches end once a conclusion is settled; for a decision
    that is proven without them, at the first conclusion.
    """
    least, most = n_searches
    items: list[list] = []
    conclusion = None
    while len(items) < most:
        look_at = min(next_look(len(items), least), most)
        for i in range(len(items), look_at):
            result = player.search(seen, seed + i)
            items.append(item_of(result, seen, i))
        conclusion = judge(items, seen, least=least, iterations=player.iterations)
        if conclusion is not None and (conclusion.is_settled or is_proven):
            break
    return conclusion
