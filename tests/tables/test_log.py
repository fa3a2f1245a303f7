"""The log of a table's rounds, and the logs of all games of each person."""

import doctest
import itertools
import re
from dataclasses import replace

import pytest

from spades.core.logs import Log
from spades.notation.log_store import open_log, safe_name, store_log
from spades.tables import Game, Setup, TableError, games_of, log, store_played
from spades.tables.game import DEAL, OVER, Move
from tests.tables.test_game import KEY, lowest, played

AGENTS = (None, "srp+bis", "human", "srp+bis")
SETUP = Setup(AGENTS, rounds=3, players=("Ann", "", "", ""), key=KEY)


@pytest.fixture(autouse=True)
def own_logs(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))


@pytest.fixture(scope="module")
def records():
    return played(Game(SETUP), lowest).records


def test_what_the_module_shows_is_so():
    found = doctest.testmod(log)
    assert (found.failed, found.attempted) == (0, 1)


def test_finished_rounds_are_a_log_that_grows():
    game = Game(SETUP)
    for n in itertools.count(1):
        while len(game.records) < n:
            game.make(game.agents_move() or lowest(game))
        name = store_played("abcdef", game.setup, game.records)
        assert re.fullmatch(r"played-ann-\d{4}-\d\d-\d\d-abcd", name)
        found = open_log(name)
        assert len(found) == n
        is_told = [KEY in record.source for record in found.records()]
        assert is_told == [False, False, True][:n]
        if game.phase == OVER:
            break
        game.make(Move(0, DEAL))
    record = found.record(2)
    assert record.players[0] == "Ann"
    assert record.kinds == ("human", "bot", "simulated-human", "bot")
    assert record.plays == game.records[2].plays
    assert {one.seed for one in found.records()} == {None}


def test_a_game_keeps_its_log_over_midnight_and_that_of_an_earlier_version(records, monkeypatch):
    monkeypatch.setattr(log.time, "strftime", lambda _: "2026-11-28")
    assert store_played("abc", SETUP, records[:1], ["Ann"]) == "played-ann-2026-11-28-abc"
    facts = {"game": "old"}
    store_log(Log.from_records([replace(records[0], game_id="old")]), "played-old", facts)
    monkeypatch.setattr(log.time, "strftime", lambda _: "2026-11-29")
    assert store_played("abc", SETUP, records[:2], ["Ann"]) == "played-ann-2026-11-28-abc"
    assert store_played("old", SETUP, records[:2]) == "played-old"
    assert [one.game_id for one in open_log("played-old").records()] == ["old", "old"]
    assert len(open_log(games_of("Ann"))) == 2


def test_all_games_of_a_person_are_one_log(records, monkeypatch):
    for n in (2, 3, 2):
        store_played("abc", SETUP, records[:n], ["Ann B."])
    store_played("other", SETUP, records[:1], ["Ann B.", "Bo"])
    both = list(open_log(games_of("Ann B.")).records())
    assert [one.game_id.rpartition("-")[2] for one in both] == ["abc"] * 3 + ["othe"]
    assert both[2].plays == records[2].plays
    assert len(open_log(games_of("Bo"))) == 1
    monkeypatch.setattr(
        "spades.tables.log.open_log", lambda name: pytest.fail("read though nothing is new")
    )
    store_played("abc", SETUP, records, ["Ann B."])


NAMES = [
    "ann", "Ann", "ANN", "a b", "a-b", "a--b", "-a-b", "a.b", "李明", "王芳", "李", "محمد", "علي",
    "😀", "😀😀", "👩‍👩‍👧", "log", "Zoë", "Zoe", "zoe", "Ärger", "Arger", "", " ",
    "х", "x", "x" * 40, "x" * 39 + "y",
]  # fmt: skip


def test_no_two_names_share_a_log():
    named = {name: games_of(name) for name in NAMES}
    likely = [found.removeprefix("games-of-") for found in named.values()]
    named |= {name: games_of(name) for name in likely}  # names that look like logs of others
    assert len(set(named.values())) == len(named)
    for found in named.values():
        assert safe_name(found) == found  # as the store of logs keeps it


@pytest.mark.parametrize("name", ["ann", "bo2", "a-b", "x" * 20])
def test_a_plain_name_keeps_its_log(name):
    assert games_of(name) == f"games-of-{name}"


def test_one_name_is_one_log_however_its_letters_are_composed():
    assert games_of("Zoe\u0308") == games_of("Zo\u00eb")


def test_rounds_of_the_log_that_was_shared_are_found_again(records):
    hers, his = records[0], replace(records[1], players=("ann", "", "", ""))
    store_log(Log.from_records([hers, his]), "games-of-ann", replaces=True)
    store_played("new", SETUP, records[:1], ["Ann"])
    assert [one.players[0] for one in open_log(games_of("Ann")).records()] == ["Ann", "Ann"]


def test_a_study_is_in_no_log(records):
    sealed = Setup(AGENTS, rounds=3, key=KEY, is_sealed=True)
    with pytest.raises(TableError, match="a study's rounds are its owner's"):
        store_played("abc", sealed, records, ["P01"])
