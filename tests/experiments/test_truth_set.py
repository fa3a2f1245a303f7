"""The truth set: decisions of every stratum, played out by what each seat sees, read back as
written."""

import numpy as np
import pytest

from analysis.decisions import truth
from analysis.runs.store import ResultStore
from experiments import truth_set
from experiments.truth_set import STRATA, Stratum, candidates, find_decision, play_decision
from spades.core.equivalence import equivalent_cards

LATE_NIL = Stratum("human", True, "late")
QUICK = "best:iterations=30"


@pytest.fixture(autouse=True)
def quickly(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(truth_set, "PLAYER", QUICK)
    few = {name: (samples, 3) for name, (samples, _) in truth_set.PILOTS.items()}
    monkeypatch.setattr(truth_set, "PILOTS", few)
    monkeypatch.setattr(truth_set, "WEIGHED_DEALS", 200)


@pytest.mark.parametrize("stratum", [LATE_NIL, Stratum("human", False, "early")], ids=str)
def test_a_decision_is_of_its_stratum(stratum):
    record, ply = find_decision(stratum, 5)
    seen = record.observation(ply)
    bids = seen.table.bids
    alive = [bids[seat] == 0 and seen.table.tricks_taken[seat] == 0 for seat in range(4)]
    assert any(alive) == stratum.has_nil
    assert ply in truth.plies_of(stratum.phase)
    assert len(equivalent_cards(seen)) > 1


def test_the_card_played_is_among_those_played_out():
    record, ply = find_decision(LATE_NIL, 5)
    seen = record.observation(ply)
    classes = equivalent_cards(seen)
    kept = candidates(seen, record, ply, 1)
    assert len(kept) >= 2
    assert any(record.plays[ply].code in classes[i] for i in kept)


def test_a_decision_reads_back_as_it_was_written(monkeypatch, tmp_path):
    rows = [play_decision(LATE_NIL, number, 12) for number in (0, 1)]
    assert play_decision(LATE_NIL, 0, 12) == rows[0]
    truth_set.write_parts(rows, "a test", tmp_path / "truth")
    monkeypatch.setattr(truth, "FOLDER", tmp_path / "truth")
    truth.truth_set.cache_clear()
    first, second = truth.truth_set()
    truth.truth_set.cache_clear()
    assert (first.half, second.half) == truth.HALVES
    assert (first.table, first.has_nil, first.phase) == LATE_NIL == first.stratum
    assert first.deals == 12
    n = len(first.classes)
    assert first.values.shape == (n,)
    assert first.outcomes.shape == (n, 8)
    assert np.all(np.linalg.eigvalsh(first.covariance) > -1e-6)
    lead, error = first.lead(0, 1)
    assert lead == pytest.approx(first.values[0] - first.values[1])
    assert error >= 0
    assert first.lead(0, 0) == (0, 0)


def test_only_what_is_missing_is_played(monkeypatch, tmp_path):
    """A second run of the same command plays nothing and writes the same files."""
    monkeypatch.setattr(truth_set, "STRATA", [LATE_NIL])
    store = ResultStore()
    row = play_decision(LATE_NIL, 0, 6)
    store.put("truth", truth_set.question_of(LATE_NIL, 0, 6), row)
    monkeypatch.setattr(truth_set, "play_decision", None)
    assert truth_set.make(1, 6, tmp_path / "truth")
    assert [path.name for path in (tmp_path / "truth").iterdir()] == ["part-00.jsonl"]


def test_every_stratum_has_both_halves():
    assert len(STRATA) == len(set(STRATA)) == 18
    assert truth_set.EACH % len(truth.HALVES) == 0
    assert truth_set.EACH * len(STRATA) >= 400
