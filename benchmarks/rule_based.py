"""How many rounds a second the strong rule-based player plays against itself."""

from __future__ import annotations

import statistics
import time

from spades.agents import Seating, parse_agent, play_rounds
from spades.core.rules import Rules

AGENT, N_ROUNDS, TURNS = "srp+human", 10_000, 5


def rounds_per_second() -> float:
    """Median over turns by one thread's time: dealt, bid by the simulated human, played, scored."""
    agent = parse_agent(AGENT)
    seating = Seating((agent, agent, agent, agent), Rules())
    play_rounds(seating, 0, 0, 10)  # compiled and warm
    speeds = []
    for turn in range(TURNS):
        started = time.thread_time()
        play_rounds(seating, turn, 0, N_ROUNDS)
        speeds.append(N_ROUNDS / (time.thread_time() - started))
    return statistics.median(speeds)
