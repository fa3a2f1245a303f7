"""How close models of persons come to them: ``python -m analysis.people.measure``.

Writes ``data/tables/persons.json``, in some five minutes: simulated players, drawn around the
published weights (none of the group that the prior comes from), each fitted to its first 5, 20 and
100 games and measured on others. Their true probabilities are known: ``closed`` is the share of the
log-loss between population and truth that the fit closes. Intervals at 95%, a player counting once.
"""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import mean_interval, ratio_interval
from analysis.people.held_out import (
    CHANCE,
    NETWORK,
    OWN,
    POPULATION,
    SIZES,
    answers_of,
    rival_answers,
)
from analysis.people.players import simulated_examples
from analysis.people.unusual import Z95
from analysis.runs.command import make_table, number, say
from spades.core.paths import DATA
from spades.human.loglinear import LogLinearModel, competitions_of
from spades.human.person import fit_weights, load_spreads
from spades.human.simulated import spread_human

TABLE = DATA / "tables" / "persons.json"
COMMAND = "python -m analysis.people.measure"
VERSION = 1
SPREADS = (0.5, 0.2)
N_PLAYERS, N_TEST_GAMES = 20, 200
FIRST_PLAYER, SEED = 1, 3_001
TRUTH = "truth"
LEVELS = (OWN, TRUTH, POPULATION, NETWORK, CHANCE)
NOTE = "Simulated players: no human played. Nats a choice, forced plays left out."


def _model(weights: NDArray[np.float64]) -> LogLinearModel:
    model = LogLinearModel()
    model.weights_ = weights
    return model


def measure_player(spread: float, player: int, n_test: int) -> list[dict[str, Any]]:
    """A row a size of one simulated player: mean losses, top 1, the gain over the population with
    its interval over test games, how many intervals cover the true weight."""
    agent, truth = f"human:spread={spread},player={player}", spread_human(spread, player).weights
    seen = simulated_examples(agent, max(SIZES), SEED + player)
    fresh = simulated_examples(agent, n_test, SEED + player, first=max(SIZES))
    known = {TRUTH: answers_of(_model(truth), fresh), **rival_answers(fresh)}
    data, spreads, games = competitions_of(seen), load_spreads(), fresh.games
    rows = []
    for size in SIZES:
        chosen = np.flatnonzero(seen.games < size)
        person = fit_weights(data, chosen, spreads)
        answers = {OWN: answers_of(_model(person.weights), fresh), **known}
        gains = np.bincount(games, answers[POPULATION][0] - answers[OWN][0])
        interval = ratio_interval(gains, np.bincount(games))
        row: dict[str, Any] = {"games": size, "choices": len(chosen), "tested": len(fresh)}
        row |= {"scale": person.scale, "gains_surely": bool(interval and interval[0] > 0)}
        row["covered"] = int((np.abs(person.weights - truth) <= Z95 * person.errors).sum())
        row["loss"] = {name: float(answers[name][0].mean()) for name in LEVELS}
        row["top_1"] = {name: float(answers[name][1].mean()) for name in LEVELS}
        rows.append(row)
    return rows


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Of one spread and size, over players."""
    loss = {name: np.array([row["loss"][name] for row in rows]) for name in LEVELS}
    gap, gain = loss[POPULATION] - loss[TRUTH], loss[POPULATION] - loss[OWN]
    covered, n = np.array([row["covered"] for row in rows]), len(load_spreads())

    def estimate(value: float, interval: Any) -> dict[str, Any]:
        return {"value": value, "interval": interval}

    shares = covered, np.full(len(rows), n)
    return {
        "players": len(rows),
        "choices": sum(row["choices"] for row in rows) / len(rows),
        "tested": sum(row["tested"] for row in rows),
        "gap": estimate(float(gap.mean()), mean_interval(gap)),
        "closed": estimate(float(gain.sum() / gap.sum()), ratio_interval(gain, gap)),
        "gain": estimate(float(gain.mean()), mean_interval(gain)),
        "players_that_gain_surely": sum(row["gains_surely"] for row in rows),
        "coverage": estimate(float(covered.mean() / n), ratio_interval(*shares)),
        "intervals": len(rows) * n,
        "log_loss": {name: float(values.mean()) for name, values in loss.items()},
        "top_1": {name: float(np.mean([row["top_1"][name] for row in rows])) for name in LEVELS},
        "scale": float(np.mean([row["scale"] for row in rows])),
    }


def document(options: argparse.Namespace) -> dict[str, Any]:
    found = []
    for spread in SPREADS:
        rows = []
        for i in range(options.players):
            rows += measure_player(spread, FIRST_PLAYER + i, options.games)
            say(f"spread {spread}: {i + 1} of {options.players} players")
        for size in SIZES:
            of_size = [row for row in rows if row["games"] == size]
            found.append({"spread": spread, "games": size, **summary(of_size)})
    facts = {"version": VERSION, "what": NOTE, "command": COMMAND, "test_games": options.games}
    return {**facts, "rows": found}


if __name__ == "__main__":
    players = number("--players", N_PLAYERS, "of each spread")
    games = number("--games", N_TEST_GAMES, "of each player, to measure on")
    make_table(__doc__, TABLE, document, players, games)
