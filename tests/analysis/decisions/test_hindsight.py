"""What a play cost as the cards lay: measured without the luck of the best of several means."""

import numpy as np
import pytest

from analysis.decisions.hindsight import ROUNDS, hindsight_in_steps, measure_loss
from spades.core.equivalence import equivalent_cards
from spades.core.steps import last_value
from tests.pages.texts import shipped


@pytest.fixture(autouse=True)
def own_results(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def test_noise_alone_costs_nothing():
    """The best of eight equal means would be 1.4 standard errors too good."""
    rng = np.random.default_rng(3)
    losses = [measure_loss(rng.normal(0, 30, (40, 8)), 0).loss for _ in range(400)]
    error = np.std(losses) / np.sqrt(len(losses))
    assert abs(np.mean(losses)) < 3 * error
    assert error < 0.5


def test_what_is_lost_in_every_round_is_found():
    points = np.zeros((10, 3))
    points[:, 2] = 7
    assert measure_loss(points, 0) == measure_loss(points, 1)
    assert (measure_loss(points, 0).loss, measure_loss(points, 0).se) == (7, 0)
    assert measure_loss(points, 2).loss == 0


def test_a_play_is_measured_on_the_true_deal():
    """One card of the last tricks gives points up in nearly all of the rounds played on."""
    record = shipped("south-nil")
    plies = [ply for ply in range(30, 48) if len(equivalent_cards(record.observation(ply))) > 1]
    found = {ply: last_value(hindsight_in_steps(record, ply)) for ply in plies}
    assert all(cost.rounds == ROUNDS for cost in found.values())
    worst = max(found, key=lambda ply: found[ply].loss)
    assert found[worst].loss > 20
    assert found[worst].loss > 4 * found[worst].se
    again = last_value(hindsight_in_steps(record, worst))
    assert again == found[worst]
