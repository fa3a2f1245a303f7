"""The architectures of networks, the shapes of their weights, and their inputs from a view.

Names are those of Baier 2018: ``t-`` adds the bids and tricks of the four seats, ``c`` convolves
each seat's 52 cards with kernels of size four, ``A`` appends the raw cards, numbers are the sizes
of hidden layers; ``abstract-200`` reads and predicts abstract moves. ``h-`` networks are ours: they
also read the cards played so far and the known voids, suit by suit, with weights that the three
side suits share.

Inputs are nearly all 0, so kernels list those that aren't: their positions go into ``ids``, their
values into ``x``, which must be 0 before. Cards have slots by suit and distance from the top of
their suit, in every deck; the lowest of the more than 13 spades of joker decks share a slot.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS, SPADES_MASK, SUIT_WIDTH
from spades.core.errors import SpadesError, UnknownModelError
from spades.core.kernel import Int, highest, kernel, lean_kernel, lowest, popcount
from spades.core.rules import NIL_BID
from spades.human.features.abstract_moves import N_SUIT_MOVES, classify_legal
from spades.human.features.view import (
    BEST_CARD,
    CARDS_PLAYED,
    DECK,
    HAND,
    LED_SUIT,
    LEGAL,
    PLACE,
    TABLE,
    VOIDS,
    View,
    bid_and_tricks,
)

CARDS, MOVES, SUITS = range(3)
"""Inputs of a network: cards; abstract moves and the table; suits with the play so far."""

N_RANKS = 13
N_SCALARS = 2 * N_SEATS  # bids and tricks
N_SUIT_INPUTS = 9 * N_RANKS + N_SEATS + 1
"""Inputs of a suit: hand, table (3), cards played (4), best card; who is void in it; whether it was
led."""
N_FACTS = N_SCALARS + 3 * N_SEATS
"""Inputs of the table: bids and tricks; who bid nil, who has no trick yet, place in the trick."""

TOP = N_RANKS - 1
_SCALE = np.float32(1 / N_RANKS)
_FACT_SCALE = np.float32(0.25)

N_KERNELS = 2
KERNEL_SIZE = 4
N_POSITIONS = N_CARDS - KERNEL_SIZE + 1
N_CONVOLVED = N_SEATS * N_KERNELS * N_POSITIONS
MAX_WIDTH = 1024
MAX_LAYERS = 6

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

_NAME = re.compile(r"(?:(abstract-)|(h-)(?=(?:\d+-){3}\d+$)|(t-)?(cA?-)?)((?:\d{1,4}-)*\d{1,4})")


@dataclass(frozen=True)
class NetworkConfig:
    """The shape of a network.

    ``reads``: ``CARDS``, ``MOVES`` or ``SUITS``. ``hidden``: sizes of the hidden layers, first to
    last; for an ``h-`` network the suit's two layers, the context and the head. ``has_tricks``:
    reads bids and tricks; ``convolves``: convolves the cards; ``appends``: reads the raw cards as
    well."""

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
        n = 0
        if self.convolves:
            n += N_CONVOLVED
        if self.appends or not self.convolves:
            n += self.n_raw
        if self.has_tricks:
            n += N_SCALARS
        return n


def parse_architecture(text: str) -> NetworkConfig:
    """The network of that name; ``UnknownModelError`` lists examples of names."""
    match = _NAME.fullmatch(text)
    if not match:
        raise UnknownModelError(
            f"{text[:60]!r} is no architecture; such are {', '.join(ARCHITECTURES)}"
        )
    abstract, suits, tricks, convolution, sizes = match.groups()
    reads = CARDS
    if abstract:
        reads = MOVES
    elif suits:
        reads = SUITS
    config = NetworkConfig(
        text,
        reads,
        tuple(map(int, sizes.split("-"))),
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
    """Shape of every tensor, in the order in which compiled code reads them. A hidden layer's
    weights are (inputs, units): a row is what one input adds. The output's are (outputs, units): a
    row is one card's."""
    shapes: dict[str, tuple[int, ...]] = {}
    if config.convolves:
        shapes["convolution.weight"] = (N_SEATS, N_KERNELS, KERNEL_SIZE)
        shapes["convolution.bias"] = (N_SEATS, N_KERNELS)
    layers = _suit_layers(config) if config.reads == SUITS else _card_layers(config)
    for name, shape in layers.items():
        n_rows, n_columns = shape
        shapes[f"{name}.weight"] = shape
        shapes[f"{name}.bias"] = (n_rows,) if name.endswith("output") else (n_columns,)
    return shapes


def _suit_layers(config: NetworkConfig) -> dict[str, tuple[int, int]]:
    """Shapes of the weights of an ``h-`` network's layers."""
    first, second, context, head = config.hidden
    layers: dict[str, tuple[int, int]] = {}
    for kind in ("spades", "side"):
        layers[f"{kind}.first"] = N_SUIT_INPUTS, first
        layers[f"{kind}.second"] = first, second
        layers[f"{kind}.head"] = second + context, head
        layers[f"{kind}.output"] = N_RANKS, head
    layers["context"] = 2 * second + N_FACTS, context
    return layers


def _card_layers(config: NetworkConfig) -> dict[str, tuple[int, int]]:
    """Shapes of the weights of any other network's fully connected layers."""
    sizes = [config.n_inputs, *config.hidden]
    layers = {f"hidden{i}": pair for i, pair in enumerate(pairwise(sizes))}
    layers["output"] = config.n_outputs, sizes[-1]
    return layers


@dataclass(frozen=True)
class TrainingOptions:
    """Options of the training by Muon and AdamW, with cosine decay of the learning rate.

    ``validation``: share of the games held out; after ``patience`` epochs without a lower loss on
    them the training stops and keeps the best epoch's weights. ``sparsity``: penalty on an active
    unit, nats (``crowding``): it makes most units 0, which the compiled forward pass skips; units
    that are hardly ever active are then switched off. ``permute_suits``: rename the side suits at
    random in every example (standard deck only; ``h-`` networks share weights instead)."""

    epochs: int = 4
    batch: int = 1024
    learning_rate: float = 1e-2
    weight_decay: float = 1e-4
    validation: float = 0.1
    patience: int = 3
    sparsity: float = 0.0
    permute_suits: bool = False

    def __post_init__(self) -> None:
        is_legal = (
            1 <= self.epochs <= 10_000
            and 1 <= self.batch <= 1 << 20
            and self.patience >= 1
            and 0 < self.learning_rate <= 1
            and 0 <= self.weight_decay <= 1
            and 0 < self.validation < 1
            and 0 <= self.sparsity <= 1
        )
        if not is_legal:
            raise SpadesError(f"{self} can't train a network; at least one epoch and one example")


@kernel
def suit_slots(mask: Int, deck: Int, suit: Int) -> Int:
    """The cards of one suit within a mask as 13 bits, the top bit the highest of the suit."""
    lane = (mask >> (SUIT_WIDTH * suit)) & SPADES_MASK
    top = highest((deck >> (SUIT_WIDTH * suit)) & SPADES_MASK)
    if top <= TOP:
        return lane << (TOP - top)
    below = top - TOP
    return lane >> below | np.int64((lane & ((np.int64(2) << below) - 1)) != 0)


@kernel
def card_slots(mask: Int, deck: Int) -> Int:
    """A mask of cards as 52 bits: spades, hearts, diamonds, clubs, lowest first."""
    slots = np.int64(0)
    for suit in range(4):
        slots |= np.int64(suit_slots(mask, deck, suit)) << (N_RANKS * suit)
    return slots


@kernel
def slot_of(card: Int, deck: Int) -> Int:
    suit = card >> 4
    top = highest((deck >> (SUIT_WIDTH * suit)) & SPADES_MASK)
    return N_RANKS * suit + max(np.int64(0), TOP - top + (card & (SUIT_WIDTH - 1)))


@lean_kernel
def list_bits(bits: Int, start: Int, x: NDArray, ids: NDArray, n: Int) -> Int:
    """Append the set bits to the n inputs listed, with value 1, at positions from ``start`` on;
    returns the number listed."""
    while bits:
        position = start + lowest(bits)
        x[position] = 1.0
        ids[n] = position
        n += 1
        bits &= bits - 1
    return n


@lean_kernel
def list_scalars(view: View, start: Int, x: NDArray, ids: NDArray) -> Int:
    """List the bids, then the tricks, of own seat, left, partner, right, in thirteenths; an unknown
    bid is -1. Returns the number listed."""
    n = 0
    for i in range(N_SCALARS):
        bid, tricks = bid_and_tricks(view, i % N_SEATS)
        x[start + i] = (bid if i < N_SEATS else tricks) * _SCALE
        ids[n] = start + i
        n += x[start + i] != 0
    return n


@lean_kernel
def list_binary(view: View, reads: Int, start: Int, x: NDArray, ids: NDArray) -> Int:
    """List the own cards, or the abstract moves of the legal ones, then three vectors of 52 for the
    table; returns the number listed."""
    n = 0
    if reads == MOVES:
        moves = ids[:N_RANKS]  # overwritten by the list, but never ahead of the move being read
        for i in range(classify_legal(view, moves)):
            position = start + np.int64(moves[i])
            if x[position] == 0.0:
                x[position] = 1.0
                ids[n] = position
                n += 1
        start += N_SUIT_MOVES
    else:
        n = list_bits(card_slots(view[HAND], view[DECK]), start, x, ids, n)
        start += N_CARDS
    for seat in range(N_SEATS - 1):
        card = view[TABLE + seat]
        if card:
            position = start + N_CARDS * seat + slot_of(lowest(card), view[DECK])
            x[position] = 1.0
            ids[n] = position
            n += 1
    return n


@lean_kernel
def list_suit(view: View, suit: Int, x: NDArray, ids: NDArray) -> Int:
    """List the inputs of a suit for ``h-`` networks, in the order of ``N_SUIT_INPUTS``; returns
    the number listed."""
    deck = view[DECK]
    n = 0
    start = 0
    for i in range(2 * N_SEATS):
        if i == 0:
            column = HAND
        elif i < N_SEATS:
            column = TABLE - 1 + i
        else:
            column = CARDS_PLAYED - N_SEATS + i
        n = list_bits(suit_slots(view[column], deck, suit), start, x, ids, n)
        start += N_RANKS
    best = view[BEST_CARD]
    if best >= 0 and best >> 4 == suit:
        n = list_bits(suit_slots(np.int64(1) << best, deck, suit), start, x, ids, n)
    start += N_RANKS
    for seat in range(N_SEATS):
        n = list_bits((view[VOIDS] >> (4 * seat + suit)) & 1, start + seat, x, ids, n)
    return list_bits(np.int64(view[LED_SUIT] == suit), start + N_SEATS, x, ids, n)


@lean_kernel
def write_facts(view: View, x: NDArray, at: Int) -> None:
    """Write the inputs of the table for ``h-`` networks from position ``at`` on."""
    for seat in range(N_SEATS):
        bid, tricks = bid_and_tricks(view, seat)
        x[at + seat] = bid * _FACT_SCALE
        x[at + N_SEATS + seat] = tricks * _FACT_SCALE
        x[at + 2 * N_SEATS + seat] = bid == NIL_BID
        x[at + 3 * N_SEATS + seat] = tricks == 0
        x[at + 4 * N_SEATS + seat] = view[PLACE] == seat


@kernel
def permute_suits(view: View, order: NDArray, out: View) -> None:
    """Copy a view and rename its suits: suit s becomes ``order[s]``, in hand and table only."""
    out[:] = view
    for column in (HAND, TABLE, TABLE + 1, TABLE + 2):
        moved = np.int64(0)
        for suit in range(4):
            lane = (view[column] >> (SUIT_WIDTH * suit)) & SPADES_MASK
            moved |= lane << (SUIT_WIDTH * order[suit])
        out[column] = moved


@kernel
def fill_batch(
    views: NDArray, rows: NDArray, shape: tuple[Int, bool], orders: NDArray, out: NDArray
) -> None:
    """Write the inputs of the examples ``rows`` for all networks but ``h-`` into ``out`` float32
    (batch, raw [+ 8]). ``shape``: ``reads`` and ``has_tricks`` of the network. ``orders`` int8
    (batch, 4): how each example's suits are renamed, or empty."""
    reads, has_tricks = shape
    ids = np.empty(out.shape[1], np.int32)
    renamed = np.empty_like(views[0])
    out[:] = 0.0
    for i in range(len(rows)):
        view = views[rows[i]]
        if len(orders):
            permute_suits(view, orders[i], renamed)
            view = renamed
        list_binary(view, reads, 0, out[i], ids)
        if has_tricks:
            list_scalars(view, out.shape[1] - N_SCALARS, out[i], ids)


@kernel
def fill_suits(views: NDArray, rows: NDArray, suits: NDArray, facts: NDArray) -> None:
    """Write the inputs of ``h-`` networks: ``suits`` float32 (4, batch, 122), ``facts`` (batch,
    20)."""
    ids = np.empty(suits.shape[2], np.int32)
    suits[:] = 0.0
    for i in range(len(rows)):
        view = views[rows[i]]
        for suit in range(4):
            list_suit(view, suit, suits[suit, i], ids)
        write_facts(view, facts[i], 0)


@kernel
def fill_labels(
    views: NDArray, cards: NDArray, rows: NDArray, reads: Int, orders: NDArray, out: NDArray
) -> None:
    """Write the slot, or the abstract move of the 68, of the card played in each of ``rows``."""
    moves = np.empty(N_RANKS, dtype=np.int32)
    for i in range(len(rows)):
        view = views[rows[i]]
        card = np.int64(cards[rows[i]])
        if reads == MOVES:
            classify_legal(view, moves)
            n_lower = popcount(view[LEGAL] & ((np.int64(1) << card) - 1))
            out[i] = moves[n_lower]
            continue
        slot = slot_of(card, view[DECK])
        if len(orders):
            slot = N_RANKS * np.int64(orders[i, slot // N_RANKS]) + slot % N_RANKS
        out[i] = slot
