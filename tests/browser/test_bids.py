"""The bids in the browser: stepping left from the first lead, keys, what stays hidden."""

import dataclasses
import re

import pytest
from playwright.sync_api import expect

from experiments.bench.dashboard import PATIENCE
from tests.browser.test_hidden import cards_in_dom
from tests.pages.texts import shipped
from ui.shared.records import pack

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LINK = "?hand=four-bots&iterations=500"  # South 4, West 1, North 4, East 3; West disagrees

STEPS = """(root, keys) => keys.map((key) => {
  window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  root.getBoundingClientRect();
  return root.querySelector('[data-testid=rv-place]').textContent.split(' / ')[0];
})"""


@pytest.fixture(scope="module")
def table(visit_once):
    """A page that most of these share, its bidders asked."""
    visitor = visit_once().open(LINK).see_rows()
    visitor.to_first_lead()
    visitor.press("ArrowLeft")
    expect(visitor.bid_rows).to_have_count(6, timeout=1000 * PATIENCE)  # they may be compiled
    return visitor.settle()


@pytest.fixture(autouse=True)
def compiled_bidders(table):
    """No test waits for what is compiled once."""


def test_left_of_the_first_lead_lie_the_four_bids(table):
    table.to_first_lead()
    for bid, name in ((4, "East"), (3, "North"), (2, "West"), (1, "South")):
        table.press("ArrowLeft")
        table.see_bid(bid)
        heading = table.page.get_by_role("heading", name=f"{name} to bid — bid {bid} of 4")
        expect(heading).to_be_visible()
        table.see_address(bid=str(bid), ply=None)
    table.press("ArrowLeft")
    table.see_bid(1)
    expect(table.one("rv-prev")).to_be_disabled()
    table.press("ArrowRight")
    table.see_bid(2)
    table.to_first_lead()
    table.see_ply(0)
    table.see_address(bid=None, ply=None)


def test_a_burst_through_the_bids_keeps_every_key(table):
    table.press("Home", *["ArrowRight"] * 10)
    assert table.place == "ply 6"
    table.press(*["ArrowLeft"] * 10)
    assert table.place == "bid 1"
    table.see_address(bid="1")
    places = table.one("rv-root").evaluate(STEPS, ["ArrowRight"] * 10)  # without a gap
    assert places == [*(f"bid {bid}" for bid in (2, 3, 4)), *(f"ply {ply}" for ply in range(7))]
    table.see_address(ply="6", bid=None)


def test_home_of_a_record_without_bids_is_the_first_lead(visit):
    visitor = visit().open("?hand=deal-231")
    visitor.press("Home", "ArrowLeft")
    visitor.see_ply(0)
    expect(visitor.one("rv-first")).to_be_disabled()
    expect(visitor.page.locator(".rv-root").get_by_text("Bids", exact=True)).to_have_count(0)


def test_a_deal_with_bids_alone_has_bids_to_look_at(visit):
    visitor = visit().open(f"?hand={pack(dataclasses.replace(shipped('four-bots'), plays=()))}")
    visitor.see_text("No plays are recorded. The bids are decisions to look at: step back.")
    visitor.press("ArrowLeft")
    visitor.see_bid(4)
    expect(visitor.bid_rows).to_have_count(6)
    visitor.page.get_by_role("slider", name="Ply").press("ArrowLeft")
    visitor.see_bid(3)


def test_a_link_opens_at_a_bid(visit, table):
    table.press("Home", "ArrowRight")
    table.see_address(bid="2")
    other = visit()
    other.page.goto(table.page.url)
    other.see_bid(2)
    expect(other.bid_rows).to_have_count(6)
    other.settle().see_address(**table.address)
    expect(other.one("rv-verdict")).to_have_text(table.one("rv-verdict").text_content())
    other.press("ArrowRight")
    other.see_bid(3)


def test_the_panel_tells_what_bidders_bid(table):
    table.press("Home", "ArrowRight")  # West holds a nil and bid 1
    rows = {row.get_attribute("data-bidder"): row.inner_text() for row in table.bid_rows.all()}
    assert list(rows) == ["bis", "rb", "ms", "io", "kb", "human"]
    assert re.search(r"≠\s*nil\s*always", rows["bis"])
    assert re.search(r"●\s*1\s*always", rows["io"])
    assert re.search(r"≠\s*nil\s*100% \(98% to 100%\)", rows["human"])
    expect(table.one("rv-bids")).to_contain_text("How often, of 200")
    facts = table.one("rv-bid-facts")
    for words in ("chance of nil", "Nil value", "over the threshold +25"):
        expect(facts).to_contain_text(words)
    expect(facts).to_contain_text(re.compile(r"Nil expected\+\d\d points"))
    expect(table.one("rv-verdict")).to_contain_text(
        "Bid 1; BIS nil, human (simulated) nil in 100.0%"
    )
    link = table.one("rv-bidding-link").get_attribute("href")
    assert link.startswith("/Bids?previous=4&hand=")
    expect(table.one("rv-decision")).to_be_hidden()


def test_the_table_shows_the_bids_so_far_and_no_later_ones(table):
    table.press("Home", "ArrowRight", "ArrowRight")
    tokens = table.page.locator(".token").all_inner_texts()
    assert sorted(tokens) == ["1", "4", "4"]
    plates = [plate.inner_text() for plate in table.page.locator(".plate").all()]
    for plate, words in zip(plates, ("bids 4", "bids later", "bid 4", "bid 1"), strict=True):
        assert words in " ".join(plate.split())
    name = table.one("rv-table").get_attribute("aria-label")
    assert "North to bid, bid 3 of 4. South bid 4; West bid 1." in name
    assert "East" not in name
    expect(table.page.locator(".trick .card, .card.legal, .card.next")).to_have_count(0)


def test_d_stops_at_bids_that_nobody_would_make(table):
    table.to_first_lead()
    table.press("Shift+D")
    table.see_bid(2)
    table.press("Shift+D")
    expect(table.one("rv-toast")).to_have_text("No earlier disagreement")
    table.press("Home", "d")
    table.see_bid(2)
    table.press("d")
    assert table.place.startswith("ply")


def test_up_and_down_include_the_seats_bid(table):
    table.press("Home", "ArrowRight")
    table.press("ArrowDown")
    table.see_ply(1)  # West's first card
    table.press("ArrowUp")
    table.see_bid(2)
    table.press("ArrowUp")
    table.see_bid(2)


def test_m_hides_and_shows_the_bidders(table):
    table.press("Home", "m")
    expect(table.bid_rows).to_have_count(0)
    expect(table.one("rv-verdict")).to_be_hidden()
    table.press("m")
    expect(table.bid_rows).to_have_count(6)


def cards_of(record, seat):
    deck, mask = record.rules.cards, record.hands["NESW".index(seat)]
    return {deck.format_card(int(code)) for code in deck.codes if mask >> int(code) & 1}


def test_the_own_hand_view_hides_the_others_at_a_bid(visit):
    visitor = visit().open(f"{LINK}&view=own&seat=S&bid=2")
    visitor.see_text("West to bid — cards hidden in this view")
    visitor.press("ArrowRight", "ArrowRight", "ArrowRight", "Home")
    visitor.see_bid(1)
    expect(visitor.bid_rows).to_have_count(6)  # South's own bid
    visitor.press("ArrowRight")
    visitor.see_bid(2)
    assert cards_in_dom(visitor, "S") == cards_of(shipped("four-bots"), "S")
    for seat in "NEW":
        assert cards_in_dom(visitor, seat) == set()
    expect(visitor.bid_rows).to_have_count(0)
    expect(visitor.one("rv-bid-facts").locator("*")).to_have_count(0)
    assert visitor.one("rv-bidding-link").get_attribute("href") is None
    expect(visitor.one("rv-verdict")).to_have_text("")


def test_the_own_hand_view_of_the_seat_to_move_shows_the_bidders(visit):
    visitor = visit().open(f"{LINK}&view=own&bid=2")
    expect(visitor.bid_rows).to_have_count(6)
    record = shipped("four-bots")
    for seat in "NESW":
        assert cards_in_dom(visitor, seat) == (cards_of(record, seat) if seat == "W" else set())


def test_spoiler_mode_hides_the_bid_and_the_bidders(visit):
    visitor = visit().open(f"{LINK}&spoiler=1&bid=2")
    visitor.see_text("Spoiler mode: think of your own bid, then look.")
    visitor.settle()
    expect(visitor.bid_rows).to_have_count(0)
    expect(visitor.one("rv-verdict")).to_have_text("")
    assert sorted(visitor.page.locator(".token").all_inner_texts()) == ["4", "?"]
    visitor.press("m")
    expect(visitor.bid_rows).to_have_count(6)
    assert sorted(visitor.page.locator(".token").all_inner_texts()) == ["1", "4"]
    visitor.press("ArrowRight")  # the next bid is a spoiler again
    expect(visitor.bid_rows).to_have_count(0)
    assert sorted(visitor.page.locator(".token").all_inner_texts()) == ["1", "4", "?"]


@pytest.mark.parametrize(("width", "bid", "dark"), [(1440, 2, True), (400, 3, False)])
def test_the_panel_fits(visit, width, bid, dark):
    scheme = "dark" if dark else "light"
    visitor = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)
    visitor.open(f"{LINK}&bid={bid}")
    expect(visitor.bid_rows).to_have_count(6)
    assert visitor.page.evaluate("document.scrollingElement.scrollWidth") <= width
    ids = ("rv-bids", "rv-bid-facts", "rv-bidding-link", "rv-verdict")
    boxes = [visitor.one(test_id).bounding_box() for test_id in ids]
    for box in boxes:
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if width == 1440:  # the main loop needs no scrolling
        assert max(box["y"] + box["height"] for box in boxes) <= 900
    clipped = "cells => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
    assert visitor.page.locator(".bidders td, .bidders th").evaluate_all(clipped) == 0
