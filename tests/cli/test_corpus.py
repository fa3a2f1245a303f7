"""``python -m spades corpus``: made of a log, listed, refused."""

import json

import pytest

from spades.cli.answer import DONE, REFUSED
from spades.cli.corpus import command_of
from spades.cli.main import main
from spades.human import simulate_humans
from spades.human.corpus import load_corpus
from spades.notation import write_path
from spades.notation.log_store import store_log


@pytest.fixture(autouse=True)
def stores(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_CORPORA", str(tmp_path / "corpora"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_log(simulate_humans(6, 2), "six-rounds")
    return tmp_path


def run(capsys, *arguments):
    status = main(["corpus", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_corpus_is_made_and_listed(capsys):
    status, out, err = run(capsys, "--data", "six-rounds", "--pairs", 40, "--seed", 3, "--json")
    (row,) = json.loads(out)["corpora"]
    assert status == DONE
    assert "40 pairs written to" in err
    assert (row["name"], row["log"], row["pairs"]) == ("six-rounds", "six-rounds", 40)
    assert row["players"] == {"simulated-human": 40}
    assert row["hash"] == load_corpus("six-rounds").hash
    assert row["command"] == command_of(
        "six-rounds", "six-rounds", {"seats": "humans", "games": None, "pairs": 40, "seed": 3}
    )
    status, out, _ = run(capsys)
    assert status == DONE
    assert "six-rounds" in out
    assert "simulated-human 40" in out
    assert json.loads(run(capsys, "--json")[1])["corpora"] == [row]


def test_a_stored_command_makes_the_same_corpus(capsys):
    run(capsys, "--data", "six-rounds", "--name", "first", "--pairs", 40)
    first = load_corpus("first")
    arguments = first.facts["command"].replace("first", "second").split()[4:]
    run(capsys, *arguments)
    assert load_corpus("second").hash == first.hash


def test_a_corpus_may_be_of_a_file_and_lie_elsewhere(capsys, stores):
    path = stores / "logs" / "six-rounds.parquet"
    status, _, _ = run(capsys, "--data", path, "--name", "mine", "--out", stores / "here")
    assert status == DONE
    assert (stores / "here" / "mine.safetensors").exists()
    assert "no corpus" in run(capsys)[1]


def test_rounds_that_are_refused_are_said(capsys, stores):
    path = stores / "rounds.jsonl"
    write_path(list(simulate_humans(4, 2).records()), path)
    path.write_text(path.read_text() + "{}\n")
    status, out, err = run(capsys, "--data", path, "--json")
    document = json.loads(out)
    assert status == REFUSED
    assert [(row["file"], row["line"]) for row in document["refused"]] == [("rounds.jsonl", 5)]
    assert document["corpora"][0]["games"] == 4
    assert "1 refused and left out:\nrounds.jsonl: line 5: " in err
    status, out, err = run(capsys, "--data", path)
    assert status == REFUSED
    assert out.startswith("corpus")
    assert "refused" not in out
    assert "1 refused and left out" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--data", "nothing"), "nothing: no such file, and no hand or log has that name"),
        (("--data", "six-rounds", "--games", 7), "the log has 1 to 6 to take"),
        (("--data", "six-rounds", "--name", "../x"), "is no name for a corpus"),
    ],
)
def test_what_can_not_be_made_is_refused(capsys, arguments, told):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (REFUSED, "")
    assert told in err


def test_a_file_that_can_not_be_read_is_told(capsys, stores):
    (stores / "corpora").mkdir()
    (stores / "corpora" / "odd.safetensors").write_bytes(b"PK")
    status, out, _ = run(capsys)
    assert status == DONE
    assert "refused: odd.safetensors: no safetensors file" in out
