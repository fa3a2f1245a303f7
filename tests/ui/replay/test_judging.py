"""The conclusion beside the page: made for the decision on screen, cancelled if one leaves it."""

import re
from dataclasses import replace

import pytest

from analysis.decisions import evidence, hindsight, judge
from analysis.decisions.conclusion import GRADES, estimate_text
from analysis.decisions.decision_view import CHECKING
from analysis.decisions.settings import STUDIED_AGENT, settings_of_agent
from analysis.text_tables import signed
from spades.search import GameChance, Pikl
from tests.pages.apps import address, run, texts
from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
from tests.pages.texts import shipped
from tests.ui.replay.page import (
    choose,
    click,
    open_popover,
    open_replay,
    report,
    searched,
    view_data,
)
from ui.replay.judging import (
    AHEAD_VARIABLE,
    evidence_jobs,
    hindsight_jobs,
    judge_key,
    judged_so_far,
    record_key,
    repeats_jobs,
    repeats_keys,
)
from ui.replay.panel import search_jobs
from ui.replay.state import settings_of

QUICK = {"hand": "bug-report-335", "iterations": "100"}
SETTINGS = settings_of_agent(f"{STUDIED_AGENT},iterations=100")
SECONDS = 60


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(judge, "FIRST", "best:iterations=60")
    monkeypatch.setattr(evidence, "NETWORK_ITEMS", 1)
    monkeypatch.setattr(evidence, "LEAST_ROUNDS", 20)  # quick


def await_all(settings=SETTINGS, ply=24):
    """Until the judge has concluded on a decision, and each search was made many times."""
    record = shipped("bug-report-335")
    assert evidence_jobs().find(f"{judge_key(record, settings)} {ply}").wait(SECONDS), ply
    for key in repeats_keys(record, settings):
        assert repeats_jobs().find(f"{key} {ply}").wait(SECONDS), ply


def await_hindsight(app, ply=24):
    """Until it is known what a play cost as the cards lay, which the others wait for."""
    run(app)
    assert hindsight_jobs().find(f"{record_key(shipped('bug-report-335'))} {ply}").wait(SECONDS)


def open_job():
    """The job of the decision that is judged."""
    job = evidence_jobs().find(f"{judge_key(shipped('bug-report-335'), SETTINGS)} 24")
    assert job is not None
    return job


def search_of(settings):
    return search_jobs().search_round(shipped("bug-report-335"), settings)


def verdict_of(app, ply=24):
    return view_data(app)["decisions"][ply]["judgement"]["text"]


def test_the_decision_on_screen_is_judged_first_then_the_rest_of_the_round(monkeypatch):
    monkeypatch.delenv(AHEAD_VARIABLE)
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    app = searched(open_replay(**QUICK, ply="24"))
    assert CHECKING in verdict_of(app)
    run(app)
    await_all()
    await_hindsight(app)
    run(app)
    assert "rounds played on)" in verdict_of(app)
    assert CHECKING in verdict_of(app, 27)
    record = shipped("bug-report-335")
    decisions = list(search_of(SETTINGS).work.decisions)

    def await_each(plies):
        for ply in plies:
            if not decisions[ply].is_forced:
                job = evidence_jobs().find(f"{judge_key(record, SETTINGS)} {ply}")
                assert job.wait(SECONDS), ply
                run(app)
                repeats = f"{repeats_keys(record, SETTINGS)[0]} {ply}"
                assert repeats_jobs().find(repeats).wait(SECONDS), ply
                run(app)

    await_each(range(25, 29))  # the following ones first
    report(app, ply=44)
    await_all(ply=44)
    await_hindsight(app, ply=44)
    run(app)
    await_each((*range(45, 52), 0, 1))  # after the last the first
    assert CHECKING not in verdict_of(app, 27)
    so_far = judged_so_far(record, SETTINGS, decisions)[24]
    assert so_far.conclusion is not None
    assert so_far.repeats[0].n == 60
    longer = replace(decisions[24].search, iterations=5000)
    decisions[24] = replace(decisions[24], search=longer)
    at_length = judged_so_far(record, SETTINGS, decisions)[24]
    assert at_length.conclusion is so_far.conclusion  # the judge's, whatever is shown
    assert at_length.repeats == (None,)  # its own: none are made yet
    keys = repeats_keys(record, SETTINGS, 5000)
    assert keys == repeats_keys(record, replace(SETTINGS, iterations=5000))
    assert keys != repeats_keys(record, SETTINGS) == repeats_keys(record, SETTINGS, 100)


def test_while_the_judge_is_at_work_nothing_is_told_as_a_result(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    app = searched(open_replay(**QUICK, ply="24"))
    before = view_data(app)["decisions"][24]
    assert before["is_checking"]
    assert before["judgement"]["says"] == CHECKING
    assert not before["judgement"]["reason"] + before["judgement"]["sure"]
    for row in before["cards"]:
        assert row["judged_value"] is row["loss"] is row["outcomes"] is None
        assert not row["is_judged_best"]
    run(app)
    await_all()
    run(app)
    after = view_data(app)["decisions"][24]
    assert not after["is_checking"]
    assert after["judgement"]["grade"]
    assert any(row["is_judged_best"] for row in after["cards"])


def test_at_a_bid_the_round_is_searched_ahead(monkeypatch):
    monkeypatch.delenv(AHEAD_VARIABLE)
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    run(searched(open_replay(**QUICK, bid="2")))
    key = judge_key(shipped("bug-report-335"), SETTINGS)
    assert evidence_jobs().find(f"{key} 0").wait(SECONDS)


@pytest.mark.parametrize("agents", ["", "best;pimc:deals=4"])
def test_one_conclusion_stands_beside_every_search(monkeypatch, agents):
    """A biased search, any agent: shares and choice are their own, verdict and points the
    judge's."""
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    agents = agents or "ismcts:iterations=50,playout=nil-aware;ismcts:bias=knowledge"
    app = searched(open_replay(**QUICK, ply="24", agents=agents))
    run(app)
    others = tuple(settings_of(agent) for agent in agents.split(";"))
    await_all(replace(SETTINGS, others=others))
    run(app)
    decision = view_data(app)["decisions"][24]
    points = [row["judged_value"] for row in decision["cards"]]
    assert None not in points
    for other in decision["others"]:
        assert [row["judged_value"] for row in other["cards"]] == points
        assert [row["is_judged_best"] for row in other["cards"]] == [
            row["is_judged_best"] for row in decision["cards"]
        ]
        assert other["searches"] == 60
    shares = {tuple(row["share"] for row in one["cards"]) for one in decision["others"]}
    assert len(shares) == 2


def test_agents_beside_are_named_and_those_without_values_refused():
    agents = "ismcts:iterations=50,playout=nil-aware;ismcts:bias=knowledge"
    app = searched(open_replay(**QUICK, ply="24", agents=agents))
    names = ["ISMCTS 100", "ISMCTS 50, nil-aware playouts"]
    names.append("ISMCTS 2,500 · Biased C_BT 0.03, K 1000")
    assert view_data(app)["searches"] == names
    open_popover(app, "settings")
    choose(app, "multiselect", "agents", ["srp", agents.split(";")[0]])
    assert "Not beside the search: srp gives cards no values" in texts(app)
    assert view_data(searched(app))["searches"] == names[:2]


def test_a_search_for_the_game_tells_match_points_and_the_chance_to_win(monkeypatch):
    """The judge has the objective of the first search."""
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    app = searched(open_replay(**QUICK, ply="24", objective="game"))
    run(app)
    await_all(replace(SETTINGS, search=replace(SETTINGS.search, objective=GameChance())))
    run(app)
    game = view_data(app)["decisions"][24]
    assert "match points" in game["judgement"]["text"]
    chances = [row["judged_win_chance"] for row in game["cards"]]
    assert all(0 < chance < 0.5 for chance in chances)  # 242 to 476 before the round
    best = max(game["cards"], key=lambda row: row["judged_value"])
    assert best["judged_win_chance"] == max(chances)
    assert re.search(r"had a \d+% chance to win the game before this round", game["needs"])
    app = searched(open_replay(**QUICK, ply="24", agents="ismcts:iterations=100,objective=game"))
    decision = view_data(app)["decisions"][24]
    assert all(row["judged_win_chance"] is None for row in decision["others"][0]["cards"])
    assert "chance" not in decision["needs"]


def test_a_longer_budget_is_another_question(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    app = searched(open_replay(**QUICK, ply="24", budget="10"))
    run(app)
    assert address(app)["budget"] == "10"
    record = shipped("bug-report-335")
    short, long = (judge_key(record, SETTINGS, budget=n) for n in (2, 10))
    job = evidence_jobs().find(f"{long} 24")
    assert job.wait(SECONDS)
    assert job.work.budget == 10
    assert evidence_jobs().find(f"{short} 24") is None
    run(app)
    assert "rounds played on)" in verdict_of(app)


def test_pikl_shows_its_policy_beside_the_judges_points(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    app = searched(open_replay(**QUICK, ply="24", technique="pikl"))
    open_popover(app, "settings")
    assert not [one for one in app.selectbox if one.label == "The model is called"]
    choose(app, "number_input", "lambda", 1000.0)
    choose(app, "segmented_control", "play", "sample")
    assert (address(app)["lambda"], address(app)["play"]) == ("1000", "sample")
    choose(app, "segmented_control", "play", "likeliest")
    app = searched(app)
    assert view_data(app)["searches"][1] == "piKL λ 1000"
    bias = Pikl(lambda_=1000.0)
    beside = replace(SETTINGS, search=replace(SETTINGS.search, bias=bias))
    run(app)
    await_all(replace(SETTINGS, others=(beside,)))
    run(app)
    decision = view_data(app)["decisions"][24]
    (other,) = decision["others"]
    policy = {row["card"]: row["policy"] for row in other["cards"]}
    assert sum(policy.values()) == pytest.approx(1)
    assert all(row["share"] == row["policy"] for row in other["cards"])
    assert sum(row["is_search_choice"] for row in other["cards"]) == 1


def test_a_bias_is_kept_as_an_agent_while_another_is_tried():
    app = open_replay(**QUICK, ply="24", technique="knowledge", c_bt="0.5", skew="1")
    open_popover(app, "settings")
    click(app, "Keep this one too")
    assert address(app)["agents"] == "ismcts:iterations=100,bias=knowledge,c_bt=0.5"
    assert view_data(searched(app))["searches"] == ["ISMCTS 100, skewed", "Biased C_BT 0.5, K 1000"]
    choose(app, "number_input", "c_bt", 0.1)
    assert view_data(searched(app))["searches"][1:] == [
        "Biased C_BT 0.1, K 1000",
        "Biased C_BT 0.5, K 1000",
    ]


def test_who_leaves_a_decision_cancels_its_searches_and_who_comes_back_resumes_them(monkeypatch):
    monkeypatch.setattr(evidence.Evidence, "is_settled", False)
    monkeypatch.setattr(evidence, "BUDGET_SECONDS", 600)
    app = searched(open_replay(**QUICK, ply="24"))
    run(app)
    job = open_job()
    job.work.budget = 600
    assert job.is_active
    report(app, ply=27)
    assert job.wait(SECONDS)
    assert job.state == "cancelled"
    report(app, ply=24)
    assert open_job().work is job.work
    assert open_job() is not job
    report(app, ply=27)
    assert open_job().wait(SECONDS)


def test_with_all_hands_open_a_second_grade_says_what_the_card_cost_as_the_cards_lay(monkeypatch):
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 60)
    monkeypatch.setattr(hindsight, "PLAYER", "best:iterations=10")
    app = searched(open_replay(**QUICK, ply="24", view="own"))
    run(app)
    await_all()
    run(app)
    assert not hindsight_jobs().jobs(), "hidden hands decide nothing"
    report(app, ply=24, view="all")
    (job,) = hindsight_jobs().jobs()
    assert job.wait(SECONDS)
    decision = view_data(run(app))["decisions"][24]
    found = job.work.found
    assert decision["hindsight"].split(": ")[0] in GRADES
    cost = estimate_text(0.0 + round(found.loss, 1), found.se)
    assert f"it cost {cost}, luck" in decision["hindsight"]
    luck = 0.0 + round(decision["loss"] - found.loss, 1)
    assert f"luck {signed(luck)}" in decision["hindsight"]
    assert view_data(app)["decisions"][27]["hindsight"] == ""
