"""A judged log whose numbers are made up: many rounds of it, without a search."""

from functools import cache

import numpy as np

from analysis.decisions.conclusion import AS_GOOD, BEHIND, DIFFER, LEANS, OPEN, ClassValue, kind_of
from analysis.disagreements import plan as plans
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.rows import (
    COLUMNS,
    KINDS,
    MEASURES,
    OUTCOMES,
    STANDINGS,
    Rows,
    round_document,
)
from analysis.disagreements.stored import ENDING, StoredSearch, command_of, round_kind
from analysis.runs.store import write_packed
from spades.core.cards import mask_of
from spades.core.equivalence import equivalent_cards
from spades.core.paths import DATA
from spades.notation.parquet import load_log

LOG = "human-south"
N_ROUNDS = 40
PLAYED_ON = 120
PROVEN_ONE_IN = 10  # decisions
UNVALUED_ONE_IN = 40
OPEN_ONE_IN = 8  # classes


def log_of_it():
    """The shipped log, whatever the stores of a test."""
    return load_log(DATA / "logs" / f"{LOG}.parquet")


class MadeUpSearch(StoredSearch):
    """The made-up search of a log, as if it were stored."""

    def read(self, index):
        return made_up_rows().within(index, index + 1)


def made_up_search():
    return MadeUpSearch(LogSearchPlan(LOG, N_ROUNDS).question(), tuple(range(N_ROUNDS)))


def ship(folder):
    """Write it as a search that came with the project."""
    plan = LogSearchPlan(LOG, N_ROUNDS)
    answers = [(plans.SEARCH, plan.question(), {"command": command_of(plan)})]
    for index in range(N_ROUNDS):
        document = round_document(made_up_rows().within(index, index + 1), index)
        answers.append((round_kind(plan.key), {"round": index}, document))
    write_packed(answers, folder / f"{LOG}{ENDING}")


@cache
def made_up_rows():
    """Every decision of the log's first rounds, its classes in random order and of random worth."""
    rng = np.random.default_rng(5)
    log = log_of_it()
    tables = []
    for index in range(N_ROUNDS):
        record = log.record(index)
        for ply in range(len(record.plays)):
            classes = equivalent_cards(record.observation(ply))
            if len(classes) > 1:
                rows = _decision(rng, [mask_of(cards) for cards in classes])
                rows["round"], rows["ply"] = index, ply
                tables.append(rows)
    return Rows(np.concatenate(tables))


def _decision(rng, masks):
    """The rows of one decision, the best class first."""
    rows = np.zeros(len(masks), COLUMNS)
    for name in COLUMNS.names:
        if COLUMNS[name].kind == "f":
            rows[name] = np.nan
    rows["cards"] = rng.permutation(masks)
    rows["share"] = rng.dirichlet(np.ones(len(masks)))
    if rng.integers(UNVALUED_ONE_IN) == 0:
        rows["kind"], rows["standing"] = KINDS.index(LEANS), STANDINGS.index(OPEN)
        return rows
    is_proven = rng.integers(PROVEN_ONE_IN) == 0
    gaps = np.array([0.0, *np.sort(rng.exponential(6.0, len(masks) - 1) + 0.2).round(2)])
    standings = [AS_GOOD]
    for gap in gaps[1:].tolist():
        is_open = not is_proven and rng.integers(OPEN_ONE_IN) == 0
        standing = AS_GOOD if gap <= 1 else BEHIND
        standings.append(OPEN if is_open else standing)
    kind = kind_of([ClassValue((), standing) for standing in standings[1:]])
    if kind == LEANS:
        kind = str(rng.choice([LEANS, DIFFER]))
    width = np.where(gaps == 0, 0.0, 0.0 if is_proven else 1.5)
    error = np.full(len(masks), 0.0 if is_proven else 1.1)
    numbers = (rows["share"], 50 - gaps, error, gaps, gaps - width, gaps + width)
    for name, values in zip(MEASURES, numbers, strict=True):
        rows[name] = values
    rows["kind"] = KINDS.index(kind)
    rows["standing"] = [STANDINGS.index(standing) for standing in standings]
    rows["played_on"] = 0 if is_proven else PLAYED_ON
    if not is_proven:
        for name in OUTCOMES:
            rows[name] = rng.random(len(masks))
    return rows
