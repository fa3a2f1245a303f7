"""The Replay page under AppTest: what it opens, shows, refuses and writes into the address."""

import subprocess
import sys

import pytest

from spades.core.rules import Rules
from spades.notation import write_path
from tests.notation.irc_texts import game_lines, stamped
from tests.pages.apps import address, run
from tests.pages.replay import click, open_replay, paste, report, searched, steps, view_data
from tests.pages.texts import ALL_HANDS, BROKEN, ptn, shipped, with_names, without_bids
from tests.random_logs import random_log
from tests.strategies import record_of
from ui.shared.records import DEFAULT_HAND, unpack

MODEL = "devlin2016"


def test_it_opens_on_a_hand_with_nothing_to_say_about_the_link():
    app = open_replay()
    assert view_data(app)["id"] == DEFAULT_HAND
    assert view_data(app)["ply"] == 0
    assert address(app) == {}
    assert not app.warning
    assert not app.error


@pytest.mark.parametrize(
    ("query", "is_shown"),
    [
        ({"view": "own"}, True),  # of the seat to play
        ({"view": "own", "seat": "S"}, False),
        ({"spoiler": "1"}, False),
    ],
)
def test_the_chart_shows_no_hidden_hand_and_no_spoiler(query, is_shown):
    app = searched(open_replay(iterations="100", **query))  # East leads
    assert len(app.get("plotly_chart")) == is_shown


def test_buttons_step_and_stop_at_the_ends():
    app = open_replay()
    assert steps(app) == {"Previous bid": False, "Next play": False}
    for ply in ("1", "2", "3"):
        click(app, "Next play")
        assert address(app)["ply"] == ply
        assert view_data(app)["ply"] == int(ply)
    click(app, "Previous play")
    assert address(app)["ply"] == "2"
    app = open_replay(ply="51")
    click(app, "Next play")
    assert address(app)["ply"] == "52"
    assert steps(app) == {"Previous play": False, "Next play": True}


def test_the_position_the_browser_reports_goes_into_the_address():
    app = report(open_replay(), ply=7, view="own", candidate=None)
    assert address(app) == {"ply": "7", "view": "own"}
    assert view_data(app)["ply"] == 0  # the view is not sent back what it said
    click(app, "Next play")
    assert address(app) == {"ply": "8", "view": "own"}


def test_a_report_about_another_hand_is_ignored():
    app = open_replay(hand="four-bots")
    report(app, ply=7, at="south-nil|0")
    assert address(app) == {"hand": "four-bots"}


def test_every_shipped_hand_opens_from_the_picker():
    app = open_replay(iterations="100", ply="3")
    for name in reversed(ALL_HANDS):
        picker = next(box for box in app.selectbox if box.label == "Hand")
        picker.select(name)
        run(app)
        assert view_data(app)["id"] == name
        assert address(app).get("hand", DEFAULT_HAND) == name
        assert "ply" not in address(app)
        assert address(app)["iterations"] == "100"


def test_a_deal_without_plays_shows_the_table_and_no_decisions():
    app = open_replay(hand="deal-231")
    data = view_data(app)
    assert data["decisions"] == []
    assert data["progress"] is None
    assert sorted(map(len, data["round"]["hands"])) == [13] * 4
    assert steps(app) == {"Previous play": True, "Next play": True}
    assert not app.get("plotly_chart")
    assert not app.get("progress")


@pytest.mark.parametrize("name", ["revoke"])
def test_a_broken_record_is_refused_by_line_and_the_page_stays(name):
    make, line, words = BROKEN[name]
    app = paste(open_replay(hand="south-nil", ply="4"), make())
    (error,) = app.error
    text = error.value.replace("\\", "")
    assert f"line {line}: " in text
    assert words in text
    assert address(app) == {"hand": "south-nil", "ply": "4"}
    click(app, "Next play")
    assert address(app) == {"hand": "south-nil", "ply": "5"}
    paste(app, ptn())
    assert not app.error


def test_a_pasted_record_opens_and_its_link_carries_it():
    app = paste(open_replay(ply="4", iterations="100"), ptn(shipped("south-nil")))
    assert not app.error
    link = address(app)
    assert set(link) == {"hand", "iterations"}
    carried, given = unpack(link["hand"]), shipped("south-nil")
    assert (carried.rules, carried.dealer, carried.hands) == (
        given.rules,
        given.dealer,
        given.hands,
    )
    assert (carried.bids, carried.plays, carried.kinds) == (given.bids, given.plays, given.kinds)
    again = searched(open_replay(**link))
    assert view_data(again)["decisions"] == view_data(searched(app))["decisions"]


def test_names_are_kept_out_of_the_link():
    app = paste(open_replay(), with_names("Nobody", "Anybody", "Somebody", "Everybody"))
    assert view_data(app)["round"]["seats"][0]["name"] == "Nobody"
    assert unpack(address(app)["hand"]).players == ("",) * 4


def test_unknown_bids_are_not_searched_and_it_is_said():
    app = paste(open_replay(), without_bids())
    for _ in range(3):
        run(app)
    (note,) = app.info
    assert "Not searched" in note.value
    assert "bids are not known" in note.value
    assert view_data(app)["progress"] is None
    assert not app.get("progress")
    click(app, "Next play")


@pytest.mark.parametrize(
    ("name", "content", "words"), [("a.ptn", b"PK\x03\x04", "zip archive"), ("a.ptn", b"", "empty")]
)
def test_a_file_that_is_no_record_is_refused(name, content, words):
    app = open_replay()
    (uploader,) = app.file_uploader
    uploader.upload(name, content, "text/plain")
    run(app)
    assert words in app.error[0].value.replace("\\", "")
    click(app, "Next play")


@pytest.mark.parametrize(("ending", "n_rounds"), [("parquet", 3), ("csv", 130), ("log", 3)])
def test_a_file_of_any_notation_opens(tmp_path, monkeypatch, ending, n_rounds):
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "data"))
    path = tmp_path / f"rounds.{ending}"
    if ending == "log":
        played = record_of(Rules(target=300), 3, 1)
        path.write_text(stamped(n_rounds * game_lines([played])))
    else:
        write_path(random_log(n_rounds, 3).records(), path)
    app = open_replay()
    (uploader,) = app.file_uploader
    uploader.upload(path.name, path.read_bytes(), "application/octet-stream")
    run(app)
    assert not app.error
    assert address(app)["hand"].startswith("z.")
    said = [info.value for info in app.info if "The first 100 rounds" in info.value]
    assert len(said) == (n_rounds > 100)


def test_an_uploaded_file_opens_once():
    app = open_replay()
    (uploader,) = app.file_uploader
    uploader.upload("hand.ptn", ptn().encode(), "text/plain")
    run(app)
    assert address(app)["hand"].startswith("z.")
    click(app, "Next play")
    assert address(app)["ply"] == "1"  # the file still there does not open the hand again


def test_the_first_look_waits_for_nothing_that_only_other_pages_need():
    code = (
        "import sys, app; others = ('pandas', 'torch', 'spades.agents', 'ui.replay.visits', "
        "'analysis.bidding.decisions', 'sklearn'); "
        "print([name for name in others if name in sys.modules])"
    )
    run_alone = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run_alone.stdout.strip() == "[]"
