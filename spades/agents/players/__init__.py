"""The players, a file each."""

from spades.agents.player import Player
from spades.core.registry import implementations

PLAYERS: dict[str, type[Player]] = implementations(__name__, Player)
"""All players, by the names that agents' texts give them."""
