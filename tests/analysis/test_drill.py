"""Exercises of judged logs, who is asked which, and when they come back."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from fsrs import Card, Rating, Scheduler, State

from analysis.decisions.conclusion import AS_GOOD, BEHIND, CLEAR, OPEN, TOSS_UP, standing_of
from analysis.decisions.lenses import LENS_NAMES
from analysis.disagreements import rows as searched
from analysis.disagreements import stored
from analysis.disagreements.table import decision_table
from analysis.drill import (
    COSTLY,
    DISAGREEMENT,
    EXERCISES,
    HERRING,
    NILS,
    DrillError,
    DrillStore,
    Exercise,
    draw,
    exercise_table,
    grade_of,
    passing,
)
from analysis.phases import PHASES
from spades.core.equivalence import equivalent_cards
from spades.core.paths import DATA
from spades.human import load_model
from spades.notation import read_path
from spades.notation.log_store import open_log
from tests.analysis.disagreements.made_up_search import (
    LOG,
    N_ROUNDS,
    PLAYED_ON,
    made_up_rows,
    made_up_search,
)

NOW = 1_800_000_000.0


def made_up(ends, ply=24, kind=DISAGREEMENT, lenses=0):
    """An exercise of the shipped hand; ``ends``: of its classes' intervals, the best first."""
    record = read_path(DATA / "hands/bug-report-335.jsonl").records[0]
    classes = equivalent_cards(record.observation(ply))
    assert len(classes) == len(ends) + 1
    rows = np.zeros(len(classes), searched.COLUMNS)
    rows["cards"] = [sum(1 << card for card in cards) for cards in classes]
    rows["played_on"], rows["ply"], rows["own_contract"] = PLAYED_ON, ply, 0.5
    for name in searched.NILS:
        rows[name] = np.nan
    for row, (low, high) in zip(rows[1:], ends, strict=True):
        row["behind"], row["low"], row["high"] = (low + high) / 2, low, high
        row["standing"] = searched.STANDINGS.index(standing_of((low, high), 1.0))
    names = [[record.rules.cards.format_card(card) for card in cards] for cards in classes]
    return Exercise(record, ply, kind, lenses, rows), names


def name_at(one, place):
    """The highest card of a class."""
    return one.record.rules.cards.format_card(int(one.rows["cards"][place]).bit_length() - 1)


@pytest.fixture(scope="module")
def judged():
    """A judged log, its numbers made up: (search, log, decisions)."""
    log = open_log(LOG)
    some = log.take(slice(0, N_ROUNDS))
    decisions = decision_table(made_up_rows(), some, 0, load_model("devlin2016-nil"))
    return made_up_search(), log, decisions


@pytest.fixture(scope="module")
def tables(judged):
    found, log, decisions = judged
    return {player: exercise_table(decisions, found, log, player) for player in ("", "human")}


@pytest.fixture
def store(tmp_path):
    return DrillStore(tmp_path / "drill.sqlite")


def test_right_is_what_lies_within_the_threshold_and_wrong_what_is_clearly_worse():
    exercise, names = made_up([(0.2, 0.9), *[(1.2, 3.0)] * (_n_classes() - 2)])
    assert exercise.is_good.tolist() == [True, True, *[False] * (len(names) - 2)]
    for i, cards in enumerate(names):
        for card in cards:  # equivalent cards are one answer
            assert exercise.class_of(card) == i
    with pytest.raises(DrillError, match="isn't legal in this exercise"):
        exercise.class_of("SA" if not any("SA" in cards for cards in names) else "S3")


def _n_classes(ply=24):
    record = read_path(DATA / "hands/bug-report-335.jsonl").records[0]
    return len(equivalent_cards(record.observation(ply)))


def test_exercises_are_the_decisions_that_are_settled_card_by_card(judged, tables):
    _, log, decisions = judged
    for player, table in tables.items():
        assert len(table) > 60
        assert table["key"].is_unique
        assert set(table["kind"]) == {HERRING, COSTLY if player else DISAGREEMENT}
        for one in table["exercise"]:
            good = one.is_good
            check_settled(one)
            assert good[0]
            assert 0 < good.sum() < len(good)
            played = one.record.rules.cards.format_card(one.record.plays[one.ply])
            if one.kind == HERRING:
                assert good.sum() > 1
                assert good[one.class_of(played)]
                assert one.lenses == 0
            elif player:
                assert one.record.players[one.observation.seat] == player
                assert not good[one.class_of(played)]
    settled = decisions[decisions["is_decided"] & decisions["conclusion"].isin([CLEAR, TOSS_UP])]
    assert settled["human_is_behind"].sum() == (tables[""]["kind"] == DISAGREEMENT).sum()
    assert log.record(0).rules == tables[""]["exercise"][0].record.rules


def check_settled(exercise):
    """Every class of it is as good as the best or behind it, and the conclusion says so."""
    assert searched.KINDS[exercise.rows["kind"][0]] in (CLEAR, TOSS_UP)
    standings = {searched.STANDINGS[place] for place in exercise.rows["standing"]}
    assert standings == {AS_GOOD, BEHIND}


def test_the_shipped_search_has_exercises():
    shipped = next(one for one in stored.shipped() if one.question["log"] == LOG)
    search = stored.StoredSearch(shipped.question, tuple(sorted(shipped.rounds)), is_shipped=True)
    log = open_log(LOG)
    decisions = decision_table(shipped.rows, log, 0, load_model("devlin2016-nil"))
    table = exercise_table(decisions, search, log, "")
    assert len(table)
    for one in table["exercise"]:
        check_settled(one)


def test_every_class_is_counted_by_the_decision_table(judged):
    found, _, decisions = judged
    rows = searched.joined(found.read_all())
    split = [one for one in rows.decisions() if np.isfinite(one["behind"][0])]
    assert len(split) < len(rows.starts)  # some have no value
    as_good, is_open = map(searched.STANDINGS.index, (AS_GOOD, OPEN))
    good = [int((one["standing"] == as_good).sum()) for one in split]
    decided = [not (one["standing"] == is_open).any() for one in split]
    assert decisions["n_good"].tolist() == good
    assert decisions["is_decided"].tolist() == decided
    clear = decisions["conclusion"] == CLEAR
    assert decisions["is_decided"][clear].all()


def drawn(table, profile, n):
    begun = []
    for _ in range(n):
        one = draw(table, profile, pd.Series([known.key for known in begun], dtype=object))
        begun.append(one)
    return begun


def test_one_in_four_is_a_red_herring_in_no_place_that_can_be_foretold(tables):
    assert (tables[""]["kind"] == HERRING).sum() >= 15
    begun = drawn(tables[""], "Ann", 60)
    assert len({one.key for one in begun}) == 60
    is_herring = np.array([one.kind == HERRING for one in begun]).reshape(-1, 4)
    assert (is_herring.sum(axis=1) == 1).all()
    assert set(is_herring.argmax(axis=1).tolist()) == {0, 1, 2, 3}
    again = [one.key for one in drawn(tables[""], "Ann", 60)]
    assert again == [one.key for one in begun]
    assert [one.key for one in drawn(tables[""], "Bo", 60)] != again


def test_where_a_kind_has_run_out_the_other_is_drawn_and_then_none(tables):
    table = tables[""].groupby("kind").head(3)
    begun = drawn(table, "Ann", 6)
    assert {one.key for one in begun} == set(table["key"])
    assert draw(table, "Ann", table["key"]) is None


def test_filters_by_lens_phase_and_nil(tables):
    table = tables[""]
    assert len(passing(table, [], [], [])) == len(table)
    bag = passing(table, ["bag"], [], [])
    is_herring = bag["kind"] == HERRING
    assert is_herring.sum() == (table["kind"] == HERRING).sum()
    bit = 1 << LENS_NAMES.index("bag")
    assert (bag["lenses"][~is_herring] & bit == bit).all()
    assert len(bag) < len(passing(table, ["bag", "high-card"], [], [])) < len(table)
    early, middle, late = (passing(table, [], [phase], []) for phase in PHASES)
    assert early["ply"].max() < 16
    assert middle["ply"].between(16, 31).all()
    assert late["ply"].min() >= 32
    assert len(early) + len(middle) + len(late) == len(table)
    for i, name in enumerate(NILS):
        some = passing(table, [], [], [name])
        assert len(some) == (table["nils"].to_numpy() >> i & 1).sum() > 0
    for one in passing(table, [], [], ["own"])["exercise"].head(5):
        assert one.record.bids[one.observation.seat] == 0
        assert one.observation.table.tricks_taken[one.observation.seat] == 0


@pytest.mark.parametrize(
    ("is_right", "ms", "grade"),
    [
        (False, 100, Rating.Again),
        (True, 9_999, Rating.Easy),
        (True, 10_000, Rating.Good),
        (True, 60_000, Rating.Good),
        (True, 60_001, Rating.Hard),
    ],
)
def test_grades(is_right, ms, grade):
    assert grade_of(is_right, ms) == grade


def test_answers_are_scheduled_by_fsrs(store, tables):
    """Wrong, right, right: learned; every state is that of the library at the same times."""
    one = next(one for one in tables[""]["exercise"] if one.kind == DISAGREEMENT)
    right, wrong = name_at(one, 0), name_at(one, int(one.is_good.argmin()))
    reference, scheduler = Card(card_id=0), Scheduler(enable_fuzzing=False)
    at, seen = NOW, []
    for card, ms, rating in (
        (wrong, 500, Rating.Again),
        (right, 20_000, Rating.Good),
        (right, 20_000, Rating.Good),
        (right, 5_000, Rating.Easy),
    ):
        answered = store.answer("Ann", one, card, ms=ms, now=at)
        assert answered == (rating != Rating.Again)
        reference, _ = scheduler.review_card(reference, rating, datetime.fromtimestamp(at, UTC))
        (after,) = store.cards("Ann").itertuples()
        assert after.due == reference.due.timestamp()
        assert after.is_learned == (reference.state == State.Review)
        seen.append((after.n, after.due - at, after.is_learned))
        at = after.due
    assert [n for n, *_ in seen] == [0, 1, 2, 3]
    assert seen[0][1] == 60
    assert seen[1][1] == 600
    assert [learned for *_, learned in seen] == [0, 0, 1, 1]
    days = [after / timedelta(days=1).total_seconds() for _, after, _ in seen[2:]]
    assert 1 <= days[0] < days[1]
    assert store.last("Ann", 3) == [1, 1, 1]
    assert store.last("Ann", 9) == [1, 1, 1, 0]
    assert store.cards("Bo").empty


def test_a_quick_right_answer_is_learned_at_once_and_what_is_due_longest_comes_first(store, tables):
    those = list(tables[""]["exercise"].head(3))
    for i, one in enumerate(those):
        best = name_at(one, 0)
        assert store.answer("Ann", one, best, ms=(90_000, 500, 30_000)[i], now=NOW + i)
    cards = store.cards("Ann")
    assert cards["due"].is_monotonic_increasing
    assert cards["is_learned"].tolist() == [0, 0, 1]
    assert cards["key"].tolist()[2] == those[1].key


def test_a_clock_that_is_set_back_makes_nothing_due_years_ago(store, tables):
    one = tables[""]["exercise"].iloc[0]
    best = name_at(one, 0)
    for day in range(4):
        store.answer("Ann", one, best, ms=90_000, now=NOW + 86_400 * day)
    store.answer("Ann", one, best, ms=90_000, now=NOW - 3_000 * 86_400)
    (due,) = store.cards("Ann")["due"]
    assert due >= NOW + 86_400 * 3  # the day of the last answer


def test_an_exercise_is_kept_by_its_position(store, tables):
    for one in (tables[""]["exercise"][0], tables["human"]["exercise"][0]):
        card = name_at(one, -1)
        store.answer("Ann", one, card, ms=1, now=NOW)
        kept = DrillStore(store.path).exercise(one.key)
        assert (kept.record, kept.key, kept.kind) == (one.record, one.key, one.kind)
        assert kept.rows.tobytes() == one.rows.tobytes()
        assert kept.is_good.tolist() == one.is_good.tolist()
        assert kept.why(card) == one.why(card)
        facts = store.cards("Ann").set_index("key").loc[one.key, ["ply", "kind", "lenses", "nils"]]
        assert facts.tolist() == [one.ply, one.kind, one.lenses, one.nils]


def without_standing(rows):
    """Rows as an earlier version stored them: how many searches, and no standing."""
    earlier = [name for name in rows.dtype.names if name != "standing"]
    assert earlier[4] == "played_on"  # ``searches`` then
    return [[row[name].item() for name in earlier] for row in rows]


def test_an_exercise_of_an_earlier_version_gets_its_standings_from_its_intervals(store):
    """What was within the threshold is right, what was clearly worse wrong, as they were then."""
    one, _ = made_up([(0.2, 0.9), (0.5, 2.5), *[(1.2, 3.0)] * (_n_classes() - 3)])
    assert store.answer("Ann", one, name_at(one, 1), ms=1, now=NOW)
    row = store.read("SELECT * FROM exercises", ())[0]
    (*facts, _, _) = row
    earlier = EXERCISES.with_digest((*facts, json.dumps(without_standing(one.rows))))
    with sqlite3.connect(store.path) as base:
        base.execute("UPDATE exercises SET rows = ?, digest = ?", earlier[-2:])
    base.close()
    kept = DrillStore(store.path).exercise(one.key)
    standings = [searched.STANDINGS[place] for place in kept.rows["standing"]]
    assert standings == [AS_GOOD, AS_GOOD, OPEN, *[BEHIND] * (len(standings) - 3)]
    assert kept.rows["played_on"].tolist() == [0] * len(standings)  # they were searched
    for name in one.rows.dtype.names:
        if name != "played_on":
            np.testing.assert_array_equal(kept.rows[name], one.rows[name], err_msg=name)
    assert store.answer("Ann", kept, name_at(kept, 0), ms=1, now=NOW)
    assert store.check() == []


def test_rows_that_are_too_short_for_any_version_are_an_error(store):
    one, _ = made_up([(1.2, 3.0)] * (_n_classes() - 1))
    store.answer("Ann", one, name_at(one, 0), ms=1, now=NOW)
    (*facts, _, _) = store.read("SELECT * FROM exercises", ())[0]
    short = [row[:-1] for row in without_standing(one.rows)]
    damaged = EXERCISES.with_digest((*facts, json.dumps(short)))
    with sqlite3.connect(store.path) as base:
        base.execute("UPDATE exercises SET rows = ?, digest = ?", damaged[-2:])
    base.close()
    with pytest.raises(DrillError, match="can't be read"):
        store.exercise(one.key)


def test_a_card_that_is_not_legal_changes_nothing(store):
    exercise, names = made_up([(1.2, 3.0)] * (_n_classes() - 1))
    (illegal, *_) = {"S3", "H3", "D3", "C3"} - {card for cards in names for card in cards}
    with pytest.raises(DrillError, match="isn't legal"):
        store.answer("Ann", exercise, illegal, ms=5, now=NOW)
    assert store.cards("Ann").empty
    assert not store.path.exists()


def change(path, text):
    with sqlite3.connect(path) as base:
        base.execute(text)
    base.close()


@pytest.mark.parametrize(
    "text",
    [
        "UPDATE exercises SET rows = '[[1, 2'",
        "UPDATE exercises SET rows = '[]'",
        "UPDATE exercises SET record = '{}'",
        "UPDATE exercises SET ply = 51",
        "UPDATE exercises SET ply = NULL",
        "DELETE FROM exercises",
    ],
)
def test_a_damaged_exercise_is_an_error_that_names_the_file(store, tables, text):
    one = tables[""]["exercise"][0]
    card = name_at(one, 0)
    store.answer("Ann", one, card, ms=1, now=NOW)
    change(store.path, text)
    with pytest.raises(DrillError, match=r"drill.sqlite.* is damaged|can't be read"):
        store.exercise(one.key)


def test_a_damaged_state_or_file_is_an_error_and_stores_nothing(store, tables):
    one = tables[""]["exercise"][0]
    card = name_at(one, 0)
    store.answer("Ann", one, card, ms=1, now=NOW)
    change(store.path, "UPDATE answers SET state = '{\"card_id\": 0}'")
    with pytest.raises(DrillError, match="is damaged"):
        store.answer("Ann", one, card, ms=1, now=NOW)
    assert store.read("SELECT count(*) FROM answers", ()) == [(1,)]
    store.path.write_bytes(b"junk" * 1000)
    for read in (lambda: store.cards("Ann"), lambda: store.exercise(one.key)):
        with pytest.raises(DrillError, match="store of drills can't be used"):
            read()


def test_only_an_answer_that_is_whole_counts(store, tables, monkeypatch):
    """Killed between the two rows of an answer, the exercise isn't begun."""
    one = tables[""]["exercise"][0]
    card = name_at(one, 0)
    insert = DrillStore.insert

    def dies(self, connection, table, rows):
        if table.name == "answers":
            raise KeyboardInterrupt
        insert(self, connection, table, rows)

    monkeypatch.setattr(DrillStore, "insert", dies)
    with pytest.raises(KeyboardInterrupt):
        store.answer("Ann", one, card, ms=1, now=NOW)
    monkeypatch.undo()
    assert store.cards("Ann").empty
    assert store.answer("Ann", one, card, ms=1, now=NOW)
    assert len(store.cards("Ann")) == 1
    assert json.loads(store.read("SELECT state FROM answers", ())[0][0])["card_id"] == 0


def test_the_store_lies_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_DRILL", str(tmp_path / "there"))
    assert DrillStore().path == tmp_path / "there" / "drill.sqlite"
