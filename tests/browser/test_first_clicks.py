"""A new user's first goals, by what is on the screen, counted in clicks."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.texts import ptn

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
HAND = "J52 9643 Q K9543"


class Counted:
    """A visitor who clicks by name only."""

    def __init__(self, visitor):
        self.visitor, self.page, self.clicks = visitor, visitor.page, 0

    def click(self, role, name):
        self.visitor.settle()
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1
        return self


@pytest.fixture
def user(visit):
    return Counted(visit().open())


def test_the_verdict_on_an_own_hand_takes_three_clicks(user):
    user.click("button", "Open a hand").click("textbox", "Paste a record")
    user.page.keyboard.insert_text(ptn())
    user.click("button", "Open pasted record")
    expect(user.visitor.one("rv-verdict")).to_contain_text("How sure")
    expect(user.visitor.one("stPopoverBody")).to_have_count(0)
    assert user.clicks <= 3


def test_a_comparison_of_styles_takes_two_clicks(user):
    user.click("link", "Style")
    expect(user.page.locator(".st-key-style_panels .js-plotly-plot").first).to_be_visible()
    assert user.clicks <= 2


def test_the_nil_curve_of_an_own_hand_takes_three_clicks(user):
    user.click("link", "Bids").click("radio", "Its nil").click("textbox", "Hand as text")
    user.page.keyboard.press("ControlOrMeta+a")
    user.page.keyboard.insert_text(HAND)
    user.page.keyboard.press("Enter")
    user.visitor.see_text(re.compile("Chance of nil"))
    expect(user.page.locator(".js-plotly-plot").first).to_be_visible()
    assert user.clicks <= 3


def test_a_sweep_takes_four_clicks(user):
    user.click("link", "Tune").click("radio", "Run a sweep").click("button", "Run the sweep")
    expect(user.visitor.button("Cancel").first).to_be_visible()
    assert user.clicks <= 4
    user.visitor.button("Cancel").first.click()
    user.visitor.see_text(re.compile("cancelled"))
