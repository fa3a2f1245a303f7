"""Replay's first screen, on a desk and on a phone: the judgement and its table, few controls, the
tabs' heads, and nothing that moves or gets lost while a judgement is made."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SIZES = [(1280, 720), (390, 844)]
LINKS = ["", "?hand=bug-report-335&ply=24&iterations=500"]
MOST_CONTROLS = 12
MOST_SHIFT = 0.05
WATCH_SHIFTS = """
  window.shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    if (!entry.hadRecentInput) window.shift += entry.value;
  })).observe({type: 'layout-shift', buffered: true});
"""
LATE_SCRIPTS = re.compile(r"static/js/(ButtonGroup|TextInput|NumberInput|Selectbox|PlotlyChart)\.")
OUTLINE = """() => {
  const app = document.querySelector('.stApp') ?? document.body;
  const { content, opacity } = getComputedStyle(app, '::after');
  return content === 'none' ? '' : opacity;
}"""
CONTROLS = """() => {
  const kinds = 'button, input, select, a[href]';
  const elsewhere = ['thead', 'header', '.st-key-bar', '.st-key-purpose', '.st-key-views_switch',
    '[role=tablist]', '[aria-label=Open]'].join();
  const found = [];
  const look = (root) => root.querySelectorAll('*').forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches(kinds) || node.closest(elsewhere)) return;
    const { width, height, top, left } = node.getBoundingClientRect();
    const isInSight = top >= 0 && top < innerHeight && left >= 0 && left < innerWidth;
    if (isInSight && width > 2 && height > 2) found.push(node.innerText || node.ariaLabel);
  });
  look(document);
  return found;
}"""  # what leads to pages, views, tabs isn't this view's; a table's headings explain themselves


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_judgement_and_its_table_are_on_the_first_screen_and_stay(visit, width, height, link):
    visitor = visit(is_apart=True, viewport={"width": width, "height": height})
    visitor.page.add_init_script(WATCH_SHIFTS)
    visitor.open(link).see_rows()
    controls = visitor.page.evaluate(CONTROLS)
    assert len(controls) <= MOST_CONTROLS, controls
    expect(visitor.page.locator(".grade-word")).to_have_text("Mistake")
    for test_id in ("rv-verdict", "rv-decision"):
        box = visitor.one(test_id).bounding_box()
        assert box["y"] + box["height"] <= height
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    if width > height:
        tabs = visitor.page.get_by_role("tablist").first.bounding_box()
        assert tabs["y"] + tabs["height"] <= height
    assert visitor.page.evaluate("window.shift") <= MOST_SHIFT


def test_ten_keys_are_kept_while_a_judgement_is_made(visit):
    visitor = visit().open("?hand=south-nil&ply=4&iterations=500&seed=77").see_rows()
    expect(visitor.one("rv-verdict")).to_contain_text("Checking")
    for _ in range(10):
        visitor.press("ArrowRight")
        visitor.page.wait_for_timeout(50)  # the pace of the keys, not a wait for the page
    visitor.see_ply(14)
    visitor.see_address(ply="14")
    assert visitor.settle().ply == 14


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_slow_line_has_the_question_and_an_outline_until_the_fields_are_there(
    visit, width, height
):
    """Scripts of widgets come late; nothing moves when they do."""
    visitor = visit(is_apart=True, viewport={"width": width, "height": height})
    page = visitor.page
    late = []
    page.add_init_script(WATCH_SHIFTS)
    page.route(LATE_SCRIPTS, lambda route: late.append(route))
    page.goto(f"{visitor.home}/Bids", wait_until="commit")
    expect(page.get_by_text("What five bidders and the simulated human bid").first).to_be_visible()
    page.wait_for_function(f"() => ({OUTLINE})() === '1'")
    assert late
    page.unroute(LATE_SCRIPTS)  # lets them come
    expect(page.get_by_text("Every bidder's bid").first).to_be_visible()
    page.wait_for_function(f"() => ({OUTLINE})() !== '1'")
    assert page.evaluate("window.shift") <= MOST_SHIFT
