"""The log-linear model of human play (Devlin 2016, "Modelling Human Play"; Bradley-Terry there).

Strength of a card E = sum of the weights of its features (equation 2); the probability that a
human plays it is the softmax of E over the legal cards (equation 3). Strengths are in nats.

A competition is a decision with two or more legal cards (forced plays carry no information about
the weights). The published fit is stochastic gradient descent on the negative log-likelihood with
early stopping: 60% of the competitions for training, 20% for validation, 20% for the test. We split
by game, average the gradient over a batch, and average the weights of five repeats (the paper
averages their test accuracies). We add Newton steps to the maximum of the likelihood, which the
descent approaches slowly along rare features, and standard errors from the Fisher information.
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
from spades.core.kernel import FloatArray, Int, IntArray, kernel, lowest
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
from spades.human.model import (
    LOG_LINEAR,
    CancelledError,
    FitMonitor,
    FitProgress,
    HumanModel,
    Prior,
)

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
_MIN_GAIN = 1e-6  # nats per competition; less is no improvement
_FLAT = 1e-9  # share of the largest eigenvalue below which the data determine nothing


class Competitions(NamedTuple):
    """n decisions; the legal cards of decision i are rows ``starts[i]`` to ``starts[i + 1]``.

    ``features`` int64 (rows,): masks of the 42 features; ``nil`` float32 (rows, 3): nil features;
    ``chosen`` int64 (n,): the row of the card played; ``starts`` int64 (n + 1,)."""

    features: IntArray
    nil: NDArray[np.float32]
    chosen: IntArray
    starts: IntArray


@kernel
def _fill(views: NDArray, cards: NDArray, units: NDArray, out: Competitions) -> None:
    for i in range(len(views)):
        decision = decision_at(views[i])
        row = out.starts[i]
        context = context_of(decision)
        remaining = decision.legal
        while remaining:
            card = lowest(remaining)
            _, out.features[row] = card_features(card, decision, context)
            for k in range(_N_NIL):
                out.nil[row, k] = nil_strength(card, decision, context[1], units[k])
            if card == cards[i]:
                out.chosen[i] = row
            remaining &= remaining - 1
            row += 1


def competitions_of(examples: Examples) -> Competitions:
    """The competitions of examples with at least two legal cards each."""
    starts = np.zeros(len(examples) + 1, np.int64)
    np.cumsum(np.bitwise_count(examples.views[:, LEGAL]), out=starts[1:])
    n_rows = starts[-1]
    competitions = Competitions(
        features=np.empty(n_rows, np.int64),
        nil=np.zeros((n_rows, _N_NIL), np.float32),
        chosen=np.empty(len(examples), np.int64),
        starts=starts,
    )
    units = np.eye(_N_NIL, N_FEATURES + _N_NIL, N_FEATURES)
    _fill(examples.views, examples.cards, units, competitions)
    return competitions


@dataclass(frozen=True)
class FitOptions:
    """Options of the fit. ``has_nil``: with the three nil features, 45 weights. ``learning_rate``,
    ``batch``, ``repeats``: as published. ``passes``: most passes over the data; it stops earlier
    after ``patience`` passes without a lower validation loss. ``polish``: Newton steps on the
    training part."""

    has_nil: bool = False
    learning_rate: float = 0.003
    batch: int = 200
    repeats: int = 5
    passes: int = 60
    patience: int = 3
    polish: bool = False

    def __post_init__(self) -> None:
        least_count = min(self.batch, self.repeats, self.passes, self.patience)
        if least_count < 1 or not 0 < self.learning_rate <= 10:
            raise SpadesError(f"{self} can't fit a model; at least one pass over one competition")

    @property
    def n_weights(self) -> int:
        return N_FEATURES + _N_NIL if self.has_nil else N_FEATURES


@kernel
def _probabilities(data: Competitions, i: Int, weights: NDArray, out: NDArray) -> Int:
    """Write the probabilities of the cards of competition ``i`` into ``out``; returns their
    number."""
    start = data.starts[i]
    n = data.starts[i + 1] - data.starts[i]
    for c in range(n):
        strength = 0.0
        bits = data.features[start + c]
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
    """Add a card's features times a factor to ``out`` (42,) or (45,)."""
    bits = data.features[row]
    while bits:
        out[lowest(bits)] += factor
        bits &= bits - 1
    for k in range(out.size - N_FEATURES):
        out[N_FEATURES + k] += factor * data.nil[row, k]


@kernel
def _descend(data: Competitions, order: NDArray, weights: NDArray, rate: float, batch: Int) -> None:
    """One pass of stochastic gradient descent over the competitions in ``order``."""
    p = np.empty(HAND_SIZE)
    gradient = np.empty(weights.size)
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
    p = np.empty(HAND_SIZE)
    loss = 0.0
    right = 0
    for i in rows:
        n = _probabilities(data, i, weights, p)
        chosen = data.chosen[i] - data.starts[i]
        loss -= np.log(p[chosen])
        right += chosen == np.argmax(p[:n])
    return loss / len(rows), right / len(rows)


@kernel
def _add_square(vector: NDArray, factor: float, nonzero: NDArray, out: NDArray) -> None:
    """Add ``factor`` times the outer product of a sparse vector with itself."""
    n = 0
    for f in range(vector.size):
        if vector[f] != 0.0:
            nonzero[n] = f
            n += 1
    for a in nonzero[:n]:
        for b in nonzero[:n]:
            out[a, b] += factor * vector[a] * vector[b]


@kernel
def curvature(data: Competitions, rows: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """Gradient (k,) and Fisher information (k, k) of the summed loss at these weights."""
    size = weights.size
    gradient = np.zeros(size)
    information = np.zeros((size, size))
    p = np.empty(HAND_SIZE)
    mean = np.empty(size)
    card = np.empty(size)
    nonzero = np.empty(size, dtype=np.int64)
    for i in rows:
        n = _probabilities(data, i, weights, p)
        start = data.starts[i]
        mean[:] = 0.0
        for c in range(n):
            _add_features(data, start + c, p[c], mean)
            card[:] = 0.0
            _add_features(data, start + c, 1.0, card)
            _add_square(card, p[c], nonzero, information)
        _add_square(mean, -1.0, nonzero, information)
        gradient += mean
        _add_features(data, data.chosen[i], -1.0, gradient)
    return gradient, information


def invert(information: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pseudo-inverse of the information, and the projection on what the data determine: weights are
    determined up to sums of features that are equal for all cards of every decision."""
    values, vectors = np.linalg.eigh(information)
    is_known = values > _FLAT * values.max()
    known = vectors[:, is_known]
    return known @ np.diag(1 / values[is_known]) @ known.T, known @ known.T


@dataclass
class Descent:
    """One descent from 0. ``weights`` (2, k): current, and those of the lowest validation loss."""

    weights: FloatArray
    rng: np.random.Generator
    best_loss: float = math.inf
    best_pass: int = 0
    n_passes: int = 0
    seconds: float = 0.0

    def is_done(self, options: FitOptions) -> bool:
        has_gained = self.n_passes - self.best_pass < options.patience
        return self.n_passes >= options.passes or not has_gained

    def one_pass(
        self, options: FitOptions, data: Competitions, parts: list[NDArray]
    ) -> FitProgress:
        """One pass over the training part; ``parts``: rows for training and validation."""
        started = time.perf_counter()
        training, validation = parts[:2]
        order = self.rng.permutation(training)
        _descend(data, order, self.weights[0], options.learning_rate, options.batch)
        training_loss, _ = log_loss(data, training, self.weights[0])
        validation_loss, _ = log_loss(data, validation, self.weights[0])
        seconds = time.perf_counter() - started
        self.n_passes += 1
        self.seconds += seconds
        if validation_loss < self.best_loss - _MIN_GAIN:
            self.weights[1] = self.weights[0]
            self.best_loss = float(validation_loss)
            self.best_pass = self.n_passes
        return FitProgress(
            epoch=self.n_passes,
            epochs=options.passes,
            loss=float(training_loss),
            validation_loss=float(validation_loss),
            seconds=seconds,
        )


def _state_of(descents: list[Descent]) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """The state of the descents that have begun: JSON values and arrays, for ``_restore``."""
    begun = [descent for descent in descents if descent.n_passes]
    plain = [{**vars(descent), "rng": descent.rng.bit_generator.state} for descent in begun]
    weights = np.array([values.pop("weights") for values in plain])
    return {"descents": plain}, {"weights": weights}


def _restore(descents: list[Descent], plain: dict[str, Any], arrays: dict[str, NDArray]) -> None:
    begun = zip(descents, plain["descents"], arrays["weights"], strict=False)
    for descent, values, weights in begun:
        descent.rng.bit_generator.state = values.pop("rng")
        vars(descent).update(values, weights=weights)


def polish(
    data: Competitions,
    rows: NDArray,
    weights: NDArray,
    around: tuple[NDArray, NDArray] | None = None,
) -> FloatArray:
    """Newton's method from ``weights`` to the maximum of the likelihood, in the directions that the
    data determine; or to that of the posterior, with ``around``: means and precisions of a normal
    prior."""
    mean, precision = around or (weights, np.zeros(weights.size))

    def loss(candidate: NDArray) -> float:
        mean_loss, _ = log_loss(data, rows, candidate)
        return float(mean_loss + 0.5 * precision @ (candidate - mean) ** 2 / len(rows))

    for _ in range(20):
        gradient, information = curvature(data, rows, weights)
        gradient += precision * (weights - mean)
        inverse, _ = invert(information + np.diag(precision))
        step = inverse @ gradient
        before = loss(weights)
        size = 1.0
        while loss(weights - size * step) > before and size > 1e-6:
            size /= 2
        weights = weights - size * step
        if float(gradient @ step) < 1e-9:
            break
    return weights


class LogLinearModel(HumanModel):
    """A weight for each feature. ``weights_`` float64 (42,), nats, in the order of ``FEATURES``; a
    model with nil features has their three weights after those, (45,). ``covariance_``: of the
    fitted weights, nats^2, the pseudo-inverse of the Fisher information."""

    kind = "log-linear"
    options_type = FitOptions
    weights_: FloatArray
    covariance_: FloatArray

    def __init__(
        self, name: str = "log-linear", *, options: FitOptions | None = None, seed: int = 0
    ) -> None:
        self.name = name
        self.options = options
        self.seed = seed

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], name: str = "log-linear") -> Self:
        """A model of known weights by feature, 0 for others; ``SpadesError`` for unknown names."""
        features = FEATURES + NIL_FEATURE_NAMES
        unknown = set(weights) - set(features)
        if unknown:
            raise SpadesError(
                f"{min(unknown)!r} is no feature of the model; those are {', '.join(features)}"
            )
        model = cls(name)
        n = len(features) if set(weights) & set(NIL_FEATURE_NAMES) else N_FEATURES
        model.weights_ = np.array([weights.get(feature, 0.0) for feature in features[:n]])
        return model

    def prior(self) -> Prior:
        no_ints = np.zeros(0, np.int64)
        no_floats = np.zeros(0, np.float32)
        return Prior(
            kind=LOG_LINEAR,
            weights=self.weights_.copy(),
            plan=no_ints,
            numbers=no_floats,
            scratch=no_floats,
            ids=no_ints,
        )

    def _learn(self, options: FitOptions, examples: Examples, monitor: FitMonitor) -> None:
        """Whole games are held out, 20% for validation and 20% for the test. Forced plays aren't
        used."""
        choices = examples.unforced
        parts = split_by_game(choices.games, _SHARES, self.seed)
        training, validation, test = parts
        data = competitions_of(choices)
        facts = {"data": data_facts(examples), "seed": self.seed, "options": asdict(options)}
        checkpoint = Checkpoint(monitor.checkpoint, {"features": options.n_weights, **facts})
        rngs = [np.random.default_rng((self.seed, turn)) for turn in range(options.repeats)]
        descents = [Descent(np.zeros((2, options.n_weights)), rng) for rng in rngs]
        stored = checkpoint.read()
        if stored is not None:
            _restore(descents, *stored)
        for descent in descents:
            while not descent.is_done(options):
                if monitor.is_cancelled():
                    raise CancelledError("the fit was stopped")
                monitor.tell(descent.one_pass(options, data, parts))
                checkpoint.write(*_state_of(descents))
        self.weights_ = np.mean([descent.weights[1] for descent in descents], axis=0)
        if options.polish:
            self.weights_ = polish(data, training, self.weights_)
        _, information = curvature(data, training, self.weights_)
        self.covariance_, _ = invert(information)
        checkpoint.remove()
        test_loss, test_accuracy = log_loss(data, test, self.weights_)
        validation_loss, _ = log_loss(data, validation, self.weights_)
        self.facts_ = {
            **facts,
            "epochs": max(descent.n_passes for descent in descents),
            "seconds": round(sum(descent.seconds for descent in descents), 1),
            "competitions": [len(part) for part in parts],
            "validation_loss": float(validation_loss),
            "test_accuracies": [
                float(log_loss(data, test, descent.weights[1])[1]) for descent in descents
            ],
            "metrics": {
                "of": "games held out to test, decisions with a choice",
                "examples": len(test),
                "log_loss": float(test_loss),
                "accuracy": float(test_accuracy),
            },
            "standard_errors": np.sqrt(np.diag(self.covariance_)).tolist(),
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
