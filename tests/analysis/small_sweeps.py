"""A small held-out log, and sweeps over it."""

from __future__ import annotations

from functools import cache

from analysis.sweeps.sweep import Setting, SweepPlan
from spades.agents import Seating, parse_agent, play_range
from spades.core.rules import Rules
from spades.notation.log_store import store_log
from spades.search import Experience, Knowledge

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
    log = tiny_log(n_rounds)
    store_log(log, "tiny")
    return log


@cache
def tiny_log(n_rounds):
    """South a simulated human, the others a quick search."""
    names = (BOT, BOT, "human", BOT)
    seating = Seating(tuple(parse_agent(name) for name in names), Rules())
    return play_range(seating, 8, 0, n_rounds, unit="rounds")


def without_time(document):
    """A sweep's document without what a clock says."""
    settings = []
    for one in document["settings"]:
        match = one["match"] and {**one["match"], "ms_per_move": None}
        settings.append({**one, "time": None, "match": match})
    return {**document, "settings": settings}


def grid_document(*more):
    """A document with made-up numbers: a grid of four, a strip of three, delays, and more."""
    model = "devlin2016"
    settings = [
        Setting(),
        *(Setting(Knowledge(model, c, k)) for c in (0.03, 0.1) for k in (100.0, 1000.0)),
        *(Setting(Experience(model, w)) for w in (1, 10, 100)),
        *(Setting(Knowledge(model, 0.2, 1000.0, delay)) for delay in ("10", "root")),
        Setting.direct(model),
        *more,
    ]
    plan = SweepPlan((), name="made-up", title="Made up")
    return {
        "name": "made-up",
        "title": "Made up",
        "plan": plan.document(),
        "humans": "simulated-human",
        "settings": [_made_up(i, setting) for i, setting in enumerate(settings)],
        "key": "0" * 20,
        "machine": "a machine",
        "code": "c0de",
        "tables": "7ab1e5",
    }


def _made_up(i, setting):
    share = 0.4 + 0.01 * i
    low_high = [share - 0.05, share + 0.04]
    accuracy = {"n": 100, "hits": round(100 * share), "share": share, "interval": low_high}
    kl = {"value": share / 10, "interval": [share / 20, share / 5], "chance": 0.01, "js": 0.1}
    match = {
        "games": 200,
        "wins": 90,
        "undecided": 0,
        "win_rate": share + 0.1,
        "interval": [share, share + 0.3],
        "interval_pairs": None,
        "points_difference": {"value": -1.5, "interval": [-3.0, 0.1]},
        "ms_per_move": {"ns": 1.0, "ew": 1.0},
        "key": f"match{i}",
    }
    return {
        "setting": setting.document(),
        "label": setting.label,
        "agent": f"ismcts:iterations={2000 + i}",
        "baseline": "ismcts:iterations=2500",
        "accuracy": {**accuracy, "all_plays": accuracy, "gain": None},
        "probabilities": {
            "log_loss": {"value": 2 - share, "interval": [1.9 - share, 2.1 - share]},
            "ece": share / 20,
        },
        "time": {
            "ms": 1.0 + i / 10,
            "unbiased_ms": 1.0,
            "ratio": 1.0 + i / 10,
            "model_calls": 30.0 * i,
            "budget": None,
        },
        "kl": {**kl, "suits": kl, "rounds": 50, "plays": 650, "games": 40, "human_plays": 9},
        "auc": {"value": share, "interval": low_high, "choices": 400, "human_choices": 900},
        "match": None if i == 0 else match,
        "key": f"key{i}",
        "code": "c0de",
        "tables": "7ab1e5",
    }
