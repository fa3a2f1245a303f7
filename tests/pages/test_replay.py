"""The Replay page under AppTest: what it opens, shows, refuses and writes into the address."""

import subprocess
import sys

import pytest

from spades.core.cards import cards_in
from spades.core.records import RoundRecord
from spades.core.rules import Rules
from spades.notation import write_path
from tests.notation.irc_texts import game_lines, stamped
from tests.pages.apps import address, run
from tests.pages.replay import click, open_replay, paste, report, searched, steps, view_data
from tests.pages.texts import ALL_HANDS, BROKEN, ptn, shipped, with_names, without_bids
from tests.random_logs import random_log
from tests.strategies import record_of
from ui.shared.hands import DEFAULT_HAND, unpack

MODEL = "devlin2016"


def legal_cards(record: RoundRecord, ply: int) -> set[str]:
    deck = record.rules.cards
    return {deck.format_card(card) for card in cards_in(record.at(ply).legal_plays())}


def played_cards(record: RoundRecord) -> list[str]:
    return [record.rules.cards.format_card(card) for card in record.plays]


def test_it_opens_on_a_hand_with_nothing_to_say_about_the_link():
    app = open_replay()
    assert view_data(app)["id"] == DEFAULT_HAND
    assert view_data(app)["ply"] == 0
    assert address(app) == {}
    assert not app.warning
    assert not app.error


def test_the_view_gets_every_decision_with_exactly_its_legal_cards():
    app = searched(open_replay(iterations="100"))
    record, data = shipped(DEFAULT_HAND), view_data(app)
    assert len(data["decisions"]) == 52
    for ply, decision in enumerate(data["decisions"]):
        cards = decision["cards"]
        assert {row["card"] for row in cards} == legal_cards(record, ply)
        assert sum(row["visits"] for row in cards) == decision["iterations"] == 100
        assert sum(row["human"]["devlin2016"] for row in cards) == pytest.approx(1)
        assert sum(row["is_search_choice"] for row in cards) == 1
        assert decision["seat"] == data["round"]["play_seats"][ply]
        assert decision["verdict"]
    assert [decision["played"] for decision in data["decisions"]] == played_cards(record)
    assert data["round"]["plays"] == played_cards(record)


def test_decisions_see_their_own_hand_only():
    """Each decision's cards are the mover's: none of them is anybody else's."""
    app = searched(open_replay(hand="four-bots", iterations="100"))
    data = view_data(app)
    for decision in data["decisions"]:
        held = set(data["round"]["hands"][decision["seat"]])
        assert {row["card"] for row in decision["cards"]} <= held


@pytest.mark.parametrize(
    ("query", "is_shown"),
    [
        ({}, True),
        ({"view": "own"}, True),  # of the seat to play
        ({"view": "own", "seat": "E"}, True),
        ({"view": "own", "seat": "S"}, False),
        ({"seat": "S"}, True),
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


@pytest.mark.parametrize("name", ALL_HANDS)
def test_every_shipped_hand_opens_by_link(name):
    app = open_replay(hand=name, iterations="100")
    assert not app.warning
    data, record = view_data(searched(app)), shipped(name)
    assert data["id"] == name
    assert data["round"]["plays"] == played_cards(record)
    assert len(data["decisions"]) == len(record.plays)


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


@pytest.mark.parametrize("name", BROKEN)
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


def test_after_a_refusal_a_valid_record_clears_it():
    app = paste(open_replay(), BROKEN["revoke"][0]())
    assert app.error
    paste(app, ptn())
    assert not app.error


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
    ("name", "content", "words"),
    [
        ("a.ptn", b"\x00\x01\x02", "zero byte"),
        ("a.ptn", b"[Event\n\xff\xfe", "line 2: not UTF-8: byte 0xff"),
        ("a.ptn", b"PK\x03\x04", "zip archive"),
        ("a.jsonl", b'{"schema_version": 1,', "line 1"),
        ("a.ptn", b"", "empty"),
    ],
)
def test_a_file_that_is_no_record_is_refused(name, content, words):
    app = open_replay()
    (uploader,) = app.file_uploader
    uploader.upload(name, content, "text/plain")
    run(app)
    assert words in app.error[0].value.replace("\\", "")
    click(app, "Next play")


@pytest.mark.parametrize("ending", ["csv", "parquet", "log"])
@pytest.mark.parametrize("n_rounds", [3, 130])
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


def test_a_biased_search_stands_beside_the_unbiased_one():
    plain = view_data(searched(open_replay(iterations="100")))
    app = searched(open_replay(iterations="100", technique="experience", w="50", bias_model=MODEL))
    data = view_data(app)
    assert plain["beside"] is None
    assert data["beside"] == {"label": "Biased w 50"}
    changed = 0
    for before, decision in zip(plain["decisions"], data["decisions"], strict=True):
        cards = decision["cards"]
        assert [row["visits"] for row in cards] == [row["visits"] for row in before["cards"]]
        assert sum(row["beside"]["visits"] for row in cards) == 100
        if len(cards) > 1:
            assert all(
                row["beside"]["prior"] == pytest.approx(row["human"][MODEL]) for row in cards
            )
        changed += [row["beside"]["visits"] for row in cards] != [row["visits"] for row in cards]
    assert changed > 10
    assert address(app) == {"iterations": "100", "technique": "experience", "w": "50"}


def test_several_models_get_a_column_each():
    app = searched(open_replay(iterations="100", model="devlin2016-nil,devlin2016"))
    data = view_data(app)
    assert [model["id"] for model in data["models"]] == ["devlin2016-nil", "devlin2016"]
    assert set(data["decisions"][0]["cards"][0]["human"]) == {"devlin2016-nil", "devlin2016"}
    assert address(app)["model"] == "devlin2016-nil,devlin2016"


def test_the_first_look_waits_for_nothing_that_only_other_pages_need():
    code = (
        "import sys, app; others = ('pandas', 'torch', 'spades.agents', 'ui.replay.panels', "
        "'analysis.bidding.decisions', 'sklearn'); "
        "print([name for name in others if name in sys.modules])"
    )
    run_alone = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run_alone.stdout.strip() == "[]"
