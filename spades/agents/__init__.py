"""Agents as text, and rounds and games between them."""

from spades.agents.play import Seating, play_game, play_range, play_round
from spades.agents.players import IsmctsPlayer, UnknownAgentError
from spades.agents.spec import BIDDERS, PLAYERS, Agent, parse_agent, parse_bidder

__all__ = [
    "BIDDERS",
    "PLAYERS",
    "Agent",
    "IsmctsPlayer",
    "Seating",
    "UnknownAgentError",
    "parse_agent",
    "parse_bidder",
    "play_game",
    "play_range",
    "play_round",
]
