"""Where accuracy and KL disagree on a sweep's settings."""

import pandas as pd
import pytest

from analysis.sweeps.likeness import Dispute, disputes_text, find_disputes, rivals_of
from analysis.sweeps.views import view_table
from spades.core.documents import read_json
from spades.core.paths import DATA
from tests.analysis.small_sweeps import grid_document


def line(*rows, **more):
    """A table of settings: the unbiased search and a line of others.

    ``rows``: accuracy and KL, each with half the width of its interval."""
    values = []
    for i, (accuracy, spread, kl, kl_spread) in enumerate(rows):
        values.append(
            {
                "key": f"key{i}",
                "label": f"setting {i}",
                "technique": "knowledge" if i else "none",
                "series": "C_BT 1, by K" if i else "unbiased search",
                "order": float(i),
                "note": str(i) if i else "",
                "accuracy": accuracy,
                "accuracy_low": accuracy - spread,
                "accuracy_high": accuracy + spread,
                "gain_low": None,
                "kl": kl,
                "kl_low": kl - kl_spread,
                "kl_high": kl + kl_spread,
                **more,
            }
        )
    return pd.DataFrame(values)


def test_a_dispute_is_nearer_by_accuracy_and_farther_by_kl():
    table = line((0.40, 0.01, 0.10, 0.01), (0.50, 0.01, 0.05, 0.01), (0.55, 0.01, 0.15, 0.01))
    assert find_disputes(table) == [Dispute("key2", "key0", True), Dispute("key2", "key1", True)]
    assert rivals_of(table, find_disputes(table)) == ["", "", "setting 0 *; setting 1 *"]


@pytest.mark.parametrize(("spread", "kl_spread"), [(0.2, 0.001), (0.001, 0.2)])
def test_a_dispute_within_an_interval_is_not_settled(spread, kl_spread):
    table = line((0.40, 0.001, 0.10, 0.001), (0.50, spread, 0.15, kl_spread))
    assert find_disputes(table) == [Dispute("key1", "key0", False)]
    assert "By the values alone: by K: 1." in disputes_text(table)


def test_the_gain_on_the_same_decisions_settles_what_two_intervals_do_not():
    table = line((0.40, 0.2, 0.10, 0.001), (0.50, 0.2, 0.15, 0.001))
    assert not find_disputes(table)[0].is_settled
    assert find_disputes(table.assign(gain_low=0.02))[0].is_settled


def test_only_neighbours_on_a_line_and_the_unbiased_search_are_rivals():
    table = line(
        (0.1, 0.01, 0.9, 0.01),
        (0.2, 0.01, 0.1, 0.01),
        (0.3, 0.01, 0.3, 0.01),
        (0.4, 0.01, 0.2, 0.01),
    )
    assert find_disputes(table) == [Dispute("key2", "key1", True)], "key3 is two from key1"


def test_it_is_said_where_none_disagree_or_nothing_is_measured():
    table = line((0.40, 0.01, 0.10, 0.01), (0.50, 0.01, 0.05, 0.01))
    assert "agree on all 2 settings" in disputes_text(table)
    unmeasured = disputes_text(table.assign(kl=float("nan")))
    assert "can't be compared" in unmeasured
    made_up = view_table(grid_document())
    assert "disagree on 10 of 11 settings" in disputes_text(made_up), "KL grows with accuracy there"


@pytest.mark.parametrize(("name", "n_farther", "n_nearer"), [("baier", 15, 29), ("pikl", 4, 5)])
def test_shipped_sweeps_beside_the_unbiased_search(name, n_farther, n_nearer):
    table = view_table(read_json(DATA / "sweeps" / f"{name}.json"))
    unbiased = table.iloc[0]
    assert (table["accuracy"] > unbiased["accuracy"]).sum() == n_nearer
    beside = {one.setting for one in find_disputes(table) if one.rival == unbiased["key"]}
    assert len(beside) == n_farther
    assert "direct imitation" in disputes_text(table)
