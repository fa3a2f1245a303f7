"""Long searches: others step on beside them, Stop stops, and going on goes on."""

import re

import pytest
from playwright.sync_api import expect

from analysis.decisions.background import MAX_LIVE_ITERATIONS
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

RUNNING = re.compile(r"([\d,]+) of [\d,]+ iterations with each seed")
SLOW = "playout=human"  # ten times the time of random playouts
ENDED = re.compile(r"([\d,]+) iterations with each seed\.")


@pytest.mark.slow
def test_others_step_on_beside_a_long_search_which_stops(visit):
    first = visit().open(f"?hand=south-nil&growth=1&{SLOW}")
    first.see_rows()
    second = visit().open("?hand=bug-report-335")
    second.see_rows()
    start_long_search(first)
    for ply in range(1, 7):
        if ply % 2:
            second.press("ArrowRight")
        else:
            second.one("rv-next").click()
        second.see_ply(ply)
    assert first.page.get_by_text(RUNNING).is_visible(), "it ended before all was tried"
    go_on(first, stop_long_search(first))


def search_rounds(visitor, seeds):
    """Give the server some seconds of work: whole rounds, one a seed."""
    seed = visitor.open_settings("Search").get_by_role("spinbutton", name="Seed")
    for number in seeds:
        seed.fill(str(number))
        seed.press("Enter")
        visitor.see_address(seed=str(number))
    visitor.close_popover()
    visitor.see_rows()


def start_long_search(visitor):
    visitor.choose("Seeds", "8")
    visitor.choose("Iterations to add, each seed", "250,000")
    visitor.button("Search longer").click()
    visitor.see_text(RUNNING)


def stop_long_search(visitor):
    """Press Cancel; the iterations it stopped at, which must not move any more."""
    visitor.button("Cancel").last.click()  # the first one stops the round's search
    expect(visitor.page.get_by_text(RUNNING)).to_have_count(0)
    visitor.see_text("Cancelled; “Search longer” goes on from here.")
    stopped_at = iterations_of(visitor)
    visitor.page.wait_for_timeout(1500)  # two turns of the timer that showed the progress
    assert iterations_of(visitor) == stopped_at
    return stopped_at


def iterations_of(visitor):
    text = visitor.page.get_by_text(ENDED).inner_text()
    return int(ENDED.search(text)[1].replace(",", ""))


def go_on(visitor, stopped_at):
    visitor.choose("Iterations to add, each seed", "5,000")
    visitor.button("Search longer").click()
    target = min(stopped_at + 5000, MAX_LIVE_ITERATIONS)
    ended = visitor.page.get_by_text(f"{target:,} iterations with each seed.")
    expect(ended).to_be_visible()


ROUND = re.compile(r"(\d+) of 52 searched")


@pytest.mark.slow
def test_a_search_of_the_whole_round_stops_and_goes_on(visit):
    visitor = visit().open("?hand=south-nil&iterations=100000&growth=1&more=1")
    search_rounds(visitor, seeds=(11, 12, 13))
    progress, again = visitor.page.get_by_text(ROUND), visitor.button("Go on searching")
    wait_until(
        lambda: int(ROUND.search(progress.inner_text())[1]) > 0,
        lambda: "no decision is searched",
        page=visitor.page,
    )
    visitor.button("Cancel").click()
    expect(again).to_be_visible()
    expect(progress).to_have_count(0)
    stopped_at = searched(visitor)
    assert sum(visitor.visits().values()) == 100_000  # never a partial result
    visitor.page.wait_for_timeout(1500)  # two turns of the timer that showed the progress
    assert searched(visitor) == stopped_at < 52
    again.click()
    expect(progress).to_be_visible()
    wait_until(
        lambda: int(ROUND.search(progress.inner_text())[1]) > stopped_at,
        lambda: "no further decision is searched",
        page=visitor.page,
    )
    visitor.button("Cancel").click()
    expect(again).to_be_visible()
    assert searched(visitor) > stopped_at


def searched(visitor):
    """How many decisions are searched, by what can be downloaded."""
    label = visitor.open_popover("Share").get_by_role("button", name="decisions (CSV)")
    found = int(re.search(r"(\d+) decisions", label.inner_text())[1])
    visitor.press("Escape")
    expect(visitor.one("stPopoverBody")).to_be_hidden()
    return found
