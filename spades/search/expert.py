"""Playouts that know something, for a search: by rules of thumb, or as a simulated human plays.

Both finish a round from any position, in the middle of a trick too. A search without one is
compiled apart, so that what random playouts cost doesn't change.

``heuristic``: ``spades.search.rule_playouts``, epsilon-greedy. ``human``: every seat samples its
card from the log-linear model of Devlin 2016 with nil features (``devlin2016-nil``), which looks at
the seat's own hand and at what the table shows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE
from spades.core.kernel import Int, highest, kernel, lowest
from spades.core.observation import Observation
from spades.human.features.view import Decision, nil_rule_of
from spades.human.simulated import load_simulated_human, sample_card
from spades.search.heuristic import Goals
from spades.search.playouts import (
    HEURISTIC,
    HUMAN,
    POLICIES,
    follows,
    leads,
    suit_around,
    winning_card,
)
from spades.search.rule_playouts import epsilon_number, goals_of, play_by_rules
from spades.search.tree import voids_of

_SPADES = np.int64(0xFFFF)


class RulePlayout(NamedTuple):
    """``goals``: what the bids make each side want; ``voids``: suits shown out of at the root, bit
    ``4 * seat + suit``; ``epsilon``: share of random cards, in 2**-16."""

    goals: Goals
    voids: Int
    epsilon: Int


class HumanPlayout(NamedTuple):
    """``weights`` float64 (45,); ``bids`` int64 (4,); the deck's mask; what a bid of 0 means;
    ``scratch`` float64 (13,)."""

    weights: NDArray[np.float64]
    bids: NDArray[np.int64]
    deck: Int
    nil_rule: Int
    scratch: NDArray[np.float64]


class Expert(NamedTuple):
    """Who plays the playouts; one of the two is None."""

    rules: RulePlayout | None
    human: HumanPlayout | None


def expert_of(playout: str, epsilon: float, observation: Observation) -> Expert | None:
    """Who plays the playouts of a policy; None for the policies that know nothing."""
    if POLICIES[playout] == HEURISTIC:
        voids, number = voids_of(observation), epsilon_number(epsilon)
        return Expert(RulePlayout(goals_of(observation), voids, number), None)
    if POLICIES[playout] == HUMAN:
        human = HumanPlayout(
            weights=load_simulated_human().weights,
            bids=np.array(observation.table.bids, dtype=np.int64),
            deck=observation.rules.cards.mask,
            nil_rule=nil_rule_of(observation.rules),
            scratch=np.empty(HAND_SIZE),
        )
        return Expert(None, human)
    return None


@kernel
def play_by_expert(rules, human, hands, on_table, table, left, state):
    """Finish a round: (tricks taken, random state).

    ``hands`` (4,) are used up; ``on_table`` (4,) one-card masks by seat, those of the trick under
    way being in ``trick``. ``table``: seat to play, cards on the table, led suit (mask), trick,
    whether spades may be led. ``left``: tricks left, tricks taken (packed), voids shown since the
    root.
    """
    turn, n_played, led, trick, may_lead = table
    tricks_left, taken, voids = left
    best, ahead = np.int64(0), turn
    if n_played:
        best = winning_card(trick, led)
        for seat in range(4):
            ahead = np.int64(seat) if on_table[seat] == best else ahead
    table = (turn, n_played, led, best, ahead, may_lead)
    if rules is not None:
        left = (tricks_left, taken, voids | rules.voids)
        taken, state = play_by_rules(hands, table, left, rules.goals, rules.epsilon, state)
    if human is not None:
        taken, state = play_by_model(hands, table, tricks_left, taken, human, state)
    return taken, state


@kernel
def play_by_model(hands, table, tricks_left, taken, human, state):
    """Finish a round with cards sampled from the human model: (tricks taken, random state).

    ``table`` as for ``play_by_rules``.
    """
    turn, n_played, led, best, ahead, may_lead = table
    weights, bids, scratch = human.weights, human.bids, human.scratch
    while tricks_left:
        legal = follows(hands[turn], led) if n_played else leads(hands[turn], may_lead)
        held, partner = hands[0] | hands[1] | hands[2] | hands[3], turn ^ 2
        decision = Decision(
            hands[turn],
            legal,
            lowest(led) >> 4 if n_played else np.int64(-1),
            highest(best) if n_played else np.int64(-1),
            human.deck & ~held,
            np.int64(human.deck),
            n_played,
            bids[turn],
            bids[partner],
            (taken >> (turn << 3)) & 255,
            (taken >> (partner << 3)) & 255,
            np.int64(human.nil_rule),
        )
        code, state = sample_card(decision, weights, scratch, state)
        card = np.int64(1) << code
        hands[turn] ^= card
        if n_played == 0:
            led, best, ahead = suit_around(card), card, turn
        elif winning_card(best | card, led) == card:
            best, ahead = card, turn
        n_played += 1
        turn = (turn + 1) & 3
        if n_played == 4:
            taken += np.int64(1) << (ahead << 3)
            may_lead |= best & _SPADES != 0  # a spade in the trick has won it
            turn, n_played = ahead, np.int64(0)
            tricks_left -= 1
    return taken, state
