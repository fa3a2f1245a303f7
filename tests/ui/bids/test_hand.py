"""Bids on a hand under AppTest: the question, the numbers, the address, what is refused."""

import pytest
import streamlit as st

from analysis.bidding.bid_trials import bids_to_try, trials_table, try_bids
from spades.agents.bidders import BisBidder
from spades.bidding import BLIND_NIL, explain_bis, observe_auction
from spades.core.cards import STANDARD, parse_hand
from spades.notation.log_store import store_log
from tests.analysis.styles import random_log
from tests.pages.apps import address, charts, open_page, run, texts
from tests.pages.texts import labelled

PAPER = "AKJ62.AQ.Q.K9543"
FEW = {"rounds": "500"}


def show(**query):
    return open_page("5_Bids", query)


@pytest.fixture(autouse=True)
def _own_stores(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    st.cache_data.clear()
    st.cache_resource.clear()


def table_with(page, column):
    return next(frame.value for frame in page.dataframe if column in frame.value.columns)


def test_the_numbers_are_those_of_the_library_and_the_address_follows():
    page = show()
    assert address(page) == {}
    assert not page.warning
    assert table_with(page, "bidder")["bidder"].unique().tolist() == [
        "BIS", "RB, rule-based", "MS, Master Spades", "IO, cardgames.io", "KB, Whitehouse 2013",
        "Simulated human",
    ]  # fmt: skip
    assert "The human is simulated" in texts(page)
    assert {"bids", "bid_parts", "bid_curve", "bid_outcomes"} <= set(charts(page))
    labelled(page.text_input, "Hand as text").set_value(PAPER)
    page.selectbox(key="bids_from_partner").set_value(3)
    page.selectbox(key="bids_from_right").set_value(1)
    page.selectbox(key="bids_rounds").set_value(500)
    page.selectbox(key="bids_also").set_value(7)
    page.number_input(key="bids_seed").set_value(4)
    link = {"hand": PAPER, "previous": "3,1", "also": "7", "seed": "4", **FEW}
    assert address(run(page)) == link
    seen = observe_auction(parse_hand(PAPER, STANDARD), (3, 1))
    answer = explain_bis(seen, BisBidder().options)
    assert f"Why BIS bids {answer.bid}" in texts(page)
    assert "BIS counts 6.0 tricks in the hand, 5.9 after" in texts(page)
    parts = table_with(page, "role")
    assert parts["tricks"].sum() == pytest.approx(answer.regular_before_bids + answer.previous_term)
    made = set(table_with(page, "bidder")["bid"])
    bids = sorted({*bids_to_try(seen, BisBidder().options), answer.bid, 7, *made})
    assert len(made - {0, answer.regular, 7}) > 0  # others' bids are tried too
    expected = trials_table(try_bids(seen, bids, n=500, seed=4))
    found = table_with(page, "less_first")
    assert found["bid"].tolist() == bids
    assert found["estimate"].dropna().tolist() == [-100.0, answer.expected_regular]
    assert "BIS" in found.set_index("bid")["who"][answer.bid]
    assert found["points"].tolist() == pytest.approx(expected["points"].tolist())
    assert found["n"].tolist() == [500] * len(bids)
    page.number_input(key="bids_them").set_value(480)
    page.button_group(key="bids_position").set_value(0)
    assert address(run(page)) == link | {"previous": "", "score": "0,480"}


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("target", 20_000, "target 20,000; 1 to 10,000 are legal"),
        ("us", 10_001, "score 10,001; -10,000 to 10,000 are legal"),
        ("their_bags", -1, "bags -1; 0 to 99 are legal"),
    ],
)
def test_a_number_refused_is_not_answered_with_another(name, typed, why):
    page = show(**FEW)
    page.number_input(key=f"bids_{name}").set_value(typed)
    assert f"This can't be asked: {why}" in texts(run(page))
    assert not page.dataframe


def test_what_cannot_be_asked_is_refused_and_the_nearest_is_shown():
    page = show(hand="AKX...", score="510,-40", rounds="7")
    for name in ("hand=AKX", "score=510,-40", "rounds=7"):
        assert f"The link says {name}" in texts(page)
    assert page.number_input(key="bids_us").value == 499
    assert "Why BIS bids" in texts(page)
    page.number_input(key="bids_us").set_value(500)
    assert "the game is over" in run(page).error[0].value
    assert not charts(page)
    page = show(previous="blind nil,nil,3", **FEW)
    assert not page.warning
    assert (
        page.selectbox(key="bids_from_left").value,
        page.selectbox(key="bids_from_partner").value,
    ) == (
        BLIND_NIL,
        0,
    )
    assert address(page)["previous"] == "blind nil,0,3"
    assert "No nil here: the partner has bid nil" in texts(page)
    page.text_input(key="bids_options").set_value("blind_nil=None")
    assert "blind nil is off in these rules" in texts(run(page))
    page.text_input(key="bids_options").set_value("moon=full")
    assert "unknown rule 'moon'" in texts(run(page))
    assert not charts(page)
    page.text_input(key="bids_options").set_value("min_bid=4")
    page.button_group(key="bids_position").set_value(2)
    page.selectbox(key="bids_from_partner").set_value(3)
    assert "Why BIS bids" in texts(run(page))
    page.text_input(key="bids_more").set_value("nobody")
    assert "unknown bidder 'nobody'" in texts(run(page))
    assert len(table_with(page, "bidder"))
    page = show(**FEW, hand="AKJ62.AQ.Q.K95")
    assert "11 of 13 cards: 2 to add" in texts(page)
    assert "Complete the hand" in page.info[0].value
    assert not charts(page)
    opened = dict(page.query_params)
    for suit, cards in (("Clubs", ["CK", "C9", "C5", "C4"]), ("Hearts", ["HA", "HQ", "H2"])):
        labelled(page.button_group, suit).set_value(cards)
        page.query_params.clear()
        page.query_params.update(opened)  # the browser doesn't know what was written meanwhile
        run(page)
    assert address(page)["hand"] == "AKJ62.AQ2.Q.K954"
    run(page)  # now it knows
    page.query_params.clear()
    page.query_params.update(opened)  # a link, or the way back
    assert address(run(page))["hand"] == "AKJ62.AQ.Q.K95"


def test_contracts_duels_and_the_way_to_a_match():
    store_log(random_log(9), "small")
    page = show(lab="kept", lab_rounds="500", **FEW)
    assert table_with(page, "contracts")["group"].nunique() == 6
    assert {"bidding_made", "bidding_over"} <= set(charts(page))
    page.selectbox(key="bids_lab_log").set_value("small")
    assert address(run(page))["lab_log"] == "small"
    assert table_with(page, "contracts")["n"].max() <= 36
    page.button_group(key="bids_lab").set_value("duel").run()
    page.selectbox(key="bids_first").set_value("rb")
    rows = table_with(run(page), "ahead")
    assert rows["second"].tolist()[0] == "BIS"
    assert (rows["low"] < rows["ahead"]).all()
    games = table_with(page, "rules")
    assert "srp+noisy" in games["second"].tolist()  # of the shipped league
    link = next(link for link in page.get("page_link") if link.proto.label.startswith("Play RB"))
    assert link.proto.query_string == "view=match&ns=srp%2Brb&ew=srp%2Bbis"
