"""A sweep: tasks run on Dask for what the store lacks of it, setting by setting; its documents.

Tasks take a second or two, and any worker can run them:

- **Decisions**: cards that (simulated) humans played, drawn at random from a log that no model was
  trained on; the agent decides in the same place. They are the same for every setting; forced plays
  met on the way are counted apart. Each decision is searched without bias too, right before or
  after, so that times can be compared.
- **Rounds**: rounds of that log, drawn at random, with the agent in the human's seat: the same
  deal, bids and score; the other seats are played by the log's agents, by the unbiased search where
  it names none of ours. The abstract moves of that seat are stored.
- **Budget**: how many iterations take the agent the time that the unbiased search needs.
"""

import platform
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from analysis.logs.simulate import SECONDS_PER_ITERATION, SECONDS_PER_PLAY
from analysis.matches.match import expected_seconds as match_seconds
from analysis.matches.match import match_tasks, stored_match
from analysis.matches.result import MatchResult
from analysis.models.measures import LEAST_PROBABILITY, calibration_error
from analysis.records import documents_of
from analysis.runs.store import ResultStore, key_of, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from analysis.style.compare import ByGame, Sample, compute_divergences, draw_samples
from analysis.style.counts import KIND_LABELS, Group, PlayFilter, classify
from analysis.sweeps.sweep import (
    BUDGET,
    DECISIONS_PART,
    ROUNDS_PART,
    SETTING,
    SWEEP,
    Setting,
    SweepError,
    SweepPlan,
    behaviour_of_sweeps,
)
from spades.agents import Agent, Seating, UnknownAgentError, parse_agent
from spades.agents.play import play_cards
from spades.agents.players.direct import DirectPlayer
from spades.core.cards import N_CARDS, N_SEATS, four
from spades.core.deal import derive_seed
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import HUMAN, KINDS, SIMULATED_HUMAN, Record
from spades.core.rules import NO_BID
from spades.core.scoring import GameScore
from spades.human.features.abstract_moves import N_MOVES, N_SUIT_MOVES
from spades.human.features.logs import LEGAL, MOVE, SEAT, contexts_of_log
from spades.notation.log_store import open_log
from spades.search import search

SECONDS_A_ROUND = 0.06  # of four searches of 2,500 iterations
MAX_PART = 2000
BUDGET_DECISIONS, BUDGET_STEPS, BUDGET_REPEATS = 60, 3, 2
_CHOICES, _ROUNDS, _BUDGET = 1, 2, 3  # what a seed is derived for
Place = tuple[Record, int]  # a round with the ply of a human's card, or with a seat
Answers = list[Any]


class HeldOut(NamedTuple):
    """The humans of a log, real ones where it has any; ``kind``: of ``KINDS``.

    ``choices`` (n, 2): row of the log and ply of plays by them, in an order drawn with the seed;
    ``forced``: for each how many forced plays came before it. ``rounds`` (n, 2): rows of whole
    rounds with a human, drawn likewise, and the seat that the agent takes there."""

    log: Log
    kind: str
    choices: NDArray[np.int64]
    forced: NDArray[np.int64]
    rounds: NDArray[np.int64]

    def records(self, places: NDArray[np.int64]) -> list[Place]:
        """Some of the choices or rounds with their records."""
        return [(self.log.record(row), place) for row, place in places.tolist()]


def hold_out(log: Log, seed: int) -> HeldOut:
    """Decisions and rounds of the humans in a log; ``SweepError`` where there is none."""
    log = log.distinct()
    real = (log.kind == KINDS.index(HUMAN)).any()
    kind = HUMAN if real else SIMULATED_HUMAN
    is_human = (log.kind == KINDS.index(kind)) & (log.bids.min(axis=1) != NO_BID)[:, None]
    codes = contexts_of_log(log).codes
    by_human = np.take_along_axis(is_human, np.clip(codes[SEAT], 0, N_SEATS - 1), axis=1)
    plays = np.flatnonzero((by_human & (codes[SEAT] >= 0)).reshape(-1))
    if not len(plays):
        raise SweepError("the log has no card played by a human, real or simulated")
    drawn = np.random.default_rng([seed, _CHOICES]).permutation(plays)
    is_choice = codes[LEGAL].reshape(-1)[drawn] > 1
    rows = np.flatnonzero(is_human.any(axis=1) & (log.n_plays == N_CARDS))
    rows = np.random.default_rng([seed, _ROUNDS]).permutation(rows)
    humans = [np.flatnonzero(is_human[row]) for row in rows]
    seats = [mine[i % len(mine)] for i, mine in enumerate(humans)]
    rounds = np.stack([rows, np.array(seats, dtype=np.int64)], axis=1)
    choices = np.stack(np.divmod(drawn[is_choice], N_CARDS), axis=1)
    forced = np.cumsum(~is_choice)[is_choice]
    return HeldOut(log, kind, choices, forced, rounds)


def seconds_a_decision(agent: Agent) -> float:
    """About how long an agent thinks over a card; choices take longer than the mean of a round."""
    iterations = getattr(agent.player, "iterations", 0)
    return SECONDS_PER_PLAY + 1.2 * iterations * SECONDS_PER_ITERATION


class Answer(NamedTuple):
    """An agent's card, the processor's seconds it took, calls of the human model. ``p`` float64
    (k,): how likely it holds each legal card, lowest code first: piKL's policy, the human model's
    of imitation, else shares of the visits."""

    card: int
    seconds: float
    p: NDArray[np.float64]
    calls: int = 0


def decide(agent: Agent, seen: Observation, seed: int) -> Answer:
    """An agent's decision, timed."""
    player: Any = agent.player
    started = time.thread_time()
    if isinstance(player, DirectPlayer):
        card, seconds = player.play(seen, seed), time.thread_time() - started
        return Answer(card, seconds, player.probabilities(seen))
    found = search(
        seen,
        iterations=player.iterations,
        seed=seed,
        settings=player.search_settings,
        prior=player.prior,
    )
    seconds = time.thread_time() - started
    return Answer(found.best.card.code, seconds, found.probabilities, found.model_calls)


def decisions_part(
    agent: str, baseline: str, choices: Sequence[Place], seed: int, first: int
) -> dict[str, Any]:
    """Decisions of an agent, and of the unbiased search; the choices are numbered from ``first``.
    ``hits``: a letter a choice, 1 where the agent's card is the human's; ``likely``: where the one
    that it holds likeliest is; ``p`` and ``top``: how likely it holds the human's card, and that
    one. Seconds and ``calls`` over all of them."""
    candidate, unbiased = _warm(agent, choices[0]), _warm(baseline, choices[0])
    rows: list[tuple[bool, bool, float, float]] = []
    calls = 0
    taken = {"seconds": 0.0, "unbiased_seconds": 0.0}
    for i, (record, ply) in enumerate(choices, first):
        seen, at = record.observation(ply), derive_seed(seed, _CHOICES, i)
        other = decide(unbiased, seen, at) if i % 2 else None
        answer = decide(candidate, seen, at)
        other = other or decide(unbiased, seen, at)
        played, p = list(seen.legal).index(record.plays[ply]), answer.p.tolist()
        likely = p.index(max(p))
        rows.append((answer.card == record.plays[ply].code, likely == played, p[played], p[likely]))
        calls += answer.calls
        taken["seconds"] += answer.seconds
        taken["unbiased_seconds"] += other.seconds
    hits, right, *shares = zip(*rows, strict=True)
    found = {"hits": hits, "likely": right}
    letters = {name: "".join(map(str, map(int, one))) for name, one in found.items()}
    return {**letters, "p": [*shares[0]], "top": [*shares[1]], "calls": calls, **taken}


def rounds_part(
    agent: str, baseline: str, rounds: Sequence[Place], seed: int, first: int
) -> dict[str, Any]:
    """Play rounds again with the agent in a seat; ``moves``: its abstract moves (68) by round."""
    candidate, unbiased = parse_agent(agent), parse_agent(baseline)
    played = [
        _played_again(record, seat, candidate, unbiased, derive_seed(seed, _ROUNDS, i))
        for i, (record, seat) in enumerate(rounds, first)
    ]
    codes = contexts_of_log(Log.from_records(played)).codes
    moves = [codes[MOVE, i, codes[SEAT, i] == seat].tolist() for i, (_, seat) in enumerate(rounds)]
    return {"moves": moves}


def _played_again(record: Record, seat: int, agent: Agent, unbiased: Agent, seed: int) -> Record:
    agents = [unbiased] * N_SEATS
    for i, name in enumerate(record.agents):
        with suppress(UnknownAgentError):
            agents[i] = agent if i == seat else parse_agent(name)
    seating, state = Seating(four(agents), record.rules), record.start()
    before = GameScore(record.score_before or (0, 0), record.bags_before or (0, 0))
    play_cards(seating, state, seed, before)
    return replace(record, plays=record.rules.cards.cards(state.table.plays))


def budget_part(agent: str, baseline: str, choices: Sequence[Place], seed: int) -> dict[str, Any]:
    """How many iterations of ``agent`` take the time of ``baseline`` over these choices. Both take
    turns, and every search counts with the quickest of its repeats. Time doesn't grow quite in
    proportion: the number is corrected a few times."""
    candidate, unbiased = _warm(agent, choices[0]), _warm(baseline, choices[0])
    seen = [record.observation(ply) for record, ply in choices]
    iterations = wanted = unbiased.player.iterations  # type: ignore[attr-defined]
    for _ in range(BUDGET_STEPS):
        trial, taken, unbiased_taken = candidate.with_option("iterations", iterations), 0.0, 0.0
        for i, one in enumerate(seen):
            at = derive_seed(seed, _BUDGET, i)
            taken += min(decide(trial, one, at).seconds for _ in range(BUDGET_REPEATS))
            unbiased_taken += min(decide(unbiased, one, at).seconds for _ in range(BUDGET_REPEATS))
        iterations = min(max(1, round(iterations * unbiased_taken / taken)), 4 * wanted)
    return {"iterations": iterations, "decisions": len(choices)}


def _warm(text: str, choice: Place) -> Agent:
    """The agent, after a first decision, so that nothing is timed while code is compiled."""
    agent, (record, ply) = parse_agent(text), choice
    decide(agent, record.observation(ply), 0)
    return agent


_MEASURES = {DECISIONS_PART: (decisions_part, "choices"), ROUNDS_PART: (rounds_part, "rounds")}
"""By kind of part: what a worker computes, and from which plays of the held-out humans."""


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
        if kind == ROUNDS_PART:
            return ranges(self.plan.rounds, task_size(SECONDS_A_ROUND, MAX_PART))
        seconds = sum(seconds_a_decision(parse_agent(one)) for one in (agent, self.plan.baseline))
        return ranges(self.plan.decisions, task_size(seconds, MAX_PART))

    def tasks(self, setting: Setting) -> list[Task]:
        """All that is measured of a setting but equal time."""
        agent = self.agent(setting)
        match = self.plan.match_plan(agent)
        games = match_tasks(match, self.store) if match else []
        measured = [task for kind in _MEASURES for task in self.tasks_of(kind, agent)]
        return [*measured, *(replace(task, size=1) for task in games)]

    def tasks_of(self, kind: str, agent: str) -> list[Task]:
        return [self._task(kind, agent, first, end) for first, end in self.ranges(kind, agent)]

    def _task(self, kind: str, agent: str, first: int, end: int) -> Task:
        plan = self.plan
        compute, name = _MEASURES[kind]

        def arguments() -> tuple:
            places = self.held.records(getattr(self.held, name)[first:end])
            return agent, plan.baseline, places, plan.seed, first

        place = (self.store, kind, plan.part_question(agent, first, end))
        return Task.of_store(place, compute, arguments, (agent,))

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
        unbiased = self._answers(DECISIONS_PART, plan.baseline)
        moves = [moves for part in rounds for moves in part["moves"]]
        return {
            "setting": setting.document(),
            "label": setting.label,
            "agent": agent,
            "baseline": plan.baseline,
            "accuracy": _accuracy(self.held, decisions, unbiased) if plan.decisions else None,
            "probabilities": _predicted(self.held, decisions) if plan.decisions else None,
            "time": _time(decisions, self._budget(setting)) if plan.decisions else None,
            "kl": _style(self.held, moves) if plan.rounds else None,
            # Not stored as a match: a sweep's settings are no agents of the league.
            "match": _match(stored_match(match)) if match else None,
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
    with TaskRunner(0, "parts", **options) as runner:
        if not runner.complete([sweep.budget_task(one) for one in missing if one.is_equal_time]):
            return None
        tasks = {setting: sweep.tasks(setting) for setting in plan.settings}
        # The unbiased search's decisions, which aren't kept with what is stored of a setting.
        unbiased = sweep.tasks_of(DECISIONS_PART, plan.baseline) if missing else []
        n_missing = len(unbiased) + sum(len(tasks[setting]) for setting in missing)
        total = len(unbiased) + sum(map(len, tasks.values()))
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
    unbiased, seconds = seconds_a_decision(parse_agent(plan.baseline)), 0.0
    for setting in plan.settings:
        agent = setting.agent(plan.iterations)
        own = seconds_a_decision(parse_agent(agent))
        seconds += plan.decisions * (own + unbiased) + plan.rounds * SECONDS_A_ROUND
        if match := plan.match_plan(agent):
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
        "code": behaviour_of_sweeps(),
    }


def processor() -> str:
    """Its name and cores, as far as it says them."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def _accuracy(held: HeldOut, answers: Answers, unbiased: Answers) -> dict[str, Any]:
    """Cards predicted: of decisions with more than one legal card, and of all plays. ``gain``: over
    the unbiased search on the same decisions, its interval over decisions."""
    hits = _hits(answers)
    n, n_hits, more = len(hits), int(hits.sum()), hits - _hits(unbiased)
    n_forced = int(held.forced[n - 1])
    gain = {"value": float(more.mean()), "interval": ratio_interval(more, np.ones(n))}
    all_plays = _share(n_hits + n_forced, n + n_forced)
    return {**_share(n_hits, n), "all_plays": all_plays, "gain": gain}


def _predicted(held: HeldOut, parts: Answers) -> dict[str, Any]:
    """How good its probabilities are, over decisions with more than one legal card: ``log_loss`` in
    nats, -ln of that of the human's card, its interval over rounds; ``ece``: expected calibration
    error, the mean distance of how sure it is from how often it is right."""
    p, top = (np.array([one for part in parts for one in part[name]]) for name in ("p", "top"))
    _, of = np.unique(held.choices[: len(p), 0], return_inverse=True)
    losses, n = -np.log(np.maximum(p, LEAST_PROBABILITY)), np.bincount(of)
    interval = ratio_interval(np.bincount(of, losses), n)
    log_loss = {"value": float(losses.mean()), "interval": interval}
    ece = calibration_error(top, _hits(parts, "likely").astype(bool))
    return {"n": len(p), "rounds": len(n), "log_loss": log_loss, "ece": ece}


def _hits(parts: Answers, name: str = "hits") -> np.ndarray:
    return np.array([int(letter) for part in parts for letter in part[name]])


def _share(n_of: int, n: int) -> dict[str, Any]:
    return {"n": n, "hits": n_of, "share": n_of / n, "interval": share_interval(n_of, n)}


def _time(parts: Answers, budget: dict[str, Any] | None) -> dict[str, Any]:
    """Milliseconds and calls of the model a move, with more than one legal card. ``ratio`` to the
    unbiased search, its interval over the parts in which both were timed."""
    calls, n_hits = np.array([(part["calls"], len(part["hits"])) for part in parts]).T
    n = int(n_hits.sum())
    timed = [[part[name] for part in parts] for name in ("seconds", "unbiased_seconds")]
    mine, unbiased = (1000 * sum(seconds) / n for seconds in timed)
    return {
        "ms": mine,
        "unbiased_ms": unbiased,
        "ratio": mine / unbiased,
        "interval": ratio_interval(*map(np.array, timed)),
        "parts": len(parts),
        "model_calls": int(calls.sum()) / n,
        "calls_interval": ratio_interval(calls, n_hits),
        "budget": budget,
    }


def human_sample(held: HeldOut) -> Sample:
    """The abstract moves of the humans of the whole log, by game."""
    group = Group("kind", held.kind, KIND_LABELS[held.kind])
    return draw_samples([classify(held.log)], [group], PlayFilter())[0]


def agent_sample(held: HeldOut, moves: Sequence[Sequence[int]]) -> Sample:
    """``moves`` by round, the agent in the human's seat, as a sample beside the humans'."""
    plays = classify(held.log)
    counts = np.zeros((plays.n_units, N_SUIT_MOVES), dtype=np.int32)
    for row, played in zip(held.rounds[:, 0], moves, strict=False):
        np.add.at(counts[plays.units[row]], played, 1)
    return Sample(Group("agent", "agent", "agent"), ByGame(counts))


def _style(held: HeldOut, moves: list[list[int]]) -> dict[str, Any]:
    """KL(humans || agent) of abstract moves in nats: 32 classes, and ``suits`` with all 68.
    ``reverse``: KL(agent || humans). ``chance``: what two groups of one style would show."""
    human, agent = human_sample(held), agent_sample(held, moves)
    return {
        **_divergence(human, agent, N_MOVES),
        "reverse": _divergence(agent, human, N_MOVES),
        "suits": _divergence(human, agent, N_SUIT_MOVES),
        "rounds": len(moves),
        "plays": agent.n_decisions,
        "games": agent.n_games,
        "human_plays": human.n_decisions,
    }


def _divergence(of: Sample, to: Sample, n_classes: int) -> dict[str, Any]:
    table = compute_divergences([of, to], n_classes)
    row = table[table["of"] == of.group.label].iloc[0]
    names = ("kl_low", "kl_high", "chance")
    low, high, chance = (None if np.isnan(row[name]) else float(row[name]) for name in names)
    numbers = {"value": float(row["kl"]), "interval": [low, high], "chance": chance}
    return {**numbers, "js": float(row["js"])}


def _match(found: MatchResult | None) -> dict[str, Any]:
    """The match of an agent (N/S) against the unbiased search."""
    assert found is not None
    names = ("games", "undecided", "win_rate", "interval", "interval_pairs", "points_difference")
    numbers = documents_of(found, (*names, "ms_per_move", "key"))
    return {**numbers, "wins": found.wins.ns}
