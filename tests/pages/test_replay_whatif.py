"""The panel "another card from here": asked for, told with intervals, hidden where it must be."""

import time

import pytest

from tests.pages.apps import address, run
from tests.pages.replay import TIMEOUT, click, open_replay, searched

QUICK = {"hand": "four-bots", "ply": "4", "iterations": "100", "whatif": "1", "trials": "200"}


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def opened(**query):
    return searched(open_replay(**QUICK | query))


def table(app):
    found = [frame.value for frame in app.dataframe if "verdict" in frame.value.columns]
    return found[0] if found else None


def ended(app):
    until = time.monotonic() + 6 * TIMEOUT  # the players compile
    while table(app) is None or any(button.label == "Stop" for button in app.button):
        assert time.monotonic() < until
        time.sleep(0.05)
        run(app)
    return app


def words(app):
    return " ".join(e.value for e in (*app.caption, *app.markdown)).replace("\\", "")


def test_every_card_against_the_one_played():
    app = opened()
    assert table(app) is None
    app = ended(click(app, "Play on 200 deals"))
    found = table(app)
    assert set(found["deals"]) == {200}
    assert found["played"].sum() == 1
    others = found[~found["played"]]
    for row in others.itertuples():
        covers = row.low <= 0 <= row.high
        assert (row.verdict == "no clear difference") == covers
        assert row.low <= row.difference <= row.high
    assert found[found["played"]]["difference"].isna().all()
    assert "n = 200 deals" in words(app)
    assert "the true hands are not looked at" in words(app)
    assert len(app.get("plotly_chart")) == 2


def test_simulated_humans_are_named_and_settings_are_in_the_address():
    app = ended(click(opened(policy="human", whatif_dealing="biased"), "Play on 200 deals"))
    assert "simulated humans played on" in words(app)
    assert "200 deals, biased ones" in words(app)
    wanted = {"policy": "human", "whatif_dealing": "biased", "trials": "200", "whatif": "1"}
    assert wanted.items() <= address(app).items()


def test_more_deals_go_on_from_those_that_are_there():
    app = ended(click(opened(), "Play on 200 deals"))
    app.selectbox(key="replay_trials").set_value(1000)
    app = run(app)
    assert "200 of 1,000 deals are played: too early to say" in words(app)
    assert "No clear difference" not in words(app)
    app = ended(click(app, "Go on to 1,000"))
    assert set(table(app)["deals"]) == {1000}
