"""Agents as text, and rounds and games between them."""

from spades.agents.agent import Agent, parse_agent, parse_bidder
from spades.agents.bidders import BIDDERS
from spades.agents.compiled import Seating
from spades.agents.component import UnknownAgentError
from spades.agents.pairs import Duel, PairResults, pair_log, play_pairs
from spades.agents.play import GameResults, NoNilError, play_games, play_range, play_rounds
from spades.agents.players import PLAYERS
from spades.agents.players.ismcts import IsmctsPlayer

__all__ = [
    "BIDDERS", "PLAYERS", "Agent", "Duel", "GameResults", "IsmctsPlayer", "NoNilError",
    "PairResults", "Seating", "UnknownAgentError", "pair_log", "parse_agent", "parse_bidder",
    "play_games", "play_pairs", "play_range", "play_rounds",
]  # fmt: skip
