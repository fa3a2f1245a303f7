"""A hand entered by clicks: quick ones are all kept, and every other way fills all of it."""

import pytest
from playwright.sync_api import expect

from spades.core.cards import STANDARD
from tests.browser.charts import go_to, see_no_traceback
from tests.browser.visitor import wait_until
from ui.shared.hand_entry import read_hand

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

CARDS = ("A♠", "9♥", "K♠", "10♥", "2♦", "J♠", "5♣", "6♥", "3♦", "Q♣", "2♠", "4♥", "3♣")
HAND = "AKJ2.T964.32.Q53"
MARKED = "[data-variant=pills][aria-pressed=true]"
PRESS = "button => button.click()"  # at once, wherever the page has moved it
OTHER = "Q4.J742.T83.K653"
VIEW = "Bids?view=nil&hand="


def card(visitor, name):
    return visitor.page.get_by_role("button", name=name, exact=True)


def open_entry(visitor):
    """Open what changes the hand, which is closed while the hand is complete."""
    body = visitor.page.locator(".st-key-bids_hand_change details")
    if body.get_attribute("open") is None:
        body.locator("summary").click()
    expect(body).to_have_attribute("open", "")


def see_hand(visitor, query, hand):
    """The address, the text and the cards marked say the same."""
    visitor.see_address(**{query: hand})
    visitor.settle()
    open_entry(visitor)
    see_no_traceback(visitor)
    expect(visitor.page.get_by_role("textbox", name="Hand as text", exact=True)).to_have_value(hand)
    marked = visitor.page.locator(MARKED)
    expect(marked).to_have_count(read_hand(hand, STANDARD).bit_count())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("view", "gap"), [("nil", 0), pytest.param("hand", 150, marks=pytest.mark.exhaustive)]
)
def test_thirteen_quick_clicks_are_thirteen_cards(visit, view, gap):
    visitor = go_to(visit(), f"Bids?view={view}&hand=...")
    visitor.see_text("0 of 13 cards")
    visitor.settle()  # scripts press what a reader doesn't see yet
    for name in CARDS:
        card(visitor, name).evaluate(PRESS)
        visitor.page.wait_for_timeout(gap)
    see_hand(visitor, "hand", HAND)
    assert not visitor.page.get_by_text("of 13 cards").is_visible()


@pytest.mark.slow
def test_cards_text_deal_and_clear_fill_one_another(visit):
    visitor = go_to(visit(), f"{VIEW}...")
    text = visitor.page.get_by_role("textbox", name="Hand as text", exact=True)
    card(visitor, "A♠").click()
    see_hand(visitor, "hand", "A...")
    text.fill(OTHER)
    text.press("Enter")
    see_hand(visitor, "hand", OTHER)
    for name in ("4♠", "A♠"):  # one out, one in, at once
        card(visitor, name).evaluate(PRESS)
    see_hand(visitor, "hand", "AQ.J742.T83.K653")
    visitor.button("Deal me a hand").click()
    wait_until(
        lambda: visitor.address["hand"] not in ("...", "AQ.J742.T83.K653"),
        lambda: "no other hand was dealt",
        page=visitor.page,
    )
    dealt = visitor.address["hand"]
    assert read_hand(dealt, STANDARD).bit_count() == 13
    see_hand(visitor, "hand", dealt)
    visitor.button("Clear").click()
    visitor.see_address(hand="...")
    expect(text).to_have_value("")
    expect(visitor.page.locator(MARKED)).to_have_count(0)


def test_another_deck_keeps_the_cards_it_knows(visit):
    visitor = go_to(visit(), f"{VIEW}AKJ62.A2.Q.K9543")
    visitor.button("Score, rules").click()
    visitor.choose("Deck", "joker-joker-ace")
    visitor.see_text("12 of 13 cards")
    see_hand(visitor, "hand", "AKJ62.A.Q.K9543")
