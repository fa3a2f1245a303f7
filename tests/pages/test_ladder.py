"""The Tuning page's ladder without a browser."""

import json

from tests.pages.apps import address, open_page, run, say


def open_tuning(**query):
    return open_page("4_Tuning", query)


def figure_of(app):
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)


def test_the_ladder_is_there_at_once():
    app = open_tuning(iterations="100")
    assert not app.warning
    texts = [note["text"] for note in figure_of(app)["layout"]["annotations"]]
    assert texts == ["Devlin 2016", "set: 0.03"]
    assert any("the search plays" in text.value for text in app.markdown)


def test_the_address_is_the_state():
    query = {
        "hand": "four-bots",
        "ply": "3",
        "technique": "experience",
        "w": "50",
        "delay": "root",
        "model": "devlin2016-nil",
        "iterations": "500",
        "seed": "7",
    }
    app = open_tuning(**query)
    assert not app.warning
    assert address(app) == query
    app.select_slider(key="tuning_w").set_value(200).run()
    assert address(app) == {**query, "w": "200"}
    texts = [note["text"] for note in figure_of(app)["layout"]["annotations"]]
    assert texts == ["set: 200"]  # w 10 is published for a network


def test_a_click_that_names_a_decision_of_the_hand_before_keeps_the_decision(monkeypatch):
    app = open_tuning(iterations="100", ply="3")
    say(monkeypatch, app.selectbox(key="tuning_ply"), "a decision of another hand")
    app.select_slider(key="tuning_c_bt").set_value(0.1)
    query = address(run(app))
    assert (query["ply"], query["c_bt"]) == ("3", "0.1")


def test_a_stale_link_says_what_was_wrong_and_shows_the_nearest():
    app = open_tuning(iterations="100", c_bt="11", model="oracle", hand="nope", delay="soon")
    told = " ".join(warning.value.replace("\\", "") for warning in app.warning)
    for words in (
        "c_bt=11; legal is 0 to 10. Shown: 10",
        "model=oracle",
        "no hand 'nope'",
        "delay=soon",
    ):
        assert words in told
    assert address(app)["c_bt"] == "10.0"


def test_a_strength_between_the_rungs_is_one_more_stop():
    query = {"c_bt": "0.04", "k": "700.0", "iterations": "953"}
    app = open_tuning(**query)
    assert not app.warning
    assert address(app) == query
    assert "set: 0.04" in annotations(app)
    (link,) = [one for one in app.get("page_link") if one.proto.label == "Open in Replay"]
    assert "c_bt=0.04&k=700.0" in link.proto.query_string
    app.select_slider(key="tuning_c_bt").set_value(0.05).run()
    assert address(app)["c_bt"] == "0.05"
    assert "0.04" in app.select_slider(key="tuning_c_bt").options
    app.select_slider(key="tuning_c_bt").set_value(0.04).run()
    assert not app.exception
    assert address(app) == query


def annotations(app):
    return [note["text"] for note in figure_of(app)["layout"]["annotations"]]


def test_a_second_link_is_told_of_too():
    app = open_tuning(iterations="100")
    app.query_params["ply"] = "21"
    app.run()
    assert "ply=21" in app.warning[0].value.replace("\\", "")
