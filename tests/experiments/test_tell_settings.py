"""The AUC added to a sweep that was measured without it, from the rounds of its KL."""

from dataclasses import replace

import pytest

from analysis.sweeps.run import Sweep, run_sweep
from experiments.tell_settings import add_auc
from spades.core.errors import SpadesError
from tests.analysis.small_sweeps import SMALL, store_tiny_log
from tests.analysis.workers import InProcess


def test_it_is_what_the_sweep_itself_would_have_measured(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_tiny_log()
    InProcess(monkeypatch)
    plan = replace(SMALL, games=0, decisions=0)
    measured = run_sweep(plan)["settings"][1]
    auc = measured["auc"]
    assert 0 < auc["value"] < 1
    assert auc["choices"] < 6 * 13 < auc["human_choices"]
    old = {name: value for name, value in measured.items() if name != "auc"}
    add_auc(Sweep(plan), old)
    found = old["auc"]
    assert {**found, "interval": list(found["interval"])} == auc
    other = {**old, "auc": None, "kl": {**old["kl"], "value": 0.5}}
    with pytest.raises(SpadesError, match="plays otherwise than when its KL was measured"):
        add_auc(Sweep(plan), other)
    assert other["auc"] is None
