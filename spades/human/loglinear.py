"""The log-linear model of human play (Devlin 2016, "Modelling Human Play"; Bradley-Terry there).

Strength of a card E = sum of the weights of its features (equation 2); the probability that a
human plays it is the softmax of E over the legal cards (equation 3). Strengths are in nats.

A model has 42 weights, or 45 with the three features of ``spades.human.features.card_features``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lowest, popcount
from spades.human.features.abstract_moves import beating_mask
from spades.human.features.card_features import (
    COVERING,
    FEATURES,
    N_FEATURES,
    NIL_FEATURE_NAMES,
    RANK,
    TAKING,
    card_features,
    context_of,
    nil_strength,
)
from spades.human.features.logs import Examples, split_by_game
from spades.human.features.view import decision_at
from spades.human.files import Checkpoint, ModelFileError, data_facts
from spades.human.model import (
    CancelledError,
    HumanModel,
    Prior,
    Progress,
    Tell,
    check_tensors,
    ignore,
    log_linear_prior,
    never,
)

N_NIL = len(NIL_FEATURE_NAMES)


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


N_NIL_FEATURES = len(NIL_FEATURE_NAMES)
MAX_WEIGHT = 1e4  # nats, of either sign; a file with more is damaged
DEVLIN_2016_WEIGHTS = {
    "Lead non-spade boss": 1.62,
    "Lead spade boss": 1.17,
    "Trump steal boss": -0.03,
    "Follow steal boss": 1.12,
    "Lead non-spade highest": -0.06,
    "Lead spade highest": -1.05,
    "Trump duck highest": 0.05,
    "Trump steal highest": -0.63,
    "No follow highest": 0.72,
    "Follow duck highest": -1.88,
    "Follow steal highest": 0.36,
    "Lead non-spade lowest": -0.34,
    "Lead spade lowest": -0.28,
    "Trump duck lowest": -0.15,
    "Trump steal lowest": 1.56,
    "No follow lowest": -0.10,
    "Follow duck lowest": 0.16,
    "Follow steal lowest": 0.75,
    "Lead non-spade other": -1.27,
    "Lead spade other": -1.60,
    "Trump duck other": -0.51,
    "Trump steal other": -1.14,
    "No follow other": -1.90,
    "Follow duck other": -1.86,
    "Follow steal other": 0.28,
    "Lead non-spade single": 1.18,
    "Lead spade single": 0.63,
    "Trump duck single": 0.10,
    "Trump steal single": 1.17,
    "No follow single": 0.88,
    "Follow duck single": 0.04,
    "Follow steal single": 1.03,
    "Steal lowest if last turn": 0.63,
    "Duck highest when needing tricks": -0.39,
    "Duck lowest when boss cards are in hand": -0.47,
    "Did not trump steal": -0.92,
    "No follow highest with potential boss": -0.49,
    "Steal unwanted tricks": -1.23,
    "No follow lowest when needing tricks": 1.22,
    "Lead with suit of smallest size": 0.66,
    "Follow duck highest for unwanted tricks": 2.21,
    "Follow duck highest with a small value card": 1.19,
}
"""Published weights (Devlin 2016, appendix), fitted to the players of AI Factory Spades."""


class LogLinearModel(HumanModel):
    """A weight a feature. ``weights_``: float64, in nats, in the order of ``FEATURES``, (42,).

    A model with nil features has their three weights after those, (45,). ``covariance_``: of a
    fitted model, how far its weights can be told.
    """

    kind = "log-linear"
    weights_: NDArray[np.float64]
    covariance_: NDArray[np.float64]

    def __init__(
        self, name: str = "log-linear", *, options: FitOptions | None = None, seed: int = 0
    ) -> None:
        self.name = name
        self.options = options
        self.seed = seed

    @classmethod
    def from_weights(cls, weights: Mapping[str, float], name: str = "log-linear") -> LogLinearModel:
        """A model whose weights are known, by feature's name; features left out weigh 0.

        Raises ``SpadesError`` for a name that no feature has.
        """
        has_nil = any(feature in weights for feature in NIL_FEATURE_NAMES)
        features = FEATURES + NIL_FEATURE_NAMES if has_nil else FEATURES
        if unknown := set(weights) - set(features):
            raise SpadesError(
                f"{min(unknown)!r} is no feature of the model; those are "
                + ", ".join(FEATURES + NIL_FEATURE_NAMES)
            )
        model = cls(name)
        model.weights_ = np.array([weights.get(feature, 0.0) for feature in features])
        return model

    def prior(self) -> Prior:
        return log_linear_prior(self.weights_)

    def fit(
        self,
        examples: Examples,
        *,
        tell: Tell = ignore,
        is_cancelled: Callable[[], bool] = never,
        checkpoint: Path | None = None,
    ) -> Self:
        """Learn the weights as published: ``weights_``, ``covariance_`` (of the weights, nats^2).

        Whole games are held out, 20 % to stop by and 20 % to test. Forced plays aren't used.
        """
        options = self.options or FitOptions()
        self.weights_, self.covariance_, self.facts_ = fit_log_linear(
            options,
            examples,
            seed=self.seed,
            tell=tell,
            is_cancelled=is_cancelled,
            checkpoint=checkpoint,
        )
        return self

    def config(self) -> dict[str, Any]:
        return {"features": list(_names(self.weights_.size))}

    def tensors(self) -> dict[str, NDArray]:
        return {"weights": self.weights_}

    @classmethod
    def read_options(cls, plain: Mapping[str, Any]) -> FitOptions:
        return FitOptions(**plain)

    @classmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        features = config.get("features")
        known = [list(_names(n)) for n in (N_FEATURES, N_FEATURES + N_NIL_FEATURES)]
        if not isinstance(features, list) or features not in known:
            raise ModelFileError("its features aren't those of the log-linear model")
        check_tensors(tensors, {"weights": (len(features),)}, most=MAX_WEIGHT)
        model = cls(name)
        model.weights_ = tensors["weights"].astype(np.float64)
        return model


def _names(n: int) -> tuple[str, ...]:
    return (FEATURES + NIL_FEATURE_NAMES)[:n]


def devlin2016() -> LogLinearModel:
    """The model with the published weights."""
    return LogLinearModel.from_weights(DEVLIN_2016_WEIGHTS, name="devlin2016")
