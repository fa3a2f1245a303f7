"""How far persons' weights lie apart, by feature: ``python -m experiments.fit_spreads``.

Writes ``data/tables/person_spreads.json``, the prior of persons' models, in some two minutes: of
the players of ``--data LOG`` (a real group, say), or of simulated players."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from analysis.people.players import examples_of_player, players_of
from experiments.command import make_table
from experiments.simulated_players import simulated_examples
from spades.core.documents import Document
from spades.core.kernel import FloatArray
from spades.human import person
from spades.human.loglinear import Competitions, competitions_of
from spades.human.simulated import load_simulated_human
from spades.notation import read_log

N_GAMES = 20
SPREAD = 0.5
SEED = 2_001
PLAYERS = range(1_000, 1_100)
START = 0.5  # nats
PASSES = 20


def fit_spreads(group: Sequence[Competitions]) -> FloatArray:
    """Standard deviation of each weight between the players of a group, nats, (45,): the maximum
    likelihood variances, by expectation maximisation with Laplace approximations."""
    mean = load_simulated_human().weights
    spreads = np.full(mean.size, START)
    starts = [mean] * len(group)
    for _ in range(PASSES):
        total = np.zeros(mean.size)
        for i, data in enumerate(group):
            rows = np.arange(len(data.chosen))
            fit = person.fit_at_scale(data, rows, spreads, starts[i], 1.0)
            starts[i] = fit.weights
            total += (fit.weights - mean) ** 2 + fit.errors**2
        variances = total / len(group)
        spreads = np.clip(np.sqrt(variances), person.LEAST_SPREAD, person.MOST_SPREAD)
    return spreads


def document(path: Path | None) -> Document:
    if path is None:
        group = []
        for i, player in enumerate(PLAYERS):
            agent = f"human:spread={SPREAD},player={player}"
            group.append(simulated_examples(agent, N_GAMES, SEED + i))
    else:
        log = read_log(path)[0].distinct()
        group = [examples_of_player(log, player.name).unforced for player in players_of(log)]
    group = [choices for choices in group if len(choices)]
    spreads = fit_spreads([competitions_of(choices) for choices in group])
    rounded = spreads.round(4).tolist()
    return {
        "what": "Standard deviations of the weights between players, nats",
        "command": person.COMMAND,
        "group": path.name if path else f"simulated players, human:spread={SPREAD}",
        "players": len(group),
        "choices": sum(map(len, group)),
        "spreads": dict(zip(person.ALL_FEATURES, rounded, strict=True)),
    }


def add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, metavar="LOG", help="whose players are the group")


if __name__ == "__main__":
    make_table(__doc__, person.TABLE, lambda options: document(options.data), add_data)
