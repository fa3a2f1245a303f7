"""Do conclusions repeat, and do they hold? ``python -m benchmarks.conclusions [--decisions N]
[--budget SECONDS] [--iterations N ...]`` draws decisions with a choice from the shipped logs and
hands and judges each twice with other seeds, by searches of each length, a row of the table each.
``--long N`` also asks N searches of 200,000 iterations wherever one of them is clear: that is
overturned where its class isn't among those that they leave open. ``--keep FOLDER`` stores all
searches there, so that a stopped run goes on."""

import argparse
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeGuard

import numpy as np

from analysis.decisions.candidates import stability_run
from analysis.decisions.conclusion import CLEAR, THRESHOLD, TOSS_UP, Conclusion, judge
from analysis.decisions.decision import AnalysisSettings
from analysis.decisions.evidence import BUDGET_SECONDS, decide
from analysis.intervals import share_interval
from spades.core.equivalence import equivalent_cards
from spades.core.paths import DATA
from spades.core.records import RoundRecord
from spades.core.rules import NO_BID
from spades.notation import read_path
from spades.notation.log_store import list_logs, open_log
from spades.search.search import STANDARD_ITERATIONS

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


def is_clear(found: Conclusion | None) -> TypeGuard[Conclusion]:
    return found is not None and found.kind == CLEAR


class Tally:
    """What is counted of the conclusions by searches of one length."""

    def __init__(self) -> None:
        self.kinds = Counter[str]()
        self.agreed = self.overturned = self.n = 0
        self.seconds: list[float] = []

    def add(self, found: Sequence[Conclusion | None], longer: Conclusion | None) -> None:
        self.n += 1
        self.agreed += agree(*found)
        for one in found:
            self.kinds[one.kind if one else "none"] += 1
            if is_clear(one) and longer:
                self.overturned += one.best.cards not in [other.cards for other in longer.open]

    def row(self, iterations: int, *, is_long: bool) -> str:
        twice = 2 * self.n
        text = f"{iterations:>8,} agree {self.agreed}/{self.n}; "
        text += ", ".join(f"{kind} {n / twice:.1%}" for kind, n in sorted(self.kinds.items()))
        text += f"; {np.mean(self.seconds):.2f} s, 95% {np.percentile(self.seconds, 95):.2f}"
        if is_long:
            text += f"; clear overturned {_share(self.overturned, self.kinds[CLEAR])}"
        return text


def _share(n: int, of: int) -> str:
    interval = share_interval(n, of)
    ends = f" [{interval[0]:.1%}, {interval[1]:.1%}]" if interval else ""
    return f"{n}/{of}{ends}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=200)
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS)
    parser.add_argument("--iterations", type=int, nargs="+", default=[STANDARD_ITERATIONS])
    parser.add_argument("--long", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SPADES_RESULTS"] = options.keep or folder
        tallies = {iterations: Tally() for iterations in options.iterations}
        for record, ply in draw_decisions(options.decisions, options.seed):
            twice = {}
            for iterations, tally in tallies.items():
                twice[iterations] = []
                for seed in (0, SECOND_SEED):
                    started = time.perf_counter()
                    settings = AnalysisSettings(iterations, seed)
                    found = decide(record, ply, settings, budget=options.budget)
                    tally.seconds.append(time.perf_counter() - started)
                    twice[iterations].append(found)
            is_any = any(is_clear(one) for found in twice.values() for one in found)
            longer = (
                by_long_searches(record, ply, options.long) if is_any and options.long else None
            )
            for iterations, tally in tallies.items():
                tally.add(twice[iterations], longer)
                if longer:
                    report(record, ply, iterations, twice[iterations], longer)
    for iterations, tally in tallies.items():
        print(tally.row(iterations, is_long=bool(options.long)))


def by_long_searches(record: RoundRecord, ply: int, n: int) -> Conclusion:
    run = stability_run(record, ply, AnalysisSettings(iterations=LONG_ITERATIONS, seed=7))
    run.extend(n)
    for _ in run.steps():
        pass
    found = judge(run.items, record.observation(ply), THRESHOLD)
    assert found is not None
    return found


def report(
    record: RoundRecord,
    ply: int,
    iterations: int,
    found: Sequence[Conclusion | None],
    longer: Conclusion,
) -> None:
    """Name the clear conclusions that long searches overturn."""
    for one in found:
        if is_clear(one):
            denied = longer.class_of(one.best.cards[0])
            if denied not in longer.open:
                gap = f"{denied.behind:.1f} points, {denied.interval[0]:.1f} to "
                gap += f"{denied.interval[1]:.1f}, behind {longer.best.cards}"
                place = f"{record.game_id} round {record.round_index} ply {ply}"
                print(f"{iterations:,} clear {one.best.cards}: {gap}; {place}", flush=True)


if __name__ == "__main__":
    main()
