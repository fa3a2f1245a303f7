"""A first visit: three doors on the landing page, and a tour of it in five spotlights."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.browser.charts import go_to
from tests.browser.test_every_page import AXE, FAULTS
from ui.shared.pages import page_of

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

DESK = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
REFUSED = """Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('refused', 'SecurityError'); }
})"""
TITLES = ["The judgement", "Every legal card", "The whole hand", "Your own hand", "All pages"]


@pytest.fixture
def newcomer(visit):
    return visit(viewport=DESK).open().see_rows()


def doors(visitor):
    return visitor.page.get_by_role("navigation", name="Ways in")


def door(visitor, name):
    return doors(visitor).get_by_role("button", name=name)


@contextmanager
def hidden_from_scripts(visitor, key):
    """What has this key can't be found by it, as before it is drawn."""
    place = visitor.page.locator(f".st-key-{key}")
    expect(place.locator("a").first).to_be_visible()
    found = place.evaluate_handle("(node) => [node, node.className]")
    found.evaluate("([node]) => { node.className = ''; }")
    yield
    found.evaluate("([node, name]) => { node.className = name; }")


def test_the_doors_stay_until_they_are_closed_and_the_tour_shows_them_again(newcomer):
    expect(doors(newcomer).get_by_role("button")).to_have_count(4)
    newcomer.page.reload()
    expect(doors(newcomer)).to_be_visible()
    door(newcomer, "Close").click()
    expect(doors(newcomer)).to_be_hidden()
    newcomer.open().see_rows()
    expect(doors(newcomer)).to_be_hidden()
    newcomer.page.locator("[data-tool=tour]").first.click()
    newcomer.press("Escape")
    expect(doors(newcomer)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_doors_can_be_read(newcomer, scheme):
    newcomer.page.emulate_media(color_scheme=scheme)
    newcomer.page.evaluate(AXE)
    assert newcomer.page.evaluate(FAULTS, {}) == []


def test_other_pages_keep_their_line_on_a_first_visit(visit):
    visitor = go_to(visit(viewport=PHONE), "Papers")
    expect(visitor.page.get_by_text(page_of("Papers").line)).to_be_visible()


def test_a_link_has_no_doors(visit):
    visitor = visit(viewport=DESK).open("?hand=four-bots").see_rows()
    expect(doors(visitor)).to_be_hidden()


def test_the_doors_work_where_the_browser_remembers_nothing(visit):
    visitor = visit(is_apart=True, viewport=DESK)
    visitor.page.add_init_script(REFUSED)
    visitor.open().see_rows()
    door(visitor, "Close").click()
    expect(doors(visitor)).to_be_hidden()
    visitor.open()
    expect(doors(visitor)).to_be_visible()


def test_each_door_leads_somewhere(newcomer):
    door(newcomer, "Inspect a decision").click()
    expect(newcomer.page.get_by_role("dialog")).to_contain_text(TITLES[0])
    newcomer.press("Escape")
    expect(doors(newcomer)).to_be_hidden()
    newcomer.page.locator("[data-tool=tour]").first.click()
    newcomer.press("Escape")
    door(newcomer, "I have a complaint").click()
    expect(newcomer.page.get_by_label("Paste a record")).to_be_focused()
    newcomer.press("Escape")
    newcomer.page.locator("[data-tool=tour]").first.click()
    newcomer.press("Escape")
    door(newcomer, "Play and train").click()
    expect(newcomer.page.get_by_role("heading", name="Play", level=1)).to_be_visible()


def test_a_door_waits_for_what_it_opens(newcomer):
    with hidden_from_scripts(newcomer, "bar_pages"):
        door(newcomer, "Play and train").click()
        newcomer.page.wait_for_timeout(300)
    expect(newcomer.page.get_by_role("heading", name="Play", level=1)).to_be_visible()


@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_each_spotlight_has_a_target_and_a_text_within_the_window(visit, size, scheme):
    visitor = visit(viewport=size, color_scheme=scheme).open().see_rows()
    page = visitor.page
    before = visitor.one("rv-verdict").bounding_box()
    page.locator("[data-tool=tour]").first.click()
    card = page.locator(".spotlights .card")
    ring = page.locator(".spotlights .ring")
    for i, title in enumerate(TITLES, start=1):
        expect(card.get_by_role("heading")).to_have_text(title)
        expect(card).to_contain_text(f"{i} of {len(TITLES)}")
        page.wait_for_timeout(100)  # a frame or two, until both are placed
        for shown in (card.bounding_box(), ring.bounding_box()):
            assert shown["x"] >= 0
            assert shown["y"] >= 0
            assert shown["x"] + shown["width"] <= size["width"]
            assert shown["y"] + shown["height"] <= size["height"]
            assert shown["width"] > 40
            assert shown["height"] > 20
        if i == 2:
            page.evaluate(AXE)
            assert page.evaluate(FAULTS, {}) == []
        visitor.press("Enter")  # the focus is on the button that leads on
    expect(card).to_be_hidden()
    page.get_by_test_id("stMain").evaluate("(node) => node.scrollTo(0, 0)")
    assert visitor.one("rv-verdict").bounding_box() == before


def test_the_tour_goes_back_and_ends_by_escape_where_it_began(newcomer):
    tour = newcomer.page.locator("[data-tool=tour]").first
    tour.click()
    heading = newcomer.page.locator(".spotlights h2")
    newcomer.press("ArrowRight", "ArrowRight")
    expect(heading).to_have_text(TITLES[2])
    newcomer.page.get_by_role("button", name="Back").click()
    expect(heading).to_have_text(TITLES[1])
    newcomer.press("Escape")
    expect(newcomer.page.get_by_role("dialog")).to_have_count(0)
    expect(tour).to_be_focused()
    assert newcomer.settle().ply == 20  # its keys step the tour, not the hand


def test_what_is_not_there_is_left_out(newcomer):
    newcomer.page.add_style_tag(content=".st-key-replay_toolbar { display: none !important }")
    newcomer.page.locator("[data-tool=tour]").first.click()
    expect(newcomer.page.locator(".spotlights .card")).to_contain_text("1 of 4")


def test_the_tour_of_another_page_begins_on_the_landing_page(visit):
    visitor = go_to(visit(viewport=DESK), "Data")
    visitor.page.clock.install()
    visitor.page.locator("[data-tool=tour]").first.click()
    visitor.page.clock.fast_forward("01:00")  # however long the landing page takes to come
    expect(visitor.page.locator(".spotlights h2")).to_have_text(TITLES[0])
    expect(visitor.page.get_by_role("heading", name="Replay", level=1)).to_be_attached()


def test_the_tour_waits_for_a_link_that_is_not_drawn_yet(visit):
    visitor = go_to(visit(viewport=DESK), "Data")
    with hidden_from_scripts(visitor, "bar_name"):
        visitor.page.locator("[data-tool=tour]").first.click()
        visitor.page.wait_for_timeout(300)
    expect(visitor.page.locator(".spotlights h2")).to_have_text(TITLES[0])


def test_a_tour_that_has_not_begun_is_left_for_another_click(visit):
    visitor = go_to(visit(viewport=DESK), "Data")
    expect(visitor.page.locator(".st-key-bar_name a")).to_be_visible()
    visitor.page.evaluate(
        """() => {
          document.querySelector('[data-tool=tour]').click();
          document.body.click();
        }"""
    )
    expect(visitor.page.get_by_role("heading", name="Replay", level=1)).to_be_attached()
    visitor.see_rows()
    expect(visitor.page.get_by_role("dialog")).to_have_count(0)
