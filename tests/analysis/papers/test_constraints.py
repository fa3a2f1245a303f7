"""What the papers print of people, and who meets it."""

import json

import pytest

from analysis.papers import constraints
from analysis.papers.constraints import (
    DEFAULT,
    HELD_OUT,
    MET,
    NOT_MEASURED,
    POPULATIONS,
    constraint_rows,
    load_constraints,
    outcome_of,
    people_report,
    population_named,
    read_measured,
    rows_of,
    summaries,
)
from analysis.papers.figures import FIGURES
from analysis.papers.results import find_row, shipped_documents
from spades.core.errors import SpadesError

LISTED = load_constraints()


def test_a_constraint_says_what_the_papers_row_says():
    documents = shipped_documents()
    n_rows = 0
    for constraint in LISTED:
        row = find_row(documents, constraint.figure, constraint.claim)
        if row is not None:
            n_rows += 1
            assert row["published_range"] == [constraint.low, constraint.high], constraint.id
            assert (row["margin"], row["unit"]) == (constraint.margin, constraint.unit)
    assert n_rows >= 29
    assert {one.figure for one in LISTED} <= {"", *(figure.id for figure in FIGURES)}


def test_ids_are_distinct_and_sixteen_constraints_are_listed():
    ids = [one.id for one in LISTED]
    assert len(set(ids)) == len(ids) == 34
    assert len({one.group for one in LISTED}) == 16
    assert set(HELD_OUT) <= {one.group for one in LISTED}


def test_no_population_is_fitted_to_what_is_held_out():
    held_out = {one.id for one in LISTED if one.is_held_out}
    ids = {one.id for one in LISTED}
    for population in POPULATIONS:
        assert population.fitted <= ids
        assert not population.fitted & held_out


def test_human_has_the_values_of_the_papers_rows():
    rows = rows_of(DEFAULT)
    by_id = {one.id: one for one in LISTED}
    search = by_id["search"]
    assert rows["search"] == find_row(shipped_documents(), search.figure, search.claim)
    assert rows["disagreement"]["n"] > 20_000, "states that occur twice"
    assert 0.19 < rows["disagreement"]["ours"] < 0.20


def test_a_row_has_the_value_of_each_population_and_whether_it_meets_the_constraint():
    rows = {row["id"]: row for row in constraint_rows()}
    network = rows["network-t-200-150-100"]["populations"]["human"]
    assert network["outcome"] == "not met"
    assert network["text"].startswith("66.0% (")
    assert rows["disagreement"]["populations"]["human"]["outcome"] == MET
    assert rows["nil-rate"]["populations"]["human"]["role"] == "fitted"
    assert rows["direct-50"]["populations"]["human"]["role"] == "held out"
    tree = rows["decision-tree"]["populations"]["human"]
    assert (tree["n"], tree["outcome"]) == (104_000, "not met")
    nil = rows["double-nil"]["populations"]["human"]
    assert (nil["value"], nil["text"], nil["outcome"]) == (None, "-", NOT_MEASURED)


def test_the_summary_counts_what_the_rows_say():
    rows = constraint_rows()
    outcomes = [row["populations"]["human"]["outcome"] for row in rows]
    text = summaries(rows)[0]
    n_met = outcomes.count(MET)
    assert text.startswith(f"`human`, simulated, meets {n_met} of 34 numbers (1 of the 3 ")
    assert f"{outcomes.count('not met')} not met" in text
    lines = people_report(rows).splitlines()
    assert sum(line.startswith("| ") for line in lines) == 1 + 1 + 34
    assert any("| 32.4% |" in line and "| - | not measured, not fitted" in line for line in lines)


def test_what_is_not_measured_has_no_outcome():
    assert outcome_of(None) == NOT_MEASURED
    assert outcome_of({"verdict": "differs"}) == "not met"


def test_an_unknown_population_and_a_damaged_table_are_refused(tmp_path):
    with pytest.raises(SpadesError, match="humans"):
        population_named("humans")
    assert population_named("human") is DEFAULT
    assert population_named("srp").role_of(LISTED[0]) == "not fitted"
    path = tmp_path / "constraints.json"
    path.write_text(json.dumps({"version": 0, "populations": {}}))
    with pytest.raises(SpadesError, match=constraints.COMMAND):
        read_measured(path)


@pytest.mark.parametrize(
    ("name", "iterations"), [("direct-2500", 2500), ("direct-50", 50), ("indirect-games", 2500)]
)
def test_games_held_out_are_against_the_plain_search_as_other_populations_play(name, iterations):
    settings = rows_of(DEFAULT)[name]["settings"]
    assert settings.endswith(f" against ismcts:iterations={iterations}")
