"""A damaged store of drills: nothing else is read as if it were true, and it is mended."""

import random
import sqlite3
from contextlib import closing, suppress

import numpy as np
import pytest

from analysis.decisions.conclusion import AS_GOOD, BEHIND
from analysis.disagreements.rows import COLUMNS, STANDINGS
from analysis.drill import ANSWERS, EXERCISES, HERRING, DrillError, DrillStore, Exercise
from spades.core.cards import mask_of
from spades.core.equivalence import equivalent_cards
from tests.damages import damaged
from ui.shared.records import DEFAULT_HAND, find_hand

NOW = 1_800_000_000.0
PLIES = range(8, 24)
PROFILES = ("Ann", "Bo")


def exercise(ply):
    """A decision of the default hand, its classes of cards worth less and less."""
    record = find_hand(DEFAULT_HAND)
    classes = equivalent_cards(record.observation(ply))
    rows = np.zeros(len(classes), COLUMNS)
    for i, cards in enumerate(classes):
        rows[i]["ply"] = ply
        rows[i]["cards"] = mask_of(cards)
        rows[i]["behind"] = 5 * i
        rows[i]["low"] = 4 * i
        rows[i]["high"] = 6 * i
        rows[i]["standing"] = STANDINGS.index(BEHIND if i else AS_GOOD)
    return Exercise(record, ply, HERRING, 0, rows)


def first_card(one):
    return one.record.rules.cards.format_card(int(one.rows["cards"][0]).bit_length() - 1)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store in which two people have answered, and what it holds."""
    store = DrillStore(tmp_path_factory.mktemp("sound") / "drill.sqlite")
    for i, ply in enumerate(PLIES):
        one = exercise(ply)
        for profile in PROFILES[: 1 + i % 2]:
            for day in range(3):
                now = NOW + 86_400 * day + i
                store.answer(profile, one, first_card(one), ms=20_000, now=now)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return store


def all_of(store):
    """What the store says, by question; what it refuses is left out."""
    found = {}
    for profile in PROFILES:
        with suppress(DrillError):
            found[profile, "cards"] = store.cards(profile).to_csv()
        with suppress(DrillError):
            found[profile, "last"] = store.last(profile, 20)
    return found


def test_damage_is_refused_or_changes_nothing_and_is_mended(filled, tmp_path):
    truth = all_of(filled)
    assert len(truth) == 4
    data = filled.path.read_bytes()
    n_mended = 0
    for seed in range(150):
        path = tmp_path / f"{seed}" / "drill.sqlite"
        path.parent.mkdir()
        path.write_bytes(damaged(data, random.Random(seed)))
        store = DrillStore(path)
        if not path.stat().st_size:
            continue  # an empty file is a new store
        found = all_of(store)
        assert found.items() <= truth.items(), seed
        if store.check() and all(one.is_repaired for one in store.check(repair=True)):
            n_mended += 1
            assert store.check() == [], seed
            assert len(all_of(store)) == len(truth), seed
    assert n_mended > 40


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answers SET is_right = 0",
        "UPDATE answers SET due = due + 1 WHERE n = 1",
        "UPDATE answers SET card = 'SA' WHERE profile = 'Ann' AND n = 2",
        "DELETE FROM answers WHERE n = 1",
        "UPDATE exercises SET lenses = 1",
        "DELETE FROM exercises",
    ],
)
def test_a_changed_row_is_not_read(filled, tmp_path, change):
    path = tmp_path / "drill.sqlite"
    path.write_bytes(filled.path.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    store = DrillStore(path)
    with pytest.raises(DrillError, match="is damaged"):
        store.cards("Ann")
    assert store.check()


def test_a_store_without_digests_is_brought_up(filled, tmp_path):
    path = tmp_path / "drill.sqlite"
    path.write_bytes(filled.path.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in (EXERCISES, ANSWERS):
            columns = ", ".join(table.columns)
            connection.execute(f"CREATE TABLE old AS SELECT {columns} FROM {table.name}")
            connection.execute(f"DROP TABLE {table.name}")
            connection.execute(f"ALTER TABLE old RENAME TO {table.name}")
        connection.execute("PRAGMA user_version = 1")
    assert all_of(DrillStore(path)) == all_of(filled)
