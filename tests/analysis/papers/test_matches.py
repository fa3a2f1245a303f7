"""The published matches: which they are, what is stored of one, and the shipped table."""

import json

import numpy as np
import pytest

from analysis.papers.matches import (
    FLOOR,
    MATCHES,
    N_GAMES,
    SEED,
    TABLE,
    Match,
    figures,
    notes_of,
    played,
)
from analysis.papers.table import load_published, published_table
from spades.agents import Duel, parse_agent, play_pairs
from spades.core.rules import Rules

QUICK = Match("random against itself", "random+random", "random+random", "a test", 0.5)


@pytest.fixture(scope="module")
def quick():
    return played(QUICK, 40)


def test_every_match_names_agents_and_none_twice():
    for match in MATCHES:
        assert str(parse_agent(match.first)) != str(parse_agent(match.second))
        assert (match.published is None) or 0.5 < match.published < 0.7
    assert len({match.name for match in MATCHES}) == len(MATCHES)


def test_a_match_is_the_pairs_of_its_seed(quick):
    agent = parse_agent("random+random")
    duel = Duel(agent, agent, Rules(target=200, losing_floor=FLOOR))
    expected = play_pairs(duel, SEED, 0, 20)
    assert np.array_equal(quick.scores, expected.scores)


def test_figures_are_of_the_games(quick):
    found = figures(QUICK, quick)
    assert found["games"] == 40
    assert found["win_rate"] == 0.5  # an agent against itself wins one game of each pair
    low, high = found["interval"]
    assert low < 0.5 < high
    assert found["published"] == 0.5
    rounds = quick.rounds.sum()
    assert found["nils_per_round"] == [n / rounds for n in quick.nils.sum(axis=(0, 1)).tolist()]
    winners = quick.winners(Rules(target=200, losing_floor=FLOOR))
    lost = [quick.scores[i, j, 0] for i, j in np.ndindex(winners.shape) if winners[i, j] == 1]
    assert found["loser_score"][0] == pytest.approx(np.mean(lost))


def test_the_shipped_table_has_every_match_whole():
    table = json.loads(TABLE.read_text())
    assert [(m["name"], m["first"], m["second"]) for m in table["matches"]] == [
        (m.name, m.first, m.second) for m in MATCHES
    ]
    assert table["notes"] == notes_of({match["name"]: match for match in table["matches"]})
    assert table["seed"] == SEED
    for match in table["matches"]:
        assert match["games"] == N_GAMES
        assert match["interval"][0] < match["win_rate"] < match["interval"][1]


def test_the_table_holds_the_document():
    document = load_published()
    table = published_table(document)
    assert table["name"].tolist() == [match.name for match in MATCHES]
    row = table.set_index("name").loc["BIS against RB"]
    stored = document["matches"][0]
    assert (row["published"], row["win_rate"]) == (0.523, stored["win_rate"])
    assert [row["low"], row["high"]] == stored["interval"]
    assert row["agrees"] == "outside"
    assert row["published_points"] == "56.2 – 52.8"
    assert row["games"] == sum(stored["wins"].values())
    beyond = table[table["source"] == "beyond the paper"]
    assert beyond["published"].isna().all()
    assert (beyond["agrees"] == "").all()
