"""The stores on disk: damaged in many ways, brought up from an earlier version, used by many."""

import itertools
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from spades.core.database import DatabaseError
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.tables import Game, Move, Setup, TableError, TableStore
from spades.tables.game import BID, CARD, DEAL, OVER, replay
from spades.tables.setup import PREDICTABLE
from spades.tables.store import TableStoreError
from spades.tables.studies import CONSENT, StudyError, StudyStore
from tests.tables.study_texts import SMALL
from tests.tables.test_game import KEY, lowest

ONE = Setup(("srp+bis", "srp+bis", None, "srp+bis"), rounds=1, key=KEY)
N_FLIPS, N_OTHERS = 200, 60  # damages of each kind
PAGE = 4096


def moves_to_the_end(setup):
    game = Game(setup)
    while game.phase != OVER:
        game.make(Move(0, DEAL) if game.turn is None else game.agents_move() or lowest(game))
    return game.moves


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A file with two tables, and what is read of it."""
    path = tmp_path_factory.mktemp("stores") / "tables.sqlite"
    store = TableStore(path)
    two = Setup(("srp+bis", None, "srp+bis", None), rules=Rules(nil=50), rounds=1, key=KEY)
    for setup, n in ((ONE, 56), (two, 31)):
        tokens = store.open_table(setup)
        game = store.seat_of(next(iter(tokens.values()))).game
        store.join(game, "Zoë", about="rated 1850")
        store.add(game, 0, moves_to_the_end(setup)[:n])
    with closing(sqlite3.connect(path)) as file:
        games = [game for (game,) in file.execute("SELECT id FROM games")]
        tokens = [token for (token,) in file.execute("SELECT token FROM seats")]
    truth = {}
    for ask in ("setup_of", "moves_of", "times_of", "people_of"):
        truth |= {(ask, game): getattr(store, ask)(game) for game in games}
    truth |= {("seat_of", token): store.seat_of(token) for token in tokens}
    assert store.check() == []
    return path, truth


def flipped(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    return bytes(data)


def truncated(data, rng):
    return data[: rng.randrange(len(data))]


def zeroed(data, rng):
    at = PAGE * rng.randrange(len(data) // PAGE)
    return data[:at] + bytes(PAGE) + data[at + PAGE :]


COLUMNS = {
    "games": ("setup", "created", "digest", "id"),
    "ends": ("n", "last", "digest"),
    "seats": ("token", "game", "seat", "name", "about", "joined", "digest"),
    "moves": ("n", "seat", "kind", "value", "blind", "ms", "made", "digest"),
}


def keys_of(file, table):
    key = "game, n" if table == "moves" else "rowid"
    return file.execute(f"SELECT {key} FROM {table}").fetchall()


def where_of(table):
    return "game = ? AND n = ?" if table == "moves" else "rowid = ?"


def changed(file, rng):
    table = rng.choice(list(COLUMNS))
    column = rng.choice(COLUMNS[table])
    value = rng.choice([0, 1, 13, 2**40, 1.5, "x", "", "bid", b"\xff"])
    key = rng.choice(keys_of(file, table))
    file.execute(f"UPDATE {table} SET {column} = ? WHERE {where_of(table)}", (value, *key))


def swapped(file, rng):
    """Two rows of one table exchange what they hold, one column or all."""
    table = rng.choice(list(COLUMNS))
    columns = [one for one in COLUMNS[table] if one not in ("id", "token", "n")]
    if rng.random() < 0.5:
        columns = [rng.choice(columns)]
    one, two = rng.sample(keys_of(file, table), 2)
    text = f"SELECT {', '.join(columns)} FROM {table} WHERE {where_of(table)}"
    held = [file.execute(text, key).fetchone() for key in (one, two)]
    sets = ", ".join(f"{column} = ?" for column in columns)
    for key, values in zip((one, two), reversed(held), strict=True):
        file.execute(f"UPDATE {table} SET {sets} WHERE {where_of(table)}", (*values, *key))


def deleted(file, rng):
    table = rng.choice(list(COLUMNS))
    key = rng.choice(keys_of(file, table))
    file.execute(f"DELETE FROM {table} WHERE {where_of(table)}", key)


BYTES = [(flipped, N_FLIPS), (truncated, N_OTHERS), (zeroed, N_OTHERS)]
SQL = [(changed, N_OTHERS), (swapped, N_OTHERS), (deleted, N_OTHERS)]


def damaged_files(path, tmp_path):
    """So many stores, each damaged once; how, and where they lie."""
    data, rng = path.read_bytes(), random.Random(5)
    target = tmp_path / "tables.sqlite"
    for harm, n in BYTES:
        for _ in range(n):
            target.write_bytes(harm(data, rng))
            yield harm.__name__, target
    for harm, n in SQL:
        for _ in range(n):
            target.write_bytes(data)
            with closing(sqlite3.connect(target)) as file, file:
                try:
                    harm(file, rng)
                except sqlite3.IntegrityError:  # no row can be so changed
                    continue
            yield harm.__name__, target


def read_all(store, truth):
    """Ask for everything: how often the truth was told, and how often nothing."""
    told = Counter()
    for (ask, what), true in truth.items():
        try:
            found = getattr(store, ask)(what)
        except SpadesError:
            told["refused"] += 1
            continue
        assert found == true, (ask, what)
        told["true"] += 1
    return told


def clear(folder):
    for path in folder.iterdir():
        path.unlink()


@pytest.mark.slow
def test_a_damaged_store_tells_the_truth_or_nothing(pristine, tmp_path):
    path, truth = pristine
    refused = Counter()
    for n, (how, target) in enumerate(damaged_files(path, tmp_path)):
        told = read_all(TableStore(target), truth)
        refused[how] += bool(told["refused"])
        if n % 5 == 0:
            check_repair(target, truth)
        clear(tmp_path)
    assert refused["deleted"] >= 50
    assert refused["changed"] >= 40
    assert refused["swapped"] >= 40
    assert refused["flipped"] >= 40  # the others hit bytes that hold nothing
    assert refused["truncated"] >= 50
    assert refused["zeroed"] >= 50


def check_repair(target, truth):
    """After a repair all that is left is read, is true, and begins as it began."""
    store = TableStore(target)
    before = target.read_bytes()
    findings = store.check(repair=True)
    assert all(found.is_repaired and found.where and found.what for found in findings)
    assert store.check() == []
    copies = list(target.parent.glob("*.damaged-1.sqlite"))
    assert bool(copies) == bool(findings)
    if not findings:
        assert read_all(store, truth)["refused"] == 0
        return
    assert len(copies[0].read_bytes()) == len(before)
    with closing(sqlite3.connect(target)) as file:
        games = [game for (game,) in file.execute("SELECT id FROM games")]
    for game in games:
        moves = store.moves_of(game)
        assert moves == truth["moves_of", game][: len(moves)]
        assert store.times_of(game) == truth["times_of", game][: len(moves)]
        setup, true = store.setup_of(game), truth["setup_of", game]
        assert (setup.agents, setup.key, setup.rules) == (true.agents, true.key, true.rules)
        assert store.people_of(game).keys() == truth["people_of", game].keys()
        replay(setup, moves)


def test_a_damaged_move_is_named_and_what_is_before_it_kept(pristine, tmp_path):
    path, truth = pristine
    target = tmp_path / "tables.sqlite"
    shutil.copy(path, target)
    game = max(truth, key=lambda one: one[0] == "moves_of" and len(truth[one]))[1]
    with closing(sqlite3.connect(target)) as file, file:
        file.execute("UPDATE moves SET value = value + 1 WHERE game = ? AND n = 17", (game,))
    store = TableStore(target)
    named = f"game {game}, move 17, or one after it, is damaged.*`spades check --repair` keeps"
    with pytest.raises(TableStoreError, match=named):
        store.moves_of(game)
    with pytest.raises(TableStoreError, match=f"game {game}, move"):
        store.add(game, 56, [Move(0, CARD, 3)]) or store.moves_of(game)
    (found,) = store.check()
    assert (found.where, found.is_repaired) == (f"game {game}, move 17", False)
    (found,) = store.check(repair=True)
    assert found.is_repaired
    assert store.moves_of(game) == truth["moves_of", game][:17]
    store.add(game, 17, truth["moves_of", game][17:])
    assert store.moves_of(game) == truth["moves_of", game]


@pytest.mark.parametrize("text", ["CREATE TABLE other (x)", "PRAGMA application_id = 77"])
def test_a_file_of_something_else_is_left_alone(tmp_path, text):
    path = tmp_path / "tables.sqlite"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("CREATE TABLE whatever (x)")
        file.execute(text)
    before = path.read_bytes()
    (found,) = TableStore(path).check(repair=True)
    assert "no store of tables" in found.what
    assert not found.is_repaired
    assert path.read_bytes() == before


def test_a_newer_version_is_refused_and_left_alone(pristine, tmp_path):
    path = tmp_path / "tables.sqlite"
    shutil.copy(pristine[0], path)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("ALTER TABLE games ADD COLUMN more TEXT")
        file.execute("PRAGMA user_version = 3")
    with pytest.raises(TableStoreError, match="of version 3; this code reads 2"):
        TableStore(path).open_table(ONE)
    (found,) = TableStore(path).check(repair=True)
    assert not found.is_repaired


def test_a_store_without_a_file_has_no_damage(tmp_path):
    store = TableStore(tmp_path / "none" / "tables.sqlite")
    assert store.check(repair=True) == []
    assert not store.path.exists()
    for ask in (store.setup_of, store.moves_of, store.people_of, store.seat_of):
        with pytest.raises(TableError):
            ask("x")


# A deletion reaches every process.


def test_moves_of_a_game_or_seat_that_was_deleted_are_refused(tmp_path):
    store, other = (TableStore(tmp_path / "tables.sqlite") for _ in range(2))
    tokens = store.open_table(Setup((None,) * 4, rounds=1))
    game = store.seat_of(tokens[0]).game
    other.add(game, 0, [Move(1, BID, 3)], token=tokens[1])
    store.execute("DELETE FROM seats WHERE token = ?", (tokens[2],))
    with pytest.raises(TableError, match="this seat has been deleted"):
        other.add(game, 1, [Move(2, BID, 3)], token=tokens[2])
    store.delete(game)
    with pytest.raises(TableError, match="no game"):
        other.add(game, 1, [Move(2, BID, 3)])
    for table in ("games", "ends", "seats", "moves"):
        assert store.read(f"SELECT count(*) FROM {table} WHERE ?", (1,)) == [(0,)]


def test_no_move_can_be_stored_without_its_game(tmp_path):
    store = TableStore(tmp_path / "tables.sqlite")
    store.open_table(ONE)
    row = ("nowhere", 0, 0, "bid", 3, 0, None, 1.0, "digest")
    with pytest.raises(sqlite3.IntegrityError):
        store.execute("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def test_many_at_one_table_store_each_move_once(tmp_path):
    store = TableStore(tmp_path / "tables.sqlite")
    game = store.seat_of(store.open_table(ONE)[2]).game
    moves = moves_to_the_end(ONE)

    def play(_):
        for n, move in enumerate(moves):
            try:
                store.add(game, n, [move])
            except TableError:
                continue

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(play, range(4)))
    found = store.moves_of(game)
    assert found == moves[: len(found)]
    assert store.check() == []


# Version 1: no digests, no keys, about in the set-up.

OLD = (
    "CREATE TABLE games (id TEXT PRIMARY KEY, setup TEXT NOT NULL, created REAL NOT NULL)",
    "CREATE TABLE seats (token TEXT PRIMARY KEY, game TEXT NOT NULL, seat INTEGER NOT NULL, "
    "name TEXT NOT NULL, joined REAL)",
    "CREATE TABLE moves (game TEXT, n INTEGER, seat INTEGER NOT NULL, kind TEXT NOT NULL, "
    "value INTEGER NOT NULL, blind INTEGER NOT NULL, ms INTEGER, made REAL NOT NULL, "
    "PRIMARY KEY (game, n)) WITHOUT ROWID",
    f"PRAGMA application_id = {TableStore.application}",
    "PRAGMA user_version = 1",
    "PRAGMA journal_mode = WAL",
)
OLD_SETUP = {
    "agents": ["srp+bis", "srp+bis", None, "srp+bis"], "seed": 9, "rules": {}, "rounds": 2,
    "players": ["", "", "", ""], "help": True, "is_timed": True, "about": ["", "", "rated 7", ""],
}  # fmt: skip
ROUND = [move for move in moves_to_the_end(ONE) if move.kind == BID]


def old_store(path, n_games=3, n_moves=30):
    """A store as version 1 left it, with moves of a game that isn't there."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for text in OLD:
            file.execute(text)
        for i in range(n_games):
            setup = OLD_SETUP
            if i == 1:
                names = ["computer", "computer", "P01", "computer"]
                setup = {**OLD_SETUP, "players": names, "help": False}
            file.execute("INSERT INTO games VALUES (?, ?, 1.5)", (f"g{i}", json.dumps(setup)))
            file.execute("INSERT INTO seats VALUES (?, ?, 2, 'Ann', 2.5)", (f"t{i}", f"g{i}"))
        numbers = itertools.product(range(n_games), range(n_moves))
        rows = [(f"g{i}", n, 2, "look", 0, 0, 7, 1.0 + n) for i, n in numbers]
        rows += [("gone", 0, 2, "bid", 3, 0, None, 1.0)]
        file.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        file.execute("INSERT INTO seats VALUES ('t9', 'gone', 2, 'Bo', 2.5)")
    return path


def test_an_old_store_is_brought_up_once_and_its_games_are_not_played_on(tmp_path):
    path = old_store(tmp_path / "tables.sqlite")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: TableStore(path).moves_of("g0"), range(8)))
    store = TableStore(path)
    assert found == [[Move(2, "look", ms=7)] * 30] * 8
    assert store.times_of("g2") == [1.0 + n for n in range(30)]
    assert store.people_of("g0") == {2: ("Ann", True)}
    setup = store.setup_of("g0")
    assert (setup.seed, setup.key, setup.about[2]) == (9, None, "rated 7")
    assert setup.is_predictable
    assert [store.setup_of(f"g{i}").is_sealed for i in range(3)] == [False, True, False]
    with pytest.raises(TableError) as refused:
        store.add("g0", 30, [Move(2, "look")], token="t0")
    assert str(refused.value) == PREDICTABLE
    with pytest.raises(TableError, match="no table has this seat"):
        store.seat_of("t9")
    assert store.read("SELECT count(*) FROM moves WHERE ?", (1,)) == [(90,)]
    assert store.check() == []
    game = Game(setup)
    assert game.agents_move() is None
    assert game.record.seed is None


KILLED = """
import os, sys
from pathlib import Path
from spades.tables.store import MOVES, TableStore
at, n = int(sys.argv[2]), 0
made = type(MOVES).with_digest
def digest(*given):
    global n
    n += 1
    if n == at:
        os.kill(os.getpid(), 9)
    return made(*given)
type(MOVES).with_digest = digest
TableStore(Path(sys.argv[1])).check()
"""


def test_a_kill_while_a_store_is_brought_up_loses_nothing(tmp_path):
    for at in (97,):
        path = old_store(tmp_path / f"{at}.sqlite")
        killed = subprocess.run([sys.executable, "-c", KILLED, path, str(at)], check=False)
        assert killed.returncode == -9
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("PRAGMA user_version").fetchone() == (1,)
            assert file.execute("SELECT count(*) FROM moves").fetchone() == (91,)
        assert len(TableStore(path).moves_of("g1")) == 30


def test_a_damaged_old_store_is_repaired(tmp_path):
    path = old_store(tmp_path / "tables.sqlite")
    data = bytearray(path.read_bytes())
    data[100:130] = bytes(30)  # the header of the list of its tables
    path.write_bytes(bytes(data))
    with pytest.raises(DatabaseError):
        TableStore(path).moves_of("g0")
    assert TableStore(path).check(repair=True)
    assert TableStore(path).check() == []


# Studies.


def test_a_damaged_store_of_studies_tells_the_truth_or_nothing(tmp_path):
    store = StudyStore(TableStore(tmp_path / "of" / "tables.sqlite"))
    owner = store.create(SMALL)
    study = store.owned(owner)[0]
    tokens = [store.invite(study) for _ in range(3)]
    for token in tokens[:2]:
        store.go_on(token, CONSENT)
    truth = {("owned", owner): store.owned(owner), ("study", study): store.study(study)}
    truth |= {("person", token): store.person(token) for token in tokens}
    truth[("people", owner)] = store.people(owner)
    data, rng = store.path.read_bytes(), random.Random(6)
    refused = 0
    for n in range(150):
        folder = tmp_path / f"{n}"
        folder.mkdir()
        damaged = StudyStore(TableStore(folder / "tables.sqlite"))
        if n < 100:
            damaged.path.write_bytes(BYTES[n % 3][0](data, rng))
        else:
            damaged.path.write_bytes(data)
            table, column = rng.choice([
                ("studies", "toml"), ("studies", "n"), ("studies", "n_people"),
                ("studies", "ended"), ("participants", "state"), ("participants", "name"),
                ("participants", "study"),
            ])  # fmt: skip
            with closing(sqlite3.connect(damaged.path)) as file, file:
                if n % 4:
                    value = rng.choice([1, "{}", "P01", 2.5, study[:-1]])
                    file.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = 1", (value,))
                else:
                    file.execute("DELETE FROM participants WHERE rowid = ?", (n % 3 + 1,))
        told = read_all(damaged, truth)
        refused += bool(told["refused"])
        if n % 5 == 0:
            damaged.check(repair=True)
            assert damaged.check() == []
            read_all_known(damaged, owner)
    assert refused >= 90


def read_all_known(store, owner):
    try:
        people = store.people(owner)
    except StudyError:  # the study itself was damaged
        return
    for person in people:
        assert store.person(person.token) == person


def test_an_old_store_of_studies_goes_on(tmp_path):
    tables = TableStore(old_store(tmp_path / "tables.sqlite", n_moves=0))
    new = StudyStore(TableStore(tmp_path / "new" / "tables.sqlite"))
    document = json.dumps(new.study(new.owned(new.create(SMALL))[0]))
    begun = {CONSENT: {"made": 1.0}, "questions before": {"made": 2.0, "answers": {}}}
    begun |= {"game 1": {"seat": "t1", "game": "g1"}}
    with closing(sqlite3.connect(tmp_path / "studies.sqlite", isolation_level=None)) as file:
        file.execute(
            "CREATE TABLE studies (id TEXT PRIMARY KEY, owner TEXT UNIQUE NOT NULL, toml TEXT NOT "
            "NULL, document TEXT NOT NULL, ended REAL, n INTEGER NOT NULL)"
        )
        file.execute(
            "CREATE TABLE participants (token TEXT PRIMARY KEY, study TEXT NOT NULL, name TEXT NOT "
            "NULL, state TEXT NOT NULL)"
        )
        file.execute("INSERT INTO studies VALUES ('s', 'o', ?, ?, NULL, 2)", (SMALL, document))
        file.execute("INSERT INTO participants VALUES ('a', 's', 'P01', ?)", (json.dumps(begun),))
        file.execute("INSERT INTO participants VALUES ('b', 's', 'P02', '{}')")
        file.execute(f"PRAGMA application_id = {StudyStore.application}")
        file.execute("PRAGMA user_version = 1")
    store = StudyStore(tables)
    assert [person.name for person in store.people("o")] == ["P01", "P02"]
    place = store.table("a")  # the game under way can't be played on: it is dealt anew
    assert place["game"] != "g1"
    assert not tables.has("g1")
    assert store.game(place["game"]).setup.is_sealed
    assert store.person(store.invite("s")).name == "P03"
    assert store.check() == []
