"""Answers that must be near: clicks counted from the landing page, at 1280 x 720."""

import pytest
from playwright.sync_api import expect

from spades.notation import format_records
from spades.notation.log_store import open_log
from tests.browser.test_first_clicks import Counted

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
LAPTOP = {"width": 1280, "height": 720}


@pytest.fixture
def user(visit):
    return Counted(visit(viewport=LAPTOP).open())


def test_the_distance_of_an_own_log_from_humans_takes_four_clicks(user):
    """With a file dropped instead of a text pasted it is one less."""
    records = list(open_log("four-ismcts").records())[:40]
    user.click("link", "Data").click("radio", "Import").click("textbox", "Or paste records")
    user.page.keyboard.insert_text(format_records(records, "csv"))
    user.click("button", "Import")
    user.visitor.see_text("40 rounds stored as pasted")
    answer = user.page.get_by_text("Distance from simulated humans (KL): Bots 0.")
    expect(answer).to_be_in_viewport()
    expect(user.page.locator(".st-key-bar_log")).to_contain_text("pasted, 40 rounds")
    assert user.clicks <= 4
