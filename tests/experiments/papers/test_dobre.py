"""Dobre and Lascarides: games against a random player, of all agents together."""

from analysis.matches.match import MatchPlan
from experiments.papers.claims import Sheet
from experiments.papers.dobre import RANDOM, _add_against_random
from experiments.papers.lab import Lab
from tests.results import own_results  # noqa: F401 - a fixture of every test here


def test_games_against_a_random_player_are_counted_together():
    lab = Lab(0.0)
    plans = [MatchPlan(agent, RANDOM, 10, 1) for agent in ("srp+bis", RANDOM)]
    sheet = Sheet("dobre-table1", "", "")
    _add_against_random(lab, sheet, plans)
    (row,) = sheet.document["rows"]
    strong, random = sheet.document["readings"]
    assert row["claim"] == "games won against a random player by any agent"
    assert strong["claim"] == "srp+bis: games won against a random player"
    assert strong["ours"] > random["ours"]
    assert row["n"] == 20
    assert row["ours"] == (strong["ours"] + random["ours"]) / 2
