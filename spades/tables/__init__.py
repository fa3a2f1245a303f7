"""Games at a table: people and agents in the seats, every move stored as it is made."""

from spades.tables.duplicate import play_again, points_ahead
from spades.tables.game import Game, Move
from spades.tables.live import LiveTables
from spades.tables.log import games_of, store_played
from spades.tables.setup import Setup, TableError
from spades.tables.store import Seat, TableStore

__all__ = [
    "Game", "LiveTables", "Move", "Seat", "Setup", "TableError", "TableStore", "games_of",
    "play_again", "points_ahead", "store_played",
]  # fmt: skip
