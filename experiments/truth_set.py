"""The truth set: decisions played out by strong agents: ``python -m experiments.truth_set``.

Writes ``data/truth/*.jsonl``, which judges of decisions are compared on; it is read by
``analysis.decisions.truth``. A stratum is who plays, whether a nil is alive, and the phase of the
round; each has ``--each`` decisions, one a round, half of them to choose and fit by, half to report
on. In each, every class of equivalent cards that any of four judges puts within ``NEAR`` points of
its best is played in ``--deals`` deals of the posterior of who plays, and the round is played out
by ``PLAYER`` at all four seats, each of which sees its own hand and the table alone. All classes
get the same deals and seeds.

What is true here is so for these players. Against ``best`` with its own 5,000 iterations it loses,
in points a round with 95% intervals, all bidding by ``bis``, on 1,200 deals each played from both
sides (1,000 for the last): -23.9 +- 2.9 with 100 iterations, -14.9 +- 2.8 with 200, -10.4 +- 2.8
with 400, -6.4 +- 2.8 with 1,000 (``python -m experiments.measure_iterations``).

Some two hours of two cores; with 1,000 iterations it would take twice that. Stopped at any moment,
it goes on where it was.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from analysis.decisions import truth
from analysis.decisions.lenses import Scene
from analysis.logs.simulate import SimulationPlan, play_part
from analysis.phases import PHASES
from analysis.runs.command import add_workers, interruptible, say
from analysis.runs.store import ResultStore, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner
from experiments.compare_judges import Samples, ruled_playouts, searched_playouts, searches
from spades.agents import parse_agent
from spades.agents.compiled_search import PlayedOnBySearch
from spades.belief import Dealing
from spades.core.cards import N_SEATS
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray, seed_state
from spades.core.observation import Observation
from spades.core.paths import replacing
from spades.core.records import Record
from spades.notation.schema import row_of
from spades.search.outcomes import outcome_table

PLAYER = "best:iterations=400"
STRONG = "best:iterations=500+bis"
HUMAN = "human"
TABLES = {
    "strong": (STRONG, STRONG, STRONG, STRONG),
    "human": (HUMAN, HUMAN, HUMAN, HUMAN),
    "mixed": (HUMAN, STRONG, STRONG, STRONG),
}
BELIEVED = {"strong": "search", "human": "human", "mixed": "any"}
"""The kind of players that the deals of a decision assume, by who plays."""
SEED = 20_271_127
EACH = 24
DEALS = 1000
WEIGHED_DEALS = 10_000  # so many that few of those drawn are the same
NEAR = 15.0  # points
PILOTS: dict[str, tuple[Callable[[Observation, int], Samples], int]] = {
    "ismcts": (partial(searches, "ismcts"), 10),
    "best": (partial(searches, "best"), 6),
    "srp plays on": (partial(ruled_playouts, "srp"), 1000),
    "a quick best plays on": (partial(searched_playouts, "best:iterations=50"), 60),
}
"""Who chooses the candidates, each by the mean of so many searches or deals."""
MAX_ROUNDS = 2000
A_FILE = 24


class Stratum(NamedTuple):
    """``table``: who plays, a key of ``TABLES``; ``phase``: of ``PHASES``."""

    table: str
    has_nil: bool
    phase: str


STRATA = [Stratum(*row) for row in product(TABLES, (False, True), PHASES)]


def play_decision(stratum: Stratum, number: int, n_deals: int) -> Document:
    """Find decision ``number`` of a stratum and play its candidates out."""
    seed = derive_seed(SEED, STRATA.index(stratum), number)
    record, ply = find_decision(stratum, seed)
    seen = record.observation(ply)
    classes = equivalent_cards(seen)
    kept = candidates(seen, record, ply, seed)
    cards = [classes[i][0] for i in kept]
    dealing = Dealing.of("posterior", players=BELIEVED[stratum.table])
    deals = dealing(seen, WEIGHED_DEALS).sample(n_deals, seed_state(derive_seed(seed, 1)))[0]
    seeds = [derive_seed(seed, 2, i) for i in range(n_deals)]
    table = PlayedOnBySearch(seen, parse_agent(PLAYER).player)
    tricks = table.tricks(deals, cards, seeds)
    points = table.points(tricks).astype(float)
    covariance = np.atleast_2d(np.cov(points, rowvar=False)) / n_deals
    deck = seen.rules.cards
    return {
        "table": stratum.table,
        "has_nil": stratum.has_nil,
        "phase": stratum.phase,
        "half": truth.HALVES[number % 2],
        "record": row_of(record),
        "ply": ply,
        "classes": [list(map(deck.format_card, classes[i])) for i in kept],
        "deals": n_deals,
        "values": points.mean(axis=0).round(4).tolist(),
        "covariance": covariance.round(5).tolist(),
        "outcomes": outcomes_of(seen, tricks).round(4).tolist(),
    }


def find_decision(stratum: Stratum, seed: int) -> tuple[Record, int]:
    """A round of the stratum's players, and a random one of its plies that are in the stratum."""
    plan = SimulationPlan(TABLES[stratum.table], MAX_ROUNDS, "rounds", seed)
    rng = np.random.default_rng(seed)
    for i in range(MAX_ROUNDS):
        record = play_part(plan, i, i + 1).record(0)
        plies = [ply for ply in truth.plies_of(stratum.phase) if is_within(record, ply, stratum)]
        if plies:
            return record, int(rng.choice(plies))
    raise AssertionError(f"no decision of {stratum} in {MAX_ROUNDS} rounds")


def is_within(record: Record, ply: int, stratum: Stratum) -> bool:
    seen = record.observation(ply)
    scene = Scene(seen)
    is_nil_alive = any(map(scene.nil_alive, range(N_SEATS)))
    return is_nil_alive == stratum.has_nil and len(equivalent_cards(seen)) > 1


def candidates(seen: Observation, record: Record, ply: int, seed: int) -> list[int]:
    """The classes, as indices, that any of four judges puts near its best: the plain search,
    ``best``, play-outs by strong rules and by a quick ``best``. At least the two that ``best``
    puts first, and the one played."""
    judged = [
        mean_of(samples(seen, derive_seed(seed, 3, i)), n)
        for i, (samples, n) in enumerate(PILOTS.values())
    ]
    kept = set()
    for values in judged:
        kept.update(np.flatnonzero(values >= values.max() - NEAR).tolist())
    of_best = judged[list(PILOTS).index("best")]
    kept.update(np.argsort(-of_best)[:2].tolist())
    played = record.plays[ply].code
    classes = equivalent_cards(seen)
    kept.add(next(i for i, codes in enumerate(classes) if played in codes))
    return sorted(kept)


def mean_of(samples: Samples, n: int) -> FloatArray:
    """The mean of the first ``n`` values of each class."""
    return np.mean(list(islice(samples, n)), axis=0)


def outcomes_of(seen: Observation, tricks: NDArray[np.int8]) -> FloatArray:
    """Mean outcomes of each card, (cards, 8), columns as in ``outcome_table``."""
    table = seen.table
    taken = tuple(table.tricks_taken)
    rows = outcome_table(table.rules, tuple(table.bids), taken)
    places = truth.places_of(tricks, taken)
    return rows[places].mean(axis=0)


def tasks_of(n_each: int, n_deals: int, store: ResultStore) -> Iterator[Task]:
    """A task a decision, stratum after stratum within each number: a part is of all strata."""
    for number, stratum in product(range(n_each), STRATA):
        yield Task.of_store(
            (store, "truth", question_of(stratum, number, n_deals)),
            play_decision,
            partial(tuple, (stratum, number, n_deals)),
            (PLAYER, STRONG, HUMAN),
        )


def question_of(stratum: Stratum, number: int, n_deals: int) -> Document:
    return {
        "version": truth.VERSION,
        **stratum._asdict(),
        "number": number,
        "deals": n_deals,
        "player": PLAYER,
        "strong": STRONG,
        "seed": SEED,
        "near": NEAR,
        **version_of(PLAYER, STRONG, HUMAN),
    }


def write_parts(decisions: Sequence[Document], made_by: str, folder: Path) -> None:
    """Write files of a line of facts, then a line a decision."""
    facts = {"version": truth.VERSION, "made_by": made_by, "player": PLAYER}
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, len(decisions), A_FILE):
        part = decisions[first : first + A_FILE]
        lines = [json.dumps(row, separators=(",", ":")) for row in (facts, *part)]
        with replacing(folder / f"part-{first // A_FILE:02}.jsonl") as temporary:
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def make(n_each: int, n_deals: int, folder: Path, **options: Unpack[RunOptions]) -> bool:
    """Play and write the set; False where it was interrupted."""
    store = ResultStore()
    tasks = list(tasks_of(n_each, n_deals, store))
    with TaskRunner(len(tasks), "decisions", **options) as run:
        is_whole = run.complete(tasks)
    decisions = []
    for number, stratum in product(range(n_each), STRATA):
        found = store.get("truth", question_of(stratum, number, n_deals))
        if found:
            decisions.append(found)
    made_by = f"python -m experiments.truth_set --each {n_each} --deals {n_deals}"
    write_parts(decisions, made_by, folder)
    return is_whole


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--each", type=int, default=EACH, help="decisions a stratum")
    parser.add_argument("--deals", type=int, default=DEALS, help="deals a decision")
    parser.add_argument("--out", type=Path, default=truth.FOLDER, help="folder to write to")
    add_workers(parser)
    options = parser.parse_args()
    with interruptible(say) as is_cancelled:
        is_whole = make(
            options.each,
            options.deals,
            options.out,
            workers=options.workers,
            tell=lambda progress: say(progress.text()),
            is_cancelled=is_cancelled,
        )
    if not is_whole:
        sys.exit("interrupted; run the same command again to resume")


if __name__ == "__main__":
    main()
