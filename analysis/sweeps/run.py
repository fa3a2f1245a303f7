"""A sweep carried out: what the store lacks of it, setting by setting, on Dask; its documents."""

import platform
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from analysis.intervals import ratio_interval, share_interval
from analysis.matches.match import expected_seconds as match_seconds
from analysis.matches.match import match_parts, store_match
from analysis.runs.parts import Part, Run, RunOptions, part_size, ranges
from analysis.runs.store import ResultStore, key_of, version_of
from analysis.style.compare import ByGame, Sample, compute_divergences, draw_samples
from analysis.style.counts import KIND_LABELS, Group, PlayFilter, classify
from analysis.sweeps import measures
from analysis.sweeps.measures import MAX_PART, HeldOut, hold_out, seconds_a_decision
from analysis.sweeps.sweep import (
    BUDGET,
    DECISIONS_PART,
    ROUNDS_PART,
    SETTING,
    SWEEP,
    Setting,
    SweepError,
    SweepPlan,
)
from spades.agents import parse_agent
from spades.core.behaviour import behaviour_of_searches
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES
from spades.notation.log_store import open_log

SECONDS_A_ROUND = 0.06  # of four searches of 2,500 iterations
_MEASURES = {
    DECISIONS_PART: (measures.decisions_part, "choices"),
    ROUNDS_PART: (measures.rounds_part, "rounds"),
}
"""By kind of part: what a worker computes, and from which plays of the held-out humans."""
Answers = list[Any]


def check_amounts(plan: SweepPlan, n_choices: int, n_rounds: int) -> None:
    """Refuse a plan that asks for more of a log's held-out humans than there is."""
    for name, there in (("decisions", n_choices), ("rounds", n_rounds)):
        if getattr(plan, name) > there:
            raise SweepError(
                f"{name} is {getattr(plan, name):,}; the log {plan.log} has {there:,} "
                "held-out ones by humans"
            )


class Sweep:
    """A plan and the held-out play that it asks about; ``store`` holds all results."""

    def __init__(self, plan: SweepPlan) -> None:
        self.plan, self.store = plan, ResultStore()
        self.held = hold_out(open_log(plan.log), plan.seed)
        check_amounts(plan, len(self.held.choices), len(self.held.rounds))

    def agent(self, setting: Setting) -> str:
        """A setting's agent; of equal time, once its iterations are measured."""
        if not setting.is_equal_time:
            return setting.agent()
        return setting.agent(self._budget(setting)["iterations"])

    def _budget(self, setting: Setting) -> Any:
        return self.store.get(BUDGET, self.plan.budget_question(setting))

    def budget_part(self, setting: Setting) -> Part:
        """Measures the iterations of equal time; no part of the progress."""
        trial, plan = setting.agent(self.plan.iterations), self.plan

        def arguments() -> tuple:
            choices = self.held.choices[: measures.BUDGET_DECISIONS]
            return trial, plan.baseline, self.held.records(choices), plan.seed

        place = (self.store, BUDGET, plan.budget_question(setting))
        return Part.of_store(place, measures.budget_part, arguments, (trial,), 0)

    def ranges(self, kind: str, agent: str) -> list[tuple[int, int]]:
        """First and end of the parts of one kind. Those of rounds don't depend on the agent: most
        of the time goes to the other three seats."""
        if kind == ROUNDS_PART:
            return ranges(self.plan.rounds, part_size(SECONDS_A_ROUND, MAX_PART))
        seconds = sum(seconds_a_decision(parse_agent(one)) for one in (agent, self.plan.baseline))
        return ranges(self.plan.decisions, part_size(seconds, MAX_PART))

    def parts(self, setting: Setting) -> list[Part]:
        """All that is measured of a setting but equal time."""
        agent = self.agent(setting)
        match = self.plan.match_plan(agent)
        games = match_parts(match, self.store) if match else []
        measured = [
            self._part(kind, agent, *one) for kind in _MEASURES for one in self.ranges(kind, agent)
        ]
        return [*measured, *(replace(part, size=1) for part in games)]

    def _part(self, kind: str, agent: str, first: int, end: int) -> Part:
        plan, (compute, name) = self.plan, _MEASURES[kind]

        def arguments() -> tuple:
            places = self.held.records(getattr(self.held, name)[first:end])
            return agent, plan.baseline, places, plan.seed, first

        place = (self.store, kind, plan.part_question(agent, first, end))
        return Part.of_store(place, compute, arguments, (agent,))

    def document(self, setting: Setting) -> dict[str, Any]:
        """What was found of a setting all of whose parts are stored; the store gets it too."""
        question = self.plan.question(setting)
        if found := self.store.get(SETTING, question):
            return dict(found)
        found = self._measured(setting)
        self.store.put(SETTING, question, found)
        return found

    def _measured(self, setting: Setting) -> dict[str, Any]:
        plan, agent = self.plan, self.agent(setting)
        match = plan.match_plan(agent)
        decisions, rounds = (self._answers(kind, agent) for kind in _MEASURES)
        usual = self._answers(DECISIONS_PART, plan.baseline)
        moves = [moves for part in rounds for moves in part["moves"]]
        return {
            "setting": setting.document(),
            "label": setting.label,
            "agent": agent,
            "baseline": plan.baseline,
            "accuracy": _accuracy(self.held, decisions, usual) if plan.decisions else None,
            "time": _time(decisions, self._budget(setting)) if plan.decisions else None,
            "kl": _style(self.held, moves) if plan.rounds else None,
            "match": _match(store_match(match, self.store)) if match else None,
            "key": key_of(SETTING, plan.question(setting)),
            **version_of(agent),
        }

    def _answers(self, kind: str, agent: str) -> Answers:
        questions = [self.plan.part_question(agent, *part) for part in self.ranges(kind, agent)]
        return [self.store.get(kind, question) for question in questions]


def run_sweep(plan: SweepPlan, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """Measure what the store lacks of a sweep: its document, None if cancelled before the end."""
    sweep = Sweep(plan)
    asked = {"asked": plan.asked(), "models": plan.models(), "humans": sweep.held.kind}
    sweep.store.put(SWEEP, {"key": plan.key}, {"plan": plan.document(), **asked})
    missing = [one for one in plan.settings if not sweep.store.has(SETTING, plan.question(one))]
    with Run(0, "parts", **options) as run:
        if not run.complete([sweep.budget_part(one) for one in missing if one.is_equal_time]):
            return None
        parts = {setting: sweep.parts(setting) for setting in plan.settings}
        n_missing = sum(len(parts[setting]) for setting in missing)
        total = sum(map(len, parts.values()))
        run.expect(total, total - n_missing)
        for setting in missing:
            if not run.complete(parts[setting]):
                return None
            sweep.document(setting)  # so that it can be seen while others are measured
    documents = [sweep.document(setting) for setting in plan.settings]
    return sweep_document(plan, sweep.held.kind, documents, plan.key)


def expected_seconds(plan: SweepPlan) -> float:
    """About how long a sweep takes on one core, from nothing."""
    usual, seconds = seconds_a_decision(parse_agent(plan.baseline)), 0.0
    for setting in plan.settings:
        agent = setting.agent(plan.iterations)
        own = seconds_a_decision(parse_agent(agent))
        seconds += plan.decisions * (own + usual) + plan.rounds * SECONDS_A_ROUND
        if match := plan.match_plan(agent):
            seconds += match_seconds(match)
    return seconds


# Documents


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
        "machine": _machine(),
        "code": behaviour_of_searches(),
    }


def _machine() -> str:
    """The processor, as far as it says its name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def _accuracy(held: HeldOut, answers: Answers, usual: Answers) -> dict[str, Any]:
    """Cards predicted: of decisions with more than one legal card, and of all plays. ``gain``: over
    the unbiased search on the same decisions, its interval over decisions."""
    hits = _hits(answers)
    n, n_hits, more = len(hits), int(hits.sum()), hits - _hits(usual)
    n_forced = int(held.forced[n - 1])
    gain = {"value": float(more.mean()), "interval": ratio_interval(more, np.ones(n))}
    all_plays = _share(n_hits + n_forced, n + n_forced)
    return {**_share(n_hits, n), "all_plays": all_plays, "gain": gain}


def _hits(parts: Answers) -> np.ndarray:
    return np.array([int(letter) for part in parts for letter in part["hits"]])


def _share(n_of: int, n: int) -> dict[str, Any]:
    return {"n": n, "hits": n_of, "share": n_of / n, "interval": share_interval(n_of, n)}


def _time(parts: Answers, budget: dict[str, Any] | None) -> dict[str, Any]:
    """Milliseconds and calls of the model a move, with more than one legal card. ``ratio`` to the
    unbiased search, its interval over the parts in which both were timed."""
    n = sum(len(part["hits"]) for part in parts)
    timed = [[part[name] for part in parts] for name in ("seconds", "unbiased_seconds")]
    mine, usual = (1000 * sum(seconds) / n for seconds in timed)
    return {
        "ms": mine,
        "unbiased_ms": usual,
        "ratio": mine / usual,
        "interval": ratio_interval(*map(np.array, timed)),
        "parts": len(parts),
        "model_calls": sum(part["calls"] for part in parts) / n,
        "budget": budget,
    }


def _style(held: HeldOut, moves: list[list[int]]) -> dict[str, Any]:
    """KL(humans || agent) of abstract moves in nats: 32 classes, and ``suits`` with all 68.
    ``moves`` by round, the agent in the human's seat; the humans are those of the whole log.
    ``chance``: what two groups of one style would show."""
    plays = classify(held.log)
    group = Group("kind", held.kind, KIND_LABELS[held.kind])
    human = draw_samples([plays], [group], PlayFilter())[0]
    counts = np.zeros((plays.n_units, N_SUIT_MOVES), dtype=np.int32)
    for row, played in zip(held.rounds[:, 0], moves, strict=False):
        np.add.at(counts[plays.units[row]], played, 1)
    agent = Sample(Group("agent", "agent", "agent"), ByGame(counts))
    return {
        **_divergence(human, agent, N_MOVES),
        "suits": _divergence(human, agent, N_SUIT_MOVES),
        "rounds": len(moves),
        "plays": agent.n_decisions,
        "games": agent.n_games,
        "human_plays": human.n_decisions,
    }


def _divergence(human: Sample, agent: Sample, n_classes: int) -> dict[str, Any]:
    table = compute_divergences([human, agent], n_classes)
    row = table[table["of"] == human.group.label].iloc[0]
    names = ("kl_low", "kl_high", "chance")
    low, high, chance = (None if np.isnan(row[name]) else float(row[name]) for name in names)
    numbers = {"value": float(row["kl"]), "interval": [low, high], "chance": chance}
    return {**numbers, "js": float(row["js"])}


def _match(found: dict[str, Any]) -> dict[str, Any]:
    """The match of an agent (N/S) against the unbiased search, from its document."""
    names = ("games", "undecided", "win_rate", "interval", "interval_pairs", "points_difference")
    numbers = {name: found[name] for name in names} | {"wins": found["wins"]["ns"]}
    return {**numbers, "ms_per_move": found["ms_per_move"], "key": found["key"]}
