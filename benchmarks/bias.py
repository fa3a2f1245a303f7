"""What bias towards a network costs the search: its time over the unbiased time, in turns.

Every position is searched unbiased and biased one after the other, either first in turns, so that
a machine whose speed drifts treats both alike; the ratio is of the sums. Positions are those of
``search_vs_yardstick``.
"""

from __future__ import annotations

import time

from benchmarks.positions import NotMeasuredError, spread_positions
from spades.core.errors import SpadesError
from spades.human import load_prior
from spades.search import BiasSettings, SearchSettings, search
from spades.search.bias import ROOT_ONLY

MODEL = "t-200-150-100"
ITERATIONS, TURNS = 2500, 12  # the root's two hundredths are not seen in fewer
C_BT = 0.2  # Baier 2018, with K 1000


def every_node() -> float:
    """Bias in every node (Baier's d = 1)."""
    return _ratio(BiasSettings(model=MODEL, c_bt=C_BT))


def root_only() -> float:
    """The network called once a move."""
    return _ratio(BiasSettings(model=MODEL, c_bt=C_BT, delay=ROOT_ONLY))


def _ratio(bias: BiasSettings) -> float:
    try:
        prior = load_prior(bias.model)
    except SpadesError as error:
        raise NotMeasuredError(str(error)) from None
    biased, plain = SearchSettings(bias=bias), SearchSettings()
    seen = spread_positions(0)
    for settings in (plain, biased):  # compiled before the clock starts
        search(seen[0], settings=settings, prior=prior)
    took = [0.0, 0.0]
    for turn in range(TURNS):
        for observation in seen:
            for i in (turn % 2, 1 - turn % 2):
                settings = (plain, biased)[i]
                started = time.perf_counter()
                search(
                    observation, iterations=ITERATIONS, seed=turn, settings=settings, prior=prior
                )
                took[i] += time.perf_counter() - started
    return took[1] / took[0]
