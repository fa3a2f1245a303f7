"""A round played on from its middle: the hands given, the same compiled player in every seat.

What one card brings against another: both are played in the same deal, and the four seats go on
from there. Each player is shown its own hand and the table, as in any round.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spades.agents.bidders import HumanBidder
from spades.agents.compiled import NOT_COMPILED, Tools, card_by, player_code, tools_for
from spades.agents.players import HumanPlayer, Player, RandomPlayer, StrongPlayer, WeakPlayer
from spades.agents.rule_based.public import (
    TRICKS,
    Public,
    empty_public,
    public_of,
    record_play,
    turn_of,
)
from spades.agents.selfplay import PLAYS
from spades.core.cards import N_CARDS, N_SEATS, cards_in, mask_of, partnership_of
from spades.core.deal import derive_seed, seed_at, state_of
from spades.core.errors import IllegalPlayError, SpadesError
from spades.core.kernel import Int, kernel
from spades.core.observation import Observation
from spades.core.rules import NO_BID
from spades.core.scoring import evaluation_table

POLICIES: dict[str, Player] = {
    "srp": StrongPlayer(),
    "wrp": WeakPlayer(),
    "human": HumanPlayer(),
    "random": RandomPlayer(),
}
"""Players that a round can be played on by, by the names that agents' texts give them."""


class Continuation:
    """Plays a decision on, card by card and deal by deal.

    ``policy``: a name of ``POLICIES``, in all four seats. The seat to play decides between its
    legal cards; values are points of the round for its partnership, as those of a search:
    (s_p - 10 b_p) - (s_o - 10 b_o). Raises ``SpadesError`` for a policy that
    isn't there and where the bids are not known.
    """

    def __init__(self, observation: Observation, policy: str) -> None:
        if policy not in POLICIES:
            raise SpadesError(f"no policy {policy!r} to play on by; {', '.join(POLICIES)} are")
        table, rules = observation.table, observation.rules
        if min(table.bids) == NO_BID:
            raise SpadesError(f"the bids are not known, so no play has a value | {table.text()}")
        self.observation = observation
        self._code = player_code(POLICIES[policy])
        assert self._code != NOT_COMPILED
        self._start, self._scratch = public_of(observation), empty_public()
        self._tools = tools_for(rules, [HumanBidder()] * N_SEATS)
        self._rewards = evaluation_table(rules, tuple(table.bids), tuple(table.blind))
        self._sign = 1 if partnership_of(observation.seat) == 0 else -1
        self._held = np.zeros(N_SEATS, dtype=np.int64)

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
            self._held[:] = deal
            points = play_on(
                self._code, card, np.uint64(seed), self._start, self._scratch, self._held,
                self._tools, self._rewards,
            )  # fmt: skip
            found.append(self._sign * int(points))
        return found


def play_deals(
    observation: Observation, deals: NDArray[np.int64], policy: str, *, seed: int = 0
) -> NDArray[np.int64]:
    """Points of every legal card (lowest code first) in every deal (n, 4): (n, cards)."""
    table, cards = Continuation(observation, policy), list(cards_in(observation.legal_mask))
    rows = [table.values(deal, cards, derive_seed(seed, i)) for i, deal in enumerate(deals)]
    return np.array(rows, dtype=np.int64).reshape(len(deals), len(cards))


@kernel
def play_on(
    player: Int,
    card: Int,
    seed: np.uint64,
    start: Public,
    public: Public,
    held: NDArray,
    tools: Tools,
    rewards: NDArray,
) -> Int:
    """Play ``card``, then the rest of the round; points of N/S less those of E/W.

    ``held`` int64 (4,) and ``public`` are worked on; ``rewards`` (14, 14, 14) by tricks of N, E, S.
    """
    public.table[:] = start.table
    public.seats[:] = start.seats
    path = state_of(state_of(seed, 0), PLAYS + 1)
    left = 0
    for seat in range(N_SEATS):
        hand = held[seat]
        while hand:
            hand &= hand - 1
            left += 1
    for ply in range(N_CARDS - left, N_CARDS):
        seat = turn_of(public)
        if ply > N_CARDS - left:
            card = card_by(player, held[seat], public, seed_at(path, ply), tools)
        held[seat] ^= np.int64(1) << card
        record_play(public, card)
    tricks = public.seats[TRICKS]
    return rewards[tricks[0], tricks[1], tricks[2]]
