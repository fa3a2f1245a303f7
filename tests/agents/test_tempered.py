"""A human model at a temperature."""

import random

import numpy as np
import pytest

from spades.agents import UnknownAgentError, parse_agent
from spades.agents.players.tempered import at_temperature
from spades.core.observation import observe
from tests.positions import random_bids, random_round


def decisions(n):
    rng = random.Random(11)
    return [observe(random_round(rng, 4 * i, bids=random_bids(rng))) for i in range(n)]


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (0.0, (1, 0, 0)),
        (1e-320, (1, 0, 0)),
        (0.5, (4 / 6, 1 / 6, 1 / 6)),  # squares: 4, 1 and 1 sixteenths
        (1.0, (1 / 2, 1 / 4, 1 / 4)),
        (2.0, (0.41421356, 0.29289322, 0.29289322)),  # roots: 1 to 0.7071
    ],
)
def test_probabilities_at_a_temperature(temperature, expected):
    assert at_temperature(np.array([0.5, 0.25, 0.25]), temperature) == pytest.approx(expected)


def test_equals_and_impossible_cards():
    assert at_temperature(np.array([0.4, 0.4, 0.2]), 0.0).tolist() == [1, 0, 0]
    assert at_temperature(np.array([1.0, 0.0]), 0.5).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("tempered", "direct"), [("temperature=0", "direct"), ("temperature=1", "direct:sample=on")]
)
def test_its_ends_are_direct_imitation(tempered, direct):
    tempered, direct = (parse_agent(text).player for text in (f"tempered:{tempered}", direct))
    for seen in decisions(12):
        for seed in range(5):
            assert tempered.play(seen, seed) == direct.play(seen, seed)


def test_a_low_temperature_plays_the_likeliest_card_more_often():
    likeliest = parse_agent("direct").player
    cold, warm, hot = (
        parse_agent(f"tempered:temperature={temperature}").player for temperature in (0.3, 1, 50)
    )
    n_likeliest = dict.fromkeys((cold, warm, hot), 0)
    for seen in decisions(10):
        best = likeliest.play(seen, 0)
        for player in n_likeliest:
            n_likeliest[player] += sum(player.play(seen, seed) == best for seed in range(40))
    assert n_likeliest[cold] > n_likeliest[warm] + 20 > n_likeliest[hot] + 40


def test_text_and_what_is_refused():
    assert str(parse_agent("tempered:temperature=0.5")) == "tempered"
    assert str(parse_agent("tempered:temperature=2+bis")) == "tempered:temperature=2.0+bis"
    with pytest.raises(UnknownAgentError, match=r"temperature is -1\.0; 0 to 1,000 are legal"):
        parse_agent("tempered:temperature=-1")
