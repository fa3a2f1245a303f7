"""The ladder in a browser: a slider moves it, Replay leads to it and it leads back."""

import pytest
from playwright.sync_api import expect

from tests.browser.charts import CUT, OVERLAPPING, chart, go_to
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]
SET = """() => document.querySelector('.js-plotly-plot')?.layout?.annotations
  ?.map((note) => note.text).find((text) => text.startsWith('set: '))"""
SHARES = """() => JSON.stringify(
  document.querySelector('.js-plotly-plot')._fullData.map((trace) => trace.y))"""


def see_set(page, text):
    wait_until(lambda: page.evaluate(SET) == text, lambda: f"set: {page.evaluate(SET)}", page=page)


def slider(page, label):
    return page.get_by_role("group", name=label).locator("input[type=range]")


def test_sliders_move_the_ladder_and_the_address(visit):
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.home}/Tune?view=ladder&iterations=500")
    see_set(page, "set: 0.03")
    visitor.settle()
    slider(page, "C_BT (rewards)").press("ArrowRight")
    see_set(page, "set: 0.05")
    visitor.see_address(c_bt="0.05")
    before = page.evaluate(SHARES)
    slider(page, "K (visits)").press("ArrowLeft")
    wait_until(lambda: page.evaluate(SHARES) != before, lambda: "the ladder stands", page=page)
    visitor.see_address(k="500")
    assert visitor.complaints == []


def test_lines_are_named_at_their_ends_on_a_phone_too(visit):
    visitor = go_to(visit(viewport={"width": 390, "height": 844}), "Tune?view=ladder")
    ladder = chart(visitor, "ladder")
    expect(ladder.locator(".legendtext")).to_have_count(0)
    names = ladder.locator(".annotation-text").filter(has_text="●")
    assert names.count() >= 2
    assert ladder.evaluate(CUT, ".annotation-text") == []
    assert ladder.evaluate(OVERLAPPING, ".annotation-text") == 0


def test_replay_leads_to_the_ladder_and_back(visit):
    visitor = visit()
    visitor.open("?hand=four-bots&ply=9&iterations=500&technique=experience&w=50")
    visitor.see_rows()
    page = visitor.page
    visitor.open_settings("Bias")
    page.get_by_role("link", name="Tune the bias on this decision").click()
    see_set(page, "set: 50")
    visitor.see_address(hand="four-bots", technique="experience", w="50")
    ply = visitor.address["ply"]
    visitor.settle()
    page.get_by_role("link", name="Open in Replay").click()
    expect(visitor.one("rv-table")).to_be_visible()
    visitor.see_ply(int(ply))
    visitor.see_address(hand="four-bots", technique="experience", w="50")
    assert visitor.complaints == []
