"""Two cores against one, on the same match."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from dataclasses import replace
from unittest.mock import patch

from analysis.experiments import dask_client
from analysis.matches import MatchPlan, play_match
from analysis.store import VARIABLE

# Slow enough a game that parts are many, and no table plays in compiled code.
PLAN = MatchPlan("ismcts:iterations=2500", "ismcts:iterations=1000", 80, target=250, floor=-250)
TURNS = 3
LARGEST = 2.1


def two_cores() -> float:
    """How many times sooner two workers finish a match than one, workers up and code compiled.

    Both clusters stay up and take turns; the median of :data:`TURNS` ratios on different seeds.
    Raises ``RuntimeError`` where other work on the machine took part in the result.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        dask_client(workers=1) as one,
        dask_client(workers=2) as two,
    ):
        for client in (one, two):
            _seconds(client, replace(PLAN, games=16, seed=99), folder)
        ratios = []
        for seed in range(TURNS):
            plan = replace(PLAN, seed=seed)
            ratios.append(_seconds(one, plan, folder) / _seconds(two, plan, folder))
    ratio = statistics.median(ratios)
    if ratio > LARGEST:
        raise RuntimeError(f"{ratio:.2f} x is more than two workers can do: the machine is busy")
    return ratio


def _seconds(client: object, plan: MatchPlan, folder: str) -> float:
    """Time of a match that starts from an empty store."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as store,
        patch.dict(os.environ, {VARIABLE: store}),
    ):
        started = time.perf_counter()
        play_match(plan, client=client)
        return time.perf_counter() - started
