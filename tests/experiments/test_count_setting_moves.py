"""Moves of shipped settings, counted: they make up the KL that the sweep's document has."""

import pytest

from analysis.style.compare import kl_divergence, smoothed
from analysis.style.counts import fold
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.replays import Humans
from analysis.sweeps.run import run_sweep
from experiments.count_setting_moves import counts_of, load_counts, save_counts
from spades.notation.log_store import open_log
from tests.analysis.small_sweeps import SMALL, store_tiny_log
from tests.analysis.workers import InProcess


@pytest.fixture
def document(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_tiny_log()
    InProcess(monkeypatch)
    return run_sweep(SMALL)


def test_the_counts_have_the_kl_of_the_document(document, tmp_path):
    counts = counts_of(document, 1)
    assert list(counts) == [measured["key"] for measured in document["settings"]]
    humans = Humans(hold_out(open_log("tiny"), SMALL.seed)).sample.moves.total
    for measured in document["settings"]:
        agent = counts[measured["key"]].sum(axis=0)
        assert agent.sum() == measured["kl"]["plays"]
        kl = kl_divergence(smoothed(fold(humans, 32)), smoothed(fold(agent, 32)))
        assert kl == pytest.approx(measured["kl"]["value"])
    save_counts(counts, tmp_path / "moves.npz")
    stored = load_counts(tmp_path / "moves.npz")
    assert stored.keys() == counts.keys()
    assert all((stored[key] == counts[key]).all() for key in counts)
    assert counts_of(document, 1, stored) == stored, "none is played again"
