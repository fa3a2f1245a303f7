"""What Replay reads from the address and writes into it."""

import json

import numpy as np
import pytest

from spades.human.files import MODEL_FORMAT
from spades.human.loglinear import devlin2016
from tests.pages.apps import address, run
from tests.pages.replay import click, open_replay, searched, view_data

FULL_ADDRESS = {
    "hand": "four-bots",
    "ply": "17",
    "seat": "S",
    "view": "own",
    "iterations": "500",
    "seed": "3",
    "exploration": "0.5",
    "determinization": "mixed",
    "without": "nil/ducked",
    "share": "0.25",
    "reward_scale": "200.0",
    "playout": "heuristic",
    "epsilon": "0.1",
    "skew": "1",
    "skew_k": "50.0",
    "threshold": "0.25",
    "spoiler": "1",
    "colors": "4",
    "model": "devlin2016-nil,devlin2016",
    "technique": "knowledge",
    "bias_model": "devlin2016-nil",
    "c_bt": "0.2",
    "k": "500.0",
    "delay": "root",
    "browse": "nil",
    "browse_game": "g",
}


def test_every_parameter_survives_a_round_trip():
    app = open_replay(**FULL_ADDRESS)
    assert not app.warning
    assert address(app) == FULL_ADDRESS
    click(app, "Next play")
    assert address(app) == {**FULL_ADDRESS, "ply": "18"}
    again = open_replay(**address(app))
    assert address(again) == address(app)
    data = view_data(again)
    assert (data["seat"], data["view"], data["spoiler"]) == ("S", "own", True)
    assert data["four_color"]
    dealt = "mixed deals (share 0.25, without nil and ducked)"
    assert data["agent"] == f"ISMCTS 500, {dealt}, heuristic playouts, skewed"


@pytest.mark.parametrize(
    ("kind", "key", "value", "name", "written"),
    [
        ("toggle", "spoiler", True, "spoiler", "1"),
        ("select_slider", "iterations", 500, "iterations", "500"),
        ("toggle", "skew", True, "skew", "1"),
        ("slider", "threshold", 0.2, "threshold", "0.2"),
        ("button_group", "colors", 4, "colors", "4"),
    ],
)
def test_a_setting_goes_into_the_address_and_stays(kind, key, value, name, written):
    app = open_replay(hand="four-bots", ply="4")
    getattr(app, kind)(key=f"replay_{key}").set_value(value)
    run(app)
    expected = {"hand": "four-bots", "ply": "4", name: written}
    assert address(app) == expected
    click(app, "Next play")
    assert address(app) == {**expected, "ply": "5"}


def test_settings_change_what_is_searched():
    app = searched(open_replay(iterations="100"))
    app.number_input(key="replay_seed").set_value(9)
    first = view_data(app)["decisions"]
    second = view_data(searched(run(app)))["decisions"]
    assert [row["visits"] for row in first[0]["cards"]] != [
        row["visits"] for row in second[0]["cards"]
    ]


def test_settings_and_hand_survive_another_page():
    app = open_replay(**FULL_ADDRESS)
    app.switch_page("pages/8_Models.py")
    run(app)
    assert app.title[0].value == "Models of human play"
    app.query_params.clear()
    app.switch_page("app.py")
    run(app)
    assert not app.warning
    wanted = {name: value for name, value in FULL_ADDRESS.items() if name not in ("ply", "view")}
    assert {name: address(app).get(name) for name in wanted} == wanted


def test_a_link_from_another_page_is_followed():
    app = open_replay(**FULL_ADDRESS)
    app.switch_page("pages/8_Models.py")
    run(app)
    app.query_params.clear()
    app.query_params["hand"] = "south-nil"
    app.query_params["ply"] = "3"
    app.switch_page("app.py")
    run(app)
    assert address(app) == {"hand": "south-nil", "ply": "3"}
    assert (view_data(app)["id"], view_data(app)["ply"]) == ("south-nil", 3)
    click(app, "Next play")
    assert address(app) == {"hand": "south-nil", "ply": "4"}


@pytest.fixture
def a_damaged_model(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    numbers = {**devlin2016().tensors()}
    numbers["weights"][0] = np.nan
    header = {"kind": "log-linear", "config": devlin2016().config()}
    MODEL_FORMAT.write(tmp_path / "nan.safetensors", header, numbers)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"technique": "knowledge", "bias_model": "nan"}, "leans towards devlin2016."),
        ({"model": "nan,devlin2016-nil"}, "Shown: devlin2016-nil."),
    ],
)
def test_a_model_that_cannot_be_read_is_named_and_replaced(query, shown, a_damaged_model):
    app = open_replay(iterations="100", **query)
    (warning,) = app.warning
    text = warning.value.replace("\\", "")
    assert "The model nan can't be read: nan.safetensors: tensor weights holds" in text
    assert shown in text
    data = view_data(searched(app))
    assert [model["id"] for model in data["models"]] == [shown.rstrip(".").split()[-1]]
    assert all(data["decisions"])


def test_a_damaged_model_can_be_picked(a_damaged_model):
    app = open_replay(iterations="100")
    app.multiselect(key="replay_model").set_value(["devlin2016", "nan"])
    assert "nan.safetensors" in run(app).warning[0].value.replace("\\", "")
    assert len(view_data(app)["models"]) == 1


def test_a_damaged_model_that_is_not_asked_is_no_matter(a_damaged_model):
    assert not open_replay(iterations="100", bias_model="nan").warning


def test_the_format_of_charts_holds_on_other_pages():
    app = open_replay(iterations="100")
    app.button_group(key="chart_format").set_value("png")
    run(app)
    for page, views in (("pages/8_Models.py", 1), ("app.py", 0), ("pages/8_Models.py", 1)):
        app.query_params.clear()
        app.switch_page(page)
        run(app)
        charts = [json.loads(chart.proto.config) for chart in app.get("plotly_chart")]
        assert len(charts) >= views
        assert {chart["toImageButtonOptions"]["format"] for chart in charts} <= {"png"}
    app.query_params.clear()
    app.switch_page("app.py")
    assert run(app).button_group(key="chart_format").value == "png"
