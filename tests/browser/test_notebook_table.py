"""The widget in a browser, with a notebook's side of anywidget made by hand."""

import json

import pytest
from playwright.sync_api import expect

import spades

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]
PLY = 24
MOUNT = """
async ([esm, css, values]) => {
  const style = document.createElement('style');
  style.textContent = css;
  document.head.append(style);
  const listeners = [];
  window.model = {
    saved: [],
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    save_changes: () => { window.model.saved.push(values.ply); },
    on: (name, listener) => { listeners.push(listener); },
    off: () => {},
  };
  const url = URL.createObjectURL(new Blob([esm], { type: 'text/javascript' }));
  const { default: widget } = await import(url);
  widget.render({ model: window.model, el: document.querySelector('#host') });
}
"""


@pytest.fixture(scope="module")
def record():
    (record,) = spades.read("bug-report-335")
    return record


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(
        "<!doctype html><body><input id=other><table class=table><tr><td>mine</table>"
        "<div id=host></div></body>"
    )
    yield page
    page.close()
    assert not errors


def mount(page, table):
    values = {"shown": table.shown, "decisions": table.decisions, "ply": table.ply}
    page.evaluate(MOUNT, [table._esm, table._css, json.loads(json.dumps(values))])


def ply_of(page):
    return page.get_by_test_id("rv-ply").inner_text()


def test_buttons_and_keys_step_and_the_kernel_is_told(page, record):
    mount(page, spades.show(record, PLY, agent="ismcts:iterations=50", seconds=0))
    assert ply_of(page) == str(PLY)
    expect(page.get_by_test_id("rv-row")).to_have_count(5)
    page.get_by_test_id("rv-next").click()
    assert ply_of(page) == str(PLY + 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert ply_of(page) == str(PLY - 1)
    page.wait_for_function(f"window.model.saved.at(-1) === {PLY - 1}")


def test_keys_stay_with_the_notebook_until_the_table_has_the_focus(page, record):
    mount(page, spades.show(record, PLY, agent="ismcts:iterations=50", seconds=0))
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("ArrowRight")
    page.locator("#other").press("ArrowRight")
    assert ply_of(page) == str(PLY)
    page.locator(".rv-root").focus()
    page.keyboard.press("ArrowRight")
    assert ply_of(page) == str(PLY + 1)


def test_nothing_else_in_the_notebook_changes_its_look(page, record):
    display = "getComputedStyle(document.querySelector('body > .table')).display"
    before = page.evaluate(display)
    mount(page, spades.show(record, PLY, agent="ismcts:iterations=50", seconds=0))
    assert page.evaluate(display) == before == "table"
    felt = page.locator(".felt")
    assert felt.evaluate("node => getComputedStyle(node).display") == "grid"


def test_an_observation_shows_one_hand_and_its_decision(page, record):
    seen = record.observation(PLY)
    mount(page, spades.show(seen, agent="ismcts:iterations=50"))
    expect(page.get_by_test_id("rv-row")).to_have_count(5)
    expect(page.locator(".hand .card:not(.back)")).to_have_count(13)
    expect(page.locator(".hand .card.back")).to_have_count(3 * 7)
    expect(page.get_by_test_id("rv-view")).to_be_hidden()
    expect(page.get_by_test_id("rv-next")).to_be_disabled()
    page.get_by_test_id("rv-prev").click()
    expect(page.get_by_text("cards hidden in this view")).to_be_visible()
    expect(page.get_by_role("button", name="All hands")).to_have_count(0)
