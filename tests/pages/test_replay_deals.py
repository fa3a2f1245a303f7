"""Sampled deals on the Replay page: maps, deals, values; and the truth kept hidden."""

import json
import time

import pytest

from analysis.decisions import card_beliefs
from spades.core.cards import STANDARD
from tests.pages.apps import address, run
from tests.pages.replay import TIMEOUT, click, open_replay, paste, report, searched
from tests.pages.texts import shipped, without_bids

QUICK = {"hand": "south-nil", "iterations": "100", "deals": "1", "deal_count": "100"}


@pytest.fixture(autouse=True)
def own_store(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def opened(**query):
    return settled(searched(open_replay(**{"ply": "12"} | QUICK | query)))


def settled(app):
    """Run until nothing is under way in the panel."""
    until = time.monotonic() + 6 * TIMEOUT  # the posterior compiles
    while any(button.label == "Stop" for button in app.button):
        assert time.monotonic() < until
        time.sleep(0.05)
        run(app)
    return app


def table(app, column):
    found = [frame.value for frame in app.dataframe if column in frame.value.columns]
    return found[0] if found else None


def maps(app):
    """The heat maps' figure, None if it isn't shown."""
    for chart in app.get("plotly_chart"):
        figure = json.loads(chart.proto.spec)
        if figure["data"][0]["type"] == "heatmap":
            return figure
    return None


def words(app):
    told = (*app.caption, *app.markdown, *app.subheader)
    return " ".join(element.value for element in told).replace("\\", "")


def test_nothing_is_dealt_while_the_panel_is_closed(monkeypatch):
    monkeypatch.setattr(card_beliefs, "shares_by", lambda *a, **k: pytest.fail("dealt too early"))
    app = searched(open_replay(**QUICK | {"deals": "0"}))
    assert maps(app) is None


def test_the_maps_of_all_methods_with_the_truth_and_the_flood_in_words():
    app = opened()
    kinds = [trace["type"] for trace in maps(app)["data"]]
    assert kinds.count("heatmap") == len(card_beliefs.METHODS)
    assert kinds.count("scatter") == len(card_beliefs.METHODS)  # the rings
    told = words(app)
    assert "as West may believe" in told
    assert "South, who bid nil, holds it in" in told
    assert "of 2,000 biased deals" in told
    assert "truth" in table(app, "kind").columns
    assert "High cards and spades are dealt first" in told
    assert "**low cards behind nil**: " in told
    assert "A seat that bid nil, not blind, has few high cards and few spades." in told
    assert "nats a card (one position)" in told


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"ply": "48"}, "Biased dealing strays furthest at **8♠**: South, who bid nil,"),
        ({"hand": "deal-231", "ply": "0"}, "No card is clearly oftener with a seat in the biased"),
    ],
)
def test_a_stray_that_is_no_flood_is_not_explained_as_one(query, said):
    told = words(opened(**query))
    assert said in told
    assert "dealt first" not in told


def test_deals_are_sampled_when_asked_for_and_browsed_one_by_one():
    app = opened()
    assert table(app, "best_in") is None
    app = settled(click(app, "Sample 100 deals"))
    found = table(app, "best_in")
    record = shipped("south-nil")
    assert len(found) == record.at(12).legal_plays().bit_count()
    assert set(found["deals"]) == {100}
    assert found["best_in"].max() <= 100
    first = hands_of(app)
    assert "West (decides)" in first.columns
    assert "hidden cards lie there in truth" in words(app)
    app.number_input(key="replay_deal").set_value(2)
    run(app)
    assert address(app)["deal"] == "2"
    second = hands_of(app)
    assert not first.equals(second)
    assert first["West (decides)"].tolist() == second["West (decides)"].tolist()
    own = {STANDARD.format_card(card) for card in cards_held(record, 12, 3)}
    shown = {
        symbol + rank.replace("10", "T")
        for symbol, ranks in zip("SHDC", second["West (decides)"], strict=True)
        for rank in ranks.replace("–", "").split()
    }
    assert shown == own


def cards_held(record, ply, seat):
    hand = record.at(ply).hands[seat]
    return [card for card in range(64) if hand >> card & 1]


def hands_of(app):
    return app.table[0].value


def test_deals_are_by_default_dealt_as_the_search_deals():
    app = opened(determinization="biased")
    box = app.selectbox(key="replay_dealing")
    assert box.options[0] == "As the search (biased)"
    assert box.value == "search"
    biased = table(settled(click(app, "Sample 100 deals")), "best_in")
    app.selectbox(key="replay_determinization").set_value("mixed")
    app = settled(searched(run(app)))
    assert app.selectbox(key="replay_dealing").options[0] == "As the search (mixed)"
    assert table(app, "best_in") is None
    app.selectbox(key="replay_dealing").set_value("biased")
    assert table(run(app), "best_in")["deals"].sum() == biased["deals"].sum()
    app.selectbox(key="replay_determinization").set_value("biased")
    app = settled(searched(run(app)))
    assert app.selectbox(key="replay_dealing").value == "biased"  # kept, though labels changed
    assert table(app, "best_in").equals(biased)


def test_the_own_hand_view_keeps_the_truth_hidden():
    app = opened(view="own")
    assert {trace["type"] for trace in maps(app)["data"]} == {"heatmap"}
    assert "truth" not in table(app, "kind").columns
    assert "nats a card" not in words(app)
    app = settled(click(app, "Sample 100 deals"))
    assert "in truth" not in words(app)
    assert len(app.table) == 1  # dealt hands aren't hidden: they are guesses


def test_the_own_hand_view_shows_what_its_seat_believes_and_no_other_s_values():
    app = opened(view="own", seat="N")
    assert "as North may believe" in words(app)
    assert "West decides here, and those cards are hidden" in words(app)
    assert not [button for button in app.button if button.label.startswith("Sample")]


def test_stepping_moves_the_maps_along():
    app = opened()
    before = maps(app)
    app = settled(report(app, ply=16))
    assert len(maps(app)["data"][0]["y"]) < len(before["data"][0]["y"])


def test_spoiler_mode_hides_everything():
    app = opened(spoiler="1")
    assert maps(app) is None
    assert words(app).count("Hidden in spoiler mode") >= 2


@pytest.mark.parametrize("hand", ["deal-231", "bug-report-335"])
def test_any_hand_has_its_maps(hand):
    """A deal without auction or play; decks with jokers."""
    app = opened(hand=hand, ply="0")
    assert len(maps(app)["data"][0]["y"]) == 39
    assert not app.error
    if hand == "bug-report-335":
        app = settled(click(app, "Sample 100 deals"))
        assert any("high joker" in text for text in hands_of(app).to_numpy().ravel())


def test_unknown_bids_still_have_maps_and_no_values():
    app = settled(paste(open_replay(**QUICK), without_bids()))
    assert len(maps(app)["data"][0]["y"]) == 39
    assert "This decision is not searched yet" in words(app)
