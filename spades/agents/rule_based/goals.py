"""What a side plays for: the ten round types, the end of the game, and the goal they lead to.

Source: Cohensius et al. 2020, D.2 (goals) and E (types, end-game conditions). The paper gives no
numbers for when a goal changes; those here are ours, each beside its reason.
"""

from __future__ import annotations

import numpy as np

from spades.agents.rule_based.sight import MANY_BAGS, NEXT, PARTNER, PREVIOUS, Sight
from spades.core.kernel import Int, kernel

ROUND_TYPES = (
    "strong under", "under", "over", "14", "strong over",
    "we nil", "partner nil", "opponents nil", "nil vs. nil", "double nil",
)  # fmt: skip
(
    STRONG_UNDER, UNDER, OVER, FOURTEEN, STRONG_OVER,
    WE_NIL, PARTNER_NIL, OPPONENTS_NIL, NIL_VS_NIL, DOUBLE_NIL,
) = range(10)  # fmt: skip

TAKE, DUCK = range(2)

ALWAYS = 13
SET_SLACK = np.array([0, 0, 1, ALWAYS, ALWAYS])
"""Tricks nobody needs, at most, for a side to play for setting the other, by the sum of bids.

By the five types without nils: a round with a nil is as full as its sum of bids says. One trick
more than that must be taken beyond the own contract. With 14 bid or more one side must fail; in
the over rounds one bag is a fair price; in the others only a set within one trick is."""

ATTACK_SPARE = 2
"""Tricks the side may lose beyond its contract, at least, to go on attacking a nil."""


@kernel
def round_type(s: Sight) -> Int:
    """The round's type (E), from the bids alone.

    The paper's "under" and "strong under" both name a sum of 8: here 8 is strong under. Two nils on
    different sides make "nil vs. nil", whoever else bid nil; "we nil" is the mover's own.
    """
    own, partner = s.nils & 1, s.nils >> PARTNER & 1
    theirs = (s.nils >> NEXT & 1) + (s.nils >> PREVIOUS & 1)
    if theirs == 2:
        return DOUBLE_NIL
    if theirs == 1:
        return NIL_VS_NIL if own or partner else OPPONENTS_NIL
    if own or partner:
        return WE_NIL if own else PARTNER_NIL
    return fullness(s)


@kernel
def fullness(s: Sight) -> Int:
    """The type that the sum of the bids has, nils or not."""
    if s.total <= 8:
        return STRONG_UNDER
    if s.total <= 10:
        return UNDER
    if s.total <= 13:
        return OVER
    return FOURTEEN if s.total == 14 else STRONG_OVER


@kernel
def we_can_win(s: Sight) -> bool:
    """End-game condition 1: made contracts bring this side the game (E)."""
    return bool(s.after >= s.target and s.after > s.their_after)


@kernel
def they_can_win(s: Sight) -> bool:
    """End-game condition 2: made contracts bring the opponents the game (E)."""
    return bool(s.their_after >= s.target and s.their_after > s.after)


@kernel
def plays_for_set(s: Sight) -> bool:
    """Whether to take tricks beyond the own contract to set the opponents' (D.2, E).

    Their contract must be neither made nor lost. At the end of the game a set is needed at any
    price when they would win, and none is when this side would. A set that brings the bag penalty
    is worth it only where it needs no bag.
    """
    if s.their_need == 0 or s.their_need > s.left:
        return False
    if they_can_win(s):
        return True
    slack = s.left - s.need - s.their_need
    limit = int(SET_SLACK[fullness(s)])
    if we_can_win(s) or slack + 1 > s.bags_room:
        limit = -1
    return bool(slack <= limit)


@kernel
def goal_of(s: Sight) -> Int:
    """``TAKE`` tricks or ``DUCK`` them (D.2).

    Take: bids not known; no penalty for bags; a set is on; or the contract needs more tricks than
    the mover's sure takes, and can still be made. Otherwise tricks are bags, or go to an opponent
    as bags: duck ("avoiding bags": the bid is guaranteed and a set unlikely, D.1).
    """
    if not s.known or s.bags_room == MANY_BAGS or plays_for_set(s):
        return TAKE
    if s.sure < s.need <= s.left:
        return TAKE
    return DUCK


@kernel
def attacks_nil(s: Sight) -> bool:
    """Whether to go for an opponent's live nil (D.2).

    Dropped when it costs the contract, that is when fewer than ``ATTACK_SPARE`` tricks can be lost
    and the mover's sure takes don't cover the need. When making everything wins the opponents the
    game, never dropped ("set the niler at all costs", E).
    """
    if not (s.next_nil or s.previous_nil):
        return False
    if they_can_win(s) or s.sure >= s.need:
        return True
    return bool(s.need > s.left or s.left - s.need >= ATTACK_SPARE)
