"""Logs as arrays hold rounds as records do, and come apart and together unchanged."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.core.errors import InvalidRecordError
from spades.core.logs import ARRAYS, TABLES, Log, concatenate, repeated_rounds
from spades.core.rules import Rules
from tests.random_logs import random_log
from tests.strategies import record_of, round_records

RECORDS = st.lists(round_records(), max_size=4)


@settings(max_examples=60, deadline=None)
@given(RECORDS)
def test_records_come_back(records):
    log = Log.from_records(records)
    assert len(log) == len(records)
    assert list(log.records()) == records
    assert [log.record(i) for i in range(len(log))] == records
    assert log.n_plays.tolist() == [len(record.plays) for record in records]


@settings(max_examples=30, deadline=None)
@given(RECORDS, RECORDS)
def test_logs_one_after_the_other(first, second):
    log = concatenate([Log.from_records(first), Log.from_records([]), Log.from_records(second)])
    assert list(log.records()) == first + second
    for table in TABLES.values():
        assert len(set(getattr(log, table))) == len(getattr(log, table))


def test_no_logs_are_an_empty_log():
    assert len(concatenate([])) == 0


def test_a_game_imported_twice_repeats_and_another_does_not():
    log = random_log(6)
    renamed = replace(log, games=tuple(f"{name} again" for name in log.games))
    first, again = repeated_rounds([log, renamed.from_source("elsewhere")])
    assert not first.any()
    assert again.all()
    twice = concatenate([log, renamed])
    assert twice.distinct().hands.tolist() == log.hands.tolist()
    assert log.distinct() is log
    others = {
        "players": replace(log, players=tuple(f"{name}2" for name in log.players)),
        "scores": replace(log, score_before=log.score_before - 10),
        "nothing": log.take(slice(0, 0)),
    }
    for other in others.values():
        assert not repeated_rounds([log, other])[1].any()
    deals = replace(log, plays=np.full_like(log.plays, -1), bids=np.full_like(log.bids, -1))
    assert not repeated_rounds([deals, deals])[1].any()  # no statistic counts them


def test_rows_taken_and_tables_compacted():
    log = random_log(50)
    rows = np.array([3, 40, 3])
    taken = log.take(rows)
    assert list(taken.records()) == [log.record(i) for i in (3, 40, 3)]
    assert taken.games == log.games
    compact = taken.compact()
    assert list(compact.records()) == list(taken.records())
    assert compact.games == (log.games[0], log.games[10])
    assert len(compact.players) <= 8
    for name in ARRAYS:
        assert getattr(compact, name).dtype == getattr(log, name).dtype


def test_an_empty_log_is_compact():
    assert len(random_log(5).take(slice(0, 0)).compact().players) == 0


def test_rounds_without_a_source_get_one():
    records = [record_of(Rules(), source=source) for source in ("", "a.csv:2")]
    log = Log.from_records(records).from_source("here")
    assert [record.source for record in log.records()] == ["here", "a.csv:2"]


def test_a_seed_beyond_64_bits_is_refused():
    with pytest.raises(InvalidRecordError, match="64 bits"):
        Log.from_records([record_of(Rules(), seed=2**63)])


def test_leaders_sit_left_of_the_dealer():
    log = Log.from_records([record_of(Rules(), dealer) for dealer in range(4)])
    assert log.leaders.tolist() == [1, 2, 3, 0]
