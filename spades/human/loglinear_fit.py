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

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.cards import HAND_SIZE
from spades.errors import SpadesError
from spades.human.abstract_moves import beating_mask
from spades.human.decision import decision_at
from spades.human.examples import Examples, data_hash, split_by_game
from spades.human.features import N_FEATURES, card_features, context_of
from spades.human.model import CancelledError, Progress, Tell
from spades.human.nil_features import COVERING, NIL_FEATURE_NAMES, RANK, TAKING, nil_strength
from spades.kernel import Int, kernel, lowest, popcount

N_NIL = len(NIL_FEATURE_NAMES)
_SHARES = (0.6, 0.2, 0.2)
_LEAST_GAIN = 1e-6  # nats a competition; less is no gain
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


class Competitions(NamedTuple):
    """n decisions; the legal cards of decision i are rows ``starts[i]`` to ``starts[i + 1]``.

    ``features`` int64 (rows,) masks of the 42, ``nil`` float32 (rows, 3), ``chosen`` int64 (n,)
    the row of the card played, ``starts`` int64 (n + 1,).
    """

    features: NDArray[np.int64]
    nil: NDArray[np.float32]
    chosen: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def n(self) -> int:
        return len(self.chosen)


@kernel
def _fill(views: NDArray, cards: NDArray, units: NDArray, out: tuple) -> None:
    features, nil, chosen, starts = out
    row = starts[0] = 0
    for i in range(len(views)):
        decision = decision_at(views[i])
        context = context_of(decision)
        beating = beating_mask(decision.best_card)
        left = decision.legal
        while left:
            card = lowest(left)
            features[row] = card_features(card, decision, context)[1]
            for k in range(N_NIL):
                nil[row, k] = nil_strength(card, decision, beating, units[k])
            if card == cards[i]:
                chosen[i] = row
            left &= left - 1
            row += 1
        starts[i + 1] = row


@kernel
def _count_legal(views: NDArray) -> Int:
    n = 0
    for i in range(len(views)):
        n += popcount(decision_at(views[i]).legal)
    return n


def competitions_of(examples: Examples) -> Competitions:
    """The competitions of examples, which have two legal cards or more each."""
    n, rows = len(examples), _count_legal(examples.views)
    units = np.zeros((N_NIL, N_FEATURES + N_NIL))
    for k, feature in enumerate((TAKING, RANK, COVERING)):
        units[k, feature] = 1.0
    out = Competitions(
        np.empty(rows, np.int64),
        np.zeros((rows, N_NIL), np.float32),
        np.empty(n, np.int64),
        np.empty(n + 1, np.int64),
    )
    _fill(examples.views, examples.cards, units, tuple(out))
    return out


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


def invert(
    information: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
) -> tuple[NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
    """Weights, their covariance (pseudo-inverse of the Fisher information) and the facts."""
    started = time.perf_counter()
    chosen = examples.unforced
    parts = split_by_game(chosen.games, _SHARES, seed)
    data = competitions_of(chosen)
    runs = [
        _repeat(options, data, parts, seed=(seed, turn), tell=tell, is_cancelled=is_cancelled)
        for turn in range(options.repeats)
    ]
    weights = np.mean([weights for weights, _ in runs], axis=0)
    if options.polish:
        weights = _polish(data, parts[0], weights)
    covariance, _ = invert(curvature(data, parts[0], weights)[1])
    return (
        weights,
        covariance,
        {
            "data": {
                "hash": data_hash(examples),
                "examples": len(examples),
                "games": len(np.unique(examples.games)),
            },
            "seed": seed,
            "options": asdict(options),
            "epochs": max(n for _, n in runs),
            "seconds": round(time.perf_counter() - started, 1),
            "competitions": [len(part) for part in parts],
            "validation_loss": float(_loss(data, parts[1], weights)[0]),
            "test_accuracies": [float(_loss(data, parts[2], w)[1]) for w, _ in runs],
            "standard_errors": [float(se) for se in np.sqrt(np.diag(covariance))],
        },
    )


def _repeat(
    options: FitOptions,
    data: Competitions,
    parts: list[NDArray[np.int64]],
    *,
    seed: tuple[int, int],
    tell: Tell,
    is_cancelled: Callable[[], bool],
) -> tuple[NDArray[np.float64], int]:
    """One descent from 0: the weights with the lowest validation loss, and the passes made."""
    rng, weights = np.random.default_rng(seed), np.zeros(options.n_weights)
    best, best_loss, best_pass = weights.copy(), np.inf, 0
    for n_passes in range(1, options.passes + 1):
        if is_cancelled():
            raise CancelledError("the fit was stopped; nothing is kept of it")
        started = time.perf_counter()
        _descend(data, rng.permutation(parts[0]), weights, options.learning_rate, options.batch)
        loss, validation = (float(_loss(data, part, weights)[0]) for part in parts[:2])
        seconds = time.perf_counter() - started
        tell(Progress(n_passes, options.passes, loss, validation, seconds))
        if validation < best_loss - _LEAST_GAIN:
            best, best_loss, best_pass = weights.copy(), validation, n_passes
        elif n_passes - best_pass >= options.patience:
            break
    return best, n_passes


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
