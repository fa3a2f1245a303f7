"""The log-linear model of human play (Devlin 2016, "Modelling Human Play"; Bradley-Terry there).

Strength of a card E = sum of the weights of its features (equation 2); the probability that a
human plays it is the softmax of E over the legal cards (equation 3). Strengths are in nats.

A competition is a decision with two or more legal cards (forced plays tell nothing of weights).
Published fit: stochastic gradient descent on the negative log-likelihood, validation-based early
stopping; 60% of the competitions to train on, 20% to stop by, 20% to test. We split by game,
take a batch's gradient as the mean of its competitions', and average the weights of five repeats
(the paper: their test accuracies). Ours: a Newton polish to the maximum of the likelihood, which
the descent approaches only slowly along rare features; standard errors from Fisher's information.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lowest
from spades.human.features.card_features import (
    FEATURES,
    N_FEATURES,
    NIL_FEATURE_NAMES,
    card_features,
    context_of,
    nil_strength,
    softmax,
)
from spades.human.features.logs import Examples, split_by_game
from spades.human.features.view import LEGAL, decision_at
from spades.human.files import MODEL_FORMAT, Checkpoint, ModelFileError, data_facts
from spades.human.model import LOG_LINEAR, CancelledError, HumanModel, Prior, Progress, Watch

MAX_WEIGHT = 1e4  # nats, of either sign; a file with more is damaged
DEVLIN_2016_WEIGHTS = dict(
    zip(
        FEATURES,
        (
            # Lead non-spade, lead spade, trump duck, trump steal, no follow, follow duck and steal;
            # boss (no duck, no discard), highest, lowest, other, single.
            1.62, 1.17, -0.03, 1.12,
            -0.06, -1.05, 0.05, -0.63, 0.72, -1.88, 0.36,
            -0.34, -0.28, -0.15, 1.56, -0.10, 0.16, 0.75,
            -1.27, -1.60, -0.51, -1.14, -1.90, -1.86, 0.28,
            1.18, 0.63, 0.10, 1.17, 0.88, 0.04, 1.03,
            # the ten of context
            0.63, -0.39, -0.47, -0.92, -0.49, -1.23, 1.22, 0.66, 2.21, 1.19,
        ),
        strict=True,
    )
)  # fmt: skip
"""Published weights (Devlin 2016, appendix), fitted to the players of AI Factory Spades."""

_N_NIL = len(NIL_FEATURE_NAMES)
_SHARES = (0.6, 0.2, 0.2)
_LEAST_GAIN = 1e-6  # nats a competition; less is no gain
_FLAT = 1e-9  # of the largest eigenvalue of the information: nothing is known along there


class Competitions(NamedTuple):
    """n decisions; the legal cards of decision i are rows ``starts[i]`` to ``starts[i + 1]``.

    ``features`` int64 (rows,) masks of the 42, ``nil`` float32 (rows, 3), ``chosen`` int64 (n,)
    the row of the card played, ``starts`` int64 (n + 1,)."""

    features: NDArray[np.int64]
    nil: NDArray[np.float32]
    chosen: NDArray[np.int64]
    starts: NDArray[np.int64]


@kernel
def _fill(views: NDArray, cards: NDArray, units: NDArray, out: tuple) -> None:
    features, nil, chosen, starts = out
    for i in range(len(views)):
        decision, row = decision_at(views[i]), starts[i]
        context = context_of(decision)
        left = decision.legal
        while left:
            card = lowest(left)
            features[row] = card_features(card, decision, context)[1]
            for k in range(_N_NIL):
                nil[row, k] = nil_strength(card, decision, context[1], units[k])
            if card == cards[i]:
                chosen[i] = row
            left &= left - 1
            row += 1


def competitions_of(examples: Examples) -> Competitions:
    """The competitions of examples, which have two legal cards or more each."""
    starts = np.zeros(len(examples) + 1, np.int64)
    np.cumsum(np.bitwise_count(examples.views[:, LEGAL]), out=starts[1:])
    units = np.eye(_N_NIL, N_FEATURES + _N_NIL, N_FEATURES)
    features, nil = np.empty(starts[-1], np.int64), np.zeros((starts[-1], _N_NIL), np.float32)
    out = Competitions(features, nil, np.empty(len(examples), np.int64), starts)
    _fill(examples.views, examples.cards, units, tuple(out))
    return out


@dataclass(frozen=True)
class FitOptions:
    """``has_nil``: with the three nil features, 45 weights. ``learning_rate``, ``batch``,
    ``repeats`` as published; at most ``passes`` over the data, ended when ``patience`` of them
    brought no lower loss on the validation part. ``polish``: Newton steps on the training part."""

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
        return N_FEATURES + _N_NIL * self.has_nil


@kernel
def _probabilities(data: Competitions, i: Int, weights: NDArray, out: NDArray) -> Int:
    """Probabilities of the cards of competition ``i`` into ``out``; how many."""
    start, n = data.starts[i], data.starts[i + 1] - data.starts[i]
    for c in range(n):
        strength, bits = 0.0, data.features[start + c]
        while bits:
            strength += weights[lowest(bits)]
            bits &= bits - 1
        for k in range(weights.size - N_FEATURES):
            strength += weights[N_FEATURES + k] * data.nil[start + c, k]
        out[c] = strength
    softmax(out, n)
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
def log_loss(data: Competitions, rows: NDArray, weights: NDArray) -> tuple[float, float]:
    """Mean negative log-likelihood, nats, and accuracy."""
    p, loss, right = np.empty(HAND_SIZE), 0.0, 0
    for i in rows:
        n = _probabilities(data, i, weights, p)
        chosen = data.chosen[i] - data.starts[i]
        loss -= np.log(p[chosen])
        right += chosen == np.argmax(p[:n])
    return loss / len(rows), right / len(rows)


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


@kernel
def curvature(data: Competitions, rows: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """Gradient (k,) and Fisher information (k, k) of the summed loss at these weights."""
    size = weights.size
    gradient, information = np.zeros(size), np.zeros((size, size))
    p, mean, card = np.empty(HAND_SIZE), np.empty(size), np.empty(size)
    on = np.empty(size, dtype=np.int64)
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
    return gradient, information


def invert(information: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Pseudo-inverse of the information, and the projection on what the data determine. Weights are
    determined up to sums of features that are alike for all cards of every decision."""
    values, vectors = np.linalg.eigh(information)
    is_known = values > _FLAT * values.max()
    known = vectors[:, is_known]
    return known @ np.diag(1 / values[is_known]) @ known.T, known @ known.T


@dataclass
class Descent:
    """One descent from 0. ``weights`` (2, k): those now, those of the lowest validation loss."""

    weights: NDArray[np.float64]
    rng: np.random.Generator
    best_loss: float = math.inf
    best_pass: int = 0
    n_passes: int = 0
    seconds: float = 0.0

    def is_done(self, options: FitOptions) -> bool:
        has_gained = self.n_passes - self.best_pass < options.patience
        return self.n_passes >= options.passes or not has_gained

    def one_pass(self, options: FitOptions, data: Competitions, parts: list[NDArray]) -> Progress:
        started = time.perf_counter()
        order = self.rng.permutation(parts[0])
        _descend(data, order, self.weights[0], options.learning_rate, options.batch)
        loss, validation = (float(log_loss(data, part, self.weights[0])[0]) for part in parts[:2])
        seconds = time.perf_counter() - started
        self.n_passes += 1
        self.seconds += seconds
        if validation < self.best_loss - _LEAST_GAIN:
            self.weights[1] = self.weights[0]
            self.best_loss, self.best_pass = validation, self.n_passes
        return Progress(self.n_passes, options.passes, loss, validation, seconds)


def _state_of(descents: list[Descent]) -> tuple[dict[str, Any], dict[str, NDArray]]:
    begun = [one for one in descents if one.n_passes]
    plain = [{**vars(one), "rng": one.rng.bit_generator.state} for one in begun]
    weights = np.array([values.pop("weights") for values in plain])
    return {"descents": plain}, {"weights": weights}


def _restore(descents: list[Descent], plain: dict[str, Any], arrays: dict[str, NDArray]) -> None:
    for one, values, weights in zip(descents, plain["descents"], arrays["weights"], strict=False):
        one.rng.bit_generator.state = values.pop("rng")
        vars(one).update(values, weights=weights)


def polish(
    data: Competitions,
    rows: NDArray,
    weights: NDArray,
    around: tuple[NDArray, NDArray] | None = None,
) -> NDArray[np.float64]:
    """Newton's steps to the maximum of the likelihood, along what the data determine; or, with
    means and precisions of weights that are normal ``around`` those, of the posterior."""
    mean, precision = around or (weights, np.zeros(weights.size))

    def loss(at: NDArray) -> float:
        return float(log_loss(data, rows, at)[0] + 0.5 * precision @ (at - mean) ** 2 / len(rows))

    for _ in range(20):
        gradient, information = curvature(data, rows, weights)
        gradient += precision * (weights - mean)
        step = invert(information + np.diag(precision))[0] @ gradient
        before, size = loss(weights), 1.0
        while loss(weights - size * step) > before and size > 1e-6:
            size /= 2
        weights = weights - size * step
        if float(gradient @ step) < 1e-9:
            break
    return weights


class LogLinearModel(HumanModel):
    """A weight a feature. ``weights_``: float64, in nats, in the order of ``FEATURES``, (42,).

    A model with nil features has their three weights after those, (45,). ``covariance_``: of the
    weights of a fitted model, nats^2: pseudo-inverse of the Fisher information."""

    kind = "log-linear"
    options_type = FitOptions
    weights_: NDArray[np.float64]
    covariance_: NDArray[np.float64]

    def __init__(
        self, name: str = "log-linear", *, options: FitOptions | None = None, seed: int = 0
    ) -> None:
        self.name, self.options, self.seed = name, options, seed

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], name: str = "log-linear") -> Self:
        """A model of known weights by feature, 0 for others; ``SpadesError`` for unknown names."""
        features = FEATURES + NIL_FEATURE_NAMES
        if unknown := set(weights) - set(features):
            raise SpadesError(
                f"{min(unknown)!r} is no feature of the model; those are {', '.join(features)}"
            )
        model = cls(name)
        n = len(features) if set(weights) & set(NIL_FEATURE_NAMES) else N_FEATURES
        model.weights_ = np.array([weights.get(feature, 0.0) for feature in features[:n]])
        return model

    def prior(self) -> Prior:
        no_ints, no_floats = np.zeros(0, np.int64), np.zeros(0, np.float32)
        return Prior(LOG_LINEAR, self.weights_.copy(), no_ints, no_floats, no_floats, no_ints)

    def _learn(self, options: FitOptions, examples: Examples, watch: Watch) -> None:
        """Whole games are held out, 20% to stop by and 20% to test. Forced plays aren't used."""
        chosen = examples.unforced
        parts, data = split_by_game(chosen.games, _SHARES, self.seed), competitions_of(chosen)
        facts = {"data": data_facts(examples), "seed": self.seed, "options": asdict(options)}
        stored = Checkpoint(watch.checkpoint, {"features": options.n_weights, **facts})
        rngs = [np.random.default_rng((self.seed, turn)) for turn in range(options.repeats)]
        descents = [Descent(np.zeros((2, options.n_weights)), rng) for rng in rngs]
        if found := stored.read():
            _restore(descents, *found)
        for descent in descents:
            while not descent.is_done(options):
                if watch.is_cancelled():
                    raise CancelledError("the fit was stopped")
                watch.tell(descent.one_pass(options, data, parts))
                stored.write(*_state_of(descents))
        self.weights_ = np.mean([descent.weights[1] for descent in descents], axis=0)
        if options.polish:
            self.weights_ = polish(data, parts[0], self.weights_)
        self.covariance_, _ = invert(curvature(data, parts[0], self.weights_)[1])
        stored.remove()
        test_loss, test_accuracy = (float(v) for v in log_loss(data, parts[2], self.weights_))
        self.facts_ = {
            **facts,
            "epochs": max(descent.n_passes for descent in descents),
            "seconds": round(sum(descent.seconds for descent in descents), 1),
            "competitions": [len(part) for part in parts],
            "validation_loss": float(log_loss(data, parts[1], self.weights_)[0]),
            "test_accuracies": [
                float(log_loss(data, parts[2], one.weights[1])[1]) for one in descents
            ],
            "metrics": {
                "of": "games held out to test, decisions with a choice",
                "examples": len(parts[2]),
                "log_loss": test_loss,
                "accuracy": test_accuracy,
            },
            "standard_errors": [float(se) for se in np.sqrt(np.diag(self.covariance_))],
        }

    def config(self) -> dict[str, Any]:
        return {"features": list((FEATURES + NIL_FEATURE_NAMES)[: self.weights_.size])}

    def tensors(self) -> dict[str, NDArray]:
        return {"weights": self.weights_}

    @classmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        features = config.get("features")
        if features not in (list(FEATURES), list(FEATURES + NIL_FEATURE_NAMES)):
            raise ModelFileError("its features aren't those of the log-linear model")
        bounds = {"weights": (-MAX_WEIGHT, MAX_WEIGHT)}
        MODEL_FORMAT.check(tensors, {"weights": (len(features),)}, bounds)
        model = cls(name)
        model.weights_ = tensors["weights"].astype(np.float64)
        return model


def devlin2016() -> LogLinearModel:
    return LogLinearModel.from_weights(DEVLIN_2016_WEIGHTS, name="devlin2016")
