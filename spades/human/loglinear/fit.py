"""Fitting the log-linear model (Devlin 2016, "Modelling Human Play"), compiled.

A competition is a decision with two or more legal cards (forced plays tell nothing of weights).
Published: stochastic gradient descent on the negative log-likelihood, learning rate 0.003, batch
200, shuffled before each pass, validation-based early stopping; 60 % of the competitions to train
on, 20 % to stop by, 20 % to test. We split by game, take a batch's gradient as the mean of its
competitions', and average the weights of five repeats (the paper: their test accuracies).

Ours beside it: a Newton polish to the maximum of the likelihood, which the descent approaches only
slowly along rare features; and standard errors from the Fisher information.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lowest
from spades.human.features.card_features import N_FEATURES
from spades.human.features.examples import Examples, split_by_game
from spades.human.files import Checkpoint, data_facts
from spades.human.loglinear.competitions import N_NIL, Competitions, competitions_of
from spades.human.model import CancelledError, Progress, Tell

_SHARES = (0.6, 0.2, 0.2)
_LEAST_GAIN = 1e-6  # nats a competition; less is no gain
_PLAIN = ("best_loss", "best_pass", "n_passes", "seconds")
_FLAT = 1e-9  # of the largest eigenvalue of the information: nothing is known along there


@dataclass(frozen=True)
class FitOptions:
    """How the weights are found.

    ``has_nil``: with the three nil features, 45 weights. ``learning_rate``, ``batch``, ``repeats``
    as published; at most ``passes`` over the data, ended when ``patience`` of them brought no lower
    loss on the validation part. ``polish``: Newton steps to the maximum of the likelihood of the
    training part afterwards (ours, not published).
    """

    has_nil: bool = False
    learning_rate: float = 0.003
    batch: int = 200
    repeats: int = 5
    passes: int = 60
    patience: int = 3
    polish: bool = False

    def __post_init__(self) -> None:
        counts = (self.batch, self.repeats, self.passes, self.patience)
        if min(counts) < 1 or not 0 < self.learning_rate <= 10:
            raise SpadesError(f"{self} can't fit a model; at least one pass over one competition")

    @property
    def n_weights(self) -> int:
        return N_FEATURES + (N_NIL if self.has_nil else 0)


@kernel
def _probabilities(data: Competitions, i: Int, weights: NDArray, out: NDArray) -> Int:
    """Probabilities of the cards of competition ``i`` into ``out``; how many."""
    start, n = data.starts[i], data.starts[i + 1] - data.starts[i]
    top, total = -np.inf, 0.0
    for c in range(n):
        strength, bits = 0.0, data.features[start + c]
        while bits:
            strength += weights[lowest(bits)]
            bits &= bits - 1
        for k in range(weights.size - N_FEATURES):
            strength += weights[N_FEATURES + k] * data.nil[start + c, k]
        out[c] = strength
        top = max(top, strength)
    for c in range(n):
        out[c] = np.exp(out[c] - top)
        total += out[c]
    for c in range(n):
        out[c] /= total
    return n


@kernel
def _add_features(data: Competitions, row: Int, factor: float, out: NDArray) -> None:
    """Add a card's features, times a factor, to ``out`` (42,) or (45,)."""
    bits = data.features[row]
    while bits:
        out[lowest(bits)] += factor
        bits &= bits - 1
    for k in range(out.size - N_FEATURES):
        out[N_FEATURES + k] += factor * data.nil[row, k]


@kernel
def _descend(data: Competitions, order: NDArray, weights: NDArray, rate: float, batch: Int) -> None:
    """One pass of stochastic gradient descent over the competitions in ``order``."""
    p, gradient = np.empty(HAND_SIZE), np.empty(weights.size)
    for start in range(0, len(order), batch):
        members = order[start : start + batch]
        gradient[:] = 0.0
        for i in members:
            n = _probabilities(data, i, weights, p)
            for c in range(n):
                _add_features(data, data.starts[i] + c, p[c], gradient)
            _add_features(data, data.chosen[i], -1.0, gradient)
        weights -= rate / len(members) * gradient


@kernel
def _loss(data: Competitions, rows: NDArray, weights: NDArray) -> tuple[float, float]:
    """Mean negative log-likelihood, nats, and accuracy."""
    p, loss, right = np.empty(HAND_SIZE), 0.0, 0
    for i in rows:
        n = _probabilities(data, i, weights, p)
        chosen = data.chosen[i] - data.starts[i]
        loss -= np.log(p[chosen])
        right += chosen == np.argmax(p[:n])
    return loss / len(rows), right / len(rows)


@kernel
def _curvature(data: Competitions, rows: NDArray, weights: NDArray, out: tuple) -> None:
    """Gradient (k,) and Fisher information (k, k) of the summed loss, added to zeros."""
    gradient, information = out
    p, mean, card = np.empty(HAND_SIZE), np.empty(weights.size), np.empty(weights.size)
    on = np.empty(weights.size, dtype=np.int64)
    for i in rows:
        n, start = _probabilities(data, i, weights, p), data.starts[i]
        mean[:] = 0.0
        for c in range(n):
            _add_features(data, start + c, p[c], mean)
            card[:] = 0.0
            _add_features(data, start + c, 1.0, card)
            _add_square(card, p[c], on, information)
        _add_square(mean, -1.0, on, information)
        gradient += mean
        _add_features(data, data.chosen[i], -1.0, gradient)


@kernel
def _add_square(vector: NDArray, factor: float, on: NDArray, out: NDArray) -> None:
    """Add ``factor`` times the outer product of a vector, mostly zeros, with itself."""
    n = 0
    for f in range(vector.size):
        if vector[f] != 0.0:
            on[n] = f
            n += 1
    for a in on[:n]:
        for b in on[:n]:
            out[a, b] += factor * vector[a] * vector[b]


def curvature(
    data: Competitions, rows: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradient and Fisher information of the summed loss at these weights."""
    size = weights.size
    gradient, information = np.zeros(size), np.zeros((size, size))
    _curvature(data, rows, weights, (gradient, information))
    return gradient, information


def invert(information: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pseudo-inverse of the information, and the projection on what the data can tell.

    Weights are told up to sums of features that are alike for all cards of every decision.
    """
    values, vectors = np.linalg.eigh(information)
    known = vectors[:, values > _FLAT * values.max()]
    inverse = known @ np.diag(1 / values[values > _FLAT * values.max()]) @ known.T
    return inverse, known @ known.T


def fit_log_linear(
    options: FitOptions,
    examples: Examples,
    *,
    seed: int,
    tell: Tell,
    is_cancelled: Callable[[], bool],
    checkpoint: Path | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
    """Weights, their covariance (pseudo-inverse of the Fisher information) and the facts.

    ``checkpoint``: see ``spades.human.model.HumanModel.fit``.
    """
    chosen = examples.unforced
    parts = split_by_game(chosen.games, _SHARES, seed)
    data = competitions_of(chosen)
    facts = {"data": data_facts(examples), "seed": seed, "options": asdict(options)}
    kept = Checkpoint(checkpoint, {"features": options.n_weights, **facts})
    descents = _restored(kept.read(), options, seed)
    while not _are_done(descents, options):
        if is_cancelled():
            raise CancelledError("the fit was stopped")
        if descents[-1].is_done(options):
            descents.append(Descent.begin(options, seed, len(descents)))
        tell(descents[-1].one_pass(options, data, parts))
        kept.write(*_state_of(descents))
    weights = np.mean([descent.best for descent in descents], axis=0)
    if options.polish:
        weights = _polish(data, parts[0], weights)
    covariance, _ = invert(curvature(data, parts[0], weights)[1])
    kept.remove()
    errors = [float(se) for se in np.sqrt(np.diag(covariance))]
    found = {**facts, **_found(data, parts, descents, weights), "standard_errors": errors}
    return weights, covariance, found


def _found(
    data: Competitions,
    parts: list[NDArray[np.int64]],
    descents: list[Descent],
    weights: NDArray[np.float64],
) -> dict[str, Any]:
    """What a model's file says of how the fit went, and how good it came to be."""
    test_loss, test_accuracy = (float(value) for value in _loss(data, parts[2], weights))
    return {
        "epochs": max(descent.n_passes for descent in descents),
        "seconds": round(sum(descent.seconds for descent in descents), 1),
        "competitions": [len(part) for part in parts],
        "validation_loss": float(_loss(data, parts[1], weights)[0]),
        "test_accuracies": [float(_loss(data, parts[2], one.best)[1]) for one in descents],
        "metrics": {
            "of": "games held out to test, decisions with a choice",
            "examples": len(parts[2]),
            "log_loss": test_loss,
            "accuracy": test_accuracy,
        },
    }


@dataclass
class Descent:
    """One descent from 0: the weights now, those of the lowest validation loss, and the passes."""

    weights: NDArray[np.float64]
    best: NDArray[np.float64]
    rng: np.random.Generator
    best_loss: float = math.inf
    best_pass: int = 0
    n_passes: int = 0
    seconds: float = 0.0

    @classmethod
    def begin(cls, options: FitOptions, seed: int, turn: int) -> Descent:
        zeros = np.zeros(options.n_weights)
        return cls(zeros, zeros.copy(), np.random.default_rng((seed, turn)))

    def is_done(self, options: FitOptions) -> bool:
        has_gained = self.n_passes - self.best_pass < options.patience
        return self.n_passes >= options.passes or not has_gained

    def one_pass(
        self, options: FitOptions, data: Competitions, parts: list[NDArray[np.int64]]
    ) -> Progress:
        """Descend once over the training part, in a new order."""
        started = time.perf_counter()
        order = self.rng.permutation(parts[0])
        _descend(data, order, self.weights, options.learning_rate, options.batch)
        loss, validation = (float(_loss(data, part, self.weights)[0]) for part in parts[:2])
        seconds = time.perf_counter() - started
        self.n_passes += 1
        self.seconds += seconds
        if validation < self.best_loss - _LEAST_GAIN:
            self.best, self.best_loss = self.weights.copy(), validation
            self.best_pass = self.n_passes
        return Progress(self.n_passes, options.passes, loss, validation, seconds)


def _are_done(descents: list[Descent], options: FitOptions) -> bool:
    return len(descents) == options.repeats and descents[-1].is_done(options)


def _state_of(descents: list[Descent]) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """Plain values and arrays of descents, for a checkpoint."""
    plain = [
        {
            "rng": descent.rng.bit_generator.state,
            **{name: getattr(descent, name) for name in _PLAIN},
        }
        for descent in descents
    ]
    pairs = np.array([[descent.weights, descent.best] for descent in descents])
    return {"descents": plain}, {"weights": pairs}


def _restored(
    found: tuple[dict[str, Any], dict[str, NDArray]] | None, options: FitOptions, seed: int
) -> list[Descent]:
    """The descents of a checkpoint, or the first one, about to begin."""
    if found is None:
        return [Descent.begin(options, seed, 0)]
    plain, arrays = found
    descents = []
    for turn, values in enumerate(plain["descents"]):
        descent = Descent.begin(options, seed, turn)
        descent.weights, descent.best = arrays["weights"][turn].copy()
        descent.rng.bit_generator.state = values["rng"]
        for name in _PLAIN:
            setattr(descent, name, values[name])
        descents.append(descent)
    return descents


def _polish(
    data: Competitions, rows: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Newton's steps to the maximum of the likelihood, along what the data can tell."""
    for _ in range(20):
        gradient, information = curvature(data, rows, weights)
        step = invert(information)[0] @ gradient
        before, size = _loss(data, rows, weights)[0], 1.0
        while _loss(data, rows, weights - size * step)[0] > before and size > 1e-6:
            size /= 2
        weights = weights - size * step
        if float(gradient @ step) < 1e-9:
            break
    return weights
