"""What a card leads to: contracts, nils and bags at the end of a search's playouts.

A round's points hang on its tricks alone, so a search counts, for each card at the root, how often
the round ended in which tricks; probabilities, bags and points follow from these counts. They are
those of the search's own playouts: how it thinks that the round goes on.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, partner_of, partnership_of
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, Rules
from spades.core.scoring import N_COUNTS, POINTS_PER_TRICK, TEN_FOR_200

# Columns: contracts of N/S and E/W, their bags, nil by seat.
N_MADE = 0
BAGS = 2
NILS = 4
N_OUTCOMES = 8
Seats = tuple[int, ...]  # a number by seat


class Endings(NamedTuple):
    """The ways that the tricks can fall: ``tricks`` int64 (k, 4) by seat; ``places`` int16
    (14, 14, 14): the row of each, by the tricks of N, E and S."""

    tricks: NDArray[np.int64]
    places: NDArray[np.int16]


@lru_cache(maxsize=1024)
def endings_from(taken: Seats) -> Endings:
    """The endings of a round in which the seats (4,) have taken so many tricks."""
    n, e, s = np.indices((N_COUNTS,) * 3)
    west = HAND_SIZE - n - e - s
    may_be = (n >= taken[0]) & (e >= taken[1]) & (s >= taken[2]) & (west >= taken[3])
    tricks = np.stack([n[may_be], e[may_be], s[may_be], west[may_be]], axis=1)
    places = np.full(may_be.shape, -1, dtype=np.int16)
    places[may_be] = np.arange(len(tricks))
    return Endings(tricks, places)


@lru_cache(maxsize=256)
def outcome_table(rules: Rules, bids: Seats, taken: Seats) -> NDArray[np.int64]:
    """What each ending comes to, (k, 8): contract of N/S and E/W made, their bags, nil of N, E, S
    and W kept; 1 or 0, but for bags. Bids are known."""
    tricks = endings_from(taken).tricks
    is_nil = np.array([rules.nil is not None and bid == NIL_BID for bid in bids])
    is_stray = is_nil & (rules.numbers.nil_to_bags != 0)
    table = np.zeros((len(tricks), N_OUTCOMES), dtype=np.int64)
    for side in (0, 1):
        seats = [side, partner_of(side)]
        counting = (tricks[:, seats] * ~is_stray[seats]).sum(axis=1)
        over = counting - sum(bids[seat] for seat in seats)
        strays = (tricks[:, seats] * is_stray[seats]).sum(axis=1)
        table[:, N_MADE + side] = over >= 0
        table[:, BAGS + side] = strays + np.maximum(over, 0)
    table[:, NILS:] = is_nil & (tricks == 0)
    return table


@dataclass(frozen=True)
class Outcomes:
    """What a card leads to, as the seat to play sees it: probabilities and mean numbers of bags.

    ``nils``: P that each nil is kept, by seat. ``own_contract``: P that the own contract is made,
    ``their_set``: P that theirs is set; nan for a contract of 0, which can't be lost."""

    own_contract: float
    their_set: float
    nils: dict[int, float]
    own_bags: float
    their_bags: float

    @classmethod
    def of(cls, means: NDArray[np.float64], observation: Observation) -> Self:
        """From mean outcomes, columns as in ``outcome_table``."""
        table = observation.table
        own = partnership_of(observation.seat)
        made = [
            float(means[N_MADE + side]) if table.contract_of(side) else math.nan for side in (0, 1)
        ]
        bags = [float(means[BAGS + side]) for side in (0, 1)]
        nils = {seat: float(means[NILS + seat]) for seat in seats_with_nil(observation)}
        return cls(made[own], 1 - made[1 - own], nils, bags[own], bags[1 - own])


def seats_with_nil(observation: Observation) -> list[int]:
    """Seats that bid nil, kept or not."""
    bids = observation.table.bids
    has_nil = observation.rules.nil is not None
    return [seat for seat in range(N_SEATS) if has_nil and bids[seat] == NIL_BID]


def knows_outcomes(observation: Observation) -> bool:
    """Whether there are contracts to make: not where the first hand bids itself."""
    return min(observation.table.bids) != NO_BID


def outcome_sums(endings: NDArray, observation: Observation) -> NDArray[np.int64]:
    """Outcomes of each row of counts ``endings`` (cards, k) added up, columns as in
    ``outcome_table``; over the row's visits, its mean."""
    table = observation.table
    columns = outcome_table(table.rules, tuple(table.bids), tuple(table.tricks_taken))
    return endings.astype(np.int64) @ columns


def outcome_points(observation: Observation) -> NDArray[np.float64]:
    """Points for the mover's partnership that each outcome is worth, (8,): a mean outcome times
    this, and a constant, is the mean value of a search."""
    table = observation.table
    rules = observation.rules
    own = partnership_of(observation.seat)
    worth = np.zeros(N_OUTCOMES)
    for side in (0, 1):
        contract = table.contract_of(side)
        is_big = rules.ten_for_200 and contract >= 10
        made = TEN_FOR_200 if is_big else POINTS_PER_TRICK * contract
        lost = TEN_FOR_200 if is_big else rules.numbers.failed_contract * contract
        worth[N_MADE + side] = made + lost
        worth[BAGS + side] = 1 - rules.bag_cost
        for seat in (side, partner_of(side)):
            nil = rules.numbers.blind_nil if table.blind[seat] else rules.numbers.nil
            worth[NILS + seat] = 2 * nil * (seat in seats_with_nil(observation))
    sides = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    return np.where(sides == own, worth, -worth)
