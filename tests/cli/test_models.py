"""The commands train and evaluate."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from spades.agents import Seating, parse_agent, play_games
from spades.cli.main import main
from spades.core.rules import Rules
from spades.human import simulate_humans
from spades.human.files import checkpoint_of
from spades.human.model import HumanModel
from spades.notation import write_path
from spades.notation.log_store import parquet

KEYS = [
    "model",
    "decisions",
    "accuracy",
    "ceiling",
    "share_of_ceiling",
    "illegal_first",
    "log_loss",
    "ece",
    "kl_to_truth",
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "humans.parquet"
    parquet.save_log(simulate_humans(60, 3), path)
    return str(path)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("t-30", ["--epochs", "2", "--batch", "128", "--sparsity", "1e-4", "--permute-suits"]),
        ("log-linear-nil", ["--epochs", "2", "--polish"]),
    ],
)
def test_what_is_trained_can_be_evaluated(model, more, data, tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    assert main(["train", model, "--data", data, "--out", str(out), "--seed", "4", *more]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "3,120 plays of humans.parquet" in said.err
    assert "epoch 2 of at most 2" in said.err
    assert HumanModel.load(out).facts_["seed"] == 4
    assert HumanModel.load(out).facts_["data"]["log"] == "humans"
    assert main(["evaluate", str(out), "--data", data, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(KEYS) <= set(document)
    assert (document["model"], document["decisions"]) == ("mine", 3120)
    assert document["refused"] == []
    assert 0.3 < document["accuracy"] <= 1
    assert document["share_of_ceiling"] == document["accuracy"] / document["ceiling"]
    assert (document["illegal_first"] is None) == model.startswith("log")


def test_training_gives_one_document_and_says_what_was_refused(tmp_path, capsys):
    path, out = tmp_path / "humans.jsonl", tmp_path / "mine.safetensors"
    write_path(list(simulate_humans(40, 3).records()), path)
    path.write_text(path.read_text() + "{}\n")
    arguments = ["--data", str(path), "--out", str(out), "--epochs", "1", "--json"]
    assert main(["train", "t-30", *arguments]) == 1
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert document["written"] == str(out)
    assert document["file"] == "humans.jsonl"
    assert [row["line"] for row in document["refused"]] == [41]
    assert document["metrics"]["data"]["examples"] == 40 * 52
    assert document["metrics"]["validation_loss"] == HumanModel.load(out).facts_["validation_loss"]
    assert "1 refused and left out:\nhumans.jsonl: line 41: " in shown.err


def test_evaluating_says_what_was_refused(tmp_path, capsys):
    path = tmp_path / "humans.jsonl"
    write_path(list(simulate_humans(5, 3).records()), path)
    path.write_text("{}\n" + path.read_text() + "{}\n")
    assert main(["evaluate", "devlin2016-nil", "--data", str(path), "--json"]) == 1
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert document["decisions"] == 5 * 52
    assert [(row["file"], row["line"]) for row in document["refused"]] == [
        ("humans.jsonl", 1),
        ("humans.jsonl", 7),
    ]
    assert "2 refused and left out:\nhumans.jsonl: line 1: " in shown.err
    assert main(["evaluate", "devlin2016-nil", "--data", str(path)]) == 1
    shown = capsys.readouterr()
    assert "260 decisions of simulated humans" in shown.out
    assert "2 refused and left out" in shown.err


def test_a_stored_log_is_taken_by_its_name(tmp_path, capsys):
    out = tmp_path / "mine.safetensors"
    given = ["--data", "human-south", "--epochs", "1", "--out", str(out)]
    assert main(["train", "log-linear", *given]) == 0
    assert "of human-south" in capsys.readouterr().err
    assert HumanModel.load(out).facts_["data"]["log"] == "human-south"
    assert main(["train", "log-linear", *given[:1], "no-such-log", *given[2:]]) == 1
    assert "no-such-log" in capsys.readouterr().err


def test_a_table_for_people(data, capsys):
    assert main(["evaluate", "devlin2016-nil", "--data", data]) == 0
    shown = capsys.readouterr().out
    assert "3,120 decisions of simulated humans in 60 games" in shown
    assert "illegal_first" in shown


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["train", "t-30", "--out", "a.pt"], "stored as .safetensors"),
        (["train", "resnet", "--out", "a.safetensors"], "no architecture"),
        (["train", "t-30", "--polish", "--out", "a.safetensors"], "has no --polish"),
        (["train", "log-linear", "--sparsity", "1", "--out", "a.safetensors"], "no --sparsity"),
        (["train", "t-30", "--epochs", "0", "--out", "a.safetensors"], "can't train"),
        (
            ["train", "t-30", "--player", "Ann", "--out", "a.safetensors"],
            "t-30 has no --player",
        ),
        (["train", "person", "--out", "a.safetensors"], "person needs --player NAME"),
        (
            ["train", "person", "--player", "Ann", "--epochs", "2", "--out", "a.safetensors"],
            "person has no --epochs",
        ),
        (
            ["train", "person", "--player", "Ann", "--out", "a.safetensors"],
            "no player is called 'Ann'; the log has simulated human (60 games)",
        ),
        (["train", "t-30", "--seed", "-1", "--out", "a.safetensors"], "--seed is -1; 0 to"),
        (["train", "log-linear", "--seed", "9" * 23, "--out", "a.safetensors"], "are legal"),
        (["evaluate", "../../secret"], "the models are devlin2016"),
        (["evaluate", "nothing.safetensors"], "nothing.safetensors: no such file"),
    ],
)
def test_what_cannot_be_is_refused(arguments, reason, data, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, "--data", data]) == 1
    assert reason in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_person_is_fitted_and_measured_on_games_held_out(tmp_path, capsys):
    agents = [parse_agent(text) for text in ("random", "human:spread=1,player=4") * 2]
    log = play_games(Seating(tuple(agents), Rules(target=100)), 2, 0, 8).log()
    path, out = tmp_path / "games.parquet", tmp_path / "me.safetensors"
    parquet.save_log(log, path)
    player = log.players[1]
    arguments = ["train", "person", "--data", str(path), "--player", player, "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    model = HumanModel.load(out)
    assert (document["player"], document["games"]) == (player, 8)
    assert document["weights"] == model.weights_.tolist()
    assert document["held_out"] == model.facts_["held_out"]
    assert model.facts_["data"]["log"] == "games"
    assert [row["model"] for row in document["held_out"]][-3:] == [
        "population",
        "network",
        "chance",
    ]
    assert parse_agent(f"human:person={out}").player.weights.tolist() == document["weights"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert f"{document['decisions']:,} choices in 8 games" in shown
    assert f"{document['held_out'][0]['log_loss']:.4f}" in shown
    assert "more often: odds x " in shown


def test_a_log_without_humans_is_refused(capsys):
    assert main(["evaluate", "devlin2016", "--data", "data/hands/four-bots.jsonl"]) == 1
    assert "no human or simulated human" in capsys.readouterr().err
    arguments = ["--data", "data/hands/four-bots.jsonl", "--seats", "all", "--json"]
    assert main(["evaluate", "devlin2016", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["decisions"] == 52
    assert document["ceiling"] is document["kl_to_truth"] is None


def wait_for_an_epoch(kept, before):
    """Until a checkpoint newer than ``before`` is there; when it was written."""
    until = time.monotonic() + 120
    while not kept.exists() or kept.stat().st_mtime_ns == before:
        assert time.monotonic() < until, "no epoch was done"
        time.sleep(0.01)
    return kept.stat().st_mtime_ns


@pytest.mark.exhaustive
def test_a_training_that_was_stopped_and_killed_goes_on_to_the_same_model(data, tmp_path):
    whole, out = tmp_path / "whole.safetensors", tmp_path / "mine.safetensors"
    options = ["--data", data, "--epochs", "60", "--batch", "64", "--seed", "3"]
    command = [sys.executable, "-m", "spades", "train", "t-40-30", *options, "--out"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # sums in one order
    how = {"stderr": subprocess.PIPE, "env": environment, "text": True}
    kept, written = checkpoint_of(out), None
    for stop in (signal.SIGINT, signal.SIGKILL):
        training = subprocess.Popen([*command, str(out)], **how)
        written = wait_for_an_epoch(kept, written)
        training.send_signal(stop)
        said = training.communicate(timeout=60)[1]
        assert training.returncode != 0
        assert ("run the same command again to resume" in said) == (stop == signal.SIGINT)
        assert not out.exists()
    again = subprocess.run([*command, str(out)], **how, check=True)
    assert "epoch 1 of" not in again.stderr
    subprocess.run([*command, str(whole)], **how, check=True)
    numbers = [HumanModel.load(path).tensors() for path in (whole, out)]
    assert all(np.array_equal(numbers[0][name], numbers[1][name]) for name in numbers[0])
    assert not kept.exists()
