"""The judge's chances held against games played since: ``python -m experiments.check_chances``.

Writes ``data/tables/chances_check.json``. Four simulated humans play ``--humans`` rounds and four
of ``BEST`` ``--best``, none of which anything was fitted to; ``BEST`` isn't even the player whose
games the chances of bots were fitted to, but its full strength. One decision of each phase is drawn
from a round, and the chances of the card played, as the judge shows them, are held against what
came of it. A row a stratum and quantity, chances from 0 to 1:

- ``ece``: the expected calibration error over ten bins; ``ece_without_fault``: what chances that
  are right would show with so few decisions, the mean of ``REPEATS`` draws. It falls with the
  root of n, and is ``NOISE`` with ``n_needed`` chances.
- ``mean_square``: of the bins' errors, less what luck adds to it, so that it is right in the mean,
  and below 0 now and then (Kumar, Liang and Ma 2019, "Verified uncertainty calibration"). What
  ``ece`` would be with many games is at most its root.
- ``luck``: the share of the draws whose ``ece`` is as large.

``quantities`` has the means over the strata of each quantity by their n, and ``rms``, the root of
that of the squares, 0 where luck alone would show more.

Some 20 minutes of a core; stopped at any moment, it goes on where it was.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Sequence
from functools import partial

import numpy as np

from analysis.decisions.chances import QUANTITIES, table_of_chances
from analysis.decisions.judge import BOTS, HUMANS, NETWORK_PLAYER
from analysis.runs.command import add_workers
from analysis.runs.store import ResultStore
from analysis.runs.tasks import Task, ranges
from experiments.command import make_table, number, run_tasks
from experiments.fit_chances import (
    A_TASK,
    BINS,
    calibration_error,
    n_needed,
    places_in_bins,
    play_and_predict,
    question_of,
)
from spades.core.documents import Document
from spades.core.kernel import BoolArray, FloatArray
from spades.core.paths import DATA

PATH = DATA / "tables" / "chances_check.json"
BEST = "best+bis"
TABLES = {HUMANS: "human", BOTS: BEST}
ROUNDS = {HUMANS: 5500, BOTS: 4000}
SEED = 20_271_201
REPEATS = 1000


def mean_square(p: FloatArray, came_true: BoolArray) -> float:
    """The mean square of the bins' errors beyond their noise."""
    places = places_in_bins(p)
    counts = np.maximum(1, np.bincount(places, minlength=BINS))
    off = np.bincount(places, came_true - p, BINS)
    variance = np.bincount(places, p * (1 - p), BINS)
    return float(((off**2 - variance) / counts).sum()) / len(p)


def check(p: FloatArray, came_true: BoolArray) -> Document:
    """How far chances ``p`` (n,) are off."""
    rng = np.random.default_rng(SEED)
    drawn = np.array([calibration_error(p, rng.random(len(p)) < p) for _ in range(REPEATS)])
    ece = calibration_error(p, came_true)
    without_fault = float(drawn.mean())
    return {
        "n": len(p),
        "came_true": round(float(came_true.mean()), 4),
        "mean": round(float(p.mean()), 4),
        "ece": round(ece, 4),
        "ece_without_fault": round(without_fault, 4),
        "n_needed": n_needed(len(p), without_fault),
        "mean_square": round(mean_square(p, came_true), 6),
        "luck": round(float((drawn >= ece).mean()), 3),
    }


def over_strata(rows: Sequence[Document]) -> Document:
    """Means over the strata of a quantity, by their n."""
    n = np.array([row["n"] for row in rows])
    means = {
        name: float(n @ [row[name] for row in rows]) / int(n.sum())
        for name in ("came_true", "mean", "ece", "ece_without_fault", "mean_square")
    }
    rms = math.sqrt(max(0.0, means.pop("mean_square")))
    found = {name: round(mean, 4) for name, mean in {**means, "rms": rms}.items()}
    return {"n": int(n.sum()), **found}


def make(options: argparse.Namespace) -> Document | None:
    """The table; None where it was interrupted."""
    store = ResultStore()
    rounds = {HUMANS: options.humans, BOTS: options.best}
    parts = [
        (players, first, end)
        for players, n_rounds in rounds.items()
        for first, end in ranges(n_rounds, A_TASK)
    ]
    tasks = [
        Task.of_store(
            (store, "chances-check", question_of(*part, SEED, TABLES[part[0]])),
            play_and_predict,
            partial(tuple, (*part, TABLES[part[0]], SEED)),
            (TABLES[part[0]], NETWORK_PLAYER),
        )
        for part in parts
    ]
    if not run_tasks(tasks, f"parts of {A_TASK} rounds", options.workers):
        return None
    found: dict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for part in parts:
        played = store.get("chances-check", question_of(*part, SEED, TABLES[part[0]])) or []
        for stratum, quantity, _, share, came_true in played:
            found[stratum, quantity].append((share, came_true))
    rows = []
    for (stratum, quantity), own in sorted(found.items()):
        shares, came_true = (np.array(column) for column in zip(*own, strict=True))
        p = table_of_chances()[stratum][quantity].of(shares)
        rows.append({"stratum": stratum, "quantity": quantity, **check(p, came_true)})
    return {
        "made_by": "python -m experiments.check_chances"
        f" --humans {options.humans} --best {options.best}",
        "players": TABLES,
        "rounds": rounds,
        "quantities": {
            quantity: over_strata([row for row in rows if row["quantity"] == quantity])
            for quantity in QUANTITIES
        },
        "rows": rows,
    }


if __name__ == "__main__":
    make_table(
        __doc__,
        PATH,
        make,
        number("--humans", ROUNDS[HUMANS], "of four simulated humans"),
        number("--best", ROUNDS[BOTS], f"of four of {BEST}"),
        add_workers,
    )
