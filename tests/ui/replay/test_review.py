"""The review of the whole hand: made once it is opened, hidden where it would tell too much."""

import pytest

from analysis.bidding import judged
from analysis.decisions import evidence
from analysis.decisions.evidence import Evidence
from analysis.phases import PHASES
from tests.analysis.disagreements.quick import review_quickly
from tests.pages.apps import address, charts, run, texts
from tests.ui.replay.page import (
    click,
    open_replay,
    put,
    report,
    searched,
    settled,
    table,
    view_data,
)
from ui.replay.judging import review_jobs
from ui.replay.state import TABS

SIDES = ["North/South", "East/West"]
QUICK = {"hand": "south-nil", "iterations": "60"}


@pytest.fixture(scope="module")
def judged_before(tmp_path_factory):
    """Where these tests store searches and rounds: what one has judged, the next one reads."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture(autouse=True)
def quick(monkeypatch, judged_before):
    monkeypatch.setenv("SPADES_RESULTS", str(judged_before))
    review_quickly(monkeypatch)


def costliest(app):
    return [one for one in app.button if one.key and "review_ply" in one.key]


@pytest.mark.slow
def test_the_review_is_made_when_it_is_opened_and_leads_to_its_plays():
    app = searched(open_replay(**QUICK, ply="4"))
    assert table(app, "given_away") is None
    assert not review_jobs().jobs()
    settled(put(app, tab=TABS["hand"]))
    found = table(app, "given_away")
    assert found["who"].tolist() == ["North", "East", "South", "West", *SIDES]
    seats, sides = found.iloc[:4], found.iloc[4:]
    assert sides["given_away"].sum() == pytest.approx(seats["given_away"].sum())
    by_phase = found[[f"{phase}_given_away" for phase in PHASES]]
    assert by_phase.sum(axis=1).tolist() == pytest.approx(found["given_away"].tolist())
    assert seats["decisions"].tolist() == [7, 6, 6, 9]
    graph = [one for one in view_data(run(app))["decisions"] if one["loss"] is not None]
    for seat, given_away in enumerate(seats["given_away"]):
        losses = [one["loss"] for one in graph if one["seat"] == seat]
        assert sum(losses) == pytest.approx(given_away)
    told = texts(app)
    assert "South's nil was kept" in told
    assert "The round: North/South +150, 0 bags; East/West +62, 2 bags." in told
    assert "rounds that four of `best:iterations=200` play on" in told
    assert "North bid 5: " in told
    assert "makes the bids before and after" in told
    assert judged.HINT in [caption.proto.help for caption in app.caption]
    assert charts(app)["chances"]["data"]
    assert address(app)["tab"] == "hand"
    assert 0 < len(costliest(app)) <= 5
    link = costliest(app)[0]
    ply = int(link.key.rpartition("_")[2])
    link.click()
    run(app)
    assert address(app)["ply"] == str(ply)
    assert view_data(app)["ply"] == ply


@pytest.mark.slow
def test_what_would_tell_of_hidden_cards_is_hidden():
    app = searched(open_replay(**QUICK, ply="4", review="1", spoiler="1"))
    assert "Hidden in spoiler mode until you look (M): it shows every play" in texts(app)
    assert not review_jobs().jobs()
    app = searched(open_replay(**QUICK, ply="4", review="1", view="own"))
    assert "the review names their cards: step to the end" in texts(app)
    assert not review_jobs().jobs()
    settled(report(app, ply=52, view="own"))
    assert table(app, "given_away") is not None


def test_a_review_is_cancelled_and_resumed(monkeypatch):
    monkeypatch.setattr(Evidence, "is_settled", False)
    monkeypatch.setattr(evidence, "MOST_ROUNDS", 10**6)
    app = searched(open_replay(**QUICK, ply="4", review="1"))
    click(app, "Cancel")
    (job,) = review_jobs().jobs()
    assert job.wait(30)
    run(app)
    assert f"Reviewed to ply {job.work.n_done} of 52" in texts(app)
    click(app, "Go on")
    (again,) = review_jobs().jobs()
    assert again is not job
    assert again.work is job.work
    click(app, "Cancel")
