"""Style in a browser: a bar, a sum of bids and a count of nils lead to their hands."""

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
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]
TEXTS = ".ytick text, .xtick text, .legendtext, .annotation-text"
LINK = "Style?logs=four-srp-nil"
NOTE_TOPS = """() => {
  window.panelTops = [];
  const look = () => {
    const panels = document.querySelector('.st-key-style_panels');
    if (panels?.querySelector('.bars .point path'))
      window.panelTops.push(Math.round(panels.getBoundingClientRect().top));
    requestAnimationFrame(look);
  };
  look();
}"""
"""Where the panels stand, in every frame that has them."""


def table(visitor, heading):
    """The first table under a heading."""
    title = visitor.page.get_by_text(heading, exact=True)
    expect(title).to_be_visible()
    return title.locator("xpath=following::*[@data-testid='stDataFrame'][1]")


@pytest.mark.slow
def test_a_bar_leads_to_its_hands(visit):
    visitor = go_to(visit(), LINK)
    bars = chart(visitor, "style_panels").locator(".x2y .barlayer .point path")
    click_point(visitor, bars.first)
    visitor.see_address(bar="Lead non-spade lowest")
    visitor.see_text(re.compile(r"\d+ plays, spread evenly over the logs"))
    replay = open_first_row(visitor, table(visitor, "The hands behind a bar"))
    expect(replay.get_by_test_id("rv-table")).to_be_visible()
    assert "four-srp-nil" in replay.url
    boss = chart(visitor, "style_panels").locator(".x5y .barlayer .point path")
    click_point(visitor, boss.first)
    visitor.see_address(bar="Lead non-spade boss")


@pytest.mark.slow
def test_sums_and_nils_lead_to_their_rounds(visit):
    visitor = go_to(visit(), LINK)
    points = chart(visitor, "style_sums").locator(".scatterlayer .point")
    click_point(visitor, points.nth(3))
    wait_until(
        lambda: visitor.address.get("rounds", "").startswith("sum-"),
        lambda: f"no sum was chosen: {visitor.page.url}",
        page=visitor.page,
    )
    see_no_traceback(visitor)
    nils = visitor.page.locator(".st-key-style_nils_table")
    nils.first.scroll_into_view_if_needed()
    expect(nils.locator("canvas").first).to_be_visible()
    visitor.page.wait_for_timeout(500)  # drawn on a canvas: nothing in the page tells when
    width = nils.first.bounding_box()["width"]
    for share in (0.16, 0.2, 0.24, 0.28, 0.32, 0.36):  # the number of nils, or their rate
        nils.first.click(position={"x": width * share, "y": 52})
        visitor.page.wait_for_timeout(500)
        see_no_traceback(visitor)
        if visitor.address["rounds"] == "nil":
            break
    visitor.see_address(rounds="nil")
    replay = open_first_row(visitor, table(visitor, "The rounds behind a number"))
    expect(replay.get_by_test_id("rv-table")).to_be_visible()


@pytest.mark.slow
def test_the_panels_follow_the_window(visit):
    """Side by side where there is room, one under the other where there isn't."""
    visitor = go_to(visit(), LINK)
    panels = chart(visitor, "style_panels")
    expect(panels.locator(".x5y .bars .point")).to_have_count(4)
    assert panels.evaluate(CUT, TEXTS) == []
    visitor.page.set_viewport_size({"width": 500, "height": 900})
    expect(panels.locator(".xy5 .bars .point")).to_have_count(4)
    expect(panels).to_have_count(1)  # the other is gone
    expect(panels.locator(".x5y")).to_have_count(0)
    assert panels.evaluate(CUT, TEXTS) == []
    visitor.page.set_viewport_size({"width": 1000, "height": 900})
    expect(panels.locator(".x5y .bars .point")).to_have_count(4)
    expect(panels).to_have_count(1)
    assert panels.evaluate(CUT, TEXTS) == []
    visitor.page.set_viewport_size({"width": 700, "height": 900})
    expect(panels.locator(".xy5 .bars .point")).to_have_count(4)
    see_no_traceback(visitor)


@pytest.mark.exhaustive
def test_coming_back_finds_the_same_page_and_sees_nothing_move(visit):
    visitor = go_to(visit(viewport={"width": 1400, "height": 900}), f"{LINK}&forced=0")
    page, panels = visitor.page, chart(visitor, "style_panels")
    logs = visitor.one("stMainBlockContainer").get_by_text("four-srp-nil", exact=True)
    controls = page.locator(".st-key-window_width")
    for _ in range(2):
        expect(panels.locator(".x5y .bars .point")).to_have_count(4)
        expect(controls).to_be_attached()
        visitor.settle()
        page.get_by_role("link", name="Replay").click()
        visitor.see_rows()
        page.evaluate(NOTE_TOPS)
        page.get_by_role("link", name="Style").click()
        expect(controls).to_be_attached()
        visitor.settle()
        assert len(set(page.evaluate("window.panelTops"))) == 1
    expect(logs).to_be_visible()
    visitor.see_text("Which plays: no forced plays")
    visitor.see_address(forced="0")
    page.get_by_text("68 classes", exact=True).click()
    visitor.see_address(classes="68")
    see_no_traceback(visitor)


def test_the_page_fits_a_phone(visit):
    visitor = go_to(
        visit(viewport={"width": 400, "height": 844}),
        f"{LINK}&bar=Lead non-spade lowest&rounds=nil",
    )
    visitor.see_text(re.compile("of them, spread evenly"))
    assert visitor.page.evaluate(WIDER) <= 0
    panels = chart(visitor, "style_panels")
    expect(panels.locator(".xy5 .bars .point")).to_have_count(4)
    expect(panels).to_have_count(1)
    assert panels.evaluate(CUT, TEXTS) == []
