"""One person's model: the log-linear weights, maximum a posteriori around the population's.

The prior of a person's weights is normal around those of the simulated human, ``devlin2016-nil``.
Its standard deviations by feature come from a group of players, by empirical Bayes (the table
``person_spreads.json``). One factor on all of them, how far this person is from the population, is
that of ``SCALES`` with the highest posterior, by steps from 1; its own prior is log-normal around
1, a standard deviation a factor of 2, so that few decisions move it little. Intervals are
Laplace's: normal, with the inverse of the posterior's curvature as covariance.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
COMMAND = "python -m analysis.people.fit_spreads"
VERSION = 1
ALL_FEATURES = FEATURES + NIL_FEATURE_NAMES
DEFAULT_SPREAD = 0.5  # nats, of a feature that no group has told of
LEAST_SPREAD, MOST_SPREAD = 0.01, 10.0  # nats
SCALES = tuple(2.0 ** (half / 2) for half in range(-8, 5))
PASSES = 20


class Person(NamedTuple):
    """A fit: ``weights`` (45,) and their ``errors``, nats, and the ``scale`` of the prior."""

    weights: NDArray[np.float64]
    errors: NDArray[np.float64]
    scale: float


class _Peak(NamedTuple):
    """The posterior's maximum: ``weights`` (k,), ``covariance`` (k, k), log ``evidence``, nats, up
    to a constant."""

    weights: NDArray[np.float64]
    covariance: NDArray[np.float64]
    evidence: float


class PersonError(SpadesError):
    """Spreads that can't be read, or a person that can't be fitted."""


def load_spreads(path: Path = TABLE) -> NDArray[np.float64]:
    """Standard deviation of each weight between persons, nats, (45,)."""
    with stored_table(path, COMMAND, PersonError):
        table = read_json(path)
        if table["version"] != VERSION or list(table["spreads"]) != list(ALL_FEATURES):
            raise ValueError(f"no spreads of version {VERSION}")
        spreads = np.array(list(table["spreads"].values()), dtype=np.float64)
        if not ((spreads >= LEAST_SPREAD) & (spreads <= MOST_SPREAD)).all():
            raise ValueError(f"a spread is outside {LEAST_SPREAD} to {MOST_SPREAD} nats")
    return spreads


def _peak(data: Competitions, rows: NDArray, variances: NDArray, start: NDArray) -> _Peak:
    """``start``: weights (45,) that Newton's steps begin with."""
    mean, precision = load_simulated_human().weights, 1 / variances
    weights = polish(data, rows, start, (mean, precision))
    information = curvature(data, rows, weights)[1] + np.diag(precision)
    loss = log_loss(data, rows, weights)[0] * len(rows) + 0.5 * precision @ (weights - mean) ** 2
    log_determinant = np.linalg.slogdet(information)[1] - np.log(precision).sum()
    return _Peak(weights, np.linalg.inv(information), -loss - 0.5 * log_determinant)


def fit_weights(data: Competitions, rows: NDArray, spreads: NDArray[np.float64]) -> Person:
    """The person who decided ``rows`` of the competitions, at least one; ``spreads`` (45,)."""
    best = SCALES.index(1.0)
    peaks: dict[int, _Peak] = {}
    at, start = -1, load_simulated_human().weights
    while at != best:
        at = best
        for i in (at, at - 1, at + 1):
            if i not in peaks and 0 <= i < len(SCALES):
                peaks[i] = _peak(data, rows, (SCALES[i] * spreads) ** 2, start)
                start = peaks[i].weights
        best = max(peaks, key=lambda i: peaks[i].evidence - 0.5 * np.log2(SCALES[i]) ** 2)
    return Person(peaks[at].weights, np.sqrt(np.diag(peaks[at].covariance)), SCALES[at])


def fit_spreads(group: Sequence[Competitions]) -> NDArray[np.float64]:
    """Standard deviation of each weight between the players of a group, nats, (45,): the variances
    that explain their choices best, by expectation maximisation with Laplace's posteriors."""
    mean = load_simulated_human().weights
    variances, starts = np.full(mean.size, DEFAULT_SPREAD**2), [mean] * len(group)
    for _ in range(PASSES):
        total = np.zeros(mean.size)
        for i, data in enumerate(group):
            peak = _peak(data, np.arange(len(data.chosen)), variances, starts[i])
            starts[i] = peak.weights
            total += (peak.weights - mean) ** 2 + np.diag(peak.covariance)
        variances = np.clip(total / len(group), LEAST_SPREAD**2, MOST_SPREAD**2)
    return np.sqrt(variances)


def fit_person(name: str, player: str, examples: Examples) -> LogLinearModel:
    """A model of the player whose decisions these are; ``facts_`` say how it was fitted.
    ``PersonError``: not one of them is a choice."""
    choices = examples.unforced
    if not len(choices):
        raise PersonError(f"{player} never had a choice between two legal cards")
    spreads, data = load_spreads(), competitions_of(choices)
    person = fit_weights(data, np.arange(len(choices)), spreads)
    return person_model(name, person, {"player": player, "data": data_facts(choices)})


def person_model(name: str, person: Person, facts: dict[str, Any]) -> LogLinearModel:
    model = LogLinearModel(name)
    model.weights_ = person.weights
    prior = {"population": MODEL_NAME, "scale": person.scale}
    prior["spreads"] = (person.scale * load_spreads()).tolist()
    model.facts_ = {**facts, "prior": prior, "standard_errors": person.errors.tolist()}
    return model
