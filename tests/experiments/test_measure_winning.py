"""The chance to win beside games: who won, how often it came true."""

import json
import math

import numpy as np
import pytest

from analysis.matches import winning as stored
from experiments import measure_winning as made
from spades.agents.play import play_games
from spades.core.rules import Rules
from spades.core.winning import winning_chances


def test_calibration_counts_what_came_true():
    chance = np.array([0.05, 0.05, 0.95, 0.95, 0.95, 0.95])
    won = np.array([False, True, True, True, True, False])
    found = made.calibration(made.Forecasts(chance, won, np.arange(6)))
    assert found["ece"] == pytest.approx((2 * 0.45 + 4 * 0.2) / 6)
    assert [row["n"] for row in found["bins"]] == [2, 4]
    assert found["bins"][1]["accuracy"] == 0.75
    assert found["log_loss"] == pytest.approx(-(4 * math.log(0.95) + 2 * math.log(0.05)) / 6)


def test_forecasts_are_the_dealers_and_know_who_won():
    seating = made.four_of("srp+bis", 6, "games", 0).seating()
    games = play_games(seating, 4, 0, 6)
    found = made.forecasts_of(games.log(), winning_chances(Rules()))
    assert len(found.chance) == games.n_rounds.sum()
    assert found.chance[0] == pytest.approx(0.5, abs=0.02)
    first = found.game == 0  # dealers take turns
    north_south = int(games.score[0, 0] > games.score[0, 1])
    assert found.won[first].tolist() == [
        bool(north_south) == (i % 2 == 0) for i in range(first.sum())
    ]


def test_the_shipped_chances_are_calibrated():
    held = json.loads(stored.TABLE.read_text())["held_out"]
    assert held[made.STRONG]["games"] >= 5900
    assert held[made.STRONG]["ece_interval"][1] <= 0.02
    assert 0.02 < held[made.RULED]["ece"] < 0.04  # others' games are decided sooner
    for found in held.values():
        assert sum(row["n"] for row in found["bins"]) == found["rounds"]
