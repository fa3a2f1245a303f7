"""The model of one person: log-linear weights, the maximum a posteriori around the population's.

The prior of a person's weights is normal around those of the simulated human, ``devlin2016-nil``.
Its standard deviations by feature come from a group of players, by empirical Bayes (the table
``person_spreads.json``). All are multiplied by a scale, which says how far this person is from the
population: that of ``SCALES`` with the highest posterior, found in steps from 1. The prior of the
scale is log-normal around 1 with a standard deviation of a factor of 2, so that few decisions
change it little. Intervals are Laplace's: normal, with the inverse curvature of the posterior as
covariance.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.documents import read_json
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.paths import DATA, stored_table
from spades.human.features.card_features import FEATURES, NIL_FEATURE_NAMES
from spades.human.features.logs import Examples
from spades.human.files import data_facts
from spades.human.loglinear import (
    Competitions,
    LogLinearModel,
    competitions_of,
    curvature,
    log_loss,
    polish,
)
from spades.human.simulated import MODEL_NAME, load_simulated_human

TABLE = DATA / "tables" / "person_spreads.json"
COMMAND = "python -m experiments.fit_spreads"
ALL_FEATURES = FEATURES + NIL_FEATURE_NAMES
LEAST_SPREAD = 0.01
MOST_SPREAD = 10.0  # nats
SCALES = tuple(2.0 ** (half / 2) for half in range(-8, 5))


class PersonError(SpadesError):
    """Spreads that can't be read, or a person that can't be fitted."""


class Person(NamedTuple):
    """A fit: ``weights`` (45,), nats; their ``covariance`` (45, 45), nats^2; log ``evidence``, nats
    up to a constant; the ``scale`` of the prior."""

    weights: FloatArray
    covariance: FloatArray
    evidence: float
    scale: float

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the weights, nats, (45,)."""
        return np.sqrt(np.diag(self.covariance))


def load_spreads(path: Path = TABLE) -> FloatArray:
    """Standard deviation of each weight between persons, nats, (45,)."""
    with stored_table(path, COMMAND, PersonError):
        table = read_json(path)["spreads"]
        spreads = np.array([table[name] for name in ALL_FEATURES], dtype=np.float64)
        if not ((spreads >= LEAST_SPREAD) & (spreads <= MOST_SPREAD)).all():
            raise ValueError(f"a spread is outside {LEAST_SPREAD} to {MOST_SPREAD} nats")
    return spreads


def fit_at_scale(
    data: Competitions, rows: NDArray, spreads: NDArray, start: NDArray, scale: float
) -> Person:
    """The fit with a given scale; ``start`` (45,): weights from which Newton's method starts."""
    mean = load_simulated_human().weights
    precision = 1 / (scale * spreads) ** 2
    weights = polish(data, rows, start, (mean, precision))
    information = curvature(data, rows, weights)[1] + np.diag(precision)
    mean_loss, _ = log_loss(data, rows, weights)
    loss = mean_loss * len(rows) + 0.5 * precision @ (weights - mean) ** 2
    log_determinant = np.linalg.slogdet(information)[1] - np.log(precision).sum()
    return Person(
        weights=weights,
        covariance=np.linalg.inv(information),
        evidence=-loss - 0.5 * log_determinant,
        scale=scale,
    )


def fit_weights(data: Competitions, rows: NDArray, spreads: FloatArray) -> Person:
    """The person who made the decisions ``rows`` of the competitions, at least one; ``spreads``
    (45,)."""
    start = load_simulated_human().weights
    fits: dict[int, Person] = {}  # by index of the scale

    def log_posterior(i: int) -> float:
        log_scale = np.log2(SCALES[i])
        return float(fits[i].evidence - 0.5 * log_scale**2)

    current = -1
    best = SCALES.index(1.0)
    while current != best:
        current = best
        for i in (current, current - 1, current + 1):
            if i not in fits and 0 <= i < len(SCALES):
                fits[i] = fit_at_scale(data, rows, spreads, start, SCALES[i])
                start = fits[i].weights
        best = max(fits, key=log_posterior)
    return fits[current]


def fit_person(name: str, player: str, choices: Examples) -> LogLinearModel:
    """A model of the player who made these unforced decisions; ``facts_`` describe the fit.
    ``PersonError`` if there are none."""
    if not len(choices):
        raise PersonError(f"{player} never had a choice between two legal cards")
    spreads = load_spreads()
    person = fit_weights(competitions_of(choices), np.arange(len(choices)), spreads)
    model = LogLinearModel(name)
    model.weights_ = person.weights
    model.facts_ = {
        "player": player,
        "data": data_facts(choices),
        "scale": person.scale,
        "prior": {"population": MODEL_NAME, "spreads": (person.scale * spreads).tolist()},
        "standard_errors": person.errors.tolist(),
    }
    return model
