"""What every model of human play offers, by scikit-learn's conventions.

``__init__`` only stores its arguments, under their own names; what is learned, or read from a
publication, ends in an underscore. A model sees observations, never a hidden hand.
"""

from __future__ import annotations

import inspect
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS
from spades.core.errors import SpadesError
from spades.core.kernel import Int, kernel, lean_kernel, popcount
from spades.core.observation import Observation
from spades.human.features.card_features import legal_probabilities
from spades.human.features.logs import Examples
from spades.human.features.view import DECK, LEGAL, N_VIEW, View, decision_at, view_of
from spades.human.files import ModelFileError, read_model_file, write_model_file
from spades.human.networks.forward import network_probabilities, picks_legal

LOG_LINEAR, NETWORK = range(2)
_of_thread = threading.local()


class Prior(NamedTuple):
    """The numbers of one model. ``kind``: which of the models below reads them.

    ``weights``: those of a log-linear model, float64 (42,) or (45,). ``plan`` and ``numbers``: a
    network's shape and weights (``spades.human.networks.model``). What a model doesn't have is
    empty. ``scratch`` and ``ids`` are overwritten at every query, so each thread needs its own
    (``own_copy``, ``copy_of_thread``).
    """

    kind: Int
    weights: NDArray[np.float64]
    plan: NDArray[np.int64]
    numbers: NDArray[np.uint16]
    scratch: NDArray[np.float32]
    ids: NDArray[np.int64]


def log_linear_prior(weights: NDArray[np.float64]) -> Prior:
    """The log-linear model with these weights."""
    nothing, no_floats = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    return Prior(LOG_LINEAR, weights.copy(), nothing, np.zeros(0, np.uint16), no_floats, new_ids(0))


def network_prior(
    plan: NDArray[np.int64],
    numbers: NDArray[np.uint16],
    scratch: NDArray[np.float32],
    ids: NDArray[np.int64],
) -> Prior:
    """A packed network as kernels query it."""
    return Prior(NETWORK, np.zeros(0), plan, numbers, scratch, ids)


def new_ids(n: int) -> NDArray[np.int64]:
    """Scratch memory that lists inputs, then keys of stored answers: none yet, no key is -1."""
    return np.full(n, -1, dtype=np.int64)


def own_copy(prior: Prior) -> Prior:
    """The same prior with scratch memory of its own."""
    return prior._replace(scratch=np.empty_like(prior.scratch), ids=new_ids(prior.ids.size))


def copy_of_thread(prior: Prior) -> Prior:
    """The same with scratch memory of this thread, which keeps it until it needs another prior."""
    if getattr(_of_thread, "prior", None) is not prior:
        _of_thread.prior, _of_thread.copy = prior, own_copy(prior)
    copy: Prior = _of_thread.copy
    return copy


@lean_kernel
def prior_probabilities(prior: Prior, view: View, out: NDArray) -> Int:
    """How likely a human plays each legal card, lowest code first, into ``out``; how many.

    ``view``: int64 (24,), see ``spades.human.features.view``; ``out`` float64 (13,).
    """
    kind, weights, plan, numbers, scratch, ids = prior
    if kind == NETWORK:
        return network_probabilities(plan, numbers, scratch, ids, view, out)
    return legal_probabilities(decision_at(view), weights, out)


@kernel
def predict_views(prior: Prior, views: NDArray, out: NDArray, picks: NDArray) -> None:
    """Probabilities of many views into ``out`` float64 (n, 13), zeros before.

    ``picks`` bool (n,): whether the first choice, before the legal cards are looked at, is legal;
    or empty.
    """
    for row in range(len(views)):
        view = views[row]
        prior_probabilities(prior, view, out[row])
        if len(picks):
            kind, _, plan, numbers, scratch, ids = prior
            picks[row] = kind != NETWORK or picks_legal(plan, numbers, scratch, ids, view)


@kernel
def _spread(views: NDArray, p: NDArray, out: NDArray) -> None:
    """Probabilities of legal cards (n, 13) to those of the deck's dense indices (n, 52)."""
    for row in range(len(views)):
        left, i = views[row, LEGAL], 0
        while left:
            out[row, popcount(views[row, DECK] & ((left & -left) - 1))] = p[row, i]
            left &= left - 1
            i += 1


def predict_observations(prior: Prior, observations: Sequence[Observation]) -> NDArray[np.float64]:
    """Probabilities by dense index of the deck, (n, 52); illegal cards are exactly 0."""
    views = np.array([view_of(seen) for seen in observations], dtype=np.int64).reshape(-1, N_VIEW)
    p, out = np.zeros((len(views), HAND_SIZE)), np.zeros((len(views), N_CARDS))
    predict_views(prior, views, p, np.empty(0, dtype=bool))
    _spread(views, p, out)
    return out


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


Tell = Callable[[Progress], None]


def ignore(progress: Progress) -> None:
    """For who doesn't want to be told."""


def never() -> bool:
    """For who doesn't stop."""
    return False


class HumanModel(ABC):
    """A probability for every card that a human in this seat may play.

    ``facts_``: of a model that was fitted or read, what its file says of it (data, seed, metrics).
    ``options``, ``seed``: how it is fitted; of a model that was read, how it was.
    """

    name: str
    seed: int
    options: Any
    kind: ClassVar[str]
    facts_: dict[str, Any]

    @classmethod
    def param_names(cls) -> list[str]:
        """The arguments of ``__init__``, which it stores under these names."""
        return list(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments that the model was made with, as ``sklearn.base.clone`` asks for them.

        ``deep`` changes nothing: no argument is a model itself.
        """
        return {name: getattr(self, name) for name in self.param_names()}

    def set_params(self, **params: Any) -> Self:
        """Change arguments before a fit; ``ValueError`` for one that the model hasn't."""
        known = self.param_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no {name!r}; it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    @abstractmethod
    def prior(self) -> Prior:
        """The model as compiled code queries it."""

    def predict_proba(self, observations: Sequence[Observation]) -> NDArray[np.float64]:
        """How likely a human plays each card, shape (n, 52), by dense index of the deck.

        Illegal cards are exactly 0, each row sums to 1. Raises
        ``IllegalPlayError`` for a seat that isn't to play.
        """
        return predict_observations(self.prior(), observations)

    @abstractmethod
    def fit(
        self,
        examples: Examples,
        *,
        tell: Tell = ignore,
        is_cancelled: Callable[[], bool] = never,
        checkpoint: Path | None = None,
    ) -> Self:
        """Learn from examples of human play; returns itself.

        ``tell`` hears of every pass over the data; once ``is_cancelled`` says so, the fit ends
        with ``CancelledError``. ``checkpoint``: a file in which each pass is kept; the same
        fit, stopped or killed, goes on from there and comes to the same model. It is removed at
        the end (``spades.human.files``).
        """

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """What has to be known, beside the tensors, to make the model anew; plain values."""

    @abstractmethod
    def tensors(self) -> dict[str, NDArray]:
        """What was learned, by name."""

    @classmethod
    @abstractmethod
    def read_options(cls, plain: Mapping[str, Any]) -> Any:
        """The options of a fit from a file's plain values; ``TypeError`` or
        ``SpadesError`` for any that it hasn't."""

    @classmethod
    @abstractmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        """The model of a file; ``ModelFileError`` where the parts don't fit."""

    def save(self, path: Path) -> None:
        """Write the model as a safetensors file, whole or not at all."""
        header = {"kind": self.kind, "name": self.name, "config": self.config()}
        write_model_file(path, {**getattr(self, "facts_", {}), **header}, self.tensors())

    @classmethod
    def load(cls, path: Path) -> Self:
        """A model of this class from its file; ``ModelFileError`` for any other file."""
        header, tensors = read_model_file(path)
        if header["kind"] != cls.kind:
            raise ModelFileError(f"{path.name} holds a {header['kind']} model, no {cls.kind} model")
        return cls.from_parts(path, header, tensors)

    @classmethod
    def from_parts(cls, path: Path, header: dict[str, Any], tensors: dict[str, NDArray]) -> Self:
        """The model of what a file was found to hold; it is named like the file."""
        try:
            model = cls.restored(path.stem, header["config"], tensors)
        except ModelFileError as error:
            raise ModelFileError(f"{path.name}: {error}") from None
        model.facts_ = {k: v for k, v in header.items() if k not in ("kind", "name", "config")}
        model._restore_params(path)
        return model

    def _restore_params(self, path: Path) -> None:
        """Options and seed of the fit, where the file tells them."""
        seed, options = self.facts_.get("seed"), self.facts_.get("options")
        if isinstance(seed, int):
            self.seed = seed
        if options is not None:
            try:
                self.options = self.read_options(options)
            except (TypeError, SpadesError) as error:
                raise ModelFileError(
                    f"{path.name}: its options of the fit can't be read: {error}"
                ) from None


def check_tensors(
    tensors: Mapping[str, NDArray], shapes: Mapping[str, tuple[int, ...]], *, most: float
) -> None:
    """Refuse tensors that aren't exactly these: names, shapes, floats of -``most`` to ``most``."""
    if set(tensors) != set(shapes):
        odd = sorted(set(tensors) ^ set(shapes))[0]
        what = "missing" if odd in shapes else "not wanted"
        raise ModelFileError(f"tensor {odd[:60]!r} is {what}; wanted: {', '.join(shapes)}")
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape or tensor.dtype not in (np.float32, np.float64):
            raise ModelFileError(
                f"tensor {name} is {tensor.dtype} {tensor.shape}; wanted: float32 {shape}"
            )
        if not np.isfinite(tensor).all():
            raise ModelFileError(f"tensor {name} holds a number that isn't finite")
        if (largest := np.abs(tensor).max(initial=0)) > most:
            raise ModelFileError(
                f"tensor {name} holds a weight of size {largest:.4g}; at most {most:g} is legal"
            )
