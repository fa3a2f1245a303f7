"""The page as a whole: no errors, nothing from outside, sizes, colours, other pages and back."""

import math
import re

import pytest
from playwright.sync_api import expect

from tests.browser.charts import go_to
from tests.browser.visitor import wait_until
from ui.shared.page import APP_NAME
from ui.shared.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_tour_meets_no_error_and_asks_nobody_else(visit):
    visitor = visit()
    visitor.page.goto(f"{visitor.home}/Agents?from=a-deep-link")
    expect(visitor.page.get_by_role("heading", name="Agents")).to_be_visible()
    expect(visitor.one("stPlotlyChart").first).to_be_visible()
    visitor.settle()
    assert visitor.complaints == []
    visitor.open("?hand=deal-231").see_text("A deal without plays")
    visitor.open("?hand=south-nil&ply=20").see_rows()
    visitor.press("n", "m", "h", "1", "?", "Escape", "End")
    for popover in ("Open a hand", "Share", "Settings"):
        visitor.open_popover(popover)
        visitor.press("Escape")
    visitor.settle()
    assert visitor.complaints == []


@pytest.mark.slow
def test_settings_survive_another_page(visit):
    visitor = visit().open("?hand=four-bots&iterations=500&seed=3&exploration=0.5&colors=4&more=1")
    visitor.see_rows()
    visitor.press("ArrowRight")
    visitor.see_address(ply="1")
    expect(visitor.page.locator(".first-look")).to_have_count(0)  # the means, which stay
    before = visitor.address
    visits = visitor.visits()
    visitor.page.get_by_role("link", name="Agents").click()
    expect(visitor.page.get_by_role("heading", name="Agents")).to_be_visible()
    visitor.page.get_by_role("link", name="Replay").click()
    visitor.see_rows()
    visitor.see_address(**before)
    assert visitor.visits() == visits


@pytest.mark.exhaustive
def test_a_link_clicked_before_a_report_leads_away(visit):
    visitor = visit().open("?hand=four-bots&iterations=500")
    visitor.see_rows()
    visitor.press("ArrowRight", "ArrowRight")
    for _ in range(6):
        # At once, while the view still has to tell Python where the reader is.
        visitor.page.get_by_role("link", name="Agents").click()
        expect(visitor.page.get_by_role("heading", name="Agents")).to_be_visible()
        visitor.settle().page.get_by_role("link", name="Replay").click()
        visitor.rows.first.wait_for()
        visitor.see_ply(2)  # where the reader was


@pytest.mark.slow
def test_a_slow_change_of_the_page_is_not_called_back(visit):
    visitor = visit(is_apart=True)  # with a connection of its own
    held, is_slow = [], []

    def carry(browser_side):
        server_side = browser_side.connect_to_server()
        browser_side.on_message(server_side.send)
        server_side.on_message(lambda m: held.append(m) if is_slow else browser_side.send(m))
        is_slow.clear()
        held.clear()
        ends.append(browser_side)

    ends = []
    visitor.page.route_web_socket(re.compile("_stcore/stream"), carry)
    visitor.open("?hand=four-bots&iterations=500").see_rows()
    visitor.press("ArrowRight")
    is_slow.append(True)  # from now on the browser hears nothing of the server
    visitor.page.get_by_role("link", name="Agents").click()
    visitor.page.wait_for_timeout(1000)
    visitor.press("ArrowRight")
    visitor.page.wait_for_timeout(3000)
    is_slow.clear()
    for message in held:
        ends[-1].send(message)
    expect(visitor.page.get_by_role("heading", name="Agents")).to_be_visible()
    visitor.settle().page.wait_for_timeout(1000)  # a late report would have gone off by now
    expect(visitor.page.get_by_role("heading", name="Agents")).to_be_visible()
    visitor.page.get_by_role("link", name="Replay").click()
    visitor.see_rows()
    visitor.see_ply(2)


def test_opening_the_settings_changes_none(visit):
    visitor = visit().open("?iterations=500&seed=3&exploration=0.5&threshold=0.3&colors=4")
    visitor.see_rows()
    visitor.one("rv-next").click()
    visitor.see_address(ply="1")
    before = visitor.settle().address
    body = visitor.open_settings("Search")
    expect(body.get_by_test_id("stSliderThumbValue").first).to_have_text("500")
    visitor.press("Escape", "ArrowRight")
    visitor.see_address(**{**before, "ply": "2"})
    assert visitor.settle().address == {**before, "ply": "2"}


def test_at_phone_width_nothing_scrolls_sideways(visit):
    visitor = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    visitor.open("?hand=four-bots&ply=5").see_rows()
    for _ in range(2):
        width = visitor.page.evaluate("document.scrollingElement.scrollWidth")
        assert width <= 390
        for box in boxes(visitor, "rv-table", "rv-decision", "rv-verdict", "rv-next"):
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
        visitor.one("rv-next").tap()
        visitor.see_ply(6)
        visitor.one("rv-prev").tap()
        visitor.see_ply(5)


@pytest.mark.slow
def test_every_page_is_one_click_away_on_a_desk_and_two_on_a_phone(visit):
    visitor = visit(viewport={"width": 1280, "height": 720}).open("?hand=four-bots").see_rows()
    bar = visitor.page.locator(".st-key-bar")
    for page in [one.title for one in PAGES[1:]]:
        bar.get_by_role("link", name=page, exact=True).click()
        expect(visitor.page).to_have_title(f"{page} · {APP_NAME}")
        visitor.page.wait_for_function(IS_MARKED, arg=page)
    visitor.settle().page.mouse.wheel(0, 5000)
    expect(bar).to_be_in_viewport()
    assert bar.bounding_box()["height"] < 60
    visitor.page.set_viewport_size({"width": 390, "height": 844})
    for page in ("Agents", "Bids", "Replay"):
        expect(bar.get_by_role("link", name=page)).to_have_count(0)
        bar.get_by_role("button").first.click()
        visitor.page.get_by_role("link", name=page, exact=True).click()
        expect(visitor.page).to_have_title(f"{page} · {APP_NAME}")
        expect(visitor.one("stPopoverBody")).to_have_count(0)
        assert bar.bounding_box()["height"] < 60
    visitor.see_rows()


def top(element):
    """Where an element begins; NaN while it is drawn anew."""
    box = element.bounding_box()
    return box["y"] if box else math.nan


@pytest.mark.slow
@pytest.mark.parametrize(
    ("link", "answer", "beside"),
    [
        ("Data?log=four-srp-nil", "data_answer", "[class*=st-key-logs_]"),
        ("Bids?view=nil", "nil_place_answer", ".st-key-nil-suits_csv"),
    ],
)
def test_the_answer_comes_first_in_a_window_that_is_made_narrow(visit, link, answer, beside):
    """A phone is known by its browser's name before the page is drawn, a window by its width."""
    visitor = go_to(visit(), link)
    first = visitor.page.locator(f".st-key-{answer}")
    second = visitor.page.locator(beside)
    expect(first).to_be_visible()
    expect(second).to_be_visible()
    visitor.settle()
    assert second.bounding_box()["x"] < first.bounding_box()["x"]
    visitor.page.set_viewport_size({"width": 700, "height": 900})
    wait_until(
        lambda: top(second) > top(first),
        lambda: "the answer isn't first",
        page=visitor.page,
    )


def test_the_glossary_is_one_click_away_and_searched(visit):
    visitor = visit().open("?hand=four-bots").see_rows()
    visitor.button("Glossary").click()
    dialog = visitor.page.get_by_role("dialog")
    dialog.get_by_label("Search the glossary").fill("pr(CNIL)")
    visitor.press("Enter")
    expect(dialog.get_by_text("Nil value", exact=True)).to_be_visible()
    expect(dialog.get_by_text("Stakes", exact=True)).to_have_count(0)
    visitor.press("Escape")
    expect(dialog).to_have_count(0)
    visitor.press("ArrowRight")
    visitor.see_ply(1)


def test_the_glossary_stays_open_while_the_page_behind_is_judged(visit):
    visitor = visit().open("?hand=south-nil&ply=20&seed=4711&iterations=1000").see_rows()
    visitor.button("Glossary").click()
    dialog = visitor.page.get_by_role("dialog")
    wanted = dialog.get_by_label("Search the glossary")
    wanted.fill("pr(CNIL)")
    visitor.page.wait_for_timeout(6000)
    expect(wanted).to_have_value("pr(CNIL)")
    visitor.press("Enter")
    expect(dialog.get_by_text("Stakes", exact=True)).to_have_count(0)
    visitor.press("Escape")
    expect(dialog).to_have_count(0)
    visitor.see_text(re.compile("(Clear|Toss-up|Leans|Judges differ|All equal)"))


def test_escape_closes_a_dialog_that_has_lost_the_focus(visit):
    """As it does where the page behind it is drawn anew."""
    visitor = visit().open("?hand=four-bots").see_rows()
    visitor.button("Glossary").click()
    dialog = visitor.page.get_by_role("dialog")
    expect(dialog.get_by_label("Search the glossary")).to_be_visible()
    visitor.page.evaluate("() => document.activeElement.blur()")
    visitor.press("Escape")
    expect(dialog).to_have_count(0)


def test_the_glossary_is_there_until_it_is_closed_whatever_is_drawn(visit):
    visitor = visit().open("?hand=four-bots").see_rows()
    dialog = visitor.page.get_by_role("dialog")
    visitor.page.evaluate(CLICK, ["Glossary"])
    visitor.one("rv-next").dispatch_event("click")
    visitor.see_ply(1)
    visitor.one("rv-next").dispatch_event("click")
    visitor.see_ply(2)
    for close in (
        lambda: visitor.press("Escape"),
        lambda: visitor.page.mouse.click(9, 400),
        lambda: dialog.get_by_role("button", name="Close").click(),
    ):
        expect(visitor.settle().page.get_by_label("Search the glossary")).to_be_visible()
        close()
        expect(dialog).to_have_count(0)
        visitor.settle()
        expect(dialog).to_have_count(0)
        visitor.button("Glossary").click()
    expect(dialog).to_be_visible()


CLICK = """names => names.forEach((name) => [...document.querySelectorAll('button')]
  .find((button) => button.innerText.includes(name))
  .dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1})))"""  # behind a dialog, too


def test_on_a_desk_the_main_loop_needs_no_scrolling(visit):
    visitor = visit().open().see_rows()
    for key in ("ArrowRight", "n", "n", "n", "End"):
        for box in boxes(visitor, "rv-root", "rv-decision", "rv-verdict", "rv-graph", "rv-next"):
            assert box["y"] + box["height"] <= 900
            assert box["x"] + box["width"] <= 1440
        visitor.press(key)


IS_MARKED = """page => page === [...document.querySelectorAll('.st-key-bar_pages a p')].filter(
  text => getComputedStyle(text).fontWeight > 500).map(text => text.innerText).join()"""


def boxes(visitor, *test_ids):
    """Where the visible ones of some elements are."""
    found = [visitor.one(test_id).first.bounding_box() for test_id in test_ids]
    return [box for box in found if box]


def test_dark_and_light_differ(visit):
    seen = {}
    for scheme in ("light", "dark"):
        visitor = visit(color_scheme=scheme).open().see_rows()
        background = visitor.one("stApp").evaluate("node => getComputedStyle(node).backgroundColor")
        felt = visitor.page.locator(".felt").evaluate("node => getComputedStyle(node).background")
        seen[scheme] = (brightness(background), felt)
    assert seen["light"][0] > 200 > 60 > seen["dark"][0]
    assert seen["light"][1] != seen["dark"][1]


def brightness(color):
    numbers = color[color.index("(") + 1 : -1].split(",")
    return sum(float(number) for number in numbers[:3]) / 3
