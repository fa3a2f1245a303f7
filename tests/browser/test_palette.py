"""Ctrl K finds pages, views, hands, logs, agents and terms, and leads there."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.charts import go_to
from tests.browser.test_every_page import AXE, FAULTS
from ui.shared.bar import FIND
from ui.shared.pages import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

DESK = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def reader(visit_once):
    return go_to(visit_once(viewport=DESK), "Papers")


def open_palette(visitor):
    expect(visitor.page.locator("[data-tool=find]").first).to_be_attached()
    visitor.press("ControlOrMeta+k")
    dialog = visitor.page.get_by_role("dialog", name="Find")
    expect(dialog.get_by_role("link")).to_have_count(len(PAGES))
    expect(dialog.get_by_role("textbox")).to_be_focused()
    return dialog


@pytest.mark.parametrize(
    ("words", "found", "address"),
    [
        ("agents", "Agents", r"/Agents"),
        ("nil curves", "Nil curves", r"/Bids\?.*view=curves"),
        ("south bids nil", "South bids nil: four searches (simulated)", r"/\?hand=south-nil"),
        ("four-srp", "four-srp-nil", r"/Data\?log=four-srp-nil"),
        ("agent tempered", "tempered", r"/Play\?.*left=tempered"),
        ("devlin2016-nil", "devlin2016-nil", r"/Agents\?.*model=devlin2016-nil"),
    ],
)
def test_enter_leads_to_the_first_place_found(reader, words, found, address):
    dialog = open_palette(reader)
    reader.page.keyboard.type(words)
    expect(dialog.get_by_role("link").first).to_contain_text(found)
    reader.press("Enter")
    expect(dialog).to_be_hidden()
    expect(reader.page).to_have_url(re.compile(address))
    reader.settle()


def test_a_term_opens_in_the_glossary(reader):
    dialog = open_palette(reader)
    reader.page.keyboard.type("stakes")
    expect(dialog.get_by_role("button").first).to_contain_text("Term")
    reader.press("Enter")
    glossary = reader.page.get_by_role("dialog", name="Glossary")
    expect(glossary.get_by_label("Search the glossary")).to_have_value("Stakes")
    expect(glossary.get_by_text("Stakes", exact=True)).to_be_visible()
    reader.press("Escape")
    expect(glossary).to_have_count(0)
    reader.settle()


def test_the_list_drawn_again_keeps_the_place_that_a_reader_stepped_to(reader):
    asked = []
    reader.page.route("**/find/places", lambda route: asked.append(route))  # and let through later
    dialog = open_palette(reader)
    reader.page.keyboard.type("nil")
    reader.press("ArrowDown", "ArrowDown")
    second = dialog.locator("li").nth(1).locator("a, button")
    expect(second).to_be_focused()
    asked.pop().continue_()
    expect(dialog.get_by_role("status")).not_to_have_text("Looking ...")
    expect(second).to_be_focused()
    reader.page.unroute("**/find/places")
    reader.press("Escape")
    expect(dialog).to_be_hidden()


def test_enter_before_the_places_are_loaded_leads_there_once_they_are(reader):
    asked = []
    reader.page.route("**/find/places", lambda route: asked.append(route))  # and let through later
    reader.press("ControlOrMeta+k")
    dialog = reader.page.get_by_role("dialog", name="Find")
    expect(dialog.get_by_role("status")).to_have_text("Looking ...")
    reader.page.keyboard.type("league")
    reader.press("Enter")
    asked.pop().continue_()
    expect(dialog).to_be_hidden()
    expect(reader.page).to_have_url(re.compile(r"/Agents\?.*view=league"))
    reader.page.unroute("**/find/places")
    reader.settle()


def test_arrow_keys_choose_typing_goes_on_and_escape_closes(reader):
    dialog = open_palette(reader)
    field = dialog.get_by_role("textbox")
    reader.page.keyboard.type("nil")
    reader.press("ArrowDown", "ArrowDown")
    expect(dialog.locator("li").nth(1).locator("a, button")).to_be_focused()
    reader.page.keyboard.type(" curve")
    expect(field).to_have_value("nil curve")
    reader.press("ArrowDown", "ArrowUp")
    expect(field).to_be_focused()
    reader.page.keyboard.type(" no such thing")
    expect(dialog.get_by_role("status")).to_have_text("0 found")
    reader.press("Escape")
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read(reader, scheme):
    reader.page.emulate_media(color_scheme=scheme)
    open_palette(reader)
    reader.page.keyboard.type("nil")
    reader.page.evaluate(AXE)
    assert reader.page.evaluate(FAULTS, {}) == []
    reader.press("Escape")


def test_nothing_is_asked_for_before_it_is_opened(visit):
    visitor = visit(viewport=DESK)
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    go_to(visitor, "Papers")
    assert not [url for url in asked if FIND in url]
    open_palette(visitor)
    assert [url for url in asked if FIND in url]


def test_on_a_phone_the_menu_has_it(visit):
    visitor = go_to(visit(viewport=PHONE), "Papers")
    expect(visitor.page.locator(".st-key-bar_right [data-tool=find]")).to_be_hidden()
    visitor.page.locator(".st-key-bar_menu button").first.click()
    visitor.one("stPopoverBody").get_by_role("button", name="Find").click()
    field = visitor.page.get_by_role("dialog", name="Find").get_by_role("textbox")
    field.fill("league")
    visitor.press("Enter")
    expect(visitor.page).to_have_url(re.compile("/Agents"))
