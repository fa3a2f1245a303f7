"""One setting measured at once."""

import json

import pytest

from analysis.runs.store import ResultStore
from analysis.sweeps.point import Amount, measure_point, plan_of
from analysis.sweeps.run import Sweep, decisions_part, rounds_part, run_sweep
from analysis.sweeps.sweep import SETTING, Setting
from spades.search import Knowledge
from tests.analysis.small_sweeps import store_tiny_log, without_time
from tests.analysis.workers import InProcess

SETTING_IN_HAND = Setting(Knowledge("devlin2016", 0.1, 100.0), 20)
AMOUNT = Amount("small", games=4, decisions=40, rounds=6)


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_tiny_log()
    return InProcess(monkeypatch)


def test_every_number_is_there_early_and_the_end_is_a_sweeps_own(work, monkeypatch, tmp_path):
    plan = plan_of(SETTING_IN_HAND, "tiny", 20, AMOUNT)
    sweep = Sweep(plan)
    setting = plan.settings[-1]
    seen = []

    def tell(progress):
        seen.append(sweep.so_far(setting))

    document = measure_point(plan, tell=tell)
    assert seen[0]["kl"] is seen[0]["match"] is seen[0]["accuracy"] is None
    assert all(seen[4][name] for name in ("kl", "match", "accuracy"))
    kinds = [name for name, _ in work.done[:4]]
    assert kinds == ["play_part", rounds_part.__name__, *[decisions_part.__name__] * 2]
    assert document["match"]["games"] == AMOUNT.games
    assert document["accuracy"]["n"] == AMOUNT.decisions
    assert document["kl"]["rounds"] == AMOUNT.rounds
    assert ResultStore().has(SETTING, plan.question(setting))

    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "others"))
    whole = run_sweep(plan)
    ours = without_time({"settings": [json.loads(json.dumps(document))]})["settings"]
    assert without_time(whole)["settings"][1:] == ours


def test_what_was_cancelled_is_gone_on_with(work):
    plan = plan_of(SETTING_IN_HAND, "tiny", 20, AMOUNT)
    assert measure_point(plan, is_cancelled=lambda: len(work.done) > 1) is None
    n_before = len(work.done)
    so_far = Sweep(plan).so_far(plan.settings[-1])
    assert so_far["match"]
    assert so_far["accuracy"] is None
    assert measure_point(plan)
    names = [name for name, _ in work.done[n_before:]]
    assert names.count("play_part") < AMOUNT.games // 2


def test_a_setting_that_lacks_parts_is_never_stored_as_measured(work):
    plan = plan_of(SETTING_IN_HAND, "tiny", 20, AMOUNT)
    measure_point(plan, is_cancelled=lambda: len(work.done) > 1)
    with pytest.raises(AssertionError, match="aren't measured"):
        Sweep(plan).document(plan.settings[-1])
