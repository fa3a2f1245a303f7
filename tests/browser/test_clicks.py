"""A user's first goals from the landing page, by what is on the screen, counted in clicks."""

import re

import pytest
from playwright.sync_api import expect

from spades.notation import format_records
from spades.notation.log_store import open_log
from tests.pages.texts import ptn, shipped

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
DESK = {"width": 1280, "height": 720}
HAND = "J52 9643 Q K9543"


class Counted:
    """A visitor who clicks by name only, and counts the clicks."""

    def __init__(self, visitor):
        self.visitor, self.page, self.clicks = visitor, visitor.page, 0

    def click(self, role, name):
        self.visitor.settle()
        self.page.get_by_role(role, name=name).first.click()
        self.clicks += 1
        return self

    def see_chart(self, within=""):
        chart = self.page.locator(f"{within} .js-plotly-plot").first
        expect(chart).to_be_visible()
        expect(chart).to_be_in_viewport()

    def see_judgement(self, of=""):
        verdict = self.visitor.one("rv-verdict").first
        expect(verdict).to_contain_text("How sure")
        expect(verdict).to_contain_text(of)
        expect(verdict).to_be_in_viewport()


@pytest.fixture
def user(visit):
    return Counted(visit(viewport=DESK).open())


def test_the_judgement_of_the_example_takes_no_click(user):
    user.see_judgement("Clear")
    assert user.clicks == 0


@pytest.mark.parametrize("way", ["Open a hand", "I have a complaint"])
def test_the_card_of_a_pasted_complaint_takes_three_clicks(user, way):
    user.click("button", way)
    expect(user.page.get_by_label("Paste a record")).to_be_focused()
    user.page.keyboard.insert_text(ptn(shipped("south-nil")))
    user.click("button", "Open pasted record")
    user.click("button", re.compile("Fails to cover partner's nil"))
    user.see_judgement("North's 5")
    expect(user.visitor.one("stPopoverBody")).to_contain_text("Download (Markdown)")
    assert user.clicks == 3


def test_a_comparison_of_styles_takes_one_click(user):
    user.click("link", "Style")
    answer = user.page.get_by_text("nats apart").first
    expect(answer).to_be_in_viewport()
    assert user.clicks == 1


def test_the_distance_of_an_own_log_from_humans_takes_four_clicks(user):
    """With a file dropped instead of a text pasted it is one less."""
    records = list(open_log("four-ismcts").records())[:40]
    user.click("link", "Data").click("radio", "Import").click("textbox", "Or paste records")
    user.page.keyboard.insert_text(format_records(records, "csv"))
    user.click("button", "Import")
    user.visitor.see_text("40 rounds stored as pasted")
    answer = user.page.get_by_text(
        "Distance from simulated humans (KL of abstract moves, with the log four-humans "
        "beside it): Bots 0."
    )
    expect(answer).to_be_in_viewport()
    expect(user.page.locator(".st-key-bar_log")).to_contain_text("pasted, 40 rounds")
    assert user.clicks <= 4


def test_the_frontier_takes_one_click(user):
    user.click("link", "Tune").see_chart()
    user.visitor.see_text(re.compile("Games won against", re.IGNORECASE))
    assert user.clicks == 1


def test_a_nil_curve_takes_two_clicks(user):
    user.click("link", "Bids").click("radio", "Nil curves").see_chart()
    assert user.clicks == 2


def test_the_nil_curve_of_an_own_hand_takes_three_clicks(user):
    user.click("link", "Bids").click("radio", "Its nil").click("textbox", "Hand as text")
    user.page.keyboard.press("ControlOrMeta+a")
    user.page.keyboard.insert_text(HAND)
    user.page.keyboard.press("Enter")
    user.visitor.see_text(re.compile("Chance of this nil"))
    expect(user.page.locator(".js-plotly-plot").first).to_be_visible()
    assert user.clicks <= 3


def test_a_sweep_takes_four_clicks(user):
    user.click("link", "Tune").click("radio", "Run a sweep").click("button", "Run the sweep")
    expect(user.visitor.button("Cancel").first).to_be_visible()
    assert user.clicks <= 4
    user.visitor.button("Cancel").first.click()
    user.visitor.see_text(re.compile("cancelled"))
