"""What must stay hidden: other hands in the own-hand view, numbers in spoiler mode."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.texts import shipped

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]


def cards_in_dom(visitor, seat):
    """Cards of a seat's hand that the page holds, the texts of its elements included."""
    hand = visitor.one(f"rv-hand-{seat}")
    return {card.get_attribute("data-card") for card in hand.locator("[data-card]").all()}


def cards_of(seat):
    record = shipped("bug-report-335")
    deck = record.rules.cards
    mask = record.hands["NESW".index(seat)]
    return {deck.format_card(int(code)) for code in deck.codes if mask >> int(code) & 1}


def see_only_cards_of_south(visitor):
    shown = visitor.page.locator("[data-card]").all()
    assert {card.get_attribute("data-card") for card in shown} <= cards_of("S")


def test_the_own_hand_view_holds_no_other_hand(visit):
    visitor = visit().open("?view=own&seat=S&growth=1")
    assert cards_in_dom(visitor, "S") == cards_of("S")
    for seat in "NEW":
        assert cards_in_dom(visitor, seat) == set()
        assert visitor.one(f"rv-hand-{seat}").get_attribute("aria-label").endswith("cards, hidden")
    see_only_cards_of_south(visitor)
    expect(visitor.one("stPlotlyChart")).to_have_count(0)
    visitor.see_text(re.compile("East decides here"))


def test_h_shows_and_hides_the_hands(visit):
    visitor = visit().open("?view=own&seat=S&growth=1")
    visitor.press("h")
    visitor.see_address(view="beliefs")
    see_only_cards_of_south(visitor)
    expect(visitor.one("stPlotlyChart")).to_have_count(0)
    visitor.press("h")
    for seat in "NESW":
        assert cards_in_dom(visitor, seat) == cards_of(seat)
    visitor.see_address(view=None)
    expect(visitor.one("stPlotlyChart").first).to_be_visible()
    visitor.press("h")
    see_only_cards_of_south(visitor)
    visitor.see_address(view="own")
    expect(visitor.one("stPlotlyChart")).to_have_count(0)


def test_spoiler_mode_hides_every_number_until_m(visit):
    visitor = visit().open("?spoiler=1&growth=1&more=1")
    expect(visitor.one("rv-show-models")).to_be_visible()
    visitor.settle()
    assert not re.search(r"\d", visitor.numbers())
    expect(visitor.one("rv-verdict")).to_be_hidden()
    expect(visitor.one("stPlotlyChart")).to_have_count(0)
    expect(visitor.page.locator(".card.next, tr.is-played, tr.is-choice")).to_have_count(0)
    visitor.press("m")
    assert sum(visitor.visits().values()) == 2500
    expect(visitor.one("rv-verdict")).to_be_visible()
    visitor.press("ArrowRight")  # the next decision is a spoiler again
    expect(visitor.one("rv-show-models")).to_be_visible()


def test_l_copies_a_link_that_opens_the_same_place(visit):
    visitor = visit(permissions=["clipboard-read", "clipboard-write"]).open("?seat=S").see_rows()
    visitor.press("ArrowRight", "ArrowRight", "h", "l")
    expect(visitor.one("rv-toast")).to_have_text("Link copied")
    link = visitor.page.evaluate("navigator.clipboard.readText()")
    other = visit().open(link.removeprefix(visitor.home).removeprefix("/"))
    other.see_ply(2)
    other.see_address(ply="2", view="own", seat="S")
    assert cards_in_dom(other, "N") == set()
