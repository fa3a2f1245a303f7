"""Estimates of settings by those that were measured."""

import json
from dataclasses import replace

import pytest

from analysis.sweeps.estimate import (
    MEASURES,
    Axes,
    Estimator,
    leave_one_out,
    measured_settings,
    stop_of,
)
from analysis.sweeps.library import SWEEPS, read_document
from analysis.sweeps.sweep import AGENT_OPTIONS, EQUAL_TIME, Setting
from analysis.sweeps.views import ACCURACY, KL, WIN_RATE
from experiments.check_estimate import ITERATIONS, LOG, PATH
from spades.search import Experience, Knowledge
from tests.analysis.small_sweeps import grid_document

DEVLIN = "devlin2016"


def shipped(*names):
    documents = [read_document(SWEEPS / f"{name}.json") for name in names]
    return measured_settings(documents, LOG, ITERATIONS)


@pytest.fixture(scope="module")
def measured():
    return shipped("devlin-fig1", "baier")


@pytest.fixture(scope="module")
def estimator(measured):
    return Estimator(measured, ITERATIONS)


def test_an_option_lies_at_the_stop_of_its_slider():
    c_bt = AGENT_OPTIONS["c_bt"]
    assert stop_of(c_bt, 0.0) == 0
    assert stop_of(c_bt, 0.03) == pytest.approx(4)
    assert 4 < stop_of(c_bt, 0.04) < 5
    assert stop_of(c_bt, 100.0) > len(c_bt.usual) - 1
    delay = AGENT_OPTIONS["delay"]
    assert stop_of(delay, "root") == delay.usual.index("root")
    assert stop_of(delay, 20) == pytest.approx(delay.usual.index("20"))


def test_settings_of_strength_0_and_those_never_asked_are_the_unbiased_search():
    strong = Setting(Knowledge(DEVLIN, 0.1, 1000.0))
    axes = Axes([strong, Setting(Experience(DEVLIN, 10))], ITERATIONS)
    unbiased = axes.place(Setting())
    for same in (
        Setting(Knowledge(DEVLIN, 0.0, 50.0)),
        Setting(Knowledge(DEVLIN, 0.1, 1000.0, "inf")),
        Setting(Experience(DEVLIN, 0)),
    ):
        assert axes.place(same).tolist() == unbiased.tolist()
    assert axes.place(strong).tolist() != unbiased.tolist()
    assert not axes.has(Setting(Knowledge("t-200", 0.1)))


def test_equal_time_counts_with_the_iterations_that_it_took(measured):
    assert EQUAL_TIME not in {setting.iterations for setting in measured.settings}
    assert min(setting.iterations for setting in measured.settings if setting.bias) < ITERATIONS


def test_an_estimate_lies_between_its_neighbours_and_knows_when_it_has_none(measured, estimator):
    at = estimator.estimate(Setting(Knowledge(DEVLIN, 0.07, 100.0)))
    ends = [measured.find(Setting(Knowledge(DEVLIN, c, 100.0))) for c in (0.05, 0.1)]
    for measure in MEASURES:
        estimate = at[measure.name]
        assert estimate.low < estimate.value < estimate.high
        assert not estimate.is_far
        values = sorted(float(end[measure.name]) for end in ends)
        assert values[0] - 0.015 < estimate.value < values[1] + 0.015
    unbiased = estimator.estimate(Setting(Knowledge(DEVLIN, 0.0)))
    assert unbiased[WIN_RATE.name].value == pytest.approx(0.5, abs=0.005)
    far = estimator.estimate(Setting(Knowledge(DEVLIN, 0.07, 100.0), 25_000))
    assert all(estimate.is_far for estimate in far.values())
    assert far[KL.name].high > 3 * far[KL.name].low
    assert estimator.estimate(Setting(Knowledge("no such model", 0.1))) == {}


@pytest.mark.slow
def test_estimates_hold_what_a_setting_left_out_shows():
    document = read_document(SWEEPS / "devlin-fig1.json")
    unbiased, *others = document["settings"]
    half = {**document, "settings": [unbiased, *others[::2]]}
    settings = leave_one_out(measured_settings([half], LOG, ITERATIONS), ITERATIONS)
    assert settings["holds"].mean() > 0.85  # of 41; 95% are meant to hold
    errors = settings.groupby("measure")[["error", "spread"]].mean()
    assert (errors["error"] < errors["spread"] / 2).all()


def test_the_shipped_check_meets_what_the_page_says_of_it():
    for row in json.loads(PATH.read_text())["rows"]:
        assert 0.9 <= row["share"] <= 0.98
        assert row["mean_error"] <= row["half_spread"]


def test_what_was_measured_otherwise_is_left_out(measured):
    document = read_document(SWEEPS / "devlin-fig1.json")
    assert measured_settings([document], "another log", ITERATIONS) is None
    assert measured_settings([document], LOG, 100) is None
    without = {**document, "settings": document["settings"][1:]}
    assert measured_settings([without], LOG, ITERATIONS) is None
    assert len(measured.once()) < len(measured.table)
    assert list(measured.once()["technique"]).count("none") == 1
    assert measured.unbiased()["rounds"] == 800


def test_an_agent_of_two_sweeps_counts_once():
    measured = shipped("devlin-fig1", "reward-scale")
    once = measured.once()
    assert measured.table["agent"].duplicated().any()
    assert not once["agent"].duplicated().any()
    (usual,) = once.loc[once["agent"] == "ismcts:iterations=2500,bias=knowledge", "rounds"]
    assert usual == 800
    assert measured.n_searches == (once["technique"] != "direct").sum()


def test_a_measure_that_nobody_measured_has_no_estimate():
    document = grid_document()  # whose accuracy has no gain
    estimator = Estimator(measured_settings([document], LOG, ITERATIONS), ITERATIONS)
    found = estimator.estimate(Setting(Knowledge(DEVLIN, 0.05, 100.0)))
    assert set(found) == {KL.name, WIN_RATE.name}
    assert ACCURACY.name not in found


def test_a_setting_is_found_by_all_its_values(measured):
    known = Setting(Knowledge(DEVLIN, 0.03, 1000.0), ITERATIONS)
    assert measured.find(known)["games"] == 1000
    assert measured.find(replace(known, iterations=2501)) is None
    assert measured.find(replace(known, reward_scale=100.0)) is None
