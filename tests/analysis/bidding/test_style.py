import numpy as np
import pandas as pd
import pytest

from analysis.bidding.style import compute_bidding, find_bid_rounds
from analysis.style.counts import PlayFilter, classify, groups_of
from spades.core.derived import derive
from spades.core.errors import SpadesError
from spades.core.logs import Log
from tests.analysis.styles import random_log, random_round


def _style(records):
    data = [classify(Log.from_records(records), "log")]
    return compute_bidding(data, groups_of(data, "kind"), PlayFilter())


def test_bids_by_position_and_sums_of_known_bids():
    records = [random_round(seed, bids=(1, 2, 3, 4)) for seed in range(6)]
    style = _style(records)
    humans = style.positions[style.positions["group"] == "Humans"]
    assert humans["bids"].sum() == 6
    assert humans["mean"].dropna().unique().tolist() == [3.0]
    position = (2 - (records[0].dealer + 1)) % 4
    assert humans.iloc[position]["bids"] >= 1
    sums = style.sums[style.sums["group"] == "Bots"]
    assert sums[["value", "count", "share"]].to_numpy().tolist() == [[10, 6, 1.0]]
    means = style.means.set_index(["measure", "group"])
    assert means.loc[("sum of bids", "Humans"), "mean"] == 10


def test_nils_bid_and_made():
    records = [random_round(seed, bids=(0, 3, 3, -1)) for seed in range(8)]
    made = sum(record.final().table.tricks_taken[0] == 0 for record in records)
    nils = _style(records).nils.set_index("group")
    assert nils.loc["Bots", ["bids", "nils", "played_out", "made"]].tolist() == [16, 8, 8, made]
    assert nils.loc["Bots", "rate"] == 0.5
    assert nils.loc["Humans", "nils"] == 0
    assert np.isnan(nils.loc["Humans", "success"])


def test_branching_factor_is_the_mean_number_of_legal_cards():
    log = random_log(6)
    n = [
        state.legal_plays().bit_count()
        for record in log.records()
        for state in record.positions()
        if not state.table.is_over
    ]
    data = [classify(log, "log")]
    groups = groups_of(data, "log")
    style = compute_bidding(data, groups, PlayFilter())
    row = style.means[style.means["measure"] == "legal cards"].iloc[0]
    assert (row["n"], row["mean"]) == (len(n), pytest.approx(np.mean(n)))
    assert row["low"] < row["mean"] < row["high"]
    assert style.legal["share"].sum() == pytest.approx(1)
    unforced = compute_bidding(data, groups, PlayFilter(forced=False))
    assert unforced.legal["value"].min() == 2


def test_contexts_do_not_split_bids():
    data = [classify(random_log(3), "log")]
    style = compute_bidding(data, groups_of(data, "nil"), PlayFilter())
    assert style.nils["group"].tolist() == ["All seats"]
    assert style.nils["bids"].tolist() == [12]


def test_rounds_behind_a_nil_open_where_it_was_set():
    records = [random_round(seed, bids=(0, 3, 3, -1)) for seed in range(8)]
    data = [classify(Log.from_records(records), "log")]
    (bots,) = [group for group in groups_of(data, "kind") if group.label == "Bots"]
    counts = {}
    for what in ("nil", "made", "set"):
        rows, counts[what] = find_bid_rounds(data, bots, what, limit=50)
        assert len(rows) == counts[what]
        for row in rows.itertuples():
            record = records[row.round]
            winners = derive(data[0].log.take([row.round])).winners[0].tolist()
            assert row.seat == "N"
            assert "nil" in row.bids
            assert "?" in row.bids
            taken = record.final().table.tricks_taken[0]
            assert row.tricks == str(taken)
            assert row.ply == (4 * winners.index(0) if taken else 0)
            assert what == "nil" or (taken == 0) == (what == "made")
    assert counts["nil"] == counts["made"] + counts["set"] == 8
    assert counts["set"] > 0
    pages = [find_bid_rounds(data, bots, "nil", limit=3, page=page)[0] for page in range(3)]
    assert sorted(pd.concat(pages)["round"]) == list(range(8))


def test_rounds_behind_a_sum_of_bids_are_those_counted():
    records = [random_round(seed, bids=(1, 2, 3, 4 + seed % 2)) for seed in range(6)]
    data = [classify(Log.from_records(records), "log")]
    for group in groups_of(data, "kind"):
        style = compute_bidding(data, [group], PlayFilter())
        for value, count in style.sums[["value", "count"]].to_numpy().tolist():
            rows, n = find_bid_rounds(data, group, f"sum-{value}", limit=50)
            assert n == count
            assert [sum(records[i].bids) for i in rows["round"]] == [value] * n
            assert set(rows["sum"]) == {value}
            assert set(rows["ply"]) == {0}
    with pytest.raises(SpadesError, match="nil, made, set and sum-N"):
        find_bid_rounds(data, group, "sum-x", limit=5)
