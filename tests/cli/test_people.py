"""The commands identify and plays-like."""

import json

import pytest

from analysis.people import plays_like, predictions
from analysis.people.players import examples_of_player
from experiments.simulated_players import simulated_log
from spades.cli.main import main
from spades.human.person import fit_person
from spades.notation.parquet import save_log

PLAYER = "human:spread=0.5,player=7"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "mine.parquet"
    save_log(simulated_log(PLAYER, 6, 5), path, provenance={})
    return str(path)


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    monkeypatch.setattr(predictions, "REFERENCE_ROUNDS", 1)


def test_identify_names_the_player(data, capsys):
    models = f"human,{PLAYER},ismcts:iterations=20"
    assert main(["identify", "--data", data, "--player", PLAYER, "--models", models, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["odds"]) == ["human", PLAYER, "ismcts:iterations=20"]
    assert found["log_likelihood"][PLAYER] == max(found["log_likelihood"].values())
    assert found["likeliest"] == PLAYER
    assert found["fits"] is True
    assert found["decisions"] == len(found["running"]) > 300


def test_a_seat_prior_odds_and_a_table(data, capsys):
    call = ["identify", "--data", data, "--seat", "N", "--models", f"human,{PLAYER}"]
    assert main([*call, "--prior", "1,3", "--decisions", "50"]) == 0
    said = capsys.readouterr().out
    assert "50 choices" in said
    assert "Likeliest: human, " in said


def test_a_persons_file_is_a_model(data, tmp_path, capsys):
    path = tmp_path / "person.safetensors"
    fit_person(
        "person", PLAYER, examples_of_player(simulated_log(PLAYER, 6, 6), PLAYER).unforced
    ).save(path)
    call = ["identify", "--data", data, "--player", PLAYER, "--models", f"human,{path}", "--json"]
    assert main(call) == 0
    assert json.loads(capsys.readouterr().out)["likeliest"] == str(path)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--player", "Ann"], "no player is called 'Ann'; the log has human"),
        (["--player", PLAYER, "--models", "human,foo"], "unknown player 'foo'"),
        (["--player", PLAYER, "--models", "human,foo"], "human models: devlin2016"),
        (["--player", PLAYER, "--models", "human"], "two or more different ones are legal"),
        (["--player", PLAYER, "--models", "human,random", "--prior", "1"], "2 positive numbers"),
        (["--player", PLAYER, "--models", "human,random", "--prior", "x"], "separated by commas"),
        (["--player", PLAYER, "--decisions", "0"], "no choice between"),
    ],
)
def test_what_identify_refuses(more, why, data, capsys):
    assert main(["identify", "--data", data, *more]) == 1
    assert why in capsys.readouterr().err


@pytest.mark.slow
def test_plays_like_gives_losses_by_setting(data, monkeypatch, capsys):
    monkeypatch.setattr(plays_like, "ITERATIONS", (20, 50, 100))
    monkeypatch.setattr(plays_like, "BIASED_AT", 50)
    monkeypatch.setattr(plays_like, "BIASES", (1.0,))
    call = ["plays-like", "--data", data, "--player", PLAYER, "--decisions", "60"]
    assert main([*call, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["decisions"], found["player"]) == (60, PLAYER)
    assert found["best_iterations"]["best"] in (20, 50, 100)
    assert main(call) == 0
    said = capsys.readouterr().out
    assert f"{found['rows'][0]['loss']:.4f}" in said
    assert "60 choices in 6 games" in said


def test_plays_like_refuses_too_few_choices(data, capsys):
    assert main(["plays-like", "--data", data, "--player", PLAYER, "--decisions", "5"]) == 1
    assert "placing a player needs at least 40" in capsys.readouterr().err
