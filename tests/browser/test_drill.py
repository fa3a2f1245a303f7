"""Exercises answered in the browser, by click and by keys; the seat is sent no hidden card."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_play import CORNER, legal, listen
from tests.ui.play.test_seen import CARD_TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
VERDICT = re.compile("(Right|Wrong)[:,]")


def cards(visitor, where):
    found = visitor.page.locator(where)
    return set(found.evaluate_all("(cards) => cards.map((card) => card.dataset.card)"))


def see_question(visitor):
    expect(visitor.page.get_by_text("Which card does")).to_be_visible()
    expect(visitor.page.get_by_test_id("stAlert")).to_have_count(0)
    visitor.settle()
    expect(legal(visitor).first).to_be_visible()


def test_an_exercise_by_click_and_one_by_keys_without_a_hidden_card(visit):
    visitor = visit(is_apart=True)
    _, frames = listen(visitor)
    visitor.page.goto(f"{visitor.home}/Play?view=drill&profile=browser")
    for n in range(4):
        see_question(visitor)
        seen = cards(visitor, ".hand .card[data-card], .trick .card[data-card]")
        own = cards(visitor, ".hand .card[data-card]")
        assert 1 < len(own) <= 13
        assert seen - own == cards(visitor, ".trick .card[data-card]")
        if n % 2:
            visitor.press("ArrowRight", "Enter")
        else:
            legal(visitor).first.click(position=CORNER)
        expect(visitor.page.get_by_test_id("stAlert").filter(has_text=VERDICT)).to_be_visible()
        expect(visitor.page.locator(".hand .card.candidate")).to_have_count(1)
        assert cards(visitor, ".hand .card.legal") <= own
        visitor.settle()
        visitor.press("Enter") if n % 2 else visitor.page.locator(
            ".st-key-drill_next button"
        ).click()
    see_question(visitor)
    visitor.see_text("of 4 learned")
    text = b"".join(one if isinstance(one, bytes) else one.encode() for one in frames)
    assert text.count(b'"play_seats"') > 4
    for part in text.split(b'"answer"')[1:]:
        check_round(part)
    visitor.page.get_by_role("link", name="Why")
    wide = visitor.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 1440


def check_round(part):
    """Of what a table is sent: every hand is the cards its seat has played, but for the mover's."""
    text = part.decode("utf-8", "ignore")
    start = text.index('"round":') + len('"round":')
    data, _ = json.JSONDecoder().raw_decode(text[start:].lstrip())
    mover = data["play_seats"][-1]
    for seat, hand in enumerate(data["hands"]):
        played = {
            card for card, by in zip(data["plays"], data["play_seats"], strict=True) if by == seat
        }
        known = {card for card in hand if card != "?"}
        assert len(hand) == 13
        assert seat == mover or known == played - {""}
    known = {card for hand in data["hands"] for card in hand if card != "?"}
    assert set(CARD_TEXT.findall(text)) <= known | set(data["trump_extra"])
