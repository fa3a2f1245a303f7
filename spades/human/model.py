"""What every model of human play offers: to users by scikit-learn's conventions, and compiled.

What is learned, or read from a publication, ends in an underscore. A model sees observations,
never a hidden hand. A search takes its ``Prior`` and knows no more of the model behind it.
"""

import hashlib
import inspect
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, cards_in
from spades.core.errors import SpadesError, shown
from spades.core.kernel import Int, kernel, lean_kernel
from spades.core.observation import Observation
from spades.human.features.card_features import legal_probabilities
from spades.human.features.logs import Examples
from spades.human.features.view import N_VIEW, View, decision_at, view_of
from spades.human.files import MODEL_FORMAT, ModelFileError
from spades.human.networks.forward import network_probabilities, picks_legal

LOG_LINEAR, NETWORK = range(2)
FACTS = {"seed": (int, "a whole number"), "data": (dict, "an object")}
"""Type of what a model's file may say of its fit."""
_of_thread = threading.local()


class Prior(NamedTuple):
    """The numbers of one model. ``kind``: which of the models below reads them.

    ``weights``: those of a log-linear model, float64 (42,) or (45,). ``plan`` and ``numbers``: a
    network's shape and weights (``spades.human.networks.model``). What a model doesn't have is
    empty. ``scratch`` and ``ids`` are overwritten at every query, so each thread needs its own
    (``own_copy``, ``copy_of_thread``)."""

    kind: Int
    weights: NDArray[np.float64]
    plan: NDArray[np.int64]
    numbers: NDArray[np.float32]
    scratch: NDArray[np.float32]
    ids: NDArray[np.int64]


def own_copy(prior: Prior) -> Prior:
    return prior._replace(scratch=np.empty_like(prior.scratch), ids=np.empty_like(prior.ids))


def copy_of_thread(prior: Prior) -> Prior:
    """The same with scratch memory of this thread, until the thread needs another prior."""
    if getattr(_of_thread, "prior", None) is not prior:
        _of_thread.prior, _of_thread.copy = prior, own_copy(prior)
    return _of_thread.copy


@lean_kernel
def prior_probabilities(prior: Prior, view: View, out: NDArray) -> Int:
    """How likely a human plays each legal card, lowest code first, into ``out``; how many.
    ``view``: int64 (24,), see ``spades.human.features.view``; ``out`` float64 (13,)."""
    kind, weights, plan, numbers, scratch, ids = prior
    if kind == NETWORK:
        return network_probabilities(plan, numbers, scratch, ids, view, out)
    return legal_probabilities(decision_at(view), weights, out)


def legal_priors(prior: Prior, seen: Observation) -> NDArray[np.float64]:
    """How likely a human plays each legal card of the seat to play, lowest code first."""
    p = np.empty(HAND_SIZE)
    return p[: prior_probabilities(own_copy(prior), view_of(seen), p)]


@kernel
def predict_views(prior: Prior, views: NDArray, out: NDArray, picks: NDArray) -> None:
    """Probabilities of many views into ``out`` float64 (n, 13), zeros before. ``picks`` bool (n,):
    whether the first choice, before the legal cards are looked at, is legal; or empty."""
    for row in range(len(views)):
        view = views[row]
        prior_probabilities(prior, view, out[row])
        if len(picks):
            kind, _, plan, numbers, scratch, ids = prior
            picks[row] = kind != NETWORK or picks_legal(plan, numbers, scratch, ids, view)


@kernel
def predict_log_linear(weights: NDArray, views: NDArray, out: NDArray) -> None:
    """``predict_views`` of a log-linear model, for which no network has to be compiled."""
    for row in range(len(views)):
        legal_probabilities(decision_at(views[row]), weights, out[row])


def predict(prior: Prior, views: NDArray[np.int64]) -> NDArray[np.float64]:
    """Probabilities of the legal cards of views (n, 24), lowest code first, (n, 13), then zeros."""
    p = np.zeros((len(views), HAND_SIZE))
    if prior.kind == NETWORK:
        predict_views(own_copy(prior), views, p, np.empty(0, dtype=bool))
    else:
        predict_log_linear(prior.weights, views, p)
    return p


class CancelledError(SpadesError):
    """A training that was told to stop; nothing is learned."""


@dataclass(frozen=True)
class Progress:
    """How far a training is: passes over the data done, of at most how many, losses in nats."""

    epoch: int
    epochs: int
    loss: float
    validation_loss: float
    seconds: float

    def text(self) -> str:
        return (
            f"epoch {self.epoch} of at most {self.epochs}: loss {self.loss:.4f}, "
            f"validation {self.validation_loss:.4f}, {self.seconds:.1f} s"
        )


@dataclass(frozen=True)
class Watch:
    """Options of one run of a fit: ``tell`` hears of every pass over the data.

    Once ``is_cancelled`` says so, the fit ends with ``CancelledError``. ``checkpoint``: a file in
    which each pass is stored; the same fit, stopped or killed, goes on from there and finds the
    same model. It is removed at the end."""

    tell: Callable[[Progress], None]
    is_cancelled: Callable[[], bool]
    checkpoint: Path | None


class HumanModel(ABC):
    """A probability for every card that a human in this seat may play.

    ``facts_``: of a model that was fitted or read, what its file says of it (data, seed, metrics).
    ``options``, ``seed``: how it is fitted; of a model that was read, how it was."""

    name: str
    seed: int
    options: Any
    kind: ClassVar[str]
    options_type: ClassVar[Callable[..., Any]]
    facts_: dict[str, Any]
    _kinds: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        HumanModel._kinds[cls.kind] = cls

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of ``__init__``, as ``sklearn.base.clone`` asks for them; no models."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                what = type(self).__name__
                raise ValueError(f"{what} has no {name!r}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def fit(
        self,
        examples: Examples,
        *,
        tell: Callable[[Progress], None] = lambda progress: None,
        is_cancelled: Callable[[], bool] = lambda: False,
        checkpoint: Path | None = None,
    ) -> Self:
        """Learn from examples of human play; returns itself. Arguments: see ``Watch``."""
        options = self.options or self.options_type()
        self._learn(options, examples, Watch(tell, is_cancelled, checkpoint))
        return self

    def predict_proba(self, observations: Sequence[Observation]) -> NDArray[np.float64]:
        """How likely a human plays each card, shape (n, 52); illegal cards are exactly 0.

        A card's column is ``Card.place``; ``probabilities`` has the same by card.
        ``IllegalPlayError`` for a seat that isn't to play."""
        views = np.array([view_of(seen) for seen in observations], dtype=np.int64)
        out = np.zeros((len(views), N_CARDS))
        p = predict(self.prior(), views.reshape(-1, N_VIEW))
        for row, seen in enumerate(observations):
            legal = seen.rules.cards.indices[list(cards_in(seen.legal_mask))]
            out[row, legal] = p[row, : len(legal)]
        return out

    def probabilities(self, observation: Observation) -> dict[str, float]:
        """How likely a human plays each legal card; they add up to 1. The keys are ``Card``s in the
        one order, and their texts find them too. ``IllegalPlayError`` for a seat that isn't to
        play."""
        view = np.array([view_of(observation)], dtype=np.int64)
        (p,) = predict(self.prior(), view)
        legal = list(observation.legal)
        return dict(zip(legal, p[: len(legal)].tolist(), strict=True))

    @abstractmethod
    def prior(self) -> Prior:
        """The model as compiled code queries it."""

    @abstractmethod
    def _learn(self, options: Any, examples: Examples, watch: Watch) -> None:
        """Fit what is learned and ``facts_``."""

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """What is needed, besides the tensors, to restore the model; plain values."""

    @abstractmethod
    def tensors(self) -> dict[str, NDArray]:
        """What was learned, by name."""

    @classmethod
    @abstractmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        """The model of a file; ``ModelFileError`` where the parts don't fit."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def hash(self) -> str:
        """Hash of what a file of the model would hold of its shape and numbers, 12 hexadecimal
        digits: however compiled code packs them, results of the model are found under it."""
        digest = hashlib.sha256(json.dumps([self.kind, self.config()], sort_keys=True).encode())
        for name, tensor in sorted(self.tensors().items()):
            digest.update(f"{name} {tensor.dtype.str} {tensor.shape}".encode())
            digest.update(np.ascontiguousarray(tensor).data)
        return digest.hexdigest()[:12]

    def save(self, path: Path) -> None:
        header = {"kind": self.kind, "name": self.name, "config": self.config()}
        MODEL_FORMAT.write(path, {**getattr(self, "facts_", {}), **header}, self.tensors())

    @classmethod
    def load(cls, path: Path) -> Self:
        """A model of this class from its file, named like it; ``ModelFileError`` for others."""

        def build(header: dict[str, Any], tensors: dict[str, NDArray]) -> Any:
            kind, known = header["kind"], HumanModel._kinds
            if kind not in known:
                raise ModelFileError(f"a model of kind {kind[:60]!r}; known: {', '.join(known)}")
            if not issubclass(known[kind], cls):
                raise ModelFileError(f"holds a {kind} model, no {cls.kind} model")
            model = known[kind].restored(path.stem, header["config"], tensors)
            model.facts_ = {k: v for k, v in header.items() if k not in ("kind", "name", "config")}
            for name, (due, meaning) in FACTS.items():
                if type(value := model.facts_.get(name, due())) is not due:
                    why = f"{name} in its header is {shown(value)}; {meaning} is legal"
                    raise ModelFileError(why)
            model.seed = model.facts_.get("seed", model.seed)
            if (options := model.facts_.get("options")) is not None:
                try:
                    model.options = model.options_type(**options)
                except (TypeError, SpadesError) as error:
                    why = f"its options of the fit can't be read: {error}"
                    raise ModelFileError(why) from None
            return model

        return MODEL_FORMAT.read(path, build)
