"""Stepping by key: nothing is lost, and it works whatever was clicked last."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import box_at_rest

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def table(visit_once):
    """A page that all of these share."""
    return visit_once().open().see_rows()


def test_ten_keys_at_ten_a_second_move_ten_plies(table):
    table.to_first_lead()
    for _ in range(10):
        table.press("ArrowRight")
        table.page.wait_for_timeout(100)  # the pace of the keys, not a wait for the page
    table.see_ply(10)
    table.see_address(ply="10")
    assert table.settle().ply == 10


def test_a_burst_without_a_gap_moves_ten_plies(table):
    table.to_first_lead()
    table.press(*["ArrowRight"] * 10)
    assert table.ply == 10  # at once: the browser steps by itself
    table.see_address(ply="10")
    table.press(*["ArrowLeft"] * 4)
    table.see_address(ply="6")
    assert table.settle().ply == 6


def test_the_button_goes_on_from_where_the_keys_were(table):
    table.to_first_lead()
    table.press("ArrowRight", "ArrowRight")
    table.one("rv-next").click()  # at once, before the page was told of the keys
    table.see_ply(3)
    table.see_address(ply="3")
    assert table.settle().ply == 3


def choose_the_same_hand(visitor):
    box = visitor.page.get_by_role("combobox", name="Hand", exact=True)
    visitor.choose("Hand", box.input_value())


def choose_another_hand(visitor):
    visitor.choose("Hand", re.compile("Four bots"))
    visitor.see_address(hand="four-bots")
    visitor.see_ply(0)
    visitor.see_rows()


def open_the_hands_and_leave(visitor):
    visitor.page.get_by_role("combobox", name="Hand", exact=True).click()
    visitor.press("Escape")


def choose_a_seat(visitor):
    visitor.open_settings("View")
    visitor.choose("Seat", "West")
    visitor.see_address(seat="W")
    visitor.close_popover()


def switch_spoilers(visitor):
    visitor.open_settings("View")
    for is_on in ("1", None):
        visitor.one("stCheckbox").get_by_text("Spoiler mode").click()
        visitor.see_address(spoiler=is_on)
    visitor.settle().close_popover()


def click_next_play(visitor):
    before = visitor.ply
    visitor.one("rv-next").click()
    visitor.see_ply(before + 1)
    visitor.settle()


def open_a_popover_and_press_escape(visitor):
    expect(visitor.open_popover("Share")).to_be_visible()
    visitor.press("Escape")
    expect(visitor.one("stPopoverBody")).to_be_hidden()


def slide(slider, share):
    """Click a slider's track at a share of its width."""
    box = box_at_rest(slider)
    slider.page.mouse.click(box["x"] + share * box["width"], box["y"] + 0.6 * box["height"])


def set_the_iterations_and_press_escape(visitor):
    slide(visitor.open_settings("Search").get_by_test_id("stSlider").first, 0.2)
    visitor.see_address(iterations="500")
    visitor.press("Escape")
    expect(visitor.one("stPopoverBody")).to_be_hidden()
    visitor.see_rows()


def set_the_threshold_and_click_outside(visitor):
    slide(visitor.open_settings("View").get_by_test_id("stSlider").last, 0.5)
    visitor.see_address(threshold="0.5")
    visitor.page.mouse.click(5, 500)
    expect(visitor.one("stPopoverBody")).to_be_hidden()


def click_the_scrubber(visitor):
    visitor.page.get_by_role("slider", name="Ply").click()
    visitor.see_ply(24)  # halfway from the first bid to the last card
    visitor.see_address(ply="24")
    visitor.settle()


def click_a_button_of_the_view(visitor):
    visitor.one("rv-next").click()
    visitor.see_ply(1)


def open_searches(visitor):
    visitor.page.get_by_role("tab", name="Each search").click()
    visitor.see_address(tab="searches")


def click_a_tab_and_its_chart(visitor):
    open_searches(visitor)
    visitor.one("stPlotlyChart").first.click(position={"x": 200, "y": 80})
    visitor.settle()


def click_a_row(visitor):
    visitor.rows.nth(1).locator("td.c-loss").click()
    visitor.settle()


def choose_more_seeds(visitor):
    open_searches(visitor)
    visitor.choose("Seeds", "5")
    visitor.page.get_by_role("tab", name="Why").click()
    visitor.see_address(tab=None)


CLICKS = [
    choose_another_hand,
    switch_spoilers,
    open_a_popover_and_press_escape,
    click_the_scrubber,
    click_a_tab_and_its_chart,
]
MORE_CLICKS = [
    choose_the_same_hand,
    open_the_hands_and_leave,
    choose_a_seat,
    click_next_play,
    set_the_iterations_and_press_escape,
    set_the_threshold_and_click_outside,
    click_a_button_of_the_view,
    click_a_row,
    choose_more_seeds,
]


@pytest.mark.parametrize(
    "click",
    [*CLICKS, *(pytest.param(click, marks=pytest.mark.exhaustive) for click in MORE_CLICKS)],
    ids=lambda click: click.__name__,
)
def test_keys_work_after(table, click):
    table.to_first_lead()  # many cards are legal there, whatever hand it is
    table.see_address(ply=None, bid=None)
    table.see_rows()
    click(table)
    before = table.ply
    table.press("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowRight")
    table.see_ply(before + 2)
    table.see_address(ply=str(before + 2))
    assert table.settle().ply == before + 2


def test_typing_moves_nothing(table):
    before = table.ply
    for is_text, role in ((True, "textbox"), (False, "spinbutton")):
        body = table.open_popover("Open a hand") if is_text else table.open_settings("Search")
        field = body.get_by_role(role).first
        field.click()
        table.press("Home", "ArrowRight", "ArrowLeft", "End", "1", "ArrowRight", "7", "ArrowLeft")
        if is_text:
            table.press("End", "n", "h", "m", "?", "l", "ArrowRight")
        assert field.input_value().endswith("17nhm?l" if is_text else "17")
        field.fill("0")
        table.press("Escape")
        expect(table.one("stPopoverBody")).to_be_hidden()
        expect(table.one("rv-help")).to_have_count(0)
        assert table.settle().ply == before
