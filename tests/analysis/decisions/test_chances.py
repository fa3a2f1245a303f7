"""Rounds that the network plays on, and its chances: sums, calibration, what is decided."""

import numpy as np
import pytest

from analysis.decisions import chances
from analysis.decisions.chances import (
    QUANTITIES,
    Calibration,
    calibrated,
    chance_stratum,
    table_of_chances,
)
from analysis.decisions.judge import BELIEVED, NETWORK_PLAYER, judge_settings
from analysis.decisions.played_on import (
    NETWORK_ROUNDS_AT_ONCE,
    means_by_network,
    network_series,
    outcomes_by_network,
)
from analysis.decisions.settings import AnalysisSettings
from analysis.decisions.trust import stratum_name
from analysis.phases import PHASES
from spades.core.equivalence import equivalent_cards
from spades.core.steps import last_value
from spades.search.outcomes import BAGS, N_MADE, N_OUTCOMES, NILS, outcome_points
from tests.analysis.decisions.test_reasons import seen_by_south
from tests.pages.texts import shipped

AS_THEY_ARE = {quantity: Calibration(0.0, 1.0) for quantity in QUANTITIES}


@pytest.fixture
def calibrations(monkeypatch):
    """Sets the calibrations of every stratum."""

    def use(**by_quantity):
        own = AS_THEY_ARE | {name.replace("_", " "): line for name, line in by_quantity.items()}
        strata = {
            f"{players}, {stratum_name(phase, has_nil=has_nil)}": own
            for players in BELIEVED
            for phase in PHASES
            for has_nil in (False, True)
        }
        monkeypatch.setattr(chances, "table_of_chances", lambda: strata)

    return use


def means_with(**columns):
    means = np.full((1, N_OUTCOMES), 0.5)
    for name, value in columns.items():
        means[0, {"own": N_MADE, "their": N_MADE + 1, "nil": NILS + 2, "bags": BAGS}[name]] = value
    return means


def test_every_stratum_of_the_shipped_table_has_a_line_for_every_quantity():
    for players in BELIEVED:
        for phase in PHASES:
            for has_nil in (False, True):
                lines = table_of_chances()[f"{players}, {stratum_name(phase, has_nil=has_nil)}"]
                assert set(lines) == set(QUANTITIES)
                assert all(line.slope > 0 for line in lines.values())


def test_log_odds_become_a_line_in_log_odds(calibrations):
    calibrations(own_contract=Calibration(0.5, 2.0))
    seen = seen_by_south([4, 3, 2, 3])
    found = calibrated(means_with(own=0.8, their=0.3, bags=1.7), seen, "human")[0]
    odds = np.exp(0.5) * (0.8 / 0.2) ** 2
    assert found[N_MADE] == pytest.approx(odds / (1 + odds))
    assert found[N_MADE + 1] == pytest.approx(0.3)
    assert found[BAGS] == 1.7


def test_what_is_decided_stays_certain(calibrations):
    """North and South need two tricks and have them; South's nil is alive, East's is broken."""
    calibrations(own_contract=Calibration(-9.0, 1.0), nil=Calibration(-9.0, 1.0))
    seen = seen_by_south([2, 0, 0, 3])
    seen.table.tricks_taken[:] = [2, 1, 0, 0]
    means = means_with(own=1.0, nil=0.5)
    means[0, NILS + 1] = 0.0
    found = calibrated(means, seen, "any")[0]
    assert found[N_MADE] == 1.0
    assert found[NILS + 1] == 0.0
    assert found[NILS + 2] < 0.01


def test_a_stratum_is_named_by_players_phase_and_nil():
    assert chance_stratum(seen_by_south([4, 3, 0, 3]), "human") == "human, early, nil"
    assert chance_stratum(seen_by_south([4, 3, 2, 3]), "search") == "search, early"


def test_a_class_leads_to_the_mean_of_the_networks_rounds(calibrations):
    """Points follow from outcomes, so that both must have been summed over the same rounds."""
    calibrations()
    record = shipped("bug-report-335")
    settings = judge_settings(AnalysisSettings(seed=3))
    series = network_series(record, 24, settings, NETWORK_PLAYER, keep=False)
    series.extend(2)
    last_value(series.steps())
    seen = record.observation(24)
    outcomes = outcomes_by_network(series.items, seen, "any")
    means = means_by_network(series.items)
    assert len(outcomes) == len(means.values) == len(equivalent_cards(seen)) > 1
    assert np.linalg.eigvalsh(means.covariance).min() > -1e-6
    again = network_series(record, 24, settings, NETWORK_PLAYER, keep=False)
    again.extend(2)
    last_value(again.steps())
    assert again.items == series.items
    n = len(series.items) * NETWORK_ROUNDS_AT_ONCE
    reached = np.sum([item[2] for item in series.items], axis=0) / n
    worth = reached @ outcome_points(seen)
    assert worth - worth[0] == pytest.approx(means.values - means.values[0])
    own = [row.own_contract for row in outcomes]
    assert own == pytest.approx(reached[:, N_MADE + seen.seat % 2], abs=chances.LEAST)
