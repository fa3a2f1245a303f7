"""How well a player's own model predicts the player's choices in games that it didn't see.

The games are drawn into ``FOLDS`` folds; a fold's choices are predicted by models fitted to some
games of the others. So every choice is predicted once by a model of each size, and once by each
rival: the differences are paired. Protocol of Maia4All and Allie: nats a decision, top 1 beside it.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import Interval, ratio_interval
from analysis.models.measures import compute_answers
from analysis.runs.parts import Progress
from spades.core.deal import derive_seed
from spades.core.paths import DATA
from spades.human import HumanModel
from spades.human.features.logs import Examples
from spades.human.features.view import LEGAL
from spades.human.files import ENDING
from spades.human.loglinear import LogLinearModel, competitions_of
from spades.human.networks.config import OURS
from spades.human.person import fit_weights, load_spreads
from spades.human.simulated import devlin2016_nil

SIZES = (5, 20, 100)
FOLDS = 5
MAX_GAMES = 250
"""Of more games the first are looked at; the model itself is fitted to all."""
OWN, POPULATION, NETWORK, CHANCE = "own", "population", "network", "chance"
RIVALS = (POPULATION, NETWORK, CHANCE)
NETWORK_FILE = DATA / "models" / f"{OURS}{ENDING}"
_SEED = 71

Answers = tuple[NDArray[np.float64], NDArray[np.float64]]
"""By choice: nats of the card played; whether the likeliest card was played (its chance)."""


def answers_of(model: Any, choices: Examples) -> Answers:
    found = compute_answers(model.prior(), choices)
    return found["log_loss"].to_numpy(), found["accuracy"].to_numpy().astype(float)


def rival_answers(choices: Examples) -> dict[str, Answers]:
    """What the rivals say of these choices."""
    n_legal = np.bitwise_count(choices.views[:, LEGAL]).astype(float)
    return {
        POPULATION: answers_of(devlin2016_nil(), choices),
        NETWORK: answers_of(HumanModel.load(NETWORK_FILE), choices),
        CHANCE: (np.log(n_legal), 1 / n_legal),
    }


def sizes_of(n_games: int) -> list[int]:
    """Numbers of games to fit to: ``SIZES`` as far as the folds leave so many; all that they leave,
    where that is half as many again as the largest of these."""
    most = n_games - -(-n_games // min(FOLDS, n_games))
    sizes = [size for size in SIZES if size <= most]
    return [*sizes, most] if most >= 1.5 * max(sizes, default=0) and most else sizes


def held_out(
    choices: Examples,
    *,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> list[dict[str, Any]]:
    """A row a model, the player's own by number of games seen first, as ``loss_row`` has it; the
    rivals alone where there is one game only. Empty if it was cancelled."""
    _, games = np.unique(choices.games, return_inverse=True)
    choices = choices.take(games < MAX_GAMES)
    games = games[games < MAX_GAMES]
    n_games = int(games.max()) + 1
    order = np.random.default_rng(derive_seed(_SEED, n_games)).permutation(n_games)
    fold_of = np.empty(n_games, dtype=int)
    fold_of[order] = np.arange(n_games) % FOLDS
    data, spreads, sizes = competitions_of(choices), load_spreads(), sizes_of(n_games)
    own = {size: np.zeros((2, len(choices))) for size in sizes}
    progress = Progress(len(sizes) * min(FOLDS, n_games), 0, "fits", time.monotonic())
    for size in sizes:
        for fold in range(min(FOLDS, n_games)):
            tell(progress)
            if is_cancelled():
                return []
            seen = order[fold_of[order] != fold][:size]
            rows, test = (
                np.flatnonzero(found) for found in (np.isin(games, seen), fold_of[games] == fold)
            )
            model = LogLinearModel()
            model.weights_ = fit_weights(data, rows, spreads).weights
            own[size][:, test] = answers_of(model, choices.take(test))
            progress.done += 1
    rivals = rival_answers(choices)
    found_rows = [loss_row(OWN, (*found,), games, rivals, size) for size, found in own.items()]
    return found_rows + [loss_row(name, found, games, {}) for name, found in rivals.items()]


def loss_row(
    model: str,
    answers: Answers,
    games: NDArray[np.int64],
    rivals: dict[str, Answers],
    size: int | None = None,
) -> dict[str, Any]:
    """Log-loss of a model, nats a choice, and accuracy, with intervals, a game counting once;
    ``gains``: by how much it is below the loss of each rival on the same choices."""
    n = np.bincount(games)

    def mean(values: NDArray) -> tuple[float, Interval]:
        return float(values.mean()), ratio_interval(np.bincount(games, values), n)

    (loss, of_loss), (accuracy, of_accuracy) = map(mean, answers)
    row: dict[str, Any] = {"model": model, "fitted_games": size, "games": len(n)}
    row |= {"decisions": len(games), "log_loss": loss, "accuracy": accuracy}
    row["intervals"] = {"log_loss": of_loss, "accuracy": of_accuracy}
    row["gains"] = {}
    for name, other in rivals.items():
        gain, interval = mean(other[0] - answers[0])
        row["gains"][name] = {"gain": gain, "interval": interval}
    return row
