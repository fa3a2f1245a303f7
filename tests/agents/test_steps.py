"""A decision made in steps is the decision made at once, and a long search has many steps."""

import random

import pytest

from spades.agents import PLAYERS, parse_agent
from spades.core.observation import observe
from spades.core.steps import last_value
from tests.agents.test_players import EVERY, GAME
from tests.positions import random_bids, random_round

LONG = (
    "ismcts:iterations=10000", "best:iterations=9000", "ismcts:iterations=9000,bias=pikl",
    "ismcts:iterations=9000,bias=knowledge", "ismcts:iterations=9000,playout=human",
    "uct:iterations=9000", "flat-mc:simulations=9000", "flat-ucb:iterations=9000",
    "pimc:deals=12,depth=5",
)  # fmt: skip


def decisions(n, ply):
    rng = random.Random(ply)
    rounds = (random_round(rng, ply, bids=random_bids(rng)) for _ in range(n))
    return [observe(state, **GAME) for state in rounds]


@pytest.mark.parametrize("text", [*EVERY, *LONG])
def test_a_card_played_in_steps_is_the_card_played_at_once(text):
    player = parse_agent(text).player
    for ply in (0, 22, 33, 51):
        for i, seen in enumerate(decisions(2, ply)):
            assert last_value(player.play_in_steps(seen, i)) == player.play(seen, i)


@pytest.mark.parametrize("text", LONG)
def test_a_search_can_be_interrupted(text):
    player = parse_agent(text).player
    (seen,) = decisions(1, 33)
    assert sum(1 for _ in player.play_in_steps(seen, 3)) >= 3


def test_every_player_that_gives_values_searches_in_steps():
    for name, player in PLAYERS.items():
        assert player.has_values() == hasattr(player, "evaluate_in_steps"), name
