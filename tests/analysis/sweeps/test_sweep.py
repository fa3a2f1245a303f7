"""Sweeps as TOML: what they mean, and what is refused with which words."""

import os
from pathlib import Path

import pytest

from analysis.sweeps.library import SWEEPS
from analysis.sweeps.sweep import (
    EQUAL_TIME,
    PUBLISHED,
    Setting,
    SweepError,
    SweepPlan,
    config_text,
    parse_sweep,
    read_sweep,
)
from spades.core.errors import SpadesError
from spades.notation.log_store import path_of
from spades.search import Experience, Knowledge, Pikl
from spades.search.techniques.technique import FIRST_CHILD

NONE = '[[grid]]\ntechnique = "none"\n'
KNOWLEDGE = '[[grid]]\ntechnique = "knowledge"\nmodel = "devlin2016"\n'
PIKL = '[[grid]]\ntechnique = "pikl"\nmodel = "devlin2016"\n'


@pytest.fixture
def any_agent(monkeypatch):
    """Agents' texts as they are, whatever this code knows of them."""
    monkeypatch.setattr("analysis.sweeps.sweep.parse_agent", lambda text: text)


def test_a_grid_is_every_combination_and_the_unbiased_search_comes_first(any_agent):
    plan = parse_sweep(
        'title = "T"\ngames = 10\nseed = 7\niterations = 500\n'
        + KNOWLEDGE
        + 'c_bt = [0.03, 0.1]\nk = [10, 1000]\ndelay = [1, "root"]\n'
        + 'iterations = [500, "equal-time"]',
        "name",
    )
    assert plan.settings[0] == Setting(iterations=500)
    assert len(plan.settings) == 1 + 2 * 2 * 2 * 2
    assert plan.settings[1] == Setting(Knowledge("devlin2016", 0.03, 10.0), 500)
    assert plan.settings[-1] == Setting(Knowledge("devlin2016", 0.1, 1000.0, "root"), EQUAL_TIME)
    assert (plan.name, plan.title, plan.games, plan.seed) == ("name", "T", 10, 7)


def test_settings_say_when_a_node_calls_the_model_where_that_is_not_usual():
    after = Setting(Knowledge("devlin2016"))
    first = Setting(Knowledge("devlin2016", asked=FIRST_CHILD))
    assert "asked" not in after.document()
    assert first.document() == {**after.document(), "asked": FIRST_CHILD}
    assert [Setting.from_document(one.document()) for one in (after, first)] == [after, first]
    plan = SweepPlan((after, first))
    assert parse_sweep(config_text(plan), "sweep").settings == plan.settings
    assert plan.version(after) != plan.version(first)
    assert "called at the first card" in first.label
    assert "first card" not in after.label


def test_the_agents_are_those_of_the_interface(any_agent):
    assert Setting(Knowledge("devlin2016", 0.03, 1000.0)).agent() == (
        "ismcts:iterations=2500,bias=knowledge,model=devlin2016,c_bt=0.03,k=1000,delay=1,"
        "asked=when-needed"
    )
    assert Setting(Experience("h", 10, "root"), EQUAL_TIME).agent(1234) == (
        "ismcts:iterations=1234,bias=experience,model=h,w=10,delay=root,asked=when-needed"
    )
    assert Setting.direct("h").agent() == "direct:model=h"
    assert Setting().agent() == "ismcts:iterations=2500"
    assert Setting(Pikl("h", 20.0, "sample")).agent() == (
        "ismcts:iterations=2500,bias=pikl,model=h,lambda=20,play=sample"
    )


def test_published_lists_go_by_name(any_agent):
    plan = parse_sweep(KNOWLEDGE + 'c_bt = "baier2018"\nk = "baier2018"', "name")
    assert len(plan.settings) == 1 + 9 * 8
    lists = {name: len(known["baier2018"]) for name, known in PUBLISHED.items()}
    assert lists == {"c_bt": 9, "k": 8, "w": 10, "delay": 12}
    w = '[[grid]]\ntechnique = "experience"\nmodel = "m"\nw = "baier2018"\ndelay = "baier2018"'
    assert len(parse_sweep(w, "name").settings) == 1 + 10 * 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games = ", "name: no valid TOML"),
        ("a = " + "[" * 3000, "name: TOML nested too deep"),
        (f"seed = {'9' * 5000}", "name: no valid TOML"),
        (f"seed = 0x{'f' * 5000}\n" + NONE, "name: no valid TOML: a whole number of 20,000 bits"),
        (f"seed = {2**63}\n" + NONE, f"seed is {2**63}; 0 to"),
        ("games = 10", r"at least one table \[\[grid\]\]"),
        ("grid = 3", r"at least one table \[\[grid\]\]"),
        ("speed = 3\n" + NONE, "unknown speed; known: games, decisions"),
        ('games = "ten"\n' + NONE, "name: games is 'ten'; a whole number is legal"),
        ("games = true\n" + NONE, "games is True"),
        ("games = 7\n" + NONE, "an even number"),
        ("games = 0\ndecisions = 0\nrounds = 0\n" + NONE, "nothing would be measured"),
        ("seed = -1\n" + NONE, "seed is -1"),
        ("title = 3\n" + NONE, "title is 3; a text"),
        ("iterations = 0\n" + NONE, "iterations"),
        ("[[grid]]\nw = 1", "grid 1: technique is missing"),
        ('[[grid]]\ntechnique = "magic"', "technique is 'magic'; one or several of none"),
        ("[[grid]]\ntechnique = []", "technique is an empty list"),
        (NONE + "speed = 1", "grid 1: unknown speed; known: technique, model"),
        (NONE + "c_bt = 1", "c_bt means nothing for none; none takes nothing"),
        (NONE + 'iterations = "equal-time"', "equal time by itself"),
        (
            NONE + 'iterations = "soon"',
            "iterations is 'soon'; 1 to 1,000,000 are legal, and \"equal-time\"",
        ),
        ('[[grid]]\ntechnique = "knowledge"\nc_bt = 1\nk = 1', "model is missing"),
        (KNOWLEDGE + "k = 1", "c_bt is missing; 0 to 1,000,000 are legal, or one of baier2018"),
        (KNOWLEDGE + "c_bt = []\nk = 1", "c_bt is an empty list"),
        (KNOWLEDGE + "c_bt = -1\nk = 1", "c_bt is -1; 0 to 1,000,000 are legal"),
        (KNOWLEDGE + "c_bt = nan\nk = 1", "c_bt is nan"),
        (KNOWLEDGE + "c_bt = 1\nk = 0", "k is 0; 1e-09 to 1,000,000,000 are legal"),
        (KNOWLEDGE + 'c_bt = "smith1999"\nk = 1', "c_bt is 'smith1999'"),
        (
            KNOWLEDGE + "c_bt = 1\nk = 1\ndelay = 0",
            "delay is 0; a whole number from 1, root and inf are legal",
        ),
        (KNOWLEDGE + "c_bt = 1\nk = 1\ndelay = 1.5", "delay is 1.5"),
        (
            '[[grid]]\ntechnique = "experience"\nmodel = "m"\nw = 1.5',
            "w is 1.5; 0 to 100,000 are legal",
        ),
        (KNOWLEDGE + "c_bt = 1\nk = 1\nw = 3", "w means nothing for knowledge"),
        (KNOWLEDGE + "c_bt = 1\nk = 1\nlambda = 3", "lambda means nothing for knowledge"),
        (PIKL, "lambda is missing; 0 to 1,000,000,000 are legal"),
        (PIKL + "lambda = -1", "lambda is -1; 0 to 1,000,000,000 are legal"),
        (PIKL + "lambda = 1\nplay = 'worst'", "play is 'worst'; likeliest, sample are legal"),
        (PIKL + "lambda = 1\ndelay = 1", "delay means nothing for pikl; pikl takes model, lambda"),
        (KNOWLEDGE + f"c_bt = {list(range(40))}\nk = {list(range(1, 40))}", "1,560 settings; at"),
    ],
)
def test_what_is_wrong_is_said_with_what_is_legal(text, message, any_agent):
    with pytest.raises(SpadesError, match=message):
        parse_sweep(text, "name")


def test_pikl_has_a_grid_of_its_own_and_leaves_other_settings_as_they_were(any_agent):
    text = PIKL + 'lambda = [0, 5, 50]\nplay = ["likeliest", "sample"]'
    plan = parse_sweep(text, "name")
    assert len(plan.settings) == 1 + 3 * 2
    assert plan.settings[1] == Setting(Pikl("devlin2016", 0.0))
    assert plan.settings[-1].label == "pikl λ 50, sampled, devlin2016, 2500 iterations"
    assert parse_sweep(PIKL + "lambda = 5", "name").settings[1].values["play"] == "likeliest"
    assert parse_sweep(config_text(plan), "name") == plan
    assert SweepPlan.from_document(plan.document()) == plan
    old = plan.settings[0].document()
    assert "lambda" not in old
    assert "play" not in old
    assert Setting.from_document(old) == Setting()


def test_files_that_are_no_sweeps_are_refused(tmp_path):
    with pytest.raises(SweepError, match=r"none\.toml: No such file"):
        read_sweep(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'title = "\xe9"')
    with pytest.raises(SweepError, match="not UTF-8"):
        read_sweep(tmp_path / "latin.toml")
    (tmp_path / "big.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(SweepError, match="more than 1,000,000 bytes"):
        read_sweep(tmp_path / "big.toml")


@pytest.mark.timeout(10)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    for path in (tmp_path / "pipe.toml", Path("/dev/zero")):
        with pytest.raises(SweepError, match="not a regular file; a sweep is a TOML file"):
            read_sweep(path)


def test_a_plan_is_the_same_after_toml_and_after_json(any_agent):
    plan = parse_sweep('title = "A \\"T\\""\n' + KNOWLEDGE + "c_bt = [0, 0.03]\nk = 1000", "name")
    assert parse_sweep(config_text(plan), "name") == plan
    assert SweepPlan.from_document(plan.document()) == plan
    with pytest.raises(SweepError, match="no plan of a sweep"):
        SweepPlan.from_document({"settings": [{}]})


def test_shipped_sweeps_can_be_read(any_agent):
    for path in SWEEPS.glob("*.toml"):
        plan = read_sweep(path)
        assert path_of(plan.log).exists()
        assert plan.title


def test_the_reward_scale_is_an_axis_of_its_own():
    text = 'games = 2\n[[grid]]\ntechnique = ["none", "knowledge"]\nmodel = "devlin2016"\n'
    text += "c_bt = 0.2\nk = 1000\nreward_scale = [100, 400.5]\n"
    plan = parse_sweep(text, "scales")
    agents = [setting.agent() for setting in plan.settings[1:]]
    assert len(agents) == 4
    assert all("reward_scale=" in agent for agent in agents)
    assert plan.settings[1].label == "unbiased, 2500 iterations, 100 points a reward"
    assert SweepPlan.from_document(plan.document()) == plan
    assert parse_sweep(config_text(plan), "again").settings == plan.settings
    assert "reward_scale" not in Setting().document()  # older results keep their keys
    with pytest.raises(SweepError, match="reward_scale is 0"):
        parse_sweep(text.replace("[100, 400.5]", "0"), "scales")
