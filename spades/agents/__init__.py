"""Agents as text, and rounds and games between them."""

from spades.agents.compiled import Seating
from spades.agents.pairs import Duel, PairResults, pair_log, play_pairs
from spades.agents.play import GameResults, NoNilError, play_games, play_range, play_rounds
from spades.agents.players import IsmctsPlayer, UnknownAgentError
from spades.agents.spec import BIDDERS, PLAYERS, Agent, parse_agent, parse_bidder

__all__ = [
    "BIDDERS", "PLAYERS", "Agent", "Duel", "GameResults", "IsmctsPlayer", "NoNilError",
    "PairResults", "Seating", "UnknownAgentError", "pair_log", "parse_agent", "parse_bidder",
    "play_games", "play_pairs", "play_range", "play_rounds",
]  # fmt: skip
