"""Exact values of the legal cards with all four hands open (``spades.search.alpha_beta``)."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from spades.core.cards import HAND_SIZE, cards_in, mask_of, partnership_of
from spades.core.observation import observe
from spades.core.rules import NO_BID, Round, Table
from spades.core.scoring import evaluation_table
from spades.core.step import legal_cards, progress_of
from spades.search.alpha_beta import EMPTY, MAX_TRICKS, Memory, ends_from, solve_cards
from spades.search.search import check_decision
from spades.search.settings import InvalidSearchError

MAX_SOLVED = 8  # of many deals: some 10 ms each, 2 where 7 are left


class Solver:
    """Solves deals of one decision, one after the other, and remembers what it found."""

    def __init__(self, table: Table, memory: Memory | None = None) -> None:
        left = HAND_SIZE - len(table.winners)
        if not 1 <= left <= MAX_TRICKS:
            raise InvalidSearchError(
                f"{left} tricks are left; 1 to {MAX_TRICKS} can be solved | {table.text()}"
            )
        bids = tuple(table.bids)
        blind = tuple(table.blind)
        taken = tuple(table.tricks_taken)
        rewards = evaluation_table(table.rules, bids, blind)
        at = progress_of(table)
        self._memory = tuple(memory or Memory.new())
        self._memory[0][:, 0] = EMPTY
        self._problem = (rewards, tuple(ends_from(table.rules, bids, blind, taken)), at.taken)
        self._start = (at, mask_of(table.trick))
        self._seat = table.turn
        self._guess = int(rewards[taken[:3]])

    def values(self, deal: ArrayLike) -> dict[int, int]:
        """The value of every legal card (a code) in a deal (4,) of the cards held, points for the
        side of the seat to play."""
        held = np.array(deal, dtype=np.int64)
        self._guess = solve_cards(self._memory, self._problem, self._start, held, self._guess)
        legal = legal_cards.py_func(int(held[self._seat]), self._start[0])
        sign = 1 - 2 * partnership_of(self._seat)
        values = self._memory[4]
        return {code: sign * int(values[code]) for code in cards_in(legal)}


def solve(state: Round) -> dict[int, int]:
    """The value of every legal card (a code) of a round that is seen whole, points for the side of
    the seat to play. Raises ``InvalidSearchError`` where too many tricks are left, none is, or the
    bids are not known."""
    check_decision(observe(state))
    return Solver(state.table).values(state.hands)


def of_tricks(table: Table) -> Table:
    """The same table if tricks alone count: 10 points each, of either side."""
    bare = table.copy()
    bare.rules = replace(table.rules, first_hand_bids_itself=True)
    bare.bids = [NO_BID] * len(table.bids)
    bare.blind = [False] * len(table.bids)
    return bare
