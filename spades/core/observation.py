"""What one seat may see. Agents and models receive this, never the round.

The other three hands are no part of it: a search cannot look at what it isn't given.
"""

from dataclasses import dataclass

from spades.core.cards import HAND_SIZE, N_SEATS, SEATS, Card, Hand, Pair, clockwise, format_hand
from spades.core.display import observation_text
from spades.core.rules import NO_BID, Round, Rules, Table


@dataclass(frozen=True, repr=False)
class Observation:
    """A seat's own cards and the table.

    ``hand_mask``: the cards that the seat still holds, as a mask; ``hand``, ``legal`` and
    ``unseen`` are sets of cards for people, ``legal_mask`` and ``unseen_mask`` the masks of
    kernels. ``score_before`` and ``bags_before``: the game's points and bags by partnership when
    the round began; None where the record doesn't say."""

    seat: int
    hand_mask: int
    table: Table
    score_before: Pair | None = None
    bags_before: Pair | None = None

    @property
    def rules(self) -> Rules:
        return self.table.rules

    @property
    def hand(self) -> Hand:
        """Cards that the seat still holds."""
        return Hand(self.hand_mask, self.rules.cards)

    @property
    def legal(self) -> Hand:
        """Cards that the seat may play; none when another seat is to play."""
        return Hand(self.legal_mask, self.rules.cards)

    @property
    def legal_bids(self) -> tuple[int, ...]:
        """Bids that the seat may make, the lowest first, 0 being nil where the rules have it; none
        when it has bid."""
        if self.table.bids[self.seat] != NO_BID:
            return ()
        return tuple(self.table.legal_bids(self.seat))

    @property
    def unseen(self) -> Hand:
        """Cards that the other three hold."""
        return Hand(self.unseen_mask, self.rules.cards)

    @property
    def trick(self) -> tuple[Card, ...]:
        """Cards of the trick under way, in the order played."""
        return self.rules.cards.cards(self.table.trick)

    @property
    def legal_mask(self) -> int:
        """``legal`` as a mask; 0 when another seat is to play."""
        if self.table.turn != self.seat:
            return 0
        return self.table.legal_plays(self.hand_mask)

    @property
    def unseen_mask(self) -> int:
        """``unseen`` as a mask."""
        return self.rules.cards.mask & ~(self.hand_mask | self.table.played_mask)

    @property
    def hand_sizes(self) -> list[int]:
        """Cards still held by each seat."""
        sizes = [HAND_SIZE - len(self.table.winners)] * N_SEATS
        for seat, _ in zip(clockwise(self.table.leader), self.table.trick, strict=False):
            sizes[seat] -= 1
        return sizes

    def text(self) -> str:
        """The observation on one line, for errors."""
        hand = format_hand(self.hand_mask, self.rules.cards)
        return f"{SEATS[self.seat]}:{hand}; {self.table.text()}"

    def __repr__(self) -> str:
        return f"<Observation {self.text()}>"

    def __str__(self) -> str:
        return observation_text(self)


def observe(
    state: Round,
    seat: int | None = None,
    *,
    score_before: Pair | None = None,
    bags_before: Pair | None = None,
) -> Observation:
    """What ``seat`` (default: the seat to play) sees of a round."""
    observer = state.table.turn if seat is None else seat
    return Observation(
        observer, state.hands[observer], state.table.copy(), score_before, bags_before
    )
