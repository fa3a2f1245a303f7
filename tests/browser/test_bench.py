"""The bench in a browser: a slider moves its numbers and its decisions, a point is measured."""

import time

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
MOVES = 5
SECONDS_OF_WORK = 0.1  # of a million squares, where nothing else runs
NUMBERS = "document.querySelector('[data-testid=stMetricValue]').innerText"
DECISIONS = """[...document.querySelectorAll('[data-testid=stPageLink]')]
  .map((link) => link.innerText).join()"""


def seconds_until_changed(page, look, before, started):
    page.wait_for_function(f"(before) => {look} !== before", arg=before)
    return time.monotonic() - started


def slowness():
    """How many times as long as on a quiet machine a fixed piece of work takes now, at least 1."""
    started = time.monotonic()
    sum(i * i for i in range(1_000_000))
    return max(1.0, (time.monotonic() - started) / SECONDS_OF_WORK)


@pytest.mark.slow
def test_a_slider_moves_the_numbers_at_once_and_the_decisions_soon(visit):
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.home}/Tune?c_bt=0.005")
    expect(page.get_by_text("of 20 decisions change")).to_be_visible(timeout=60_000)
    visitor.settle()
    slider = page.get_by_role("group", name="C_BT (rewards)").locator("input[type=range]")
    waits = []
    slow = slowness()
    for _ in range(MOVES):
        numbers, decisions = page.evaluate(NUMBERS), page.evaluate(DECISIONS)
        started = time.monotonic()
        slider.press("ArrowRight")
        waits.append(
            (
                seconds_until_changed(page, NUMBERS, numbers, started),
                seconds_until_changed(page, DECISIONS, decisions, started),
            )
        )
        visitor.settle()
        slow = max(slow, slowness())
    to_numbers, to_decisions = (min(column) for column in zip(*waits, strict=True))
    assert to_numbers < 0.3 * slow, waits
    assert to_decisions < 1.0 * slow, waits
    visitor.see_address(c_bt="0.1")
    assert visitor.complaints == []


def test_a_decision_opens_in_replay_with_the_bias_of_the_bench(visit):
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.home}/Tune?c_bt=0.5")
    first = page.get_by_test_id("stPageLink").filter(has_text="Trick").first
    expect(first).to_be_visible(timeout=60_000)
    visitor.settle()
    first.click()
    expect(visitor.one("rv-table")).to_be_visible()
    visitor.see_address(c_bt="0.5")
    assert visitor.address["hand"].startswith("log.human-south.")


@pytest.mark.slow
def test_a_point_that_is_measured_fills_in_as_its_games_come(visit):
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.home}/Tune?c_bt=0.07&k=20")
    page.get_by_role("button", name="Measure this point").click()
    expect(page.get_by_text("Being measured")).to_be_visible()
    expect(page.get_by_text("Measured so far", exact=False)).to_be_visible(timeout=60_000)
    assert page.get_by_text("Being measured").is_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Being measured")).to_be_hidden(timeout=60_000)
