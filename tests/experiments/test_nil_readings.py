"""Both readings of a nil's third card: the same hands, counted by hand, stored and read back."""

import numpy as np
import pytest

from analysis.nil.scores import NilScoresError
from experiments.nil_readings import (
    READINGS,
    WORTH_A_NIL,
    by_reading,
    count_tenths,
    load_readings,
    readings_document,
    values_of,
)
from experiments.trials import Trials
from spades.bidding.curves import READING_TABLES, load_curves
from spades.bidding.hands import nil_tables, nil_value
from spades.core.cards import STANDARD
from tests.bidding.auctions import hand_of

N = 2000


@pytest.fixture(scope="module")
def curves():
    return {name: load_curves(table) for name, table in READING_TABLES.items()}


def test_rounds_are_the_same_and_nil_values_each_readings_own(curves):
    printed, pattern = by_reading(curves, N).values()
    for name in ("hand", "seat", "sequence", "tricks"):
        assert np.array_equal(getattr(printed, name), getattr(pattern, name))
    assert (printed.value >= pattern.value).all()
    assert 0.0 < pattern.value.min() < (printed.value - pattern.value).max() < 1.0
    assert 0.4 < len(printed.hand) / N < 0.55  # of hands as dealt most are denied nil
    for trials, name in ((printed, "printed"), (pattern, "pattern")):
        tables = nil_tables(STANDARD, name)
        assert trials.value[0] == nil_value(int(trials.hand[0]), tables)
        assert values_of.py_func(trials.hand[:3], tables).tolist() == trials.value[:3].tolist()


def test_values_by_hand():
    hands = np.array([hand_of("32.Q72.5432.5432")])
    (printed,), (pattern,) = (values_of(hands, nil_tables(STANDARD, n)) for n in READING_TABLES)
    assert (pattern / printed) == pytest.approx(0.5446 / 0.8945, abs=0.001)


def test_tenths_are_counted():
    trials = Trials.empty(4)
    trials.value[:] = 0.05, 0.85, 0.8, 1.0
    trials.tricks[np.arange(4), trials.seat] = 1, 0, 2, 0
    found = count_tenths(trials)
    assert found == {"n": [1, 0, 0, 0, 0, 0, 0, 0, 2, 1], "made": [0] * 8 + [1, 1]}


def test_the_document_scores_both(curves):
    document = readings_document(curves, N)
    assert document["nils"] == sum(document["tenths"]["printed"]["n"]) < document["rounds"] == N
    assert document["scores"]["all"]["value"]["n"] == document["nils"]
    assert 0 < document["scores"][WORTH_A_NIL]["value"]["n"] < document["nils"]
    for scored in (one for group in document["scores"].values() for one in group.values()):
        less = scored["printed"]["log_loss"]["value"] - scored["pattern"]["log_loss"]["value"]
        assert scored["printed_less"]["log_loss"]["value"] == pytest.approx(less, abs=2e-5)


def test_the_shipped_scores_tell_the_readings_apart():
    stored = load_readings()
    assert stored["nils"] > 100_000
    for scored in (one for group in stored["scores"].values() for one in group.values()):
        low, high = scored["printed_less"]["log_loss"]["interval"]
        assert low < scored["printed_less"]["log_loss"]["value"] < high < 0.0
    for counts in stored["tenths"].values():
        assert sum(counts["n"]) == stored["nils"]
        assert all(made <= n for n, made in zip(counts["n"], counts["made"], strict=True))


def test_a_missing_file_is_said_with_the_command(tmp_path):
    with pytest.raises(NilScoresError, match=r"nil_readings.json.*fit_nil_curves"):
        load_readings(tmp_path / READINGS.name)
