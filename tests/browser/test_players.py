"""One player on Style in a browser: who played this, by its controls; one placed, and stopped."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_disagreements import click_first_row

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
LOG = "log=human-south"


def test_who_played_this_by_models_prior_and_the_plays_that_decided(visit):
    visitor = visit(is_apart=True)
    page = visitor.page
    page.goto(f"{visitor.home}/Style?{LOG}&n_rounds=3")
    visitor.settle()
    page.get_by_text("Who played this?", exact=True).click()
    visitor.see_address(view="who")
    for name, value, seen in (
        ("Models, separated by commas", "devlin2016-nil, random", "Likeliest: devlin2016-nil"),
        ("Prior odds", "1, 1e99", "Likeliest: random"),
        ("Prior odds", "1", "2 positive numbers"),
        ("Prior odds", "", "Likeliest: devlin2016-nil"),
    ):
        page.get_by_role("textbox", name=name, exact=True).fill(value)
        visitor.press("Enter")
        visitor.see_text(seen)
    visitor.settle()
    table = visitor.one("stDataFrame").last.locator("canvas").first
    with page.context.expect_page() as opened:
        click_first_row(visitor, table)
    visitor.page = opened.value
    expect(visitor.one("rv-table")).to_be_visible()
    assert visitor.address["hand"].startswith("log.human-south.")


def test_placing_a_player_shows_how_far_it_is_and_stops(visit):
    visitor = visit(is_apart=True)
    visitor.page.goto(f"{visitor.home}/Style?{LOG}&view=like&decisions=100")
    visitor.settle()
    visitor.button("Place this player").click()
    visitor.see_text("searched choices")
    visitor.button("Cancel").click()
    expect(visitor.button("Place this player")).to_be_enabled(timeout=60_000)
