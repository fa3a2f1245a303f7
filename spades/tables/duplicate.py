"""Duplicate play: the deals of a game played again by agents."""

from collections.abc import Sequence
from dataclasses import replace

from spades.core.cards import four, partnership_of
from spades.core.records import Record
from spades.tables.game import DEAL, OVER, STAND_IN, Game, Move
from spades.tables.setup import Setup


def play_again(setup: Setup, seat: int, agent: str, finished: Sequence[Record]) -> list[Record]:
    """The finished rounds of a game played again, with ``agent`` in a person's seat and
    ``STAND_IN`` in those of other people. Deals and the agents' random draws are those of the
    records; the scores before each round are those of the agents' own game. Raises as ``Setup``."""
    agents = [text or STAND_IN for text in setup.agents]
    agents[seat] = agent
    deals = tuple((record.dealer, record.hands) for record in finished)
    game = Game(replace(setup, agents=four(agents), rounds=len(deals), deals=deals))
    while game.phase != OVER:
        game.make(game.agents_move() or Move(0, DEAL))
    return game.records


def points_ahead(records: Sequence[Record], seat: int) -> list[int]:
    """The point difference of each round from the point of view of a seat's partnership."""
    own = partnership_of(seat)
    differences = []
    for record in records:
        score = record.score()
        if score is not None:
            differences.append(score.points[own] - score.points[1 - own])
    return differences
