"""How close models of persons come to them: ``python -m analysis.people.measure``.

Writes ``data/tables/persons.json``, in some five minutes: simulated players, drawn around the
published weights (none of the group that the prior comes from), each fitted to its first 5, 20 and
100 games and measured on others. ``closed``: the share of the log-loss between population and truth
that the fit closes. Intervals at 95%, a player counting once."""

from typing import Any

import numpy as np
import pandas as pd

from analysis.decisions.decision import INTERVAL_SE
from analysis.intervals import Interval, mean_interval, ratio_interval
from analysis.people.held_out import OWN, POPULATION, SIZES, answers_of, loss_row, rival_answers
from analysis.people.players import simulated_examples
from analysis.runs.command import make_table, number, say
from spades.core.paths import DATA
from spades.human.loglinear import competitions_of
from spades.human.person import ALL_FEATURES, fit_weights, load_spreads
from spades.human.simulated import spread_human

TABLE = DATA / "tables" / "persons.json"
COMMAND = "python -m analysis.people.measure"
SPREADS, N_PLAYERS, N_TEST_GAMES, SEED = (0.5, 0.2), 20, 200, 3_001
TRUTH = "truth"


def measure_player(spread: float, player: int, n_test: int) -> list[dict[str, Any]]:
    """A row a size of one simulated player: mean losses by model and top 1, whether the gain's
    interval over test games is above 0, how many intervals cover the true weight."""
    agent, truth = f"human:spread={spread},player={player}", spread_human(spread, player).weights
    seen = simulated_examples(agent, max(SIZES), SEED + player)
    fresh = simulated_examples(agent, n_test, SEED + player, first=max(SIZES))
    known = {TRUTH: answers_of(truth, fresh), **rival_answers(fresh)}
    data, rows = competitions_of(seen), []
    for size in SIZES:
        chosen = np.flatnonzero(seen.games < size)
        person = fit_weights(data, chosen, load_spreads())
        answers = {OWN: answers_of(person.weights, fresh), **known}
        low = loss_row(answers[OWN], fresh.games, known)[f"{POPULATION}_low"]
        row = {"spread": spread, "games": size, "choices": len(chosen), "tested": len(fresh)}
        row |= {"scale": person.scale, "gains": low is not None and low > 0}
        row["covered"] = (np.abs(person.weights - truth) <= INTERVAL_SE * person.errors).sum()
        row |= {f"loss {name}": found[0].mean() for name, found in answers.items()}
        row |= {f"top 1 {name}": found[1].mean() for name, found in answers.items()}
        rows.append(row)
    return rows


def summary(rows: pd.DataFrame) -> dict[str, Any]:
    """Of the players of one spread and size."""
    gap, gain = (rows[f"loss {POPULATION}"] - rows[f"loss {name}"] for name in (TRUTH, OWN))

    def estimate(value: float, interval: Interval) -> dict[str, Any]:
        return {"value": float(value), "interval": interval}

    n_features = np.full(len(rows), len(ALL_FEATURES))
    means = rows.drop(columns=["spread", "games", "gains", "covered", "tested"]).mean().to_dict()
    return {
        **means,
        "players": len(rows),
        "tested": int(rows["tested"].sum()),
        "players_that_gain_surely": int(rows["gains"].sum()),
        "gap": estimate(gap.mean(), mean_interval(gap)),
        "gain": estimate(gain.mean(), mean_interval(gain)),
        "closed": estimate(gain.sum() / gap.sum(), ratio_interval(gain, gap)),
        "coverage": estimate(
            rows["covered"].sum() / n_features.sum(), ratio_interval(rows["covered"], n_features)
        ),
    }


def document(n_players: int, n_test: int) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for spread in SPREADS:
        for player in range(1, n_players + 1):
            rows += measure_player(spread, player, n_test)
            say(f"spread {spread}: {player} of {n_players} players")
    found = [
        {"spread": spread, "games": games, **summary(part)}
        for (spread, games), part in pd.DataFrame(rows).groupby(["spread", "games"])
    ]
    what = "Simulated players, no human played; nats a choice, forced plays left out"
    return {"what": what, "command": COMMAND, "test_games": n_test, "rows": found}


if __name__ == "__main__":
    players = number("--players", N_PLAYERS, "of each spread")
    games = number("--games", N_TEST_GAMES, "of each player, to measure on")
    make_table(__doc__, TABLE, lambda asked: document(asked.players, asked.games), players, games)
