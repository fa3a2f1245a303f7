"""Table 3 by hand, and the worked example."""

import numpy as np
import pytest

from experiments.papers.cohensius_examples import examples, fourth_trick_uncovered
from experiments.papers.cohensius_people import KINDS, count_games, kinds_of
from experiments.papers.lab import Lab
from tests.results import own_results  # noqa: F401 - a fixture of every test here


@pytest.mark.parametrize(
    ("seats", "kind"),
    [
        ("E", "one of two bots"),
        ("W", "one of two bots"),
        ("S", "the person"),
        ("N", "the person's partner"),
        ("NE", "nil against nil"),
        ("SW", "nil against nil"),
        ("NS", "person and partner"),
        ("", "no nil"),
    ],
)
def test_kinds_of_rounds_by_who_bids_nil(seats, kind):
    nils = np.array([[seat in seats for seat in "NESW"]])
    assert KINDS[kinds_of(nils)[0]].name == kind


def test_games_are_counted_by_kind_and_side():
    counts = {name: np.array(values) for name, values in count_games(0, 20, "srp+bis", 1).items()}
    assert counts["rounds"].sum() >= counts["decided"] == 20
    bots, mixed = counts["nils"].T
    assert (bots > 0).tolist() == [True, False, False, bots[3] > 0, False, False]
    assert bots.sum() == counts["seat_nils"][[1, 3]].sum()
    assert mixed.sum() == counts["seat_nils"][[0, 2]].sum()
    assert counts["made"].sum() == counts["seat_made"].sum()
    assert (counts["made"] <= counts["nils"]).all()
    assert 0 <= counts["won"] <= 20


def test_the_worked_example_by_hand():
    rows = {row["claim"]: row for row in examples(Lab(0.0))["cohensius-examples"]["rows"]}
    assert rows["nil in diamonds, Q alone"]["ours"] == pytest.approx(0.5714, abs=5e-5)
    assert rows["nil in hearts, A Q"]["ours"] == pytest.approx(0.0084, abs=5e-5)
    assert rows["tricks of the hand"]["ours"] == pytest.approx(5.97, abs=0.005)
    assert rows["tricks of the hand"]["verdict"] == "differs", "its own summands come to 5.97"
    assert rows["A K J 6 2 of spades, high and long"]["ours"] == 4
    sure = [row["ours"] for what, row in rows.items() if what.startswith("sure takes")]
    assert sure == [1, 1, 2]


def test_a_suit_of_four_is_seldom_led_a_fourth_time_uncovered():
    rng = np.random.default_rng(4)
    deals = rng.permuted(np.tile(np.repeat([0, 1, 2], 13), (20_000, 1)), axis=1)[:, :9]
    partner, left, right = ((deals == player).sum(axis=1) for player in range(3))
    found = ((partner >= 4) & (np.maximum(left, right) >= 4)).mean()
    assert fourth_trick_uncovered() == pytest.approx(found, abs=0.006)
