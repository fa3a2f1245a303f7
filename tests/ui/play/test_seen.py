"""What the server sends to a seat: its own cards, what lies on the table, and nothing else."""

import json
import re

import pytest

from spades.core.errors import SpadesError
from spades.tables import LiveTables, TableStore
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
    tokens = server.open_table({"agents": [None] * 4, "rounds": 2, "rules": rules, "seed": 6})
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
            assert str(game.setup.seed) not in re.findall(
                r"\d+", json.dumps(view["round"]["seats"])
            )
            sent += 1
        if game.phase == "over":
            break
        mover = "NESW"[game.turn or 0]
        view = server.view_of(tokens[mover])
        server.make_move({"token": tokens[mover], "n": view["n"], **lowest(view)})
    assert sent > 4 * 110


def test_views_do_not_depend_on_hidden_cards(own_tables):
    tokens = server.open_table({"agents": [None] * 4, "rounds": 1, "seed": 6})
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
    assert len(view["results"]) >= 2
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


def test_the_seed_is_told_to_nobody(own_tables):
    token = server.open_table({"agents": [None, "srp+bis", None, "srp+bis"], "seed": 771204})["N"]
    assert "771204" not in json.dumps(server.view_of(token))


def test_deals_are_drawn_anew_unless_a_seed_is_given(own_tables):
    hands = []
    for seed in (None, None, 5, 5):
        token = server.open_table({"agents": [None] * 4, "seed": seed})["N"]
        hands.append(server.view_of(token)["round"]["hands"][0])
    assert hands[0] != hands[1]
    assert hands[2] == hands[3]


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
