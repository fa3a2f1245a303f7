"""The beliefs view in the browser: what stands on hidden hands, and when nothing may."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

LINK = "?hand=south-nil&ply=12&view=beliefs&seat=W"

STEP = """(root, button) => {
  root.querySelector(`[data-testid=rv-${button}]`).click();
  const count = (cards) => root.querySelectorAll(`.hand ${cards}`).length;
  return [count('.belief'), count('.card.back')];
}"""


def step(visitor, button):
    """Chips and backs on the table in the same moment in which a button is clicked."""
    return tuple(visitor.one("rv-root").evaluate(STEP, button))


def chips(visitor, seat="N"):
    return visitor.one(f"rv-hand-{seat}").locator(".belief")


def see_beliefs(visitor):
    expect(chips(visitor).first).to_be_visible()
    return visitor


def test_hidden_hands_show_their_likeliest_cards_and_what_stands_behind(visit):
    visitor = see_beliefs(visit().open(f"{LINK}&believed=posterior"))
    for seat in "NES":
        expect(chips(visitor, seat)).to_have_count(10)
        name = visitor.one(f"rv-hand-{seat}").get_attribute("aria-label")
        assert re.search(r"10 cards, hidden; probably \w+ of \w+ \d+%, ", name)
    expect(chips(visitor, "W")).to_have_count(0)
    legend = (
        r"West’s beliefs: likeliest cards by posterior deals \(n = 1,000 from \d+, ±\d+ points\)"
    )
    expect(visitor.one("rv-beliefs")).to_contain_text(re.compile(legend))
    expect(visitor.page.locator(".belief[data-card]")).to_have_count(0)


def test_h_goes_round_three_views(visit):
    visitor = visit().open("?hand=south-nil&ply=12")
    for view, name in (("own", "One hand"), ("beliefs", "One hand + beliefs"), (None, "All hands")):
        visitor.press("h")
        visitor.see_address(view=view)
        expect(visitor.one("rv-view")).to_have_attribute("aria-label", name)
        expect(visitor.one("rv-beliefs")).to_be_visible(visible=view == "beliefs")
    visitor.press("?")
    expect(visitor.one("rv-help")).to_contain_text("all hands, one hand, one hand + beliefs")


def test_a_step_shows_backs_until_the_beliefs_of_that_very_ply_are_there(visit):
    visitor = see_beliefs(visit().open(LINK))
    first = chips(visitor).all_inner_texts()
    assert step(visitor, "next") == (0, 30)
    see_beliefs(visitor).see_address(ply="13")
    n_chips, n_backs = step(visitor, "prev")  # known already
    assert (n_chips, n_backs) == (30, 0)
    assert chips(visitor).all_inner_texts() == first


def test_spoiler_mode_hides_them_until_m(visit):
    visitor = visit().open(f"{LINK}&spoiler=1")
    expect(visitor.one("rv-beliefs")).to_contain_text("hidden in spoiler mode")
    visitor.settle()
    expect(visitor.page.locator(".belief")).to_have_count(0)
    visitor.press("m")
    see_beliefs(visitor)
    visitor.press("ArrowRight")
    expect(visitor.page.locator(".belief")).to_have_count(0)


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (400, True)])
def test_chips_stay_on_the_table_and_apart(visit, width, dark):
    scheme = "dark" if dark else "light"
    visitor = visit(viewport={"width": width, "height": 900}, color_scheme=scheme)
    see_beliefs(visitor.open(f"{LINK}&colors=4"))
    felt = visitor.page.locator(".felt").bounding_box()
    boxes = [chip.bounding_box() for chip in visitor.page.locator(".hand .belief").all()]
    assert len(boxes) == 30
    for box in boxes:
        assert box["x"] >= felt["x"]
        assert box["x"] + box["width"] <= felt["x"] + felt["width"]
    places = {(round(box["x"]), round(box["y"])) for box in boxes}
    assert len(places) == 30
    clipped = "chips => chips.filter((chip) => chip.scrollWidth > chip.clientWidth).length"
    assert visitor.page.locator(".hand .belief").evaluate_all(clipped) == 0
