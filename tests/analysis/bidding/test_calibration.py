"""Contracts made, duels, whole games: hand-worked rounds, denominators, what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.bidding.calibration import (
    bidder_matches,
    bids_of_log,
    calibration_table,
    duel_table,
    matches_of_bidders,
    play_duel,
    regular_bids,
    simulate_bidder,
)
from analysis.intervals import ratio_interval, share_interval
from analysis.matches.league import pair_table
from spades.agents import UnknownAgentError
from spades.core.derived import derive
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from tests.analysis.matches.test_league import match
from tests.analysis.styles import random_log

BIDS = np.array([[3, 4, 2, 3], [0, 3, 3, 5], [3, 1, 3, 1]], dtype=np.int8)
TRICKS = np.array([[2, 4, 4, 3], [0, 4, 2, 7], [3, 5, 2, 3]], dtype=np.int8)


def kept(rules=None):
    return regular_bids(rules or Rules(), BIDS, TRICKS, np.arange(3), "us")


def row(table, bid):
    return table[table["bid"] == bid].iloc[0]


def test_contracts_and_tricks_by_hand():
    table = calibration_table(kept())
    threes = row(table, 3)  # N and W of round 0; E and S of round 1; N and S of round 2
    assert (threes["n"], threes["contracts"]) == (6, 5)
    assert threes["made"] == 3 / 5  # failed: N/S of rounds 1 and 2
    assert (threes["made_low"], threes["made_high"]) == pytest.approx(share_interval(3, 5))
    assert threes["over"] == pytest.approx((-1 + 0 + 1 - 1 + 0 - 1) / 6)
    ends = ratio_interval(np.array([-1, 0, -1]), np.array([2, 2, 2]))
    assert (threes["over_low"], threes["over_high"]) == pytest.approx(ends)
    everything = row(table, -1)
    assert (everything["n"], everything["contracts"]) == (11, 6)  # the nil doesn't count
    assert 0 not in set(table["bid"])


def test_a_zero_that_is_no_nil_counts_as_a_bid():
    assert row(calibration_table(kept(Rules(nil=None))), 0)["n"] == 1


def test_games_are_what_is_independent():
    one = regular_bids(Rules(), BIDS, TRICKS, np.zeros(3, dtype=np.int64), "us")
    assert pd.isna(row(calibration_table(one), 3)["over_low"])


def test_simulated_bidders():
    table = calibration_table(pd.concat(simulate_bidder(name, n=300) for name in ("bis", "io")))
    bis, io = (
        table[(table["group"] == name) & (table["bid"] < 0)].iloc[0] for name in ("bis", "io")
    )
    assert bis["contracts"] <= 600
    assert bis["made_low"] > io["made_high"]  # a bidder that overbids by a trick
    assert bis["over_low"] > io["over_high"]


def test_bids_of_a_log_by_who_made_them():
    log = random_log(8)
    found = bids_of_log(log)
    whole = derive(log).has_score
    assert len(found) == int((log.bids[whole] > 0).sum())
    assert "Humans" in set(found["group"])
    assert (found["bid"] > 0).all()


def test_duels():
    assert (play_duel("rb", "rb", n=40) == 0).all()  # the same on both sides of every deal
    ahead = play_duel("bis", "io", n=400)
    np.testing.assert_allclose(ahead, -play_duel("io", "bis", n=400))
    table = duel_table({("bis", "io"): ahead})
    low, high = stats.t.interval(0.95, 399, loc=ahead.mean(), scale=stats.sem(ahead))
    assert (table["low"][0], table["high"][0]) == pytest.approx((low, high))
    assert table["low"][0] > 0
    assert table["deals"][0] == 400


def test_matches_between_bidders():
    played = pd.DataFrame(
        [
            {"first": first, "second": second, "games": 10, "wins_first": 6, "wins_second": 4,
             "undecided": 0, "rounds": 50, "points_first": 40.0, "points_second": 30.0}
            for first, second in (("srp+bis", "srp+rb"), ("srp+bis", "wrp+bis"))
        ]
    )  # fmt: skip
    pairs = matches_of_bidders(pair_table(played))
    assert pairs["second"].tolist() == ["srp+rb"]
    assert pairs["win_rate"].tolist() == [0.6]
    assert matches_of_bidders(pair_table(played[:0])).empty


def test_refusals():
    with pytest.raises(SpadesError, match="0 rounds to simulate; 1 to 50,000"):
        simulate_bidder("bis", n=0)
    with pytest.raises(UnknownAgentError):
        play_duel("bis", "nobody", n=10)


def test_games_by_the_rules_asked_for_come_first_and_leagues_are_not_mixed():
    matches = pd.DataFrame(
        [
            match("srp+bis", "srp+rb", 6, 4, is_current=False, created=9.0),
            match("srp+bis", "srp+rb", 7, 3),
            match("srp+bis", "wrp+bis", 8, 2),
            match("srp+bis", "srp+rb", 9, 1, rules='{"target":200}', key="k2"),
        ]
    )
    found = bidder_matches(matches, Rules(target=200))
    assert found["win_rate"].tolist() == [0.9, 0.7, 0.6]
    assert found["rules"].tolist()[:2] == ["to 200 points", "to 500 points"]
    assert "as agents played earlier" in found["rules"].iloc[2]
    assert bidder_matches(matches[:0], Rules()).empty
