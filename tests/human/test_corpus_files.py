"""Corpora: which plays of a log they hold, and files that are refused by name."""

import dataclasses
import json
import struct

import numpy as np
import pytest
from safetensors.numpy import save

from spades.core.errors import InvalidRecordError
from spades.core.logs import Log
from spades.human import simulate_humans
from spades.human.corpus import (
    CORPORA,
    DEFAULT_CORPUS,
    FORMAT,
    CorpusError,
    build_corpus,
    decision_features,
    load_corpus,
    log_hash,
    read_corpus,
    write_corpus,
)
from spades.human.loglinear import devlin2016
from spades.notation.log_store import open_log
from tests.random_logs import random_log


@pytest.fixture(scope="module")
def log():
    """24 random rounds, four a game: N and W bots, E human, S a simulated human by its kind."""
    return random_log(24, 3, p_cut=0.3)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_CORPORA", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def small():
    return build_corpus(simulate_humans(4, 1), "small", source="simulated", pairs=50)


@pytest.mark.parametrize("seats", ["humans", "all"])
def test_pairs_are_the_unforced_plays_of_these_seats(log, seats):
    corpus = build_corpus(log, "a", source="made up", seats=seats)
    expected = []
    for i, record in enumerate(log.records()):
        for ply, card in enumerate(record.plays):
            seen = record.observation(ply)
            is_wanted = seats == "all" or record.kinds[seen.seat] != "bot"
            if is_wanted and seen.legal_mask.bit_count() > 1:
                found = decision_features(seen)
                cards = [c for c in range(64) if seen.legal_mask >> c & 1]
                expected.append((i, ply, found[0], found[1 + cards.index(card.code)] - found[0]))
    assert corpus.rounds.tolist() == [row[0] for row in expected]
    assert corpus.plies.tolist() == [row[1] for row in expected]
    assert np.array_equal(corpus.states, [row[2] for row in expected])
    assert np.array_equal(corpus.actions, [row[3] for row in expected])
    assert corpus.facts["pairs"] == corpus.facts["pairs_in_games"] == len(expected)
    assert sum(corpus.facts["players"].values()) == len(expected)
    assert ("bot" in corpus.facts["players"]) == (seats == "all")


def test_games_and_pairs_are_taken_as_asked(log):
    whole = build_corpus(log, "a", source="made up")
    some = build_corpus(log, "a", source="made up", games=2)
    assert some.facts["games"] == 2
    assert set(log.game_code[some.rounds]) == {0, 1}
    assert np.array_equal(some.states, whole.states[: len(some)])
    drawn = build_corpus(log, "a", source="made up", games=2, pairs=20, seed=5)
    assert len(drawn) == drawn.facts["pairs"] == 20
    assert drawn.facts["pairs_in_games"] == len(some)
    places = list(zip(drawn.rounds.tolist(), drawn.plies.tolist(), strict=True))
    assert places == sorted(set(places))
    assert set(places) <= set(zip(some.rounds.tolist(), some.plies.tolist(), strict=True))
    again = build_corpus(log, "a", source="made up", games=2, pairs=20, seed=5)
    assert again.hash == drawn.hash
    assert build_corpus(log, "a", source="x", games=2, pairs=20, seed=6).hash != drawn.hash


def test_what_a_log_lacks_is_refused(log):
    with pytest.raises(CorpusError, match="7 games asked for; the log has 1 to 6 to take"):
        build_corpus(log, "a", source="made up", games=7)
    with pytest.raises(CorpusError, match="ask for at most so many, or for more games"):
        build_corpus(log, "a", source="made up", pairs=100_000)
    bots = dataclasses.replace(log, kind=np.ones_like(log.kind))
    with pytest.raises(InvalidRecordError, match="no human or simulated human"):
        build_corpus(bots, "a", source="made up")
    ends = Log.from_records([dataclasses.replace(r, plays=()) for r in log.records()])
    with pytest.raises(InvalidRecordError, match="plays a card here"):
        build_corpus(ends, "a", source="made up")


def test_a_corpus_comes_back_whole(folder, small):
    write_corpus(folder / "mine.safetensors", small, command="made by hand")
    back = load_corpus("mine")
    for name in ("states", "actions", "rounds", "plies"):
        assert np.array_equal(getattr(back, name), getattr(small, name))
        assert getattr(back, name).dtype == getattr(small, name).dtype
    assert (back.name, back.hash) == ("mine", small.hash)
    assert small.facts.items() <= back.facts.items()
    assert back.facts["command"] == "made by hand"
    assert back.facts["players"] == {"simulated-human": 50}
    assert CORPORA.names() == ("mine",)
    assert load_corpus("mine") is back
    write_corpus(folder / "mine.safetensors", dataclasses.replace(small, states=small.states * 0))
    assert load_corpus("mine").hash != back.hash


@pytest.mark.parametrize("name", ["../a", "a/b", "", ".", "A", "x" * 80, "a\0b", "-a", "ä"])
def test_names_never_leave_the_folder(name, folder, small):
    write_corpus(folder.parent / "a.safetensors", small)
    write_corpus(folder / "known.safetensors", small)
    (folder / "link.safetensors").symlink_to(folder.parent / "a.safetensors")
    for wrong in (name, "link"):
        with pytest.raises(CorpusError, match="the corpora are known: python -m"):
            load_corpus(wrong)


def refusal(path):
    with pytest.raises(CorpusError) as error:
        read_corpus(path)
    assert path.name in str(error.value)
    return str(error.value)


def test_every_cut_is_refused(tmp_path, small):
    write_corpus(tmp_path / "whole.safetensors", small)
    data, path = (tmp_path / "whole.safetensors").read_bytes(), tmp_path / "cut.safetensors"
    for size in [0, 1, 8, 9, 500, len(data) // 2, len(data) - 1]:
        path.write_bytes(data[:size])
        refusal(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04" + b"\0" * 100, "no safetensors file"),
        (struct.pack("<Q", 1 << 40) + b"{" + b" " * 50, "cut or damaged"),
        (save({"a": np.zeros(3, np.float32)}), "but no corpus of this program"),
        (save({}, metadata={"spades_corpus": '{"version": 2}'}), "not of version 1"),
        (save({}, metadata={"spades_corpus": '{"version": 1}'}), "lacks the features"),
    ],
)
def test_files_that_are_no_corpus_are_refused(data, reason, tmp_path):
    path = tmp_path / "odd.safetensors"
    path.write_bytes(data)
    assert reason in refusal(path)


def test_a_model_is_no_corpus(tmp_path):
    devlin2016().save(tmp_path / "fit.safetensors")
    assert "no corpus of this program" in refusal(tmp_path / "fit.safetensors")


@pytest.mark.parametrize(
    ("header", "tensors", "reason"),
    [
        ({"features": 2}, {}, "features version 2, of which there are 64; this code compares"),
        ({"feature_names": ["a"]}, {}, "of which there are 1; this code"),
        ({"pairs": 49}, {}, "states is int8 (50, 64); (49, 64) is wanted"),
        ({"pairs": 0}, {}, "a corpus has at least one"),
        ({"pairs": "50"}, {}, "lacks the pairs"),
        ({"log": None}, {}, "lacks the log"),
        ({}, {"states": np.zeros((50, 64), np.float32)}, "numbers are I8, I32"),
        ({}, {"plies": np.full(50, 300, np.int32)}, "numbers from 300 to 300; 0 to 51 are legal"),
        ({}, {"states": np.full((50, 64), -1, np.int8)}, "states holds numbers from -1 to -1"),
        ({}, {"actions": np.full((50, 64), 121, np.int8)}, "-120 to 120 are legal"),
        ({}, {"rounds": None}, "'rounds' is missing"),
        ({}, {"extra": np.zeros(1, np.int8)}, "'extra' is not wanted"),
    ],
)
def test_parts_that_do_not_fit_are_refused(header, tensors, reason, tmp_path, small):
    path = tmp_path / "odd.safetensors"
    write_corpus(path, small)
    sound, arrays = FORMAT.read(path)
    parts = {k: v for k, v in {**arrays, **tensors}.items() if v is not None}
    FORMAT.write(path, {**sound, **header}, parts)
    assert reason in refusal(path)


def test_the_hash_of_a_log_is_of_its_rounds(log):
    assert log_hash(log) == log_hash(Log.from_records(log.records()))
    assert log_hash(log) != log_hash(log.take(slice(0, 23)))
    assert len(json.dumps(log_hash(log))) == 18


def test_the_shipped_corpus_is_that_of_its_log():
    corpus = load_corpus(DEFAULT_CORPUS)
    facts = corpus.facts
    assert (facts["games"], facts["pairs"], len(corpus)) == (59, 14_000, 14_000)
    log = open_log(facts["log"])
    assert log_hash(log) == facts["log_hash"]
    asked = {name: facts[name] for name in ("seats", "games", "pairs", "seed")}
    assert build_corpus(log, "again", source=facts["log"], **asked).hash == corpus.hash
    assert facts["players"] == {"simulated-human": 14_000}
    assert DEFAULT_CORPUS in facts["command"]
