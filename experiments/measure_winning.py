"""The chance to win a game, made and held against games: ``python -m experiments.measure_winning``.

Plays games of strong agents; how the rounds of the first ended is what chances are made of
(``spades.core.winning``); in the others, at the start of every round, the chance of the side that
deals is held against who won. Calibration is by tenths of the chance; its expected error (ECE) is
the mean over rounds of the distance between a tenth's chance and share won, with a 95% interval
over games: rounds of one game have one winner.

Writes ``data/tables/round_outcomes.npz`` and ``winning.json``; 15 minutes of one core, resumed.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.logs.simulate import SimulationPlan, simulate
from analysis.matches.winning import TABLE
from analysis.runs.command import add_workers, interruptible, say
from experiments.command import make_table
from spades.core import winning
from spades.core.cards import N_SEATS
from spades.core.derived import derive
from spades.core.logs import Log
from spades.core.paths import replacing, user_folder
from spades.core.rules import Rules
from spades.core.scoring import GameScore, RoundScore, add_round, winner
from spades.notation.parquet import load_log

STRONG = "ismcts:iterations=300,playout=nil-aware+bis"
RULED = "srp+bis"
FIT_GAMES = 1500
FIT_SEED = 21
HELD_GAMES = 6000
RULED_GAMES = 10_000
HELD_SEED = 22
N_BINS = 10
N_RESAMPLES = 1000


class Forecasts(NamedTuple):
    """Rounds of games that were won: ``chance`` (n,) of the side that deals, ``won`` bool (n,),
    and ``game`` (n,), its number."""

    chance: NDArray[np.float64]
    won: NDArray[np.bool_]
    game: NDArray[np.int64]


def outcomes_of(log: Log) -> winning.Outcomes:
    """How the whole rounds of a log ended, seats from the dealer on."""
    derived = derive(log)
    whole = derived.has_score
    seats = (log.dealer[whole][:, None] + np.arange(N_SEATS)) % N_SEATS

    def turned(column: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(column[whole], seats, axis=1)

    return winning.Outcomes(turned(log.bids), turned(log.blind), turned(derived.tricks_taken))


def forecasts_of(log: Log, chances: winning.WinningChances) -> Forecasts:
    """What the chances said before each round of a log's games, those without a winner left out."""
    derived = derive(log)
    games = log.game_code.tolist()
    standing = [
        GameScore(tuple(log.score_before[i].tolist()), tuple(log.bags_before[i].tolist()))
        for i in range(len(log))
    ]
    winner_of: dict[int, int | None] = {}
    for i, game in enumerate(games):  # the last round of each stays
        points = tuple(derived.points[i].tolist())
        bags = tuple(derived.bags[i].tolist())
        after = add_round(chances.rules, standing[i], RoundScore(points, bags))
        winner_of[game] = winner(chances.rules, after.score)
    rows = []
    for before, dealer, game in zip(standing, log.dealer.tolist(), games, strict=True):
        side = winner_of[game]
        if side is None:
            continue
        dealing_side = dealer % 2
        chance = chances.chance(before, dealer)  # of N/S
        rows.append((1 - chance if dealing_side else chance, side == dealing_side, game))
    chance_column, won_column, game_column = map(np.array, zip(*rows, strict=True))
    return Forecasts(chance_column, won_column, game_column)


def calibration(found: Forecasts, seed: int = 0) -> dict[str, Any]:
    """ECE and bins with 95% intervals by bootstrap over games, and the log-loss, nats a round."""
    bins = np.minimum((found.chance * N_BINS).astype(int), N_BINS - 1)
    games, index = np.unique(found.game, return_inverse=True)
    sums = np.zeros((3, len(games), N_BINS))  # rounds, chances, won
    for total, column in zip(sums, (np.ones(len(bins)), found.chance, found.won), strict=True):
        np.add.at(total, (index, bins), column)
    times = np.random.default_rng(seed).multinomial(
        len(games), np.full(len(games), 1 / len(games)), size=N_RESAMPLES
    )
    resampled = np.einsum("rg,sgb->srb", times, sums)
    n, forecast, won = sums.sum(axis=1)
    shares = resampled[2] / np.maximum(resampled[0], 1)
    ends = np.quantile(shares, (0.025, 0.975), axis=0)
    errors = np.abs(resampled[1] - resampled[2]).sum(axis=1) / resampled[0].sum(axis=1)
    sure = np.where(found.won, found.chance, 1 - found.chance)
    return {
        "games": len(games),
        "rounds": len(bins),
        "ece": float(np.abs(forecast - won).sum() / n.sum()),
        "ece_interval": np.quantile(errors, (0.025, 0.975)).tolist(),
        "log_loss": float(-np.log(np.clip(sure, 1e-6, 1)).mean()),
        "bins": [
            {
                "from": i / N_BINS,
                "to": (i + 1) / N_BINS,
                "n": int(n[i]),
                "confidence": forecast[i] / n[i],
                "accuracy": won[i] / n[i],
                "interval": ends[:, i].tolist(),
            }
            for i in range(N_BINS)
            if n[i]
        ],
    }


def played(agent: str, games: int, seed: int, options: argparse.Namespace) -> Log | None:
    """Games of four of an agent: those in the folder, or played now; None where stopped."""
    name = f"{agent.partition(':')[0]}-{games}-{seed}.parquet"
    plan = SimulationPlan((agent, agent, agent, agent), games, seed=seed)
    say(f"{games:,} games of {agent}")
    options.folder.mkdir(parents=True, exist_ok=True)
    with interruptible(say) as is_cancelled:
        made = simulate(
            plan, options.folder / name, workers=options.workers, is_cancelled=is_cancelled
        )
    return load_log(made.path) if made else None


def winning_document(options: argparse.Namespace) -> dict[str, Any] | None:
    """Makes and writes the outcomes; the calibration of the chances that follow."""
    n_fit, n_held, n_ruled = (
        max(2, round(n * options.share)) for n in (FIT_GAMES, HELD_GAMES, RULED_GAMES)
    )
    logs: list[Log] = []
    for agent, n_games, seed in (
        (STRONG, n_fit, FIT_SEED),
        (STRONG, n_held, HELD_SEED),
        (RULED, n_ruled, HELD_SEED),
    ):
        log = played(agent, n_games, seed, options)
        if log is None:
            return None
        logs.append(log)
    outcomes = outcomes_of(logs[0])
    with replacing(options.outcomes) as new, new.open("wb") as file:
        np.savez_compressed(file, version=winning.VERSION, **vars(outcomes))
    chances = winning.chances_of(Rules(), outcomes)
    held_out = {STRONG: logs[1], RULED: logs[2]}
    return {
        "version": winning.VERSION,
        "agents": STRONG,
        "games": n_fit,
        "rounds": len(outcomes.bids),
        "held_out": {
            agent: calibration(forecasts_of(log, chances)) for agent, log in held_out.items()
        },
    }


def add_options(parser: argparse.ArgumentParser) -> None:
    folder = user_folder() / "winning"
    parser.add_argument("--folder", type=Path, default=folder, help="where its games are kept")
    parser.add_argument("--outcomes", type=Path, default=winning.OUTCOMES, help="file of rounds")
    parser.add_argument("--share", type=float, default=1.0, help="of the games, for a quick look")


if __name__ == "__main__":
    make_table(__doc__, TABLE, winning_document, add_options, add_workers)
