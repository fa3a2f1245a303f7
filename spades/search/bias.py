"""Bias towards human play inside the search: how much a model's word counts in a node.

Two published ways (Devlin 2016; Baier 2018, IV-A), both in the selection of a node's children:

- *knowledge*: UCT(i) + C_BT sqrt(K / (n + K)) P(m_i), n the node's visits;
- *experience* (equivalent experience): child i counts as if it had been visited w times before,
  with mean P(m_i) on the scale where rewards are 0 to 1, and had been available m w times, m the
  legal cards at the node.

Once a node has had ``delay`` visits, the model is called as soon as its answer can matter: every
legal card has a child, there is more than one, and one of them lacks its P. Untried cards are
expanded at random whatever the model says, so calling it earlier would choose the same cards; the
calls counted here are thus fewer than one for every node visited twice. P is normalised over the
cards that were legal in the deal at hand. The mover of the root holds the same cards in every deal:
one call settles its nodes. Another seat's hand changes from deal to deal, and a card that wasn't
legal at the first call gets its P at the first deal where it is (the papers don't say).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.cards import HAND_SIZE, N_SEATS
from spades.errors import SpadesError
from spades.human.decision import nil_rule_of
from spades.human.prior import Prior, own_copy, prior_probabilities
from spades.human.view import (
    CARDS_PLAYED,
    N_VIEW,
    OTHER_BIDS,
    OTHER_TRICKS,
    TABLE,
    VOIDS,
    suits_in,
)
from spades.kernel import highest, kernel, lowest
from spades.observation import Observation
from spades.search.playouts import winning_card
from spades.search.tree import (
    ASKED,
    AVAILABILITY,
    MAX_DEPTH,
    MAX_ITERATIONS,
    NO_NODE,
    NO_SLOT,
    PRIOR,
    SLOT,
    VALUE,
    VISITS,
)

KNOWLEDGE, EXPERIENCE = "knowledge", "experience"
TECHNIQUES = (KNOWLEDGE, EXPERIENCE)
UNBIASED = "none"
ROOT_ONLY, NEVER = "root", "inf"
TESTED_DELAYS = ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000")
"""Those of Baier 2018, IV-C."""
MAX_W = 100_000
P_UNIT = 1 << 30  # P is kept in a node as a whole number of 2**-30
_P, _HALF = np.float32(1 / P_UNIT), np.float32(0.5)

# Columns of what a search knows of the table beyond its position: by seat, not relative.
_BIDS, _PLAYED, _VOIDS, _DECK, _NIL_RULE = 0, 4, 8, 9, 10
N_KNOWN = 11


class InvalidBiasError(SpadesError):
    """A bias that no search can have."""


@dataclass(frozen=True)
class BiasSettings:
    """How a search leans towards a human model, and which.

    ``technique``: one of :data:`TECHNIQUES`. ``model``: the name of the model, for the record; the
    search is given its numbers. ``c_bt``, ``k``: of knowledge bias, C_BT in rewards (0 to 1).
    ``w``: of equivalent experience, visits. ``delay``: visits that a node must have had before the
    model is called there, a whole number from 1, ``root`` for the root only, ``inf`` for never.
    """

    technique: str = KNOWLEDGE
    model: str = "devlin2016"
    c_bt: float = 0.03
    k: float = 1000.0
    w: int = 10
    delay: str = "1"

    def __post_init__(self) -> None:
        if self.technique not in TECHNIQUES:
            raise InvalidBiasError(
                f"unknown bias {self.technique!r}; {', '.join(TECHNIQUES)} are known"
            )
        if not 0 <= self.c_bt <= 1e6:
            raise InvalidBiasError(f"c_bt is {self.c_bt}; 0 to 1,000,000 are legal")
        if not 0 < self.k <= 1e9:
            raise InvalidBiasError(f"k is {self.k}; above 0, to 1,000,000,000, is legal")
        if not 0 <= self.w <= MAX_W:
            raise InvalidBiasError(f"w is {self.w}; 0 to {MAX_W:,} are legal")
        is_number = self.delay.isascii() and self.delay.isdigit()
        if self.delay not in (ROOT_ONLY, NEVER) and not (is_number and int(self.delay) >= 1):
            raise InvalidBiasError(
                f"delay is {self.delay!r}; a whole number from 1, {ROOT_ONLY} and {NEVER} are legal"
            )

    @property
    def visits(self) -> int:
        """Visits that each card starts with."""
        return self.w if self.technique == EXPERIENCE else 0

    def term(self, prior: float, *, n: int, visits: int, mean: float) -> float:
        """What the bias adds to the value of a card (0 to 1) in a node with ``n`` visits.

        ``mean``: the card's mean reward, 0 to 1, over ``visits``.
        """
        if self.technique == KNOWLEDGE:
            return self.c_bt * float(np.sqrt(self.k / (n + self.k))) * prior
        return self.w * (prior - mean) / (visits + self.w) if self.w else 0.0


class Bias(NamedTuple):
    """What the kernels need: the model, when it is called and how much it counts.

    ``known`` int64 (11,): see :func:`known_of`. ``knowledge`` float32: what P is multiplied by, by
    a node's visits. ``experience``: w, and w * c in points. ``delay``: visits before the model is
    called in a node; ``deepest``: cards from the root to the last node that is asked about.
    ``seen`` int64 (24,) and ``out`` float64 (13,): scratch.
    """

    prior: Prior
    known: NDArray[np.int64]
    knowledge: NDArray[np.float32]
    experience: tuple[int, np.float32]
    delay: int
    deepest: int
    seen: NDArray[np.int64]
    out: NDArray[np.float64]


def bias_of(
    settings: BiasSettings, prior: Prior, observation: Observation, room: int, reward_scale: float
) -> Bias:
    """A search's bias; ``room``: iterations that the tree has room for."""
    strength = settings.c_bt if settings.technique == KNOWLEDGE else 0.0
    asked_from = {ROOT_ONLY: 1, NEVER: MAX_ITERATIONS + 1}
    return Bias(
        prior=own_copy(prior),
        known=known_of(observation),
        knowledge=_knowledge_table(strength, settings.k, room),
        experience=(settings.visits, np.float32(settings.visits * reward_scale)),
        delay=asked_from.get(settings.delay) or min(int(settings.delay), MAX_ITERATIONS + 1),
        deepest=0 if settings.delay == ROOT_ONLY else MAX_DEPTH,
        seen=np.zeros(N_VIEW, dtype=np.int64),
        out=np.zeros(HAND_SIZE),
    )


@lru_cache(maxsize=16)
def _knowledge_table(c_bt: float, k: float, room: int) -> NDArray[np.float32]:
    """C_BT sqrt(K / (n + K)) for n = 0 .. room + 1."""
    table = (c_bt * np.sqrt(k / (np.arange(room + 2) + k))).astype(np.float32)
    table.setflags(write=False)
    return table


def known_of(observation: Observation) -> NDArray[np.int64]:
    """What models are told beyond the position, by seat: bids, cards played, suits shown out of."""
    table = observation.table
    known = np.zeros(N_KNOWN, dtype=np.int64)
    known[_BIDS : _BIDS + N_SEATS] = table.bids
    played, voids = [0] * N_SEATS, 0
    for seat, card in zip(table.seats, table.plays, strict=True):
        played[seat] |= 1 << card
    for seat, void in enumerate(table.voids):
        if void:
            voids |= suits_in(void) << (4 * seat)
    known[_PLAYED : _PLAYED + N_SEATS] = played
    known[_VOIDS] = voids
    known[_DECK] = observation.rules.cards.mask
    known[_NIL_RULE] = nil_rule_of(observation.rules)
    return known


@kernel
def fill_view(view, known, deal, hands, on_table, table):
    """Write what the seat to play sees in a node into ``view`` (24,).

    ``deal``, ``hands`` (4,): cards at the root and now. ``table``: trick, led mask, cards in the
    trick, seat to play, legal cards, packed tricks, voids shown since the root.
    """
    trick, led, n_played, turn, legal, taken, voids = table
    left, partner, right = (turn + 1) & 3, (turn + 2) & 3, (turn + 3) & 3
    view[0], view[1] = hands[turn], legal
    view[2] = lowest(led) >> 4 if n_played else -1
    view[3] = highest(winning_card(trick, led)) if n_played else -1
    view[4] = known[_DECK] & ~(hands[0] | hands[1] | hands[2] | hands[3])
    view[5], view[6] = known[_DECK], n_played
    view[7], view[8] = known[_BIDS + turn], known[_BIDS + partner]
    view[9], view[10] = (taken >> (turn << 3)) & 255, (taken >> (partner << 3)) & 255
    view[11] = known[_NIL_RULE]
    view[OTHER_BIDS], view[OTHER_BIDS + 1] = known[_BIDS + left], known[_BIDS + right]
    view[OTHER_TRICKS] = (taken >> (left << 3)) & 255
    view[OTHER_TRICKS + 1] = (taken >> (right << 3)) & 255
    for i in range(N_SEATS):
        seat = (turn + i) & 3
        if i:
            view[TABLE + i - 1] = on_table[seat] & trick
        view[CARDS_PLAYED + i] = known[_PLAYED + seat] | (deal[seat] & ~hands[seat])
    shown = known[_VOIDS] | voids
    view[VOIDS] = ((shown >> (turn << 2)) | (shown << (16 - (turn << 2)))) & 0xFFFF


@kernel
def select_biased(nodes, children, node, legal, scales, strength):
    """Best card (code) by the biased score, the legal cards not tried yet, and whether the model
    has to be called first; then :func:`ask_model` and select anew.

    Every legal child gains one availability. ``strength``: what P is multiplied by in this node;
    the visits that it counts for, and those times c.
    """
    best, top, untried, lacks = np.int64(0), np.float32(-np.inf), np.int64(0), False
    slot = np.uintp(nodes[node, SLOT])
    if slot == NO_SLOT:
        return best, legal, False
    several = legal & (legal - 1) != 0
    knowledge, w, w_points = strength
    while legal:
        code = lowest(legal)
        child = np.uintp(children[slot, np.uintp(code)])
        if child == NO_NODE:
            untried |= np.int64(1) << code
        else:
            nodes[child, AVAILABILITY] += 1
            lacks |= nodes[child, ASKED] == 0
            p = np.float32(nodes[child, PRIOR]) * _P
            visits = np.uintp(nodes[child, VISITS] + w)
            available = np.uintp(nodes[child, AVAILABILITY] + nodes[child, ASKED] * w)
            points = np.float32(nodes[child, VALUE]) + (p - _HALF) * w_points
            score = points * scales[0, visits]
            score += scales[1, available] * scales[2, visits]
            score += knowledge * p
            if score > top:
                top, best = score, code
        legal &= legal - 1
    return best, untried, lacks and several and untried == 0


@kernel
def ask_model(nodes, children, node, bias):
    """Call the model about the node's legal cards, by the view that was filled in.

    Those that lack it get their P; all lose the availability that the selection before gave them.
    """
    slot = np.uintp(nodes[node, SLOT])
    n = prior_probabilities(bias.prior, bias.seen, bias.out)
    left = bias.seen[1]
    for i in range(n):
        child = np.uintp(children[slot, np.uintp(lowest(left))])
        nodes[child, AVAILABILITY] -= 1
        if nodes[child, ASKED] == 0:
            nodes[child, ASKED] = n
            nodes[child, PRIOR] = np.int32(bias.out[i] * P_UNIT)
        left &= left - 1
