"""``convert`` and ``validate`` between all notations, in parts."""

import dataclasses
import json

import pytest

from spades.cli.answer import DONE, REFUSED
from spades.cli.main import main
from spades.core.rules import Rules
from spades.notation import NOTATIONS, read_path, reading, write_path, written_notations
from tests.random_logs import random_log

ENDINGS = [notation.endings[0] for notation in written_notations()]
RULES = (Rules(), Rules(deck="joker-joker-ace", target=300))


def test_what_can_be_written():
    assert ENDINGS == [".tn", ".ptn", ".json", ".jsonl", ".csv", ".parquet"]
    assert {e for n in NOTATIONS.values() for e in n.endings} == {*ENDINGS, ".pbn", ".openspiel"}


def numbered(log):
    """Records whose scores needn't follow: a game of its own each."""
    return [
        dataclasses.replace(record, game_id=f"g{i}", score_before=None, bags_before=None)
        for i, record in enumerate(log.records())
    ]


@pytest.mark.parametrize("target", ENDINGS)
@pytest.mark.parametrize("source", ENDINGS)
def test_every_pair(tmp_path, capsys, source, target):
    records = numbered(random_log(20, 3, rules=RULES, p_cut=0.3))
    first, second = tmp_path / f"a{source}", tmp_path / f"b{target}"
    write_path(records, first)
    assert main(["convert", str(first), str(second)]) == DONE
    assert "20 rounds written" in capsys.readouterr().err
    assert read_path(second).records == tuple(records)


@pytest.mark.parametrize("source", [e for e in ENDINGS if e != ".parquet"])
def test_one_seed_that_no_log_holds_costs_its_round_only(tmp_path, capsys, source):
    records = numbered(random_log(3, 3, rules=RULES))
    records[1] = dataclasses.replace(records[1], seed=2**64 - 2)
    first, second = tmp_path / f"a{source}", tmp_path / "b.parquet"
    write_path(records, first)
    (refusal,) = read_path(first).refused
    assert refusal.line
    assert "seed is 18446744073709551614" in refusal.reason
    assert main(["convert", str(first), str(second)]) == REFUSED
    assert "2 rounds written" in capsys.readouterr().err
    assert read_path(second).records == (records[0], records[2])


def test_nothing_to_convert_writes_nothing(tmp_path, capsys):
    source, target = tmp_path / "a.jsonl", tmp_path / "b.parquet"
    source.write_text("{}\n")
    target.write_bytes(b"old")
    assert main(["convert", str(source), str(target)]) == REFUSED
    assert "nothing written" in capsys.readouterr().err
    assert target.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl", "b.parquet"]


def test_validate_in_parts_counts_through(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("spades.notation.parquet.GROUP_ROWS", 8)
    monkeypatch.setattr(reading, "MAX_RECORDS", 10)
    log = random_log(20, 3, rules=RULES, p_cut=0.4)
    path = tmp_path / "a.parquet"
    write_path(log.records(), path)
    assert main(["validate", str(path), "--json"]) == DONE
    document = json.loads(capsys.readouterr().out)
    n_plays = log.n_plays.tolist()
    assert document["notation"] == "parquet"
    assert (document["rounds"], document["complete"]) == (20, n_plays.count(52))
    cut = [i for i, n in enumerate(n_plays) if n < 52]
    assert [item["round"] for item in document["incomplete"]] == cut
    assert sum(document["decks"].values()) == 20
    assert document["seats"]["N"] == {"human": 20}
    assert document["played_by"]["N"] == [{"kind": "human", "agent": "", "rounds": 20}]


def test_validate_says_who_plays(tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    kinds = ("human", "bot", "simulated-human", "bot")
    agents = ("", "ismcts", "simulated", "wrp")
    records = list(random_log(3, 3, rules=RULES).records())
    seated = [dataclasses.replace(record, kinds=kinds, agents=agents) for record in records[:2]]
    seated.append(dataclasses.replace(records[2], kinds=("bot",) * 4, agents=("srp",) * 4))
    write_path(seated, path)
    assert main(["validate", str(path)]) == DONE
    shown = capsys.readouterr().out
    assert "  N: human in 2, bot (srp) in 1\n" in shown
    assert "  S: simulated human (simulated) in 2, bot (srp) in 1\n" in shown
    assert main(["validate", str(path), "--json"]) == DONE
    document = json.loads(capsys.readouterr().out)
    assert document["played_by"]["E"] == [
        {"kind": "bot", "agent": "ismcts", "rounds": 2},
        {"kind": "bot", "agent": "srp", "rounds": 1},
    ]
    assert document["seats"]["E"] == {"bot": 3}
