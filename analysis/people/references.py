"""Where known agents stand on the skill axis: ``python -m analysis.people.references``.

Each plays South among three simulated humans and is placed like any player. Writes
``data/tables/skill_axis.json`` in some 40 minutes on one core. Resumable."""

from pathlib import Path
from typing import Any

import numpy as np

from analysis.people import plays_like
from analysis.people.players import SEAT, simulated_log
from analysis.people.predictions import Choices
from analysis.runs.command import make_table, say
from spades.core.cards import N_SEATS
from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

TABLE = DATA / "tables" / "skill_axis.json"
COMMAND = "python -m analysis.people.references"
AGENTS = (
    "human",
    "srp+human",
    "ismcts:iterations=100",
    "ismcts:iterations=500",
    "ismcts:iterations=2500",
    "ismcts:iterations=10000",
    "best",
)
GAMES = 40
DECISIONS = 600
SEED = 9_041


def document() -> dict[str, Any] | None:
    """A row for each agent: ``agent`` and the best iterations with interval; None if cancelled."""
    rows = []
    for agent in AGENTS:
        log = simulated_log(agent, GAMES, SEED)
        seats = np.tile(np.arange(N_SEATS) == SEAT, (len(log), 1))
        choices = plays_like.sample(Choices.of(log, seats), DECISIONS)
        if not plays_like.search_settings(choices, workers=1):
            return None
        answer = plays_like.plays_like(choices)
        rows.append({"agent": agent, **answer["best_iterations"]})
        say(f"{agent}: {plays_like.verdict(answer)}")
    return {"command": COMMAND, "games": GAMES, "decisions": DECISIONS, "rows": rows}


def load_references(path: Path = TABLE) -> dict[str, Any]:
    """The stored table. Raises ``SpadesError`` with the command that makes it."""
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path))


if __name__ == "__main__":
    make_table(__doc__, TABLE, lambda options: document())
