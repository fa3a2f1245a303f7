"""What the server sends to a seat: its own cards, what lies on the table, and nothing else."""

import json
import re

import pytest

from spades.core.errors import SpadesError
from spades.tables import LiveTables, Setup, TableStore
from spades.tables.secret import commitment
from tests.tables.test_game import KEY
from tests.tables.test_live import game_of
from ui.play import server

CARD_TEXT = re.compile(r'"([SHDC][2-9TJQKA]|J[HL])"')


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"))
    monkeypatch.setattr(server, "tables", lambda: live)
    return live


def lowest(view):
    """A move of a scripted player, from what it was sent."""
    if view["phase"] == "round over":
        return {"deal": True}
    return {"bid": 3} if view["phase"] == "auction" else {"card": view["legal"][-1]}


@pytest.mark.parametrize("deck", ["standard", "joker-joker-deuce-deuce"])
def test_four_people_are_sent_no_hidden_card(own_tables, deck):
    rules = {"deck": deck}
    tokens = server.open_table({"agents": [None] * 4, "rounds": 2, "rules": rules})
    game = game_of(own_tables, tokens["N"])
    named = game.setup.rules.cards.format_cards
    sent = 0
    while True:
        for i, letter in enumerate("NESW"):
            view = server.view_of(tokens[letter])
            del view["round"]["trump_extra"]  # names of cards of the deck
            table = game.round.table
            known = set(named(game.round.hands[i] | table.played_mask).split())
            cards = set(CARD_TEXT.findall(json.dumps(view)))
            assert cards <= known, f"{letter} is sent {cards - known}"
            assert len(view["round"]["hands"][i]) == 13
            assert bool(view["legal"]) == (view["turn"] == i)
            is_over = view["phase"] == "over"
            assert (game.setup.key in json.dumps(view)) == is_over
            sent += 1
        if game.phase == "over":
            break
        mover = "NESW"[game.turn or 0]
        view = server.view_of(tokens[mover])
        server.make_move({"token": tokens[mover], "n": view["n"], **lowest(view)})
    assert sent > 4 * 110


def test_views_do_not_depend_on_hidden_cards(own_tables):
    tokens = server.open_table({"agents": [None] * 4, "rounds": 1})
    game = game_of(own_tables, tokens["N"])
    before = server.view_of(tokens["S"])
    game.round.hands[0], game.round.hands[3] = game.round.hands[3], game.round.hands[0]
    assert server.view_of(tokens["S"]) == before


def test_a_whole_game_by_what_is_sent():
    document = {"agents": ["srp+bis", "srp+bis", None, "srp+bis"], "rules": {"target": 200}}
    token = server.open_table(document)["S"]
    view = server.view_of(token)
    while view["phase"] != "over":
        moved = server.make_move({"token": token, "n": view["n"], "ms": 5, **lowest(view)})
        assert moved["n"] > view["n"]
        view = moved
    assert len(view["results"]) == len(view["sheet"]) >= 2
    for side in (0, 1):
        rows = [row[side] for row in view["sheet"]]
        assert sum(points for points, _ in rows) == view["score"][side]
        assert all(points == sum(part for _, part in parts) for points, parts in rows)
    sums = [sum(points[side] for points in view["results"]) for side in (0, 1)]
    assert all(score <= total for score, total in zip(view["score"], sums, strict=True))
    assert view["won"] in (True, False)
    assert max(view["score"]) >= 200
    assert view["number"] == len(view["results"])


def test_who_is_away_is_said_and_played_for():
    token = server.open_table({"agents": ["srp+bis", "srp+bis", None, "srp+bis"], "rounds": 1})["S"]
    view = server.view_of(token)
    gone = server.make_move({"token": token, "n": view["n"], "leave": "S"})
    assert (gone["phase"], gone["away"]) == ("over", [2])
    assert gone["round"]["seats"][2]["kind"] == "bot"


def test_deals_are_drawn_anew_and_their_key_is_told_to_nobody(own_tables):
    hands = []
    for _ in range(2):
        token = server.open_table({"agents": [None, "srp+bis", None, "srp+bis"]})["N"]
        view = server.view_of(token)
        hands.append(view["round"]["hands"][0])
        key = game_of(own_tables, token).setup.key
        assert key not in json.dumps(view)
        assert (view["commitment"], view["deal_key"]) == (commitment(key), None)
    assert hands[0] != hands[1]


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"seed": 5}, "the deals of a table with people are drawn secretly"),
        ({"key": "5e" * 32}, "key is the server's to say"),
        ({"is_sealed": True}, "is_sealed is the server's to say"),
    ],
)
def test_nobody_says_what_a_table_with_people_is_dealt_from(more, error):
    with pytest.raises(SpadesError, match=error):
        server.open_table({"agents": [None] * 4, **more})


def test_at_a_sealed_table_no_agent_is_named_and_no_key_told(own_tables):
    agents = ("human", "srp+bis", None, "wrp+rb")
    setup = Setup(agents, rounds=1, players=("computer",) * 4, key=KEY, is_sealed=True)
    (token,) = own_tables.open_table(setup).values()
    own_tables.join(own_tables.seat_of(token).game, "P01")
    view = server.view_of(token)
    seats = view["round"]["seats"]
    assert [seat["name"] for seat in seats] == ["computer", "computer", "P01", "computer"]
    assert [seat["kind"] for seat in seats] == ["bot", "bot", "human", "bot"]
    gone = server.make_move({"token": token, "n": view["n"], "leave": "S"})
    assert gone["phase"] == "over"
    assert {(seat["name"], seat["kind"]) for seat in gone["round"]["seats"]} == {
        ("computer", "bot")
    }
    assert gone["deal_key"] is None
    for sent in (view, gone):
        text = json.dumps(sent)
        assert not re.search(r"srp|wrp|\+", text)
        assert KEY not in text


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ({}, "token and n are due"),
        ({"token": "x", "n": "1"}, "token and n are due"),
        ({"token": "x", "n": 0, "bid": 3}, "no table has this seat"),
        ({"n": 0}, "token and n are due"),
    ],
)
def test_requests_that_are_refused(document, error):
    with pytest.raises(SpadesError, match=error):
        server.make_move(document)


@pytest.mark.parametrize(
    ("move", "error"),
    [
        ({}, "a move has a bid, a card, leave, deal, back"),
        ({"bid": True}, "a move has a bid"),
        ({"bid": 14}, "can't bid 14; 0 to 13 are legal"),
        ({"card": "SA"}, "a card in the phase auction"),
        ({"card": "S1"}, "is no card of the standard deck"),
        ({"deal": True}, "no round to deal"),
        ({"back": True}, "South's seat is a person's at the moment"),
        ({"leave": "N"}, "an agent stands in once a person has been due"),
        ({"leave": 2}, "leave names a seat, one of N, E, S, W"),
    ],
)
def test_moves_that_are_refused_change_nothing(move, error):
    token = server.open_table({"agents": ["srp+bis", "srp+bis", None, "srp+bis"]})["S"]
    before = server.view_of(token)
    with pytest.raises(SpadesError, match=error):
        server.make_move({"token": token, "n": before["n"], **move})
    assert server.view_of(token) == before
