"""How close models of persons come to the persons: ``python -m experiments.measure_persons``.

Writes ``data/tables/persons.json`` in some five minutes. Simulated players are drawn around the
published weights (none is of the group that the prior comes from); each is fitted to its first 5,
20 and 100 games and measured on others. ``closed``: the share of the gap in log-loss between
population and truth that the fit closes. Intervals are at 95%, a player counting once."""

import numpy as np
import pandas as pd

from analysis.decisions.conclusion import INTERVAL_SE
from analysis.intervals import Interval, mean_interval, ratio_interval
from analysis.people.held_out import OWN, POPULATION, SIZES, answers_of, loss_row, rival_answers
from analysis.runs.command import say
from experiments.command import make_table, number
from experiments.simulated_players import simulated_examples
from spades.core.documents import Document
from spades.core.paths import DATA
from spades.human.loglinear import competitions_of
from spades.human.person import ALL_FEATURES, fit_weights, load_spreads
from spades.human.simulated import spread_human

TABLE = DATA / "tables" / "persons.json"
COMMAND = "python -m experiments.measure_persons"
SPREADS = (0.5, 0.2)
N_PLAYERS = 20
N_TEST_GAMES = 200
SEED = 3_001
TRUTH = "truth"


def measure_player(spread: float, player: int, n_test: int) -> list[Document]:
    """A row for each number of games that one simulated player is fitted to: mean loss and top-1
    accuracy by model, whether the gain's interval over test games is above 0, how many intervals
    cover the true weight."""
    agent = f"human:spread={spread},player={player}"
    truth = spread_human(spread, player).weights
    most_games = max(SIZES)
    fitted = simulated_examples(agent, most_games, SEED + player)
    tested = simulated_examples(agent, n_test, SEED + player, first=most_games)
    rivals = {TRUTH: answers_of(truth, tested), **rival_answers(tested)}
    data = competitions_of(fitted)
    rows = []
    for size in SIZES:
        chosen = np.flatnonzero(fitted.games < size)
        person = fit_weights(data, chosen, load_spreads())
        answers = {OWN: answers_of(person.weights, tested), **rivals}
        low = loss_row(answers[OWN], tested.games, rivals)[f"{POPULATION}_low"]
        is_covered = np.abs(person.weights - truth) <= INTERVAL_SE * person.errors
        row = {
            "spread": spread,
            "games": size,
            "choices": len(chosen),
            "tested": len(tested),
            "scale": person.scale,
            "gains": low is not None and low > 0,
            "covered": is_covered.sum(),
        }
        row |= {f"loss {name}": losses.mean() for name, (losses, _) in answers.items()}
        row |= {f"top 1 {name}": is_right.mean() for name, (_, is_right) in answers.items()}
        rows.append(row)
    return rows


def summary(rows: pd.DataFrame) -> Document:
    """Of the players of one spread and size."""
    gap = rows[f"loss {POPULATION}"] - rows[f"loss {TRUTH}"]
    gain = rows[f"loss {POPULATION}"] - rows[f"loss {OWN}"]

    def estimate(value: float, interval: Interval) -> Document:
        return {"value": float(value), "interval": interval}

    covered = rows["covered"]
    n_features = np.full(len(rows), len(ALL_FEATURES))
    not_averaged = ["spread", "games", "gains", "covered", "tested"]
    means = rows.drop(columns=not_averaged).mean().to_dict()
    return {
        **means,
        "players": len(rows),
        "tested": int(rows["tested"].sum()),
        "players_that_gain_surely": int(rows["gains"].sum()),
        "gap": estimate(gap.mean(), mean_interval(gap)),
        "gain": estimate(gain.mean(), mean_interval(gain)),
        "closed": estimate(gain.sum() / gap.sum(), ratio_interval(gain, gap)),
        "coverage": estimate(covered.sum() / n_features.sum(), ratio_interval(covered, n_features)),
    }


def document(n_players: int, n_test: int) -> Document:
    rows: list[Document] = []
    for spread in SPREADS:
        for player in range(1, n_players + 1):
            rows += measure_player(spread, player, n_test)
            say(f"spread {spread}: {player} of {n_players} players")
    by_spread_and_games = pd.DataFrame(rows).groupby(["spread", "games"])
    return {
        "what": "Simulated players, no human played; nats a choice, forced plays left out",
        "command": COMMAND,
        "test_games": n_test,
        "rows": [
            {"spread": spread, "games": games, **summary(part)}
            for (spread, games), part in by_spread_and_games
        ],
    }


if __name__ == "__main__":
    players = number("--players", N_PLAYERS, "of each spread")
    games = number("--games", N_TEST_GAMES, "of each player, to measure on")
    make_table(
        __doc__, TABLE, lambda options: document(options.players, options.games), players, games
    )
