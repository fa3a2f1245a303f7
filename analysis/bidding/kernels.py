"""Auctions over many deals: do the bids made so far fit, and how does the bidding go on.

Compiled apart from ``analysis.bidding.outcomes``, so that an edit there compiles nothing anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.compiled import Crew, bid_by
from spades.agents.rule_based.sight import BID, BLIND, open_round
from spades.bidding import BLIND_NIL
from spades.core.cards import N_SEATS
from spades.core.deal import seed_at, state_of
from spades.core.kernel import kernel
from spades.core.rules import NIL_BID

NO_LIMIT = 99
TOLERANCES = (0, 1, 2)  # tricks by which an earlier bid may differ from the one made
LAST_TOLERANCE = TOLERANCES[-1]


class Before(NamedTuple):
    """The auction so far: the seat to bid, the dealer, bids and blind nils int64 (4,) by seat,
    and ``score`` and ``bags`` int64 (2,) by partnership."""

    seat: int
    dealer: int
    bids: NDArray[np.int64]
    blind: NDArray[np.int64]
    score: NDArray[np.int64]
    bags: NDArray[np.int64]


@kernel
def measure_misses(
    deals: NDArray, before: Before, crew: Crew, seeds: NDArray, misses: NDArray
) -> None:
    """By how many tricks, at most, the crew's bids on each deal differ from those made before.

    ``NO_LIMIT`` where one is nil and the other isn't; int64 (n,). Beyond the last tolerance it
    isn't counted on.
    """
    for i in range(len(deals)):
        open_round(crew.public, before.dealer, before.score, before.bags)
        for turn in range(1, N_SEATS + 1):
            seat = (before.dealer + turn) & 3
            if seat == before.seat or misses[i] > LAST_TOLERANCE:
                break
            seed = seed_at(state_of(seeds[i], 0), seat)
            bid = bid_by(crew.bidders[seat], deals[i, seat], seat, crew.public, seed, crew.tools)
            bid = NIL_BID if bid == BLIND_NIL else bid
            made = before.bids[seat]
            is_alike = (bid == NIL_BID) == (made == NIL_BID)
            misses[i] = max(misses[i], abs(bid - made) if is_alike else NO_LIMIT)
            crew.public.seats[BID, seat] = made
            crew.public.seats[BLIND, seat] = before.blind[seat]


@kernel
def finish_auctions(
    deals: NDArray, before: Before, crew: Crew, seeds: NDArray, bids: NDArray, blind: NDArray
) -> None:
    """The bids of all four seats on each deal, int8 (n, 4), and which are blind, bool (n, 4).

    ``before`` has the bids made, the seat's own among them; the crew bids after it.
    """
    for i in range(len(deals)):
        open_round(crew.public, before.dealer, before.score, before.bags)
        is_open = True
        for turn in range(1, N_SEATS + 1):
            seat = (before.dealer + turn) & 3
            bid, is_blind = before.bids[seat], before.blind[seat] != 0
            if seat == before.seat:
                is_open = False
            elif not is_open:
                seed = seed_at(state_of(seeds[i], 0), seat)
                bid = bid_by(
                    crew.bidders[seat], deals[i, seat], seat, crew.public, seed, crew.tools
                )
                is_blind = bid == BLIND_NIL
                bid = NIL_BID if is_blind else bid
            bids[i, seat], blind[i, seat] = bid, is_blind
            crew.public.seats[BID, seat], crew.public.seats[BLIND, seat] = bid, int(is_blind)
