"""How well a player's own model predicts the player's choices in games that it didn't see.

Cross-validation: the games are split at random into ``FOLDS`` folds; the choices of a fold are
predicted by models fitted to some games of the others. Every choice is predicted once by a model of
each size and once by each rival, so that differences are paired. Measured are nats a choice and
top-1 accuracy, as for Maia4All and Allie.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval
from analysis.models.measures import compute_answers
from analysis.runs.progress import Progress
from spades.core.kernel import FloatArray
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
MAX_GAMES = 250  # the first that are tested; the model itself is fitted to all
OWN = "own"
POPULATION = "population"
NETWORK = "network"
CHANCE = "chance"
NETWORK_FILE = DATA / "models" / f"{OURS}{ENDING}"
_SEED = 71
Tell = Callable[[Progress], None]
Ask = Callable[[], bool]


def answers_of(model: HumanModel | FloatArray, choices: Examples) -> FloatArray:
    """By choice, (2, n): nats of the card played, and whether it was the likeliest card.

    ``model``: or the weights (45,) of a log-linear one."""
    if not isinstance(model, HumanModel):
        log_linear = LogLinearModel()
        log_linear.weights_ = model
        model = log_linear
    answers = compute_answers(model.prior(), choices)
    return answers[["log_loss", "accuracy"]].to_numpy(float).T


def rival_answers(choices: Examples) -> dict[str, FloatArray]:
    """``answers_of`` the rivals; of chance, the expected accuracy."""
    n_legal = np.bitwise_count(choices.views[:, LEGAL]).astype(float)
    return {
        POPULATION: answers_of(load_simulated_human().weights, choices),
        NETWORK: answers_of(HumanModel.load(NETWORK_FILE), choices),
        CHANCE: np.array([np.log(n_legal), 1 / n_legal]),
    }


def sizes_of(n_games: int) -> list[int]:
    """Numbers of games to fit to: those of ``SIZES`` that the other folds have, and all that they
    have where that is half as many again as the largest of these."""
    largest_fold = math.ceil(n_games / FOLDS)
    available = n_games - largest_fold if n_games > 1 else 0
    sizes = [size for size in SIZES if size <= available]
    if available > 1.5 * max(sizes, default=0):
        sizes.append(available)
    return sizes


def held_out(choices: Examples, tell: Tell, is_cancelled: Ask) -> list[dict[str, Any]]:
    """A row for each model (``loss_row``), first the player's own by number of games seen (no row
    if there is one game only). Empty if cancelled."""
    _, games = np.unique(choices.games, return_inverse=True)
    is_tested = games < MAX_GAMES
    choices = choices.take(is_tested)
    games = games[is_tested]
    n_games = int(games.max()) + 1
    order = np.random.default_rng(_SEED).permutation(n_games)
    n_folds = min(FOLDS, n_games)
    fold_of_game = np.argsort(order) % FOLDS
    sizes = sizes_of(n_games)
    data = competitions_of(choices)
    spreads = load_spreads()
    rivals = rival_answers(choices)
    rows = []
    progress = Progress(len(sizes) * n_folds, 0, "fits", time.monotonic())
    for size in sizes:
        own = np.zeros((2, len(choices)))
        for fold in range(n_folds):
            tell(progress)
            if is_cancelled():
                return []
            other_games = order[fold_of_game[order] != fold]
            fitted = np.flatnonzero(np.isin(games, other_games[:size]))
            tested = np.flatnonzero(fold_of_game[games] == fold)
            person = fit_weights(data, fitted, spreads)
            own[:, tested] = answers_of(person.weights, choices.take(tested))
            progress.done += 1
        losses = loss_row(own, games, rivals)
        rows.append({"model": OWN, "fitted_games": size, **losses})
    for name, answers in rivals.items():
        rows.append({"model": name, **loss_row(answers, games, {})})
    return rows


def loss_row(answers: NDArray, games: NDArray, rivals: Mapping[str, NDArray]) -> dict[str, Any]:
    """``log_loss`` of a model, nats a choice, and ``accuracy``; under each rival's name, by how
    much its loss on the same choices is higher. Each with ``_low`` and ``_high``, a game counting
    once."""
    measures = {"log_loss": answers[0], "accuracy": answers[1]}
    for name, other in rivals.items():
        measures[name] = other[0] - answers[0]
    choices_by_game = np.bincount(games)
    row: dict[str, Any] = {"games": len(choices_by_game), "decisions": len(games)}
    for name, values in measures.items():
        interval = ratio_interval(np.bincount(games, values), choices_by_game)
        low, high = interval or (None, None)
        row[name] = float(values.mean())
        row[f"{name}_low"] = low
        row[f"{name}_high"] = high
    return row
