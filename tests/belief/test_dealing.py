"""Ways of drawing hidden cards by text: options, what they do, what is refused."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.belief import RULE_KEYS, RULE_NAMES, RULES, Dealing
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from tests.positions import random_round

SEEN = observe(random_round(random.Random(4), 9, bids=(6, 1, 4, 2)))


def shares(dealing, n=4000):
    """How often each seat holds each card."""
    deals, _ = dealing(SEEN).sample(n, seed_state(1))
    bits = deals[..., None] >> np.arange(64) & 1
    return bits.mean(axis=0)


def test_every_rule_has_a_key_of_its_own():
    assert len(RULE_KEYS) == len(RULES)
    assert list(RULE_KEYS.values()) == list(RULE_NAMES)


def test_a_rule_switched_off_deals_other_cards_where_it_applies():
    def deals(**options):
        return Dealing.of("biased", **options)(SEEN).sample(200, seed_state(1))[0]

    for key, applies in (("high-bid", True), ("spade-bid", True), ("nil", False)):
        assert np.array_equal(deals(), deals(without=key)) != applies


def test_floor_weighs_seats_whose_bids_are_used_up():
    low, high = (shares(Dealing.of("biased", floor=floor)) for floor in (0.001, 1.0))
    assert np.abs(low - high).max() > 0.05
    assert (shares(Dealing.of("biased", floor=0.02)) == shares(Dealing.of("biased"))).all()
    assert (
        parse_agent("ismcts:determinization=biased,floor=0.3").player.determinization.floor == 0.3
    )
    assert Dealing.of("biased", floor=0.3).text() == "biased (floor 0.3)"


def test_share_is_that_of_biased_deals():
    for share, other in ((0.0, Dealing()), (1.0, Dealing.of("biased"))):
        gap = shares(Dealing.of("mixed", share=share)) - shares(other)
        assert np.abs(gap).max() < 0.05  # four standard errors


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ismcts:determinization=psychic", "uniform, biased, mixed, posterior, network are legal"),
        (
            "ismcts:determinization=biased,without=luck",
            "without is 'luck'; high-bid, spade-bid, nil",
        ),
        ("ismcts:players=human", "players does nothing with determinization=uniform"),
        ("ismcts:determinization=network,players=robots", "any, human, search, rules are legal"),
        ("ismcts:without=nil", "without does nothing with determinization=uniform"),
        ("ismcts:determinization=mixed,share=2", "0 to 1 are legal"),
        ("flat-mc:determinization=biased,share=0.3", "it belongs to determinization=mixed"),
    ],
)
def test_what_does_nothing_or_is_not_there_is_refused(text, words):
    with pytest.raises(SpadesError, match=words):
        parse_agent(text)


def test_options_of_an_agent_are_those_of_the_dealing():
    text = "ismcts:iterations=100,determinization=mixed,share=0.3,without=nil/ducked"
    agent = parse_agent(text)
    assert agent.player.dealing == Dealing.of("mixed", without="nil/ducked", share=0.3)
    assert parse_agent(str(agent)) == agent
    assert agent.player.dealing.text() == "mixed (without nil and ducked, share 0.3)"
    assert 0 <= agent.player.play(SEEN, 1) < 64
