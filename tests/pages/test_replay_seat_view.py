"""The beliefs view: what one seat may believe of the hidden hands, and nothing it can't know."""

from dataclasses import replace

import pytest

from analysis.decisions.card_beliefs import N_QUICK_DEALS
from spades.belief import DETERMINIZERS, UniformDeals
from spades.core.cards import N_SEATS, SEATS, cards_in
from spades.core.kernel import seed_state
from tests.pages.apps import address, run
from tests.pages.replay import click, open_replay, paste, report, searched, view_data
from tests.pages.test_replay_deals import opened as opened_deals
from tests.pages.test_replay_deals import own_store, settled, words  # noqa: F401
from tests.pages.texts import shipped, without_bids
from ui.shared.hands import pack

QUICK = {"hand": "south-nil", "iterations": "100", "view": "beliefs"}


def opened(**query):
    return searched(open_replay(**QUICK | query))


def beliefs(app):
    return view_data(app)["beliefs"]


def shares(found):
    """P by seat and card."""
    return {
        hand["seat"]: {row["card"]: row["p"] for row in hand["cards"]} for hand in found["hands"]
    }


@pytest.mark.parametrize("view", ["all", "own"])
def test_other_views_are_sent_no_beliefs(view):
    assert beliefs(opened(view=view)) is None


@pytest.mark.parametrize("dealing", DETERMINIZERS)
def test_the_likeliest_cards_of_each_hidden_hand_by_the_search_s_dealing(dealing):
    found = beliefs(opened(ply="12", determinization=dealing))
    seen = shipped("south-nil").observation(12)
    deck, seat = seen.rules.cards, seen.seat
    unseen = {deck.format_card(card) for card in cards_in(seen.unseen_mask)}
    assert (found["dealing"], found["ply"], found["seat"]) == (dealing, 12, seat)
    assert found["n"] == N_QUICK_DEALS
    distinct = {"posterior": 400, "uniform": 0}  # counted, not dealt
    assert found["distinct"] == distinct.get(dealing, N_QUICK_DEALS)
    assert [hand["seat"] for hand in found["hands"]] == [(seat + i) % N_SEATS for i in (1, 2, 3)]
    for hand in found["hands"]:
        chances = [row["p"] for row in hand["cards"]]
        assert len(chances) == 10
        assert chances == sorted(chances, reverse=True)
        assert {row["card"] for row in hand["cards"]} <= unseen


def permuted(record, ply, seat):
    """The round as far as ``ply``; the cards that ``seat`` can't see lie elsewhere."""
    start, now = replace(record, plays=record.plays[:ply]), record.at(ply).hands
    deals, _ = UniformDeals(record.observation(ply, seat)).sample(20, seed_state(5))
    deal = next(deal for deal in deals.tolist() if tuple(deal) != tuple(now))
    hands = [
        hand & ~held | dealt for hand, held, dealt in zip(record.hands, now, deal, strict=True)
    ]
    assert hands[seat] == record.hands[seat]
    return start, replace(start, hands=tuple(hands))


@pytest.mark.parametrize("dealing", DETERMINIZERS)
@pytest.mark.parametrize(("ply", "seat"), [(0, "S"), (17, "W"), (31, "mover")])
def test_where_the_hidden_cards_really_are_changes_nothing(dealing, ply, seat):
    """All that is sent beside the round and its decisions, which every view steps through."""
    record = shipped("south-nil")
    viewer = record.at(ply).table.turn if seat == "mover" else SEATS.index(seat)
    sent = []
    for one in permuted(record, ply, viewer):
        data = view_data(opened(hand=pack(one), ply=str(ply), seat=seat, determinization=dealing))
        assert data["beliefs"]["seat"] == viewer
        sent.append({name: data[name] for name in data if name not in ("id", "round", "decisions")})
    assert sent[0]["beliefs"]["hands"][0]["cards"]
    assert sent[0] == sent[1]


def test_certain_cards_and_impossible_suits_are_told():
    record = shipped("south-nil")
    for ply in range(40, 52):
        seen = record.observation(ply)
        held = record.at(ply).hands
        for hand in beliefs(opened(ply=str(ply)))["hands"]:
            for suit in hand["voids"]:
                assert not any(row["card"][0] == "SHDC"[suit] for row in hand["cards"])
            for row in hand["cards"]:
                if row["certain"]:
                    assert row["p"] == 1
                    assert held[hand["seat"]] >> seen.rules.cards.parse_card(row["card"]) & 1


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


def test_at_the_end_no_hand_is_hidden():
    found = beliefs(opened(ply="52"))
    assert [hand["cards"] for hand in found["hands"]] == [[]] * 3


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
