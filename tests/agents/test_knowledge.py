"""The knowledge-based player and the star levels, as agents."""

import random

import pytest

from spades.agents import Seating, parse_agent, play_rounds
from spades.agents.players.flat import FlatPlayer
from spades.agents.players.stars import ITERATIONS, SIMULATIONS
from spades.core.errors import SpadesError
from spades.core.observation import observe
from spades.core.rules import Rules
from tests.positions import random_bids, random_round, swap_hidden

AGENTS = [
    "flat-mc:simulations=6",
    "flat-mc:simulations=6,epsilon=0,determinization=biased",
    "stars:level=1",
    "stars:level=2+kb",
    "stars:level=4,by=ismcts",
    "ismcts:iterations=20,playout=heuristic",
    "ismcts:iterations=20,playout=human",
    "ismcts:iterations=20,skew=on,skew_k=30",
]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("flat-mc", "flat-mc:simulations=128"),
        ("flat-mc:simulations=64+kb", "flat-mc:simulations=64+kb"),
        ("flat-mc:best_bonus=0,epsilon=0.5", "flat-mc:simulations=128,epsilon=0.5,best_bonus=0.0"),
        ("stars", "stars:level=5"),
        ("stars:level=4,by=ismcts", "stars:level=4,by=ismcts"),
        ("ismcts:skew=on,skew_k=40", "ismcts:iterations=2500,skew=on,skew_k=40.0"),
        ("ismcts:playout=heuristic,epsilon=0.1",
         "ismcts:iterations=2500,playout=heuristic,epsilon=0.1"),
    ],
)  # fmt: skip
def test_text(text, canonical):
    assert str(parse_agent(text)) == canonical
    assert parse_agent(canonical) == parse_agent(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flat-mc:simulations=0", "1 to 1,000,000 are legal"),
        ("flat-mc:iterations=10", "known: simulations=, epsilon=, best_bonus=, second_bonus="),
        (
            "flat-mc:determinization=telepathy",
            "uniform, biased, mixed, posterior, network are legal",
        ),
        ("flat-mc:second_bonus=-1", "0 to 1,000 are legal"),
        ("stars:level=0", "1 to 6 are legal"),
        ("stars:level=6,by=ismcts", "1 to 5 are legal with by=ismcts"),
        ("stars:by=magic", "flat-mc, ismcts are legal"),
        ("stars:stars=3", "known: level=, by="),
        ("ismcts:skew=maybe", "on and off are legal"),
        ("ismcts:skew_k=7", "does nothing with skew=off"),
        ("ismcts:skew=on,bias=knowledge", "can't both be on"),
        ("ismcts:epsilon=0.1", "it belongs to playout=heuristic"),
    ],
)
def test_what_is_no_agent_is_refused_with_what_is(text, told):
    with pytest.raises(SpadesError, match=told):
        parse_agent(text)


def test_what_each_level_is():
    flat = {level: parse_agent(f"stars:level={level}").player.player for level in SIMULATIONS}
    assert all(isinstance(player, FlatPlayer) for player in flat.values())
    assert [flat[level].simulations for level in range(1, 7)] == [8, 16, 32, 64, 128, 256]
    assert {player.determinization.name for player in flat.values()} == {"biased"}
    for level, iterations in ITERATIONS.items():
        player = parse_agent(f"stars:level={level},by=ismcts").player.player
        assert (
            player
            == parse_agent(f"ismcts:iterations={iterations},determinization=biased,skew=on").player
        )
    assert ITERATIONS == {4: 1000, 5: 2500}
    assert parse_agent("stars:level=3,by=ismcts").player.player == flat[3]


def test_a_level_plays_as_what_it_stands_for():
    rng = random.Random(1)
    stars, same = (
        parse_agent(text).player
        for text in ("stars:level=2", "flat-mc:simulations=16,determinization=biased")
    )
    for ply in range(0, 50, 4):
        seen = observe(random_round(rng, ply, bids=random_bids(rng)))
        assert stars.play(seen, ply) == same.play(seen, ply)


@pytest.mark.parametrize("text", AGENTS)
def test_no_player_looks_at_hidden_cards(text):
    rng, player = random.Random(2), parse_agent(text).player
    for ply in range(0, 50, 5):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        for seed in range(2):
            card = player.play(observe(state), seed)
            assert card == player.play(observe(other), seed)
            assert state.legal_plays() >> card & 1


@pytest.mark.parametrize("text", AGENTS)
def test_whole_rounds_against_srp(text):
    """The engine refuses an illegal card; a round repeats by its seed."""
    for i, rules in enumerate((Rules(), Rules(nil=None), Rules(deck="joker-joker-deuce-deuce"))):
        agents = tuple(parse_agent(name) for name in (text, "srp", text, "srp"))
        first, again = (play_rounds(Seating(agents, rules), 9, i, i + 1) for _ in "ab")
        assert first.plays.tolist() == again.plays.tolist()
        assert first.plays.shape == (1, 52)


def test_simulations_make_the_player_stronger():
    """More simulations agree oftener with the choice of very many."""
    rng, agreed = random.Random(3), {4: 0, 128: 0}
    for ply in [*range(0, 44, 2)] * 2:
        seen = observe(random_round(rng, ply, bids=random_bids(rng)))
        best = FlatPlayer(simulations=3000).play(seen, 99)
        for n in agreed:
            agreed[n] += FlatPlayer(simulations=n).play(seen, 1) == best
    assert agreed[128] > agreed[4] + 3
