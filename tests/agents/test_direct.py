"""Direct imitation: the model's best legal card, or one drawn from the model."""

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.core.errors import SpadesError, UnknownModelError
from spades.human import load_model, simulate_humans

SEEN = [record.observation(ply) for record in simulate_humans(2, 5).records() for ply in range(52)]


def test_it_plays_the_likeliest_card():
    player = parse_agent("direct:model=devlin2016").player
    probabilities = load_model("devlin2016").predict_proba(SEEN)
    for observation, p in zip(SEEN, probabilities, strict=True):
        assert p[observation.rules.cards.indices[player.play(observation, 1)]] == p.max()


def test_it_samples_as_often_as_the_model_says():
    player = parse_agent("direct:model=devlin2016,sample=on").player
    observation = max(SEEN, key=lambda seen: seen.legal_mask.bit_count())
    (p,) = load_model("devlin2016").predict_proba([observation])
    cards = [player.play(observation, seed) for seed in range(2000)]
    found = np.bincount(observation.rules.cards.indices[cards], minlength=52) / 2000
    np.testing.assert_allclose(found, p, atol=0.05)
    assert player.play(observation, 7) == player.play(observation, 7)


def test_its_text_and_what_is_refused():
    assert str(parse_agent("direct:model=devlin2016+bis")) == "direct:model=devlin2016+bis"
    assert str(parse_agent("direct")) == "direct"
    with pytest.raises(UnknownModelError, match="the models are devlin2016"):
        parse_agent("direct:model=../../etc/passwd")
    with pytest.raises(SpadesError, match="known: model=, sample="):
        parse_agent("direct:temperature=2")
