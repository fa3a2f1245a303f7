"""One player's model on the Style page: fitted as a job, shown, played as an agent."""

import pytest
import streamlit as st

from analysis.people.unusual import compare_weights
from spades.agents import Seating, parse_agent, play_games
from spades.core.rules import Rules
from spades.human import load_model
from spades.notation.parquet import save_log
from tests.pages.apps import address, button, charts, open_page, run, see_ended, texts

PLAYER = "human:spread=1.0,player=2"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    for kind in ("logs", "models"):
        (tmp_path / kind).mkdir()
        monkeypatch.setenv(f"SPADES_{kind.upper()}", str(tmp_path / kind))
    agents = tuple(parse_agent(text) for text in ("random", "random", PLAYER, "random"))
    log = play_games(Seating(agents, Rules(target=200)), 1, 0, 8).log()
    save_log(log, tmp_path / "logs" / "mine.parquet", provenance={})
    yield tmp_path
    st.cache_resource.clear()  # the jobs


def test_a_player_is_fitted_shown_and_plays(folders):
    app = open_page("3_Style", {"view": "model", "log": "mine", "player": PLAYER})
    assert app.title[0].value == "Style"
    assert "No player's model yet" in texts(app)
    app.text_input[0].set_value("pal")
    run(app)
    button(app, "Fit").click()
    run(app)
    see_ended(app)
    model = load_model("pal")
    rows = model.facts_["held_out"]
    table, bids = app.dataframe
    found = model.facts_["bids"]
    assert bids.value["value"].tolist() == [row["value"] for row in found["estimates"]]
    said = texts(app).replace("\\", "")
    assert f"{found['bids']:,} bids of 8 games" in said
    assert f"As an agent's bidder: +{found['agent']}" in said
    assert table.value["log_loss"].tolist() == pytest.approx([row["log_loss"] for row in rows])
    assert table.value["model"].tolist()[0] == "The player's own"
    weights = compare_weights(model.weights_, model.facts_["standard_errors"])
    words = weights["words"][weights["is_unusual"]].tolist()
    assert words
    assert words[0][1:] in texts(app)
    n = model.facts_["data"]["examples"]
    assert f"{PLAYER} (simulated-human) in mine: {n:,} choices in the first 8 of 8 games" in texts(
        app
    )
    (figure,) = charts(app).values()
    assert sum(len(trace["y"]) for trace in figure["data"]) == 48
    assert parse_agent("human:person=pal").player.weights.tolist() == model.weights_.tolist()
    button(app, "Fit").click()
    run(app)
    see_ended(app)
    assert "there is a model pal already" in texts(app)
    assert address(app) == {"view": "model", "log": "mine", "player": PLAYER, "model": "pal"}


def test_an_unknown_player_is_replaced_and_said(folders):
    app = open_page("3_Style", {"view": "model", "log": "mine", "player": "Ann"})
    assert "player=Ann" in app.warning[0].value.replace("\\", "")
    assert app.selectbox(key="style_player").value == PLAYER
