"""The players of a log: how much each played, and what each decided."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents import Seating, parse_agent, play_games
from spades.core.cards import N_SEATS
from spades.core.errors import SpadesError, shown
from spades.core.logs import Log
from spades.core.rules import Rules
from spades.human.features.logs import Examples, examples_of_seats

MAX_LISTED = 12
HUMAN, SEAT = "human", 2


class UnknownPlayerError(SpadesError):
    """A name that no player of a log has."""


class LogPlayer(NamedTuple):
    """A player of a log, and in how many of its rounds and games."""

    name: str
    rounds: int
    games: int


def players_of(log: Log) -> list[LogPlayer]:
    """All who are named, those with the most rounds first."""
    counts = []
    for of in (np.arange(len(log)), log.game_code):
        pairs = np.stack([log.player_code.ravel(), of.repeat(N_SEATS)])
        once = np.unique(pairs, axis=1)[0]
        counts.append(np.bincount(once, minlength=len(log.players)).tolist())
    found = map(LogPlayer, log.players, *counts)
    listed = [player for player in found if player.name and player.rounds]
    return sorted(listed, key=lambda player: (-player.rounds, player.name))


def examples_of_player(log: Log, name: str) -> Examples:
    """Every decision of a player, in order, forced ones too. ``UnknownPlayerError`` lists whom the
    log has."""
    return examples_of_seats(log, seats_of_player(log, name))


def seats_of_player(log: Log, name: str) -> NDArray[np.bool_]:
    """Which seats a player has, (n, 4). ``UnknownPlayerError``."""
    if not name or name not in log.players:
        known = players_of(log)
        listed = ", ".join(f"{one.name} ({one.games:,} games)" for one in known[:MAX_LISTED])
        more = f" and {len(known) - MAX_LISTED:,} more" if len(known) > MAX_LISTED else ""
        raise UnknownPlayerError(
            f"no player is called {shown(name)}; the log has {listed or 'no names'}{more}"
        )
    return log.player_code == log.players.index(name)


def simulated_examples(agent: str, n_games: int, seed: int, first: int = 0) -> Examples:
    """Choices of an agent in the games of ``simulated_log``."""
    log = simulated_log(agent, n_games, seed, first)
    return examples_of_seats(log, np.tile(np.arange(N_SEATS) == SEAT, (len(log), 1))).unforced


def simulated_log(agent: str, n_games: int, seed: int, first: int = 0) -> Log:
    """``n_games`` games of a seed from number ``first`` on: an agent in the South among three
    simulated humans."""
    agents = [parse_agent(HUMAN)] * N_SEATS
    agents[SEAT] = parse_agent(agent)
    return play_games(Seating(tuple(agents), Rules()), seed, first, first + n_games).log()  # type: ignore[arg-type]
