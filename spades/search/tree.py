"""The arrays of a search: its tree, the position it starts from and the memory it works in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.kernel import Int, kernel, lean_kernel
from spades.core.observation import Observation
from spades.core.rules import NIL_BID
from spades.core.scoring import evaluation_table
from spades.core.step import Progress, progress_of
from spades.human.features.view import N_VIEW, nil_rule_of

# Columns of a node; see ``Tree``.
SLOT, VISITS, AVAILABILITY, VALUE, TEAM, PRIOR, N_CHOICES = range(7)
N_COLUMNS = 8
ROOT = 0
NO_NODE = 0
NO_SLOT = 0
ROOT_SLOT = 1
N_CODES = 64
MAX_ITERATIONS = 1_000_000
MAX_DEPTH = N_CARDS

# Places in the start position, an int64 vector (24,): the fields of ``Progress``, numbers, then
# three groups with an entry a seat: bids, cards played and cards on the table (masks, 0: none).
NILS = 8
DECK = 9
NIL_RULE = 10
BIDS = 12
PLAYED = 16
ON_TABLE = 20

Position = NDArray[np.int64]


class Tree(NamedTuple):
    """The search tree; every array is allocated once, with one node an iteration.

    ``nodes`` int32 (room + 1, 8): a node is one row, so that it is judged from one cache line. The
    root is row 0. Rewards are whole points, so sums are exact: at most 1,000,000 iterations of at
    most 1,073 points fit in 32 bits.

    =============  =============================================================================
    column         meaning
    =============  =============================================================================
    SLOT           row of ``children`` that lists its children (0: none yet)
    VISITS         n: iterations that passed through
    AVAILABILITY   n_avail: iterations that visited the parent while the card was legal
    VALUE          sum of rewards in points, for the partnership that played the card
    TEAM           partnership that played the card
    PRIOR          P that a human plays the card, a float32 (searches with a bias)
    N_CHOICES      legal cards when the model was queried for that P (0: not queried)
    =============  =============================================================================

    ``priors`` float32 (room + 1, 8): the same memory, for PRIOR. ``children`` int32 (room + 2, 64):
    the node that each card (code) leads to, 0: none yet; a suit's cards are neighbours, so a visit
    reads the legal cards alone. By row of ``children``, masks of cards, int64 (room + 2,):
    ``known``, whose P is known, and ``ready``, which can be scored by it. ``used`` int64 (3,):
    nodes and rows of ``children`` in use, and queries of a model.

    A model that is asked before all cards were tried makes nodes of the others, which have its P
    but no visit; such a tree has room for ``nodes_an_iteration`` instead of one."""

    nodes: NDArray[np.int32]
    priors: NDArray[np.float32]
    children: NDArray[np.int32]
    known: NDArray[np.int64]
    ready: NDArray[np.int64]
    used: NDArray[np.int64]

    @classmethod
    def with_room(cls, iterations: int, nodes_an_iteration: int = 1) -> Tree:
        """A tree of the root alone; ``add_child`` clears the rows of the others."""
        n_nodes = iterations * nodes_an_iteration + 1
        nodes = np.empty((n_nodes, N_COLUMNS), dtype=np.int32)
        nodes[ROOT] = 0
        children = np.empty((iterations + 2, N_CODES), dtype=np.int32)
        children[: ROOT_SLOT + 1] = NO_NODE
        known, ready = np.zeros((2, iterations + 2), dtype=np.int64)
        nodes[ROOT, SLOT] = ROOT_SLOT
        used = np.array([1, ROOT_SLOT + 1, 0])
        return cls(nodes, nodes.view(np.float32), children, known, ready, used)

    @property
    def room(self) -> int:
        """Iterations that fit."""
        return len(self.known) - 2

    def enlarged(self, iterations: int) -> Tree:
        """A copy with more room."""
        tree = Tree.with_room(iterations, (len(self.nodes) - 1) // self.room)
        n_nodes, n_slots, _ = self.used
        tree.nodes[:n_nodes] = self.nodes[:n_nodes]
        tree.children[:n_slots] = self.children[:n_slots]
        tree.known[:n_slots] = self.known[:n_slots]
        tree.ready[:n_slots] = self.ready[:n_slots]
        tree.used[:] = self.used
        return tree


@lean_kernel
def add_child(tree: Tree, parent: Int, code: Int, team: Int) -> Int:
    """Add the node that a card (code) of ``team`` leads to; its row."""
    slot = slot_of(tree, parent)
    child = tree.used[0]
    tree.used[0] += 1
    tree.children[slot, code] = child
    tree.nodes[child] = 0
    tree.nodes[child, AVAILABILITY] = 1
    tree.nodes[child, TEAM] = team
    return child


@lean_kernel
def slot_of(tree: Tree, node: Int) -> Int:
    """The row of ``children`` of a node, which gets one if it has none yet."""
    slot = np.int64(tree.nodes[node, SLOT])
    if slot == NO_SLOT:
        slot = tree.used[1]
        tree.used[1] += 1
        tree.nodes[node, SLOT] = slot
        for i in range(N_CODES):
            tree.children[slot, i] = NO_NODE
    return slot


@lean_kernel
def backpropagate(nodes: NDArray, path: NDArray, depth: Int, reward: Int) -> None:
    """Add a reward (points for N/S) to the nodes of a path, the root included."""
    for i in range(np.int64(depth) + 1):
        node = np.uintp(path[i])
        nodes[node, VISITS] += 1
        nodes[node, VALUE] += -reward if nodes[node, TEAM] else reward


@lean_kernel
def copy_root_visits(tree: Tree, visits: NDArray) -> None:
    """Write the visits of the root's children into ``visits`` (64,), by card code."""
    for code in range(N_CODES):
        child = tree.children[ROOT_SLOT, code]
        visits[code] = 0 if child == NO_NODE else tree.nodes[child, VISITS]


class Scratch(NamedTuple):
    """Memory that every iteration overwrites.

    By seat, int64 (4,): ``deal`` and ``hands``, the cards held at the root and now, ``on_table``,
    the last card of each, and ``played``, all cards played. ``path`` (53,): nodes from the root on,
    ``codes`` (53,): the card played in each. ``seen`` and ``p``: what a model sees and answers."""

    deal: NDArray[np.int64]
    hands: NDArray[np.int64]
    on_table: NDArray[np.int64]
    played: NDArray[np.int64]
    path: NDArray[np.int64]
    codes: NDArray[np.int64]
    seen: NDArray[np.int64]
    p: NDArray[np.float64]


def new_scratch() -> Scratch:
    deal, hands, on_table, played = np.zeros((4, N_SEATS), dtype=np.int64)
    path, codes = np.zeros((2, MAX_DEPTH + 1), dtype=np.int64)
    seen = np.zeros(N_VIEW, dtype=np.int64)
    p = np.empty(HAND_SIZE)
    return Scratch(deal, hands, on_table, played, path, codes, seen, p)


def start_position(observation: Observation) -> Position:
    """What kernels need to know of the table, int64 (24,)."""
    table = observation.table
    rules = observation.rules
    nils = 0
    on_table = [0] * N_SEATS
    if rules.nil is not None:
        nils = sum((bid == NIL_BID) << seat for seat, bid in enumerate(table.bids))
    for i, card in enumerate(table.trick):
        on_table[(table.leader + i) % N_SEATS] = 1 << card
    fixed = (nils, rules.cards.mask, nil_rule_of(rules), 0)
    places = (*progress_of(table), *fixed, *table.bids, *table.played, *on_table)
    return np.array(places, dtype=np.int64)


@lean_kernel
def progress_at(position: Position) -> Progress:
    """The progress of the round at a start position."""
    return Progress(
        position[0], position[1] & 3, position[2], position[3],
        position[4] & 3, position[5], position[6], position[7],
    )  # fmt: skip


def round_values(observation: Observation) -> NDArray[np.int32]:
    """Points for N/S by the tricks of N, E and S, (14, 14, 14): the rewards of a search."""
    table = observation.table
    return evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))


@kernel
def value_of(rewards: NDArray, taken: Int) -> Int:
    """Points for N/S of a finished round; ``taken`` as in ``Progress``."""
    return np.int64(rewards[taken & 255, (taken >> 8) & 255, (taken >> 16) & 255])
