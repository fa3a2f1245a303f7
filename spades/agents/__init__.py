"""Agents as text, and rounds and games between them."""

from spades.agents.pairs import Duel, NoNilError, PairResults, play_pairs
from spades.agents.play import Seating, play_game, play_range, play_round
from spades.agents.players import IsmctsPlayer, UnknownAgentError
from spades.agents.spec import BIDDERS, PLAYERS, Agent, parse_agent

__all__ = [
    "BIDDERS",
    "PLAYERS",
    "Agent",
    "Duel",
    "IsmctsPlayer",
    "NoNilError",
    "PairResults",
    "Seating",
    "UnknownAgentError",
    "parse_agent",
    "play_game",
    "play_pairs",
    "play_range",
    "play_round",
]
