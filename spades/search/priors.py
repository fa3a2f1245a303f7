"""What a search asks of a human model in its nodes: P of the legal cards of the seat to play.

A compiled model is asked in every node. A row of probabilities answers at the root alone. A Python
function is called with what the seat to play would see there: slow, with the same result.
"""

import ctypes
import threading
from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, cards_in
from spades.core.errors import SpadesError
from spades.core.kernel import Int, compiled_method, inlined_kernel, lean_kernel, lowest, overload
from spades.core.observation import Observation
from spades.core.step import Progress
from spades.human import load_prior
from spades.human.features.view import fill_view
from spades.human.model import (
    HumanModel,
    Prior,
    copy_of_thread,
    legal_priors,
    prior_probabilities,
)
from spades.human.own import OwnModel, PythonPrior, Row, probabilities_of
from spades.search.tree import BIDS, DECK, N_CODES, NIL_RULE, PLAYED, Position, Scratch

AnyPrior = Prior | HumanModel | Row | PythonPrior

_of_thread = threading.local()
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)

compiled_method("query_prior")


@lean_kernel
def query_model(
    model: Prior, position: Position, at: Progress, legal: Int, scratch: Scratch
) -> Int:
    """P of the legal cards, lowest code first, into ``scratch.p``; how many.

    The model sees what the seat to play would see: its own hand and the table."""
    deal = scratch.deal
    hands = scratch.hands
    played = scratch.played
    for seat in range(N_SEATS):
        played[seat] = position[PLAYED + seat] | (deal[seat] & ~hands[seat])
    cards = (hands[at.turn], legal, position[DECK])
    bids = position[BIDS : BIDS + N_SEATS]
    fill_view(scratch.seen, at, cards, (bids, played, scratch.on_table), position[NIL_RULE])
    return prior_probabilities(model, scratch.seen, scratch.p)


class ModelPrior(NamedTuple):
    """``model``: with scratch memory of this thread."""

    model: Prior

    @inlined_kernel
    def query_prior(self, position: Position, at: Progress, legal: Int, scratch: Scratch) -> Int:
        return query_model(self.model, position, at, legal, scratch)


class RootPrior(NamedTuple):
    """``p`` float64 (64,): P of every card by its code, 0 where it isn't legal."""

    p: NDArray[np.float64]

    @lean_kernel
    def query_prior(self, position: Position, at: Progress, legal: Int, scratch: Scratch) -> Int:
        """P of the legal cards of the root, lowest code first, into ``scratch.p``; how many."""
        n = 0
        while legal:
            scratch.p[n] = self.p[np.uintp(lowest(legal))]
            n += 1
            legal &= legal - 1
        return n


class FunctionPrior(NamedTuple):
    """``address``: of a C function that is told how many cards have been played."""

    address: Int

    @lean_kernel
    def query_prior(self, position: Position, at: Progress, legal: Int, scratch: Scratch) -> Int:
        """P of the legal cards by ``AskedFunction.answer``, into ``scratch.p``; how many."""
        return call_address(self.address, at.ply)


@intrinsic
def _call_address(typingctx, address, number):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), [args[1]])

    return types.int64(types.int64, types.int64), codegen


def call_address(address: Int, number: Int) -> Int:
    """What the C function at an address says of a number."""
    return _CALLBACK(int(address))(int(number))


@overload(call_address)
def _compiled_call_address(address, number):  # type: ignore[no-untyped-def]
    return lambda address, number: _call_address(np.int64(address), np.int64(number))


class AskedModel:
    """A compiled model as the prior of one search."""

    is_for_root_only = False

    def __init__(self, model: Prior, name: str = "other numbers") -> None:
        self._model = model
        self._name = name

    def name(self, expected: str) -> str:
        """Which model it is: the expected one, where the numbers are that one's."""
        return expected if _are_numbers_of(self._model, expected) else self._name

    def numbers(self) -> ModelPrior:
        return ModelPrior(copy_of_thread(self._model))

    def at_root(self, observation: Observation) -> NDArray[np.float64]:
        """P of the legal cards, lowest code first."""
        return legal_priors(self._model, observation)

    def raise_error(self) -> None:
        """Compiled models raise none."""


class AskedRow:
    """A row of probabilities as the prior of one search: for its root alone."""

    is_for_root_only = True

    def name(self, expected: str) -> str:
        return "a row"

    def __init__(self, row: Row, observation: Observation) -> None:
        self._p = probabilities_of(row, observation)
        self._by_code = np.zeros(N_CODES)
        self._by_code[list(cards_in(observation.legal_mask))] = self._p

    def numbers(self) -> RootPrior:
        return RootPrior(self._by_code)

    def at_root(self, observation: Observation) -> NDArray[np.float64]:
        """P of the legal cards, lowest code first."""
        return self._p

    def raise_error(self) -> None:
        """A row was checked when it was given."""


class AskedFunction:
    """A Python function as the prior of one search.

    Compiled code calls back with the number of cards played, and finds the probabilities in the
    search's scratch memory. An error of the function is kept until ``raise_error``; all cards are
    equally likely from then on, so that compiled code comes to its end."""

    is_for_root_only = False

    def __init__(
        self, function: PythonPrior, name: str, observation: Observation, scratch: Scratch
    ) -> None:
        self._function = function
        self._name = name
        self._root = observation
        self._scratch = scratch
        self._error: BaseException | None = None
        self._callback = _CALLBACK(self.answer)

    def name(self, expected: str) -> str:
        return self._name

    def numbers(self) -> FunctionPrior:
        return FunctionPrior(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)

    def at_root(self, observation: Observation) -> NDArray[np.float64]:
        """P of the legal cards, lowest code first."""
        return probabilities_of(self._function(observation), observation)

    def answer(self, n_played: int) -> int:
        """Write P of the legal cards after ``n_played`` cards of the round; how many."""
        seen = self._observation(n_played)
        n = seen.legal_mask.bit_count()
        self._scratch.p[:n] = 1 / n
        if self._error is None:
            try:
                self._scratch.p[:n] = probabilities_of(self._function(seen), seen)
            except BaseException as error:  # it can't pass through compiled code
                self._error = error
        return n

    def _observation(self, n_played: int) -> Observation:
        """What the seat to play sees in the node that the search has come to."""
        table = self._root.table.copy()
        for card in self._scratch.codes[: n_played - len(table.plays)].tolist():
            table.record_play(card)
        hand = int(self._scratch.hands[table.turn])
        return Observation(table.turn, hand, table, self._root.score_before, self._root.bags_before)

    def raise_error(self) -> None:
        """Raise what the function raised, if it did."""
        if self._error is not None:
            raise self._error


def _are_numbers_of(numbers: Prior, name: str) -> bool:
    """Whether compiled numbers are those of the model of that name; a thread remembers its last
    answer, since a player searches by the same numbers again and again."""
    known, known_name = getattr(_of_thread, "named", (None, ""))
    if known is numbers and known_name == name:
        return True
    try:
        expected = load_prior(name)
    except SpadesError:
        return False
    parts = ("kind", "weights", "plan", "numbers")
    if not all(_is_same(getattr(numbers, part), getattr(expected, part)) for part in parts):
        return False
    _of_thread.named = (numbers, name)
    return True


def _is_same(first: Int | NDArray, second: Int | NDArray) -> bool:
    return first is second or np.array_equal(first, second)


AskedPrior = AskedModel | AskedRow | AskedFunction


def asked_prior(prior: AnyPrior, observation: Observation, scratch: Scratch) -> AskedPrior:
    """A prior of any kind, made ready for one search.

    ``prior``: a model or its compiled numbers; probabilities of the legal cards at the root; or a
    function that gives the probabilities of the legal cards of an observation. Raises
    ``InvalidPriorError`` for probabilities that aren't."""
    if isinstance(prior, OwnModel):
        return AskedFunction(prior.asked, prior.name, observation, scratch)
    if isinstance(prior, HumanModel):
        return AskedModel(prior.prior(), prior.name)
    if isinstance(prior, Prior):
        return AskedModel(prior)
    if callable(prior):
        name = getattr(prior, "__qualname__", type(prior).__qualname__)
        return AskedFunction(prior, name, observation, scratch)
    return AskedRow(prior, observation)
