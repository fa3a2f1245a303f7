"""What a sweep found: a setting's document from its parts, and the whole sweep's."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.intervals import ratio_interval, share_interval
from analysis.runs.store import key_of, version_of
from analysis.style.bootstrap import ByGame
from analysis.style.compare import Sample, compute_divergences, draw_samples
from analysis.style.counts import KIND_LABELS, Group, PlayFilter, Plays, classify
from analysis.sweeps.parts import HeldOut
from analysis.sweeps.sweep import SETTING, Setting, SweepPlan
from spades.core.behaviour import behaviour_of_searches
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES

CLASSES = (N_MOVES, N_SUIT_MOVES)


@dataclass(frozen=True)
class Measured:
    """What a setting's parts found: answers about ``decisions`` (``usual``: the unbiased search's),
    abstract ``moves`` (68) by round, the ``budget`` of equal time, the document of its match."""

    agent: str
    decisions: list[dict[str, Any]]
    usual: list[dict[str, Any]] | None
    moves: list[list[int]]
    budget: dict[str, Any] | None
    match: dict[str, Any] | None


def setting_document(
    plan: SweepPlan, held: HeldOut, setting: Setting, found: Measured
) -> dict[str, Any]:
    """What the store says of a measured setting."""
    return {
        "setting": setting.document(),
        "label": setting.label,
        "agent": found.agent,
        "baseline": plan.baseline,
        "accuracy": _accuracy(held, found) if plan.decisions else None,
        "time": _time(found.decisions, found.budget) if plan.decisions else None,
        "kl": _style(held, found.moves) if plan.rounds else None,
        "match": _match(found.match) if found.match else None,
        "key": key_of(SETTING, plan.question(setting)),
        **version_of(found.agent),
    }


def _accuracy(held: HeldOut, found: Measured) -> dict[str, Any]:
    """Cards predicted: of decisions with more than one legal card, and of all plays.

    ``gain``: over the unbiased search on the same decisions, its interval over decisions.
    """
    hits = _hits(found.decisions)
    n, n_hits = len(hits), int(hits.sum())
    n_forced = int(held.forced[n - 1])
    return {
        **_share(n_hits, n),
        "all_plays": _share(n_hits + n_forced, n + n_forced),
        "gain": None if found.usual is None else _gain(hits, _hits(found.usual)),
    }


def _hits(parts: list[dict[str, Any]]) -> np.ndarray:
    return np.array([int(letter) for part in parts for letter in part["hits"]])


def _share(n_of: int, n: int) -> dict[str, Any]:
    return {"n": n, "hits": n_of, "share": n_of / n, "interval": share_interval(n_of, n)}


def _gain(hits: np.ndarray, usual: np.ndarray) -> dict[str, Any]:
    difference = hits - usual
    interval = ratio_interval(difference, np.ones(len(difference)))
    return {"value": float(difference.mean()), "interval": interval}


def _time(parts: list[dict[str, Any]], budget: dict[str, Any] | None) -> dict[str, Any]:
    """Milliseconds and calls of the model a move, with more than one legal card.

    ``ratio`` to the unbiased search, its interval over the parts in which both were timed.
    """
    n = sum(len(part["hits"]) for part in parts)
    mine, usual = (
        1000 * sum(part[name] for part in parts) / n for name in ("seconds", "unbiased_seconds")
    )
    calls = sum(part["calls"] for part in parts) / n
    return {
        "ms": mine,
        "unbiased_ms": usual,
        "ratio": mine / usual,
        "interval": ratio_interval(
            *(np.array([part[name] for part in parts]) for name in ("seconds", "unbiased_seconds"))
        ),
        "parts": len(parts),
        "model_calls": calls,
        "budget": budget,
    }


def human_sample(plays: Plays, kind: str) -> Sample:
    """All that the humans of a log played, by game."""
    return draw_samples([plays], [Group("kind", kind, KIND_LABELS[kind])], PlayFilter())[0]


def agent_sample(held: HeldOut, plays: Plays, moves: list[list[int]]) -> Sample:
    """What an agent played in the human's seat, by game of the log."""
    counts = np.zeros((plays.n_units, N_SUIT_MOVES), dtype=np.int32)
    for row, played in zip(held.rounds, moves, strict=False):
        np.add.at(counts[plays.units[row]], played, 1)
    return Sample(Group("agent", "agent", "agent"), ByGame(counts))


def _style(held: HeldOut, moves: list[list[int]]) -> dict[str, Any]:
    """KL(humans || agent) of abstract moves in nats: 32 classes, and ``suits`` with all 68.

    The humans are those of the whole log; ``chance``: what two groups of one style would show.
    """
    plays = classify(held.log)
    human = human_sample(plays, held.kind)
    agent = agent_sample(held, plays, moves)
    found: dict[str, Any] = {}
    for classes in CLASSES:
        table = compute_divergences([human, agent], classes)
        row = table[table["of"] == human.group.label].iloc[0]
        numbers = {
            "value": float(row["kl"]),
            "interval": [_known(row["kl_low"]), _known(row["kl_high"])],
            "chance": _known(row["chance"]),
            "js": float(row["js"]),
        }
        found |= numbers if classes == N_MOVES else {"suits": numbers}
    return {
        **found,
        "rounds": len(moves),
        "plays": agent.n_decisions,
        "games": agent.n_games,
        "human_plays": human.n_decisions,
    }


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _match(found: dict[str, Any]) -> dict[str, Any]:
    """The match of an agent (N/S) against the unbiased search, from its document."""
    names = ("games", "undecided", "win_rate", "interval", "interval_pairs", "points_difference")
    return {
        **{name: found[name] for name in names},
        "wins": found["wins"]["ns"],
        "ms_per_move": found["ms_per_move"],
        "key": found["key"],
    }


def sweep_document(
    plan: SweepPlan, kind: str, settings: list[dict[str, Any]], key: str
) -> dict[str, Any]:
    """What ``sweep --json`` prints; ``settings`` those that are finished."""
    return {
        "name": plan.name,
        "title": plan.title or plan.name,
        "plan": plan.document(),
        "humans": kind,
        "settings": settings,
        "key": key,
        "machine": machine(),
        "code": behaviour_of_searches(),
    }


def machine() -> str:
    """The processor, as far as it says its name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()
