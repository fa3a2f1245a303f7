"""A sweep: tasks run on Dask for what the store lacks of it, setting by setting; its documents.

Tasks take a second or two, and any worker can run them:

- **Decisions**: cards that (simulated) humans played, drawn at random from a log that no model was
  trained on; the agent decides in the same place. They are the same for every setting; forced plays
  met on the way are counted apart. Each decision is searched without bias too, right before or
  after, so that times can be compared.
- **Rounds**: rounds of that log, drawn at random, with the agent in the human's seat
  (``analysis.sweeps.replays``); their cards are stored.
- **Budget**: how many iterations take the agent the time that the unbiased search needs.
"""

import platform
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from analysis.logs.simulate import SECONDS_PER_ITERATION, SECONDS_PER_PLAY
from analysis.matches.match import expected_seconds as match_seconds
from analysis.matches.match import match_tasks, stored_match
from analysis.matches.result import MatchResult
from analysis.matches.running import Standings
from analysis.models.measures import LEAST_PROBABILITY, calibration_error
from analysis.records import documents_of
from analysis.runs.store import ResultStore, key_of, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from analysis.sweeps.held_out import FOR_CHOICES, HeldOut, Place, hold_out
from analysis.sweeps.replays import Humans, Replays, rounds_part
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
from spades.agents import Agent, parse_agent
from spades.agents.players.direct import DirectPlayer
from spades.core.behaviour import digest
from spades.core.deal import derive_seed
from spades.core.observation import Observation
from spades.notation.log_store import open_log
from spades.search import search

SECONDS_A_ROUND = 0.06  # of four searches of 2,500 iterations
MAX_PART = 2000
BUDGET_DECISIONS = 60
BUDGET_STEPS = 3
BUDGET_REPEATS = 2
_FOR_BUDGET = 3  # what a seed is derived for
Answers = list[Any]


def seconds_a_decision(agent: str) -> float:
    """About how long an agent thinks over a card; choices take longer than the mean of a round."""
    iterations = getattr(parse_agent(agent).player, "iterations", 0)
    return SECONDS_PER_PLAY + 1.2 * iterations * SECONDS_PER_ITERATION


class TimedCard(NamedTuple):
    """An agent's card, the processor's seconds it took, calls of the human model. ``p`` float64
    (k,): how likely it holds each legal card, lowest code first: piKL's policy, the human model's
    of imitation, else shares of the visits."""

    card: int
    seconds: float
    p: NDArray[np.float64]
    calls: int = 0


def decide(agent: Agent, seen: Observation, seed: int) -> TimedCard:
    """An agent's decision, timed."""
    player: Any = agent.player
    started = time.thread_time()
    if isinstance(player, DirectPlayer):
        card = player.play(seen, seed)
        seconds = time.thread_time() - started
        return TimedCard(card, seconds, player.probabilities(seen))
    result = search(
        seen,
        iterations=player.iterations,
        seed=seed,
        settings=player.search_settings,
        prior=player.prior,
    )
    seconds = time.thread_time() - started
    return TimedCard(result.best.card.code, seconds, result.probabilities, result.model_calls)


def decisions_part(
    agent: str, baseline: str, choices: Sequence[Place], seed: int, first: int
) -> dict[str, Any]:
    """Decisions of an agent, and of the unbiased search; the choices are numbered from ``first``.
    ``hits``: a letter a choice, 1 where the agent's card is the human's; ``likely``: where the one
    that it holds likeliest is; ``p`` and ``top``: how likely it holds the human's card, and that
    one. Seconds and ``calls`` over all of them."""
    candidate = _warm(agent, choices[0])
    unbiased = _warm(baseline, choices[0])
    part: dict[str, Any] = {"hits": "", "likely": "", "p": [], "top": [], "calls": 0}
    part |= {"seconds": 0.0, "unbiased_seconds": 0.0}
    for i, (record, ply) in enumerate(choices, first):
        seen = record.observation(ply)
        decision_seed = derive_seed(seed, FOR_CHOICES, i)
        if i % 2:  # they take turns in going first
            other = decide(unbiased, seen, decision_seed)
            answer = decide(candidate, seen, decision_seed)
        else:
            answer = decide(candidate, seen, decision_seed)
            other = decide(unbiased, seen, decision_seed)
        played = list(seen.legal).index(record.plays[ply])
        p = answer.p.tolist()
        likeliest = p.index(max(p))
        part["hits"] += "1" if answer.card == record.plays[ply].code else "0"
        part["likely"] += "1" if likeliest == played else "0"
        part["p"].append(p[played])
        part["top"].append(p[likeliest])
        part["calls"] += answer.calls
        part["seconds"] += answer.seconds
        part["unbiased_seconds"] += other.seconds
    return part


def budget_part(agent: str, baseline: str, choices: Sequence[Place], seed: int) -> dict[str, Any]:
    """How many iterations of ``agent`` take the time of ``baseline`` over these choices. Both take
    turns, and every search counts with the quickest of its repeats. Time doesn't grow quite in
    proportion: the number is corrected a few times."""
    candidate = _warm(agent, choices[0])
    unbiased = _warm(baseline, choices[0])
    observations = [record.observation(ply) for record, ply in choices]
    iterations = usual = unbiased.player.iterations  # type: ignore[attr-defined]
    for _ in range(BUDGET_STEPS):
        trial = candidate.with_option("iterations", iterations)
        seconds = 0.0
        unbiased_seconds = 0.0
        for i, seen in enumerate(observations):
            decision_seed = derive_seed(seed, _FOR_BUDGET, i)
            seconds += quickest(trial, seen, decision_seed)
            unbiased_seconds += quickest(unbiased, seen, decision_seed)
        corrected = round(iterations * unbiased_seconds / seconds)
        iterations = min(max(1, corrected), 4 * usual)
    return {"iterations": iterations, "decisions": len(choices)}


def quickest(agent: Agent, seen: Observation, seed: int, repeats: int = BUDGET_REPEATS) -> float:
    """The processor's seconds of the quickest of the same decision made again."""
    return min(decide(agent, seen, seed).seconds for _ in range(repeats))


def _warm(text: str, choice: Place) -> Agent:
    """The agent, after a first decision, so that nothing is timed while code is compiled."""
    agent = parse_agent(text)
    (record, ply) = choice
    decide(agent, record.observation(ply), 0)
    return agent


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
        self.plan = plan
        self.store = ResultStore()
        self.held = hold_out(open_log(plan.log), plan.seed)
        self.humans = Humans(self.held)
        check_amounts(plan, len(self.held.choices), len(self.held.rounds))

    def agent(self, setting: Setting) -> str:
        """A setting's agent; of equal time, once its iterations are measured."""
        if not setting.is_equal_time:
            return setting.agent()
        return setting.agent(self._budget(setting)["iterations"])

    def _budget(self, setting: Setting) -> Any:
        return self.store.get(BUDGET, self.plan.budget_question(setting))

    def budget_task(self, setting: Setting) -> Task:
        """Measures the iterations of equal time; no part of the progress."""
        plan = self.plan
        trial = setting.agent(plan.iterations)

        def arguments() -> tuple:
            choices = self.held.choices[:BUDGET_DECISIONS]
            return trial, plan.baseline, self.held.records(choices), plan.seed

        place = (self.store, BUDGET, plan.budget_question(setting))
        return Task.of_store(place, budget_part, arguments, (trial,), 0)

    def ranges(self, kind: str, agent: str) -> list[tuple[int, int]]:
        """First and end of the parts of one kind. Those of rounds don't depend on the agent: most
        of the time goes to the other three seats."""
        plan = self.plan
        if kind == ROUNDS_PART:
            return ranges(plan.rounds, task_size(SECONDS_A_ROUND, MAX_PART))
        seconds = seconds_a_decision(agent) + seconds_a_decision(plan.baseline)
        return ranges(plan.decisions, task_size(seconds, MAX_PART))

    def tasks(self, setting: Setting) -> list[Task]:
        """All that is measured of a setting but equal time."""
        agent = self.agent(setting)
        tasks = self.tasks_of(DECISIONS_PART, agent) + self.tasks_of(ROUNDS_PART, agent)
        return tasks + self.match_tasks(agent)

    def match_tasks(self, agent: str) -> list[Task]:
        """The games against the unbiased search, a part a task."""
        match = self.plan.match_plan(agent)
        if match is None:
            return []
        return [replace(task, size=1) for task in match_tasks(match, self.store)]

    def tasks_of(self, kind: str, agent: str) -> list[Task]:
        return [self._task(kind, agent, first, end) for first, end in self.ranges(kind, agent)]

    def _task(self, kind: str, agent: str, first: int, end: int) -> Task:
        plan = self.plan
        held = self.held
        is_of_rounds = kind == ROUNDS_PART
        compute = rounds_part if is_of_rounds else decisions_part
        places = held.rounds if is_of_rounds else held.choices

        def arguments() -> tuple:
            return agent, plan.baseline, held.records(places[first:end]), plan.seed, first

        question = plan.part_question(agent, first, end)
        return Task.of_store((self.store, kind, question), compute, arguments, (agent,))

    def has(self, setting: Setting) -> bool:
        """Whether all that is measured of a setting is stored."""
        return self.store.has(SETTING, self.plan.question(setting))

    def document(self, setting: Setting) -> dict[str, Any]:
        """What was found of a setting all of whose parts are stored; the store gets it too."""
        question = self.plan.question(setting)
        stored = self.store.get(SETTING, question)
        if stored:
            return dict(stored)
        missing = [task for task in self.tasks(setting) if not task.is_stored()]
        assert not missing, f"{len(missing)} parts of {setting.label} aren't measured"
        measured = self._measured(setting)
        self.store.put(SETTING, question, measured)
        return measured

    def so_far(self, setting: Setting) -> dict[str, Any]:
        """As ``document``, from the parts that are stored already; None where there are none."""
        stored = self.store.get(SETTING, self.plan.question(setting))
        return dict(stored) if stored else self._measured(setting, tell=False)

    def _measured(self, setting: Setting, *, tell: bool = True) -> dict[str, Any]:
        """A setting's document, from the parts that are stored of it; ``tell``: with the AUC of
        the discriminator, which takes seconds."""
        plan = self.plan
        agent = self.agent(setting)
        measured: dict[str, Any] = {
            "setting": setting.document(),
            "label": setting.label,
            "agent": agent,
            "baseline": plan.baseline,
            **dict.fromkeys(("accuracy", "probabilities", "time", "kl", "auc", "match")),
            "key": key_of(SETTING, plan.question(setting)),
            **version_of(agent),
        }
        decisions = self._answers(DECISIONS_PART, agent)
        unbiased = self._answers(DECISIONS_PART, plan.baseline)
        if decisions and unbiased:
            measured["accuracy"] = _accuracy(self.held, decisions, unbiased)
            measured["probabilities"] = _predicted(self.held, decisions)
            measured["time"] = _time(decisions, self._budget(setting))
        replays = self.replays_of(agent)
        if replays is not None:
            measured["kl"] = self.humans.divergences(replays)
            if tell:
                measured["auc"] = self.humans.discrimination(replays)
        match = plan.match_plan(agent)
        standing = Standings(match).update() if match else None
        if match and standing:  # not stored as a match: a sweep's settings are no league's agents
            played = replace(match, games=standing.games)
            measured["match"] = _match(stored_match(played))
        return measured

    def replays_of(self, agent: str) -> Replays | None:
        """The rounds that are stored of an agent in the human's seat; None without any."""
        parts = self._answers(ROUNDS_PART, agent)
        plays = [plays for part in parts for plays in part["plays"]]
        return self.humans.replays(plays) if plays else None

    def _answers(self, kind: str, agent: str) -> Answers:
        """The stored parts of one kind, up to the first that is missing."""
        answers = []
        for part in self.ranges(kind, agent):
            answer = self.store.get(kind, self.plan.part_question(agent, *part))
            if answer is None:
                break
            answers.append(answer)
        return answers


def begin_sweep(sweep: Sweep) -> None:
    """Let the store know of a sweep before the first of its settings is measured."""
    plan = sweep.plan
    begun = {
        "plan": plan.document(),
        "asked": plan.asked(),
        "versions": plan.versions(),
        "humans": sweep.held.kind,
    }
    sweep.store.put(SWEEP, {"key": plan.key}, begun)


def run_sweep(plan: SweepPlan, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """Measure what the store lacks of a sweep: its document, None if cancelled before the end."""
    sweep = Sweep(plan)
    begin_sweep(sweep)
    missing = [setting for setting in plan.settings if not sweep.has(setting)]
    budgets = [sweep.budget_task(setting) for setting in missing if setting.is_equal_time]
    with TaskRunner(0, "parts", **options) as runner:
        if not runner.complete(budgets):
            return None
        tasks = {setting: sweep.tasks(setting) for setting in plan.settings}
        # The unbiased search's decisions, which aren't kept with what is stored of a setting.
        unbiased = sweep.tasks_of(DECISIONS_PART, plan.baseline) if missing else []
        total = len(unbiased) + sum(map(len, tasks.values()))
        n_missing = len(unbiased) + sum(len(tasks[setting]) for setting in missing)
        runner.expect(total, total - n_missing)
        if not runner.complete(unbiased):
            return None
        for setting in missing:
            if not runner.complete(tasks[setting]):
                return None
            sweep.document(setting)  # so that it can be seen while others are measured
    documents = [sweep.document(setting) for setting in plan.settings]
    return sweep_document(plan, sweep.held.kind, documents, plan.key)


def expected_seconds(plan: SweepPlan) -> float:
    """About how long a sweep takes on one core, from nothing."""
    unbiased = seconds_a_decision(plan.baseline)
    seconds = 0.0
    for setting in plan.settings:
        agent = setting.agent(plan.iterations)
        seconds += plan.decisions * (seconds_a_decision(agent) + unbiased)
        seconds += plan.rounds * SECONDS_A_ROUND
        match = plan.match_plan(agent)
        if match:
            seconds += match_seconds(match)
    return seconds


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
        "machine": processor(),
        "code": digest([setting["code"] for setting in settings]),
    }


def processor() -> str:
    """Its name and cores, as far as it says them."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def _accuracy(held: HeldOut, parts: Answers, unbiased: Answers) -> dict[str, Any]:
    """Cards predicted: of decisions with more than one legal card, and of all plays. ``gain``: over
    the unbiased search on the same decisions, its interval over decisions."""
    hits = _hits(parts)
    others = _hits(unbiased)
    n = min(len(hits), len(others))
    hits = hits[:n]
    n_hits = int(hits.sum())
    n_forced = int(held.forced[n - 1])
    gains = hits - others[:n]
    return {
        **_share(n_hits, n),
        "all_plays": _share(n_hits + n_forced, n + n_forced),
        "gain": {"value": float(gains.mean()), "interval": ratio_interval(gains, np.ones(n))},
    }


def _predicted(held: HeldOut, parts: Answers) -> dict[str, Any]:
    """How good its probabilities are, over decisions with more than one legal card: ``log_loss`` in
    nats, -ln of that of the human's card, its interval over rounds; ``ece``: expected calibration
    error, the mean distance of how sure it is from how often it is right."""
    p = np.concatenate([part["p"] for part in parts])
    top = np.concatenate([part["top"] for part in parts])
    losses = -np.log(np.maximum(p, LEAST_PROBABILITY))
    _, round_of = np.unique(held.choices[: len(p), 0], return_inverse=True)
    n_by_round = np.bincount(round_of)
    interval = ratio_interval(np.bincount(round_of, losses), n_by_round)
    return {
        "n": len(p),
        "rounds": len(n_by_round),
        "log_loss": {"value": float(losses.mean()), "interval": interval},
        "ece": calibration_error(top, _hits(parts, "likely").astype(bool)),
    }


def _hits(parts: Answers, name: str = "hits") -> NDArray[np.int64]:
    """A 1 or 0 a decision."""
    return np.array(list("".join(part[name] for part in parts)), dtype=np.int64)


def _share(n_of: int, n: int) -> dict[str, Any]:
    return {"n": n, "hits": n_of, "share": n_of / n, "interval": share_interval(n_of, n)}


def _time(parts: Answers, budget: dict[str, Any] | None) -> dict[str, Any]:
    """Milliseconds and calls of the model a move, with more than one legal card. ``ratio`` to the
    unbiased search, its interval over the parts in which both were timed."""
    calls = np.array([part["calls"] for part in parts])
    n_decisions = np.array([len(part["hits"]) for part in parts])
    seconds = np.array([part["seconds"] for part in parts])
    unbiased_seconds = np.array([part["unbiased_seconds"] for part in parts])
    n = int(n_decisions.sum())
    ms = 1000 * sum(seconds.tolist()) / n
    unbiased_ms = 1000 * sum(unbiased_seconds.tolist()) / n
    return {
        "ms": ms,
        "unbiased_ms": unbiased_ms,
        "ratio": ms / unbiased_ms,
        "interval": ratio_interval(seconds, unbiased_seconds),
        "parts": len(parts),
        "model_calls": int(calls.sum()) / n,
        "calls_interval": ratio_interval(calls, n_decisions),
        "budget": budget,
    }


def _match(found: MatchResult | None) -> dict[str, Any]:
    """The match of an agent (N/S) against the unbiased search."""
    assert found is not None
    names = ("games", "undecided", "win_rate", "interval", "interval_pairs", "points_difference")
    numbers = documents_of(found, (*names, "ms_per_move", "key"))
    return {**numbers, "wins": found.wins.ns}
