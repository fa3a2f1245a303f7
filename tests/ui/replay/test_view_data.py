"""What the replay view is sent, without a page."""

from dataclasses import replace

import pytest

from analysis.decisions.card_beliefs import N_QUICK_DEALS
from analysis.decisions.decision import analyse_decision
from analysis.decisions.decision_view import Judged, decision_data
from analysis.decisions.round_view import round_data
from analysis.decisions.settings import AnalysisSettings
from spades.belief import DETERMINIZATIONS, UniformDeals
from spades.core.cards import N_SEATS, SEATS, cards_in
from spades.core.kernel import seed_state
from tests.analysis.styles import random_log
from tests.pages.texts import ALL_HANDS, shipped
from ui.replay import view_data
from ui.replay.state import parse_link

MODELS = ("devlin2016-nil", "devlin2016")


@pytest.mark.parametrize("ply", [0, 17, 51])
def test_a_decision_has_exactly_its_legal_cards_of_its_own_hand(ply):
    record = shipped("four-bots")
    deck, table = record.rules.cards, record.at(ply)
    settings = AnalysisSettings(iterations=100, models=MODELS)
    data = decision_data(analyse_decision(record, ply, settings), MODELS[0], 0.1, Judged())
    cards = data["cards"]
    assert {name for row in cards for name in (row["card"], *row["equals"])} == {
        deck.format_card(card) for card in cards_in(table.legal_plays())
    }
    assert {row["card"] for row in cards} <= {
        deck.format_card(card) for card in cards_in(table.hands[data["seat"]])
    }
    assert sum(row["visits"] for row in cards) == data["iterations"] == 100
    for model in MODELS:
        assert sum(row["human"][model] for row in cards) == pytest.approx(1)
    assert sum(row["is_search_choice"] for row in cards) == 1
    assert data["played"] == deck.format_card(record.plays[ply])
    assert data["judgement"]["text"]
    assert not data["disagrees"] or len(cards) > 1


@pytest.mark.parametrize("name", ALL_HANDS)
def test_every_shipped_hand_opens_by_link(name):
    values, _, complaints = parse_link({"hand": name})
    record = shipped(name)
    assert not complaints
    assert values["hand"].record == record
    data = round_data(record)
    assert data["plays"] == [record.rules.cards.format_card(card) for card in record.plays]
    assert sorted(map(len, data["hands"])) == [13] * 4


def test_the_kind_of_a_player_is_not_repeated_as_the_name():
    kinds = ("simulated-human", "simulated-human", "bot", "human")
    names = ("simulated human", "human", "ismcts", "Ann")
    record = random_log(1, kinds=kinds, players=names).record(0)
    assert [seat["name"] for seat in round_data(record)["seats"]] == ["", "", "Search", "Ann"]


@pytest.fixture
def beliefs(monkeypatch):
    """Beliefs by a way of dealing and a seat, as Replay's controls would say."""

    def made(record, ply, seat="mover", dealing="uniform"):
        monkeypatch.setattr(view_data.state, "get", {"seat": seat, "believed": dealing}.get)
        return view_data.beliefs_data(record, ply)

    return made


@pytest.mark.parametrize("dealing", DETERMINIZATIONS)
def test_beliefs_are_the_likeliest_cards_of_each_hidden_hand(beliefs, dealing):
    found = beliefs(shipped("south-nil"), 12, dealing=dealing)
    seen = shipped("south-nil").observation(12)
    deck, seat = seen.rules.cards, seen.seat
    unseen = {deck.format_card(card) for card in cards_in(seen.unseen_mask)}
    assert (found["dealing"], found["ply"], found["seat"]) == (dealing, 12, seat)
    assert found["n"] == N_QUICK_DEALS
    if dealing == "posterior":  # as its effective sample size
        assert 1 < found["distinct"] < N_QUICK_DEALS
    else:
        distinct = {"uniform": 0, "network": 0}  # counted, not dealt
        assert found["distinct"] == distinct.get(dealing, N_QUICK_DEALS)
    assert [hand["seat"] for hand in found["hands"]] == [(seat + i) % N_SEATS for i in (1, 2, 3)]
    for hand in found["hands"]:
        chances = [row["p"] for row in hand["cards"]]
        assert len(chances) == 10
        assert chances == sorted(chances, reverse=True)
        assert {row["card"] for row in hand["cards"]} <= unseen


def with_other_hidden_cards(record, ply, seat):
    """The round up to ``ply``, and one in which the cards hidden from ``seat`` lie elsewhere."""
    start, now = replace(record, plays=record.plays[:ply]), record.at(ply).hands
    deals, _ = UniformDeals(record.observation(ply, seat)).sample(20, seed_state(5))
    deal = next(deal for deal in deals.tolist() if tuple(deal) != tuple(now))
    hands = [
        hand & ~held | dealt for hand, held, dealt in zip(record.hands, now, deal, strict=True)
    ]
    assert hands[seat] == record.hands[seat]
    return start, replace(start, hands=tuple(hands))


@pytest.mark.parametrize("dealing", DETERMINIZATIONS)
@pytest.mark.parametrize(("ply", "seat"), [(0, "S"), (17, "W"), (31, "mover")])
def test_beliefs_do_not_depend_on_where_hidden_cards_are(beliefs, dealing, ply, seat):
    record = shipped("south-nil")
    viewer = record.at(ply).table.turn if seat == "mover" else SEATS.index(seat)
    here, there = (
        beliefs(one, ply, seat, dealing) for one in with_other_hidden_cards(record, ply, viewer)
    )
    assert here["seat"] == viewer
    assert here["hands"][0]["cards"]
    assert here == there


def test_certain_cards_and_impossible_suits_are_true(beliefs):
    record = shipped("south-nil")
    for ply in range(40, 53):
        seen, held = record.observation(min(ply, 51)), record.at(ply).hands
        for hand in beliefs(record, ply)["hands"]:
            for row in hand["cards"]:
                assert "SHDC".index(row["card"][0]) not in hand["voids"]
                if row["certain"]:
                    assert row["p"] == 1
                    assert held[hand["seat"]] >> seen.rules.cards.parse_card(row["card"]) & 1
    assert not any(hand["cards"] for hand in beliefs(record, 52)["hands"])
