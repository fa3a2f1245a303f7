"""Seeds of the judge under other rules: distances by hand, and the shipped table."""

import pytest

from experiments import check_other_rules
from experiments.check_other_rules import APART, RULES, distances, row_of_decision, summary
from spades.core.documents import load_object, read_text
from spades.core.equivalence import equivalent_cards
from spades.library import shipped


def made_up(leads, errors):
    return {"leads": leads, "errors": errors}


def test_distances_are_differences_in_standard_errors():
    assert distances(made_up([10.0, 5.0, 10.0], [3.0, 4.0, 4.0])) == pytest.approx(
        [1.0, 0.0, 5 / 32**0.5]
    )


def test_pairs_apart_are_counted_by_pair_and_by_decision():
    near = made_up([1.0, 2.0, 1.0], [1.0, 1.0, 1.0])
    far = made_up([0.0, 10.0, 10.0], [1.0, 1.0, 1.0])
    assert summary([near, far]) == {
        "decisions": 2,
        "with_seeds_apart": 1,
        "pairs": 6,
        "apart": 2,
        "farthest": 7.07,
        "mean_square": 16.83,
    }


def test_a_lead_is_of_the_class_that_most_seeds_put_first_over_the_one_played():
    record = shipped("bug-report-335")
    classes = equivalent_cards(record.observation(24))
    played = next(i for i, codes in enumerate(classes) if record.plays[24].code in codes)
    usual, once = [i for i in range(len(classes)) if i != played][:2]
    errors = [[float(i + 10 * j) for i in range(len(classes))] for j in range(len(classes))]

    def seed(first, of_played):
        values = [1.0] * len(classes)
        values[first] = 20.0
        values[played] = of_played
        return {"values": values, "errors": errors, "rounds": 60}

    row = row_of_decision("here", record, 24, [seed(usual, 4.0), seed(usual, 6.0), seed(once, 5.0)])
    assert row["leads"] == [16.0, 14.0, -4.0]
    assert row["errors"] == [errors[usual][played]] * 3


def test_the_shipped_table_says_what_its_rows_say():
    stored = load_object(read_text(check_other_rules.PATH))
    rows = stored["rows"]
    assert {name: stored[name] for name in summary(rows)} == summary(rows)
    assert {row["decision"].partition(";")[0] for row in rows} >= set(RULES)
    assert stored["apart"] / stored["pairs"] < 0.02
    assert stored["mean_square"] < 1
    assert all(max(distances(row)) < APART for row in rows if "ply 24" in row["decision"])
