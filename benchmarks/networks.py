"""How long one pass over 1.22 million examples takes, and how long a network takes to be asked."""

from __future__ import annotations

import statistics
import time

import numpy as np

from spades.human import load_prior, simulate_humans
from spades.human.features.logs import Examples, examples_of_log
from spades.human.model import Progress, own_copy, predict_views
from spades.human.networks.config import TrainingOptions
from spades.human.networks.model import NetworkModel

ARCHITECTURE = "t-200-150-100"
N_EXAMPLES, VALIDATION = 1_220_000, 0.01
EPOCHS, TURNS, BLOCK = 3, 9, 200


def some_examples(n: int) -> Examples:
    """The first ``n`` plays of simulated humans."""
    rounds = -(-n // 52)
    return examples_of_log(simulate_humans(rounds, 1)).take(slice(0, n))


def epoch_seconds() -> float:
    """Median time of a pass of ``t-200-150-100``, all 1.22 million examples trained on.

    Batches of 4,096, no price on active units: it adds a half, for what it
    counts and for Muon in the first layer.
    """
    seen: list[Progress] = []
    options = TrainingOptions(epochs=EPOCHS, batch=4096, validation=VALIDATION)
    examples = some_examples(round(N_EXAMPLES / (1 - VALIDATION)))
    NetworkModel(ARCHITECTURE, options=options).fit(examples, tell=seen.append)
    return statistics.median(progress.seconds for progress in seen)


def nanoseconds_a_call(name: str) -> float:
    """Time to ask a stored model about a decision with a choice, ns, warm: the median over blocks
    of decisions of each block's least time."""
    prior = own_copy(load_prior(name))
    views = np.ascontiguousarray(some_examples(26_000).unforced.views)
    out, no_picks = np.zeros((BLOCK, 13)), np.empty(0, dtype=bool)
    least = []
    for start in range(0, len(views) - BLOCK, BLOCK):
        block, times = views[start : start + BLOCK], []
        for _ in range(TURNS):
            started = time.perf_counter()
            predict_views(prior, block, out, no_picks)
            times.append(time.perf_counter() - started)
        least.append(min(times) / BLOCK * 1e9)
    return statistics.median(least)
