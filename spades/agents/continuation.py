"""A round played on from its middle: the hands given, the same compiled player in every seat.

What one card brings against another: both are played in the same deal, and the four seats go on
from there. Each player is shown its own hand and the table, as in any round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spades.agents.batches import crew_of
from spades.agents.rule_based.public import TRICKS, Public, public_of
from spades.agents.seating import Seating
from spades.agents.selfplay import Crew, play_card, play_rest
from spades.agents.spec import parse_agent
from spades.core.cards import N_CARDS, mask_of, partnership_of
from spades.core.errors import IllegalPlayError, SpadesError
from spades.core.kernel import Int, kernel
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from spades.core.scoring import evaluation_table

POLICIES = ("srp", "wrp", "human", "random")
"""Agents that a round can be played on by."""


class Continuation:
    """Plays a decision on, card by card and deal by deal.

    ``policy``: one of ``POLICIES``, in all four seats. The seat to play decides between its legal
    cards; values are points of the round for its partnership, as those of a search:
    (s_p - 10 b_p) - (s_o - 10 b_o). Raises ``SpadesError`` for an unknown policy and where the
    bids are not known.
    """

    def __init__(self, observation: Observation, policy: str) -> None:
        if policy not in POLICIES:
            raise SpadesError(f"no policy {policy!r} to play on by; {', '.join(POLICIES)} are")
        table, rules = observation.table, observation.rules
        if min(table.bids) == NO_BID:
            raise SpadesError(f"the bids are not known, so no play has a value | {table.text()}")
        agent = parse_agent(policy)
        self.observation, self._start = observation, public_of(observation)
        self._crew = crew_of(Seating((agent, agent, agent, agent), rules))
        self._rewards = evaluation_table(rules, tuple(table.bids), tuple(table.blind))
        self._sign = 1 if partnership_of(observation.seat) == 0 else -1
        self._plays = np.zeros(N_CARDS, dtype=np.int8)

    def values(self, deal: NDArray[np.int64], cards: Sequence[int], seed: int) -> list[int]:
        """Points after each of ``cards`` (codes) in one deal (4,), the rest played from a seed.

        Whoever draws at random draws alike after every card. Raises
        ``IllegalPlayError`` for a card that can't be played.
        """
        seen, found = self.observation, []
        if wrong := mask_of(cards) & ~seen.legal_mask:
            deck = seen.rules.cards
            raise IllegalPlayError(
                f"{deck.format_cards(wrong)} can't be played; legal: "
                f"{deck.format_cards(seen.legal_mask)} | {seen.text()}"
            )
        for card in cards:
            self._crew.held[:] = deal
            play_on(card, np.uint64(seed), self._start, self._crew, self._plays)
            north, east, south, _ = self._crew.public.seats[TRICKS]
            found.append(self._sign * int(self._rewards[north, east, south]))
        return found


@kernel
def play_on(card: Int, seed: np.uint64, start: Public, crew: Crew, plays: NDArray) -> None:
    """Play ``card`` from a start and the crew's hands, then the rest of the round."""
    crew.public.table[:] = start.table
    crew.public.seats[:] = start.seats
    play_card(crew, card)
    play_rest(seed, crew, plays)
