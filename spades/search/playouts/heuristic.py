"""Playouts by rules of thumb, and what the rules say of an observation.

Every seat plays, with probability 1 - epsilon, the card that looks best to it by
``spades.search.heuristic``, else any legal card: a stochastic rule of thumb. Each looks at its
own hand, the table and the union of what the others hold, which is public to it.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, cards_in, partner_of
from spades.core.errors import IllegalPlayError
from spades.core.kernel import Int, inlined_kernel, lowest, mixed, next_state
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.rules import NIL_BID, NO_BID
from spades.core.step import Progress, after_card, legal_cards
from spades.search.heuristic import Goals, Situation, best_by_rule, heuristic_scores, look
from spades.search.playouts.playout import Playout
from spades.search.playouts.random_cards import pick
from spades.search.tree import Position, Scratch, progress_at, start_position

EPSILON = 0.2
"""Share of random cards in a playout (Dobre and Lascarides 2015 has 0.2; Whitehouse 2013 none)."""
EPSILON_UNIT = 1 << 16
_LOW_16 = np.uint64(0xFFFF)
_SIXTEEN = np.uint64(16)


def goals_of(observation: Observation) -> Goals:
    """What the bids make each side want; where bids aren't known, every trick."""
    table = observation.table
    rules = observation.rules
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


class HeuristicCards(NamedTuple):
    """``goals``: what the bids make each side want; ``epsilon``: share of random cards, 2**-16."""

    goals: Goals
    epsilon: Int

    @inlined_kernel
    def finish_round(
        self, at: Progress, position: Position, scratch: Scratch, state: np.uint64
    ) -> tuple[Int, np.uint64]:
        """``play_by_rules`` with the hands of a search."""
        return play_by_rules(self, scratch.hands, at, state)

    @inlined_kernel
    def choose_card(self, hands: NDArray, at: Progress, bits: np.uint64) -> Int:
        """The card of the seat to play, as a mask: by the rules, or at random with epsilon."""
        hand = hands[at.turn]
        legal = legal_cards(hand, at)
        if legal & (legal - 1) == 0:
            return legal
        if np.int64((bits >> _SIXTEEN) & _LOW_16) < self.epsilon:
            return pick(legal, bits)
        unseen = (hands[0] | hands[1] | hands[2] | hands[3]) ^ hand
        return best_by_rule(look(hand, legal, unseen, at, self.goals))


def heuristic_cards(observation: Observation, epsilon: float) -> HeuristicCards:
    return HeuristicCards(goals_of(observation), round(epsilon * EPSILON_UNIT))


@dataclass(frozen=True)
class HeuristicPlayout(Playout):
    """By rules of thumb; ``epsilon``: share of random cards."""

    name: ClassVar[str] = "heuristic"
    meaning: ClassVar[str] = "rules of thumb"
    place: ClassVar[int] = 2

    epsilon: float = option(
        EPSILON,
        least=0,
        most=1,
        label="Random cards in playouts",
        help="Share of random cards; the rest by rules of thumb.",
        step=0.05,
    )

    def numbers(self, observation: Observation) -> HeuristicCards:
        return heuristic_cards(observation, self.epsilon)


@inlined_kernel
def play_by_rules(
    rules: HeuristicCards, hands: NDArray, at: Progress, state: np.uint64
) -> tuple[Int, np.uint64]:
    """Finish a round by the rules: (tricks taken, random state). ``hands`` (4,) are used up."""
    while at.ply < N_CARDS:
        state = next_state(state)
        card = rules.choose_card(hands, at, mixed(state))
        hands[at.turn] ^= card
        at = after_card(at, lowest(card))
    return at.taken, state


@inlined_kernel
def play_card_by_rules(
    card: Int, hands: NDArray, at: Progress, rules: HeuristicCards, state: np.uint64
) -> tuple[Int, np.uint64]:
    """Play a card (code), then the rest by the rules: (tricks taken, random state)."""
    hands[at.turn] ^= np.int64(1) << card
    return play_by_rules(rules, hands, after_card(at, card), state)


def situation_of(observation: Observation) -> Situation:
    """What the seat to play goes by; ``IllegalPlayError`` for another seat."""
    if not (legal := observation.legal_mask):
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    at = progress_at(start_position(observation))
    cards = (observation.hand_mask, legal, observation.unseen_mask)
    return look(*map(np.int64, cards), at, goals_of(observation))


def card_scores(observation: Observation) -> dict[int, int]:
    """How good each legal card (code) looks to the seat to play, 0 to 100, lowest code first.

    Raises ``IllegalPlayError`` for a seat that isn't to play."""
    scores = np.empty(HAND_SIZE)
    heuristic_scores(situation_of(observation), scores)
    return {card: int(scores[i]) for i, card in enumerate(cards_in(observation.legal_mask))}
