"""South's plays in a log of simulated humans: what a search needs for them, how often it calls its
model, and how many it foretells. Of Baier et al. 2018, tables II and III.
"""

from typing import Any

import numpy as np

from analysis.runs.tasks import ranges
from analysis.sweeps.run import quickest
from experiments.papers.claims import Estimate
from experiments.papers.lab import Lab
from spades.agents import parse_agent
from spades.core.cards import N_CARDS, SOUTH
from spades.core.deal import derive_seed
from spades.core.observation import Observation
from spades.core.records import Record
from spades.notation.log_store import content_hash, open_log

LOG = "human-south"
SEED = 201800
TIMED_REPEATS = 5


def measure_time(lab: Lab, agent: str, unbiased: str, n_rounds: int) -> Estimate:
    """Time a move of a biased search, the unbiased one's being 1, in rounds of ``LOG``."""
    name = f"quickest seconds of both searches on {content_hash(LOG)}"
    parts = ranges(n_rounds, 2)
    agents = (agent, unbiased)
    timed = lab.measure(name, time_both, parts, *agents, agents=agents)
    seconds, unbiased_seconds, decisions = np.concatenate(timed).T
    time = Estimate.mean(seconds, "decisions", unbiased_seconds)
    return time._replace(n=int(decisions.sum()))


def time_both(first: int, end: int, agent: str, unbiased: str) -> list[tuple[float, float, int]]:
    """By round: seconds of both searches at South's unforced plays, and plays.

    Both take turns, and every search counts with the quickest of its repeats, so that a busy
    machine changes little.
    """
    log = open_log(LOG)
    biased_agent = parse_agent(agent)
    unbiased_agent = parse_agent(unbiased)
    timed = []
    for i in range(first, end):
        decisions = choices_of(log.record(i))
        seconds = 0.0
        unbiased_seconds = 0.0
        for j, seen in enumerate(decisions):
            seed = derive_seed(SEED, i, j)
            seconds += quickest(biased_agent, seen, seed, TIMED_REPEATS)
            unbiased_seconds += quickest(unbiased_agent, seen, seed, TIMED_REPEATS)
        timed.append((seconds, unbiased_seconds, len(decisions)))
    return timed


def choices_of(record: Record) -> list[Observation]:
    """South's plays with more than one legal card."""
    plays = map(record.observation, range(N_CARDS))
    return [seen for seen in plays if seen.seat == SOUTH and seen.legal_mask.bit_count() > 1]


def count_calls(lab: Lab, agent: str, n_rounds: int) -> tuple[Estimate, Estimate]:
    """Nodes in which the network is called, and calls, a move, in rounds of ``LOG``."""
    name = f"nodes queried and calls on {content_hash(LOG)}"
    parts = ranges(n_rounds, 20)
    counted = lab.measure(name, count_queries, parts, agent, agents=(agent,))
    nodes, calls, decisions = np.concatenate(counted).T
    return (
        Estimate.mean(nodes, "decisions", decisions),
        Estimate.mean(calls, "decisions", decisions),
    )


def count_queries(first: int, end: int, agent: str) -> list[tuple[int, int, int]]:
    """By round: nodes in which searches of South's unforced plays queried the model, how often they
    did, and plays."""
    log = open_log(LOG)
    player: Any = parse_agent(agent).player
    counts = []
    for i in range(first, end):
        decisions = choices_of(log.record(i))
        n_nodes = 0
        n_calls = 0
        for j, seen in enumerate(decisions):
            searched = player.search(seen, derive_seed(SEED, i, j))
            n_nodes += searched.queried_nodes
            n_calls += searched.model_calls
        counts.append((n_nodes, n_calls, len(decisions)))
    return counts


def measure_accuracy(lab: Lab, agent: str, n_rounds: int) -> Estimate:
    """Share of South's plays, forced ones too, in rounds of ``LOG`` that an agent would make."""
    name = f"plays foretold on {content_hash(LOG)}"
    hits, plays = np.concatenate(
        lab.measure(name, count_foretold, ranges(n_rounds, 5), agent, agents=(agent,))
    ).T
    return Estimate.mean(hits, "cards", plays)


def count_foretold(first: int, end: int, agent: str) -> list[tuple[int, int]]:
    """By round: South's plays that an agent would make, and South's plays."""
    log = open_log(LOG)
    player = parse_agent(agent).player
    counts = []
    for i in range(first, end):
        record = log.record(i)
        plies = [ply for ply in range(N_CARDS) if record.observation(ply).seat == SOUTH]
        n_hits = sum(
            player.play(record.observation(ply), derive_seed(SEED, i, ply))
            == record.plays[ply].code
            for ply in plies
        )
        counts.append((n_hits, len(plies)))
    return counts
