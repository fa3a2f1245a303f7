"""Tables in play: each move is stored once, whoever asks, however often, whatever is killed."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from spades.core.errors import SpadesError
from spades.core.rules import NIL_BID
from spades.tables import LiveTables, Setup, TableError, TableStore
from spades.tables.game import BACK, BID, DEAL, OVER, ROUND_OVER, Game, Move, replay
from tests.tables.test_game import KEY, lowest

ONE = Setup(("srp+bis", "srp+bis", None, "srp+bis"), rounds=1, key=KEY)
FOUR = Setup((None,) * 4, rounds=1, key=KEY)


@pytest.fixture
def live(tmp_path):
    return LiveTables(TableStore(tmp_path / "tables.sqlite"))


def game_of(live, token):
    """A token's game, once agents have moved."""
    assert live.wait(live.seat_of(token).game)
    with live.playing(live.seat_of(token).game) as game:
        return game


def finish(live, tokens, until=OVER):
    """Play a table on by ``lowest`` for every person; its game."""
    game = game_of(live, next(iter(tokens.values())))
    while game.phase not in (OVER, until):
        move = Move(0, DEAL) if game.phase == ROUND_OVER else lowest(game)
        mover = tokens.get(game.turn) or next(iter(tokens.values()))
        assert live.wait(live.move(mover, len(game.moves), move))
    return game


def test_a_round_is_played_and_found_again(live):
    tokens = live.open_table(ONE)
    assert list(tokens) == [2]
    game = finish(live, tokens)
    stored = live.store.moves_of(live.seat_of(tokens[2]).game)
    assert len(stored) == 4 + 52
    assert replay(ONE, stored).records == game.records


def test_agents_are_due_when_a_table_is_opened(live):
    token = live.open_table(ONE)[2]
    place = live.seat_of(token)
    assert game_of(live, token).turn == 2
    assert [move.seat for move in live.store.moves_of(place.game)] == [1]


def test_a_move_sent_twice_is_made_once_and_no_other_in_its_place(live):
    token = live.open_table(ONE)[2]
    game_of(live, token)
    live.move(token, 1, Move(0, BID, 3))
    game = game_of(live, token)
    n = len(game.moves)
    live.move(token, 1, Move(0, BID, 3, ms=9))
    assert len(game_of(live, token).moves) == n
    for number in (1, n - 1, n + 1, 99):
        with pytest.raises(TableError, match=f"move {number} isn't due: the game has {n}"):
            live.move(token, number, Move(0, BID, NIL_BID))
    assert game.round.table.bids[2] == 3


def test_a_seat_moves_for_itself_alone(live):
    tokens = live.open_table(FOUR)
    with pytest.raises(TableError, match="it is East's turn, not North's"):
        live.move(tokens[0], 0, Move(1, BID, 3))
    with pytest.raises(TableError, match="no table has this seat"):
        live.move("guessed", 0, Move(1, BID, 3))


@pytest.mark.parametrize("cut", range(0, 56, 5))
def test_a_killed_server_loses_nothing(live, cut):
    """A new one sees what was stored, whether or not the agents' answers were."""
    tokens = live.open_table(ONE)
    game = finish(live, tokens)
    place, moves = live.seat_of(tokens[2]), list(game.moves)
    with sqlite3.connect(live.store.path) as file:
        file.execute("DELETE FROM moves WHERE n >= ?", (cut,))
    live.store.check(repair=True)  # the store as it was after so many moves
    again = LiveTables(TableStore(live.store.path))
    assert finish(again, tokens).moves == moves
    assert [move[:4] for move in again.store.moves_of(place.game)] == [m[:4] for m in moves]


def test_two_servers_make_a_move_once(live):
    token = live.open_table(ONE)[2]
    other = LiveTables(TableStore(live.store.path))
    game_of(live, token)
    live.move(token, 1, Move(0, BID, 3))
    behind = game_of(other, token)
    n = len(game_of(live, token).moves)
    move = lowest(behind)
    live.move(token, n, move)
    assert live.wait(live.seat_of(token).game)
    with pytest.raises(TableError, match=f"move {n} isn't due"):
        other.move(token, n, move._replace(value=move.value + 1))
    assert game_of(other, token).moves == game_of(live, token).moves


def test_a_move_that_another_server_makes_at_the_same_moment_is_refused(live, monkeypatch):
    token = live.open_table(ONE)[2]
    other = LiveTables(TableStore(live.store.path))
    move = lowest(game_of(live, token))
    monkeypatch.setattr(other, "_n_stored", lambda game: 0)  # it looked just before
    game_of(other, token)
    live.move(token, 1, move)
    with pytest.raises(TableError, match="made elsewhere: look again"):
        other.move(token, 1, move._replace(value=move.value + 1))


def test_moves_are_stored_together_or_not_at_all(live):
    place = live.seat_of(live.open_table(ONE)[2])
    live.store.add(place.game, 0, [Move(1, BID, 3)])
    live.store.add(place.game, 1, [Move(3, BID, 3)])
    with pytest.raises(TableError, match="move 3 isn't due: the game has 2 moves"):
        live.store.add(place.game, 3, [Move(0, BID, 3)])
    for n in (0, 1):
        with pytest.raises(TableError, match="or one after it, has been made elsewhere"):
            live.store.add(place.game, n, [Move(2, BID, 4), Move(3, BID, 4), Move(0, BID, 4)])
    assert [move.value for move in live.store.moves_of(place.game)] == [3, 3]


def test_many_tables_at_once(live):
    tables = [live.open_table(Setup(ONE.agents, rounds=1, key=f"{n:064x}")) for n in range(24)]
    with ThreadPoolExecutor(8) as pool:
        games = list(pool.map(lambda tokens: finish(live, tokens), tables))
    for n, (game, tokens) in enumerate(zip(games, tables, strict=True)):
        stored = live.store.moves_of(live.seat_of(tokens[2]).game)
        again = replay(Setup(ONE.agents, rounds=1, key=f"{n:064x}"), stored)
        assert again.records == game.records
        assert again.phase == OVER


def test_the_same_move_from_many_clicks_at_once(live):
    token = live.open_table(ONE)[2]
    game_of(live, token)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: live.move(token, 1, Move(0, BID, 3)), range(16)))
    assert sum(move.seat == 2 for move in game_of(live, token).moves) == 1


def test_each_seat_is_taken_once(live):
    setup = Setup((None, "srp+bis", None, None), rounds=1, players=("A", "", "", ""))
    tokens = live.open_table(setup)
    game = live.seat_of(tokens[0]).game
    assert live.join(game, "Ann", 2) == tokens[2]
    with ThreadPoolExecutor(8) as pool:
        names = ["Bo", "Cy", "Di", "Ed"]
        joined = list(pool.map(lambda name: taken(live, game, name), names))
    assert sorted(filter(None, joined)) == sorted([tokens[0], tokens[3]])
    with pytest.raises(TableError, match="no seat is free at this table"):
        live.join(game, "Fay")
    people = live.store.people_of(game)
    assert people[2] == ("Ann", True)
    with live.playing(game) as playing:
        assert playing.names == tuple(people[i][0] if i in people else "srp+bis" for i in range(4))


def taken(live, game, name):
    try:
        return live.join(game, name)
    except TableError:
        return None


def test_an_agent_plays_on_for_who_is_away(live, monkeypatch):
    tokens = live.open_table(Setup((None, "srp+bis", None, "srp+bis"), rounds=1, key=KEY))
    n = len(game_of(live, tokens[0]).moves)
    assert game_of(live, tokens[0]).turn == 2
    with pytest.raises(TableError, match="once a person has been due for 120 s"):
        live.stand_in(tokens[0], n, 2)
    monkeypatch.setattr("spades.tables.live.AWAY_SECONDS", 0.0)
    with pytest.raises(TableError, match="once a person has been due"):
        live.stand_in(tokens[2], n, 0)  # it isn't North's turn
    live.stand_in(tokens[0], n, 2)
    live.stand_in(tokens[0], n, 2)  # sent again
    game = game_of(live, tokens[0])
    assert (game.away, game.turn) == ({2}, 0)
    live.move(tokens[2], len(game.moves), Move(0, BACK))
    assert not game_of(live, tokens[0]).away
    finish(live, tokens)
    again = LiveTables(TableStore(live.store.path))
    assert game_of(again, tokens[0]).records == game_of(live, tokens[0]).records


def test_only_so_many_games_are_kept_in_memory(live, monkeypatch):
    monkeypatch.setattr("spades.tables.live.MAX_LOADED", 2)
    tokens = [live.open_table(ONE)[2] for _ in range(4)]
    for token in tokens * 2:
        game_of(live, token)
    assert len(live._loaded) == 2


def test_a_store_that_cannot_be_written_keeps_memory_and_file_together(live, monkeypatch):
    token = live.open_table(ONE)[2]
    place = live.seat_of(token)
    game_of(live, token)
    with monkeypatch.context() as patch:
        patch.setattr(live.store, "add", lambda *_, **__: (_ for _ in ()).throw(OSError("no room")))
        with pytest.raises(OSError, match="no room"):
            live.move(token, 1, Move(0, BID, 3))
    assert len(game_of(live, token).moves) == 1
    live.move(token, 1, Move(0, BID, 4))
    assert live.store.moves_of(place.game)[1].value == 4


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "tables.sqlite"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE other (x)")
    with pytest.raises(SpadesError, match="database of something else, no store of tables"):
        TableStore(path).open_table(ONE)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_a_participant_is_not_told_which_agent_failed(live, monkeypatch, is_sealed):
    def fail(self):
        raise SpadesError("srp+bis can't go on")
        yield

    monkeypatch.setattr(Game, "agents_decision", fail)
    token = live.open_table(replace(ONE, is_sealed=is_sealed))[2]
    said = "its agent failed" if is_sealed else "srp[+]bis can't go on"
    with pytest.raises(SpadesError, match=said):
        live.wait(live.seat_of(token).game)
