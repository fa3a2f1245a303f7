"""A small held-out log, sweeps over it, and Dask's stand-in where no process is wanted."""

from __future__ import annotations

from contextlib import contextmanager

from analysis import matches, sweep_run
from analysis.sweeps import Setting, SweepPlan
from spades.agents import Seating, parse_agent, play_range
from spades.log_store import store_log
from spades.rules import Rules

BOT = "ismcts:iterations=20"
SMALL = SweepPlan(
    (Setting(iterations=10), Setting(iterations=60)),
    games=2,
    decisions=40,
    rounds=6,
    seed=5,
    log="tiny",
    iterations=20,
    name="small",
    title="A small sweep",
)


def store_tiny_log(n_rounds=12):
    """South a simulated human, the others a quick search."""
    names = (BOT, BOT, "human", BOT)
    seating = Seating(tuple(parse_agent(name) for name in names), Rules())
    log = play_range(seating, 8, 0, n_rounds, unit="rounds")
    store_log(log, "tiny")
    return log


class InProcess:
    """Runs tasks here; ``done`` names each and what it was asked."""

    def __init__(self, monkeypatch):
        self.done = []
        monkeypatch.setattr(sweep_run, "run_tasks", self.run)
        monkeypatch.setattr(matches, "run_tasks", self.run)
        monkeypatch.setattr(sweep_run, "dask_client", no_client)
        monkeypatch.setattr(matches, "dask_client", no_client)

    def run(self, client, function, tasks, *, is_needed, is_cancelled):
        for index, task in enumerate(tasks):
            if is_cancelled():
                return
            if is_needed(index):
                made = function(*task)
                self.done.append((function.__name__, repr(task)))
                yield index, made


@contextmanager
def no_client(*options):
    yield "client"


def without_time(document):
    """A sweep's document without what a clock says."""
    settings = []
    for one in document["settings"]:
        match = one["match"] and {**one["match"], "ms_per_move": None}
        settings.append({**one, "time": None, "match": match})
    return {**document, "settings": settings}
