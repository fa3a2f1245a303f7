"""The bar in a browser: a job in it takes no page away and moves nothing."""

import pytest
from playwright.sync_api import expect

from tests.browser.charts import go_to
from tests.browser.conftest import running_server
from tests.browser.visitor import wait_until
from ui.shared.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

LONG = "Tune?view=match&ns=wrp%2Brb&ew=srp%2Brb&games=90000"  # minutes, and soon stopped
DESK = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
JOBS = ".st-key-bar_jobs button"
PLACES = """() => Object.fromEntries(
  [...document.querySelectorAll('.st-key-bar a, .st-key-bar button')]
    .filter((node) => !node.closest('.st-key-bar_jobs') && node.offsetWidth)
    .map((node) => {
      const box = node.getBoundingClientRect();
      return [node.innerText.trim().split('\\n').at(-1), [box.x, box.y, box.width, box.height]];
    }))"""
OVERLAPPED = """() => {
  const jobs = document.querySelector('.st-key-bar_jobs button').getBoundingClientRect();
  return [...document.querySelectorAll('.st-key-bar a, .st-key-bar button')]
    .filter((node) => !node.closest('.st-key-bar_jobs') && node.offsetWidth)
    .filter((node) => {
      const box = node.getBoundingClientRect();
      return box.x < jobs.right && jobs.x < box.right;
    })
    .map((node) => node.innerText);
}"""


@pytest.fixture
def own_server(tmp_path):
    """One on which no other test has left a job."""
    folders = {f"SPADES_{name}": str(tmp_path / name) for name in ("RESULTS", "LOGS", "GAMES")}
    with running_server(**folders) as address:
        yield address


def places(visitor):
    """Where every link and button of the bar but the jobs' own is, by size of the window."""
    found = {}
    for name, size in (("desk", DESK), ("phone", PHONE)):
        visitor.page.set_viewport_size(size)
        visitor.page.wait_for_timeout(300)
        found[name] = visitor.page.evaluate(PLACES)
        if visitor.page.locator(JOBS).count():
            assert visitor.page.evaluate(OVERLAPPED) == []
            expect(visitor.page.locator(JOBS)).to_be_in_viewport(ratio=1)
    visitor.page.set_viewport_size(DESK)
    return found


@pytest.mark.exhaustive
def test_a_job_in_the_bar_hides_no_page_and_moves_nothing(visit, own_server):
    visitor = go_to(visit(own_server, viewport=DESK), LONG)
    page = visitor.page
    expect(page.locator(JOBS)).to_have_count(0)
    before = places(visitor)
    assert {one.title for one in PAGES} <= set(before["desk"])
    assert max(x + width for x, _, width, _ in before["desk"].values()) <= DESK["width"]
    assert max(x + width for x, _, width, _ in before["phone"].values()) <= PHONE["width"]

    visitor.button("Play the match").click()
    expect(page.locator(JOBS)).to_contain_text("running")
    assert places(visitor) == before

    page.locator(JOBS).click()
    visitor.one("stPopoverBody").get_by_role("button", name="Cancel").click()
    page.keyboard.press("Escape")
    expect(page.locator(JOBS)).to_contain_text("ended")
    visitor.settle()
    wait_until(lambda: places(visitor) == before, lambda: f"{places(visitor)}", page=page)
