"""The bench: sliders, four numbers, the chart, twenty decisions, and one setting measured."""

import json

import pandas as pd
import pytest
import streamlit as st

from analysis.matches.named_agents import named_agents
from analysis.runs.command import write_table
from analysis.runs.store import ResultStore
from analysis.sweeps import library
from analysis.sweeps.library import SWEEPS, read_document
from analysis.sweeps.likeness import find_disputes
from analysis.sweeps.point import AMOUNTS, Amount
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import SETTING, config_text
from analysis.sweeps.views import view_table
from spades.notation.log_store import store_log
from tests.analysis.small_sweeps import SMALL, store_tiny_log, tiny_log
from tests.analysis.workers import InProcess
from tests.pages.apps import address, button, numbers, open_page, run, see_ended, texts
from ui.tune import bench

SHIPPED = {
    (row["setting"].get("c_bt"), row["setting"].get("k")): row
    for row in read_document(SWEEPS / "devlin-fig1.json")["settings"]
}


def page(**query):
    return open_page("4_Tune", query)


def open_uses(at):
    """What can be done with the setting, behind one button."""
    at.session_state["tune_use"] = True
    return run(at)


def facts(at):
    return {metric.label: (metric.value, metric.delta) for metric in at.metric}


def chart(at):
    (found,) = at.get("plotly_chart")
    return json.loads(found.proto.spec)


def in_hand(at):
    (mark,) = [one for one in chart(at)["data"] if one.get("name") == "the setting in hand"]
    return mark


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def test_intervals_of_games_won_lie_within_the_chart():
    drawn = chart(page())
    (own,) = [one for one in drawn["data"] if one.get("name") == "measured"]
    least, most = drawn["layout"]["yaxis"]["range"]
    values = numbers(own["y"])
    is_framed = (least <= values) & (values <= most)  # direct imitation may lie below all
    assert is_framed.sum() > 5
    assert (values + numbers(own["error_y"]["array"]))[is_framed].max() <= most
    assert (values - numbers(own["error_y"]["arrayminus"]))[is_framed].min() >= least


def test_tune_opens_on_the_bench_and_a_measured_setting_has_its_own_numbers():
    at = page()
    assert not at.warning
    assert at.segmented_control(key="tune_view").value == "bench"
    measured = SHIPPED[0.03, 1000.0]
    said = facts(at)
    assert said["KL to humans, nats"][0] == f"{measured['kl']['value']:.3f}"
    assert said["Human's card"][0] == f"{measured['accuracy']['share']:.1%}"
    gain = measured["accuracy"]["gain"]["value"]
    assert said["Human's card"][1].startswith(f"{100 * gain:+.1f} pp · ")
    assert said["Games won"][0] == f"{measured['match']['win_rate']:.1%}"
    assert said["Time a move"][0] == f"{measured['time']['ratio']:.2f} ×"
    assert "Filled: measured, 800 rounds, 2,000 decisions, 1,000 games" in texts(at)
    log_loss = measured["probabilities"]["log_loss"]["value"]
    assert f"Also: log-loss **{log_loss:.3f}**, −" in texts(at)
    assert f"AUC **{measured['auc']['value']:.3f}**, −" in texts(at)
    assert in_hand(at)["marker"]["symbol"] == "circle"
    assert address(at) == {}
    assert "400 points in a reward, 400 of the unbiased search" in texts(at)


def test_decisions_open_in_replay_at_the_scale_that_they_were_searched_at():
    at = page(reward_scale="100")
    assert "100 points in a reward, 400 of the unbiased search" in texts(at)
    queries = [link.proto.query_string for link in at.get("page_link")]
    queries = [query for query in queries if "round=" in query]
    assert len(queries) == 20
    assert all("reward_scale=100" in query for query in queries)


def test_a_slider_moves_the_estimate_and_the_decisions():
    at = page(c_bt="0.07")
    assert "Hollow: estimated from" in texts(at)
    assert "Also, once it is measured: log-loss and AUC." in texts(at)
    assert in_hand(at)["marker"]["symbol"] == "circle-open"
    before = facts(at)
    changed = next(text for text in texts(at).split("\n") if "decisions change" in text)
    at.select_slider(key="tune_c_bt").set_value(2.0)
    at = run(at)
    assert address(at) == {"c_bt": "2"}
    assert facts(at)["KL to humans, nats"] != before["KL to humans, nats"]
    assert changed not in texts(at)


def test_a_bias_of_strength_0_changes_nothing():
    at = page(c_bt="0.0")
    changes = [
        delta.split(" ")[0] for label, (_, delta) in facts(at).items() if "Time" not in label
    ]
    assert changes == ["±0"] * 3
    assert "0 of 20 decisions change" in texts(at)


@pytest.mark.slow
def test_what_nobody_measured_says_so():
    far = page(iterations="25000")
    assert "None near this one was measured" in texts(far)
    at = page(model="log-linear-fit")
    assert facts(at)["KL to humans, nats"] == ("–", "not measured")
    assert "there is nothing to estimate from" in texts(at)
    assert "Time a move" in facts(at)


def test_accuracy_and_kl_are_axis_and_colour_by_the_task():
    at = page()
    assert "KL(humans" in chart(at)["layout"]["xaxis"]["title"]["text"]
    at.segmented_control(key="tune_task").set_value("predict")
    at = run(at)
    assert "human's card predicted" in chart(at)["layout"]["xaxis"]["title"]["text"]
    assert address(at) == {"task": "predict"}


def test_the_bench_and_the_sweeps_dispute_a_setting_by_one_rule():
    table = view_table(read_document(SWEEPS / "baier.json"))
    rows = table.set_index("key")
    disputes = [
        one
        for one in find_disputes(table)
        if one.rival == table["key"][0] and rows["budget"][one.setting] == "iterations"
    ]
    assert any("AUC" in one.nearer + one.farther for one in disputes)
    for is_settled in (True, False):
        dispute = next(one for one in disputes if one.is_settled == is_settled)
        row = rows.loc[dispute.setting]
        names = ("technique", "c_bt", "k", "w", "model", "delay")
        link = {name: str(row[name]) for name in names if not pd.isna(row[name])}
        at = page(**link, iterations="2500")
        said = f"beside the unbiased search it is {dispute.text}"
        end = ".**" if is_settled else ", within the 95% intervals."
        assert said + end in texts(at)
    assert "The measures disagree" not in texts(page())


@pytest.mark.slow
def test_few_controls_are_in_sight_and_the_rest_is_said_by_one_button():
    at = page(model="t-200-150-100", delay="root")
    assert [one.label for one in at.selectbox] == ["Technique"]
    assert [one.label for one in at.select_slider] == ["C_BT (rewards)", "K (visits)"]
    (rest,) = [
        one.proto.popover.label
        for one in at.get("popover")
        if "iterations" in one.proto.popover.label
    ]
    assert "2,500 iterations" in rest
    assert "at the root only" in rest
    at.session_state["tune_others"] = True
    at = run(at)
    assert {one.label for one in at.selectbox} >= {"Human model", "Iterations"}
    at.select_slider(key="tune_delay").set_value("inf")
    at = run(at)
    assert "0 of 20 decisions change" in texts(at)


@pytest.mark.slow
def test_links_to_a_sweep_lead_to_the_sweeps_and_views_of_a_setting_keep_it():
    at = page(sweep="baier")
    assert at.segmented_control(key="tune_view").value == "frontier"
    at = page(c_bt="0.07", k="100.0")
    button(open_uses(at), "One decision").click()
    at = run(at)
    assert address(at) == {"view": "ladder", "c_bt": "0.07", "k": "100"}
    at = page(c_bt="0.07")
    button(open_uses(at), "Match").click()
    asked = address(run(at))
    assert asked["ns"] == "ismcts:iterations=2500,bias=knowledge,c_bt=0.07"
    assert asked["ew"] == "ismcts:iterations=2500"


def test_decisions_are_of_the_log_in_hand(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_log(tiny_log(4), "mine")
    at = page()
    assert "of 4 decisions change" in texts(at)
    assert "mine, 6 searches each" in texts(at)


@pytest.mark.slow
def test_a_point_is_measured_from_the_page(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_tiny_log()
    folder = tmp_path / "sweeps"
    folder.mkdir()
    monkeypatch.setattr(library, "SWEEPS", folder)
    InProcess(monkeypatch)
    amounts = {name: Amount("small", 2 * i, 20, 3) for i, name in enumerate(AMOUNTS, 1)}
    monkeypatch.setattr(bench, "AMOUNTS", amounts)
    st.cache_data.clear()
    st.cache_resource.clear()
    at = page()
    assert "No sweep has results yet" in texts(at)

    (folder / "small.toml").write_text(config_text(SMALL))
    write_table(run_sweep(SMALL), folder / "small.json")
    at = page(iterations="20")
    assert facts(at)["Games won"][0] == "–"
    n_before = len(list(ResultStore().results(SETTING)))
    button(at, "Measure this point").click()
    at = see_ended(run(at))
    assert len(list(ResultStore().results(SETTING))) == n_before + 1
    assert "Filled: measured, 3 rounds, 20 decisions, 2 games" in texts(at)
    button(at, "Measure on").click()
    at = see_ended(run(at))
    assert "Filled: measured, 3 rounds, 20 decisions, 4 games" in texts(at)
    assert not [one for one in at.button if one.label.startswith("Measure")]
    sweeps = page(view="frontier")
    assert not [name for name in sweeps.selectbox(key="tune_sweep").options if "knowledge" in name]


@pytest.mark.slow
def test_a_named_setting_is_offered_by_its_name_on_other_pages():
    agent = "ismcts:iterations=2500,bias=knowledge,c_bt=0.07"
    at = page(c_bt="0.07")
    at = open_uses(at)
    button(at, "Keep it under this name").click()
    at = run(at)
    assert "'' is no name" in texts(at)
    at.text_input(key="tune_name").set_value("my human")
    button(at, "Keep it under this name").click()
    at = run(at)
    assert named_agents() == {"my human": agent}
    match = page(view="match")
    assert f"my human · {agent}" in match.selectbox(key="tune_ns").options
    arena = open_page("7_Agents", {"view": "league"})
    assert f"my human · {agent}" in str(arena.multiselect)
    play = open_page("11_Play", {})
    assert "my human" in play.selectbox[0].options
    at = open_uses(at)
    button(at, "Forget").click()
    run(at)
    assert named_agents() == {}
