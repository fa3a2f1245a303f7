"""One person's model: the log-linear weights, maximum a posteriori around the population's.

The prior of a person's weights is normal around those of the simulated human, ``devlin2016-nil``.
Its standard deviations by feature come from a group of players, by empirical Bayes (the table
``person_spreads.json``). One factor on all of them, how far this person is from the population, is
that of ``SCALES`` with the highest posterior, by steps from 1; its own prior is log-normal around
1, a standard deviation a factor of 2, so that few decisions move it little. Intervals are
Laplace's: normal, with the inverse of the posterior's curvature as covariance.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.documents import read_json
from spades.core.errors import SpadesError
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
DEFAULT_SPREAD = 0.5  # nats, of a feature that no group has told of
LEAST_SPREAD, MOST_SPREAD = 0.01, 10.0  # nats
SCALES = tuple(2.0 ** (half / 2) for half in range(-8, 5))
PASSES = 20


class PersonError(SpadesError):
    """Spreads that can't be read, or a person that can't be fitted."""


class Person(NamedTuple):
    """A fit: ``weights`` (45,), their ``covariance`` (45, 45), nats; log ``evidence``, nats, up to
    a constant; the ``scale`` of the prior."""

    weights: NDArray[np.float64]
    covariance: NDArray[np.float64]
    evidence: float
    scale: float

    @property
    def errors(self) -> NDArray[np.float64]:
        """Standard errors of the weights, nats, (45,)."""
        return np.sqrt(np.diag(self.covariance))


def load_spreads(path: Path = TABLE) -> NDArray[np.float64]:
    """Standard deviation of each weight between persons, nats, (45,)."""
    with stored_table(path, COMMAND, PersonError):
        table = read_json(path)["spreads"]
        spreads = np.array([table[name] for name in ALL_FEATURES], dtype=np.float64)
        if not ((spreads >= LEAST_SPREAD) & (spreads <= MOST_SPREAD)).all():
            raise ValueError(f"a spread is outside {LEAST_SPREAD} to {MOST_SPREAD} nats")
    return spreads


def _fit(
    data: Competitions, rows: NDArray, spreads: NDArray, start: NDArray, scale: float
) -> Person:
    """With this scale; ``start``: weights (45,) that Newton's steps begin with."""
    mean, precision = load_simulated_human().weights, 1 / (scale * spreads) ** 2
    weights = polish(data, rows, start, (mean, precision))
    information = curvature(data, rows, weights)[1] + np.diag(precision)
    loss = log_loss(data, rows, weights)[0] * len(rows) + 0.5 * precision @ (weights - mean) ** 2
    log_determinant = np.linalg.slogdet(information)[1] - np.log(precision).sum()
    return Person(weights, np.linalg.inv(information), -loss - 0.5 * log_determinant, scale)


def fit_weights(data: Competitions, rows: NDArray, spreads: NDArray[np.float64]) -> Person:
    """The person who decided ``rows`` of the competitions, at least one; ``spreads`` (45,)."""
    start, fits = load_simulated_human().weights, dict[int, Person]()
    at, best = -1, SCALES.index(1.0)
    while at != best:
        at = best
        for i in (at, at - 1, at + 1):
            if i not in fits and 0 <= i < len(SCALES):
                fits[i] = _fit(data, rows, spreads, start, SCALES[i])
                start = fits[i].weights
        best = max(fits, key=lambda i: fits[i].evidence - 0.5 * np.log2(SCALES[i]) ** 2)
    return fits[at]


def fit_spreads(group: Sequence[Competitions]) -> NDArray[np.float64]:
    """Standard deviation of each weight between the players of a group, nats, (45,): the variances
    that explain their choices best, by expectation maximisation with Laplace's posteriors."""
    mean = load_simulated_human().weights
    spreads, starts = np.full(mean.size, DEFAULT_SPREAD), [mean] * len(group)
    for _ in range(PASSES):
        total = np.zeros(mean.size)
        for i, data in enumerate(group):
            person = _fit(data, np.arange(len(data.chosen)), spreads, starts[i], 1.0)
            starts[i] = person.weights
            total += (person.weights - mean) ** 2 + person.errors**2
        spreads = np.clip(np.sqrt(total / len(group)), LEAST_SPREAD, MOST_SPREAD)
    return spreads


def fit_person(name: str, player: str, choices: Examples) -> LogLinearModel:
    """A model of the player whose unforced decisions these are; ``facts_`` say how it was fitted.
    ``PersonError``: there is none."""
    if not len(choices):
        raise PersonError(f"{player} never had a choice between two legal cards")
    data, spreads, model = competitions_of(choices), load_spreads(), LogLinearModel(name)
    person = fit_weights(data, np.arange(len(choices)), spreads)
    prior = {"population": MODEL_NAME, "spreads": (person.scale * spreads).tolist()}
    facts = {"player": player, "data": data_facts(choices), "scale": person.scale, "prior": prior}
    model.facts_ = {**facts, "standard_errors": person.errors.tolist()}
    model.weights_ = person.weights
    return model
