"""Playouts by random cards, with live nil bidders who duck or without.

``uniform`` plays any legal card with equal probability. ``nil-aware`` does too, except that a
follower whose nil is alive plays the highest card that still loses the trick (Whitehouse 2013,
"Playing style"); where no card surely loses so far, any legal card.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, SPADES_MASK
from spades.core.kernel import (
    Int,
    highest,
    inlined_kernel,
    kernel,
    lean_kernel,
    lowest,
    mixed,
    next_state,
    popcount,
    spread_bits,
)
from spades.core.observation import Observation
from spades.core.step import Progress, after_card, legal_cards, tricks_of
from spades.search.playouts.playout import Playout
from spades.search.tree import NILS, Position, Scratch, start_position

_SPADES = np.int64(SPADES_MASK)
_LOW_16 = np.uint64(0xFFFF)
_SIXTEEN = np.uint64(16)


@inlined_kernel
def pick(legal: Int, bits: np.uint64) -> Int:
    """A card of ``legal`` by the low 16 of some random bits, as a mask."""
    n = np.int64(((bits & _LOW_16) * np.uint64(popcount(legal))) >> _SIXTEEN)
    return spread_bits(np.int64(1) << n, legal)


@inlined_kernel
def play_at_random(
    hands: NDArray, at: Progress, nils: Int, state: np.uint64
) -> tuple[Int, np.uint64]:
    """Finish a round, live bidders of ``nils`` (a bit a seat) ducking: (tricks taken, state)."""
    if nils:
        return play_nil_aware(hands, at, nils, state)
    while at.ply & 3:
        state = next_state(state)
        card = pick(legal_cards(hands[at.turn], at), mixed(state))
        hands[at.turn] ^= card
        at = after_card(at, lowest(card))
    n_left = HAND_SIZE - (at.ply >> 2)
    return play_uniform(hands, at.turn, at.may_lead != 0, n_left, at.taken, state)


@lean_kernel
def play_nil_aware(
    hands: NDArray, at: Progress, nils: Int, state: np.uint64
) -> tuple[Int, np.uint64]:
    """``play_at_random`` with nil bidders: a draw a card in the trick begun, then one a trick."""
    draws_each = at.ply & 3 != 0
    bits = np.uint64(0)
    while at.ply < N_CARDS:
        draws_each = draws_each and at.ply & 3 != 0
        if draws_each or at.ply & 3 == 0:
            state = next_state(state)
            bits = mixed(state)
        card = nil_aware_card(hands[at.turn], at, nils, bits)
        hands[at.turn] ^= card
        at = after_card(at, lowest(card))
        bits >>= _SIXTEEN
    return at.taken, state


@kernel
def nil_aware_card(hand: Int, at: Progress, nils: Int, bits: np.uint64) -> Int:
    """A random legal card, or the safest of a nil bidder who follows; as a mask."""
    legal = legal_cards(hand, at)
    if (nils >> at.turn) & 1 and at.led >= 0 and tricks_of(at.turn, at.taken) == 0:
        loser = safest_loser(legal, at.led, at.best)
        if loser:
            return loser
    return pick(legal, bits)


@inlined_kernel
def losers_among(legal: Int, led: Int, best: Int) -> Int:
    """The cards that lose to the best card (a code) of a trick in which a suit is led."""
    below = (np.int64(1) << best) - 1
    led_mask = _SPADES << (16 * led)
    if best >> 4 == 0:
        return (legal & ~_SPADES) | (legal & below)
    return legal & ~_SPADES & ~(led_mask & ~below)


@kernel
def safest_loser(legal: Int, led: Int, best: Int) -> Int:
    """The highest card that loses to the best card of a trick (equal ranks: spades), 0 if none.

    ``led``: the suit led, ``best``: a code."""
    losers = losers_among(legal, led, best)
    result = np.int64(0)
    strength = np.int64(-1)
    while losers:
        card = losers & -losers
        losers ^= card
        if lowest(card) & 15 > strength:
            result = card
            strength = lowest(card) & 15
    return result


@lean_kernel
def play_uniform(
    hands: NDArray, leader: Int, may_lead: bool, n_tricks: Int, taken: Int, state: np.uint64
) -> tuple[Int, np.uint64]:
    """Play the last tricks with random cards: (tricks taken, random state).

    The step of the game once more, trick by trick: the innermost loop of most searches."""
    for _ in range(n_tricks):
        state = next_state(state)
        bits = mixed(state)
        second = (leader + 1) & 3
        third = (leader + 2) & 3
        fourth = (leader + 3) & 3
        card_1 = pick(leads(hands[leader], may_lead), bits)
        led = _SPADES << ((lowest(card_1) >> 4) << 4)
        card_2 = pick(follows(hands[second], led), bits >> np.uint64(16))
        card_3 = pick(follows(hands[third], led), bits >> np.uint64(32))
        card_4 = pick(follows(hands[fourth], led), bits >> np.uint64(48))
        hands[leader] ^= card_1
        hands[second] ^= card_2
        hands[third] ^= card_3
        hands[fourth] ^= card_4
        trick = card_1 | card_2 | card_3 | card_4
        trumps = trick & _SPADES
        may_lead |= trumps != 0
        best = np.int64(1) << highest(trumps if trumps else trick & led)
        step = (card_2 == best) + 2 * (card_3 == best) + 3 * (card_4 == best)
        leader = (leader + step) & 3
        taken += np.int64(1) << (leader << 3)
    return taken, state


@kernel
def leads(hand: Int, may_lead: bool) -> Int:
    """Cards that a hand may lead."""
    plain = hand & ~_SPADES
    return hand if (may_lead or plain == 0) else plain


@kernel
def follows(hand: Int, led_mask: Int) -> Int:
    """Cards that a hand may play to a led suit."""
    following = hand & led_mask
    return following if following else hand


class RandomCards(NamedTuple):
    """``nils``: the seats that duck while their nil is alive, a bit a seat."""

    nils: Int

    @inlined_kernel
    def finish_round(
        self, at: Progress, position: Position, scratch: Scratch, state: np.uint64
    ) -> tuple[Int, np.uint64]:
        """Finish the round of a search: (tricks taken, random state)."""
        return play_at_random(scratch.hands, at, self.nils, state)

    @inlined_kernel
    def choose_card(self, hands: NDArray, at: Progress, bits: np.uint64) -> Int:
        """The card of the seat to play, as a mask."""
        return nil_aware_card(hands[at.turn], at, self.nils, bits)


@dataclass(frozen=True)
class UniformPlayout(Playout):
    """Any legal card, each equally likely."""

    name: ClassVar[str] = "uniform"
    meaning: ClassVar[str] = "chance"
    place: ClassVar[int] = 0

    def numbers(self, observation: Observation) -> RandomCards:
        return RandomCards(0)


@dataclass(frozen=True)
class NilAwarePlayout(Playout):
    """Any legal card, but a follower whose nil is alive ducks as high as it can."""

    name: ClassVar[str] = "nil-aware"
    meaning: ClassVar[str] = "chance that minds nils"
    place: ClassVar[int] = 1

    def numbers(self, observation: Observation) -> RandomCards:
        return RandomCards(int(start_position(observation)[NILS]))
