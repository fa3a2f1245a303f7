"""Where KL, accuracy and the discriminator disagree on a sweep's settings."""

import pandas as pd
import pytest

from analysis.sweeps.likeness import Dispute, disputes_text, find_disputes, rivals_of
from analysis.sweeps.views import view_table
from spades.core.documents import read_json
from spades.core.paths import DATA
from tests.analysis.small_sweeps import grid_document


def line(*rows):
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
                "gain_high": None,
                "auc": float("nan"),
                "auc_low": float("nan"),
                "auc_high": float("nan"),
                "kl": kl,
                "kl_low": kl - kl_spread,
                "kl_high": kl + kl_spread,
            }
        )
    return pd.DataFrame(values)


def dispute(setting, rival, *, is_settled=True):
    return Dispute(setting, rival, ("accuracy",), ("KL",), is_settled)


def test_a_dispute_is_nearer_by_accuracy_and_farther_by_kl():
    table = line((0.40, 0.01, 0.10, 0.01), (0.50, 0.01, 0.05, 0.01), (0.55, 0.01, 0.15, 0.01))
    assert find_disputes(table) == [dispute("key2", "key0"), dispute("key2", "key1")]
    how = "(nearer by accuracy, farther by KL) *"
    assert rivals_of(table, find_disputes(table)) == ["", "", f"setting 0 {how}; setting 1 {how}"]


def test_nearer_by_kl_and_farther_by_accuracy_is_a_dispute_too():
    table = line((0.40, 0.01, 0.10, 0.01), (0.30, 0.01, 0.05, 0.01))
    (found,) = find_disputes(table)
    assert found == Dispute("key1", "key0", ("KL",), ("accuracy",), True)


def with_auc(table, *values, spread=0.01):
    """The table with an AUC a setting."""
    auc = pd.Series(values, index=table.index, dtype=float)
    return table.assign(auc=auc, auc_low=auc - spread, auc_high=auc + spread)


@pytest.mark.parametrize(
    ("auc", "nearer", "farther"),
    [
        (0.70, ("KL", "accuracy"), ("AUC",)),
        (0.50, (), ()),
        (0.60, (), ()),  # as far as the rival: neither
        (float("nan"), (), ()),
    ],
)
def test_the_discriminator_may_disagree_with_both(auc, nearer, farther):
    table = line((0.40, 0.01, 0.10, 0.01), (0.50, 0.01, 0.05, 0.01))
    found = find_disputes(with_auc(table, 0.60, auc))
    assert [(one.nearer, one.farther) for one in found] == ([(nearer, farther)] if nearer else [])
    if found:
        said = disputes_text(with_auc(table, 0.60, auc))
        assert "KL, accuracy and AUC disagree on 1 of 2 settings" in said
        assert (
            "Beyond the 95% intervals: nearer by KL and accuracy, farther by AUC (by K: 1)" in said
        )


def test_a_dispute_is_settled_by_one_measure_of_each_side():
    table = line((0.40, 0.2, 0.10, 0.01), (0.50, 0.2, 0.05, 0.01))
    found = find_disputes(with_auc(table, 0.60, 0.70))
    assert [one.is_settled for one in found] == [True], "KL and AUC are apart, accuracy isn't"
    found = find_disputes(with_auc(table, 0.60, 0.70, spread=0.2))
    assert [one.is_settled for one in found] == [False]


def test_what_was_not_measured_is_said():
    table = with_auc(
        line((0.4, 0.01, 0.1, 0.01), (0.5, 0.01, 0.05, 0.01), (0.6, 0.01, 0.04, 0.01)),
        0.6, 0.55, float("nan"),
    )  # fmt: skip
    assert "AUC isn't measured for 1 of 3." in disputes_text(table)


@pytest.mark.parametrize(("spread", "kl_spread"), [(0.2, 0.001), (0.001, 0.2)])
def test_a_dispute_within_an_interval_is_not_settled(spread, kl_spread):
    table = line((0.40, 0.001, 0.10, 0.001), (0.50, spread, 0.15, kl_spread))
    assert find_disputes(table) == [dispute("key1", "key0", is_settled=False)]
    assert "By the values alone: nearer by accuracy, farther by KL (by K: 1)." in disputes_text(
        table
    )


def test_the_gain_on_the_same_decisions_settles_what_two_intervals_do_not():
    table = line((0.40, 0.2, 0.10, 0.001), (0.50, 0.2, 0.15, 0.001))
    assert not find_disputes(table)[0].is_settled
    assert find_disputes(table.assign(gain_low=0.02, gain_high=0.2))[0].is_settled


def test_only_neighbours_on_a_line_and_the_unbiased_search_are_rivals():
    table = line(
        (0.1, 0.01, 0.9, 0.01),
        (0.2, 0.01, 0.1, 0.01),
        (0.3, 0.01, 0.3, 0.01),
        (0.4, 0.01, 0.2, 0.01),
    )
    assert find_disputes(table) == [dispute("key2", "key1")], "key3 is two from key1"


def test_it_is_said_where_none_disagree_or_nothing_is_measured():
    table = line((0.40, 0.01, 0.10, 0.01), (0.50, 0.01, 0.05, 0.01))
    said = disputes_text(table)
    assert "KL and accuracy agree on all 2 settings" in said
    assert "AUC isn't measured for 2 of 2." in said
    unmeasured = disputes_text(table.assign(kl=float("nan")))
    assert "can't be compared" in unmeasured
    made_up = view_table(grid_document())
    said = "KL, accuracy and AUC disagree on 10 of 11 settings"
    assert said in disputes_text(made_up), "KL and AUC grow with accuracy there"


@pytest.mark.parametrize(("name", "n_farther", "n_nearer"), [("baier", 15, 29), ("pikl", 7, 8)])
def test_shipped_sweeps_beside_the_unbiased_search(name, n_farther, n_nearer):
    table = view_table(read_json(DATA / "sweeps" / f"{name}.json"))
    unbiased = table.iloc[0]
    assert (table["accuracy"] > unbiased["accuracy"]).sum() == n_nearer
    beside = {
        one.setting
        for one in find_disputes(table)
        if one.rival == unbiased["key"] and "accuracy" in one.nearer and "KL" in one.farther
    }
    assert len(beside) == n_farther
    assert "direct imitation" in disputes_text(table)
