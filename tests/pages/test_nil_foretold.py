"""The Nil page's panel of forecasts of nils held out: numbers, link, what is missing."""

import json

import pytest

from analysis.nil import foretold as nil_foretold
from spades.notation.log_store import store_log
from tests.analysis.nils import made_up_scores
from tests.analysis.styles import random_log
from tests.pages.apps import charts, texts
from tests.pages.nil import show


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """Stored scores of the page's own; to be written over."""
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(made_up_scores()))
    monkeypatch.setattr(nil_foretold, "SCORES", path)
    return path


@pytest.fixture(autouse=True)
def _log(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_log(random_log(12), "bots-and-ann")


def test_how_well_the_curves_foretell(scores):
    page = show()
    assert not page.expander[0].proto.expanded
    stored = json.loads(scores.read_text())["agents"]["srp+bis"]
    rows = next(t.value for t in page.dataframe if "brier" in t.value)
    assert rows["method"].tolist() == list(nil_foretold.METHODS.values())
    assert rows["log_loss"].iloc[1] == stored["all"]["single"]["log_loss"]["value"]
    assert "2,000 nils of 2,000 simulated rounds held out" in texts(page)
    assert "nil_foretold" in charts(page)
    page.selectbox(key="nil_group").set_value("2 previous bids").run()
    rows = next(t.value for t in page.dataframe if "brier" in t.value)
    assert rows["n"].unique().tolist() == [stored["groups"]["2 previous bids"]["n"]]
    page.button_group(key="nil_by").set_value("sequences").run()
    table = next(t.value for t in page.dataframe if "trees" in t.value)
    assert len(table) == 4
    covered = stored["sequences"]["covered"]
    assert f"success curves {covered['curves']}" in texts(page)
    assert dict(page.query_params) == {
        "log": "bots-and-ann", "group": "2 previous bids", "by": "sequences",
    }  # fmt: skip


def test_a_link_to_the_scores_opens_them(scores):
    link = {"scored": "human", "by": "sequences", "methods": "trees", "log": "bots-and-ann"}
    page = show(**link)
    assert page.expander[0].proto.expanded
    assert not page.warning
    assert dict(page.query_params) == link
    names = [trace.get("name") for trace in charts(page)["nil_foretold"]["data"]]
    assert "boosted trees" in names
    assert "success curves" not in names
    page = show(group="the best ones")
    assert "a partner's nil" in texts(page)
    assert page.session_state["nil_group"] == "all"


def test_scores_without_sequences_or_none_say_what_makes_them(scores):
    document = json.loads(scores.read_text())
    for scored in document["agents"].values():
        del scored["sequences"]
    scores.write_text(json.dumps(document))
    assert "no single sequences yet" in texts(show(by="sequences"))
    scores.write_text("{")
    page = show()
    assert "analysis.nil.fit_curves" in page.error[0].value.replace("\\", "")
    assert "nil_curves" in charts(page)
    scores.unlink()
    assert "scores.json is missing" in texts(show())
