"""Duplicate: the deals of a game again, with agents in the seats of its people."""

from collections.abc import Sequence
from dataclasses import replace

from spades.core.cards import four, partnership_of
from spades.core.records import RoundRecord
from spades.tables.game import DEAL, OVER, STAND_IN, Game, Move
from spades.tables.setup import Setup


def play_again(
    setup: Setup, seat: int, agent: str, finished: Sequence[RoundRecord]
) -> list[RoundRecord]:
    """The finished rounds of a game, from its first on, with ``agent`` in a person's seat, and
    ``STAND_IN`` in those of other people. Each has the deal of its record and the same chance as it
    had; the score that it begins at is that of the agents' own game. No other round is dealt.
    Raises what ``Setup`` raises."""
    agents = four(agent if i == seat else text or STAND_IN for i, text in enumerate(setup.agents))
    deals = tuple((record.dealer, record.hands) for record in finished)
    game = Game(replace(setup, agents=agents, rounds=len(deals), deals=deals))
    while game.phase != OVER:
        game.make(game.agents_move() or Move(0, DEAL))
    return game.records


def points_ahead(records: Sequence[RoundRecord], seat: int) -> list[int]:
    """By round, the points of the seat's side less those of the other."""
    own = partnership_of(seat)
    scored = [record.score() for record in records]
    return [one.points[own] - one.points[1 - own] for one in scored if one]
