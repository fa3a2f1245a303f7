"""What one seat may see. Agents and models receive this, never the round.

The other three hands are no part of it: a search cannot look at what it isn't given.
"""

from dataclasses import dataclass

from spades.core.cards import HAND_SIZE, N_SEATS, SEATS
from spades.core.rules import Round, Rules, Table, format_hand

Pair = tuple[int, int]


@dataclass(frozen=True)
class Observation:
    """A seat's own cards and the table. ``score_before`` and ``bags_before``: the game's points and
    bags by partnership when the round began; None where the record doesn't say."""

    seat: int
    hand: int
    table: Table
    score_before: Pair | None = None
    bags_before: Pair | None = None

    @property
    def rules(self) -> Rules:
        return self.table.rules

    @property
    def legal_mask(self) -> int:
        """Cards the seat may play; 0 when another seat is to play."""
        return self.table.legal_plays(self.hand) if self.table.turn == self.seat else 0

    @property
    def unseen_mask(self) -> int:
        """Cards that the other three hold."""
        return self.rules.cards.mask & ~(self.hand | self.table.played_mask)

    @property
    def hand_sizes(self) -> list[int]:
        """Cards still held by each seat."""
        sizes = [HAND_SIZE - len(self.table.winners)] * N_SEATS
        for i in range(len(self.table.trick)):
            sizes[(self.table.leader + i) % N_SEATS] -= 1
        return sizes

    def text(self) -> str:
        """The observation on one line."""
        hand = format_hand(self.hand, self.rules.cards)
        return f"{SEATS[self.seat]}:{hand}; {self.table.text()}"


def observe(
    state: Round,
    seat: int | None = None,
    *,
    score_before: Pair | None = None,
    bags_before: Pair | None = None,
) -> Observation:
    """What ``seat`` (default: the seat to play) sees of a round."""
    seat = state.table.turn if seat is None else seat
    return Observation(seat, state.hands[seat], state.table.copy(), score_before, bags_before)
