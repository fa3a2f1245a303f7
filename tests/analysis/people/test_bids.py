"""How one player bids: the fit finds what the bids were made with, and says how surely."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.people.bids import DOUBT, bids_of_player, fit, fit_bids, losses
from analysis.people.players import UnknownPlayerError
from experiments.simulated_players import simulated_log
from spades.agents import parse_agent
from spades.agents.bidders import HumanBidder
from spades.belief.likelihood import bid_probability
from spades.core.logs import Log
from spades.human.simulated import load_simulated_human

SOUTH = 2
TRUE = {"tricks": 0.5, "nil": -2.0, "noise": 1.4}
AGENT = "human+human:tricks=0.5,nil=-2.0,noise=1.4"


def named(log):
    """The log with South called me."""
    codes = np.zeros_like(log.player_code)
    codes[:, SOUTH] = 1
    return replace(log, player_code=codes, players=("others", "me"))


@pytest.fixture(scope="module")
def log():
    return named(simulated_log(AGENT, 40, 3))


def test_the_fit_finds_what_the_bids_were_made_with(log):
    found = fit_bids(log, "me")
    for row, true in zip(found["estimates"], TRUE.values(), strict=True):
        width = (row["value_high"] - row["value_low"]) / 2
        assert 0 < width < 1
        assert abs(row["value"] - true) < 1.5 * width
    low, high = found["gain_within"]
    assert 0 < low < found["gain"] < high
    assert (found["bids"], found["games"]) == (len(log), 40)
    assert parse_agent(f"human+{found['agent']}").bidder.tricks == pytest.approx(
        found["estimates"][0]["value"], abs=0.01
    )


@pytest.mark.slow
def test_intervals_cover_the_truth_and_the_population_is_no_exception():
    rng, covered, n = np.random.default_rng(5), 0, 8
    for player in range(n):
        tricks, nil = rng.normal(0, (0.5, 3.0)).round(2) * (player > 2)
        text = f"human+human:tricks={tricks},nil={nil}"
        rows = fit_bids(named(simulated_log(text, 10, 100 + player)), "me")["estimates"]
        true = (tricks, nil, 1.0)
        covered += sum(
            row["value_low"] <= at <= row["value_high"] for row, at in zip(rows, true, strict=True)
        )
    assert covered >= 19  # of 24, each at 95%: fewer in 0.1% of all runs


def test_losses_are_those_of_the_bidders_probabilities(log):
    (bids,) = bids_of_player(log, "me")
    bidder = HumanBidder(tricks=0.3)
    numbers = load_simulated_human().bidder
    numbers = numbers._replace(offset=numbers.offset + 0.3)
    found = losses([bids], bidder)
    for i in range(30):
        hand, bid, seat, *before = bids.rows[i].tolist()
        assert seat == SOUTH
        at = log.bids[i]
        turns = (np.arange(4) - log.dealer[i] - 1) % 4
        assert before == [b if t < turns[SOUTH] else -1 for b, t in zip(at, turns, strict=True)]
        p = bid_probability(hand, bid, np.array(before, np.int8), seat, bids.rules, numbers)
        assert found[i] == pytest.approx(-np.log((1 - DOUBT) * p + DOUBT / 14))


def test_one_game_tells_no_gain(log):
    found = fit_bids(log.take(log.game_code == 0), "me")
    assert (found["gain"], found["gain_within"], found["games"]) == (None, None, 1)
    flat = fit_bids(replace(log, bids=np.full_like(log.bids, 13)), "me")  # as unlikely anywhere
    assert flat["agent"] == "human"


def test_the_maximum_is_one(log):
    bids = bids_of_player(log, "me")
    best, covariance = fit(bids)
    assert np.linalg.eigvalsh(covariance).min() > 0
    few = [one.of(np.arange(40) < 2) for one in bids]
    weak = fit(few)[1]
    assert (np.diag(weak) > np.diag(covariance)).all()
    assert np.abs(best).max() < 6


def test_bids_with_help_blind_ones_and_unknown_ones_are_left_out(log):
    turn = (SOUTH - int(log.dealer[0]) - 1) % 4
    part = log.take(slice(0, 8))
    bids, blind = part.bids.copy(), part.blind.copy()
    bids[2, SOUTH], blind[3, SOUTH] = -1, True
    codes = np.zeros(8, dtype=np.int32)
    codes[0] = 1
    sources = ("", f"hinted {turn - 4}")
    part = replace(part, bids=bids, blind=blind, source_code=codes, sources=sources)
    (found,) = bids_of_player(part, "me")
    assert len(found.rows) == 5
    assert found.rows[0, 0] == log.hands[1, SOUTH]


def test_a_player_without_bids_and_one_who_isn_t_there(log):
    unknown = replace(log, bids=np.full_like(log.bids, -1))
    assert isinstance(unknown, Log)
    assert fit_bids(unknown, "me") is None
    with pytest.raises(UnknownPlayerError):
        fit_bids(log, "nobody")
