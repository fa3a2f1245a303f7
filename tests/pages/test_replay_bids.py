"""The panel of bids on the Replay page: what it shows, and what it must not."""

import pytest

from analysis.bidding.decisions import bid_decisions
from tests.pages.apps import address, run
from tests.pages.replay import answered, click, open_replay, view_data
from tests.pages.texts import shipped

pytestmark = pytest.mark.usefixtures("compiled_bidders")

QUICK = {"hand": "south-nil", "iterations": "100"}


def opened(**query):
    app = open_replay(**QUICK | query)
    assert not table(app).shape[0]
    app.session_state["replay_bids"] = True
    return told(run(app))


def told(app):
    """Run until the bidders have answered, where they were asked."""
    for _ in range(30):
        if "Asking the bidders" not in captions(app):
            break
        run(app)
    return app


def table(app):
    import pandas as pd

    found = [frame.value for frame in app.dataframe if "made" in frame.value.columns]
    return found[0] if found else pd.DataFrame()


def captions(app):
    return " ".join(element.value for element in app.caption)


def test_each_bid_beside_what_bidders_bid():
    app = opened()
    found, decisions = table(app), bid_decisions(shipped("south-nil"))
    assert found["seat"].tolist() == ["North", "East", "South", "West"]
    assert found["made"].tolist() == ["5", "3", "nil", "3"]
    assert found["before"].tolist() == ["first to bid", "5", "5 3", "5 3 nil"]
    assert found["BIS"].tolist() == ["≠ 2", "3", "≠ 1", "≠ 4"]
    assert found["nil value"].tolist() == [decision.bis.nil_value for decision in decisions]
    assert "bid_hand=5432.JT62.764.J3&" in found["open"][2].replace("%2C", ",")
    assert "bid_previous=5,3&" in found["open"][2].replace("%2C", ",")
    assert "The human is simulated" in captions(app)


@pytest.mark.parametrize(("seat", "shown"), [("S", "South"), ("mover", "West")])
def test_the_own_hand_view_shows_one_seat_only(seat, shown):
    app = opened(view="own", seat=seat, ply="3")
    assert table(app)["seat"].tolist() == [shown]


def test_spoiler_mode_hides_the_bidders():
    app = opened(spoiler="1")
    assert table(app).columns.tolist() == ["seat", "before", "made", "open"]
    assert "hidden in spoiler mode" in captions(app)


def test_the_table_agrees_with_the_steps():
    app = answered(opened(bid="3"))
    steps = view_data(app)["bids"]["decisions"]
    found = table(app)
    assert found["made"].tolist() == [step["made"] for step in steps]
    assert found["open"].tolist() == [step["link"] for step in steps]
    for step, (_, shown) in zip(steps, found.iterrows(), strict=True):
        for row in step["rows"]:
            assert shown[row["label"]].startswith("≠") != row["is_made"]
            assert row["bid"] in shown[row["label"]]


@pytest.mark.parametrize(("bid", "shown"), [("1", []), ("3", ["North", "East"])])
def test_spoiler_mode_tells_no_bid_before_it_is_made(bid, shown):
    found = table(opened(spoiler="1", bid=bid))
    assert (found["seat"].tolist() if shown else len(found)) == (shown or 0)


def test_each_row_has_a_way_to_its_step():
    app = opened(ply="9")
    click(app, "Go to East's bid")
    assert address(app) == {**QUICK, "bid": "2", "bids": "1"}
    assert next(b for b in app.button if b.label == "Go to East's bid").disabled


def test_the_own_hand_view_shows_the_bidder():
    assert table(opened(view="own", bid="2"))["seat"].tolist() == ["East"]
    assert table(opened(view="own", seat="S", bid="2"))["seat"].tolist() == ["South"]
