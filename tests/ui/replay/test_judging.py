"""The conclusion beside the page: made for the decision on screen, stopped where one leaves it."""

from dataclasses import replace

import pytest

from analysis.decisions import evidence
from analysis.decisions.decision import AnalysisSettings
from spades.search import BiasSettings, SearchSettings
from tests.pages.apps import run
from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
from tests.pages.texts import shipped
from tests.ui.replay.page import open_replay, report, searched, view_data
from ui.replay.judging import conclusions_of, evidence_desk, keys_of
from ui.replay.panel import search_desk

QUICK = {"hand": "bug-report-335", "iterations": "100"}
SETTINGS = AnalysisSettings(iterations=100)
PATIENCE = 60


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def open_job():
    """The work and the job of the decision that is judged."""
    found = evidence_desk().find(f"{keys_of(shipped('bug-report-335'), SETTINGS)[0]} 24")
    assert found is not None
    return found


def search_of(settings):
    return search_desk().search_round(shipped("bug-report-335"), settings)


def verdict_of(app, ply=24):
    return view_data(app)["decisions"][ply]["verdict"]


def test_the_decision_on_screen_is_judged_and_no_other(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24"))
    run(app)
    assert open_job()[1].wait(PATIENCE)
    run(app)
    assert "60 searches" in verdict_of(app)
    assert "The search plays" in verdict_of(app, 27)
    record, (search, _) = shipped("bug-report-335"), search_of(SETTINGS)
    decisions = list(search.decisions)
    assert conclusions_of(record, SETTINGS, decisions)[24][0] is not None
    longer = replace(decisions[24].search, iterations=5000)
    decisions[24] = replace(decisions[24], search=longer)
    assert conclusions_of(record, SETTINGS, decisions)[24] == (None,)  # its own: none is made yet
    at_length = keys_of(record, SETTINGS, 5000)
    assert at_length == keys_of(record, replace(SETTINGS, iterations=5000))
    assert at_length != keys_of(record, SETTINGS) == keys_of(record, SETTINGS, 100)


def test_a_biased_search_is_judged_by_searches_of_its_own(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24", technique="knowledge"))
    run(app)
    biased = AnalysisSettings(iterations=100, others=(SearchSettings(bias=BiasSettings()),))
    for key in keys_of(shipped("bug-report-335"), biased):
        assert evidence_desk().find(f"{key} 24")[1].wait(PATIENCE)
    run(app)
    decision = view_data(app)["decisions"][24]
    (other,) = decision["others"]
    assert "60 searches" in decision["verdict"]
    assert "60 searches" in other["verdict"]
    assert other["verdict"] != decision["verdict"]


def test_who_leaves_a_decision_stops_its_searches_and_who_comes_back_goes_on(monkeypatch):
    monkeypatch.setattr(evidence.Evidence, "is_settled", False)
    monkeypatch.setattr(evidence, "BUDGET_SECONDS", 600)
    app = searched(open_replay(**QUICK, ply="24"))
    run(app)
    work, job = open_job()
    work.budget = 600
    assert not job.is_finished
    report(app, ply=27)
    assert job.wait(PATIENCE)
    assert job.state == "stopped"
    report(app, ply=24)
    assert open_job()[0] is work
    assert open_job()[1] is not job
    report(app, ply=27)
    assert open_job()[1].wait(PATIENCE)
