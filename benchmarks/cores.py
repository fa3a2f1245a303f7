"""Two cores against one, on the same matches."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from unittest.mock import patch

import psutil

from analysis.matches.match import MatchPlan, play_match
from analysis.runs.parts import dask_client
from analysis.runs.store import VARIABLE

# Slow enough a game that parts are many, and no table plays in compiled code.
# Long enough that its two ends, where a worker waits for its first part or for the other's last
# one, count for little: a match that people run takes minutes too.
PLAN = MatchPlan("ismcts:iterations=1000", "ismcts:iterations=1000", 400, target=250, floor=-250)
TURNS, FEWEST_QUIET, MOST_TURNS = 3, 2, 5
MOST_SECONDS = 200.0
FOREIGN_SHARE = 0.05  # of all cores: more work by others than this spoils a run


@dataclass(frozen=True)
class Run:
    """One match: how long it took, and the share of the machine that other programs had."""

    seconds: float
    foreign: float


def two_cores() -> float:
    """How many times sooner two workers finish a match than one, workers up and code compiled.

    Both clusters stay up and take turns, one worker first in one turn and second in the next; the
    median of the ratios of quiet turns. A turn in which other programs took part is no measurement
    of ours. Raises ``RuntimeError`` where fewer than ``FEWEST_QUIET`` were quiet.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        dask_client(workers=1) as one,
        dask_client(workers=2) as two,
    ):
        for client in (one, two):
            _run(client, replace(PLAN, games=16, seed=99), folder)
        turns = list(_turns({1: one, 2: two}, folder))
    quiet = [ratio for ratio, foreign in turns if foreign <= FOREIGN_SHARE]
    if len(quiet) < FEWEST_QUIET:
        shares = ", ".join(f"{foreign:.0%}" for _, foreign in turns)
        reason = f"the machine is busy: other programs had {shares} of it in {len(turns)} turns"
        raise RuntimeError(reason)
    return statistics.median(quiet)


def _turns(clients: dict[int, object], folder: str) -> Iterator[tuple[float, float]]:
    """(ratio, share of others in the worse run) a turn, until enough were quiet or time is up."""
    started, n_quiet = time.perf_counter(), 0
    for turn in range(MOST_TURNS):
        plan, order = replace(PLAN, seed=turn), (1, 2) if turn % 2 == 0 else (2, 1)
        runs = {workers: _run(clients[workers], plan, folder) for workers in order}
        foreign = max(run.foreign for run in runs.values())
        yield runs[1].seconds / runs[2].seconds, foreign
        n_quiet += foreign <= FOREIGN_SHARE
        spent = time.perf_counter() - started
        if n_quiet >= TURNS or spent * (turn + 2) / (turn + 1) > MOST_SECONDS:
            return


def _run(client: object, plan: MatchPlan, folder: str) -> Run:
    """A match that starts from an empty store."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as store,
        patch.dict(os.environ, {VARIABLE: store}),
    ):
        all_before, own_before, started = _busy_seconds(), _own_seconds(), time.perf_counter()
        play_match(plan, client=client)
        seconds = time.perf_counter() - started
        foreign = (_busy_seconds() - all_before) - (_own_seconds() - own_before)
    return Run(seconds, max(0.0, foreign) / (seconds * (os.cpu_count() or 1)))


def _busy_seconds() -> float:
    """Processor time that all programs together have had, and what a host took away."""
    times = psutil.cpu_times()
    return times.user + times.nice + times.system + getattr(times, "steal", 0.0)


def _own_seconds() -> float:
    """Processor time of this process and its workers; all of them live on between two looks."""
    me = psutil.Process()
    times = [process.cpu_times() for process in (me, *me.children(recursive=True))]
    return sum(spent.user + spent.system for spent in times)
