"""The 42 features of Devlin 2016: the 32 abstract moves and ten that look at the context.

A card's features are a bit mask, int64, bit f for feature f of ``FEATURES``; the ten are bits
32 to 41. Each of the ten belongs to some abstract moves and holds in some context, so that
``FEATURES_OF_MOVE[move] & active`` gives them, ``active`` worked out once a decision; three ask
about the card as well. The paper prints names and weights only: the readings are ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.core.rules import NIL_BID, NO_BID
from spades.human.features.abstract_moves import (
    BOSS,
    CATEGORIES,
    CATEGORY_OF_32,
    FOLLOW_DUCK,
    FOLLOW_STEAL,
    HIGHEST,
    LEAD_NON_SPADE,
    LEAD_SPADE,
    LOWEST,
    MOVE_68_OF,
    MOVES_32,
    N_MOVES,
    NO_FOLLOW,
    OTHER,
    POSITION_OF_32,
    SINGLE,
    TRUMP_DUCK,
    TRUMP_STEAL,
    beating_mask,
    boss_mask,
    move_of,
)
from spades.human.features.view import NIL_TRICKS_ARE_BAGS, NO_NIL, Decision

_LEADS = (LEAD_NON_SPADE, LEAD_SPADE)
_STEALS = (TRUMP_STEAL, FOLLOW_STEAL)
_DUCKS = (TRUMP_DUCK, FOLLOW_DUCK)
_NO_TRUMP_STEAL = tuple(c for c in range(len(CATEGORIES)) if c != TRUMP_STEAL)
_ANY = (BOSS, HIGHEST, LOWEST, OTHER, SINGLE)


class ContextFeature(NamedTuple):
    """One of the ten: the abstract moves it belongs to, and our reading of its name."""

    name: str
    categories: tuple[int, ...]
    positions: tuple[int, ...]
    reading: str


CONTEXT_FEATURES = (
    ContextFeature(
        "Steal lowest if last turn",
        _STEALS,
        (LOWEST,),
        "Follow or trump steal with the lowest card that does, as fourth to the trick. "
        "The only card that steals is a single, not a lowest.",
    ),
    ContextFeature(
        "Duck highest when needing tricks",
        _DUCKS,
        (HIGHEST,),
        "Follow or trump duck with the highest card that does, the partnership's contract not yet "
        "met. An own nil alive changes nothing: the partner still needs tricks.",
    ),
    ContextFeature(
        "Duck lowest when boss cards are in hand",
        _DUCKS,
        (LOWEST,),
        "Follow or trump duck with the lowest card that does, holding the highest card not yet "
        "played of any suit, legal now or not.",
    ),
    ContextFeature(
        "Did not trump steal",
        _NO_TRUMP_STEAL,
        _ANY,
        "A spade that beats the best card so far was legal and another card was played; on a "
        "spade lead, a lower spade.",
    ),
    ContextFeature(
        "No follow highest with potential boss",
        (NO_FOLLOW,),
        (HIGHEST,),
        "Discarding the highest card of a side suit when at most one higher one is not yet played.",
    ),
    ContextFeature(
        "Steal unwanted tricks",
        _STEALS,
        _ANY,
        "Follow or trump steal with the partnership's contract met or an own nil alive. A "
        "partner's nil, alive or failed, makes no trick unwanted.",
    ),
    ContextFeature(
        "No follow lowest when needing tricks",
        (NO_FOLLOW,),
        (LOWEST,),
        "Discarding the lowest of a side suit, the partnership's contract not yet met.",
    ),
    ContextFeature(
        "Lead with suit of smallest size",
        _LEADS,
        _ANY,
        "Leading from the shortest suit that may be led; of suits of equal length, any.",
    ),
    ContextFeature(
        "Follow duck highest for unwanted tricks",
        (FOLLOW_DUCK,),
        (HIGHEST,),
        "Following a side suit with the highest card that doesn't win, the partnership's contract "
        "met or an own nil alive.",
    ),
    ContextFeature(
        "Follow duck highest with a small value card",
        (FOLLOW_DUCK,),
        (HIGHEST,),
        "Following a side suit with the highest card that doesn't win, a ten or lower.",
    ),
)
FEATURES = MOVES_32 + tuple(feature.name for feature in CONTEXT_FEATURES)
N_FEATURES = len(FEATURES)

(
    STEAL_LOWEST_LAST,
    DUCK_HIGHEST_NEEDING,
    DUCK_LOWEST_WITH_BOSS,
    DID_NOT_TRUMP_STEAL,
    NO_FOLLOW_POTENTIAL_BOSS,
    STEAL_UNWANTED,
    NO_FOLLOW_LOWEST_NEEDING,
    LEAD_SMALLEST_SUIT,
    FOLLOW_DUCK_UNWANTED,
    FOLLOW_DUCK_SMALL,
) = (1 << (N_MOVES + i) for i in range(len(CONTEXT_FEATURES)))

_NEEDING = DUCK_HIGHEST_NEEDING | NO_FOLLOW_LOWEST_NEEDING
_UNWANTED = STEAL_UNWANTED | FOLLOW_DUCK_UNWANTED
_BY_CARD = NO_FOLLOW_POTENTIAL_BOSS | LEAD_SMALLEST_SUIT | FOLLOW_DUCK_SMALL
_ALWAYS = ((1 << N_MOVES) - 1) | _BY_CARD
_ABOVE_TEN = 4  # jack, queen, king, ace, in the side suits of every deck


def _features_of_move(move: int) -> int:
    category, position = CATEGORY_OF_32[move], POSITION_OF_32[move]
    return 1 << move | sum(
        1 << (N_MOVES + i)
        for i, feature in enumerate(CONTEXT_FEATURES)
        if category in feature.categories and position in feature.positions
    )


FEATURES_OF_MOVE = np.array([_features_of_move(move) for move in range(N_MOVES)], dtype=np.int64)
"""Features that a card of each of the 32 abstract moves can have, as masks, shape (32,)."""


@kernel
def tricks_needed(decision: Decision) -> Int:
    """Tricks that the own partnership lacks for its contract; 0 or less once it is met.

    The contract is the sum of the two bids; a nil adds 0, so that two nils are met from the start.
    Tricks of both seats count, except those of a failed nil where the rules make them bags. For
    bids that aren't both known see ``needs_tricks``.
    """
    counted = decision.own_tricks + decision.partner_tricks
    if decision.nil_rule == NIL_TRICKS_ARE_BAGS:
        if decision.own_bid == NIL_BID:
            counted -= decision.own_tricks
        if decision.partner_bid == NIL_BID:
            counted -= decision.partner_tricks
    return decision.own_bid + decision.partner_bid - counted


@kernel
def needs_tricks(decision: Decision) -> bool:
    """Whether the partnership's contract is not yet met; never where a bid is unknown."""
    knows_bids = decision.own_bid != NO_BID and decision.partner_bid != NO_BID
    return bool(knows_bids and tricks_needed(decision) > 0)


@kernel
def tricks_are_unwanted(decision: Decision) -> bool:
    """Whether the contract is met or the seat's own nil is alive.

    A nil is alive while the rules have nils and its bidder has no trick. The contract of unknown
    bids is never met.
    """
    own_nil = decision.nil_rule != NO_NIL and decision.own_bid == NIL_BID
    if own_nil and decision.own_tricks == 0:
        return True
    knows_bids = decision.own_bid != NO_BID and decision.partner_bid != NO_BID
    return bool(knows_bids and tricks_needed(decision) <= 0)


@kernel
def is_potential_boss(card: Int, unplayed: Int) -> bool:
    """Whether at most one higher card of the suit is not yet played; own cards count."""
    suit = np.int64(SPADES_MASK) << np.int64(card & ~15)
    return popcount(unplayed & suit & ~((np.int64(2) << np.int64(card)) - 1)) <= 1


@kernel
def is_of_smallest_suit(card: Int, legal: Int) -> bool:
    """Whether no suit that may be led has fewer cards than the card's."""
    size = popcount(legal & (np.int64(SPADES_MASK) << np.int64(card & ~15)))
    for suit in range(4):
        other = popcount(legal & (np.int64(SPADES_MASK) << np.int64(16 * suit)))
        if 0 < other < size:
            return False
    return True


@kernel
def is_small(card: Int, deck: Int) -> bool:
    """Whether a card of a side suit is a ten or lower, whichever cards the deck lacks below."""
    suit = deck & (np.int64(SPADES_MASK) << np.int64(card & ~15))
    return highest(suit) - card >= _ABOVE_TEN


@kernel
def context_of(decision: Decision) -> tuple[Int, Int, Int]:
    """What the cards of a decision share, as masks: (active features, beating, bosses).

    Active are the features whose context holds, before asking which card is played.
    """
    beating = beating_mask(decision.best_card)
    bosses = boss_mask(decision.deck & ~decision.played)
    active = np.int64(_ALWAYS)
    if decision.turn_in_trick == N_SEATS - 1:
        active |= STEAL_LOWEST_LAST
    if needs_tricks(decision):
        active |= _NEEDING
    if tricks_are_unwanted(decision):
        active |= _UNWANTED
    if decision.hand & bosses:
        active |= DUCK_LOWEST_WITH_BOSS
    if decision.legal & beating & SPADES_MASK:
        active |= DID_NOT_TRUMP_STEAL
    return active, beating, bosses


@kernel
def card_features(card: Int, decision: Decision, context: tuple[Int, Int, Int]) -> tuple[Int, Int]:
    """Abstract move, of the 32, and feature mask of a legal card; ``context`` of its decision."""
    active, beating, bosses = context
    move = move_of(card, decision.legal, decision.led_suit, beating, bosses)
    features = FEATURES_OF_MOVE[move] & active
    if features & _BY_CARD:
        unplayed = decision.deck & ~decision.played
        if features & NO_FOLLOW_POTENTIAL_BOSS and not is_potential_boss(card, unplayed):
            features ^= NO_FOLLOW_POTENTIAL_BOSS
        if features & LEAD_SMALLEST_SUIT and not is_of_smallest_suit(card, decision.legal):
            features ^= LEAD_SMALLEST_SUIT
        if features & FOLLOW_DUCK_SMALL and not is_small(card, decision.deck):
            features ^= FOLLOW_DUCK_SMALL
    return move, features


@kernel
def legal_features(decision: Decision, moves: NDArray, features: NDArray) -> Int:
    """Move (of the 68) and feature mask of every legal card, lowest code first; how many.

    ``moves`` int8 and ``features`` int64, at least as long as the hand.
    """
    context = context_of(decision)
    n, left = 0, decision.legal
    while left:
        card = lowest(left)
        move, features[n] = card_features(card, decision, context)
        moves[n] = MOVE_68_OF[move, card >> 4]
        left &= left - 1
        n += 1
    return n


@kernel
def legal_scores(decision: Decision, weights: NDArray, out: NDArray) -> Int:
    """Strength E of every legal card (Devlin 2016, equation 2), lowest code first; how many.

    ``weights`` (42,) and ``out``, both float64. For use inside a search: no array of features.
    """
    context = context_of(decision)
    n, left = 0, decision.legal
    while left:
        move, features = card_features(lowest(left), decision, context)
        strength = weights[move]
        features >>= N_MOVES
        while features:
            strength += weights[N_MOVES + lowest(features)]
            features &= features - 1
        out[n] = strength
        left &= left - 1
        n += 1
    return n


def unpack_features(features: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Masks of any shape as zeros and ones, shape (..., 42)."""
    bits = np.arange(N_FEATURES, dtype=np.int64)
    return (features[..., None] >> bits & 1).astype(np.uint8)


class NilFeature(NamedTuple):
    """One of the three and how we read it."""

    name: str
    reading: str


NIL_FEATURES = (
    NilFeature(
        "Own nil: taking the trick",
        "1 for a card that beats the best card so far, own nil alive; 0 for a lead.",
    ),
    NilFeature(
        "Own nil: high duck, low lead",
        "Own nil alive. Following or discarding without beating the best card: the card's rank. "
        "Leading: 1 - rank. 0 for a card that takes the trick.",
    ),
    NilFeature(
        "Partner's nil: covering high",
        "Partner's nil alive: the rank of a lead or of a card that beats the best card so far, "
        "whoever played that; 0 for any other card.",
    ),
)
NIL_FEATURE_NAMES = tuple(feature.name for feature in NIL_FEATURES)
TAKING, RANK, COVERING = (N_FEATURES + i for i in range(len(NIL_FEATURES)))


@kernel
def is_nil_alive(bid: Int, tricks: Int, nil_rule: Int) -> bool:
    """Whether a seat with this bid and these tricks still has its nil."""
    return bool(nil_rule != NO_NIL and bid == NIL_BID and tricks == 0)


@kernel
def rank_of(card: Int, deck: Int) -> float:
    """Strength of a card from 0, the lowest of its suit in the deck, to 1, the highest."""
    return (card & 15) / (highest(deck & (SPADES_MASK << (card & ~15))) & 15)


@kernel
def nil_strength(card: Int, decision: Decision, beating: Int, weights: NDArray) -> float:
    """What the three features add to the strength of a card, in nats; ``weights`` (45,)."""
    rank = rank_of(card, decision.deck)
    is_lead, takes = decision.led_suit < 0, beating >> card & 1
    strength = 0.0
    if is_nil_alive(decision.own_bid, decision.own_tricks, decision.nil_rule):
        if is_lead:
            strength += weights[RANK] * (1.0 - rank)
        elif takes:
            strength += weights[TAKING]
        else:
            strength += weights[RANK] * rank
    if (is_lead or takes) and is_nil_alive(
        decision.partner_bid, decision.partner_tricks, decision.nil_rule
    ):
        strength += weights[COVERING] * rank
    return strength


@kernel
def add_nil_strengths(decision: Decision, weights: NDArray, out: NDArray) -> None:
    """Add the three features to the strengths ``out`` of the legal cards, lowest code first."""
    nil_rule = decision.nil_rule
    if not (
        is_nil_alive(decision.own_bid, decision.own_tricks, nil_rule)
        or is_nil_alive(decision.partner_bid, decision.partner_tricks, nil_rule)
    ):
        return
    beating = beating_mask(decision.best_card)
    n, left = 0, decision.legal
    while left:
        out[n] += nil_strength(lowest(left), decision, beating, weights)
        left &= left - 1
        n += 1


@kernel
def legal_probabilities(decision: Decision, weights: NDArray, out: NDArray) -> Int:
    """Probability of every legal card, lowest code first, into ``out`` (float64); how many.

    ``weights`` (42,), or (45,) with those of the nil features.
    """
    n = legal_scores(decision, weights, out)
    if weights.size > N_FEATURES:
        add_nil_strengths(decision, weights, out)
    top = out[0]
    for i in range(1, n):
        if out[i] > top:
            top = out[i]
    total = 0.0
    for i in range(n):
        out[i] = math.exp(out[i] - top)
        total += out[i]
    for i in range(n):
        out[i] /= total
    return n
