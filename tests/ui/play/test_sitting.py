"""Seats that say who sits there, and rounds that become logs without a page."""

import json

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from spades.core.records import BOT, HUMAN
from spades.notation.log_store import list_logs, open_log
from spades.tables import LiveTables, Setup, TableStore, log
from spades.tables.log import LogKeeper
from spades.tables.pool import Pool
from tests.asgi import get, post
from tests.tables.test_game import KEY
from tests.ui.play.test_seen import lowest
from ui.play import server
from ui.play.routes import ROUTES
from ui.shared.gate import Gate

FOUR = {"agents": [None, None, "srp+bis", None], "rounds": 1}


@pytest.fixture(autouse=True)
def live(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    tables = LiveTables(TableStore(tmp_path / "tables.sqlite"), Pool(workers=1), LogKeeper())
    monkeypatch.setattr(server, "tables", lambda: tables)
    return tables


@pytest.fixture
def app():
    return Starlette(routes=ROUTES, middleware=[Middleware(Gate, routes=ROUTES)])


def sit(app, token, kind="program", name="careful"):
    return post(app, "/tables/sit", {"token": token, "kind": kind, "name": name})


def played_logs():
    return [entry.name for entry in list_logs() if entry.name.startswith("played-")]


def play_round(app, live, tokens):
    """The round to its end over HTTP, and what was in the logs before its last card."""
    before = []
    while True:
        game = server.game_of(next(iter(tokens.values())))
        live.wait(game)
        views = {
            seat: get(app, "/tables/view", query=f"token={tokens[seat]}").json for seat in tokens
        }
        seat, view = next(((seat, view) for seat, view in views.items() if view["legal"]), ("", {}))
        if not view:
            return before
        before = played_logs()
        answer = post(app, "/tables/move", {"token": tokens[seat], "n": view["n"], **lowest(view)})
        assert answer.status == 200, answer.body


def test_a_program_sits_down_and_its_round_becomes_a_log(app, live):
    tokens = server.open_table(FOUR)
    answer = sit(app, tokens["N"])
    assert answer.status == 200
    assert answer.json["players"] == [
        {"seat": "N", "kind": "program", "name": "careful"},
        {"seat": "E", "kind": "person", "name": ""},
        {"seat": "S", "kind": "agent", "name": "srp+bis"},
        {"seat": "W", "kind": "person", "name": ""},
    ]
    assert answer.json["round"]["seats"][0]["title"] == "program careful"
    assert sit(app, tokens["N"]).json["n"] == answer.json["n"] == 1  # said again: nothing new
    assert sit(app, tokens["E"], "person", "Ann").json["players"][1]["name"] == "Ann"

    assert play_round(app, live, tokens) == []
    live.keeper.wait()
    (name,) = played_logs()
    (record,) = open_log(name).records()
    assert record.is_complete
    assert record.seed is None
    assert record.players == ("program careful", "Ann", "srp+bis", "")
    assert record.kinds == (BOT, HUMAN, BOT, HUMAN)
    assert record.agents == ("program careful", "", "srp+bis", "")
    again = LiveTables(live.store, live.pool)  # as after a restart
    with again.playing(server.game_of(tokens["N"])) as game:
        assert game.sitters == ["program", "person", "agent", "person"]


def test_what_a_seat_may_not_say(app):
    tokens = server.open_table(FOUR)
    for document, reason in (
        ({"token": "x" * 22, "kind": "program", "name": "a"}, "no table has this seat"),
        ({"token": tokens["N"], "kind": "agent", "name": "a"}, "person or program is legal"),
        ({"token": tokens["N"], "kind": "program"}, "1 to 40 letters on one line"),
        ({"token": tokens["N"], "kind": "program", "name": " "}, "1 to 40 letters on one line"),
        ({"token": tokens["N"], "kind": "program", "name": "a\nb"}, "1 to 40 letters on one line"),
        ({"token": tokens["N"], "kind": "program", "name": "a" * 41}, "1 to 40 letters"),
        ({"token": tokens["N"], "kind": "program", "name": ["a"]}, "1 to 40 letters on one line"),
        ({"token": tokens["N"], "kind": "program", "name": "a", "seat": "E"}, "unknown 'seat'"),
    ):
        answer = post(app, "/tables/sit", document)
        assert (answer.status, reason in answer.json["error"]) == (400, True), answer.body
    assert sit(app, tokens["N"]).status == 200
    assert "taken, by 'careful'" in sit(app, tokens["N"], name="other").json["error"]
    assert "is a program's" in sit(app, tokens["N"], "person").json["error"]


def test_it_is_too_late_after_the_first_bid_and_a_study_says_itself(app, live):
    tokens = server.open_table(FOUR)
    seat = "E"  # bids first: North deals
    view = get(app, "/tables/view", query=f"token={tokens[seat]}").json
    post(app, "/tables/move", {"token": tokens[seat], "n": view["n"], "bid": 2})
    assert "E has bid" in sit(app, tokens[seat]).json["error"].replace("East", "E")
    sealed = Setup((None, "srp+bis", None, "srp+bis"), rounds=1, key=KEY, is_sealed=True)
    token = live.open_table(sealed)[0]
    assert "its owner's to say" in sit(app, token).json["error"]
    named = get(app, "/tables/view", query=f"token={token}").json["players"]
    assert [player["name"] for player in named] == ["", "computer", "", "computer"]
    assert "srp" not in json.dumps(named)


def test_a_full_disk_ends_no_game(live, monkeypatch, caplog):
    def fails(*args):
        raise OSError("no space left on device")

    monkeypatch.setattr(log, "store_played", fails)
    tokens = live.open_table(Setup((None, "srp+bis", "srp+bis", "srp+bis"), rounds=1))
    with live.playing(server.game_of(tokens[0])) as game:
        live.keeper.note("abc", game)
    live.keeper.wait()
    assert "no space left on device" in caplog.text
