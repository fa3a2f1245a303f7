"""What a sweep measures of an agent, in parts of a second or two that any worker can do.

- **Decisions**: cards that (simulated) humans played, drawn at random from a log that no model was
  trained on; the agent decides in the same place. They are the same for every setting; forced plays
  met on the way are counted apart. Each decision is searched without bias too, right before or
  after, so that times can be compared.
- **Rounds**: rounds of that log, drawn at random, with the agent in the human's seat: the same
  deal, bids and score; the other seats are played by the log's agents, by the unbiased search where
  it names none of ours. The abstract moves of that seat are stored.
- **Budget**: how many iterations take the agent the time that the unbiased search needs.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.logs.simulate import SECONDS_PER_ITERATION, SECONDS_PER_PLAY
from analysis.sweeps.sweep import SweepError
from spades.agents import Agent, IsmctsPlayer, Seating, UnknownAgentError, parse_agent
from spades.agents.play import play_cards
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import derive_seed
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.records import HUMAN, KINDS, SIMULATED_HUMAN, RoundRecord
from spades.core.rules import NO_BID
from spades.core.scoring import GameScore
from spades.human.features.logs import LEGAL, MOVE, SEAT, contexts_of_log
from spades.search import search

MAX_PART = 2000
BUDGET_DECISIONS, BUDGET_STEPS, BUDGET_REPEATS = 60, 3, 2
_CHOICES, _ROUNDS, _BUDGET = 1, 2, 3  # what a seed is derived for
Place = tuple[RoundRecord, int]  # a round with the ply of a human's card, or with a seat


@dataclass(frozen=True)
class HeldOut:
    """The humans of a log, real ones where it has any; ``kind``: of ``KINDS``.

    ``choices`` (n, 2): row of the log and ply of plays by them, in an order drawn with the seed;
    ``forced``: for each how many forced plays came before it. ``rounds`` (n, 2): rows of whole
    rounds with a human, drawn likewise, and the seat that the agent takes there.
    """

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
    """An agent's card, the processor's seconds it took, calls of the human model."""

    card: int
    seconds: float
    calls: int = 0


def decide(agent: Agent, seen: Observation, seed: int) -> Answer:
    """An agent's decision, timed."""
    player = agent.player
    started = time.thread_time()
    if not isinstance(player, IsmctsPlayer):
        return Answer(player.play(seen, seed), time.thread_time() - started)
    found = search(
        seen,
        iterations=player.iterations,
        seed=seed,
        settings=player.search_settings,
        prior=player.prior,
    )
    return Answer(found.best.card, time.thread_time() - started, found.model_calls)


def decisions_part(
    agent: str, baseline: str, choices: Sequence[Place], seed: int, first: int
) -> dict[str, Any]:
    """Decisions of an agent, and of the unbiased search; the choices are numbered from ``first``.
    ``hits``: a letter a choice, 1 where the agent's card is the human's. Seconds and ``calls`` over
    all of them."""
    asked, usual = _warm(agent, choices[0]), _warm(baseline, choices[0])
    hits, calls = [], 0
    taken = {"seconds": 0.0, "unbiased_seconds": 0.0}
    for i, (record, ply) in enumerate(choices, first):
        seen, at = record.observation(ply), derive_seed(seed, _CHOICES, i)
        other = decide(usual, seen, at) if i % 2 else None
        answer = decide(asked, seen, at)
        other = other or decide(usual, seen, at)
        hits.append("1" if answer.card == record.plays[ply] else "0")
        calls += answer.calls
        taken["seconds"] += answer.seconds
        taken["unbiased_seconds"] += other.seconds
    return {"hits": "".join(hits), "calls": calls, **taken}


def rounds_part(
    agent: str, baseline: str, rounds: Sequence[Place], seed: int, first: int
) -> dict[str, Any]:
    """Play rounds again with the agent in a seat; ``moves``: its abstract moves (68) by round."""
    asked, usual = parse_agent(agent), parse_agent(baseline)
    played = [
        _played_again(record, seat, asked, usual, derive_seed(seed, _ROUNDS, i))
        for i, (record, seat) in enumerate(rounds, first)
    ]
    codes = contexts_of_log(Log.from_records(played)).codes
    moves = [codes[MOVE, i, codes[SEAT, i] == seat].tolist() for i, (_, seat) in enumerate(rounds)]
    return {"moves": moves}


def _played_again(
    record: RoundRecord, seat: int, agent: Agent, usual: Agent, seed: int
) -> RoundRecord:
    agents = [usual] * N_SEATS
    for i, name in enumerate(record.agents):
        with suppress(UnknownAgentError):
            agents[i] = agent if i == seat else parse_agent(name)
    north, east, south, west = agents
    seating, state = Seating((north, east, south, west), record.rules), record.start()
    before = GameScore(record.score_before or (0, 0), record.bags_before or (0, 0))
    play_cards(seating, state, seed, before)
    return replace(record, plays=tuple(state.table.plays))


def budget_part(agent: str, baseline: str, choices: Sequence[Place], seed: int) -> dict[str, Any]:
    """How many iterations of ``agent`` take the time of ``baseline`` over these choices. Both take
    turns, and every search counts with the quickest of its repeats. Time doesn't grow quite in
    proportion: the number is corrected a few times."""
    asked, usual = _warm(agent, choices[0]), _warm(baseline, choices[0])
    seen = [record.observation(ply) for record, ply in choices]
    iterations = wanted = usual.player.iterations  # type: ignore[attr-defined]
    for _ in range(BUDGET_STEPS):
        trial, taken, usual_taken = asked.with_iterations(iterations), 0.0, 0.0
        for i, one in enumerate(seen):
            at = derive_seed(seed, _BUDGET, i)
            taken += min(decide(trial, one, at).seconds for _ in range(BUDGET_REPEATS))
            usual_taken += min(decide(usual, one, at).seconds for _ in range(BUDGET_REPEATS))
        iterations = min(max(1, round(iterations * usual_taken / taken)), 4 * wanted)
    return {"iterations": iterations, "decisions": len(choices)}


def _warm(text: str, choice: Place) -> Agent:
    """The agent, after a first decision, so that nothing is timed while code is compiled."""
    agent, (record, ply) = parse_agent(text), choice
    decide(agent, record.observation(ply), 0)
    return agent
