"""A biased search beside the baseline: who sits where, and which share is closer to 50%."""

import numpy as np
import pytest

from analysis.matches.match import MatchPlan
from analysis.papers.counting import DIRECTION, kind_of
from experiments.papers.baier_teams import (
    RULES,
    TeamDuel,
    add_team,
    closer_to_half,
    play_team,
    team_results,
)
from experiments.papers.claims import Sheet
from experiments.papers.lab import Lab, wins_by_pair
from spades.agents import Duel, PairResults, parse_agent, play_pairs
from tests.analysis.workers import InProcess
from tests.results import own_results  # noqa: F401 - a fixture of every test here

SOUTH, BASELINE = "srp+bis", "random"
SEED = 5


def test_the_partner_sits_south_then_west():
    duel = TeamDuel(parse_agent(BASELINE), parse_agent("wrp+rb"), RULES, partner=parse_agent(SOUTH))
    assert [[str(agent) for agent in seating.agents] for seating in duel.seatings] == [
        [BASELINE, "wrp+rb", SOUTH, "wrp+rb"],
        ["wrp+rb", BASELINE, "wrp+rb", SOUTH],
    ]


def test_a_team_of_two_alike_plays_the_games_of_a_match():
    agent, opponent = parse_agent("wrp+bis"), parse_agent("srp+rb")
    of_match = play_pairs(Duel(agent, opponent, RULES), SEED, 0, 6)
    as_team = play_pairs(TeamDuel(agent, opponent, RULES, partner=agent), SEED, 0, 6)
    assert (as_team.scores == of_match.scores).all()


def test_a_team_wins_fewer_games_than_two_of_its_better_player():
    mixed = PairResults.from_document(play_team(0, 60, SOUTH, BASELINE, SEED), 60)
    alike = play_pairs(Duel(parse_agent(SOUTH), parse_agent(BASELINE), RULES), SEED, 0, 60)
    n_mixed = wins_by_pair(mixed, RULES).sum()
    n_alike = wins_by_pair(alike, RULES).sum()
    assert 60 < n_mixed < n_alike, "of 120 games; two baselines would win 60"


@pytest.mark.parametrize(
    ("wins", "others", "closer"),
    [
        ([1, 1, 0, 1], [0, 0, 1, 0], 0.375 - 0.125),
        ([1, 2, 1, 1], [0, 0, 1, 0], 0.375 - 0.125),  # on the other side of 50%
        ([2, 2, 2, 1], [0, 0, 1, 0], 0.0),
        ([0, 0, 1, 0], [1, 1, 0, 1], 0.125 - 0.375),
    ],
)
def test_how_much_closer_to_half(wins, others, closer):
    estimate = closer_to_half(np.array(wins, dtype=float), np.array(others, dtype=float))
    assert estimate.value == pytest.approx(closer)
    assert estimate.n == 4
    low, high = estimate.interval
    assert low < closer < high


def test_a_team_stands_beside_two_alike_on_the_same_deals(monkeypatch):
    InProcess(monkeypatch)
    lab = Lab(0.0)
    alike = MatchPlan(SOUTH, BASELINE, 24, SEED)
    sheet = Sheet("baier-table3", "", "")
    won = add_team(lab, sheet, "both", alike)
    (row,) = sheet.document["rows"]
    (reading,) = sheet.document["readings"]
    assert (row["claim"], row["n"]) == ("both: games won, closer to 50%", 12)
    assert kind_of(row) == DIRECTION
    assert (reading["claim"], reading["ours"]) == ("both: games won", won.value)
    mixed = team_results(lab, alike)
    assert len(mixed) == 12
    assert won.value == wins_by_pair(mixed, RULES).sum() / 24
    lead = lab.win_rate(alike).value - won.value
    assert row["ours"] == pytest.approx(lead), "both win more than half"
    add_team(lab, sheet, "both", alike, ", another reading")
    assert len(sheet.document["rows"]) == 1
