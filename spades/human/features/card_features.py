"""The 42 features of Devlin 2016: the 32 abstract moves and ten features of the context.

A card's features are a bit mask, int64, bit f for feature f of ``FEATURES``; the context features
are bits 32 to 41. Each of them belongs to some abstract moves and is active in some contexts, so
that ``FEATURES_OF_MOVE[move] & active`` gives them, with ``active`` computed once per decision;
three also depend on the card. The paper prints only names and weights: the readings are ours.
"""

import math
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS, SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest, popcount
from spades.core.rules import NIL_BID, NO_BID
from spades.human.features.abstract_moves import (
    MOVES_32,
    N_MOVES,
    beating_mask,
    boss_mask,
    move_of,
    suit_cards,
)
from spades.human.features.view import NIL_TRICKS_ARE_BAGS, NO_NIL, DecisionFields


class ContextFeature(NamedTuple):
    """One of the ten. ``moves``: a pattern of the names of the abstract moves that it belongs to;
    ``reading``: our definition of it."""

    name: str
    moves: str
    reading: str


CONTEXT_FEATURES = (
    ContextFeature("Steal lowest if last turn", ".* steal lowest",
        "Follow or trump steal with the lowest card that does, as fourth to the trick. "
        "The only card that steals is a single, not a lowest."),
    ContextFeature("Duck highest when needing tricks", ".* duck highest",
        "Follow or trump duck with the highest card that does, the partnership's contract not yet "
        "met. An own nil alive changes nothing: the partner still needs tricks."),
    ContextFeature("Duck lowest when boss cards are in hand", ".* duck lowest",
        "Follow or trump duck with the lowest card that does, holding the highest card not yet "
        "played of any suit, legal now or not."),
    ContextFeature("Did not trump steal", "(?!Trump steal).*",
        "A spade that beats the best card so far was legal and another card was played; on a "
        "spade lead, a lower spade."),
    ContextFeature("No follow highest with potential boss", "No follow highest",
        "Discarding the highest card of a side suit when at most one higher one is not yet "
        "played."),
    ContextFeature("Steal unwanted tricks", ".* steal .*",
        "Follow or trump steal with the partnership's contract met or an own nil alive. A "
        "partner's nil, alive or failed, makes no trick unwanted."),
    ContextFeature("No follow lowest when needing tricks", "No follow lowest",
        "Discarding the lowest of a side suit, the partnership's contract not yet met."),
    ContextFeature("Lead with suit of smallest size", "Lead .*",
        "Leading from the shortest suit that may be led; of suits of equal length, any."),
    ContextFeature("Follow duck highest for unwanted tricks", "Follow duck highest",
        "Following a side suit with the highest card that doesn't win, the partnership's contract "
        "met or an own nil alive."),
    ContextFeature("Follow duck highest with a small value card", "Follow duck highest",
        "Following a side suit with the highest card that doesn't win, a ten or lower."),
)  # fmt: skip
FEATURES = MOVES_32 + tuple(feature.name for feature in CONTEXT_FEATURES)
N_FEATURES = len(FEATURES)
NIL_FEATURE_NAMES = (
    "Own nil: taking the trick", "Own nil: high duck, low lead", "Partner's nil: covering high",
)  # fmt: skip
"""Three features of ours, while a nil is alive; rank is 0 for the lowest card of a suit, 1 for the
highest.

Taking: 1 for a card that beats the best card so far. Ducking: rank of any other card, 1 - rank of a
lead. Covering: rank of a lead or of a card that beats the best card so far, whoever played that.
"""
TAKING = N_FEATURES
RANK = N_FEATURES + 1
COVERING = N_FEATURES + 2

(
    STEAL_LOWEST_LAST, DUCK_HIGHEST_NEEDING, DUCK_LOWEST_WITH_BOSS, DID_NOT_TRUMP_STEAL,
    NO_FOLLOW_POTENTIAL_BOSS, STEAL_UNWANTED, NO_FOLLOW_LOWEST_NEEDING, LEAD_SMALLEST_SUIT,
    FOLLOW_DUCK_UNWANTED, FOLLOW_DUCK_SMALL,
) = (1 << (N_MOVES + i) for i in range(len(CONTEXT_FEATURES)))  # fmt: skip

_NEEDING = DUCK_HIGHEST_NEEDING | NO_FOLLOW_LOWEST_NEEDING
_UNWANTED = STEAL_UNWANTED | FOLLOW_DUCK_UNWANTED
_BY_CARD = NO_FOLLOW_POTENTIAL_BOSS | LEAD_SMALLEST_SUIT | FOLLOW_DUCK_SMALL
_ALWAYS = ((1 << N_MOVES) - 1) | _BY_CARD
_ABOVE_TEN = 4  # jack, queen, king, ace, in the side suits of every deck


def _features_of_move(move: int) -> int:
    features = 1 << move
    for i, feature in enumerate(CONTEXT_FEATURES):
        if re.fullmatch(feature.moves, MOVES_32[move]):
            features |= 1 << (N_MOVES + i)
    return features


FEATURES_OF_MOVE = np.array([_features_of_move(move) for move in range(N_MOVES)], dtype=np.int64)
"""Mask of the features that a card of each of the 32 abstract moves can have, (32,)."""


@kernel
def tricks_needed(decision: DecisionFields) -> Int:
    """Tricks that the own partnership still needs for its contract, both bids known; 0 or less once
    it is made. The contract is the sum of the two bids; a nil adds 0, so two nils are made from the
    start. Tricks of both seats count, except those of a failed nil that the rules make bags."""
    counted = decision.own_tricks + decision.partner_tricks
    if decision.nil_rule == NIL_TRICKS_ARE_BAGS:
        if decision.own_bid == NIL_BID:
            counted -= decision.own_tricks
        if decision.partner_bid == NIL_BID:
            counted -= decision.partner_tricks
    return decision.own_bid + decision.partner_bid - counted


@kernel
def is_nil_alive(bid: Int, tricks: Int, nil_rule: Int) -> bool:
    return bool(nil_rule != NO_NIL and bid == NIL_BID and tricks == 0)


@kernel
def is_potential_boss(card: Int, unplayed: Int) -> bool:
    """Whether at most one higher card of the suit is not yet played; own cards count."""
    higher = suit_cards(unplayed, card >> 4) & ~((np.int64(2) << np.int64(card)) - 1)
    return popcount(higher) <= 1


@kernel
def is_of_smallest_suit(card: Int, legal: Int) -> bool:
    """Whether no suit that may be led has fewer cards than the card's."""
    size = popcount(suit_cards(legal, card >> 4))
    for suit in range(4):
        n = popcount(suit_cards(legal, suit))
        if 0 < n < size:
            return False
    return True


@kernel
def is_small(card: Int, deck: Int) -> bool:
    """Whether a card of a side suit is a ten or lower, whichever cards the deck lacks below."""
    return highest(suit_cards(deck, card >> 4)) - card >= _ABOVE_TEN


@kernel
def context_of(decision: DecisionFields) -> tuple[Int, Int, Int]:
    """What the cards of a decision share, masks: (active features, beating, bosses). A feature is
    active if its context holds, whichever card is played. With unknown bids the contract is neither
    open nor made."""
    beating = beating_mask(decision.best_card)
    bosses = boss_mask(decision.deck & ~decision.played)
    knows_bids = decision.own_bid != NO_BID and decision.partner_bid != NO_BID
    is_own_nil = is_nil_alive(decision.own_bid, decision.own_tricks, decision.nil_rule)
    needed = tricks_needed(decision)
    active = np.int64(_ALWAYS)
    if decision.turn_in_trick == N_SEATS - 1:
        active |= STEAL_LOWEST_LAST
    if knows_bids and needed > 0:
        active |= _NEEDING
    if is_own_nil or (knows_bids and needed <= 0):
        active |= _UNWANTED
    if decision.hand & bosses:
        active |= DUCK_LOWEST_WITH_BOSS
    if decision.legal & beating & SPADES_MASK:
        active |= DID_NOT_TRUMP_STEAL
    return active, beating, bosses


@kernel
def card_features(
    card: Int, decision: DecisionFields, context: tuple[Int, Int, Int]
) -> tuple[Int, Int]:
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
def rank_of(card: Int, deck: Int) -> float:
    """Strength of a card from 0, the lowest of its suit in the deck, to 1, the highest."""
    return (card & 15) / (highest(suit_cards(deck, card >> 4)) & 15)


@kernel
def nil_strength(card: Int, decision: DecisionFields, beating: Int, weights: NDArray) -> float:
    """What the three nil features add to the strength of a card, nats; ``weights`` (45,)."""
    rank = rank_of(card, decision.deck)
    nil_rule = decision.nil_rule
    is_lead = decision.led_suit < 0
    takes = beating >> card & 1
    strength = 0.0
    if is_nil_alive(decision.own_bid, decision.own_tricks, nil_rule):
        if is_lead:
            strength += weights[RANK] * (1.0 - rank)
        elif takes:
            strength += weights[TAKING]
        else:
            strength += weights[RANK] * rank
    is_partner_nil = is_nil_alive(decision.partner_bid, decision.partner_tricks, nil_rule)
    if (is_lead or takes) and is_partner_nil:
        strength += weights[COVERING] * rank
    return strength


@kernel
def legal_strengths(decision: DecisionFields, weights: NDArray, out: NDArray) -> Int:
    """Write the strength E (Devlin 2016, equation 2) of every legal card into ``out``, lowest code
    first; returns their number. ``weights`` (42,), or (45,) with those of the nil features."""
    return strengths_among(decision.legal, decision, context_of(decision), weights, out)


@kernel
def strengths_among(
    cards: Int,
    decision: DecisionFields,
    context: tuple[Int, Int, Int],
    weights: NDArray,
    out: NDArray,
) -> Int:
    """``legal_strengths`` of some of the legal cards; ``context`` of the decision."""
    nil_rule = decision.nil_rule
    has_nil = weights.size > N_FEATURES and (
        is_nil_alive(decision.own_bid, decision.own_tricks, nil_rule)
        or is_nil_alive(decision.partner_bid, decision.partner_tricks, nil_rule)
    )
    n = 0
    remaining = cards
    while remaining:
        card = lowest(remaining)
        move, features = card_features(card, decision, context)
        strength = weights[move]
        features >>= N_MOVES
        while features:
            strength += weights[N_MOVES + lowest(features)]
            features &= features - 1
        if has_nil:
            strength += nil_strength(card, decision, context[1], weights)
        out[n] = strength
        remaining &= remaining - 1
        n += 1
    return n


@kernel
def softmax(out: NDArray, n: Int) -> None:
    top = out[0]
    total = 0.0
    for i in range(1, n):
        top = max(top, out[i])
    for i in range(n):
        out[i] = math.exp(out[i] - top)
        total += out[i]
    for i in range(n):
        out[i] /= total


@kernel
def legal_probabilities(decision: DecisionFields, weights: NDArray, out: NDArray) -> Int:
    """Write the probability of every legal card into ``out``, lowest code first; returns their
    number. ``weights`` (42,), or (45,) with those of the nil features."""
    n = legal_strengths(decision, weights, out)
    softmax(out, n)
    return n
