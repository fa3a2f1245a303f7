"""The Disagreements page: what is searched, in which order, what passes, and where rows lead."""

import json
import os
from urllib.parse import parse_qs, urlsplit

import pytest

from analysis.disagreements.files import parts_of, shipped
from analysis.disagreements.search import LogSearchPlan, run_log_search
from analysis.disagreements.search_log import main
from tests.behaviours import change_behaviour
from tests.pages.apps import run, texts
from tests.pages.disagreements import AGENT, PLAN, page, stores_apart
from tests.pages.replay import open_replay
from ui.disagreements import view as disagreements_view


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    return stores_apart(tmp_path, monkeypatch)


@pytest.fixture
def searched(here):
    run_log_search(PLAN)


def rows(at):
    return next(table.value for table in at.dataframe if "open" in table.value)


def figure(at):
    return json.loads(at.get("plotly_chart")[0].proto.spec)


def test_nothing_searched_says_what_to_do():
    at = page()
    assert "Press “Search”" in texts(at)
    assert not at.dataframe
    assert "12 of 12 rounds are to be searched" in texts(at)


@pytest.mark.usefixtures("searched")
def test_a_search_is_shown_biggest_first_with_its_coverage_and_key():
    at = page()
    assert "4 of 12 rounds searched" in texts(at)
    assert "Simulated humans" in texts(at)
    assert "human model devlin2016" in texts(at)
    table = rows(at)
    assert table["divergence"].is_monotonic_decreasing
    assert set(table["round"]) == {0, 1, 2, 3}
    n = len(table)
    assert f"{n:,} of {n:,} decisions" in texts(at)
    link = parse_qs(urlsplit(table["open"][0]).query)
    first = table.iloc[0]
    assert link == {
        "log": ["tiny"],
        "round": [str(first["round"])],
        "ply": [str(first["ply"])],
        "iterations": ["100"],
        "seed": ["5"],
        "model": ["devlin2016"],
    }
    bars = [trace for trace in figure(at)["data"] if trace["type"] == "bar"]
    assert len(bars) == 5


@pytest.mark.usefixtures("searched")
def test_bad_link_is_told_and_the_nearest_is_shown():
    at = page(seed="-3", lens="cheats,bag", agent="ismcts:playout=**bold**")
    told = texts(at)
    assert "seed=-3; legal is 0 to 2,147,483,647. Shown: 0." in told
    assert "playout is '**bold**'" in told
    assert any("\\*\\*bold" in block.value for block in at.warning)
    assert at.session_state["disagreements_lens"] == ["bag"]


def test_a_link_to_replay_carries_every_option_of_the_search(monkeypatch):
    monkeypatch.setattr(disagreements_view.state, "get", {"model": "devlin2016"}.get)
    options = "iterations=500,determinization=posterior,reward_scale=200,skew=on,skew_k=50"
    plan = LogSearchPlan("tiny", 4, f"ismcts:{options}", seed=5)
    link = urlsplit(disagreements_view.link_to_decision(plan, 3, 9)).query
    app = open_replay(**{name: values[0] for name, values in parse_qs(link).items()})
    found = app.session_state["replay_widgets"]
    wanted = {"determinization": "posterior", "reward_scale": 200.0, "skew": True, "skew_k": 50.0}
    assert {name: found[name] for name in wanted} == wanted
    assert (found["iterations"], found["seed"]) == (500, 5)


@pytest.mark.usefixtures("searched")
def test_order_thresholds_and_filters_stand_in_the_address():
    at = page(by="stakes", points="0")
    stakes = rows(at)["stakes"]
    assert stakes.is_monotonic_decreasing
    assert stakes.min() >= 0
    at.number_input(key="disagreements_points").set_value(20.0)
    run(at)
    assert rows(at)["stakes"].min() >= 20
    at.multiselect(key="disagreements_seat").set_value(["S"])
    run(at)
    assert set(rows(at)["seat"]) == {"South"}
    assert set(rows(at)["kind"]) == {"simulated human"}
    at.multiselect(key="disagreements_class").set_value(["style"])
    at.number_input(key="disagreements_points").set_value(0.0)
    run(at)
    assert set(rows(at)["class"]) == {"Style only"}
    shown = {name: value if isinstance(value, str) else value[-1] for name, value in
             at.query_params.items()}  # fmt: skip
    assert (shown["by"], shown["points"], shown["seat"], shown["class"]) == (
        "stakes", "0.0", "S", "style",
    )  # fmt: skip


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize("chart", ["class", "lens"])
def test_charts_by_class_and_lens(chart):
    at = page(chart=chart, lens_of="human")
    (trace,) = figure(at)["data"]
    assert len(trace["text"]) == {"class": 3, "lens": 6}[chart]
    assert "Clopper–Pearson over rounds" in texts(at)


@pytest.mark.usefixtures("searched")
def test_a_lens_counts_the_same_in_chart_and_list():
    limit = round(rows(page(lens="high-card"))["divergence"].median(), 2)
    at = page(chart="lens", lens="high-card", bits=str(limit))
    (trace,) = figure(at)["data"]
    n = trace["text"][list(trace["y"]).index("Wastes a high card")]
    found = len(rows(at))
    assert 0 < found < int(n)
    assert f"**{found} of " in texts(at)
    assert f"with at least {limit:g} bits; without that limit the filters leave {n}." in texts(at)
    told = "class, lens and the least of a row choose rows of the list only"
    assert told in texts(at)
    assert told not in texts(page(chart="lens"))


@pytest.mark.usefixtures("searched")
def test_the_list_comes_before_the_chart_and_has_room_for_two_lenses():
    at = page()
    kinds = [element.type for element in at.main]
    assert kinds.index("dataframe") < kinds.index("plotly_chart"), kinds
    columns = json.loads(at.dataframe[0].proto.columns)
    assert columns["lenses"]["width"] >= 280


@pytest.mark.usefixtures("searched")
def test_another_model_needs_no_new_search():
    at = page()
    before = rows(at)
    at.selectbox(key="disagreements_model").select("devlin2016-nil")
    run(at)
    assert "human model devlin2016-nil" in texts(at)
    assert len(rows(at)) == len(before)
    assert rows(at)["human_p"].tolist() != before["human_p"].tolist()


@pytest.mark.usefixtures("searched")
def test_filters_that_nothing_passes():
    at = page(by="stakes", points="400")
    assert "lower the threshold" in texts(at)
    at = page(kind="human")
    assert "No decision passes these filters" in texts(at)


def test_a_shipped_search_of_other_code_is_shown_as_such(here, monkeypatch):
    out = here / "shipped" / "tiny.parquet"
    main(["tiny", "--rounds", "2", "--agent", AGENT, "--seed", "5", "--out", str(out)])
    ((_, facts),) = shipped()
    monkeypatch.setenv("SPADES_RESULTS", str(here / "elsewhere"))
    assert "played otherwise" not in texts(page())
    change_behaviour(monkeypatch)
    at = page()
    assert "Searched by an agent that played otherwise" in texts(at)
    assert f"code {facts['question']['code']}" in texts(at)
    assert "2 of 12 rounds searched" in texts(at)


def flipped(whole):
    middle = len(whole) // 4
    return whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]


@pytest.mark.usefixtures("searched")
@pytest.mark.parametrize("broken", [lambda whole: whole[:200], lambda whole: b"", flipped])
def test_of_a_damaged_part_nothing_is_shown_and_of_the_others_all(here, broken):
    whole = rows(page())
    part = parts_of(PLAN.question())[0]
    part.path.write_bytes(broken(part.path.read_bytes()))
    os.utime(part.path, ns=(part.stamp + 1, part.stamp + 1))
    at = page(rounds="4")
    assert set(rows(at)["round"]) == {2, 3}
    assert len(rows(at)) == (whole["round"] >= 2).sum()
    name = part.path.relative_to(here / "results").as_posix()
    assert f"{name} is no readable part of a search" in texts(at)
    assert "2 of 12 rounds searched" in texts(at)
    assert "2 of 4 rounds are to be searched" in texts(at)
    run_log_search(PLAN)
    at = page(rounds="4")
    assert "damaged" not in texts(at)
    assert rows(at).equals(whole)


def test_a_search_of_damaged_parts_only(searched):
    for part in parts_of(PLAN.question()):
        part.path.write_bytes(b"")
        os.utime(part.path, ns=(part.stamp + 1, part.stamp + 1))
    at = page()
    assert "2 files are damaged" in texts(at)
    assert "Nothing of this log is searched yet" in texts(at)
