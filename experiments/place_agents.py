"""Where known agents stand on the skill axis: ``python -m experiments.place_agents``.

Writes ``data/tables/skill_axis.json`` in some 40 minutes on one core; stopped, it goes on. Each
agent plays South among three simulated humans and is placed as any player is: by the number of
iterations at which ISMCTS predicts its cards best.
"""

import numpy as np

from analysis.people import plays_like
from analysis.people.predictions import Choices
from analysis.runs.command import say
from experiments.command import make_table
from experiments.simulated_players import SEAT, simulated_log
from spades.core.cards import N_SEATS
from spades.core.documents import Document

AGENTS = (
    "human",
    "srp+human",
    "ismcts:iterations=100",
    "ismcts:iterations=500",
    "ismcts:iterations=2500",
    "ismcts:iterations=10000",
    "best",
)
N_GAMES = 40
N_DECISIONS = 600
SEED = 9_041


def document() -> Document | None:
    """A row an agent: ``agent`` and the best iterations with interval; None if it was stopped."""
    rows = []
    for agent in AGENTS:
        log = simulated_log(agent, N_GAMES, SEED)
        is_south = np.tile(np.arange(N_SEATS) == SEAT, (len(log), 1))
        choices = plays_like.sample(Choices.of(log, is_south), N_DECISIONS)
        if not plays_like.search_settings(choices, workers=1):
            return None
        placed = plays_like.plays_like(choices)
        rows.append({"agent": agent, **placed["best_iterations"]})
        say(f"{agent}: {plays_like.verdict(placed)}")
    return {"command": plays_like.COMMAND, "games": N_GAMES, "decisions": N_DECISIONS, "rows": rows}


if __name__ == "__main__":
    make_table(__doc__, plays_like.TABLE, lambda options: document())
