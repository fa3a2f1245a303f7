"""The Style page's views Who played this? and Plays like."""

import pytest

from analysis.people import plays_like, predictions
from analysis.people.plays_like import LIKE, question_of
from analysis.runs.store import ResultStore
from experiments.simulated_players import simulated_log
from spades.notation.parquet import save_log
from tests.pages.apps import address, button, charts, open_page, run, see_ended, texts

PLAYER, OTHER = "human:spread=1.0,player=2", "human:spread=1.0,player=3"


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    for kind in ("logs", "models", "results"):
        (tmp_path / kind).mkdir()
        monkeypatch.setenv(f"SPADES_{kind.upper()}", str(tmp_path / kind))
    monkeypatch.setattr(predictions, "REFERENCE_ROUNDS", 1)
    save_log(simulated_log(PLAYER, 4, 5), tmp_path / "logs" / "mine.parquet", provenance={})


def ask(**values):
    return open_page("3_Style", {"view": "who", "log": "mine", "player": PLAYER, **values})


def test_the_likeliest_is_named_with_the_plays_that_decided():
    app = ask(models=f"human, {PLAYER}", n_rounds="30")
    assert not app.exception
    assert f"Likeliest: {PLAYER}, " in texts(app).replace("\\", "")
    assert "it fits" in texts(app)
    odds, decisive = app.dataframe
    assert odds.value["Model"].tolist() == [PLAYER, "human"]
    assert odds.value["odds"].tolist() == [">99.9%", "<0.1%"]
    assert decisive.value["open"][0].startswith("/?log=mine&round=")
    running = next(iter(charts(app).values()))["data"][0]["y"]
    likelihoods = odds.value["log_likelihood"].tolist()
    assert running[-1] == pytest.approx(likelihoods[0] - likelihoods[1], abs=0.01)
    asked = {"view": "who", "log": "mine", "player": PLAYER, "n_rounds": "30"}
    assert address(app) == {**asked, "models": f"human, {PLAYER}"}


def test_none_of_these_is_said():
    app = ask(models=f"human, {OTHER}", n_rounds="40")
    assert "none of these" in texts(app)


def test_prior_odds_decide_where_few_plays_do_not():
    app = ask(models=f"human, {OTHER}", prior="1, 1e9", n_rounds="1")
    assert app.dataframe[0].value["Model"].tolist()[0] == OTHER


def test_a_search_is_made_again():
    app = ask(models="human, ismcts:iterations=20", n_rounds="2")
    assert len(app.dataframe[0].value) == 2
    assert "to the power" in texts(app)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"models": "human, foo"}, "unknown player 'foo'"),
        ({"models": "human"}, "two or more"),
        ({"models": "human, secret.safetensors"}, "files are for the command line"),
        ({"models": "human, ismcts:iterations=1000000"}, "fewer rounds or iterations"),
        ({"models": "human, random", "prior": "1"}, "2 positive numbers"),
        ({"models": "human, random", "first_round": "900"}, "no choice between"),
    ],
)
def test_what_cannot_be_asked_is_said(values, why):
    assert why in ask(**values).error[0].value.replace("\\", "")


@pytest.mark.slow
def test_a_player_is_placed_on_the_skill_axis(monkeypatch):
    monkeypatch.setattr(plays_like, "ITERATIONS", (20, 50, 100))
    monkeypatch.setattr(plays_like, "BIASES", (1.0,))
    monkeypatch.setattr(plays_like, "BIASED_AT", 50)
    asked = {"view": "like", "log": "mine", "player": PLAYER, "decisions": "100"}
    app = open_page("3_Style", asked)
    button(app, "Place this player").click()
    run(app)
    see_ended(app)
    found = ResultStore().get(LIKE, question_of("mine", PLAYER, 100))
    assert f"predicted by {found['best_iterations']['best']:,} iterations" in texts(app)
    drawn = charts(app)
    assert drawn["like_iterations"]["data"][0]["x"] == ["20", "50", "100"]
    assert drawn["like_c_bt"]["data"][0]["x"] == ["0", "1"]
    axis = drawn["like_axis"]["data"][0]
    assert {f"{PLAYER} (mine)", "ismcts:iterations=2500", "best"} <= set(axis["y"])
    assert address(app) == asked
