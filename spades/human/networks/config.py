"""Which networks there are, and the shapes of their weights.

The nine networks of Baier 2018 are named as there: ``t-`` adds the bids and tricks of the four
seats, ``c`` convolves each seat's 52 cards with kernels of size four, ``A`` appends the raw cards
to that, numbers are layers of hidden units. ``abstract-200`` is the paper's first network: it reads
and predicts abstract moves. ``h-`` networks are ours: they also read the cards played so far and
the suits shown out of, suit by suit with weights that the three side suits share.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.errors import SpadesError, UnknownModelError
from spades.human.features.abstract_moves import N_SUIT_MOVES

CARDS, MOVES, SUITS = range(3)
"""What a network reads: cards; abstract moves and the table; suits with the play so far."""

READS, HAS_TRICKS, CONVOLVES, APPENDS, WIDTH, N_LAYERS, LAYERS = range(7)
"""Places in a plan: what compiled code is told of a network's shape."""

N_RANKS = 13
N_SCALARS = 2 * N_SEATS  # bids and tricks
N_SUIT_INPUTS = 9 * N_RANKS + N_SEATS + 1
"""A suit's: hand, table (3), cards played (4), best card; who showed out of it; whether led."""
N_FACTS = N_SCALARS + 3 * N_SEATS
"""Bids and tricks; who bid nil, who has no trick yet, place in the trick."""

N_KERNELS, KERNEL_SIZE = 2, 4
N_POSITIONS = N_CARDS - KERNEL_SIZE + 1
MAX_WIDTH, MAX_LAYERS = 1024, 6

BAIER_2018 = (
    "200",
    "200-100",
    "t-200",
    "t-200-100",
    "t-200-150-100",
    "t-c-200",
    "t-c-200-100",
    "t-cA-200",
    "t-cA-200-100",
)
ABSTRACT = "abstract-200"
OURS = "h-160-96-128-96"
ARCHITECTURES = (*BAIER_2018, ABSTRACT, OURS)

_CARDS_TEXT = re.compile(r"(t-)?(cA?-)?((?:\d{1,4}-)*\d{1,4})")
_MOVES_TEXT = re.compile(r"abstract-((?:\d{1,4}-)*\d{1,4})")
_SUITS_TEXT = re.compile(r"h-(\d{1,4})-(\d{1,4})-(\d{1,4})-(\d{1,4})")


@dataclass(frozen=True)
class NetworkConfig:
    """Shape of a network.

    ``reads``: ``CARDS``, ``MOVES`` or ``SUITS``. ``hidden``: units of each hidden layer, first to
    last; of an ``h-`` network those of the suit's two layers, of the context, of the head.
    """

    architecture: str
    reads: int
    hidden: tuple[int, ...]
    has_tricks: bool = False
    convolves: bool = False
    appends: bool = False

    @property
    def n_outputs(self) -> int:
        return N_SUIT_MOVES if self.reads == MOVES else N_CARDS

    @property
    def n_raw(self) -> int:
        """Binary inputs: four vectors of 52 cards, or 68 moves and three."""
        first = N_SUIT_MOVES if self.reads == MOVES else N_CARDS
        return first + (N_SEATS - 1) * N_CARDS

    @property
    def n_convolved(self) -> int:
        return N_SEATS * N_KERNELS * N_POSITIONS if self.convolves else 0

    @property
    def n_inputs(self) -> int:
        """Inputs of the first fully connected layer: convolved, raw, scalars, in this order."""
        raw = self.n_raw if self.appends or not self.convolves else 0
        return self.n_convolved + raw + (N_SCALARS if self.has_tricks else 0)


def parse_architecture(text: str) -> NetworkConfig:
    """The network of that name; ``UnknownModelError`` says what names look like."""
    if found := _CARDS_TEXT.fullmatch(text):
        tricks, convolution, layers = found.groups()
        config = NetworkConfig(
            text,
            CARDS,
            _widths(layers),
            has_tricks=bool(tricks),
            convolves=bool(convolution),
            appends=convolution == "cA-",
        )
    elif found := _MOVES_TEXT.fullmatch(text):
        config = NetworkConfig(text, MOVES, _widths(found[1]))
    elif found := _SUITS_TEXT.fullmatch(text):
        config = NetworkConfig(text, SUITS, tuple(map(int, found.groups())))
    else:
        raise UnknownModelError(
            f"{text[:60]!r} is no architecture; such are {', '.join(ARCHITECTURES)}"
        )
    if len(config.hidden) > MAX_LAYERS or not all(1 <= n <= MAX_WIDTH for n in config.hidden):
        raise UnknownModelError(
            f"{text}: 1 to {MAX_LAYERS} hidden layers of 1 to {MAX_WIDTH} units are legal"
        )
    return config


def _widths(text: str) -> tuple[int, ...]:
    return tuple(int(width) for width in text.split("-"))


def tensor_shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """Shape of every tensor, in the order in which compiled code reads them.

    A hidden layer's weights are (inputs, units): a row is what one input adds. The output's are
    (outputs, units): a row is one card's.
    """
    if config.reads == SUITS:
        return _suit_shapes(config)
    shapes: dict[str, tuple[int, ...]] = {}
    if config.convolves:
        shapes["convolution.weight"] = (N_SEATS, N_KERNELS, KERNEL_SIZE)
        shapes["convolution.bias"] = (N_SEATS, N_KERNELS)
    n_inputs = config.n_inputs
    for i, n_units in enumerate(config.hidden):
        shapes[f"hidden{i}.weight"], shapes[f"hidden{i}.bias"] = (n_inputs, n_units), (n_units,)
        n_inputs = n_units
    shapes["output.weight"] = (config.n_outputs, n_inputs)
    shapes["output.bias"] = (config.n_outputs,)
    return shapes


def _suit_shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    first, second, context, head = config.hidden
    shapes: dict[str, tuple[int, ...]] = {}
    for kind in ("spades", "side"):
        shapes[f"{kind}.first.weight"] = (N_SUIT_INPUTS, first)
        shapes[f"{kind}.first.bias"] = (first,)
        shapes[f"{kind}.second.weight"] = (first, second)
        shapes[f"{kind}.second.bias"] = (second,)
        shapes[f"{kind}.head.weight"] = (second + context, head)
        shapes[f"{kind}.head.bias"] = (head,)
        shapes[f"{kind}.output.weight"] = (N_RANKS, head)
        shapes[f"{kind}.output.bias"] = (N_RANKS,)
    shapes["context.weight"] = (2 * second + N_FACTS, context)
    shapes["context.bias"] = (context,)
    return shapes


N_WORDS = 4  # of a question that is kept
# Scratch memory: parts as wide as the widest layer; then what is kept between questions.
N_PARTS = 10  # at most
N_FACTS_KEPT, N_ANSWERS_KEPT = 16, 256
_LISTED_AT_ONCE = 8  # inputs, behind the last of which anything may be written


def plan_of(config: NetworkConfig) -> NDArray[np.int64]:
    """The shape as compiled code reads it, and where the parts of its scratch memory begin.

    What is read, whether tricks are, whether it convolves and appends, the width of a part of the
    scratch memory, the number of hidden layers, their units from ``LAYERS`` on.
    """
    switches = [config.reads, config.has_tricks, config.convolves, config.appends]
    return np.array(
        [*map(int, switches), _part_width(config), len(config.hidden), *config.hidden],
        dtype=np.int64,
    )


def _part_width(config: NetworkConfig) -> int:
    if config.reads == SUITS:
        first, second, context, head = config.hidden
        widest = max(N_SUIT_INPUTS, 2 * second + N_FACTS, second + context, first, head, N_CARDS)
    else:
        widest = max(config.n_inputs, config.n_outputs, *config.hidden)
    return widest + _LISTED_AT_ONCE


def scratch_sizes(config: NetworkConfig) -> tuple[int, int]:
    """Floats and integers that the compiled forward pass writes over."""
    width = _part_width(config)
    n_floats = (N_PARTS + N_FACTS_KEPT) * width + N_ANSWERS_KEPT * N_RANKS
    return n_floats, width + N_FACTS_KEPT + N_ANSWERS_KEPT * N_WORDS


@dataclass(frozen=True)
class TrainingOptions:
    """Muon and AdamW, with a learning rate that falls along a half cosine over ``epochs``.

    ``validation``: share of the games held out; after ``patience`` epochs without a lower loss on
    them the training ends, and the best epoch's weights are kept. ``sparsity``: what a unit at
    work costs, nats (``spades.human.training.modules.crowding``): it makes most units 0, and
    the compiled forward pass skips those; units that are hardly ever at work are then switched off.
    ``permute_suits``: rename the side suits at random in every example (standard deck only; ``h-``
    networks share weights instead).
    """

    epochs: int = 4
    batch: int = 1024
    learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    validation: float = 0.1
    patience: int = 3
    sparsity: float = 0.0
    permute_suits: bool = False

    def __post_init__(self) -> None:
        is_sound = (
            1 <= self.epochs <= 10_000
            and 1 <= self.batch <= 1 << 20
            and 0 < self.learning_rate <= 1
            and 0 <= self.weight_decay <= 1
            and 0 < self.validation < 1
            and self.patience >= 1
            and 0 <= self.sparsity <= 1
        )
        if not is_sound:
            raise SpadesError(f"{self} can't train a network; at least one epoch and one example")

    def plain(self) -> dict[str, Any]:
        return dataclasses.asdict(self)
