"""From a list of disagreements to its decisions on Replay and back, under AppTest."""

import json
import shutil
from itertools import permutations
from urllib.parse import urlencode

import pytest

from tests.pages.apps import address, open_page, run, texts
from tests.ui.disagreements.page import QUERY, page, use_stores
from tests.ui.replay.page import step
from ui.disagreements import switch
from ui.disagreements.listed import listed_places

LIST = urlencode(QUERY)
QUICK = {"iterations": "100"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, searched_stores):
    shutil.copytree(searched_stores, tmp_path, dirs_exist_ok=True)
    use_stores(tmp_path, monkeypatch)


def replay(**query):
    return open_page("", {**QUICK, **query})


def sent(at, name):
    """What the component is sent whose data has ``name``; None where it isn't drawn."""
    data = (json.loads(one.proto.json) for one in at.get("bidi_component"))
    return next((one for one in data if name in one), None)


def steps(at):
    return sent(at, "asked")


def view(at, label):
    at.button_group(key="views_switch").set_value(label)
    return run(at)


@pytest.mark.slow
def test_a_link_from_the_list_knows_its_place_after_a_reload():
    places = listed_places(LIST)
    assert len(places) > 2
    for at, (index, ply) in enumerate(places[:3]):
        app = replay(log="tiny", round=str(index), ply=str(ply), list=LIST)
        assert steps(app) == {"at": at, "total": len(places), "asked": None}
        assert address(app)["list"] == LIST
    assert steps(replay()) is None


@pytest.mark.slow
def test_another_hand_is_not_in_the_list_and_stepping_in_the_hand_leaves_no_place():
    assert steps(replay(log="tiny", round="9", list=LIST))["at"] is None
    index, ply = listed_places(LIST)[0]
    app = replay(log="tiny", round=str(index), ply=str(ply), list=LIST)
    step(app, 1)
    assert steps(app)["at"] == 0


def test_stepping_to_another_decision_of_the_list_is_to_be_there():
    places = listed_places(LIST)
    pairs = [
        (places[b][1] - places[a][1], a, b)
        for a, b in permutations(range(len(places)), 2)
        if places[a][0] == places[b][0] and places[a][1] < places[b][1]
    ]
    n_steps, first, second = min(pairs)
    index, ply = places[first]
    app = replay(log="tiny", round=str(index), ply=str(ply), list=LIST)
    for _ in range(n_steps):
        step(app, 1)
    assert steps(app)["at"] == second


def test_older_links_step_through_the_rows_that_they_name():
    place = {"log": "tiny", "round": "3", "ply": "5"}
    app = replay(**place, rows="0@3.5_1.2@tiny")
    assert steps(app) == {"at": 0, "total": 2, "asked": None}
    app = replay(**place, rows="2@3.5_1.2@tiny")
    assert "round.ply of each row, and the log. Shown: (nothing)" in texts(app)
    assert steps(app) is None


def test_a_list_that_is_gone_is_told_of():
    app = replay(list="log=gone")
    assert "The link's list can't be shown: The link says log=gone; " in texts(app)
    assert steps(app) is None


@pytest.mark.slow
def test_each_view_is_found_as_it_was_left():
    app = page(by="divergence", seat="S")
    assert sent(app, "rows")["order"] == "Divergence"
    left = address(app)
    view(app, switch.HAND)
    assert sent(app, "rows") is None
    assert address(app) == {}
    hand = address(step(app, 1))
    assert hand
    view(app, switch.LIST)
    assert address(app) == left
    assert sent(app, "rows")["order"] == "Divergence"
    view(app, switch.HAND)
    assert address(app) == hand


def test_a_list_left_just_now_is_no_link_until_the_browser_has_the_new_address(monkeypatch):
    app = page()
    left = address(app)
    view(app, switch.HAND)
    send(app, left)
    assert sent(app, "rows") is None
    assert address(app) == {}
    monkeypatch.setattr(switch, "LATE_SECONDS", 0.0)
    send(app, left)
    assert sent(app, "rows")


def send(app, query):
    """A run for which the browser's address is another one."""
    app.query_params.clear()
    for name, value in query.items():
        app.query_params[name] = value
    return run(app)


def test_a_page_of_the_list_beyond_its_end_is_its_last():
    app = page(page="99")
    assert sent(app, "rows")["page"] == sent(app, "rows")["pages"] == 1
    assert "page" not in address(app)
