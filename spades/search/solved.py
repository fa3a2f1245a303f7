"""Solved endings: a playout stops where few tricks are left, and the exact value is its reward.

At a leaf the tricks are played by the search's policy down to the last ``solved`` ones, whose value
with all four hands open (``spades.search.alpha_beta``) is backpropagated. It is that of best play
for points, of which the tricks are not known: how the round ends is not counted.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import Int, lean_kernel, lowest, mixed, next_state
from spades.core.observation import Observation
from spades.core.step import Progress, after_card
from spades.search.alpha_beta import Memory, ends_from, exact_value
from spades.search.tree import Scratch, progress_at, round_values, start_position, value_of

MAX_ENDING = 4  # tricks: more take longer than the playouts that they spare


class SolvedEndings(NamedTuple):
    """``memory``: ``Memory``; ``problem``: the solver's; ``first``: plies played where the solved
    tricks begin; ``guess`` int64 (1,): the last value found."""

    memory: Any
    problem: Any
    first: Int
    guess: NDArray[np.int64]


def solved_endings(observation: Observation, n_tricks: int) -> SolvedEndings | None:
    """What a search solves its last tricks with; None for none. At most ``MAX_ENDING``."""
    if not n_tricks:
        return None
    table = observation.table
    root = progress_at(start_position(observation)).taken
    known = (tuple(table.bids), tuple(table.blind), tuple(table.tricks_taken))
    problem = (round_values(observation), ends_from(table.rules, *known, n_tricks), root)
    first = N_CARDS - N_SEATS * n_tricks
    return SolvedEndings(Memory.new(), problem, first, np.zeros(1, dtype=np.int64))


@lean_kernel
def play_and_solve(
    at: Progress, scratch: Scratch, state: np.uint64, playout: Any, solved: SolvedEndings
) -> tuple[Int, np.uint64]:
    """Play on to the last tricks and solve them: (points for N/S, random state).

    ``playout``: numbers of a ``Playout`` that chooses cards. The hands of ``scratch`` are used
    up."""
    memory = solved[0]
    problem = solved[1]
    first = solved[2]
    guess = solved[3]
    hands = scratch.hands
    held = memory[3]
    while at.ply < first:
        state = next_state(state)
        card = playout.choose_card(hands, at, mixed(state))
        hands[at.turn] ^= card
        at = after_card(at, lowest(card))
    if at.ply == N_CARDS:
        return value_of(problem[0], at.taken), state
    on_table = np.int64(0)
    for k in range(1, N_SEATS):
        if k <= at.ply & 3:
            on_table |= scratch.on_table[(at.turn - k) & 3]
    for seat in range(N_SEATS):
        held[seat] = hands[seat]
    guess[0] = exact_value(memory, problem, (at, on_table), guess[0])
    return guess[0], state
