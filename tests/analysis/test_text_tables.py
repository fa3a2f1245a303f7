"""Numbers and intervals have one form wherever they are written."""

import math

import pytest

from analysis.text_tables import span, with_interval


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((-0.024, 0.5), "41.0% (−2.4% to 50.0%)"),
        ([0.4, 0.42], "41.0% (40.0% to 42.0%)"),
        (None, "41.0%"),
        ((None, None), "41.0%"),
        ((math.nan, math.nan), "41.0%"),
    ],
)
def test_an_interval_stands_in_brackets_after_its_number(ends, said):
    assert with_interval("41.0%", ends, ".1%") == said


def test_what_an_interval_is_stands_before_its_ends():
    assert with_interval("+1.0", (-2, 4), "+.1f", says="95%: ") == "+1.0 (95%: −2.0 to +4.0)"


def test_an_interval_alone_is_a_dash_where_there_is_none():
    assert [span(ends, ".2f") for ends in ((1, 2), None, (math.nan, 1))] == [
        "1.00 to 2.00",
        "-",
        "-",
    ]
