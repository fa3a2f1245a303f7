"""Three features that Devlin 2016 lacks: what a live nil does to a card's strength.

The 42 published features know no nil; sampled as they stand, simulated nils fail far too often.
These three are ours (spec 3, "Simulated humans") and nonzero only while a nil of the own
partnership is alive: where none is, a model with them is the model without, bit for bit. A nil is
alive while the rules have nils and its bidder has no trick. An opponent's nil changes nothing.

Unlike the 42 they aren't 0 or 1: two are ranks. The rank of a card is its strength over that of the
highest card of its suit in the deck, 0 for the lowest card, 1 for the highest.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import NDArray

from spades.core.cards import SPADES_MASK
from spades.core.kernel import Int, highest, kernel, lowest
from spades.core.rules import NIL_BID
from spades.human.abstract_moves import beating_mask
from spades.human.decision import NO_NIL, Decision
from spades.human.features import N_FEATURES


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
