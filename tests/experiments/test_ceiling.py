"""The ceiling of true hands: who is shown them, and what of it is reached."""

import numpy as np
import pytest

from analysis.matches import ablation
from analysis.runs.store import VARIABLE
from analysis.runs.tasks import TaskRunner
from experiments import ceiling
from spades.agents import Duel, parse_agent
from spades.agents.play import play_rounds
from spades.belief import DETERMINIZATIONS
from spades.core.rules import Rules
from spades.search import search
from spades.search.deals import OpenDeal
from tests.analysis.workers import InProcess

BEST, PLAIN = ablation.written_out("best:iterations=20+bis"), "ismcts:iterations=10+bis"


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("way", ["uniform", "network"])
def test_rounds_are_those_that_the_agent_itself_plays(way, side):
    text = BEST.replace("determinization=network", f"determinization={way}")
    duel = Duel(parse_agent(text), parse_agent(PLAIN), Rules())
    played = play_rounds(duel.seatings[side], ceiling.SEED, 3, 4)
    points, bags = played.points[0].astype(int), played.bags[0].astype(int)
    worth = points - 10 * bags
    found = ceiling.play(duel, side, 3, ceiling.WAYS[way])
    assert found == worth[side] - worth[1 - side]


def test_the_true_hands_go_to_the_search_of_one_side_alone(monkeypatch):
    duel, given = Duel(parse_agent(BEST), parse_agent(PLAIN), Rules()), []

    def spy(seen, *, determinizer, **options):
        if isinstance(determinizer, OpenDeal):
            deals, _ = determinizer.sample(2, np.uint64(1))
            assert deals[0][seen.seat] == seen.hand
            given.append((seen.seat, deals[0].tolist(), seen.table.plays))
        return search(seen, determinizer=determinizer, **options)

    monkeypatch.setattr(ceiling, "search", spy)
    ceiling.play(duel, 1, 0, ceiling.WAYS["true"])
    assert {seat for seat, _, _ in given} == {1, 3}
    _, first, before = given[0]
    for _, hands, plays in given:  # the very cards, less those played since
        gone = sum(1 << card for card in plays[len(before) :])
        assert hands == [hand & ~gone for hand in first]


def test_no_agent_deals_the_true_hands():
    assert not {"true", "open"} & set(DETERMINIZATIONS)


def test_shares_of_the_ceiling():
    points = np.array([[0, 5, 10], [2, 8, 12], [-4, 0, 8]])
    found = ceiling.shares_of(points)
    assert found["deals"] == 3
    assert found["ahead"]["uniform"]["value"] == pytest.approx(-2 / 3)
    assert found["over_uniform"]["network"]["value"] == pytest.approx(5)
    assert found["over_uniform"]["true"]["value"] == pytest.approx(32 / 3)
    assert found["share"]["value"] == pytest.approx(15 / 32)
    low, high = found["share"]["interval"]
    assert low < 15 / 32 < high


def test_deals_are_played_once_and_stay(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    here = InProcess(monkeypatch)
    with TaskRunner(0, "rounds", is_cancelled=lambda: len(here.done) > 0) as run:
        assert ceiling.ceiling(BEST, PLAIN, 6, run) is None
    with TaskRunner(0, "rounds") as run:
        found = ceiling.ceiling(BEST, PLAIN, 6, run)
        assert len(here.done) == 2
        assert ceiling.ceiling(BEST, PLAIN, 6, run) == found
        assert len(here.done) == 2
    assert ceiling.is_current(found, BEST, PLAIN)
    assert not ceiling.is_current(found, BEST, "ismcts:iterations=11+bis")
