"""Playouts: from a position to the end of the round.

``uniform`` plays any legal card with equal probability. ``nil-aware`` does too, except that a
follower whose nil is alive plays the highest card that still loses the trick (Whitehouse 2013,
"Playing style"); where no card surely loses so far, any legal card. ``heuristic`` plays by
``spades.search.rule_playouts``. ``human``: every seat samples its card from a human model, given
what that seat sees.

Bounded random numbers use 16 bits a card: no card is off its share by more than n / 65536.
"""

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SPADES_MASK
from spades.core.kernel import (
    Int,
    highest,
    inlined_kernel,
    kernel,
    lean_kernel,
    lowest,
    mixed,
    next_state,
    unit,
)
from spades.core.observation import Observation
from spades.core.step import Progress, after_card, legal_cards, tricks_of
from spades.human import load_prior
from spades.human.features.view import fill_view
from spades.human.model import Prior, copy_of_thread, prior_probabilities
from spades.human.simulated import MODEL_NAME
from spades.search.rule_playouts import RulePlayout, pick, play_by_rules, rule_playout
from spades.search.tree import BIDS, DECK, NIL_RULE, NILS, PLAYED, Position, Scratch, start_position

UNIFORM, NIL_AWARE, HEURISTIC, HUMAN = range(4)
HUMAN_POLICY = "human"
POLICIES = {"uniform": UNIFORM, "nil-aware": NIL_AWARE, "heuristic": HEURISTIC, HUMAN_POLICY: HUMAN}

_SPADES = np.int64(SPADES_MASK)
_SIXTEEN = np.uint64(16)


def playout_of(
    observation: Observation, policy: str, epsilon: float
) -> tuple[int, RulePlayout | None, Prior | None]:
    """Who plays the playouts of a policy, a name of ``POLICIES``: rules, a model or chance.

    Of random playouts, the seats that duck, a bit a seat."""
    kind = POLICIES[policy]
    if kind == HEURISTIC:
        return 0, rule_playout(observation, epsilon), None
    if kind == HUMAN:
        return 0, None, copy_of_thread(load_prior(MODEL_NAME))
    return int(start_position(observation)[NILS]) if kind == NIL_AWARE else 0, None, None


@inlined_kernel
def play_out(
    at: Progress,
    problem: tuple[Position, Int],
    scratch: Scratch,
    state: np.uint64,
    rules: RulePlayout | None,
    model: Prior | None,
) -> tuple[Int, np.uint64]:
    """Finish a round: (tricks taken, random state). The hands of ``scratch`` are used up."""
    position, nils = problem
    if rules is not None:
        return play_by_rules(scratch.hands, at, rules, state)
    if model is not None:
        return play_by_model(at, position, scratch, model, state)
    return play_at_random(scratch.hands, at, nils, state)


@lean_kernel
def play_by_model(
    at: Progress, position: Position, scratch: Scratch, model: Prior, state: np.uint64
) -> tuple[Int, np.uint64]:
    """Finish a round with cards sampled from a human model: (tricks taken, random state)."""
    hands = scratch.hands
    while at.ply < N_CARDS:
        legal = legal_cards(hands[at.turn], at)
        state = next_state(state)
        if legal & (legal - 1):
            n, u = query_model(model, position, at, legal, scratch), unit(mixed(state))
            for i in range(n - 1):
                u -= scratch.p[i]
                if u < 0.0:
                    break
                legal &= legal - 1
        code = lowest(legal)
        hands[at.turn] ^= np.int64(1) << code
        scratch.on_table[at.turn] = np.int64(1) << code
        at = after_card(at, code)
    return at.taken, state


@lean_kernel
def query_model(
    model: Prior, position: Position, at: Progress, legal: Int, scratch: Scratch
) -> Int:
    """P of the legal cards, lowest code first, into ``scratch.p``; how many.

    The model sees what the seat to play would see: its own hand and the table."""
    deal, hands, played = scratch.deal, scratch.hands, scratch.played
    for seat in range(N_SEATS):
        played[seat] = position[PLAYED + seat] | (deal[seat] & ~hands[seat])
    cards = (hands[at.turn], legal, position[DECK])
    bids = position[BIDS : BIDS + N_SEATS]
    fill_view(scratch.seen, at, cards, (bids, played, scratch.on_table), position[NIL_RULE])
    return prior_probabilities(model, scratch.seen, scratch.p)


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
    draws_each, bits = at.ply & 3 != 0, np.uint64(0)
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
    below, led_mask = (np.int64(1) << best) - 1, _SPADES << (16 * led)
    if best >> 4 == 0:
        return (legal & ~_SPADES) | (legal & below)
    return legal & ~_SPADES & ~(led_mask & ~below)


@kernel
def safest_loser(legal: Int, led: Int, best: Int) -> Int:
    """The highest card that loses to the best card of a trick (equal ranks: spades), 0 if none.

    ``led``: the suit led, ``best``: a code."""
    losers = losers_among(legal, led, best)
    result, strength = np.int64(0), np.int64(-1)
    while losers:
        card = losers & -losers
        losers ^= card
        if lowest(card) & 15 > strength:
            result, strength = card, lowest(card) & 15
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
        second, third, fourth = (leader + 1) & 3, (leader + 2) & 3, (leader + 3) & 3
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
