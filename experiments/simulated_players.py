"""Games of an agent among simulated humans, as of a player to be recognized."""

import numpy as np

from spades.agents import Seating, parse_agent, play_games
from spades.core.cards import N_SEATS
from spades.core.logs import Log
from spades.core.rules import Rules
from spades.human.features.logs import Examples, examples_of_seats

SEAT = 2  # the agent's, South


def simulated_examples(agent: str, n_games: int, seed: int, first: int = 0) -> Examples:
    """Choices of an agent in the games of ``simulated_log``."""
    log = simulated_log(agent, n_games, seed, first)
    is_agent = np.tile(np.arange(N_SEATS) == SEAT, (len(log), 1))
    return examples_of_seats(log, is_agent).unforced


def simulated_log(agent: str, n_games: int, seed: int, first: int = 0) -> Log:
    """``n_games`` games of a seed from number ``first`` on: an agent in the South among three
    simulated humans."""
    human = parse_agent("human")
    seating = Seating((human, human, parse_agent(agent), human), Rules())
    return play_games(seating, seed, first, first + n_games).log()
