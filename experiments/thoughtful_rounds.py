"""Rounds of four thoughtful people in compiled code, a hundred times faster than card by card."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spades.agents.bidders import HumanBidder
from spades.agents.compiled_network import Seats, lay
from spades.agents.players.distilled import drawn_place
from spades.agents.players.thoughtful import ThoughtfulPlayer, Weighing, fill_probabilities
from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.kernel import Int, kernel, lowest, mixed, next_state, nth_bit, seed_state, unit
from spades.core.logs import Log
from spades.core.rules import Rules
from spades.core.step import first_lead, legal_cards
from spades.human import simulate_humans
from spades.human.features.view import N_VIEW, fill_view, nil_rule_of
from spades.human.simulated import load_simulated_human


def simulate_thoughtful(n: int, seed: int, player: ThoughtfulPlayer | None = None) -> Log:
    """A log of n rounds by four thoughtful people, each the first of a game of its own."""
    player = player or ThoughtfulPlayer()
    bidder = player.own_bidder
    assert isinstance(bidder, HumanBidder)
    human = load_simulated_human()._replace(bidder=bidder.numbers)
    dealt = simulate_humans(n, seed, human=human)
    plays = np.zeros((n, N_CARDS), np.int8)
    rules = Rules()
    bids = dealt.bids.astype(np.int64)
    facts = np.int64(rules.cards.mask), np.int64(nil_rule_of(rules))
    play_rounds(dealt.hands, bids, dealt.dealer, facts, player.weighing, seed_state(seed), plays)
    return replace(dealt, plays=plays, agents=(player.text,), sources=(f"{player.text}, {seed}",))


@kernel
def play_rounds(
    hands: NDArray,
    bids: NDArray,
    dealers: NDArray,
    facts: tuple[Int, Int],
    weighing: Weighing,
    state: np.uint64,
    plays: NDArray,
) -> None:
    """Fill ``plays`` int8 (n, 52) of rounds that are dealt and bid; ``facts``: mask of the deck and
    nil rule."""
    deck, nil_rule = facts
    seats = Seats(
        np.zeros(N_SEATS, np.int64), np.zeros(N_SEATS, np.int64), np.zeros(N_SEATS, np.int64)
    )
    view = np.zeros(N_VIEW, np.int64)
    classes = np.zeros(HAND_SIZE, np.int64)
    p = np.zeros(HAND_SIZE)
    for i in range(len(hands)):
        seats.held[:] = hands[i]
        seats.played[:] = 0
        seats.last[:] = 0
        at = first_lead(np.int64((dealers[i] + 1) & 3), np.int64(0))
        while at.ply < N_CARDS:
            hand = seats.held[at.turn]
            legal = legal_cards(hand, at)
            card = lowest(legal)
            if legal & (legal - 1):
                table = bids[i], seats.played, seats.last
                fill_view(view, at, (hand, legal, deck), table, nil_rule)
                n = fill_probabilities(view, weighing, classes, p)
                state = next_state(state)
                place = drawn_place(np.log(p[:n]), 1.0, unit(mixed(state)))
                card = lowest(nth_bit(legal, place))
            plays[i, at.ply] = card
            at = lay(card, at, seats)
