"""One player's model on the Players page: fitted as a job, shown, saved as an agent."""

import json

import pytest

from analysis.people.study import STUDIED, question_of
from analysis.people.unusual import compare_weights
from analysis.runs.store import ResultStore
from spades.agents import Seating, parse_agent, play_games
from spades.core.rules import Rules
from spades.human.person import load_spreads
from spades.notation.parquet import save_log
from tests.pages.apps import address, button, charts, open_page, run, see_ended, texts

PLAYER = "human:spread=1.0,player=2"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    for kind in ("logs", "models", "results"):
        (tmp_path / kind).mkdir()
        monkeypatch.setenv(f"SPADES_{kind.upper()}", str(tmp_path / kind))
    agents = tuple(parse_agent(text) for text in ("random", "random", PLAYER, "random"))
    log = play_games(Seating(agents, Rules(target=200)), 1, 0, 8).log()
    save_log(log, tmp_path / "logs" / "mine.parquet", provenance={})
    return tmp_path


def test_a_player_is_fitted_shown_and_saved(folders):
    app = open_page("12_Players", {"log": "mine", "player": PLAYER})
    assert app.title[0].value == "Players"
    assert not app.dataframe, texts(app)
    button(app, "Fit the model").click()
    run(app)
    see_ended(app)
    found = ResultStore().get(STUDIED, question_of("mine", PLAYER))
    (table,) = app.dataframe
    losses = [round(row["log_loss"], 4) for row in found["held_out"]]
    assert table.value["log_loss"].round(4).tolist() == losses
    assert table.value["fitted_games"].tolist()[:2] == [5, None] or table.value["model"].size >= 4
    weights = compare_weights(found["weights"], found["standard_errors"])
    for phrase in weights["phrase"][weights["is_unusual"]].head(3):
        assert phrase[1:] in texts(app)
    assert f"{PLAYER} (simulated humans): {found['decisions']:,} choices in 8 games" in texts(app)
    (figure,) = charts(app).values()
    assert sum(len(trace["y"]) for trace in figure["data"]) == 48
    app.text_input(key="players_name").set_value("pal")
    button(app, "Save").click()
    run(app)
    assert "human:person=pal" in app.success[0].value
    assert parse_agent("human:person=pal").player.weights.tolist() == found["weights"]
    button(app, "Save").click()
    run(app)
    assert "there is a model pal already" in app.error[0].value
    assert address(app) == {"log": "mine", "player": PLAYER}
    assert len(load_spreads()) == len(found["weights"])


def test_an_unknown_player_is_replaced_and_said(folders):
    app = open_page("12_Players", {"log": "mine", "player": "Ann"})
    assert "player=Ann" in app.warning[0].value.replace("\\", "")
    assert app.selectbox(key="players_player").value == PLAYER
    assert json.dumps(address(app))
