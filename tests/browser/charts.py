"""Charts and tables of a page as a person uses them: points clicked, rows opened, labels read."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.visitor import PATIENCE, TWO_FRAMES, Visitor, box_at_rest

CUT = """(chart, selectors) => {
  const frame = chart.getBoundingClientRect();
  return [...chart.querySelectorAll(selectors)].filter((label) => {
    const box = label.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > Math.min(frame.right, innerWidth) + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  }).map((label) => label.textContent);
}"""
OVERLAPPING = """(chart, selector) => {
  const boxes = [...chart.querySelectorAll(selector)].map((text) => text.getBoundingClientRect());
  return boxes.filter((a, i) => boxes.some((b, j) => j > i && a.left < b.right - 1
    && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
}"""
WIDER = "() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"


def go_to(visitor: Visitor, page: str) -> Visitor:
    """A page by its address, settled and without a traceback."""
    visitor.page.goto(f"{visitor.home}/{page}")
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    return see_no_traceback(visitor)


def see_no_traceback(visitor: Visitor) -> Visitor:
    visitor.settle()
    expect(visitor.one("stException")).to_have_count(0)
    return visitor


def chart(visitor: Visitor, key: str) -> Locator:
    """A drawn chart, by the beginning of its key."""
    found = visitor.page.locator(f"[class*='st-key-{key}'] .js-plotly-plot")
    expect(found.locator(".main-svg").first).to_be_visible()
    return found


def click_point(visitor: Visitor, point: Locator) -> None:
    """A mouse click in the middle of a mark, which the chart's own layer takes."""
    box = box_at_rest(point)
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    visitor.page.mouse.move(*middle)
    visitor.page.evaluate(TWO_FRAMES)
    visitor.page.mouse.click(*middle)
    see_no_traceback(visitor)


def open_first_row(visitor: Visitor, table: Locator) -> Page:
    """The page that the link in the first row's first cell opens."""
    table.scroll_into_view_if_needed()
    expect(table.locator("canvas").first).to_be_visible()
    visitor.page.wait_for_timeout(500)  # drawn on a canvas: nothing in the page tells when
    link = {"x": 30, "y": 52}
    table.hover(position=link)
    visitor.page.wait_for_timeout(300)
    with visitor.page.context.expect_page(timeout=PATIENCE * 1000) as opened:
        table.click(position=link)
    return opened.value
