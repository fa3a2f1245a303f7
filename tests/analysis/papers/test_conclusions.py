"""Conclusions about people, of each population of simulated people."""

import pytest

from analysis.intervals import difference_interval
from analysis.papers import conclusions
from analysis.papers.conclusions import (
    CONCLUSIONS,
    FAILS,
    HEADS,
    HOLDS,
    Conclusion,
    Difference,
    cells_of,
    conclusion_rows,
    conclusions_report,
    summary,
)
from analysis.papers.constraints import POPULATIONS, constraint_rows, load_constraints
from analysis.papers.verdicts import CANT_TELL, difference_text
from analysis.sweeps.library import SWEEPS, read_document
from analysis.sweeps.views import setting_table

NUMBERS = {row["id"]: row for row in constraint_rows()}


def test_a_difference_has_the_interval_of_two_independent_numbers():
    low, high = difference_interval(0.5, (0.47, 0.56), 0.2, (0.16, 0.28))
    assert low == pytest.approx(0.3 - (0.03**2 + 0.08**2) ** 0.5)
    assert high == pytest.approx(0.3 + (0.06**2 + 0.04**2) ** 0.5)


@pytest.mark.parametrize(
    ("interval", "outcome"),
    [((0.1, 0.3), HOLDS), ((-0.3, -0.1), FAILS), ((-0.1, 0.3), CANT_TELL), (None, CANT_TELL)],
)
def test_the_interval_decides(interval, outcome):
    assert Difference(0.2, interval).outcome == outcome


def test_a_conclusion_compares_constraints_in_one_unit():
    listed = {one.id: one for one in load_constraints()}
    for conclusion in CONCLUSIONS:
        of = [one for one in (conclusion.more, conclusion.less) if isinstance(one, str)]
        units = {listed[one].unit for one in of}
        assert len(units) == 1, conclusion.text
        assert all(listed[one].low == listed[one].high is not None for one in of)


def test_what_the_papers_conclude_holds_of_their_numbers():
    rows = conclusion_rows()
    assert {row["papers_outcome"] for row in rows} == {HOLDS, None}
    assert all(row["papers"] is None or row["papers"] > 0 for row in rows)


def test_a_conclusion_on_biases_is_of_the_sweep_of_each_population():
    row = next(row for row in conclusion_rows() if row["text"].startswith("More knowledge bias (C"))
    assert row["unit"] == "share of cards"
    for population in POPULATIONS:
        rows = setting_table(read_document(SWEEPS / f"{population.sweep}.json"))
        in_every_node = rows[
            (rows["technique"] == "knowledge")
            & (rows["k"] == 1000)
            & (rows["delay"] == 1)
            & (rows["budget"] == "iterations")
        ].set_index("c_bt")["accuracy_all"]
        value = row["populations"][population.agent]["value"]
        assert value == pytest.approx(in_every_node[0.5] - in_every_node[0.05])


def test_a_row_is_of_the_numbers_that_stand_in_the_list():
    row = conclusion_rows()[0]
    assert row["papers"] == pytest.approx(0.711 - 0.582)
    for agent, cell in row["populations"].items():
        network = NUMBERS["network-t-200-150-100"]["populations"][agent]
        search = NUMBERS["search"]["populations"][agent]
        assert cell["value"] == pytest.approx(network["value"] - search["value"])
        assert cell["interval"][0] < cell["value"] < cell["interval"][1]
        assert cell["outcome"] == HOLDS
    assert row["same"] is True


def test_a_level_is_compared_as_it_is(monkeypatch):
    against_half = Conclusion("", 0.5, "games-bis")
    monkeypatch.setattr(conclusions, "CONCLUSIONS", (against_half,))
    monkeypatch.setattr(conclusions, "BIAS_CONCLUSIONS", ())
    (row,) = conclusion_rows()
    human = NUMBERS["games-bis"]["populations"]["human"]
    ends = [0.5 - end for end in reversed(human["interval"])]
    assert row["populations"]["human"]["interval"] == pytest.approx(ends)
    assert row["populations"]["human"]["outcome"] == FAILS


def test_what_isnt_measured_decides_nothing(monkeypatch):
    unmeasured = Conclusion("", "nil-of-person", "double-nil")
    monkeypatch.setattr(conclusions, "CONCLUSIONS", (unmeasured,))
    monkeypatch.setattr(conclusions, "BIAS_CONCLUSIONS", ())
    (row,) = conclusion_rows()
    assert row["same"] is None
    assert {cell["text"] for cell in row["populations"].values()} == {"not measured"}
    assert "0 can be told of both populations" in summary([row])


def test_the_summary_counts_what_the_rows_say():
    rows = conclusion_rows()
    told = [row for row in rows if row["same"] is not None]
    same = [row for row in told if row["same"]]
    text = summary(rows)
    assert text.startswith(f"Of {len(rows)} conclusions, {len(told)} can be told of both")
    assert f": {len(same)} are the same in both" in text
    lines = conclusions_report(rows).splitlines()
    assert sum(line.startswith("| ") for line in lines) == 1 + 1 + len(rows)
    assert all(len(cells_of(row)) == len(HEADS) for row in rows)


def test_a_difference_of_shares_is_in_percentage_points():
    assert difference_text(-0.171, (-0.177, -0.164), "share of cards") == (
        "−17.1 pp (−17.7 to −16.4)"
    )
    assert difference_text(5.3, None, "points a round") == "+5.3 points a round"
