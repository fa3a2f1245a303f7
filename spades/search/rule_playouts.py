"""Playouts by rules of thumb, and what the rules say of an observation.

Every seat plays, with probability 1 - epsilon, the card that looks best to it by
``spades.search.heuristic``, else any legal card: a stochastic rule of thumb. Each looks at its
own hand, the table and the union of what the others hold, which is public to it.
"""

from __future__ import annotations

import numpy as np

from spades.core.cards import HAND_SIZE, N_SEATS, cards_in, partner_of
from spades.core.errors import IllegalPlayError
from spades.core.kernel import kernel, lowest, mixed, next_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID
from spades.search.heuristic import Goals, Seen, best_by_rule, heuristic_scores, look
from spades.search.playouts import follows, leads, pick, suit_around, winning_card
from spades.search.tree import (
    BIDS,
    LEADER,
    LED_MASK,
    MAY_LEAD,
    N_PLAYED,
    TABLE_CARDS,
    TAKEN,
    TRICKS_LEFT,
    TURN,
    start_position,
    voids_of,
)

EPSILON = 0.2
"""Share of random cards in a playout (Dobre and Lascarides 2015 has 0.2; Whitehouse 2013 none)."""
EPSILON_UNIT = 1 << 16
_SPADES = np.int64(0xFFFF)
_LOW_16 = np.uint64(0xFFFF)
_SIXTEEN = np.uint64(16)


def epsilon_number(epsilon: float) -> int:
    """Epsilon as playouts take it, in 2**-16."""
    return round(epsilon * EPSILON_UNIT)


def goals_of(observation: Observation) -> Goals:
    """What the bids make each side want; where bids aren't known, every trick."""
    table, rules = observation.table, observation.rules
    known = min(table.bids) != NO_BID
    contracts = [table.bids[s] + table.bids[partner_of(s)] if known else HAND_SIZE for s in (0, 1)]
    is_nil = [rules.nil is not None and bid == NIL_BID for bid in table.bids]
    strays = [nil and rules.failed_nil_tricks == "bags" for nil in is_nil]
    return Goals(
        contract_ns=contracts[0],
        contract_ew=contracts[1],
        nils=sum(nil << seat for seat, nil in enumerate(is_nil)),
        counting=sum(255 << (8 * seat) for seat in range(N_SEATS) if not strays[seat]),
        greedy=int(rules.bag_cost <= 1),
    )


@kernel
def rule_card(hands, turn, legal, table, state_of_play, goals, bits, epsilon):
    """The card of the seat to play, as a mask: by the rules, or at random with ``epsilon``.

    ``table``: led suit, best card, the seat that is ahead, cards on the table. ``state_of_play``:
    tricks left, tricks taken, voids.
    """
    if legal & (legal - 1) == 0:
        return legal
    if np.int64((bits >> _SIXTEEN) & _LOW_16) < epsilon:
        return pick(legal, bits)
    tricks_left, taken, voids = state_of_play
    hand = hands[turn]
    unseen = (hands[0] | hands[1] | hands[2] | hands[3]) ^ hand
    return best_by_rule(look((hand, legal, unseen), table, turn, tricks_left, taken, voids, goals))


@kernel
def play_by_rules(hands, table, state_of_play, goals, epsilon, state):
    """Play a position to its end by the rules: (tricks taken, random state).

    ``hands`` int64 (4,) are used up. ``table``: seat to play, cards on the table, led suit (mask),
    best card (mask), the seat that is ahead, whether spades may be led. ``state_of_play``: tricks
    left with the one under way, tricks taken (packed), voids shown (bit ``4 * seat + suit``).
    ``epsilon`` in 2**-16.
    """
    turn, n_played, led, best, ahead, may_lead = table
    tricks_left, taken, voids = state_of_play
    while tricks_left:
        legal = follows(hands[turn], led) if n_played else leads(hands[turn], may_lead)
        state = next_state(state)
        card = rule_card(
            hands, turn, legal, (led, best, ahead, n_played), (tricks_left, taken, voids),
            goals, mixed(state), epsilon,
        )  # fmt: skip
        hands[turn] ^= card
        if n_played == 0:
            led, best, ahead = suit_around(card), card, turn
        else:
            if card & led == 0:
                voids |= np.int64(1) << ((turn << 2) | (lowest(led) >> 4))
            if winning_card(best | card, led) == card:
                best, ahead = card, turn
        n_played += 1
        turn = (turn + 1) & 3
        if n_played == 4:
            taken += np.int64(1) << (ahead << 3)
            may_lead |= best & _SPADES != 0  # a spade in the trick has won it
            turn, n_played, led, best = ahead, np.int64(0), np.int64(0), np.int64(0)
            tricks_left -= 1
    return taken, state


@kernel
def table_of(position, on_table):
    """The table part of a start position, for ``play_by_rules``.

    ``on_table`` (4,): the cards on the table, one-card masks by seat.
    """
    led, best, ahead = position[LED_MASK], np.int64(0), position[LEADER]
    if position[N_PLAYED]:
        trick = on_table[0] | on_table[1] | on_table[2] | on_table[3]
        best = winning_card(trick, led)
        for seat in range(4):
            ahead = seat if on_table[seat] == best else ahead
    return position[TURN], position[N_PLAYED], led, best, ahead, position[MAY_LEAD] != 0


@kernel
def play_card_by_rules(card, hands, position, voids, goals, epsilon, state):
    """Play a card (code) at a start position, then the rest by the rules: (tricks, random state).

    ``position`` int64 (23,): ``start_position``; ``hands`` (4,) are used
    up; ``voids``: ``voids_of``; ``epsilon`` in 2**-16.
    """
    turn, n_played, led, best, ahead, may_lead = table_of(position, position[TABLE_CARDS:BIDS])
    tricks_left, taken = position[TRICKS_LEFT], position[TAKEN]
    played = np.int64(1) << card
    hands[turn] ^= played
    if n_played == 0:
        led, best, ahead = suit_around(played), played, turn
    else:
        if played & led == 0:
            voids |= np.int64(1) << ((turn << 2) | (lowest(led) >> 4))
        if winning_card(best | played, led) == played:
            best, ahead = played, turn
    turn, n_played = (turn + 1) & 3, n_played + 1
    if n_played == 4:
        taken += np.int64(1) << (ahead << 3)
        may_lead |= best & _SPADES != 0
        turn, n_played, led, best = ahead, np.int64(0), np.int64(0), np.int64(0)
        tricks_left -= 1
    table = (turn, n_played, led, best, ahead, may_lead)
    return play_by_rules(hands, table, (tricks_left, taken, voids), goals, epsilon, state)


def seen_by(observation: Observation) -> Seen:
    """What the seat to play goes by; ``IllegalPlayError`` for another seat."""
    if not (legal := observation.legal_mask):
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    table, position = observation.table, start_position(observation)
    unseen = observation.rules.cards.mask & ~(table.played_mask | observation.hand)
    turn, n_played, led, best, ahead, _ = table_of(position, position[TABLE_CARDS:BIDS])
    return look(
        (np.int64(observation.hand), np.int64(legal), np.int64(unseen)),
        (led, best, ahead, n_played),
        turn, position[TRICKS_LEFT], position[TAKEN], np.int64(voids_of(observation)),
        goals_of(observation),
    )  # fmt: skip


def card_scores(observation: Observation) -> dict[int, int]:
    """How good each legal card (code) looks to the seat to play, 0 to 100, lowest code first.

    Raises ``IllegalPlayError`` for a seat that isn't to play.
    """
    scores = np.empty(HAND_SIZE)
    heuristic_scores(seen_by(observation), scores)
    return {card: int(scores[i]) for i, card in enumerate(cards_in(observation.legal_mask))}
