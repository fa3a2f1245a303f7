"""The bids as steps of Replay: addresses, buttons, what the view is sent, what must stay hidden."""

import dataclasses
import itertools
import json
import threading

import pytest

from analysis.bidding import decisions as module
from analysis.bidding.decisions import BIDDERS_COMPARED, bid_decisions, each_bid_decision
from spades.core.errors import SpadesError
from tests.pages.apps import address, run
from tests.pages.replay import (
    answered,
    click,
    open_replay,
    paste,
    report,
    searched,
    steps,
    view_data,
)
from tests.pages.texts import shipped, without_bids
from ui.replay.view_data import decisions_data
from ui.shared.records import pack

pytestmark = pytest.mark.usefixtures("compiled_bidders")

QUICK = {"hand": "south-nil", "iterations": "100"}


def captions(app):
    return " ".join(element.value for element in app.caption)


def test_buttons_step_through_the_bids():
    app = open_replay(**QUICK)
    for bid in ("4", "3", "2", "1"):
        click(app, "Previous bid")
        assert address(app) == {**QUICK, "bid": bid}
    assert steps(app) == {"Previous play": True, "Next bid": False}
    for bid in ("2", "3", "4"):
        click(app, "Next bid")
        assert address(app) == {**QUICK, "bid": bid}
    click(app, "Next play")
    assert address(app) == QUICK
    click(app, "Next play")
    assert address(app) == {**QUICK, "ply": "1"}


def test_a_bid_that_the_browser_reports_goes_into_the_address():
    app = report(open_replay(**QUICK), ply=-2, view="own", candidate=None)
    assert address(app) == {**QUICK, "bid": "3", "view": "own"}
    click(app, "Next bid")
    assert address(app) == {**QUICK, "bid": "4", "view": "own"}
    report(app, ply=-9, view="own", candidate=None)
    assert address(app)["bid"] == "1"


def test_the_view_gets_the_four_bids_with_every_bidder():
    app = answered(open_replay(**QUICK))
    sent, found = view_data(app)["bids"], bid_decisions(shipped("south-nil"))
    assert sent["complaint"] == ""
    assert [bid["made"] for bid in sent["decisions"]] == ["5", "3", "nil", "3"]
    assert [bid["disagrees"] for bid in sent["decisions"]] == [True, False, True, True]
    for bid, decision in zip(sent["decisions"], found, strict=True):
        assert bid["seat"] == decision.seat
        assert [row["id"] for row in bid["rows"]] == list(BIDDERS_COMPARED)
        assert [row["share"] is not None for row in bid["rows"]] == [
            answer.is_random for answer in decision.bids
        ]
        assert bid["nil"]["chance"] == decision.bis.p_nil
        assert bid["nil"]["expected"] == decision.bis.expected_nil
        human = bid["rows"][-1]
        assert human["low"] < human["share"] < human["high"]
        assert human["n"] == 200
    assert sent["decisions"] == json.loads(json.dumps(decisions_data(found)))


def test_rules_without_nil_have_none():
    assert all(
        bid["nil"] is None for bid in decisions_data(bid_decisions(shipped("bug-report-335")))
    )


@pytest.mark.parametrize("i", range(4))
def test_what_a_bid_step_shows_depends_on_no_hidden_hand(i):
    """All that is sent of a bid is the same however the other three hands are dealt."""
    record = dataclasses.replace(shipped("four-bots"), plays=())
    bidder = (record.dealer + 1 + i) % 4
    others = [seat for seat in range(4) if seat != bidder]
    sent = set()
    for order in itertools.permutations(others):
        hands = list(record.hands)
        for seat, other in zip(others, order, strict=True):
            hands[seat] = record.hands[other]
        dealt = dataclasses.replace(record, hands=tuple(hands))
        sent.add(json.dumps(decisions_data(bid_decisions(dealt, n=20))[i]))
    assert len(sent) == 1


def test_a_bid_depends_on_its_own_hand():
    record = dataclasses.replace(shipped("four-bots"), plays=())
    swapped = dataclasses.replace(record, hands=record.hands[::-1])
    here, there = (decisions_data(bid_decisions(deal, n=20)) for deal in (record, swapped))
    assert all(one["rows"] != other["rows"] for one, other in zip(here, there, strict=True))


def test_nobody_is_asked_before_the_round_is_searched(monkeypatch):
    asked, may_answer = threading.Event(), threading.Event()

    def slow(record):
        asked.set()
        assert may_answer.wait(30)
        yield from each_bid_decision(record, ("bis", "human"), n=5)

    monkeypatch.setattr(module, "each_bid_decision", slow)
    app = open_replay(hand="south-nil", iterations="2500")
    if view_data(app)["progress"] is not None:
        assert not asked.is_set()
    searched(app)
    run(app)
    assert asked.wait(30)
    assert view_data(run(app))["bids"] is None  # being asked: the page is there already
    click(app, "Previous bid")
    may_answer.set()
    assert len(view_data(answered(app))["bids"]["decisions"]) == 4


def test_bidders_that_fail_say_why(monkeypatch):
    def refuse(record):
        raise SpadesError("no tables")
        yield

    monkeypatch.setattr(module, "each_bid_decision", refuse)
    app = answered(open_replay(**QUICK, bid="1", bids="1"))
    sent = view_data(app)["bids"]
    assert sent == {"complaint": "The bidders can't bid here: no tables", "decisions": []}
    assert "no tables" in app.error[0].value


def test_panels_about_cards_say_so_at_a_bid():
    query = {"stability": "1", "deals": "1", "whatif": "1"}
    app = searched(open_replay(**QUICK, **query, bid="3"))
    assert not app.get("plotly_chart")
    assert not [button.label for button in app.button if "Search" in button.label]
    assert captions(app).count("this is about cards") == 4
    click(app, "Next bid")
    click(app, "Next play")
    assert "this is about cards" not in captions(app)
    assert app.get("plotly_chart")


def test_no_beliefs_at_a_bid():
    app = searched(open_replay(**QUICK, view="beliefs", bid="2"))
    assert view_data(run(app))["beliefs"] is None
    click(app, "Next bid")
    click(app, "Next bid")
    click(app, "Next play")
    assert view_data(app)["beliefs"]["ply"] == 0


def test_a_deal_with_bids_alone_has_bids_to_look_at():
    bare = dataclasses.replace(shipped("four-bots"), plays=())
    app = answered(open_replay(hand=pack(bare)))
    data = view_data(app)
    assert (data["decisions"], len(data["bids"]["decisions"])) == ([], 4)
    assert steps(app) == {"Previous bid": False, "Next play": True}
    click(app, "Previous bid")
    assert address(app)["bid"] == "4"


def test_a_record_without_bids_begins_with_the_first_lead():
    app = paste(open_replay(), without_bids())
    data = view_data(app)
    assert not data["round"]["has_auction"]
    assert steps(app) == {"Previous play": True, "Next play": False}
    report(app, ply=-3, view="all", candidate=None)
    assert "bid" not in address(app)
    for _ in range(3):
        run(app)
    assert view_data(app)["bids"] is None
