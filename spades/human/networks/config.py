"""Which networks there are, and the shapes of their weights.

The nine networks of Baier 2018 are named as there: ``t-`` adds the bids and tricks of the four
seats, ``c`` convolves each seat's 52 cards with kernels of size four, ``A`` appends the raw cards
to that, numbers are layers of hidden units. ``abstract-200`` is the paper's first network: it reads
and predicts abstract moves. ``h-`` networks are ours: they also read the cards played so far and
the suits shown out of, suit by suit with weights that the three side suits share.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

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
    "200", "200-100", "t-200", "t-200-100", "t-200-150-100", "t-c-200", "t-c-200-100",
    "t-cA-200", "t-cA-200-100",
)  # fmt: skip
ABSTRACT = "abstract-200"
OURS = "h-160-96-128-96"
ARCHITECTURES = (*BAIER_2018, ABSTRACT, OURS)

_NAME = re.compile(r"(?:(abstract-)|(h-)(?=(?:\d+-){3}\d+$)|(t-)?(cA?-)?)((?:\d{1,4}-)*\d{1,4})")


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
    def n_inputs(self) -> int:
        """Inputs of the first fully connected layer: convolved, raw, scalars, in this order."""
        convolved = N_SEATS * N_KERNELS * N_POSITIONS * self.convolves
        raw = self.n_raw * (self.appends or not self.convolves)
        return convolved + raw + N_SCALARS * self.has_tricks


def parse_architecture(text: str) -> NetworkConfig:
    """The network of that name; ``UnknownModelError`` says what names look like."""
    if not (found := _NAME.fullmatch(text)):
        raise UnknownModelError(
            f"{text[:60]!r} is no architecture; such are {', '.join(ARCHITECTURES)}"
        )
    abstract, suits, tricks, convolution, widths = found.groups()
    config = NetworkConfig(
        text,
        MOVES if abstract else SUITS if suits else CARDS,
        tuple(map(int, widths.split("-"))),
        has_tricks=bool(tricks),
        convolves=bool(convolution),
        appends=convolution == "cA-",
    )
    if len(config.hidden) > MAX_LAYERS or not all(1 <= n <= MAX_WIDTH for n in config.hidden):
        raise UnknownModelError(
            f"{text}: 1 to {MAX_LAYERS} hidden layers of 1 to {MAX_WIDTH} units are legal"
        )
    return config


def tensor_shapes(config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """Shape of every tensor, in the order in which compiled code reads them.

    A hidden layer's weights are (inputs, units): a row is what one input adds. The output's are
    (outputs, units): a row is one card's.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    if config.reads == SUITS:
        first, second, context, head = config.hidden
        layers = {
            f"{kind}.{name}": shape
            for kind in ("spades", "side")
            for name, shape in (
                ("first", (N_SUIT_INPUTS, first)),
                ("second", (first, second)),
                ("head", (second + context, head)),
                ("output", (N_RANKS, head)),
            )
        }
        layers["context"] = 2 * second + N_FACTS, context
    else:
        if config.convolves:
            shapes["convolution.weight"] = (N_SEATS, N_KERNELS, KERNEL_SIZE)
            shapes["convolution.bias"] = (N_SEATS, N_KERNELS)
        widths = [config.n_inputs, *config.hidden]
        layers = {f"hidden{i}": pair for i, pair in enumerate(pairwise(widths))}
        layers["output"] = config.n_outputs, widths[-1]
    for name, shape in layers.items():
        shapes[f"{name}.weight"] = shape
        shapes[f"{name}.bias"] = (shape[0 if name.endswith("output") else 1],)
    return shapes


# Scratch memory: parts as wide as the widest layer; then the two caches.
N_PARTS = 10  # at most
N_CACHED_FACTS, N_CACHED_ANSWERS = 16, 256
N_WORDS = 4  # of the key of a cached answer
_LISTED_AT_ONCE = 8  # ``list_positive`` may write that many ids past the last


def plan_of(config: NetworkConfig) -> NDArray[np.int64]:
    """The shape as compiled code reads it: the numbers that ``READS`` to ``LAYERS`` index.

    What is read, whether tricks are, whether it convolves and appends, the width of a part of the
    scratch memory, the number of hidden layers, their units from ``LAYERS`` on.
    """
    switches = [config.reads, config.has_tricks, config.convolves, config.appends]
    sizes = [_part_width(config), len(config.hidden), *config.hidden]
    return np.array([*switches, *sizes], dtype=np.int64)


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
    n_floats = (N_PARTS + N_CACHED_FACTS) * width + N_CACHED_ANSWERS * N_RANKS
    return n_floats, width + N_CACHED_FACTS + N_CACHED_ANSWERS * N_WORDS


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
