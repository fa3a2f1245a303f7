"""The players of a log: how much each played, and what each decided."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents import Seating, parse_agent, play_games
from spades.core.cards import N_SEATS
from spades.core.errors import SpadesError, shown
from spades.core.kernel import BoolArray
from spades.core.logs import Log
from spades.core.rules import Rules
from spades.human.features.logs import Examples, examples_of_seats

MAX_LISTED = 12
HUMAN = "human"
SEAT = 2


class UnknownPlayerError(SpadesError):
    """A name that no player of a log has."""


class LogPlayer(NamedTuple):
    """A player of a log, and how many of its rounds and games the player was in."""

    name: str
    rounds: int
    games: int


def players_of(log: Log) -> list[LogPlayer]:
    """All who are named, those with the most rounds first."""
    n_rounds = _distinct_by_player(log, np.arange(len(log)))
    n_games = _distinct_by_player(log, log.game_code)
    players = [
        LogPlayer(name, rounds, games)
        for name, rounds, games in zip(log.players, n_rounds, n_games, strict=True)
        if name and rounds
    ]
    return sorted(players, key=lambda player: (-player.rounds, player.name))


def _distinct_by_player(log: Log, code_of_round: NDArray) -> list[int]:
    """How many different codes the rounds of each player have."""
    pairs = np.stack([log.player_code.ravel(), code_of_round.repeat(N_SEATS)])
    players = np.unique(pairs, axis=1)[0]
    counts: list[int] = np.bincount(players, minlength=len(log.players)).tolist()
    return counts


def examples_of_player(log: Log, name: str) -> Examples:
    """Every decision of a player, in order, forced ones too. Raises ``UnknownPlayerError``."""
    return examples_of_seats(log, seats_of_player(log, name))


def seats_of_player(log: Log, name: str) -> BoolArray:
    """Which seats a player has, (rounds, 4). Raises ``UnknownPlayerError``, which lists the log's
    players."""
    if not name or name not in log.players:
        known = players_of(log)
        listed = ", ".join(
            f"{player.name} ({player.games:,} games)" for player in known[:MAX_LISTED]
        )
        more = f" and {len(known) - MAX_LISTED:,} more" if len(known) > MAX_LISTED else ""
        raise UnknownPlayerError(
            f"no player is called {shown(name)}; the log has {listed or 'no names'}{more}"
        )
    return log.player_code == log.players.index(name)


def simulated_examples(agent: str, n_games: int, seed: int, first: int = 0) -> Examples:
    """Choices of an agent in the games of ``simulated_log``."""
    log = simulated_log(agent, n_games, seed, first)
    is_agent = np.tile(np.arange(N_SEATS) == SEAT, (len(log), 1))
    return examples_of_seats(log, is_agent).unforced


def simulated_log(agent: str, n_games: int, seed: int, first: int = 0) -> Log:
    """``n_games`` games of a seed from number ``first`` on: an agent in the South among three
    simulated humans."""
    agents = [parse_agent(HUMAN)] * N_SEATS
    agents[SEAT] = parse_agent(agent)
    return play_games(Seating(tuple(agents), Rules()), seed, first, first + n_games).log()  # type: ignore[arg-type]
