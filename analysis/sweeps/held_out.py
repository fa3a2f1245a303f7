"""The humans of a log that agents are held against: their decisions and rounds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.sweeps.sweep import SweepError
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.logs import Log
from spades.core.records import HUMAN, KINDS, SIMULATED_HUMAN, Record
from spades.core.rules import NO_BID
from spades.human.features.logs import LEGAL, SEAT, contexts_of_log

# What a seed is derived for.
FOR_CHOICES = 1
FOR_ROUNDS = 2
Place = tuple[Record, int]  # a round with the ply of a human's card, or with a seat


class HeldOut(NamedTuple):
    """The humans of a log, real ones where it has any; ``kind``: of ``KINDS``.

    ``choices`` (n, 2): row of the log and ply of plays by them, in an order drawn with the seed;
    ``forced``: for each how many forced plays came before it. ``rounds`` (n, 2): rows of whole
    rounds with a human, drawn likewise, and the seat that the agent takes there."""

    log: Log
    kind: str
    choices: NDArray[np.int64]
    forced: NDArray[np.int64]
    rounds: NDArray[np.int64]

    def records(self, places: NDArray[np.int64]) -> list[Place]:
        """Some of the choices or rounds with their records."""
        return [(self.log.record(row), place) for row, place in places.tolist()]


def hold_out(log: Log, seed: int) -> HeldOut:
    """Decisions and rounds of the humans in a log; ``SweepError`` where there is none."""
    log = log.distinct()
    has_real = (log.kind == KINDS.index(HUMAN)).any()
    kind = HUMAN if has_real else SIMULATED_HUMAN
    has_bids = log.bids.min(axis=1) != NO_BID
    is_human = (log.kind == KINDS.index(kind)) & has_bids[:, None]
    choices, forced = _draw_choices(log, is_human, seed)
    rounds = _draw_rounds(log, is_human, seed)
    return HeldOut(log, kind, choices, forced, rounds)


def _draw_choices(
    log: Log, is_human: NDArray[np.bool_], seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``choices`` and ``forced`` of ``HeldOut``; ``is_human`` (rounds, 4)."""
    codes = contexts_of_log(log).codes
    seats = codes[SEAT]
    is_play = seats >= 0
    by_human = np.take_along_axis(is_human, np.clip(seats, 0, N_SEATS - 1), axis=1)
    plays = np.flatnonzero(by_human & is_play)
    if not len(plays):
        raise SweepError("the log has no card played by a human, real or simulated")
    drawn = np.random.default_rng([seed, FOR_CHOICES]).permutation(plays)
    n_legal = codes[LEGAL].reshape(-1)[drawn]
    is_choice = n_legal > 1
    rows, plies = np.divmod(drawn[is_choice], N_CARDS)
    n_forced = np.cumsum(~is_choice)
    return np.stack([rows, plies], axis=1), n_forced[is_choice]


def _draw_rounds(log: Log, is_human: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """``rounds`` of ``HeldOut``."""
    is_whole = log.n_plays == N_CARDS
    rows = np.flatnonzero(is_human.any(axis=1) & is_whole)
    rows = np.random.default_rng([seed, FOR_ROUNDS]).permutation(rows)
    seats = np.zeros(len(rows), dtype=np.int64)
    for i, row in enumerate(rows):
        humans = np.flatnonzero(is_human[row])
        seats[i] = humans[i % len(humans)]
    return np.stack([rows, seats], axis=1)
