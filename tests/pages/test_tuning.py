"""The Tuning page: the frontier of a sweep, a setting picked, a sweep run, its address."""

import json
from dataclasses import replace

import pytest

from analysis.runs.command import write_table
from analysis.runs.store import ResultStore
from analysis.sweeps import library
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import SETTING, SweepError, config_text
from tests.analysis.small_sweeps import SMALL, grid_document, store_tiny_log
from tests.analysis.workers import InProcess
from tests.pages.apps import button, open_page, see_ended, texts
from ui.shared.jobs import job_book
from ui.tuning.state import BIAS, FIELDS

FORM = {
    "sweep_techniques": "knowledge|experience",
    "sweep_c_bt": "0.1",
    "sweep_k": "100",
    "sweep_w": "10",
    "sweep_budget": "20",
    "sweep_iterations": "20",
    "sweep_games": "2",
    "sweep_decisions": "20",
    "sweep_rounds": "3",
    "sweep_log": "tiny",
}


def page(view="frontier", **query):
    return open_page("4_Tuning", {"view": view, **query})


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Stores of its own, one shipped sweep, tasks that are done here."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    folder = tmp_path / "sweeps"
    folder.mkdir()
    monkeypatch.setattr(library, "SWEEPS", folder)
    store_tiny_log()
    (folder / "devlin-fig1.toml").write_text(config_text(SMALL))
    write_table(grid_document(), folder / "devlin-fig1.json")
    InProcess(monkeypatch)
    return folder


def form(**query):
    return page("run", **{**FORM, **query})


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


def pick(at, key):
    at.selectbox(key="tuning_point").select(key)
    at.run()
    assert not at.exception


def test_the_page_opens_on_the_shipped_sweep_with_all_its_settings():
    at = page()
    assert not at.warning
    names = [trace.get("name") for trace in figure(at)["data"]]
    assert "unbiased search" in names
    assert "published, real humans" in names
    (table,) = (table.value for table in at.dataframe if "win_rate" in table.value)
    assert len(table) == 11
    assert table["win_rate_range"][1] == "41.0% to 71.0%"
    assert table["win_rate_range"][0] == ""
    assert "The humans here are **simulated**" in texts(at)
    assert "behaviour c0de" in texts(at)
    assert dict(at.query_params) == {"view": "frontier"}


@pytest.mark.parametrize(
    ("key", "bias"),
    [
        ("key9", {"technique": "knowledge", "c_bt": 0.2, "k": 1000.0, "delay": "root"}),
        ("key5", {"technique": "experience", "w": 1, "delay": "1", "model": "devlin2016"}),
        ("key10", {"technique": "knowledge", "c_bt": 2.0}),
    ],
)
def test_a_setting_picked_is_the_ladder_s_and_stands_in_the_address(key, bias):
    at = page()
    pick(at, key)
    for name, value in bias.items():
        assert at.session_state[f"tuning_{name}"] == value
    assert at.query_params["point"] == key
    written = {name: at.query_params[name] for name in BIAS if name in at.query_params}
    wanted = {name: value for name, value in bias.items() if value != FIELDS.by_name[name].default}
    assert written == {name: str(value) for name, value in wanted.items()}
    again = page(**dict(at.query_params))
    assert not again.warning
    for name, value in bias.items():
        assert again.session_state[f"tuning_{name}"] == value
    assert "chosen" in [trace.get("name") for trace in figure(again)["data"]]
    assert len(again.metric) >= 5
    button(again, "See it on the ladder").click()
    again.run()
    assert not again.exception
    assert again.query_params.get("view", ["ladder"]) == ["ladder"]
    for name, value in bias.items():
        assert again.session_state[f"tuning_{name}"] == value


def test_the_ladder_says_in_what_it_differs_from_the_setting_picked():
    at = page()
    pick(at, "key10")
    button(at, "See it on the ladder").click()
    at.run()
    assert "Direct imitation plays the likeliest human card and doesn't search" in texts(at)
    at.select_slider(key="tuning_c_bt").set_value(1.0)
    at.run()
    assert not at.exception
    assert "Direct imitation" not in texts(at)


def test_an_equal_time_point_gives_the_ladder_its_iterations(here):
    document = grid_document()
    one = next(one for one in document["settings"] if one["key"] == "key4")
    one["setting"] |= {"iterations": "equal-time"}
    one["agent"] = "ismcts:iterations=953,bias=knowledge,c_bt=0.1"
    write_table(document, here / "devlin-fig1.json")
    at = page()
    pick(at, "key4")
    assert at.query_params["iterations"] == "953"
    button(at, "See it on the ladder").click()
    at.run()
    assert not at.exception
    assert at.selectbox(key="tuning_iterations").value == 953
    pick_fixed = page()
    pick(pick_fixed, "key9")
    assert pick_fixed.session_state["tuning_iterations"] == 2500


def test_a_heat_map_is_of_one_family_and_one_value():
    at = page(chart="heat", heat="kl", family="experience, delay 1, devlin2016, 2500 iterations")
    assert figure(at)["data"][0]["x"] == ["1", "10", "100"]
    at = page(chart="heat")
    assert figure(at)["data"][0]["y"] == ["0.03", "0.1"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"sweep": "ghost"}, "sweep=ghost; there is: devlin-fig1. Shown: devlin-fig1"),
        ({"point": "gone"}, "point=gone, which isn't in this sweep"),
        ({"chart": "heat", "family": "gone"}, "family=gone; this sweep has: knowledge, delay"),
    ],
)
def test_links_that_can_not_be_followed_say_so(query, message):
    at = page(**query)
    assert message in at.warning[0].value.replace("\\", "")
    assert figure(at)["data"]


def test_a_sweep_that_can_not_be_run_is_refused_with_what_is_legal():
    at = form(sweep_c_bt="x")
    assert "c_bt is 'x'; numbers from 0 on" in at.error[0].value.replace("\\", "")
    assert not [one for one in at.button if one.label == "Run the sweep"]


def test_a_published_grid_fills_the_form():
    at = form()
    button(at, "Devlin 2016, fig. 1").click()
    at.run()
    assert at.query_params["sweep_c_bt"] == "devlin2016"
    assert "26 settings with the unbiased one" in texts(at)
    button(at, "Baier 2018, figs. 2 and 3").click()
    at.run()
    assert "83 settings with the unbiased one" in texts(at)


def test_a_sweep_is_run_from_the_page_and_shown():
    at = form()
    assert "3 settings with the unbiased one" in texts(at)
    button(at, "Run the sweep").click()
    at.run()
    see_ended(at)
    assert job_book().jobs()[0].state == "done", job_book().jobs()[0].error
    assert at.query_params["sweep"] not in ("devlin-fig1", "")
    (table,) = (table.value for table in at.dataframe if "win_rate" in table.value)
    assert len(table) == 3
    assert "this machine's store: 3 settings measured, 2 games a setting" in texts(at)
    assert len(list(ResultStore().results(SETTING))) == 3
    again = page(**dict(at.query_params))
    assert not again.warning


def test_a_sweep_that_was_stopped_is_offered_and_goes_on():
    plan = replace(SMALL, seed=6, title="Half done")
    assert (
        run_sweep(plan, is_cancelled=lambda: len(list(ResultStore().results(SETTING))) > 0) is None
    )
    at = page("run")
    assert "**Half done**: 1 of 3 settings measured" in texts(at)
    button(at, "Go on").click()
    at.run()
    see_ended(at)
    assert "settings measured" not in texts(at)
    assert len(list(ResultStore().results(SETTING))) == 3


def test_a_shipped_sweep_without_results_can_be_measured(here):
    (here / "devlin-fig1.json").unlink()
    at = page()
    assert "Nothing measured yet." in texts(at)
    button(at, "Measure it").click()
    at.run()
    see_ended(at)
    assert "Measure it" not in [one.label for one in at.button]
    assert figure(at)["data"]


def test_a_shipped_sweep_that_can_not_be_run_here_says_why(here):
    text = '[[grid]]\ntechnique = "knowledge"\nmodel = "ghost"\nc_bt = 1\nk = 1'
    (here / "devlin-fig1.toml").write_text(text)
    assert "no human model is called 'ghost'" in texts(page())
    (here / "devlin-fig1.json").unlink()
    at = page()
    assert "it can't be run here" in texts(at)
    assert not at.get("plotly_chart")


def test_a_sweep_that_fails_says_why(monkeypatch):
    def fails(plan, **options):
        raise SweepError("no room is left for its results")

    monkeypatch.setattr("ui.tuning.sweeps.run_sweep", fails)
    at = form()
    button(at, "Run the sweep").click()
    at.run()
    see_ended(at)
    assert "no room is left for its results" in at.error[0].value.replace("\\", "")


def test_an_address_that_comes_late_is_no_link():
    at = page()
    left = dict(at.query_params)
    at.segmented_control(key="tuning_x").set_value("kl")
    at.run()
    assert "kl" in at.query_params["x"]
    written = dict(at.query_params)
    at.query_params.clear()
    at.query_params.update(left)
    at.run()  # a click of the moment before
    assert at.session_state["tuning_x"] == "kl"
    assert "kl" in at.query_params["x"]
    at.query_params.clear()
    at.query_params.update(written)
    at.run()  # now the browser knows the new one
    at.query_params.clear()
    at.query_params.update(left)
    at.run()  # a link, or the way back
    assert at.session_state["tuning_x"] == "accuracy_all"
