"""The "why this card" panels in a browser: opened, stopped, gone on with, found again."""

import re

import pytest
from playwright.sync_api import expect

from analysis.decisions.card_beliefs import METHODS
from tests.browser.charts import WIDER, chart, see_no_traceback
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

PROGRESS = re.compile(r"([\d,]+) of 1,000 searches, ")  # with the time left
STOPPED = re.compile(r"([\d,]+) of 1,000 searches so far; what is done is stored\.")


def count(visitor, pattern):
    text = visitor.page.get_by_text(pattern).first.inner_text()
    return int(pattern.search(text)[1].replace(",", ""))


def stop(visitor):
    """Stop the panel's run, not that of the round's search; wait until it has stopped."""
    button = visitor.page.locator(".st-key-replay_stability_cancel button")
    button.click()
    expect(button).to_have_count(0)
    visitor.see_text(STOPPED)


def open_tab(visitor, title):
    visitor.page.get_by_role("tab", name=title, exact=True).click()
    visitor.settle()


START = re.compile("^(Search 1,000 times|Go on to 1,000)$")  # the verdict has made some already


@pytest.mark.exhaustive
def test_decision_stability_is_stopped_gone_on_with_and_found_again(visit):
    visitor = visit().open("?hand=south-nil&ply=12&iterations=50000&searches=1000")
    visitor.see_rows()
    open_tab(visitor, "Each search")
    visitor.see_address(tab="searches")
    visitor.page.get_by_role("button", name=START).click()
    wait_until(
        lambda: visitor.page.get_by_text(PROGRESS).count() and count(visitor, PROGRESS) >= 20,
        lambda: "no search is made",
        page=visitor.page,
    )
    stop(visitor)
    visitor.see_text("too early to say")
    stopped_at = count(visitor, STOPPED)
    visitor.page.wait_for_timeout(1500)  # two turns of the timer that showed the progress
    assert count(visitor, STOPPED) == stopped_at < 1000
    bars = chart(visitor, "stability").locator(".bars .point")
    expect(bars).to_have_count(visitor.rows.count())

    link = visitor.page.url.removeprefix(visitor.home).removeprefix("/")
    other = visit().open(link)
    assert count(other, STOPPED) == stopped_at
    other.button("Go on to 1,000").click()
    wait_until(
        lambda: other.page.get_by_text(PROGRESS).count() and count(other, PROGRESS) > stopped_at,
        lambda: "it doesn't go on",
        page=other.page,
    )
    stop(other)
    see_no_traceback(other)


def test_maps_of_the_cards_fit_a_phone_and_follow_the_steps(visit):
    visitor = visit(viewport={"width": 400, "height": 900})
    visitor.open("?hand=south-nil&ply=12&iterations=500&tab=cards").see_rows()
    maps = chart(visitor, "card_beliefs")
    expect(maps.locator(".heatmaplayer image")).to_have_count(len(METHODS), timeout=120_000)
    visitor.see_text(re.compile("South, who bid nil, holds it in"))
    see_no_traceback(visitor)
    assert visitor.page.evaluate(WIDER) <= 0
    visitor.one("rv-next").click()
    visitor.see_text("Where the cards are, as North may believe")


def test_the_table_shows_losses_chances_and_more_on_request(visit):
    visitor = visit().open("?hand=bug-report-335&ply=24&iterations=300&more=1")
    losses = visitor.rows.locator("td.c-loss")
    expect(losses.first).to_have_text(re.compile("^✓0"), timeout=60_000)
    expect(visitor.rows).to_have_count(5)  # K and Q, 10 and 9 of spades are one
    points = [float(text.lstrip("✓−").rstrip("?")) for text in losses.all_inner_texts()]
    assert points == sorted(points)
    played = visitor.page.locator("tr.is-played td.c-loss").inner_text().lstrip("−")
    played = played.removesuffix(".0")  # in a sentence, whole points have no decimal
    expect(visitor.one("rv-verdict")).to_contain_text(f"North's 4♥ costs {played} points Mistake")
    expect(visitor.page.get_by_text("North/South need 5 of the last 7")).to_be_visible()
    heads = visitor.page.locator("thead .c-lead")
    expect(heads).to_have_text(["Makes 8", "Sets 5", "Bags"])
    texts = visitor.rows.first.locator("td.c-lead").all_inner_texts()
    assert [bool(re.fullmatch(r"\d+%", text)) for text in texts] == [True, True, False]
    assert re.fullmatch(r"\d\.\d", texts[2])
    assert sum(visitor.visits().values()) == 300
    visitor.page.locator("thead .c-card button").click()  # by suit
    assert next(iter(visitor.visits())) == "S2"
    expect(visitor.one("rv-toast")).to_contain_text("A click sorts by suit")
    see_no_traceback(visitor)


def test_the_graph_shows_what_was_given_away_and_leads_there(visit):
    visitor = visit().open("?hand=bug-report-335&ply=24&iterations=300")
    bar = visitor.page.locator(".bars .bar[data-ply='24']")
    expect(bar).to_have_class(re.compile("grade-mistake"), timeout=60_000)
    expect(visitor.one("rv-given")).to_contain_text(re.compile(r"^Given away: .*North \d+"))
    visitor.press("Home", "n")
    wait_until(lambda: visitor.place.startswith("ply"), lambda: visitor.place, page=visitor.page)
    word = visitor.page.locator(".grade-word")
    expect(word).to_have_text(re.compile("Slip|Mistake"))
    box = bar.bounding_box()
    visitor.page.mouse.click(box["x"] + 3, box["y"] + box["height"] - 2)
    visitor.see_ply(24)
    visitor.see_address(ply="24")


def test_headings_of_bids_explain_themselves_on_tap(visit):
    visitor = visit(has_touch=True).open("?hand=south-nil&bid=3&iterations=500")
    expect(visitor.bid_rows.first).to_be_visible()
    visitor.one("rv-bids").get_by_role("button", name="Else").tap()
    expect(visitor.one("rv-toast")).to_contain_text("commonest first")
    visitor.one("rv-bid-facts").get_by_role("button", name="BIS counts").tap()
    expect(visitor.one("rv-toast")).to_contain_text("Tricks that BIS counts")
