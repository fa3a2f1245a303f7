"""The interface of all models of human play: scikit-learn's conventions, and a compiled ``Prior``.

Attributes that are learned, or taken from a publication, end in an underscore. A model sees
observations, never a hidden hand. A search takes its ``Prior`` and knows nothing else of the model.
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
from spades.core.kernel import FloatArray, Int, IntArray, kernel, lean_kernel
from spades.core.observation import Observation
from spades.human.features.card_features import legal_probabilities
from spades.human.features.folders import ExampleParts
from spades.human.features.logs import Examples
from spades.human.features.view import N_VIEW, View, decision_at, view_of
from spades.human.files import MODEL_FORMAT, ModelFileError
from spades.human.networks.forward import network_probabilities, picks_legal

LOG_LINEAR, NETWORK = range(2)
FACTS = {"seed": (int, "a whole number"), "data": (dict, "an object")}
"""Legal types of the facts of the fit in a model's file, and how messages name them."""
_of_thread = threading.local()


class Prior(NamedTuple):
    """The numbers of one model, for kernels. ``kind``: ``LOG_LINEAR`` or ``NETWORK``.

    ``weights``: of a log-linear model, float64 (42,) or (45,). ``plan`` and ``numbers``: shape and
    weights of a network (``spades.human.networks.model``). Unused arrays are empty. ``scratch`` and
    ``ids`` are overwritten by every query, so each thread needs its own (``own_copy``,
    ``copy_of_thread``)."""

    kind: Int
    weights: FloatArray
    plan: IntArray
    numbers: NDArray[np.float32]
    scratch: NDArray[np.float32]
    ids: IntArray


def own_copy(prior: Prior) -> Prior:
    """The same prior with scratch memory of its own."""
    return prior._replace(
        scratch=np.empty_like(prior.scratch),
        ids=np.empty_like(prior.ids),
    )


def copy_of_thread(prior: Prior) -> Prior:
    """The same prior with scratch memory of this thread, which keeps one copy at a time."""
    if getattr(_of_thread, "prior", None) is not prior:
        _of_thread.prior = prior
        _of_thread.copy = own_copy(prior)
    return _of_thread.copy


@lean_kernel
def prior_probabilities(prior: Prior, view: View, out: NDArray) -> Int:
    """Write the probability that a human plays each legal card, lowest code first, into ``out``
    float64 (13,); returns their number. ``view``: int64 (24,), ``spades.human.features.view``."""
    kind, weights, plan, numbers, scratch, ids = prior
    if kind == NETWORK:
        return network_probabilities(plan, numbers, scratch, ids, view, out)
    return legal_probabilities(decision_at(view), weights, out)


def legal_priors(prior: Prior, seen: Observation) -> FloatArray:
    """P(a human plays the card) for each legal card of the seat to play, lowest code first."""
    p = np.empty(HAND_SIZE)
    n_legal = prior_probabilities(own_copy(prior), view_of(seen), p)
    return p[:n_legal]


@kernel
def predict_views(prior: Prior, views: NDArray, out: NDArray, picks: NDArray) -> None:
    """Write the probabilities of n views into ``out`` float64 (n, 13), initially 0. ``picks`` bool
    (n,), or empty: whether the most likely output of all, before masking, is legal."""
    for row in range(len(views)):
        view = views[row]
        prior_probabilities(prior, view, out[row])
        if len(picks):
            kind, _, plan, numbers, scratch, ids = prior
            picks[row] = kind != NETWORK or picks_legal(plan, numbers, scratch, ids, view)


@kernel
def predict_log_linear(weights: NDArray, views: NDArray, out: NDArray) -> None:
    """``predict_views`` of a log-linear model, without compiling the networks."""
    for row in range(len(views)):
        legal_probabilities(decision_at(views[row]), weights, out[row])


def predict(prior: Prior, views: IntArray) -> FloatArray:
    """Probabilities (n, 13) of the legal cards of views (n, 24), lowest code first, then zeros."""
    p = np.zeros((len(views), HAND_SIZE))
    if prior.kind == NETWORK:
        predict_views(own_copy(prior), views, p, np.empty(0, dtype=bool))
    else:
        predict_log_linear(prior.weights, views, p)
    return p


class CancelledError(SpadesError):
    """The training was cancelled; nothing is learned."""


@dataclass(frozen=True)
class FitProgress:
    """Progress of a fit: ``epoch`` of at most ``epochs`` is done; losses in nats."""

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
class FitMonitor:
    """Callbacks and checkpoint of a fit. ``tell`` is called after every epoch.

    When ``is_cancelled()`` is true, the fit raises ``CancelledError``. ``checkpoint``: a file in
    which each epoch is stored; an interrupted fit resumes from it and learns the same model. It is
    removed at the end."""

    tell: Callable[[FitProgress], None]
    is_cancelled: Callable[[], bool]
    checkpoint: Path | None


class HumanModel(ABC):
    """A model that gives each legal card the probability that a human plays it.

    ``facts_``: facts of the fit in the model's file (data, seed, metrics). ``options`` and
    ``seed``: of the fit."""

    name: str
    seed: int
    options: Any
    kind: ClassVar[str]
    options_type: ClassVar[Callable[..., Any]]
    learns_from_parts: ClassVar[bool] = False
    facts_: dict[str, Any]
    _kinds: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        HumanModel._kinds[cls.kind] = cls

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of ``__init__``, for ``sklearn.base.clone``; ``deep`` has no effect."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                kind = type(self).__name__
                raise ValueError(f"{kind} has no {name!r}; it has {', '.join(known)}")
            setattr(self, name, value)
        return self

    def fit(
        self,
        examples: Examples | ExampleParts,
        *,
        tell: Callable[[FitProgress], None] = lambda progress: None,
        is_cancelled: Callable[[], bool] = lambda: False,
        checkpoint: Path | None = None,
    ) -> Self:
        """Learn from examples of human play; returns itself. Networks alone learn from
        ``ExampleParts``, else ``SpadesError``. Keywords as in ``FitMonitor``."""
        if isinstance(examples, ExampleParts) and not self.learns_from_parts:
            raise SpadesError(f"{self.kind} models learn from a log in memory, not from a folder")
        options = self.options or self.options_type()
        self._learn(options, examples, FitMonitor(tell, is_cancelled, checkpoint))
        return self

    def predict_proba(self, observations: Sequence[Observation]) -> FloatArray:
        """P(a human plays the card), (n, 52); exactly 0 for illegal cards.

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
        """P(a human plays it) of each legal card; they add up to 1. The keys are ``Card``s in the
        one order, and their texts find them too. ``IllegalPlayError`` for a seat that isn't to
        play."""
        view = np.array([view_of(observation)], dtype=np.int64)
        (p,) = predict(self.prior(), view)
        legal = list(observation.legal)
        return dict(zip(legal, p[: len(legal)].tolist(), strict=True))

    @abstractmethod
    def prior(self) -> Prior:
        """The model for compiled code."""

    @abstractmethod
    def _learn(self, options: Any, examples: Any, watch: FitMonitor) -> None:
        """Set the learned attributes and ``facts_``."""

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """JSON values that, with the tensors, restore the model."""

    @abstractmethod
    def tensors(self) -> dict[str, NDArray]:
        """The learned arrays, by name."""

    @classmethod
    @abstractmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        """The model of a file's parts; ``ModelFileError`` if they don't fit together."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def hash(self) -> str:
        """Hash of the model's shape and numbers as its file holds them, 12 hexadecimal digits;
        results of the model are stored under it."""
        shape = json.dumps([self.kind, self.config()], sort_keys=True)
        digest = hashlib.sha256(shape.encode())
        for name, tensor in sorted(self.tensors().items()):
            digest.update(f"{name} {tensor.dtype.str} {tensor.shape}".encode())
            digest.update(np.ascontiguousarray(tensor).data)
        return digest.hexdigest()[:12]

    def save(self, path: Path) -> None:
        header = {
            **getattr(self, "facts_", {}),
            "kind": self.kind,
            "name": self.name,
            "config": self.config(),
        }
        MODEL_FORMAT.write(path, header, self.tensors())

    @classmethod
    def load(cls, path: Path) -> Self:
        """The model of a file, named after it; ``ModelFileError`` if it is of another class."""

        def build(header: dict[str, Any], tensors: dict[str, NDArray]) -> Any:
            kind = header["kind"]
            known = HumanModel._kinds
            if kind not in known:
                raise ModelFileError(f"a model of kind {kind[:60]!r}; known: {', '.join(known)}")
            if not issubclass(known[kind], cls):
                raise ModelFileError(f"holds a {kind} model, no {cls.kind} model")
            model = known[kind].restored(path.stem, header["config"], tensors)
            model._restore_facts(header)
            return model

        return MODEL_FORMAT.read(path, build)

    def _restore_facts(self, header: Mapping[str, Any]) -> None:
        """Set ``facts_``, ``seed`` and ``options`` from a file's header."""
        fixed = ("kind", "name", "config")
        self.facts_ = {key: value for key, value in header.items() if key not in fixed}
        for name, (legal_type, meaning) in FACTS.items():
            value = self.facts_.get(name, legal_type())
            if type(value) is not legal_type:
                raise ModelFileError(f"{name} in its header is {shown(value)}; {meaning} is legal")
        self.seed = self.facts_.get("seed", self.seed)
        options = self.facts_.get("options")
        if options is None:
            return
        try:
            self.options = self.options_type(**options)
        except (TypeError, SpadesError) as error:
            raise ModelFileError(f"its options of the fit can't be read: {error}") from None
