"""How many points make one reward: ``python -m experiments.choose_reward_scale``.

UCB1 takes rewards from 0 to 1, rounds are counted in points, and no paper prints how many points
are worth one reward (``SearchSettings.reward_scale``). What the papers do print depends on it. Here
the published search is run at each of ``SCALES``, and what it shows is put beside what is printed:

===================  ===========================================================================
source               what is compared
===================  ===========================================================================
Baier, calls         calls of the network a search, by delay, of both techniques (table II)
Baier, games won     two searches biased at the root against the unbiased one (IV-C)
Baier, accuracy      how much of the way from the unbiased search's accuracy to the network's own
                     those two come (IV-C, table I); a share of the way, since our people are
                     simulated and no accuracy of ours can be put beside one of theirs
Devlin, games won    C_BT 0.03, K 1000 against the unbiased search (table 1)
Devlin, KL           how many times nearer to people that search is than the unbiased one (table 1);
                     a ratio, for the same reason, and so the unprinted unit doesn't matter
Whitehouse, range    c is "chosen to ensure the evaluation produces values typically within" -1/2
                     to 1/2 (equation 1): read as 95% of rounds between two searches
===================  ===========================================================================

**The misfit.** A row's z is the difference of ours and the published, over its standard error: that
of ours, that of the published where it can be known, and a tolerance, together. The tolerances are
the margins that *Papers* judges by (``experiments.papers.claims``); of a word such as "typically" a
factor of two. Calls, KL and range are compared by their logarithms. A row's misfit is log(1 + z^2),
Cauchy's loss, so that a row that no scale explains hasn't the most to say on which is best. A
source's misfit is the mean of its rows', so that a long table has no more say than a short one; a
scale's is the mean of its sources'. ``without``: which scale would be best without each source;
``readings``: if it were weighed or counted otherwise.

**The choice.** Our numbers are drawn anew within their errors, ``N_DRAWS`` times. The scale with
the least misfit is chosen if it is ahead of the standing one, 400, in ``SURE`` of the draws; else
the standing one stays, by which all that is stored was measured.

Both sides of a match search at the same scale, as both did in the papers. Simulated humans stand in
for people. Writes ``data/tables/reward_scale.json``; half an hour of one core, resumable.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from analysis.runs.cluster import dask_client
from analysis.runs.command import add_workers, interruptible, say
from experiments.command import make_table
from experiments.papers.lab import StoppedError
from experiments.reward_scale_evidence import (
    ITERATIONS,
    OF_PEOPLE,
    RANGE,
    SCALES,
    SEED,
    SOURCES,
    STANDING,
    Evidence,
    Measured,
    evidence,
    visit_shares,
)
from spades.core.documents import Document
from spades.core.paths import DATA

PATH = DATA / "tables" / "reward_scale.json"
N_DRAWS = 2000
SURE = 0.95


def cauchy(z: float) -> float:
    """Cauchy's loss."""
    return math.log1p(z * z)


def square(z: float) -> float:
    return z * z


@dataclass(frozen=True)
class Weighing:
    """How rows are weighed. ``tolerances``: by how much all are widened."""

    loss: Callable[[float], float] = cauchy
    tolerances: float = 1.0

    def of_rows(self, rows: Sequence[Evidence]) -> dict[int, float]:
        """By scale: the mean loss of rows."""
        return {
            scale: sum(self.loss(row.z(scale, self.tolerances)) for row in rows) / len(rows)
            for scale in rows[0].ours
        }

    def of_sources(self, rows: Sequence[Evidence]) -> dict[int, float]:
        """By scale: the mean over sources of the mean loss of their rows."""
        sources = dict.fromkeys(row.source for row in rows)
        by_source = [
            self.of_rows([row for row in rows if row.source == source]) for source in sources
        ]
        return {
            scale: sum(misfits[scale] for misfits in by_source) / len(by_source)
            for scale in by_source[0]
        }


USUAL = Weighing()


def least(misfits: Mapping[int, float]) -> int:
    """The scale with the least misfit."""
    return min(misfits, key=misfits.__getitem__)


def choose(rows: Sequence[Evidence], standing: int = STANDING) -> Document:
    """The choice by all rows, and which scale would be best otherwise."""
    main = [row for row in rows if not row.reading]
    joint = USUAL.of_sources(main)
    best = least(joint)
    draws = draw_misfits(main)
    ahead = sum(drawn[best] < drawn[standing] for drawn in draws) / N_DRAWS
    chosen_in = [least(drawn) for drawn in draws]
    sources = []
    for source, place in SOURCES.items():
        own = [row for row in main if row.source == source]
        misfits = USUAL.of_rows(own)
        without = USUAL.of_sources([row for row in main if row.source != source])
        sources.append(
            {
                "source": source,
                "place": place,
                "rows": len(own),
                "best": least(misfits),
                "misfits": by_scale(misfits),
                "without": {"best": least(without), "misfits": by_scale(without)},
            }
        )
    readings = {
        "tolerances halved": Weighing(tolerances=0.5).of_sources(main),
        "tolerances doubled": Weighing(tolerances=2.0).of_sources(main),
        "squares of z": Weighing(loss=square).of_sources(main),
        "every row counts once": USUAL.of_rows(main),
        "without what depends on simulated people": USUAL.of_sources(
            [row for row in main if row.source not in OF_PEOPLE]
        ),
        "neither that nor the range": USUAL.of_sources(
            [row for row in main if row.source not in (*OF_PEOPLE, RANGE)]
        ),
    }
    for reading in dict.fromkeys(row.reading for row in rows if row.reading):
        readings[reading] = USUAL.of_sources(read_otherwise(rows, reading))
    return {
        "chosen": best if ahead >= SURE else standing,
        "standing": standing,
        "best": best,
        "ahead_of_standing": ahead,
        "misfits": by_scale(joint),
        "draws": [
            {"reward_scale": scale, "share": chosen_in.count(scale) / N_DRAWS} for scale in joint
        ],
        "sources": sources,
        "readings": [
            {"reading": name, "best": least(misfits), "misfits": by_scale(misfits)}
            for name, misfits in readings.items()
        ],
    }


def draw_misfits(rows: Sequence[Evidence]) -> list[dict[int, float]]:
    """The misfits by scale of ``N_DRAWS`` draws. A draw has other numbers of ours, normal around
    those measured with their standard errors, each by itself."""
    rng = np.random.default_rng(SEED)
    return [
        USUAL.of_sources([replace(row, ours=draw_values(row, rng)) for row in rows])
        for _ in range(N_DRAWS)
    ]


def draw_values(row: Evidence, rng: np.random.Generator) -> dict[int, Measured]:
    """Values of a row drawn within their errors; of a ratio drawn by its logarithm."""
    drawn = {}
    for scale, ours in row.ours.items():
        step = ours.error * rng.standard_normal()
        value = ours.value * math.exp(step / ours.value) if row.by_ratio else ours.value + step
        drawn[scale] = replace(ours, value=value)
    return drawn


def read_otherwise(rows: Sequence[Evidence], reading: str) -> list[Evidence]:
    """The rows that count, those of one source replaced by another reading of it."""
    other = [row for row in rows if row.reading == reading]
    replaced = {row.source for row in other}
    kept = [row for row in rows if not row.reading and row.source not in replaced]
    return [*kept, *other]


def by_scale(misfits: Mapping[int, float]) -> list[Document]:
    return [{"reward_scale": scale, "misfit": misfit} for scale, misfit in misfits.items()]


def make(options: argparse.Namespace) -> Document | None:
    with (
        interruptible(say) as is_cancelled,
        dask_client(options.workers) as client,
        suppress(StoppedError),
    ):
        rows = evidence(client=client, is_cancelled=is_cancelled)
        return {
            "made_by": "python -m experiments.choose_reward_scale",
            "humans": "simulated-human",
            "iterations": ITERATIONS,
            "scales": list(SCALES),
            **choose(rows),
            "rows": [row.document() for row in rows],
            "visit_shares": visit_shares(),
        }
    return None


if __name__ == "__main__":
    make_table(__doc__, PATH, make, add_workers)
