"""The search tree and the position that a search starts from, as arrays.

A node is one row of int32, so that a child is judged from one cache line:

=============  ===============================================================================
column         meaning
=============  ===============================================================================
SLOT           row of ``children`` that lists its children (0: none yet)
VISITS         n: iterations that passed through
AVAILABILITY   n_avail: iterations that visited the parent while the card was legal
VALUE          sum of rewards in points, from the view of the partnership that played the card
TEAM           partnership that played the card
PRIOR          P that a human plays the card, the bits of a float32 (searches with a bias)
ASKED          legal cards when the model was called for that P (0: not called)
=============  ===============================================================================

``children[slot, card code]`` is the child node that a card leads to (0: not tried yet; the root is
node 0 and nobody's child). The legal cards of a suit stand side by side there, so a visit looks at
the legal cards alone and not at every card that some other deal made legal.

``asked[slot]`` is a mask of the children whose P is known.

The arrays are allocated once, with one node an iteration. Rewards are whole points, so sums are
exact: at most 1,000,000 iterations of at most 1,073 points fit in 32 bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, suit_mask, suit_of
from spades.core.observation import Observation
from spades.core.rules import NIL_BID
from spades.human.features.view import nil_rule_of, suits_in

SLOT, VISITS, AVAILABILITY, VALUE, TEAM, PRIOR, ASKED = range(7)
N_COLUMNS = 8
ROOT = 0
NO_NODE = 0
NO_SLOT, ROOT_SLOT = 0, 1
N_CODES = 64
MAX_ITERATIONS = 1_000_000
MAX_DEPTH = 52

# Places in the start position, an int64 vector; the last of the first line and the first two of the
# second have an entry a seat.
LEADER, TURN, N_PLAYED, LED_MASK, MAY_LEAD, TRICKS_LEFT, TAKEN, NILS, TABLE_CARDS = range(9)
BIDS, PLAYED, VOIDS_SHOWN, DECK, NIL_RULE = 12, 16, 20, 21, 22
TAKEN_BITS = 8  # tricks taken are packed, 8 bits a seat

Position = NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """``nodes`` (room, 8) and ``children`` (room, 64) int32, ``asked`` (room,) int64.

    ``used``: how much of both is in use, and how often a model was called.
    """

    nodes: NDArray[np.int32]
    children: NDArray[np.int32]
    asked: NDArray[np.int64]
    used: NDArray[np.int64]

    @classmethod
    def with_room(cls, iterations: int) -> Tree:
        nodes = np.zeros((iterations + 1, N_COLUMNS), dtype=np.int32)
        children = np.empty((iterations + 2, N_CODES), dtype=np.int32)
        children[: ROOT_SLOT + 1] = NO_NODE
        asked = np.empty(iterations + 2, dtype=np.int64)
        asked[: ROOT_SLOT + 1] = 0
        nodes[ROOT, SLOT] = ROOT_SLOT
        return cls(nodes, children, asked, np.array([1, ROOT_SLOT + 1, 0]))

    @property
    def room(self) -> int:
        """Iterations that fit."""
        return len(self.nodes) - 1

    def enlarged(self, iterations: int) -> Tree:
        """A copy with more room."""
        tree = Tree.with_room(iterations)
        n_nodes, n_slots, _ = self.used
        tree.nodes[:n_nodes] = self.nodes[:n_nodes]
        tree.children[:n_slots] = self.children[:n_slots]
        tree.asked[:n_slots] = self.asked[:n_slots]
        tree.used[:] = self.used
        return tree


def start_position(observation: Observation) -> Position:
    """What the kernels need to know of the table, shape (23,).

    ``TABLE_CARDS``: the cards on the table as one-card masks by seat (0: none). ``NILS`` holds a
    bit a seat for nil bidders, ``TAKEN`` the tricks taken, packed. ``PLAYED``: masks by seat;
    ``VOIDS_SHOWN`` as of ``voids_of``; ``DECK`` is a mask.
    """
    table = observation.table
    rules, trick, leader = table.rules, table.trick, table.leader
    on_table, led = [0] * N_SEATS, 0
    for i, card in enumerate(trick):
        on_table[(leader + i) % N_SEATS] = 1 << card
        led = led or suit_mask(suit_of(card))
    north, east, south, west = table.tricks_taken
    taken = north | east << TAKEN_BITS | south << 2 * TAKEN_BITS | west << 3 * TAKEN_BITS
    nils = 0
    if rules.nil is not None and NIL_BID in table.bids:
        nils = sum(1 << seat for seat, bid in enumerate(table.bids) if bid == NIL_BID)
    return np.array(
        [
            leader, (leader + len(trick)) % N_SEATS, len(trick), led, table.may_lead_spades,
            HAND_SIZE - len(table.winners), taken, nils, *on_table, *table.bids, *table.played,
            voids_of(observation), rules.cards.mask, nil_rule_of(rules),
        ],
        dtype=np.int64,
    )  # fmt: skip


def voids_of(observation: Observation) -> int:
    """Suits shown out of, bit ``4 * seat + suit``."""
    shown = 0
    for seat, void in enumerate(observation.table.voids):
        if void:
            shown |= suits_in(void) << (N_SEATS * seat)
    return shown
