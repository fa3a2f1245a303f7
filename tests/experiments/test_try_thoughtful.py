"""Candidates for thoughtful people: what is counted, of few rounds."""

from pathlib import Path

import numpy as np
import pytest

from experiments import try_thoughtful
from experiments.papers.cohensius_people import GAMES_WON
from experiments.try_thoughtful import (
    Options,
    Searches,
    chances_of,
    measure,
    moves_of,
    table_of,
)
from spades.core.cards import HAND_SIZE
from spades.core.documents import read_json
from spades.human import simulate_humans
from spades.human.features.logs import examples_of_log
from spades.human.features.view import LEGAL
from spades.human.model import predict
from spades.human.networks.config import TrainingOptions
from spades.human.simulated import devlin2016_nil

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = examples_of_log(simulate_humans(30, 5))
HABIT_ALONE = Options(habit=1.0, lambda_=1e6, lowest=0.0)


def test_habit_alone_plays_as_the_simulated_human_does():
    p, moves = chances_of(HABIT_ALONE.player, EXAMPLES)
    expected = predict(devlin2016_nil().prior(), np.ascontiguousarray(EXAMPLES.views))
    assert p == pytest.approx(expected, abs=1e-4)
    n_legal = np.bitwise_count(EXAMPLES.views[:, LEGAL])
    assert np.array_equal((moves >= 0).sum(axis=1), n_legal)
    assert p.shape == (len(EXAMPLES), HAND_SIZE)


def test_each_decision_is_one_expected_move():
    expected = moves_of(Options(1.0, 2.0, 0.5).player, EXAMPLES)
    assert expected.shape == (32,)
    assert expected.sum() == pytest.approx(len(EXAMPLES))


def test_people_who_play_as_a_search_are_near_to_it():
    player = HABIT_ALONE.player
    moves = moves_of(player, EXAMPLES)
    searches = Searches(EXAMPLES, {"like them": moves, "other": np.roll(moves, 1)})
    kl = searches.kl_from(player)
    assert kl["like them"] == pytest.approx(0, abs=1e-9)
    assert kl["other"] > 0.1


def test_the_table_of_the_documentation_is_what_was_measured():
    document = read_json(try_thoughtful.TABLE)
    assert table_of(document) in (DOCS / "papers.md").read_text(encoding="utf-8")
    assert [
        Options(*(row[name] for name in Options._fields)) for row in document["candidates"]
    ] == [*try_thoughtful.CANDIDATES]


@pytest.mark.slow
def test_a_candidate_has_a_value_of_each_kind(monkeypatch):
    for name, count in (
        ("TRAINING_ROUNDS", 200),
        ("LOG_LINEAR_ROUNDS", 150),
        ("TEST_ROUNDS", 50),
        ("SEARCHED_ROUNDS", 2),
        ("GAMES", 40),
    ):
        monkeypatch.setattr(try_thoughtful, name, count)
    monkeypatch.setattr(try_thoughtful, "TRAINING", TrainingOptions(epochs=1))
    searches = Searches(EXAMPLES, {"a search": moves_of(HABIT_ALONE.player, EXAMPLES)})
    row = measure(Options(1.6, 1.5, 0.6), searches)
    assert 0.5 < row["log_linear"]["value"] < 0.75
    assert row["log_linear"]["interval"][0] < row["log_linear"]["value"]
    assert row["ceiling"]["value"] > row["network"]["value"]
    assert 0.4 < row["search"]["value"] < 0.7
    assert set(row["games"]) == set(GAMES_WON)
    assert -40 < row["gap"] < 40
