"""What Baier et al. say in words of their biases, on numbers made up by hand."""

import pytest

from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS
from experiments.papers.baier import (
    NETWORK,
    STRONG,
    _add_promising,
    _inverse,
    plain,
)
from experiments.papers.baier_networks import count_illegal_first
from experiments.papers.baier_plays import LOG, choices_of, count_foretold, time_both
from experiments.papers.claims import Estimate, Sheet
from spades.agents import parse_agent
from spades.core.cards import SOUTH
from spades.core.deal import derive_seed
from spades.human.networks.config import OURS
from spades.notation.log_store import open_log
from spades.search import Experience, Knowledge

ROUND = 3


def measured(accuracy, win_rate, half_width=0.03):
    """What a sweep says of a setting."""
    accuracy_interval = (accuracy - 0.002, accuracy + 0.002)
    wins_interval = (win_rate - half_width, win_rate + half_width)
    ahead = {"value": 0.0, "interval": (-1.0, 1.0)}
    match = {"win_rate": win_rate, "interval": wins_interval, "games": 1000}
    return {
        "agent": "ismcts",
        "accuracy": {"all_plays": {"share": accuracy, "interval": accuracy_interval, "n": 27_000}},
        "match": {**match, "points_difference": ahead},
    }


def test_a_promising_setting_is_nearly_the_most_accurate_and_no_weaker():
    sheet = Sheet("baier-fig2-3", "", "")
    _add_promising(
        sheet,
        {
            STRONG[0]: measured(0.65, 0.495),
            Knowledge(NETWORK, c_bt=0.5, k=1000.0): measured(0.655, 0.2),
            STRONG[1]: measured(0.58, 0.42),
            Experience(NETWORK, w=100): measured(0.66, 0.1),
        },
    )
    rows = {row["claim"]: (row["ours"], row["verdict"]) for row in sheet.document["rows"]}
    assert rows == {
        "knowledge, C_BT 0.2, K 1000: accuracy less the highest": (pytest.approx(-0.005), AGREES),
        "knowledge, C_BT 0.2, K 1000: games won": (0.495, AGREES),
        "experience, w 10: accuracy less the highest": (pytest.approx(-0.08), DIFFERS),
        "experience, w 10: games won": (0.42, DIFFERS),
    }


def test_whether_a_setting_is_weaker_may_take_more_games():
    sheet = Sheet("baier-fig2-3", "", "")
    _add_promising(sheet, {STRONG[1]: measured(0.58, 0.48, half_width=0.05)})
    verdicts = [row["verdict"] for row in sheet.document["rows"]]
    assert verdicts == [AGREES, CANT_TELL]


def test_speed_is_the_inverse_of_time():
    speed = _inverse(Estimate(1.25, (1.0, 2.0), 30, "decisions"))
    assert (speed.value, speed.interval, speed.n) == (0.8, (0.5, 1.0), 30)


def test_plays_foretold_are_counted_with_forced_ones():
    agent = "direct:model=t-200-100"
    player = parse_agent(agent).player
    record = open_log(LOG).record(ROUND)
    seed = derive_seed(0, 0)  # the network's likeliest card takes no luck
    hits = 0
    for ply, card in enumerate(record.plays):
        seen = record.observation(ply)
        if seen.seat == SOUTH:
            hits += player.play(seen, seed) == card.code
    assert count_foretold(ROUND, ROUND + 1, agent) == [(hits, 13)]
    assert hits >= 13 - len(choices_of(record)), "forced plays are foretold"


def test_both_searches_are_timed_at_every_choice():
    slow, quick = plain(4000), plain(500)
    ((seconds, quick_seconds, n),) = time_both(ROUND, ROUND + 1, slow, quick)
    assert n == len(choices_of(open_log(LOG).record(ROUND))) > 5
    assert 2 < seconds / quick_seconds < 10, "eight times the iterations"


def test_illegal_first_choices_are_counted_by_round():
    n_rounds = 400
    counts = {model: count_illegal_first(0, n_rounds, model) for model in (NETWORK, OURS)}
    assert {len(by_round) for by_round in counts.values()} == {n_rounds}
    assert 10 < sum(counts[NETWORK]) < 60, "0.14% of 20,800 in the stored comparison"
    assert sum(counts[OURS]) < 3
