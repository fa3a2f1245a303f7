"""The players of a log, and their decisions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_SEATS
from spades.core.errors import SpadesError, shown
from spades.core.kernel import BoolArray
from spades.core.logs import Log
from spades.human.features.logs import Examples, examples_of_seats

MAX_LISTED = 12


class UnknownPlayerError(SpadesError):
    """A name that no player of a log has."""


class LogPlayer(NamedTuple):
    """A player of a log, and how many of its rounds and games the player was in."""

    name: str
    rounds: int
    games: int


def players_of(log: Log) -> list[LogPlayer]:
    """All named players, those with the most rounds first."""
    n_rounds = _distinct_by_player(log, np.arange(len(log)))
    n_games = _distinct_by_player(log, log.game_code)
    players = []
    for name, rounds, games in zip(log.players, n_rounds, n_games, strict=True):
        if name and rounds:
            players.append(LogPlayer(name, rounds, games))
    return sorted(players, key=lambda player: (-player.rounds, player.name))


def _distinct_by_player(log: Log, code_of_round: NDArray) -> list[int]:
    """How many different codes the rounds of each player have."""
    codes = code_of_round.repeat(N_SEATS)
    players, _ = np.unique([log.player_code.ravel(), codes], axis=1)
    return list(np.bincount(players, minlength=len(log.players)).tolist())


def examples_of_player(log: Log, name: str) -> Examples:
    """Every decision of a player, in order, forced ones too. Raises ``UnknownPlayerError``."""
    return examples_of_seats(log, seats_of_player(log, name))


def seats_of_player(log: Log, name: str) -> BoolArray:
    """Which seats a player has, (rounds, 4). Raises ``UnknownPlayerError``, which lists the log's
    players."""
    if not name or name not in log.players:
        known = players_of(log)
        names = [f"{player.name} ({player.games:,} games)" for player in known[:MAX_LISTED]]
        listed = ", ".join(names) or "no names"
        if len(known) > MAX_LISTED:
            listed += f" and {len(known) - MAX_LISTED:,} more"
        raise UnknownPlayerError(f"no player is called {shown(name)}; the log has {listed}")
    return log.player_code == log.players.index(name)
