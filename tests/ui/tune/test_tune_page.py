"""The Tune page: the ladder, the frontier of a sweep, a sweep run, its address."""

import json
import math
from dataclasses import replace

import pytest
import streamlit as st

from analysis.runs.command import write_table
from analysis.runs.store import FILE_NAME, ResultStore
from analysis.sweeps import library
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import SETTING, Setting, SweepError, config_text
from spades.search import Pikl
from tests.analysis.disagreements.quick import review_quickly
from tests.analysis.small_sweeps import SMALL, grid_document, store_tiny_log
from tests.analysis.workers import InProcess
from tests.damages import damage_store
from tests.pages.apps import address, button, open_page, run, say, see_ended, texts
from ui.shared.jobs import page_jobs
from ui.tune.state import BIAS
from ui.tune.state import page as state

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
PICKED = {
    "key9": {"technique": "knowledge", "c_bt": 0.2, "k": 1000.0, "delay": "root"},
    "key5": {"technique": "experience", "w": 1, "delay": "1", "model": "devlin2016"},
    "key10": {"technique": "knowledge", "c_bt": 2.0},
}


def page(view="frontier", **query):
    return open_page("4_Tune", {"view": view, **query})


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Stores of its own, one shipped sweep, tasks that are done here, a quick judge."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    folder = tmp_path / "sweeps"
    folder.mkdir()
    monkeypatch.setattr(library, "SWEEPS", folder)
    store_tiny_log()
    (folder / "devlin-fig1.toml").write_text(config_text(SMALL))
    write_table(grid_document(), folder / "devlin-fig1.json")
    InProcess(monkeypatch)
    review_quickly(monkeypatch)
    st.cache_data.clear()
    st.cache_resource.clear()
    return folder


@pytest.mark.parametrize("damage", ["junk", "folder", "row"])
def test_a_damaged_store_is_said_and_the_shipped_sweep_is_shown(damage, tmp_path):
    damage_store(tmp_path / "results" / FILE_NAME, damage, SETTING)
    for view in ("frontier", "run"):
        at = page(view)
        assert FILE_NAME in at.error[0].value.replace("\\", "")
    assert page().get("plotly_chart")


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


def trace_names(at):
    return [trace.get("name") for trace in figure(at)["data"]]


def annotations(at):
    """Beside the first, the title of the vertical axis, and the names of lines at their ends."""
    texts = [note["text"] for note in figure(at)["layout"]["annotations"][1:]]
    return [text for text in texts if "●" not in text]


def pick(at, key):
    at.selectbox(key="tune_point").select(key)
    return run(at)


def click(at, label):
    button(at, label).click()
    return run(at)


def warning(at):
    return at.warning[0].value.replace("\\", "")


def see_bias(at, bias):
    for name, value in bias.items():
        assert at.session_state[f"tune_{name}"] == value


def see_another_laid_over(folder):
    (folder / "second.toml").write_text(config_text(replace(SMALL, title="Second")))
    document = grid_document()
    document["plan"]["games"] = 2
    for one in document["settings"]:
        one["key"] += "b"
    write_table(document, folder / "second.json")
    at = page(over="second", point="key4b")
    assert not at.warning
    assert "C_BT 0.1, by K, delay 1, second sweep" in trace_names(at)
    assert "not measured alike: games 200 and 2" in texts(at)
    asked = address(click(at, "Play a match of it"))
    assert asked["view"] == "match"
    assert asked["ns"] == "ismcts:iterations=2004"
    assert (asked["ew"], asked["games"]) == ("ismcts:iterations=2500", "2")
    for dropped in ("parallel", "time"):
        at = page(chart=dropped, point="key4")
        assert not at.warning
        assert "none better in both" in trace_names(at)
    (folder / "second.toml").unlink()


def see_late_address(at):
    """An address that the browser says late is no link; one that it goes back to is."""
    left = dict(at.query_params)
    at.segmented_control(key="tune_x").set_value("ece")
    at.run()
    written = dict(at.query_params)
    for said, shown in ((left, "ece"), (written, "ece"), (left, "kl")):
        at.query_params.clear()
        at.query_params.update(said)
        at.run()
        assert at.session_state["tune_x"] == shown


def see_the_axis_of_the_task():
    at = page("frontier")
    at.segmented_control(key="tune_task").set_value("predict")
    at = run(at)
    title = figure(at)["layout"]["xaxis"]["title"]["text"]
    assert title.startswith("human's card predicted, choices only")
    assert figure(at)["layout"]["coloraxis"]["colorbar"]["title"]["text"].startswith(
        "KL divergence: "
    )
    assert dict(at.query_params) == {"view": "frontier", "task": "predict"}
    again = page(**dict(at.query_params))
    assert figure(again)["layout"]["xaxis"]["title"]["text"] == title
    again.segmented_control(key="tune_x").set_value("auc")
    again.run()
    assert dict(again.query_params) == {"task": "predict", "x": "auc"}


def see_pikl(folder):
    setting = Setting(Pikl("devlin2016", 50.0, "sample"))
    write_table(grid_document(setting), folder / "devlin-fig1.json")
    at = page(x="log_loss", point="key11")
    assert not at.warning
    assert "log-loss of the human's card, nats" in figure(at)["layout"]["xaxis"]["title"]["text"]
    (table,) = (table.value for table in at.dataframe if "win_rate" in table.value)
    assert {"log_loss", "log_loss_low", "ece"} <= {*table}
    at = pick(pick(at, ""), "key11")
    assert "Plays: Sample in the sweep's setting, Likeliest on the ladder." in texts(
        click(at, "See it on the ladder")
    )
    see_bias(at, {"technique": "pikl", "lambda": 50.0})


def see_equal_time(folder):
    document = grid_document()
    one = next(one for one in document["settings"] if one["key"] == "key4")
    one["setting"] |= {"iterations": "equal-time"}
    one["agent"] = "ismcts:iterations=953,bias=knowledge,c_bt=0.1"
    write_table(document, folder / "devlin-fig1.json")
    at = pick(page(), "key4")
    assert at.query_params["iterations"] == "953"
    at = click(at, "See it on the ladder")
    assert at.selectbox(key="tune_iterations").value == 953


def see_heat_maps_and_wrong_links():
    family = "experience, delay 1, devlin2016, 2500 iterations"
    assert figure(page(chart="heat", heat="kl", family=family))["data"][0]["x"] == [
        "1",
        "10",
        "100",
    ]
    at = page(sweep="ghost", point="gone", chart="heat", family="gone")
    assert figure(at)["data"][0]["y"] == ["0.03", "0.1"]
    assert "sweep=ghost; there is: devlin-fig1. Shown: devlin-fig1" in warning(at)
    assert "point=gone, which isn't in this sweep" in warning(at)
    assert "family=gone; this sweep has: knowledge, delay" in warning(at)


def see_what_can_not_be_run(folder):
    text = '[[grid]]\ntechnique = "knowledge"\nmodel = "ghost"\nc_bt = 1\nk = 1'
    (folder / "devlin-fig1.toml").write_text(text)
    assert "no human model is called 'ghost'" in texts(page())
    (folder / "devlin-fig1.json").unlink()
    at = page()
    assert "it can't be run here" in texts(at)
    assert not at.get("plotly_chart")


@pytest.mark.slow
def test_the_frontier_shows_a_sweep_and_gives_the_ladder_its_settings(here):
    at = page()
    assert not at.warning
    assert {"unbiased search", "published, real humans"} <= set(trace_names(at))
    (table,) = (table.value for table in at.dataframe if "win_rate" in table.value)
    assert len(table) == 11
    assert table.loc[1, ["win_rate_low", "win_rate_high"]].tolist() == pytest.approx([0.41, 0.71])
    assert table.loc[0, ["win_rate_low", "win_rate_high"]].isna().all()
    assert "The humans here are **simulated**" in texts(at)
    assert "behaviour c0de" in texts(at)
    assert figure(at)["layout"]["xaxis"]["title"]["text"].startswith("KL(humans ‖ agent)")
    assert "KL, accuracy and AUC disagree on 10 of 11 settings" in texts(at)
    assert dict(at.query_params) == {"view": "frontier"}

    for key, bias in PICKED.items():
        at = pick(at, key)
        see_bias(at, bias)
        assert at.query_params["point"] == key
        if key == "key9":
            said = {name: at.query_params[name] for name in BIAS if name in at.query_params}
            wanted = {n: value for n, value in bias.items() if value != state.fields[n].default}
            assert said == {name: str(value) for name, value in wanted.items()}
    again = page(**dict(at.query_params))
    assert not again.warning
    assert "chosen" in trace_names(again)
    assert len(again.metric) >= 5

    at = click(at, "See it on the ladder")
    assert at.query_params["view"] == "ladder"
    see_bias(at, PICKED["key10"])
    assert "Direct imitation plays the likeliest human card and doesn't search" in texts(at)
    at.select_slider(key="tune_c_bt").set_value(1.0)
    assert "Direct imitation" not in texts(run(at))

    see_another_laid_over(here)
    see_heat_maps_and_wrong_links()
    see_late_address(page(point="key4"))
    see_the_axis_of_the_task()
    see_equal_time(here)
    see_pikl(here)
    see_what_can_not_be_run(here)


def n_settings():
    return len(list(ResultStore().results(SETTING)))


def see_run(at, n_new):
    """The sweep of the form runs and is shown."""
    at = see_ended(click(at, "Run the sweep"))
    assert page_jobs().jobs()[0].state == "done", page_jobs().jobs()[0].error
    assert at.query_params["sweep"] not in ("devlin-fig1", "")
    (table,) = (table.value for table in at.dataframe if "win_rate" in table.value)
    assert len(table) == n_new
    assert f"this machine's store: {n_new} settings measured, 2 games a setting" in texts(at)
    assert not page(**dict(at.query_params)).warning


@pytest.mark.slow
def test_a_sweep_is_refused_filled_in_run_stopped_and_resumed(here, monkeypatch):
    at = page("run", **{**FORM, "sweep_c_bt": "x"})
    assert "c_bt is 'x'; 0 to 1,000,000 are legal" in at.error[0].value.replace("\\", "")
    assert not [one for one in at.button if one.label == "Run the sweep"]

    at = page("run", **FORM)
    at.number_input(key="tune_sweep_games").set_value(-2)
    at = click(at, "Run the sweep")  # the click comes with the number
    assert "Games is -2; 0 to " in at.error[0].value.replace("\\", "")
    assert not page_jobs().jobs()

    at = page("run", **FORM | {"sweep_techniques": "pikl"}, sweep_lambda="5, 50")
    assert "3 settings with the unbiased one" in texts(at)

    at = click(page("run", **FORM), "Devlin 2016, fig. 1")
    assert at.query_params["sweep_c_bt"] == "devlin2016"
    assert "26 settings with the unbiased one" in texts(at)
    assert "83 settings with the unbiased one" in texts(click(at, "Baier 2018, figs. 2 and 3"))

    def fails(plan, **options):
        raise SweepError("no room is left for its results")

    with monkeypatch.context() as patch:
        patch.setattr("ui.tune.sweeps.run_sweep", fails)
        at = see_ended(click(page("run", **FORM), "Run the sweep"))
    assert "no room is left for its results" in at.error[0].value.replace("\\", "")

    at = page("run", **FORM)
    assert "3 settings with the unbiased one" in texts(at)
    see_run(at, 3)

    plan, before = replace(SMALL, seed=6, title="Half done"), n_settings()
    assert run_sweep(plan, is_cancelled=lambda: n_settings() > before) is None
    at = page("run")
    assert "**Half done**: 1 of 3 settings measured" in texts(at)
    at = see_ended(click(at, "Go on"))
    assert "settings measured" not in texts(at)
    assert n_settings() == before + 3

    (here / "devlin-fig1.json").unlink()
    at = page()
    assert "Nothing measured yet." in texts(at)
    at = see_ended(click(at, "Measure it"))
    assert "Measure it" not in [one.label for one in at.button]
    assert figure(at)["data"]


def ladder(**query):
    return open_page("4_Tune", {"view": "ladder", **query})


def test_a_sweep_with_delays_in_numbers_and_words_is_one_table(caplog):
    caplog.set_level("INFO", logger="streamlit.dataframe_util")
    at = open_page("4_Tune", {"sweep": "baier"})
    table = at.dataframe[0].value
    delays = dict(zip(table["called"], table["delay"], strict=True))
    assert delays["in every node"] == 1
    assert math.isnan(delays["at the root only"])
    assert "Serialization of dataframe" not in caplog.text


def test_pikl_climbs_by_lambda():
    query = {"technique": "pikl", "lambda": "7", "iterations": "500", "ladder_seed": "7"}
    at = ladder(**query)
    assert not at.warning
    assert address(at) == {"view": "ladder", **query}
    assert figure(at)["layout"]["annotations"][0]["text"] == "piKL's policy π"
    assert annotations(at) == ["set: 7"]
    assert not [one for one in at.select_slider if one.label == "The model is called"]


def test_the_ladder_follows_its_controls_and_links(monkeypatch):
    at = ladder(iterations="100")
    assert not at.warning
    assert annotations(at) == ["Devlin 2016", "set: 0.03"]
    assert any("Unbiased " in text.value for text in at.markdown)
    at.query_params["ply"] = "21"
    at.run()
    assert "ply=21" in warning(at), "a second link"

    query = {
        **{"hand": "four-bots", "ply": "3", "technique": "experience", "w": "50"},
        **{"delay": "root", "model": "devlin2016-nil", "iterations": "500", "ladder_seed": "7"},
    }
    at = ladder(**query)
    assert not at.warning
    assert address(at) == {"view": "ladder", **query}
    at.select_slider(key="tune_w").set_value(200).run()
    assert address(at) == {"view": "ladder", **query, "w": "200"}
    assert annotations(at) == ["set: 200"]  # w 10 is published for a network

    query = {"c_bt": "0.04", "k": "700", "iterations": "953", "ladder_scale": "100"}
    at = ladder(**query)
    assert not at.warning
    assert address(at) == {"view": "ladder", **query}
    assert "set: 0.04" in annotations(at)
    (link,) = [one for one in at.get("page_link") if one.proto.label == "Open in Replay"]
    assert "c_bt=0.04&k=700" in link.proto.query_string
    assert "reward_scale=100" in link.proto.query_string
    at.select_slider(key="tune_c_bt").set_value(0.05).run()
    assert address(at)["c_bt"] == "0.05"
    assert "0.04" in at.select_slider(key="tune_c_bt").options, "one more stop"
    at.select_slider(key="tune_c_bt").set_value(0.04)
    assert address(run(at)) == {"view": "ladder", **query}

    at = ladder(iterations="100", c_bt="2e6", model="oracle", hand="nope", delay="soon")
    for words in (
        "c_bt=2e6; 0 to 1,000,000 are legal. Shown: 1000000",
        "model=oracle",
        "no hand 'nope'",
        "soon",
    ):
        assert words in warning(at)
    assert address(at)["c_bt"] == "1000000"

    # A quick click names a decision of the hand before.
    at = ladder(iterations="100", ply="3")
    say(monkeypatch, at.selectbox(key="tune_ply"), "a decision of another hand")
    at.select_slider(key="tune_c_bt").set_value(0.1)
    query = address(run(at))
    assert (query["ply"], query["c_bt"]) == ("3", "0.1")
