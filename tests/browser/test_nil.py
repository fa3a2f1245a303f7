"""Nils on the Bids page in a browser: its link, its controls, and a point that leads to hands."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.charts import (
    CUT,
    WIDER,
    chart,
    click_point,
    go_to,
    open_first_row,
    see_no_traceback,
)
from tests.browser.visitor import TWO_FRAMES, box_at_rest

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

TOLD = re.compile(r"\d+ nils? in four-srp-nil, \d+ made")


@pytest.mark.slow
def test_a_point_of_a_curve_leads_to_its_hands(visit):
    visitor = go_to(visit(), "Bids?view=curves&compare=&log=four-srp-nil&bin=2")
    expect(visitor.page.get_by_role("combobox", name="Nil value")).to_have_value("0.10 to 0.15")
    points = chart(visitor, "nil_curves").locator(".scatterlayer .point")
    click_point(visitor, points.nth(12))
    visitor.see_address(bin="12")
    expect(visitor.page.get_by_role("combobox", name="Nil value")).to_have_value("0.60 to 0.65")
    visitor.see_text(TOLD)
    rows = visitor.page.locator("[data-testid=stDataFrame]").first
    replay = open_first_row(visitor, rows)
    expect(replay.get_by_test_id("rv-table")).to_be_visible()
    assert "four-srp-nil" in replay.url


def test_the_bids_before_choose_another_curve(visit):
    visitor = go_to(visit(), "Bids?view=curves&compare=")
    legend = chart(visitor, "nil_curves").locator(".legendtext")
    expect(legend).to_have_text(["first to bid"])
    visitor.page.get_by_role("radio", name="Second").click()
    see_no_traceback(visitor)
    expect(legend).to_have_text(["after 3"])
    visitor.see_address(sequence="3")


@pytest.mark.slow
def test_a_cell_of_the_map_opens_what_is_behind_it(visit):
    visitor = go_to(visit(), "Bids?view=surface&log=four-srp-nil")
    sums = visitor.page.get_by_role("combobox", name="Sum of the bids")
    expect(sums).to_have_value("10")
    partner = visitor.page.get_by_role("combobox", name="Partner's bid")
    for bid, total in ((4, 11), (3, 10)):  # back to the first: a click is not taken for an old one
        click_cell(visitor, bid, total)
        expect(partner).to_have_value(str(bid))
        expect(sums).to_have_value(str(total))
        see_no_traceback(visitor)
    visitor.see_text(TOLD)
    visitor.page.get_by_role("button", name="with the most nils").click()
    legend = chart(visitor, "nil_curves").locator(".legendtext")
    expect(legend).to_have_count(2 * 5)  # of the curves, and of the log in hand
    assert all(", 3, " in name for name in legend.all_text_contents())


def click_cell(visitor, partner, total):
    """Click the middle of a cell, away from the mark by less than half of it."""
    drawn = chart(visitor, "nil_surface")
    box_at_rest(drawn)
    x, y = drawn.evaluate(
        """(plot, cell) => {
          const { left, top } = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout;
          return [left + xaxis._offset + xaxis.d2p(cell[0] + 0.2),
            top + yaxis._offset + yaxis.d2p(cell[1] + 0.2)];
        }""",
        [partner, total],
    )
    visitor.page.mouse.move(x, y)
    visitor.page.evaluate(TWO_FRAMES)
    visitor.page.mouse.click(x, y)


def test_a_hand_is_entered_by_clicking_cards(visit):
    visitor = go_to(visit(), "Bids?view=nil&previous=&hand=J52.9643.Q.K9543")
    value = visitor.page.get_by_test_id("stMetricValue").nth(1)
    expect(value).to_have_text("0.527")
    stars = chart(visitor, "nil_place").locator(".legendtext").filter(has_text="this nil")
    expect(stars).to_be_visible()
    visitor.page.get_by_text("Pick the cards").click()
    for card, hand in (("Q♦", "J52.9643..K9543"), ("2♦", "J52.9643.2.K9543")):
        visitor.page.get_by_role("button", name=card, exact=True).click()
        visitor.see_address(hand=hand)
        see_no_traceback(visitor)
    expect(value).to_have_text("0.922")


@pytest.mark.slow
def test_every_view_fits_a_phone(visit):
    visitor = visit(viewport={"width": 390, "height": 844})
    for view in ("curves", "nil", "surface", "ace"):
        drawn = chart(go_to(visitor, f"Bids?view={view}&previous="), "nil_")
        assert drawn.first.evaluate(CUT, ".xtick text, .ytick text, .legendtext, .xtitle") == []
        assert visitor.page.evaluate(WIDER) <= 0
