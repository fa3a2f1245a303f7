"""Do conclusions repeat? ``python -m benchmarks.conclusions [--decisions N] [--budget SECONDS]``
draws decisions with a choice from the shipped logs and hands, judges each twice with other seeds,
and prints how often both agree. ``--long N`` asks N searches of 200,000 iterations whether a clear
one holds."""

import argparse
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from analysis.decisions.candidates import stability_run
from analysis.decisions.conclusion import CLEAR, THRESHOLD, TOSS_UP, Conclusion, judge
from analysis.decisions.decision import AnalysisSettings
from analysis.decisions.evidence import BUDGET_SECONDS, decide
from spades.core.equivalence import equivalent_cards
from spades.core.paths import DATA
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID
from spades.notation import read_path
from spades.notation.log_store import list_logs, open_log

SECOND_SEED = 1_000_000
LONG_ITERATIONS = 200_000


def draw_decisions(n: int, seed: int) -> Iterator[tuple[RoundRecord, int]]:
    """Decisions between two or more classes of cards, at random over rounds and plies."""
    rng, logs = random.Random(seed), [open_log(entry.name) for entry in list_logs()]
    hands = [
        record
        for path in sorted((DATA / "hands").glob("*.jsonl"))
        for record in read_path(path).records
    ]
    while n:
        log = rng.choice([*logs, None])
        record = rng.choice(hands) if log is None else log.record(rng.randrange(len(log)))
        if not record.plays or min(record.bids) == NO_BID:
            continue
        ply = rng.randrange(len(record.plays))
        if len(equivalent_cards(record.observation(ply))) > 1:
            n -= 1
            yield record, ply


def agree(one: Conclusion | None, other: Conclusion | None) -> bool:
    """The same best class, or both toss-ups."""
    if one is None or other is None:
        return one is other
    return one.best.cards == other.best.cards or one.kind == other.kind == TOSS_UP


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=200)
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS)
    parser.add_argument("--long", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    kinds, agreed, seconds, overturned = Counter[str](), 0, list[float](), 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SPADES_RESULTS"] = folder
        for record, ply in draw_decisions(options.decisions, options.seed):
            found = []
            for seed in (0, SECOND_SEED):
                started = time.perf_counter()
                settings = AnalysisSettings(seed=seed)
                found.append(decide(record, ply, settings, budget=options.budget))
                seconds.append(time.perf_counter() - started)
            kinds.update(one.kind if one else "none" for one in found)
            agreed += agree(*found)
            if not agree(*found):
                print(ply, *((one.kind, one.best.cards, one.searches) for one in found if one))
            if options.long and found[0] and found[0].kind == CLEAR:
                overturned += is_overturned(record, ply, found[0], options.long)
    n = options.decisions
    print(f"{agreed} of {n} agree; kinds {dict(kinds)}; seconds mean {np.mean(seconds):.2f}, ")
    print(f"95th percentile {np.percentile(seconds, 95):.2f}; clear ones overturned {overturned}")


def is_overturned(record: RoundRecord, ply: int, found: Conclusion, n: int) -> bool:
    """Whether long searches are clear or a toss-up without the class that was clear."""
    run = stability_run(record, ply, AnalysisSettings(iterations=LONG_ITERATIONS, seed=7))
    run.extend(n)
    for _ in run.steps():
        pass
    longer = judge(run.items, record.observation(ply), THRESHOLD)
    assert longer is not None
    return found.best.cards not in [one.cards for one in longer.open]


if __name__ == "__main__":
    main()
