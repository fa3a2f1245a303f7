"""The conclusion beside the page: made for the decision on screen, stopped where one leaves it."""

import re
from dataclasses import replace

import pytest

from analysis.decisions import evidence
from analysis.decisions.decision import AnalysisSettings, pretty
from spades.search import BiasSettings, SearchSettings
from tests.pages.apps import address, run, texts
from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
from tests.pages.texts import shipped
from tests.ui.replay.page import choose, click, open_replay, report, searched, view_data
from ui.replay.judging import conclusions_of, evidence_desk, keys_of
from ui.replay.panel import search_desk
from ui.replay.state import settings_of

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


def test_the_decision_on_screen_is_judged_first_then_the_rest_of_the_round(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24"))
    run(app)
    assert open_job()[1].wait(PATIENCE)
    run(app)
    assert "60 searches" in verdict_of(app)
    assert "The search plays" in verdict_of(app, 27)
    key = keys_of(shipped("bug-report-335"), SETTINGS)[0]
    for ply in (*range(25, 52), *range(24)):  # the following ones first
        assert evidence_desk().find(f"{key} {ply}")[1].wait(PATIENCE), ply
        run(app)
    run(app)
    assert "The search plays" not in verdict_of(app, 27)
    record, (search, _) = shipped("bug-report-335"), search_of(SETTINGS)
    decisions = list(search.decisions)
    assert conclusions_of(record, SETTINGS, decisions)[24][0] is not None
    longer = replace(decisions[24].search, iterations=5000)
    decisions[24] = replace(decisions[24], search=longer)
    assert conclusions_of(record, SETTINGS, decisions)[24] == (None,)  # its own: none is made yet
    at_length = keys_of(record, SETTINGS, 5000)
    assert at_length == keys_of(record, replace(SETTINGS, iterations=5000))
    assert at_length != keys_of(record, SETTINGS) == keys_of(record, SETTINGS, 100)


def test_at_a_bid_the_round_is_searched_ahead(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    run(searched(open_replay(**QUICK, bid="2")))
    key = keys_of(shipped("bug-report-335"), SETTINGS)[0]
    assert evidence_desk().find(f"{key} 0")[1].wait(PATIENCE)


def test_a_biased_search_is_judged_by_searches_of_its_own(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24", technique="knowledge"))
    run(app)
    beside = AnalysisSettings(iterations=100, search=SearchSettings(bias=BiasSettings()))
    biased = AnalysisSettings(iterations=100, others=(beside,))
    for key in keys_of(shipped("bug-report-335"), biased):
        assert evidence_desk().find(f"{key} 24")[1].wait(PATIENCE)
    run(app)
    decision = view_data(app)["decisions"][24]
    (other,) = decision["others"]
    assert "60 searches" in decision["verdict"]
    assert "60 searches" in other["verdict"]
    assert other["verdict"] != decision["verdict"]


def test_any_agent_that_searches_stands_beside_with_a_conclusion_of_its_own(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    agents = "ismcts:iterations=50,playout=nil-aware;ismcts:bias=knowledge"
    app = searched(open_replay(**QUICK, ply="24", agents=agents))
    run(app)
    names = ["ISMCTS 100", "ISMCTS 50, nil-aware playouts"]
    names.append("ISMCTS 2,500 · Biased C 0.03, K 1000")
    assert view_data(app)["searches"] == names
    others = tuple(settings_of(agent) for agent in agents.split(";"))
    for key in keys_of(shipped("bug-report-335"), replace(SETTINGS, others=others)):
        assert evidence_desk().find(f"{key} 24")[1].wait(PATIENCE)
    run(app)
    decision = view_data(app)["decisions"][24]
    assert [sum(row["visits"] for row in one["cards"]) for one in decision["others"]] == [50, 2500]
    assert all("60 searches" in one["verdict"] for one in decision["others"])
    choose(app, "multiselect", "agents", ["srp", agents.split(";")[0]])
    assert "Not beside the search: srp gives cards no values" in texts(app)
    assert view_data(searched(app))["searches"] == names[:2]


def test_a_search_for_the_game_tells_match_points_and_the_chance_to_win(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24", agents="ismcts:iterations=100,objective=game"))
    run(app)
    assert view_data(app)["searches"] == ["ISMCTS 100", "ISMCTS 100, for the game"]
    others = (settings_of("ismcts:iterations=100,objective=game"),)
    for key in keys_of(shipped("bug-report-335"), replace(SETTINGS, others=others)):
        assert evidence_desk().find(f"{key} 24")[1].wait(PATIENCE)
    run(app)
    decision = view_data(app)["decisions"][24]
    (game,) = decision["others"]
    assert "match points" in game["verdict"]
    assert "match points" not in decision["verdict"]
    assert all(row["win_chance"] is None for row in decision["cards"])
    chances = [row["win_chance"] for row in game["cards"]]
    assert all(0 < chance < 0.5 for chance in chances)  # 242 to 476 before the round
    best = max(game["cards"], key=lambda row: row["value"])
    assert best["win_chance"] == max(chances)
    assert re.search(r"had a \d+% chance to win the game before this round", game["needs"])
    assert "chance" not in decision["needs"]


def test_an_agent_without_a_tree_is_judged_beside_the_search(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    agents = "uct:iterations=40;flat-mc:simulations=8"
    app = searched(open_replay(**QUICK, ply="24", agents=agents))
    run(app)
    assert view_data(app)["searches"][1:] == agents.split(";")
    others = tuple(settings_of(agent) for agent in agents.split(";"))
    for key in keys_of(shipped("bug-report-335"), replace(SETTINGS, others=others)):
        assert evidence_desk().find(f"{key} 24")[1].wait(PATIENCE)
    run(app)
    beside = view_data(app)["decisions"][24]["others"]
    assert [sum(row["visits"] for row in one["cards"]) for one in beside] == [40, 56]
    assert all("60 searches" in one["verdict"] for one in beside)


def test_a_longer_budget_is_another_question(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24", budget="10"))
    run(app)
    assert address(app)["budget"] == "10"
    short, long = (keys_of(shipped("bug-report-335"), SETTINGS, budget=n)[0] for n in (2, 10))
    work, job = evidence_desk().find(f"{long} 24")
    assert job.wait(PATIENCE)
    assert work.budget == 10
    assert evidence_desk().find(f"{short} 24") is None
    run(app)
    assert "60 searches" in verdict_of(app)


def test_pikl_shows_its_policy_and_plays_its_choice(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_SEARCHES", 60)
    app = searched(open_replay(**QUICK, ply="24", technique="pikl"))
    assert not [one for one in app.selectbox if one.label == "The model is asked"]
    choose(app, "number_input", "lambda", 1000.0)
    choose(app, "segmented_control", "play", "sample")
    assert (address(app)["lambda"], address(app)["play"]) == ("1000.0", "sample")
    choose(app, "segmented_control", "play", "likeliest")
    app = searched(app)
    assert view_data(app)["searches"][1] == "piKL λ 1000"
    bias = BiasSettings("pikl", lambda_=1000.0)
    beside = AnalysisSettings(iterations=100, search=SearchSettings(bias=bias))
    key = keys_of(shipped("bug-report-335"), replace(SETTINGS, others=(beside,)))[1]
    run(app)
    assert evidence_desk().find(f"{key} 24")[1].wait(PATIENCE)
    run(app)
    (other,) = view_data(app)["decisions"][24]["others"]
    policy = {row["card"]: row["policy"] for row in other["cards"]}
    assert sum(policy.values()) == pytest.approx(1)
    assert all(row["share"] == row["policy"] for row in other["cards"])
    (chosen,) = [row for row in other["cards"] if row["is_search_choice"]]
    assert other["verdict"].startswith(f"piKL plays {pretty(chosen['card'])}")
    assert "By value alone: " in other["verdict"]
    assert "60 searches" in other["verdict"]


def test_a_bias_is_kept_as_an_agent_while_another_is_tried():
    app = open_replay(**QUICK, ply="24", technique="knowledge", c_bt="0.5", skew="1")
    click(app, "Keep this one too")
    assert address(app)["agents"] == "ismcts:iterations=100,bias=knowledge,c_bt=0.5"
    assert view_data(searched(app))["searches"] == ["ISMCTS 100, skewed", "Biased C 0.5, K 1000"]
    choose(app, "number_input", "c_bt", 0.1)
    assert view_data(searched(app))["searches"][1:] == [
        "Biased C 0.1, K 1000",
        "Biased C 0.5, K 1000",
    ]


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
