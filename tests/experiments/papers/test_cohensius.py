"""Figure 3 by both readings of a nil's third card."""

import pytest

from analysis.papers.verdicts import CANT_TELL
from experiments.nil_readings import load_readings
from experiments.papers.cohensius import success_curves
from spades.bidding.curves import PATTERN_TABLE, TABLE, load_curves


def test_the_starred_point_by_both_readings():
    document = success_curves().document
    ours, pattern = document["rows"][0], document["readings"][0]
    assert pattern["claim"] == f"third card by the pattern: {ours['claim']}"
    for one, table in ((ours, TABLE), (pattern, PATTERN_TABLE)):
        assert one["ours"] == load_curves(table).probability((1, 3), 0.8)
        assert (one["published"], one["of"]) == ("65%", "nils")


def test_scores_of_both_readings_are_the_stored_ones():
    stored, rows = (
        load_readings(),
        {one["claim"]: one for one in success_curves().document["readings"]},
    )
    made = rows["third card by the pattern: nils valued 0.8 to 0.9 made"]
    tenths = stored["tenths"]["pattern"]
    assert made["n"] == tenths["n"][8]
    assert made["ours"] == pytest.approx(tenths["made"][8] / tenths["n"][8])
    less = rows[
        "as printed less by the pattern: log-loss of the raw nil value, hands not denied a nil"
    ]
    assert less["ours"] == stored["scores"]["all"]["value"]["printed_less"]["log_loss"]["value"]
    assert less["verdict"] == CANT_TELL  # the paper prints none
    for one in rows.values():
        assert one["interval"][0] < one["ours"] < one["interval"][1]
