"""The stored table of judges: what it holds, and what is said of it."""

import pytest

from analysis.decisions import judges


@pytest.fixture(scope="module")
def found():
    return judges.measured()


def test_the_judge_is_there_over_all_decisions(found):
    table = judges.judges_table(found, "all")
    assert judges.JUDGE in set(table["judge"])
    for row in table.itertuples():
        assert row.decisions > 20
        assert row.slope_low <= row.slope <= row.slope_high
        assert 0 <= row.overturned_low <= row.overturned <= row.overturned_high <= 1
        assert 0 <= row.open_low <= row.open <= row.open_high <= 1


def test_strata_divide_the_decisions(found):
    strata = judges.strata(found)
    assert strata[0] == "all"

    def n_of(stratum):
        (row,) = [
            row
            for row in judges.judges_table(found, stratum).to_dict("records")
            if row["judge"] == judges.JUDGE
        ]
        return row["decisions"]

    assert n_of("all") == n_of("nil alive") + n_of("no nil")
    assert n_of("all") == sum(map(n_of, ("early", "middle", "late")))
    assert n_of("all") == sum(map(n_of, ("strong", "human", "mixed")))


def test_the_sentence_says_the_rows_numbers(found):
    row = next(row for row in found["rows"] if row["judge"] == judges.JUDGE)
    told = judges.judges_sentence(found)
    assert f"{row['slope']:.2f} points are realised" in told
    assert f"Overturned: {row['overturned']} of {row['clear']} clear conclusions" in told


def test_without_rows_a_share_is_unknown():
    row = {"slope_interval": [None, None], "overturned": 0, "overturned_interval": None, "clear": 0}
    row |= {"open": 1, "open_interval": [0.1, 0.9], "decisions": 1, "seconds": 1.0}
    row |= {"judge": "x", "stratum": "all", "slope": None, "explained": None}
    (only,) = judges.judges_table({"rows": [row]}, "all").to_dict("records")
    assert only["overturned"] is None
    assert only["open"] == 1.0
