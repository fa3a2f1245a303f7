import numpy as np
import pytest

from analysis.people.players import LogPlayer, UnknownPlayerError, examples_of_player, players_of
from experiments.simulated_players import simulated_examples
from spades.agents import Seating, parse_agent, play_games
from spades.core.rules import Rules

TEXTS = ("human", "random", "human:spread=0.5,player=7", "random")


@pytest.fixture(scope="module")
def log():
    return play_games(Seating(tuple(map(parse_agent, TEXTS)), Rules(target=200)), 1, 0, 3).log()


def test_players_are_counted(log):
    n = len(log)
    assert players_of(log) == [
        LogPlayer(name, n, 3) for name in ("human", "human:spread=0.5,player=7", "random")
    ]


def test_decisions_of_a_player_are_those_of_its_seats(log):
    assert len(examples_of_player(log, "random")) == 26 * len(log)
    own = examples_of_player(log, TEXTS[2])
    assert len(own) == 13 * len(log)
    played = (log.hands[:, 2].repeat(13) >> own.cards) & 1
    assert played.all()
    assert np.array_equal(own.games, log.game_code.repeat(13))


def test_an_unknown_player_is_refused_with_those_there_are(log):
    wanted = r"no player is called 'Ann'; the log has human \(3 games\), human:spread"
    with pytest.raises(UnknownPlayerError, match=wanted):
        examples_of_player(log, "Ann")


def test_simulated_choices_go_on_from_any_game():
    whole, rest = simulated_examples("human", 3, 5), simulated_examples("human", 2, 5, first=1)
    assert np.array_equal(whole.views[whole.games > 0], rest.views)
    assert np.array_equal(whole.cards[whole.games > 0], rest.cards)
