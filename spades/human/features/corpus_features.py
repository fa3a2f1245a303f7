"""A decision and each legal card as feature vectors, to be compared with a corpus of human play.

Source: Dobre and Lascarides 2015, section IV-C: a state is a vector of numeric features, abstract
rather than an exact description, and an action is the vector after it minus the vector before. The
paper doesn't list its features; these 64 are for Spades.

Only what the seat to play sees is used; seats are relative to it. The state after a card is the
table with that card on it; a fourth card ends the trick and adds it to its winner's. Suits are in
the order of ``order_suits`` *before* the card, so that equal situations in hearts and in clubs give
equal vectors.

Features are integers from 0 to 120. A card changes a few of them by 1 to 33 each, so none dominates
a cosine. Sums of products of integers this small are exact in float32 in any order: every machine
finds the same relevance. Unknown scores count as 0.

=======================  =====================================================================
features (how many)      a number of
=======================  =====================================================================
suits (4 x 8)            for spades, then the three side suits:
 ``held``                12 a card held, up to eight
 ``masters``             33 a card that no card out beats in its suit, up to three
 ``honours``             25 a card of the suit's four highest
 ``low``                 20 a card of the suit's five lowest
 ``ranks``               the ranks held, added: 1 the lowest card of the suit; at most 120
 ``out``                 7 a card that others hold, up to sixteen
 ``foes_void``           40 an opponent known to be void
 ``partner_void``        60 if partner is known to be void
``place`` (4)            50 for the own place in the trick: lead, second, third, last
``led`` (2)              20: spades are led; a side suit is
``ahead`` (3)            30: own card wins the trick so far; partner's; an opponent's
``rank_ahead``           30 times the rank of that card over the cards of its suit
``ruffed``               30: it is a spade and a side suit was led
``threats``              4 a card out that beats it in its suit, up to ten, while others play
``bid`` (4)              12 a trick bid, up to eight: own, partner, left, right
``wanted`` (2)           10 a trick that the contract needs, up to ten: own side, opponents
``pressure`` (2)         80 times that over the tricks left when the decision is taken, up to 80
``nil`` (4)              80 for a nil that is alive: own, partner, left, right
``over`` (2)             16 a trick above the contract, up to five: own side, opponents
``bags`` (2)             80 times the bags before the round over the bag limit
``score`` (2)            40 times the score before the round over the target, 0 to 40
``tricks_left``          6 a trick, the one under way included
``broken``               20: a spade has been played
=======================  =====================================================================
"""

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, SPADES, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_SUIT, beats
from spades.human.features.card_features import is_nil_alive
from spades.human.features.view import (
    NIL_TRICKS_ARE_BAGS,
    TABLE,
    VOIDS,
    View,
    bid_and_tricks,
    decision_at,
    view_of,
)

VERSION = 1
"""Version of the features; vectors of different versions can't be compared."""

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
# Places of the features: within a suit's eight, and in the whole vector.
HELD, MASTERS, HONOURS, LOW, RANKS, OUT, FOES_VOID, PARTNER_VOID = range(len(_SUIT_FEATURES))
PLACE = 4 * len(_SUIT_FEATURES)
LED = PLACE + 4
AHEAD = LED + 2
RANK_AHEAD = AHEAD + 3
RUFFED = RANK_AHEAD + 1
THREATS = RUFFED + 1
BID = THREATS + 1
WANTED = BID + 4
PRESSURE = WANTED + 2
NIL = PRESSURE + 2
OVER = NIL + 4
BAGS = OVER + 2
SCORE = BAGS + 2
TRICKS_LEFT = SCORE + 2
BROKEN = TRICKS_LEFT + 1
BEFORE = -1  # no card played yet

Features = NDArray[np.int8]


def standings_of(score: NDArray, bags: NDArray, limits: NDArray, seats: NDArray) -> NDArray:
    """The state of the game before each of n rounds, for its seat, (n, 6): own score and theirs,
    own bags and theirs, target, bag limit. ``score`` and ``bags`` (n, 2) by partnership; ``limits``
    (n, 2): target and bag limit."""
    own = seats[:, None] % 2
    sides = np.hstack([own, 1 - own])
    own_and_their_score = np.take_along_axis(score, sides, 1)
    own_and_their_bags = np.take_along_axis(bags, sides, 1)
    return np.hstack([own_and_their_score, own_and_their_bags, limits]).astype(np.int64)


def decision_features(observation: Observation) -> Features:
    """Vectors of the state and of the state after every legal card, int8 (1 + k, 64). Raises
    ``IllegalPlayError`` unless the seat is to play."""
    view = view_of(observation)
    rules = observation.rules
    score = observation.score_before or (0, 0)
    bags = observation.bags_before or (0, 0)
    limits = rules.target, rules.bag_limit
    standings = standings_of(
        np.array([score]), np.array([bags]), np.array([limits]), np.array([observation.seat])
    )
    out = np.empty((1 + HAND_SIZE, N_FEATURES), dtype=np.int8)
    n_cards = write_decision(view, standings[0], out)
    return out[: 1 + n_cards]


@kernel
def write_decision(view: View, standing: NDArray, out: NDArray) -> Int:
    """Write the state into ``out[0]`` and the state after the i-th legal card into ``out[1 + i]``;
    returns the number of cards. ``standing`` int64 (6,) of ``standings_of``, ``out`` int8 (14,
    64)."""
    suits = np.empty(4, dtype=np.int64)
    order_suits(view, suits)
    write_state(view, standing, suits, BEFORE, out[0])
    legal = decision_at(view).legal
    n = 0
    while legal:
        n += 1
        write_state(view, standing, suits, lowest(legal), out[n])
        legal &= legal - 1
    return n


@kernel
def order_suits(view: View, suits: NDArray) -> None:
    """Write the order of suits: spades, the suit led, then longer side suits before shorter and
    stronger before weaker."""
    hand = decision_at(view).hand
    led = decision_at(view).led_suit
    suits[0] = SPADES
    for suit in range(1, 4):
        i = suit
        while i > 1 and _comes_before(hand, led, suit, suits[i - 1]):
            suits[i] = suits[i - 1]
            i -= 1
        suits[i] = suit


@kernel
def _comes_before(hand: Int, led: Int, suit: Int, other: Int) -> bool:
    if suit == led or other == led:
        return suit == led
    cards = (hand >> (16 * suit)) & SPADES_MASK
    other_cards = (hand >> (16 * other)) & SPADES_MASK
    if popcount(cards) != popcount(other_cards):
        return popcount(cards) > popcount(other_cards)
    return bool(cards > other_cards)


@kernel
def write_state(view: View, standing: NDArray, suits: NDArray, card: Int, out: NDArray) -> None:
    """Write one vector: the state of the decision, or the state after ``card``."""
    decision = decision_at(view)
    hand = decision.hand
    led = decision.led_suit
    best = decision.best_card
    deck = decision.deck
    unseen = deck & ~(decision.played | hand)
    place = decision.turn_in_trick
    is_broken = decision.played & SPADES_MASK != 0
    ahead = np.int64(-1)
    for other in range(3):
        if best >= 0 and view[TABLE + other] == np.int64(1) << best:
            ahead = np.int64(other + 1)
    if card != BEFORE:
        hand ^= np.int64(1) << card
        is_broken |= card >> 4 == SPADES
        if led == NO_SUIT:
            led = np.int64(card >> 4)
        if best < 0 or beats(card, best):
            best = np.int64(card)
            ahead = np.int64(0)
    for i in range(4):
        shift = 16 * suits[i]
        _write_suit(hand >> shift, unseen >> shift, deck >> shift, out, 8 * i)
        voids = view[VOIDS] >> suits[i]  # bit 0: own, 4: left, 8: partner, 12: right
        left_is_void = voids >> 4 & 1
        partner_is_void = voids >> 8 & 1
        right_is_void = voids >> 12 & 1
        out[8 * i + FOES_VOID] = 40 * (left_is_void + right_is_void)
        out[8 * i + PARTNER_VOID] = 60 * partner_is_void
    _write_trick(place, (led, best, ahead), unseen, deck, out)
    ended = ahead if card != BEFORE and place == N_SEATS - 1 else np.int64(-1)
    _write_contract(view, standing, ended, out)
    out[BROKEN] = 20 * is_broken


@kernel
def _write_suit(held: Int, out_mask: Int, deck: Int, out: NDArray, at: Int) -> None:
    """Write the features of a suit's cards from place ``at`` on. The masks are shifted so that the
    suit has the lowest 16 bits."""
    held = held & SPADES_MASK
    out_mask = out_mask & SPADES_MASK
    deck = deck & SPADES_MASK
    n_held = popcount(held)
    ranks = 0
    left = held
    while left:
        ranks += lowest(left) + 1
        left &= left - 1
    n_masters = popcount(held >> (highest(out_mask) + 1)) if out_mask else n_held
    n_honours = popcount(held >> (popcount(deck) - 4))
    n_low = popcount(held & 31)
    n_out = popcount(out_mask)
    out[at + HELD] = 12 * min(n_held, 8)
    out[at + MASTERS] = 33 * min(n_masters, 3)
    out[at + HONOURS] = 25 * n_honours
    out[at + LOW] = 20 * n_low
    out[at + RANKS] = min(ranks, 120)
    out[at + OUT] = 7 * min(n_out, 16)


@kernel
def _write_trick(place: Int, trick: tuple, unseen: Int, deck: Int, out: NDArray) -> None:
    """Write the features of the trick so far. ``trick``: suit led, best card and the relative seat
    that played it; -1 before the lead."""
    led, best, ahead = trick
    out[PLACE:BID] = 0
    out[PLACE + place] = 50
    if led == SPADES:
        out[LED] = 20
    elif led >= 0:
        out[LED + 1] = 20
    if best < 0:
        return
    suit = best >> 4
    rank = best & 15
    if ahead == 0:  # own card
        out[AHEAD] = 30
    elif ahead == 2:  # partner's
        out[AHEAD + 1] = 30
    else:
        out[AHEAD + 2] = 30
    suit_size = popcount((deck >> (16 * suit)) & SPADES_MASK)
    out[RANK_AHEAD] = 30 * (rank + 1) // suit_size
    out[RUFFED] = 30 if suit == SPADES and led != SPADES else 0
    if place < N_SEATS - 1:
        above = ((unseen >> (16 * suit)) & SPADES_MASK) >> (rank + 1)
        out[THREATS] = 4 * min(popcount(above), 10)


@kernel
def _write_contract(view: View, standing: NDArray, ended: Int, out: NDArray) -> None:
    """Write the features of bids, tricks and the game. ``ended``: the relative seat that took the
    trick just ended, or -1."""
    decision = decision_at(view)
    tricks_left = HAND_SIZE - popcount(decision.played) // N_SEATS
    for side in range(2):  # 0: own seat and partner; 1: left and right
        contract = 0
        taken = 0
        for i in range(2):
            seat = side + 2 * i
            bid, tricks = bid_and_tricks(view, seat)
            tricks += seat == ended
            is_alive = is_nil_alive(bid, tricks, decision.nil_rule)
            contract += max(bid, 0)
            if bid != NIL_BID or decision.nil_rule != NIL_TRICKS_ARE_BAGS:
                taken += tricks
            out[BID + 2 * side + i] = 12 * min(max(bid, 0), 8)
            out[NIL + 2 * side + i] = 80 * is_alive
        wanted = max(contract - taken, 0)
        over = max(taken - contract, 0)
        out[WANTED + side] = 10 * min(wanted, 10)
        out[PRESSURE + side] = 80 * min(wanted, tricks_left) // tricks_left
        out[OVER + side] = 16 * min(over, 5)
        limit = standing[5]
        bags = min(max(standing[2 + side], 0), limit)
        out[BAGS + side] = 80 * bags // limit if limit else 0
        target = max(standing[4], 1)
        score = min(max(standing[side], 0), target)
        out[SCORE + side] = 40 * score // target
    out[TRICKS_LEFT] = 6 * tricks_left
