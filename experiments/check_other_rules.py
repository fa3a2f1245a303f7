"""The judge with several seeds under other decks and rules: ``python -m
experiments.check_other_rules``.

Trust in the judge is fitted to rounds with the standard deck and rules (``experiments.fit_judge``).
Here one decision of each phase, of simulated humans and of one among strong agents, under each of
``RULES``, and the decisions of the second third of the shipped bug report, whose deck has jokers,
are judged with ``SEEDS``. What one class leads another by, with its standard error, is compared
between seeds: of the class that most seeds put first, over the one played or, where that is first,
over the second.

Writes ``data/tables/other_rules.json``: a row a decision with ``leads`` and ``errors`` by seed,
points. The leads of two seeds are *apart* where they differ by more than ``APART`` standard errors
of the difference, as .9% would if errors held no more than the noise of a seed; ``mean_square``,
of the difference in standard errors, would then be 1. Errors also hold how far the judge itself is
off, which all seeds have in common, so that less is expected of both.

Some 6 minutes of a core; stopped at any moment, it goes on where it was.
"""

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations, product
from typing import Any, Final

import numpy as np

from analysis.decisions import truth
from analysis.decisions.estimate import estimate
from analysis.decisions.evidence import Evidence
from analysis.decisions.judge import PLAYER, judge_settings
from analysis.decisions.played_on import WEIGHING, means_of_rounds
from analysis.decisions.proof import is_provable
from analysis.decisions.settings import AnalysisSettings
from analysis.decisions.trust import trust_in
from analysis.logs.simulate import SimulationPlan, play_part
from analysis.phases import PHASES
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import Task
from experiments.command import make_table, run_tasks
from experiments.fit_judge import AGENTS
from experiments.truth_set import HUMAN, STRONG, TABLES
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.paths import DATA
from spades.core.records import Record
from spades.core.steps import last_value
from spades.library import shipped
from spades.notation.schema import record_of, row_of

PATH = DATA / "tables" / "other_rules.json"
RULES: dict[str, dict[str, Any]] = {
    "jokers": {"deck": "joker-joker-ace"},
    "jokers, a deuce": {"deck": "joker-joker-deuce-ace"},
    "jokers, two deuces": {"deck": "joker-joker-deuce-deuce"},
    "no nil": {"nil": None, "ten_for_200": True, "min_bid": 4},
    "any lead, nils are bags": {"spades_lead": "any", "failed_nil_tricks": "bags"},
}
PLAYED_BY = ("human", "mixed")
"""Keys of ``TABLES``; where all are strong, the network's deals always suffice."""
BUG_REPORT: Final = "bug-report-335"
SECONDS = 1.5  # of one core, for rounds
SEEDS = (0, 1, 2, 3)
APART = 2.6
SEED = 20_271_130
MAX_ROUNDS = 200


def find_decision(rules: str, table: str, phase: str) -> tuple[Record, int]:
    """A round, and a random one of its plies with a choice that no proof decides."""
    number = list(RULES).index(rules)
    seed = derive_seed(SEED, number, PLAYED_BY.index(table), list(PHASES).index(phase))
    plan = SimulationPlan(TABLES[table], MAX_ROUNDS, "rounds", seed, RULES[rules])
    rng = np.random.default_rng(seed)
    for i in range(MAX_ROUNDS):
        record = play_part(plan, i, i + 1).record(0)
        plies = [ply for ply in truth.plies_of(phase) if is_open(record, ply)]
        if plies:
            return record, int(rng.choice(plies))
    raise AssertionError(f"no decision of {rules}, {table}, {phase} in {MAX_ROUNDS} rounds")


def is_open(record: Record, ply: int) -> bool:
    seen = record.observation(ply)
    return len(equivalent_cards(seen)) > 1 and not is_provable(seen)


def decisions() -> list[tuple[str, Record, int]]:
    """What each is called, and where it is."""
    found = []
    for rules, table, phase in product(RULES, PLAYED_BY, PHASES):
        found.append((f"{rules}; {table}, {phase}", *find_decision(rules, table, phase)))
    record = shipped(BUG_REPORT)
    for ply in truth.plies_of("middle"):
        if is_open(record, ply):
            found.append((f"{BUG_REPORT}, ply {ply}", record, ply))
    return found


def judged(row: Document, ply: int, seed: int) -> Document:
    """What a seed says: ``values`` of the classes, and ``errors`` (n, n) of their leads."""
    record = record_of(row)
    settings = judge_settings(AnalysisSettings(seed=seed))
    evidence = Evidence(record, ply, settings, budget=SECONDS, keep=False)
    last_value(evidence.steps())
    seen = evidence.observation
    means = means_of_rounds(evidence.rounds.items, seen, settings.search.objective)
    found = estimate(evidence.guesses, trust_in(seen), means)
    n = range(len(found.values))
    return {
        "values": found.values.tolist(),
        "errors": [[found.lead(i, j)[1] for j in n] for i in n],
        "rounds": evidence.rounds.done,
    }


def row_of_decision(name: str, record: Record, ply: int, found: Sequence[Document]) -> Document:
    """A row of the table, from what each seed says."""
    classes = equivalent_cards(record.observation(ply))
    firsts = Counter(int(np.argmax(seed["values"])) for seed in found)
    first = firsts.most_common(1)[0][0]
    played = record.plays[ply].code
    other = next(i for i, codes in enumerate(classes) if played in codes)
    if other == first:
        means = np.mean([seed["values"] for seed in found], axis=0)
        means[first] = -math.inf
        other = int(means.argmax())
    leads = [seed["values"][first] - seed["values"][other] for seed in found]
    return {
        "decision": name,
        "leads": [round(lead, 2) for lead in leads],
        "errors": [round(seed["errors"][first][other], 2) for seed in found],
        "rounds": [seed["rounds"] for seed in found],
    }


def distances(row: Document) -> list[float]:
    """By how many standard errors each two seeds' leads differ."""
    seeds = list(zip(row["leads"], row["errors"], strict=True))
    return [abs(a - b) / math.hypot(e, f) for (a, e), (b, f) in combinations(seeds, 2)]


def summary(rows: Sequence[Document]) -> Document:
    """Of all pairs of seeds, how many are apart, in how many decisions, and the farthest."""
    by_decision = [distances(row) for row in rows]
    return {
        "decisions": len(rows),
        "with_seeds_apart": sum(max(own) > APART for own in by_decision),
        "pairs": sum(map(len, by_decision)),
        "apart": sum(distance > APART for own in by_decision for distance in own),
        "farthest": round(max(map(max, by_decision)), 2),
        "mean_square": round(float(np.mean(np.square(by_decision))), 2),
    }


def question_of(row: Document, ply: int, seed: int) -> Document:
    return {
        "round": row,
        "ply": ply,
        "seed": seed,
        "seconds": SECONDS,
        "weighing": WEIGHING,
        **version_of(*AGENTS),
    }


def make(options: argparse.Namespace) -> Document | None:
    """The table; None where it was interrupted."""
    store = ResultStore()
    asked = [(name, record, row_of(record), ply) for name, record, ply in decisions()]
    tasks = [
        Task.of_store(
            (store, "other-rules", question_of(row, ply, seed)),
            judged,
            partial(tuple, (row, ply, seed)),
            (PLAYER, HUMAN, STRONG),
        )
        for _, _, row, ply in asked
        for seed in SEEDS
    ]
    if not run_tasks(tasks, "judgements", options.workers):
        return None
    rows = []
    for name, record, row, ply in asked:
        found = [store.get("other-rules", question_of(row, ply, seed)) for seed in SEEDS]
        rows.append(row_of_decision(name, record, ply, [seed or {} for seed in found]))
    return {
        "made_by": "python -m experiments.check_other_rules",
        "seconds": SECONDS,
        **summary(rows),
        "rows": rows,
    }


if __name__ == "__main__":
    make_table(__doc__, PATH, make, add_workers)
