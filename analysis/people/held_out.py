"""How well a player's own model predicts the player's choices in games that it didn't see.

The games are drawn into ``FOLDS`` folds; a fold's choices are predicted by models fitted to some
games of the others. So every choice is predicted once by a model of each size, and once by each
rival: the differences are paired. Protocol of Maia4All and Allie: nats a choice, top 1 beside it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval
from analysis.models.measures import compute_answers
from analysis.runs.progress import Progress
from spades.core.paths import DATA
from spades.human import HumanModel
from spades.human.features.logs import Examples
from spades.human.features.view import LEGAL
from spades.human.files import ENDING
from spades.human.loglinear import LogLinearModel, competitions_of
from spades.human.networks.config import OURS
from spades.human.person import fit_weights, load_spreads
from spades.human.simulated import load_simulated_human

SIZES = (5, 20, 100)
FOLDS = 5
MAX_GAMES = 250  # of more the first are looked at; the model itself is fitted to all
OWN, POPULATION, NETWORK, CHANCE = "own", "population", "network", "chance"
NETWORK_FILE = DATA / "models" / f"{OURS}{ENDING}"
_SEED = 71
Tell = Callable[[Progress], None]
Ask = Callable[[], bool]


def answers_of(model: HumanModel | NDArray[np.float64], choices: Examples) -> NDArray[np.float64]:
    """By choice, (2, n): nats of the card played, and whether the likeliest card was. ``model``: or
    weights (45,)."""
    if not isinstance(model, HumanModel):
        weights, model = model, LogLinearModel()
        model.weights_ = weights
    return compute_answers(model.prior(), choices)[["log_loss", "accuracy"]].to_numpy(float).T


def rival_answers(choices: Examples) -> dict[str, NDArray[np.float64]]:
    """What the rivals say of these choices; of chance the expected accuracy."""
    n_legal = np.bitwise_count(choices.views[:, LEGAL]).astype(float)
    return {
        POPULATION: answers_of(load_simulated_human().weights, choices),
        NETWORK: answers_of(HumanModel.load(NETWORK_FILE), choices),
        CHANCE: np.array([np.log(n_legal), 1 / n_legal]),
    }


def sizes_of(n_games: int) -> list[int]:
    """Numbers of games to fit to: ``SIZES`` as far as the folds leave so many; all that they leave,
    where that is half as many again as the largest of these."""
    most = n_games - -(-n_games // FOLDS) if n_games > 1 else 0
    sizes = [size for size in SIZES if size <= most]
    return [*sizes, most] if most > 1.5 * max(sizes, default=0) else sizes


def held_out(choices: Examples, tell: Tell, is_cancelled: Ask) -> list[dict[str, Any]]:
    """A row a model (``loss_row``), first the player's own by number of games seen, none for one
    game only. Empty if it was cancelled."""
    games = np.unique(choices.games, return_inverse=True)[1]
    choices, games = choices.take(games < MAX_GAMES), games[games < MAX_GAMES]
    order = np.random.default_rng(_SEED).permutation(games.max() + 1)
    fold_of = np.argsort(order) % FOLDS
    data, sizes, rivals = competitions_of(choices), sizes_of(len(order)), rival_answers(choices)
    n_folds, spreads = min(FOLDS, len(order)), load_spreads()
    rows, progress = [], Progress(len(sizes) * n_folds, 0, "fits", time.monotonic())
    for size in sizes:
        own = np.zeros((2, len(choices)))
        for fold in range(n_folds):
            tell(progress)
            if is_cancelled():
                return []
            seen = np.flatnonzero(np.isin(games, order[fold_of[order] != fold][:size]))
            test = np.flatnonzero(fold_of[games] == fold)
            person = fit_weights(data, seen, spreads)
            own[:, test] = answers_of(person.weights, choices.take(test))
            progress.done += 1
        rows.append({"model": OWN, "fitted_games": size, **loss_row(own, games, rivals)})
    return rows + [{"model": one, **loss_row(found, games, {})} for one, found in rivals.items()]


def loss_row(answers: NDArray, games: NDArray, rivals: Mapping[str, NDArray]) -> dict[str, Any]:
    """``log_loss`` of a model, nats a choice, and ``accuracy``, each with ``_low`` and ``_high``, a
    game counting once; the same of each rival's name: by how much its loss on the same choices is
    higher."""
    n = np.bincount(games)
    columns = {"log_loss": answers[0], "accuracy": answers[1]}
    columns |= {name: other[0] - answers[0] for name, other in rivals.items()}
    row: dict[str, Any] = {"games": len(n), "decisions": len(games)}
    for name, values in columns.items():
        low, high = ratio_interval(np.bincount(games, values), n) or (None, None)
        row |= {name: float(values.mean()), f"{name}_low": low, f"{name}_high": high}
    return row
