"""How far persons' weights lie apart, by feature: ``python -m analysis.people.fit_spreads``.

Writes ``data/tables/person_spreads.json``, the prior of persons' models, in some two minutes: of
the players of ``--data LOG`` (a real group, say), or of simulated players."""

import argparse
from pathlib import Path
from typing import Any

from analysis.people.players import examples_of_player, players_of, simulated_examples
from analysis.runs.command import make_table
from spades.core.errors import SpadesError
from spades.human import person
from spades.human.features.logs import Examples
from spades.human.loglinear import competitions_of
from spades.notation import read_log

N_PLAYERS, N_GAMES, SPREAD = 100, 20, 0.5
FIRST_PLAYER, SEED = 1_000, 2_001


def group_of(path: Path | None) -> tuple[str, list[Examples]]:
    """Who they are, and the choices of each."""
    if path is None:
        agents = [f"human:spread={SPREAD},player={FIRST_PLAYER + i}" for i in range(N_PLAYERS)]
        group = [simulated_examples(agent, N_GAMES, SEED + i) for i, agent in enumerate(agents)]
        return f"{N_PLAYERS} simulated players, {N_GAMES} games each, human:spread={SPREAD}", group
    log = read_log(path)[0].distinct()
    found = [examples_of_player(log, player.name).unforced for player in players_of(log)]
    return f"players of {path.name}", [choices for choices in found if len(choices)]


def document(path: Path | None) -> dict[str, Any]:
    what, group = group_of(path)
    if len(group) < 2:
        raise SpadesError(f"{what}: {len(group)} with a choice; two or more make a group")
    spreads = person.fit_spreads([competitions_of(choices) for choices in group])
    return {
        "version": person.VERSION,
        "what": "Standard deviations of the weights between players, nats",
        "command": person.COMMAND,
        "group": what,
        "players": len(group),
        "choices": sum(map(len, group)),
        "spreads": dict(zip(person.ALL_FEATURES, spreads.round(4).tolist(), strict=True)),
    }


def add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, metavar="LOG", help="whose players are the group")


if __name__ == "__main__":
    make_table(__doc__, person.TABLE, lambda options: document(options.data), add_data)
