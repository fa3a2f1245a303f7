"""What can be downloaded is what is on the screen, and reads back."""

import csv
from pathlib import Path

import pytest

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
