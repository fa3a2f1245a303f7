"""The Disagreements page in a browser: a row opens Replay at its ply, and there the next row."""

import pytest
from playwright.sync_api import expect

from analysis.disagreements.judged import STAKES, judge, ranked
from analysis.disagreements.stored import shipped
from analysis.disagreements.table import decision_table
from spades.core.equivalence import equivalent_cards
from spades.human import load_model
from spades.notation.log_store import open_log
from tests.browser.visitor import box_at_rest, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]
FIRST_ROW = {"x": 45, "y": 52}  # below the head of the table, in its first column


def biggest():
    """The round and the ply of the shipped search's biggest disagreement, and the highest card of
    each class there."""
    search = next(one for one in shipped() if one.question["log"] == "human-south")
    log = open_log("human-south")
    table = decision_table(search.rows, log, 0, load_model("devlin2016-nil"))
    row = ranked(judge(table), STAKES, 1.0).iloc[0]
    seen = log.record(int(row["round"])).observation(int(row["ply"]))
    cards = {seen.rules.cards.format_card(codes[0]) for codes in equivalent_cards(seen)}
    return int(row["round"]), int(row["ply"]), cards


def click_first_row(visitor, table):
    """Click the link of the first row, once the table has come to rest."""
    box = box_at_rest(table)
    mouse, at = visitor.page.mouse, (box["x"] + FIRST_ROW["x"], box["y"] + FIRST_ROW["y"])
    mouse.move(at[0] + 5, at[1], steps=3)
    visitor.page.wait_for_timeout(250)  # the table has to see the cell under the mouse
    mouse.click(*at)


def test_a_row_opens_replay_at_its_ply(visit):
    index, ply, cards = biggest()
    visitor = visit()
    page = visitor.page
    page.goto(f"{visitor.home}/Disagreements")
    visitor.see_text("rounds searched")
    visitor.settle()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    table = page.get_by_test_id("stDataFrame").locator("canvas").first
    with page.context.expect_page() as opened:
        click_first_row(visitor, table)
    visitor.page = opened.value
    expect(visitor.one("rv-table")).to_be_visible()
    visitor.see_ply(ply)
    visitor.see_rows()
    assert set(visitor.visits()) == cards
    wait_until(
        lambda: visitor.address.get("hand") == f"log.human-south.{index}",
        lambda: visitor.page.url,
        page=visitor.page,
    )
    visitor.button("Next row").click()
    wait_until(
        lambda: visitor.address.get("rows", "").startswith("1@"),
        lambda: visitor.page.url,
        page=visitor.page,
    )
