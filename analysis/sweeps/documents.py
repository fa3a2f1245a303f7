"""What a sweep found: a setting's document from its parts, and the whole sweep's."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.intervals import ratio_interval, share_interval
from analysis.matches.documents import stored_document
from analysis.matches.match import MatchPlan
from analysis.runs.agent_models import models_of
from analysis.runs.store import code_version, key_of
from analysis.style.bootstrap import ByGame
from analysis.style.compare import Sample, compute_divergences, draw_samples
from analysis.style.counts import KIND_LABELS, Group, PlayFilter, Plays, classify
from analysis.sweeps.sweep import BUDGET, DECISIONS_PART, ROUNDS_PART, SETTING, Setting, SweepPlan
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES

if TYPE_CHECKING:
    from analysis.sweeps.run import Sweep

CLASSES = (N_MOVES, N_SUIT_MOVES)


def setting_document(sweep: Sweep, setting: Setting, agent: str) -> dict[str, Any] | None:
    """What the store says of a setting whose agent is known; None while a part is missing."""
    plan = sweep.plan
    decisions, rounds = decision_answers(sweep, agent), round_moves(sweep, agent)
    match_plan = plan.match_plan(agent)
    match = None if match_plan is None else _match(match_plan, sweep)
    if decisions is None or rounds is None or (match_plan and match is None):
        return None
    budget = sweep.store.get(BUDGET, plan.budget_question(setting))
    return {
        "setting": setting.document(),
        "label": setting.label,
        "agent": agent,
        "baseline": plan.baseline,
        "accuracy": _accuracy(sweep, decisions) if plan.decisions else None,
        "time": _time(decisions, budget) if plan.decisions else None,
        "kl": _style(sweep, rounds) if plan.rounds else None,
        "match": match,
        "key": key_of(SETTING, plan.question(setting)),
        **code_version(),
        **models_of(agent),
    }


def decision_answers(sweep: Sweep, agent: str) -> list[dict[str, Any]] | None:
    """The answers of an agent's parts about decisions; None while one is missing."""
    return _answers(sweep, DECISIONS_PART, agent, sweep.decision_ranges(agent))


def round_moves(sweep: Sweep, agent: str) -> list[list[int]] | None:
    """Abstract moves (68) of an agent by round; None while a part is missing."""
    parts = _answers(sweep, ROUNDS_PART, agent, sweep.round_ranges())
    return None if parts is None else [moves for part in parts for moves in part["moves"]]


def _answers(
    sweep: Sweep, kind: str, agent: str, parts: list[tuple[int, int]]
) -> list[dict[str, Any]] | None:
    found = []
    for first, end in parts:
        answer = sweep.store.get(kind, sweep.plan.part_question(agent, first, end))
        if answer is None:
            return None
        found.append(answer)
    return found


def _accuracy(sweep: Sweep, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Cards predicted: of decisions with more than one legal card, and of all plays.

    ``gain``: over the unbiased search on the same decisions, its interval over decisions.
    """
    hits = _hits(parts)
    n, n_hits = len(hits), int(hits.sum())
    n_forced = int(sweep.held.forced[n - 1])
    usual = decision_answers(sweep, sweep.plan.baseline)
    return {
        **_share(n_hits, n),
        "all_plays": _share(n_hits + n_forced, n + n_forced),
        "gain": None if usual is None else _gain(hits, _hits(usual)),
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


def agent_sample(sweep: Sweep, plays: Plays, rounds: list[list[int]]) -> Sample:
    """What an agent played in the human's seat, by game of the log."""
    counts = np.zeros((plays.n_units, N_SUIT_MOVES), dtype=np.int32)
    for row, moves in zip(sweep.held.rounds, rounds, strict=False):
        np.add.at(counts[plays.units[row]], moves, 1)
    return Sample(Group("agent", "agent", "agent"), ByGame(counts))


def _style(sweep: Sweep, rounds: list[list[int]]) -> dict[str, Any]:
    """KL(humans || agent) of abstract moves in nats: 32 classes, and ``suits`` with all 68.

    The humans are those of the whole log; ``chance``: what two groups of one style would show.
    """
    plays = classify(sweep.held.log)
    human = human_sample(plays, sweep.held.kind)
    agent = agent_sample(sweep, plays, rounds)
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
        "rounds": len(rounds),
        "plays": agent.n_decisions,
        "games": agent.n_games,
        "human_plays": human.n_decisions,
    }


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _match(plan: MatchPlan, sweep: Sweep) -> dict[str, Any] | None:
    """The match of an agent (N/S) against the unbiased search."""

    found = stored_document(plan, sweep.store)
    if found is None:
        return None
    names = ("games", "undecided", "win_rate", "interval", "interval_pairs", "points_difference")
    return {
        **{name: found[name] for name in names},
        "wins": found["wins"]["ns"],
        "ms_per_move": found["ms_per_move"],
        "key": found["key"],
    }


def sweep_document(plan: SweepPlan, kind: str, settings: list[dict[str, Any]]) -> dict[str, Any]:
    """What ``sweep --json`` prints; ``settings`` those that are finished."""
    return {
        "name": plan.name,
        "title": plan.title or plan.name,
        "plan": plan.document(),
        "humans": kind,
        "settings": settings,
        "key": plan.key,
        "machine": machine(),
        **code_version(),
    }


def machine() -> str:
    """The processor, as far as it says its name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()
