"""A decision and each legal card as vectors of numbers, for comparison with what humans did.

Source: Dobre and Lascarides 2015, section IV-C: a state is a vector of numeric features, abstract
ones rather than an exact description, and an action is the vector after it less the vector before.
The paper lists no features and doesn't say how many it has; these 64 are for Spades.

Only what the seat to play sees goes in: its view and the game's score. Seats are relative to it.
The state after a card is the table with that card on it, before anybody else plays; a fourth card
ends the trick, whose winner has then one trick more. Suits are told by the part they play: spades,
then the side suits in the order that ``order_suits`` gives them *before* the card, so that
equal situations in hearts and in clubs are equal vectors.

Features are whole numbers from 0 to 120, most of them up to 100: what each counts is in the table.
A card changes a handful of them by 1 to 33 each, so that none dominates a cosine. Products of whole
numbers this small are exact in float32, in any order: every machine finds the same relevance.

=======================  =====================================================================
features (how many)      a number of
=======================  =====================================================================
suits (4 x 8)            for spades, then three side suits:
 ``held``                12 a card held, up to eight
 ``masters``             33 a card that no card out beats in its suit, up to three
 ``honours``             25 a card of the suit's four highest
 ``low``                 20 a card of the suit's five lowest
 ``ranks``               the ranks held, added: 1 the lowest card of the suit; at most 120
 ``out``                 7 a card that others hold, up to sixteen
 ``foes_void``           40 an opponent that has shown out
 ``partner_void``        60 if partner has
``place`` (4)            50 for the own place in the trick: lead, second, third, last
``led`` (2)              20: spades are led; a side suit is
``ahead`` (3)            30: own card wins the trick so far; partner's; an opponent's
``rank_ahead``           30 times the rank of that card over the cards of its suit
``ruffed``               30: it is a spade and a side suit was led
``threats``              4 a card out that beats it in its suit, up to ten, while others play
``bid`` (4)              12 a trick bid, up to eight: own, partner, left, right
``wanted`` (2)           10 a trick that the contract lacks, up to ten: own side, opponents
``pressure`` (2)         80 times that over the tricks left when the decision is taken, up to 80
``nil`` (4)              80 for a nil that is alive: own, partner, left, right
``over`` (2)             16 a trick above the contract, up to five: own side, opponents
``bags`` (2)             80 times the bags before the round over the bag limit
``score`` (2)            40 times the score before the round over the target, 0 to 40
``tricks_left``          6 a trick, the one under way included
``broken``               20: a spade has been played
=======================  =====================================================================

Scores that aren't known count as 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.core.observation import Observation, Pair
from spades.core.rules import NIL_BID, NO_SUIT, Rules, beats
from spades.human.features.view import (
    NIL_TRICKS_ARE_BAGS,
    NO_NIL,
    OTHER_BIDS,
    OTHER_TRICKS,
    TABLE,
    VOIDS,
    view_of,
)

VERSION = 1
"""Of the features; vectors of another version can't be compared with these."""

_SUIT_FEATURES = (
    "held", "masters", "honours", "low", "ranks", "out", "foes_void", "partner_void",
)  # fmt: skip
_SUITS = ("spades", "first", "second", "third")
_SEATS = ("own", "partner", "left", "right")
_SIDES = ("own", "their")
NAMES: tuple[str, ...] = (
    *(f"{suit}_{name}" for suit in _SUITS for name in _SUIT_FEATURES),
    "place_lead", "place_second", "place_third", "place_last",
    "led_spades", "led_side_suit",
    "ahead_own", "ahead_partner", "ahead_opponent", "rank_ahead", "ruffed", "threats",
    *(f"bid_{seat}" for seat in _SEATS),
    *(f"wanted_{side}" for side in _SIDES),
    *(f"pressure_{side}" for side in _SIDES),
    *(f"nil_{seat}" for seat in _SEATS),
    *(f"{name}_{side}" for name in ("over", "bags", "score") for side in _SIDES),
    "tricks_left", "broken",
)  # fmt: skip
N_FEATURES = len(NAMES)
TRICK = 4 * len(_SUIT_FEATURES)
CONTRACT = TRICK + 12
N_STANDING = 6
BEFORE = -1  # no card played yet

Features = NDArray[np.int8]


def standing_of(rules: Rules, score: Pair | None, bags: Pair | None, seat: int) -> list[int]:
    """The game when the round began, from a seat's side: own score and theirs, own bags and
    theirs, target, bag limit."""
    own, their = seat % 2, 1 - seat % 2
    points, counted = score or (0, 0), bags or (0, 0)
    return [
        points[own], points[their], counted[own], counted[their], rules.target, rules.bag_limit,
    ]  # fmt: skip


def decision_features(observation: Observation) -> Features:
    """Vectors of the state and of the state after every legal card, int8 (1 + k, 64).

    Raises ``IllegalPlayError`` unless the seat is to play.
    """
    view = view_of(observation)
    standing = standing_of(
        observation.rules, observation.score_before, observation.bags_before, observation.seat
    )
    out = np.empty((1 + HAND_SIZE, N_FEATURES), dtype=np.int8)
    n = write_decision(view, np.array(standing, dtype=np.int64), out)
    return out[: 1 + n]


@kernel
def write_decision(view: NDArray, standing: NDArray, out: NDArray) -> Int:
    """The state into ``out[0]``, that after the i-th legal card into ``out[1 + i]``; how many.

    ``view`` int64 (24,) of ``spades.human.features.view``, ``standing`` int64 (6,) of
    ``standing_of``, ``out`` int8 (14, 64).
    """
    suits = np.empty(4, dtype=np.int64)
    order_suits(view, suits)
    write_state(view, standing, suits, BEFORE, out[0])
    legal, n = view[1], 0
    while legal:
        card = lowest(legal)
        legal ^= np.int64(1) << card
        n += 1
        write_state(view, standing, suits, card, out[n])
    return n


@kernel
def order_suits(view: NDArray, suits: NDArray) -> None:
    """Spades, then side suits: the suit led, then longer before shorter, stronger before weaker."""
    hand, led = view[0], view[2]
    suits[0] = SPADES
    n = 1
    for suit in range(1, 4):
        i = n
        while i > 1 and _comes_before(hand, led, suit, suits[i - 1]):
            suits[i] = suits[i - 1]
            i -= 1
        suits[i] = suit
        n += 1


@kernel
def _comes_before(hand: Int, led: Int, suit: Int, other: Int) -> bool:
    if suit == led or other == led:
        return suit == led
    mine = (hand >> (16 * suit)) & SPADES_MASK
    theirs = (hand >> (16 * other)) & SPADES_MASK
    if popcount(mine) != popcount(theirs):
        return popcount(mine) > popcount(theirs)
    return bool(mine > theirs)


@kernel
def write_state(view: NDArray, standing: NDArray, suits: NDArray, card: Int, out: NDArray) -> None:
    """One vector: the decision's state, or that after ``card`` is on the table."""
    hand, led, best, played = view[0], view[2], view[3], view[4]
    unseen = view[5] & ~(played | hand)
    ahead = _seat_ahead(view)
    if card != BEFORE:
        hand ^= np.int64(1) << card
        played |= np.int64(1) << card
        if led == NO_SUIT:
            led = np.int64(card >> 4)
        if best < 0 or beats(card, best):
            best, ahead = np.int64(card), np.int64(0)
    for slot in range(4):
        shift = 16 * suits[slot]
        _write_suit(hand >> shift, unseen >> shift, view[5] >> shift, out, 8 * slot)
        _write_voids(view[VOIDS], suits[slot], out, 8 * slot + 6)
    _write_trick(view[6], (led, best, ahead), unseen, view[5], out)
    ended = ahead if card != BEFORE and view[6] == N_SEATS - 1 else np.int64(-1)
    _write_contract(view, standing, ended, played & SPADES_MASK != 0, out)


@kernel
def _seat_ahead(view: NDArray) -> Int:
    """Relative seat whose card wins the trick so far, -1 before the lead."""
    for other in range(3):
        if view[3] >= 0 and view[TABLE + other] == np.int64(1) << view[3]:
            return np.int64(other + 1)
    return np.int64(-1)


@kernel
def _write_suit(held: Int, out_mask: Int, deck: Int, out: NDArray, at: Int) -> None:
    """A suit's cards; all three masks are shifted so that the suit has the lowest 16 bits."""
    held, out_mask, deck = held & SPADES_MASK, out_mask & SPADES_MASK, deck & SPADES_MASK
    n_ranks = popcount(deck)
    n_held, n_out = popcount(held), popcount(out_mask)
    masters = popcount(held >> (highest(out_mask) + 1)) if out_mask else n_held
    honours = popcount(held >> (n_ranks - 4))
    ranks, left = 0, held
    while left:
        ranks += lowest(left) + 1
        left &= left - 1
    out[at] = 12 * min(n_held, 8)
    out[at + 1] = 33 * min(masters, 3)
    out[at + 2] = 25 * honours
    out[at + 3] = 20 * popcount(held & 31)
    out[at + 4] = min(ranks, 120)
    out[at + 5] = 7 * min(n_out, 16)


@kernel
def _write_voids(voids: Int, suit: Int, out: NDArray, at: Int) -> None:
    left, right = (voids >> (4 + suit)) & 1, (voids >> (12 + suit)) & 1
    out[at] = 40 * (left + right)
    out[at + 1] = 60 * ((voids >> (8 + suit)) & 1)


@kernel
def _write_trick(
    place: Int, trick: tuple[Int, Int, Int], unseen: Int, deck: Int, out: NDArray
) -> None:
    """The trick so far; ``trick``: suit led, best card and the relative seat that played it."""
    (led, best, ahead), at = trick, TRICK
    for i in range(12):
        out[at + i] = 0
    out[at + place] = 50
    if led >= 0:
        out[at + 4 + (led != SPADES)] = 20
    if best < 0:
        return
    suit, rank = best >> 4, best & 15
    out[at + 6 + (0 if ahead == 0 else 1 if ahead == 2 else 2)] = 30
    out[at + 9] = 30 * (rank + 1) // popcount((deck >> (16 * suit)) & SPADES_MASK)
    out[at + 10] = 30 if suit == SPADES and led != SPADES else 0
    if place < N_SEATS - 1:
        above = ((unseen >> (16 * suit)) & SPADES_MASK) >> (rank + 1)
        out[at + 11] = 4 * min(popcount(above), 10)


@kernel
def _write_contract(
    view: NDArray, standing: NDArray, ended: Int, is_broken: bool, out: NDArray
) -> None:
    """Bids, tricks and the game; ``ended``: the seat that took the trick just ended, or -1."""
    at, tricks_left = CONTRACT, HAND_SIZE - popcount(view[4]) // N_SEATS
    for side in range(2):  # own side: own seat and partner; theirs: left and right
        seat_a, seat_b = (0, 2) if side == 0 else (1, 3)
        contract, taken = 0, 0
        for i in range(2):
            seat = seat_a if i == 0 else seat_b
            bid, tricks = _bid_and_tricks(view, seat)
            tricks += seat == ended
            is_nil = bid == NIL_BID and view[11] != NO_NIL
            contract += max(bid, 0)
            if not (is_nil and view[11] == NIL_TRICKS_ARE_BAGS):
                taken += tricks
            out[at + 2 * side + i] = 12 * min(max(bid, 0), 8)
            out[at + 8 + 2 * side + i] = 80 * (is_nil and tricks == 0)
        wanted = max(contract - taken, 0)
        out[at + 4 + side] = 10 * min(wanted, 10)
        out[at + 6 + side] = 80 * min(wanted, tricks_left) // tricks_left
        out[at + 12 + side] = 16 * min(max(taken - contract, 0), 5)
        bags, limit = standing[2 + side], standing[5]
        out[at + 14 + side] = 80 * min(max(bags, 0), limit) // limit if limit else 0
        target = max(standing[4], 1)
        out[at + 16 + side] = 40 * min(max(standing[side], 0), target) // target
    out[at + 18] = 6 * tricks_left
    out[at + 19] = 20 * is_broken


@kernel
def _bid_and_tricks(view: NDArray, seat: Int) -> tuple[Int, Int]:
    """Of a relative seat; the bid is -1 where unknown."""
    if seat & 1:
        return np.int64(view[OTHER_BIDS + seat // 2]), np.int64(view[OTHER_TRICKS + seat // 2])
    return np.int64(view[7 + seat // 2]), np.int64(view[9 + seat // 2])
