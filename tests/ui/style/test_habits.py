"""The habits on the Style page: the sentence, the table, the positions behind one, its link."""

import re

import pytest

from spades.notation.log_store import store_log
from tests.analysis.styles import random_log
from tests.pages.apps import address, open_page, texts


def table_with(page, *columns):
    frames = [frame.value for frame in page.dataframe]
    return next(frame for frame in frames if {*columns} <= set(frame.columns))


@pytest.mark.parametrize("classes", ["32", "68"])
def test_the_answer_is_the_distance_and_its_habits_largest_first(show, classes):
    page = show(classes=classes)
    habits = table_with(page, "habit", "kl_left")
    assert habits["nats"].is_monotonic_decreasing
    kl = table_with(page, "kl", "of", "to").iloc[0]["kl"]
    said = re.search(r"are (0\.\d+) nats apart .* 3 habits make (\d+)% of it", texts(page))
    assert float(said[1]) == pytest.approx(kl, abs=5.1e-5)
    assert int(said[2]) == round(100 * (1 - habits["kl_left"][2] / kl))
    assert "habit" not in address(page)


def test_a_link_names_a_habit_and_whose_hands(show):
    page = show(habit="2", habit_of="simulated-human")
    habit = table_with(page, "habit", "kl_left").iloc[1]
    assert f"{habit['habit']}, {habit['situation']}" in texts(page)
    assert address(page)["habit"] == "2"
    rows = table_with(page, "open", "is_taken", "expected")
    n, of = re.search(r"of ([\d,]+) choices by (.+), those first that", texts(page)).groups()
    assert int(n.replace(",", "")) == habit["of_n"]
    assert of == "Simulated humans"
    assert rows["open"].str.fullmatch(r"/\?log=human-south&round=\d+&ply=\d+").all()


def test_the_other_direction_swaps_the_shares(show):
    habits = table_with(show(), "habit", "kl_left").set_index(["habit", "situation"])
    swapped = table_with(
        show(**{"from": "bot", "to": "simulated-human"}), "habit", "kl_left"
    ).set_index(["habit", "situation"])
    both = habits.index.intersection(swapped.index)
    assert len(both) >= 3
    for name in both:
        assert habits.loc[name, "of_share"] == swapped.loc[name, "to_share"]
        assert habits.loc[name, "of_n"] == swapped.loc[name, "to_n"]


def test_groups_of_one_style_have_no_habit(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_log(random_log(40), "random")
    page = open_page("3_Style", {"logs": "random"})
    assert "No habit is told apart" in "\n".join(info.value for info in page.info)
