"""The beliefs view: what one seat may believe of the hidden hands, and nothing it can't know."""

from tests.pages.apps import address, run
from tests.pages.replay import click, open_replay, paste, report, searched, view_data
from tests.pages.test_replay_deals import opened as opened_deals
from tests.pages.test_replay_deals import own_store, settled, words  # noqa: F401
from tests.pages.texts import shipped, without_bids

QUICK = {"hand": "south-nil", "iterations": "100", "view": "beliefs"}


def opened(**query):
    return searched(open_replay(**QUICK | query))


def beliefs(app):
    return view_data(app)["beliefs"]


def test_stepping_and_choosing_a_seat_move_the_beliefs_along():
    app = opened()
    assert (beliefs(app)["ply"], beliefs(app)["seat"]) == (0, shipped("south-nil").at(0).table.turn)
    report(app, ply=9, view="beliefs")
    assert address(app)["view"] == "beliefs"
    assert beliefs(app)["ply"] == 9
    app.selectbox(key="replay_seat").set_value("E")
    assert beliefs(run(app))["seat"] == 1
    click(app, "Next play")
    assert (beliefs(app)["ply"], address(app)["view"]) == (10, "beliefs")
    assert beliefs(report(app, ply=10, view="all")) is None
    assert "view" not in address(app)


def test_unknown_bids_deal_uniformly_or_say_why_not():
    app = paste(open_replay(view="beliefs"), without_bids())
    for _ in range(3):
        run(app)
    found = beliefs(app)
    assert found["complaint"] or all(hand["cards"] for hand in found["hands"])


def test_panels_below_hide_what_the_one_hand_view_hides():
    app = opened_deals(view="beliefs", seat="N")
    assert "as North may believe" in words(app)
    assert "West decides here, and those cards are hidden" in words(app)
    app = settled(click(opened_deals(view="beliefs"), "Sample 100 deals"))
    assert "in truth" not in words(app)
    assert "nats a card" not in words(app)
    assert address(app)["view"] == "beliefs"  # its picker writes the address again
    click(app, "Next play")
    assert view_data(app)["view"] == "beliefs"
