"""Priors of one's own: Python functions that say how likely each legal card of an observation is.

They are models by name, as those in files are, but not compiled: a search calls back for every node
that it asks about, which takes a hundred times as long and gives the same result.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, SEATS, cards_in
from spades.core.errors import IllegalPlayError, InvalidCardError, SpadesError, shown
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.own_code import OwnCode, called, made, method_of
from spades.core.programs import Program, ProgramFaultError
from spades.human.features.logs import Examples
from spades.human.files import ModelFileError
from spades.human.model import FitMonitor, HumanModel, Prior

Row = Mapping[Any, float] | Sequence[float] | NDArray[np.floating]
"""Probabilities of the legal cards: by ``Card``, its text or its code; or in the cards' order."""
PythonPrior = Callable[[Observation], Row]
OWN_PRIORS: dict[str, "OwnModel"] = {}
"""Those of this process, by name."""
VERSION = "version "
_MAX_ERROR = 1e-9  # of a sum of probabilities that is left as it is


class InvalidPriorError(ProgramFaultError):
    """Probabilities that no search can use."""


class NotCompiledError(SpadesError):
    """A Python function where a model is read by compiled code."""


class OwnModel(HumanModel):
    """A Python function as a human model; ``prior()`` is refused, since it isn't compiled."""

    kind: ClassVar[str] = "function"

    def __init__(self, name: str, own: "PriorCode", function: PythonPrior) -> None:
        self.name = name
        self.own = own
        self.function = function
        self.seed = 0
        self.options = None
        self.facts_: dict[str, Any] = {}

    def asked(self, observation: Observation) -> FloatArray:
        """P of the legal cards, lowest code first."""
        table = observation.table
        when = f"ply {len(table.plays)}, {SEATS[observation.seat]} to play"
        row = called(self.own, when, self.function, observation)
        try:
            return probabilities_of(row, observation)
        except InvalidPriorError as error:
            raise InvalidPriorError(f"{self.own.title}, {when}: {error}") from None

    def probabilities(self, observation: Observation) -> dict[str, float]:
        if not observation.legal_mask:
            raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
        p = self.asked(observation).tolist()
        return dict(zip(observation.legal, p, strict=True))

    def predict_proba(self, observations: Sequence[Observation]) -> FloatArray:
        out = np.zeros((len(observations), N_CARDS))
        for row, seen in enumerate(observations):
            for card, p in self.probabilities(seen).items():
                out[row, seen.rules.cards.card(card).place] = p
        return out

    def hash(self) -> str:
        """The version that it declares; hashes of compiled models have no space."""
        return f"{VERSION}{self.own.version}"

    def prior(self) -> Prior:
        raise NotCompiledError(
            f"{self.name} is a Python function, which biases a search, plays as direct and stands "
            "beside an analysis; only compiled models, from files, do what was asked here"
        )

    def _learn(self, options: Any, examples: Examples, watch: FitMonitor) -> None:
        raise NotCompiledError(f"{self.name} is a Python function: nothing to fit")

    def config(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.own.version}

    def tensors(self) -> dict[str, NDArray]:
        raise NotCompiledError(f"{self.name} is a Python function: no file holds one")

    @classmethod
    def restored(cls, name: str, config: Mapping[str, Any], tensors: dict[str, NDArray]) -> Self:
        raise ModelFileError("no file holds a Python function")


class PriorCode(OwnCode):
    """A prior of one's own: a function of an observation, or a class or object that is called."""

    role: ClassVar[str] = "prior"

    @classmethod
    def registered(cls, name: str) -> Program | None:
        return OWN_PRIORS[name].own if name in OWN_PRIORS else None

    def register(self, thing: Any) -> None:
        function = method_of(made(thing, self.name), "probabilities", self)
        OWN_PRIORS[self.name] = OwnModel(self.name, self, function)


def probabilities_of(row: Any, observation: Observation) -> FloatArray:
    """The probabilities of the legal cards, lowest code first, as a row gives them.

    They are divided by their sum unless that is 1. Raises ``InvalidPriorError`` for other cards
    than the legal ones, and for what is no probability."""
    where = f"| {observation.text()}"
    legal = list(observation.legal)
    if isinstance(row, Mapping):
        row = _in_order(row, observation)
    try:
        p = np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidPriorError(
            f"a prior is {shown(row)}; a number for each legal card is legal {where}"
        ) from None
    if p.shape != (len(legal),):
        raise InvalidPriorError(
            f"a prior has {p.size} probabilities; {len(legal)} cards are legal {where}"
        )
    if not np.isfinite(p).all() or p.min() < 0 or not p.sum():
        raise InvalidPriorError(
            f"a prior says {p.tolist()}; numbers from 0 that aren't all 0 are legal {where}"
        )
    total = p.sum()
    return p if abs(total - 1) < _MAX_ERROR else p / total


def _in_order(row: Mapping[Any, float], observation: Observation) -> list[float]:
    """The numbers of a row by card, in the order of the legal cards; 0 for a card left out."""
    deck = observation.rules.cards
    legal = list(cards_in(observation.legal_mask))
    by_code = {}
    for card, p in row.items():
        try:
            code = deck.card(card if isinstance(card, str) else int(card)).code
        except (InvalidCardError, TypeError, ValueError):
            code = -1
        if code not in legal:
            raise InvalidPriorError(
                f"a prior has a probability of {shown(card)}; legal: "
                f"{' '.join(observation.legal)} | {observation.text()}"
            )
        by_code[code] = p
    return [by_code.get(code, 0.0) for code in legal]
