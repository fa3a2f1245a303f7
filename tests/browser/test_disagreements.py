"""The list of disagreements in a browser: a row opens its decision, keys go on and back."""

import pytest
from playwright.sync_api import expect

from analysis.disagreements.judged import STAKES, judge, ranked
from analysis.disagreements.stored import shipped
from analysis.disagreements.table import decision_table
from spades.core.equivalence import equivalent_cards
from spades.human import load_model
from spades.notation.log_store import open_log
from tests.browser.visitor import box_at_rest

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]
FIRST_ROW = {"x": 45, "y": 52}  # of a table, below its head, in its first column
LIST = "?view=disagreements"
QUICK_MS = 50  # between two key presses
SCREENS = {"desk": {"width": 1280, "height": 720}, "phone": {"width": 390, "height": 844}}
CONTROLS = """() => {
  const kinds = 'button, input, select, [role=combobox], [role=radio]';
  return [...document.querySelectorAll('[data-testid=stMainBlockContainer]')]
    .flatMap((page) => [...page.querySelectorAll(kinds)])
    .filter((node) => !node.closest('.st-key-bar, .st-key-purpose, [role=tooltip]'))
    .filter((node) => node.checkVisibility() && node.getBoundingClientRect().top < innerHeight)
    .length;
}"""


def biggest():
    """Round and ply of the shipped search's disagreements, biggest first."""
    search = next(one for one in shipped() if one.question["log"] == "human-south")
    log = open_log("human-south")
    table = decision_table(search.rows, log, 0, load_model("devlin2016-nil"))
    rows = ranked(judge(table), STAKES, 1.0)
    return list(rows[["round", "ply"]].itertuples(index=False, name=None))


def cards_at(index, ply):
    """The highest card of each class at a decision."""
    seen = open_log("human-south").record(int(index)).observation(int(ply))
    return {seen.rules.cards.format_card(codes[0]) for codes in equivalent_cards(seen)}


def click_first_row(visitor, table):
    """Click the link of the first row of a table, once it has come to rest."""
    box = box_at_rest(table)
    mouse, at = visitor.page.mouse, (box["x"] + FIRST_ROW["x"], box["y"] + FIRST_ROW["y"])
    mouse.move(at[0] + 5, at[1], steps=3)
    visitor.page.wait_for_timeout(250)  # the table has to see the cell under the mouse
    mouse.click(*at)


def open_list(visitor, query=LIST):
    visitor.page.goto(f"{visitor.home}/{query}")
    expect(rows(visitor).first).to_be_visible()
    return visitor.settle()


def rows(visitor):
    return visitor.page.locator(".list .row")


def see_place(visitor, place, at):
    """The decision ``at`` of the list is open."""
    index, ply = place
    expect(visitor.page.locator(".steps .place")).to_have_text(f"{at} of {len(biggest())}")
    visitor.see_address(hand=f"log.human-south.{index}", ply=str(ply))
    visitor.see_ply(ply)


def test_a_row_opens_its_decision_and_keys_go_on_and_back(visit):
    places = biggest()
    visitor = open_list(visit())
    rows(visitor).nth(1).click()
    see_place(visitor, places[1], 2)
    visitor.see_rows()
    assert set(visitor.visits()) == cards_at(*places[1])
    for _ in range(10):
        visitor.press("j")
        visitor.page.wait_for_timeout(QUICK_MS)
    see_place(visitor, places[11], 12)
    visitor.press("ArrowRight", "k")
    see_place(visitor, places[10], 11)
    visitor.page.reload()
    see_place(visitor, places[10], 11)
    visitor.settle()
    visitor.press("u")
    expect(rows(visitor).nth(10)).to_be_focused()
    expect(rows(visitor).nth(10)).to_be_in_viewport()
    visitor.see_address(hand=None)
    visitor.press("ArrowDown", "Enter")
    see_place(visitor, places[11], 12)
    expect(visitor.one("rv-table")).to_be_in_viewport()
    visitor.page.go_back()
    expect(rows(visitor).first).to_be_visible()


def test_the_page_of_the_list_is_found_again(visit):
    visitor = open_list(visit())
    n_rows = rows(visitor).count()
    visitor.page.get_by_role("button", name="Next page").click()
    visitor.see_address(page="2")
    visitor.settle()
    rows(visitor).first.click()
    see_place(visitor, biggest()[n_rows], n_rows + 1)
    visitor.page.get_by_role("button", name="Previous disagreement").click()
    see_place(visitor, biggest()[n_rows - 1], n_rows)
    visitor.page.get_by_role("button", name="Back to the list").click()
    expect(rows(visitor).last).to_be_focused()
    visitor.see_address(page=None)


@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_screen_has_the_answer_and_rows(visit, screen):
    visitor = open_list(visit(viewport=SCREENS[screen]), "Disagreements?seat=S")
    visitor.see_address(view="disagreements", seat="S")
    answer = visitor.page.get_by_role("heading", name="decisions are disagreements")
    expect(answer).to_be_in_viewport(ratio=1)
    expect(rows(visitor).nth(1)).to_be_in_viewport(ratio=1)
    assert visitor.page.evaluate(CONTROLS) <= 12


def test_a_heading_explains_its_column_on_tap_and_by_key(visit):
    visitor = open_list(visit(viewport=SCREENS["desk"], has_touch=True), LIST)
    told = visitor.page.locator(".list .told")
    visitor.page.get_by_role("button", name="Legal cards").tap()
    expect(told).to_contain_text("the best is underlined")
    visitor.press("Tab")
    expect(told).to_contain_text("By the judge")
    rows(visitor).first.focus()
    expect(told).to_be_hidden()
