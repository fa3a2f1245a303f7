"""League and match in a browser: a league opened by link, a match played, its game in Replay."""

import re

import pytest
from playwright.sync_api import expect

from analysis.matches.match import MATCH, play_round_robin, round_robin
from analysis.runs.store import ResultStore
from tests.analysis.workers import InProcess
from tests.browser.charts import (
    CUT,
    OVERLAPPING,
    WIDER,
    chart,
    click_point,
    go_to,
    open_first_row,
    see_no_traceback,
)
from tests.browser.screens import PHONE

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

AGENTS = ("random", "human", "wrp", "srp", "srp+rb", "srp+bis", "wrp+bis:threshold=20")
LEAGUE = "Agents?league=150_floor-150"
HEAT = "league_wins"


@pytest.fixture(scope="module")
def keys(places):
    """Of the matches of a league that the server's store has, by their agents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_RESULTS", places["SPADES_RESULTS"])
        InProcess(patch)
        play_round_robin(round_robin(AGENTS, 20, target=150, floor=-150))
        stored = ResultStore().results(MATCH)
        return {(row.answer["ns"], row.answer["ew"]): row.key for row in stored}


@pytest.mark.slow
def test_a_cell_of_the_heat_map_opens_its_match(visit, keys):
    visitor = go_to(visit(), LEAGUE)
    point = chart(visitor, HEAT).locator(".scatterlayer .point").nth(5)
    chosen = visitor.page.get_by_role("combobox", name="Match", exact=True)
    before = chosen.input_value()
    click_point(visitor, point)
    expect(chosen).not_to_have_value(before)
    pair = re.match(r"(\S+) – (\S+), 20 games", chosen.input_value())
    assert pair
    key = keys.get(pair.groups()) or keys[pair.groups()[::-1]]
    visitor.see_address(match=key, league="150_floor-150")
    title = visitor.one("stMainBlockContainer").get_by_role("heading", level=3).first
    expect(title).to_have_text(re.compile("|".join(map(re.escape, pair.groups()))))
    shared = go_to(visit(), visitor.page.url.removeprefix(f"{visitor.home}/"))
    expect(shared.page.get_by_role("combobox", name="Match", exact=True)).to_have_value(
        chosen.input_value()
    )


UNDER_MARKS = """(chart) => {
  const boxes = (selector) => [...chart.querySelectorAll(selector)].map(
    (found) => found.getBoundingClientRect());
  const marks = boxes('.scatterlayer path.point');
  return boxes('.textpoint text').filter((a) => marks.some((b) => a.left < b.right - 1
    && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
}"""


@pytest.mark.usefixtures("keys")
def test_the_league_fits_a_phone(visit):
    phone = visit(**PHONE, color_scheme="dark")
    heat = chart(go_to(phone, LEAGUE), HEAT)
    assert heat.evaluate(CUT, ".xtick text, .ytick text, .xtitle, .textpoint text") == []
    assert heat.evaluate(OVERLAPPING, ".textpoint text") == 0
    assert heat.evaluate(OVERLAPPING, ".xtick text, .ytick text") == 0
    expect(heat.locator(".textpoint text")).to_have_count(len(AGENTS) * (len(AGENTS) - 1))
    phone.page.get_by_role("radio", name="Points a round").click()
    points = chart(see_no_traceback(phone), "league_points")
    assert points.evaluate(CUT, ".xtick text, .textpoint text, .legendtext, .xtitle") == []
    expect(points.locator(".textpoint text")).to_have_count(len(AGENTS) * (len(AGENTS) - 1) // 2)
    assert points.evaluate(OVERLAPPING, ".textpoint text") == 0
    assert phone.page.evaluate(WIDER) <= 0


@pytest.mark.slow
def test_the_shipped_league_of_many_agents_fits_a_phone(visit):
    phone = visit(**PHONE)
    for drawn in ("wins", "points"):
        names = chart(go_to(phone, f"Agents?chart={drawn}"), "league_")
        assert names.locator(".textpoint text").count() > 30
        assert names.evaluate(CUT, ".textpoint text, .xtick text, .xtitle") == []
        assert names.evaluate(OVERLAPPING, ".textpoint text") == 0
        assert names.evaluate(UNDER_MARKS) == 0
        assert phone.page.evaluate(WIDER) <= 0
        if drawn == "wins":
            see_a_clicked_dot(phone, names)


FADED = """(chart) => [...chart.querySelectorAll('.textpoint text, path.point')].filter((found) => {
  const look = getComputedStyle(found);
  return Math.min(look.opacity, look.fillOpacity) < 1;
}).length"""


def see_a_clicked_dot(phone, names):
    """The match of a dot far down is in sight, and nothing is faded."""
    dot = names.locator("path.point").nth(30)
    dot.scroll_into_view_if_needed()
    click_point(phone, dot)
    card = phone.page.locator("[class*=st-key-league_wins][class*=answer]")
    expect(card).to_contain_text("against")
    expect(card).to_be_in_viewport(ratio=0.9)
    assert phone.address["match"]
    assert names.evaluate(FADED) == 0


@pytest.mark.slow
def test_a_match_is_played_and_its_games_watched(visit):
    asked = "Tune?view=match&ns=random&ew=wrp&games=20&seed=7&target=150&floor=-150"
    visitor = go_to(visit(), asked)
    visitor.button("Play the match").click()
    expect(visitor.page.get_by_role("heading", name="random against wrp")).to_be_visible(
        timeout=180_000
    )
    expect(chart(visitor, "match_")).to_be_visible()
    visitor.button("Store its first 100 rounds as a log").click()
    watch = visitor.page.get_by_role("link", name="Watch from the first round")
    expect(watch).to_be_visible(timeout=120_000)
    see_no_traceback(visitor)
    rows = visitor.page.get_by_test_id("stDataFrame").filter(visible=True).last
    replay = open_first_row(visitor, rows)
    expect(replay.get_by_test_id("rv-table")).to_be_visible()
    watch.click()
    expect(visitor.one("rv-table")).to_be_visible()
    visitor.settle()
