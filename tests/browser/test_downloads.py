"""What can be downloaded is what is on the screen, and reads back."""

import csv
from pathlib import Path

import pytest

from analysis.suites.suite import read_suite
from spades.notation import read_path
from tests.pages.texts import shipped

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]


@pytest.fixture(scope="module")
def table(visit_once):
    return visit_once().open("?hand=four-bots&ply=5&iterations=500&more=1").see_rows()


def download(visitor, label, folder):
    """The file behind a button of the popover to share."""
    body = visitor.one("stPopoverBody")
    if not body.is_visible():
        body = visitor.open_popover("Share")
    with visitor.page.expect_download() as started:
        body.get_by_role("button", name=label).click()
    path = Path(folder) / started.value.suggested_filename
    started.value.save_as(path)
    return path


@pytest.mark.slow
def test_a_judged_decision_as_a_position_of_a_suite(visit_once, tmp_path):
    visitor = visit_once().open("?hand=bug-report-335&ply=24&iterations=500").see_rows()
    body = visitor.open_popover("Report")
    button = body.get_by_role("button", name="Keep as a position for a suite")
    button.wait_for(timeout=120_000)  # the judge has concluded
    with visitor.page.expect_download() as started:
        button.click()
    assert started.value.suggested_filename == "spades-position-bug-report-335-ply-24.jsonl"
    path = tmp_path / "mine.jsonl"
    started.value.save_as(path)
    suite = read_suite(path)
    (position,) = suite.positions
    assert not suite.refused
    assert position.id == "bug-report-335-ply-24"
    record = shipped("bug-report-335")
    assert position.observation.text() == record.observation(24).text()
    assert position.best
    assert position.wrong


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_decision_as_csv(table, tmp_path):
    rows = rows_of(download(table, "This decision (CSV)", tmp_path))
    shown, by_card = table.visits(), {row["card"]: int(row["visits"]) for row in rows}
    assert sum(shown.values()) == sum(by_card.values()) == 500
    assert shown.keys() <= by_card.keys()  # touching cards are one in the table
    # The file has the visits of the one search with its seed, the table means of its repeats.
    assert {row["seed"] for row in rows} == {"0"}
    assert {row["ply"] for row in rows} == {"5"}
    assert {row["iterations"] for row in rows} == {"500"}
    assert sum(row["is_played"] == "True" for row in rows) == 1
    assert sum(float(row["human_devlin2016"]) for row in rows) == pytest.approx(1)


def test_all_decisions_as_csv(table, tmp_path):
    rows = rows_of(download(table, "52 decisions (CSV)", tmp_path))
    assert {int(row["ply"]) for row in rows} == set(range(52))


@pytest.mark.parametrize("label", ["The round (PTN)", "The round (JSON Lines)"])
def test_the_round_reads_back(table, tmp_path, label):
    (record,) = read_path(download(table, label, tmp_path)).records
    expected = shipped("four-bots")
    assert (record.hands, record.bids, record.plays) == (
        expected.hands,
        expected.bids,
        expected.plays,
    )
    assert record.rules == expected.rules
    assert record.game_id == expected.game_id
