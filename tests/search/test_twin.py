"""The compiled search against its twin in plain Python, visit by visit."""

import itertools
import math
import random

import pytest

from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import load_prior
from spades.search import Experience, Knowledge, NilAwarePlayout, RuleSkew, SearchSettings, search
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD
from tests.positions import random_bids, random_round
from tests.search.twin import Twin

HUMAN = "devlin2016-nil"
SETTINGS = {
    "standard": SearchSettings(),
    "exploration and scale": SearchSettings(exploration=0.3, reward_scale=150),
    "nil-aware": SearchSettings(playout=NilAwarePlayout()),
    "knowledge": SearchSettings(bias=Knowledge(HUMAN, c_bt=0.3, k=50.0)),
    "knowledge, fading slowly": SearchSettings(bias=Knowledge(c_bt=0.1, k=2000.0)),
    "knowledge, delayed": SearchSettings(bias=Knowledge(HUMAN, c_bt=0.4, k=100.0, delay="12")),
    "knowledge at the root": SearchSettings(bias=Knowledge(HUMAN, c_bt=0.4, k=100.0, delay="root")),
    "experience": SearchSettings(bias=Experience(HUMAN, w=7)),
    "experience, delayed": SearchSettings(bias=Experience(HUMAN, w=20, delay="5")),
    "knowledge, asked first": SearchSettings(
        bias=Knowledge(HUMAN, c_bt=0.3, k=50.0, asked=FIRST_CHILD)
    ),
    "knowledge, delayed, asked first": SearchSettings(
        bias=Knowledge(HUMAN, c_bt=0.4, k=100.0, delay="3", asked=FIRST_CHILD)
    ),
    "experience, asked last": SearchSettings(bias=Experience(HUMAN, w=7, asked=ALL_CHILDREN)),
    "experience, delayed, asked last": SearchSettings(
        bias=Experience(HUMAN, w=20, delay="5", asked=ALL_CHILDREN)
    ),
    "others by rules": SearchSettings(others="rules"),
    "knowledge, others by rules": SearchSettings(
        bias=Knowledge(HUMAN, c_bt=0.3, k=50.0), others="rules"
    ),
    "skew": SearchSettings(skew=RuleSkew()),
    "skew, slow": SearchSettings(skew=RuleSkew(1000.0)),
}
PLIES = {0: 60, 7: 80, 21: 150, 30: 200, 38: 300, 45: 300}
"""Iterations by ply: late positions have trees of some depth."""
DECKS = "standard", "joker-joker-deuce-deuce"


@pytest.mark.parametrize("name", SETTINGS)
def test_the_search_finds_what_its_twin_finds(name):
    settings, rng, n_close = SETTINGS[name], random.Random(name), 0
    prior = load_prior(settings.bias.model) if settings.bias else None
    for deck, (ply, iterations) in itertools.product(DECKS, PLIES.items()):
        state = random_round(rng, ply, rules=Rules(deck=deck), bids=random_bids(rng))
        options = {"seed": ply, "settings": settings, "prior": prior}
        found = search(observe(state), iterations=iterations, **options)
        twin = Twin(state, settings, ply)
        root = twin.run(iterations)
        n_close += twin.is_close
        for row in [] if twin.is_close else found.cards:
            child = root.children[row.card.code]
            assert (row.visits, row.availability) == (child.visits, child.available), state.text()
            if child.visits:
                assert row.mean_value == pytest.approx(child.points / child.visits)
            assert math.isnan(row.prior) or row.prior == pytest.approx(child.prior, rel=1e-6)
            if child.visits > 1:
                variance = child.squared / child.visits - (child.points / child.visits) ** 2
                error = math.sqrt(max(0, variance) / (child.visits - 1))
                assert row.standard_error == pytest.approx(error)
    assert n_close <= 6
