"""Card probabilities of models and agents at a player's choices."""

import numpy as np
import pytest

from analysis.people import predictions
from analysis.people.predictions import (
    Choices,
    fit_power,
    own_probabilities,
    pooled_shares,
    probabilities_of,
    searches_of,
    to_probabilities,
)
from experiments.simulated_players import SEAT, simulated_log
from spades.agents import parse_agent
from spades.core.cards import HAND_SIZE, cards_in
from spades.core.logs import concatenate
from spades.human import load_model

SEARCHER = "ismcts:iterations=30"


@pytest.fixture(scope="module")
def log():
    return simulated_log("srp", 2, 5)


@pytest.fixture(scope="module")
def choices(log):
    return Choices.of(log, np.tile(np.arange(4) == SEAT, (len(log), 1)))


def test_choices_are_the_seats_unforced_plays(log, choices):
    assert len(choices) == len(choices.examples) > 100
    for i, (record, ply) in enumerate(choices.places()):
        seen = record.observation(ply)
        legal = list(cards_in(seen.legal_mask))
        assert (seen.seat, record) == (SEAT, log.record(choices.rows[i]))
        assert record.plays[ply].code == choices.examples.cards[i] == legal[choices.played[i]]
        assert len(legal) == choices.counts[i] > 1
    window = np.tile(np.arange(4) == SEAT, (len(log), 1)) & (np.arange(len(log)) == 3)[:, None]
    assert set(Choices.of(log, window).rows.tolist()) == {3}


def test_a_repeated_round_counts_once(log, choices):
    twice = concatenate([log, log])
    found = Choices.of(twice, np.tile(np.arange(4) == SEAT, (len(twice), 1)))
    assert found.rows.tolist() == choices.rows.tolist()


def test_models_say_their_own_probabilities(choices):
    human = own_probabilities("human", choices.examples)
    assert np.allclose(human.sum(axis=1), 1)
    assert np.allclose(human, own_probabilities("devlin2016-nil", choices.examples))
    record, ply = choices.places()[7]
    seen = record.observation(ply)
    (whole,) = load_model("devlin2016-nil").predict_proba([seen])
    legal = seen.rules.cards.indices[list(cards_in(seen.legal_mask))]
    assert np.allclose(whole[legal], human[7, : len(legal)])
    assert own_probabilities(SEARCHER, choices.examples) is None


def test_shares_of_an_agent_that_never_varies_are_its_card(choices):
    places = choices.places()[:30]
    for (record, ply), shares in zip(places, pooled_shares("srp", places), strict=True):
        card = parse_agent("srp").player.play(record.observation(ply), 0)
        legal = list(cards_in(record.observation(ply).legal_mask))
        assert shares[: len(legal)] == [float(code == card) for code in legal]
        assert not any(shares[len(legal) :])


def test_visits_are_pooled_over_searches_of_other_seeds(choices, monkeypatch):
    places = choices.places()[:5]
    assert searches_of(SEARCHER) == (32, 1 / 960)
    assert searches_of("ismcts:iterations=2500") == (8, 1 / 20_000)
    assert searches_of("ismcts:iterations=200000") == (2, 1 / 400_000)
    assert searches_of("srp") == (8, 1 / 16)
    pooled = pooled_shares(SEARCHER, places)
    assert pooled == pooled_shares(SEARCHER, places)
    assert np.allclose([sum(row) for row in pooled], 1, atol=1e-5)
    monkeypatch.setattr(predictions, "MIN_SEARCHES", 1)
    monkeypatch.setattr(predictions, "MAX_SEARCHES", 1)
    assert pooled_shares(SEARCHER, places) != pooled


def test_shares_to_a_power_by_hand():
    shares, counts = np.zeros((2, HAND_SIZE)), np.array([2, 3])
    shares[0, :2], shares[1, :3] = (0.75, 0.25), (0.5, 0.5, 0)
    p = to_probabilities(shares, counts, 2.0, 0.0 + 1e-12)
    assert np.allclose(p[0, :3], (0.9, 0.1, 0))
    assert np.allclose(p[1, :4], (0.5, 0.5, 0, 0))
    assert to_probabilities(shares, counts, 1.0, 0.5)[1, 2] == pytest.approx(0.5 / 2.5)


def test_the_power_that_was_played_with_is_found(choices):
    rng = np.random.default_rng(1)
    is_card = np.arange(HAND_SIZE) < choices.counts[:, None]
    shares = np.where(is_card, rng.gamma(0.7, size=is_card.shape), 0)
    shares /= shares.sum(axis=1, keepdims=True)
    p = to_probabilities(shares, choices.counts, 2.5, 0.01)
    drawn = (rng.random((len(p), 1)) > p.cumsum(axis=1)).sum(axis=1)
    codes = [
        list(cards_in(record.observation(ply).legal_mask))[at]
        for at, (record, ply) in zip(drawn, choices.places(), strict=True)
    ]
    choices.examples.cards[:], before = codes, choices.examples.cards.copy()
    found = fit_power(shares, choices, 0.01)
    choices.examples.cards[:] = before
    assert 1.9 < found < 3.3


def test_any_model_gives_probabilities(choices, monkeypatch):
    few = choices.take(slice(20))
    monkeypatch.setattr(predictions, "REFERENCE_ROUNDS", 1)
    for model in ("human", SEARCHER, "srp"):
        p = probabilities_of(model, few)
        assert np.allclose(p.sum(axis=1), 1)
        assert not p[np.arange(HAND_SIZE) >= few.counts[:, None]].any()
    own = probabilities_of("srp", few)[np.arange(20), few.played]
    assert own.min() > 0.99
    assert np.allclose(np.exp(few.log_p(probabilities_of("srp", few))), own)
