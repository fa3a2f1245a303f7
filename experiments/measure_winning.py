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

from analysis.matches.winning import TABLE
from analysis.runs.command import add_workers, say
from experiments.command import four_of, make_table, simulated_log
from spades.core import winning
from spades.core.cards import N_SEATS
from spades.core.derived import derive
from spades.core.documents import Document
from spades.core.kernel import BoolArray, FloatArray, IntArray
from spades.core.logs import Log
from spades.core.paths import replacing, user_folder
from spades.core.rules import Rules
from spades.core.scoring import GameScore, RoundScore, add_round, winner

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

    chance: FloatArray
    won: BoolArray
    game: IntArray


def endings_of(log: Log) -> winning.RoundEndings:
    """How the whole rounds of a log ended, seats from the dealer on."""
    derived = derive(log)
    is_whole = derived.has_score
    seats = (log.dealer[is_whole][:, None] + np.arange(N_SEATS)) % N_SEATS

    def turned(column: NDArray[Any]) -> NDArray[Any]:
        return np.take_along_axis(column[is_whole], seats, axis=1)

    return winning.RoundEndings(
        bids=turned(log.bids), blind=turned(log.blind), tricks=turned(derived.tricks_taken)
    )


def forecasts_of(log: Log, chances: winning.WinningChances) -> Forecasts:
    """What the chances said before each round of a log's games, those without a winner left out."""
    derived = derive(log)
    games = log.game_code.tolist()
    scores_before = log.score_before.tolist()
    bags_before = log.bags_before.tolist()
    standing = [
        GameScore(tuple(score), tuple(bags))
        for score, bags in zip(scores_before, bags_before, strict=True)
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
        chance_of_ns = chances.chance(before, dealer)
        chance = 1 - chance_of_ns if dealing_side else chance_of_ns
        rows.append((chance, side == dealing_side, game))
    return Forecasts(*map(np.array, zip(*rows, strict=True)))


def calibration(forecasts: Forecasts) -> Document:
    """ECE and bins with 95% intervals by bootstrap over games, and the log-loss, nats a round."""
    bins = np.minimum((forecasts.chance * N_BINS).astype(int), N_BINS - 1)
    games, index = np.unique(forecasts.game, return_inverse=True)
    n_games = len(games)
    columns = (np.ones(len(bins)), forecasts.chance, forecasts.won)
    sums = np.zeros((3, n_games, N_BINS))  # rounds, chances, won
    for total, column in zip(sums, columns, strict=True):
        np.add.at(total, (index, bins), column)
    rng = np.random.default_rng(0)
    times = rng.multinomial(n_games, np.full(n_games, 1 / n_games), size=N_RESAMPLES)
    n, forecast, won = sums.sum(axis=1)
    n_drawn, forecast_drawn, won_drawn = np.einsum("rg,sgb->srb", times, sums)
    shares = won_drawn / np.maximum(n_drawn, 1)
    miscalibration = np.abs(forecast_drawn - won_drawn)
    errors = miscalibration.sum(axis=1) / n_drawn.sum(axis=1)
    interval = (0.025, 0.975)
    ends = np.quantile(shares, interval, axis=0)
    p_of_outcome = np.where(forecasts.won, forecasts.chance, 1 - forecasts.chance)
    losses = -np.log(np.clip(p_of_outcome, 1e-6, 1))
    return {
        "games": n_games,
        "rounds": len(bins),
        "ece": float(np.abs(forecast - won).sum() / n.sum()),
        "ece_interval": np.quantile(errors, interval).tolist(),
        "log_loss": float(losses.mean()),
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
    say(f"{games:,} games of {agent}")
    options.folder.mkdir(parents=True, exist_ok=True)
    plan = four_of(agent, games, "games", seed)
    return simulated_log(plan, options.folder / name, options.workers)


def winning_document(options: argparse.Namespace) -> Document | None:
    """Write how rounds ended; the calibration of the chances that follow."""
    logs: list[Log] = []
    for agent, n_full, seed in (
        (STRONG, FIT_GAMES, FIT_SEED),
        (STRONG, HELD_GAMES, HELD_SEED),
        (RULED, RULED_GAMES, HELD_SEED),
    ):
        log = played(agent, games_at_scale(n_full, options), seed, options)
        if log is None:
            return None
        logs.append(log)
    fitted, *held_out = logs
    endings = endings_of(fitted)
    with replacing(options.outcomes) as new, new.open("wb") as file:
        np.savez_compressed(file, version=winning.VERSION, **vars(endings))
    chances = winning.chances_of(Rules(), endings)
    return {
        "version": winning.VERSION,
        "agents": STRONG,
        "games": games_at_scale(FIT_GAMES, options),
        "rounds": len(endings.bids),
        "held_out": {
            agent: calibration(forecasts_of(log, chances))
            for agent, log in zip((STRONG, RULED), held_out, strict=True)
        },
    }


def games_at_scale(n_full: int, options: argparse.Namespace) -> int:
    return max(2, round(n_full * options.share))


def add_options(parser: argparse.ArgumentParser) -> None:
    folder = user_folder() / "winning"
    parser.add_argument("--folder", type=Path, default=folder, help="where its games are kept")
    parser.add_argument("--outcomes", type=Path, default=winning.OUTCOMES, help="file of rounds")
    parser.add_argument("--share", type=float, default=1.0, help="of the games, for a quick look")


if __name__ == "__main__":
    make_table(__doc__, TABLE, winning_document, add_options, add_workers)
