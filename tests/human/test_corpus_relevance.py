"""Relevance: cosines by hand, each pair used once, the same state recovered, nothing hidden."""

import math
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from spades.core.observation import observe
from spades.human import simulate_humans
from spades.human.corpus import Corpus, build_corpus, decision_features, suggest, suggestions_of
from spades.human.features.corpus_features import N_FEATURES
from tests.human import plain_corpus
from tests.positions import random_bids, random_round, swap_hidden


def vector(*head):
    found = np.zeros(N_FEATURES, dtype=np.int8)
    found[: len(head)] = head
    return found


def corpus_of(*pairs):
    n = len(pairs)
    return Corpus(
        "made-up",
        np.array([state for state, _ in pairs]),
        np.array([action for _, action in pairs]),
        np.zeros(n, np.int32),
        np.zeros(n, np.int8),
        {},
    )


@pytest.fixture(scope="module")
def simulated():
    log = simulate_humans(40, 4)
    return log, build_corpus(log, "simulated", source="simulated")


STATE = vector(3, 4)
OPTIONS = np.array([vector(-10), vector(0, -5), vector(20, 0, 20)])
CARDS = np.array([3, 17, 40])


def test_relevance_is_the_mean_of_two_cosines():
    """State (3, 4) against (4, 3): 24 / 25. Action (-3, -4) against (-1, 0): 3 / 5, (0, -1): 4 / 5,
    (1, 0, 1): -3 / (5 sqrt 2)."""
    found = suggestions_of(corpus_of((vector(4, 3), vector(-3, -4))), CARDS, STATE, OPTIONS)
    assert found.options.tolist() == [1]
    assert found.relevances[0] == pytest.approx((24 / 25 + 4 / 5) / 2)
    assert found.values[1] == pytest.approx((24 / 25 + 4 / 5) / 2)
    assert np.isnan(found.values[[0, 2]]).all()
    assert found.best == 17


def test_each_pair_speaks_once_for_the_option_it_fits_best():
    pairs = corpus_of(
        (vector(3, 4), vector(-1)),  # cosines 1 and 1 with the first
        (vector(4, -3), vector(-2)),  # 0 and 1
        (vector(3, 4), vector(0, 0, 7)),  # 1 and 1 / sqrt 2 with the third
        (vector(-3, -4), vector(1, 1)),  # -1 and 1 / 2 with the third
        (vector(3, 4), vector(0, 9)),  # 1 and 0 with the first and the third: the first
    )
    found = suggestions_of(pairs, CARDS, STATE, OPTIONS)
    assert found.options.tolist() == [0, 0, 2, 2, 0]
    assert found.relevances == pytest.approx([1, 0.5, (1 + math.sqrt(0.5)) / 2, -0.25, 0.5])
    assert found.n_pairs.tolist() == [3, 0, 2]
    assert found.values[0] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert found.values[2] == pytest.approx(((1 + math.sqrt(0.5)) / 2 - 0.25) / 2)
    assert math.isnan(found.values[1])


def test_a_zero_vector_is_like_nothing():
    found = suggestions_of(corpus_of((vector(), vector())), CARDS, STATE, OPTIONS)
    assert found.relevances.tolist() == [0.0]


def test_relevances_are_those_of_numpy(simulated):
    """Every pair's cosines with every option, in float64."""
    _, corpus = simulated
    rng = random.Random(3)
    for ply in (0, 6, 21, 38):
        seen = observe(random_round(rng, ply, bids=random_bids(rng)))
        features = decision_features(seen).astype(float)
        state, actions = features[0], features[1:] - features[0]
        pairs, taken = corpus.states.astype(float), corpus.actions.astype(float)
        of_states = pairs @ state / np.linalg.norm(pairs, axis=1) / np.linalg.norm(state)
        of_actions = taken @ actions.T
        of_actions /= np.linalg.norm(taken, axis=1)[:, None] * np.linalg.norm(actions, axis=1)
        relevance = (of_states[:, None] + of_actions) / 2
        found = suggest(corpus, seen)
        assert found.relevances == pytest.approx(relevance.max(axis=1))
        rows = np.arange(len(corpus))
        assert relevance[rows, found.options] == pytest.approx(relevance.max(axis=1))
        assert found.n_pairs.sum() == len(corpus)
        for i, value in enumerate(found.values):
            mine = found.relevances[found.options == i]
            assert len(mine) == found.n_pairs[i]
            if len(mine):
                assert value == pytest.approx(mine.mean())


def test_the_same_state_recovers_its_card(simulated):
    """A corpus of one pair says that card, with relevance 1, in the state it is from."""
    log, corpus = simulated
    records = list(log.records())
    for i in range(0, len(corpus), 97):
        alone = corpus_of((corpus.states[i], corpus.actions[i]))
        record, ply = records[corpus.rounds[i]], int(corpus.plies[i])
        played = record.plays[ply].code
        found = suggest(alone, record.observation(ply))
        assert found.best == played
        assert found.values[list(found.cards).index(played)] == pytest.approx(1)
        whole = suggest(corpus, record.observation(ply))
        assert whole.cards[whole.options[i]] == played
        assert whole.relevances[i] == pytest.approx(1)


def test_no_suggestion_looks_at_a_hidden_card(simulated):
    rng = random.Random(5)
    for ply in range(0, 50, 5):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        found, again = (suggest(simulated[1], observe(s)) for s in (state, other))
        assert np.array_equal(found.options, again.options)
        assert np.array_equal(found.values, again.values, equal_nan=True)


def test_compiled_suggestions_equal_their_plain_twin():
    command = [
        sys.executable, "-W", "ignore::RuntimeWarning", "-m", "tests.human.plain_corpus",
    ]  # fmt: skip
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.splitlines() == [str(line) for line in plain_corpus.lines()]
