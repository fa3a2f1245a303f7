"""Whole games between bidders: which are taken, in which order, from where."""

import json

import pandas as pd

from analysis.bidding.matches import LEAGUE, PUBLISHED, bidder_matches, published_rows
from analysis.papers.matches import TABLE
from spades.agents import parse_agent
from spades.core.rules import Rules
from tests.analysis.matches.test_league import match


def test_only_agents_that_play_alike_count():
    document = json.loads(TABLE.read_text())
    rows = published_rows(document)
    assert 0 < len(rows) < len(document["matches"])  # strong against weak play is left out
    for row in rows.itertuples():
        assert parse_agent(row.first).player == parse_agent(row.second).player
        assert row.low < row.win_rate < row.high
    assert (rows["source"] == PUBLISHED).all()


def test_matches_of_agents_that_played_otherwise_are_named():
    document = json.loads(TABLE.read_text())
    assert not published_rows(document)["rules"].str.contains("earlier").any()
    older = published_rows({**document, "code": "abcdef12"})
    assert older["rules"].str.contains("as agents played earlier").all()


def test_games_by_the_rules_asked_for_come_first_and_leagues_are_not_mixed():
    matches = pd.DataFrame(
        [
            match("srp+bis", "srp+rb", 6, 4, is_current=False, created=9.0),
            match("srp+bis", "srp+rb", 7, 3),
            match("srp+bis", "wrp+bis", 8, 2),
            match("srp+bis", "srp+rb", 9, 1, rules='{"target":200}', key="k2"),
        ]
    )
    found = bidder_matches(matches, json.loads(TABLE.read_text()), Rules(target=200))
    league = found[found["source"] == LEAGUE]
    assert league["win_rate"].tolist() == [0.9, 0.7, 0.6]
    assert league["rules"].tolist()[:2] == ["to 200 points", "to 500 points"]
    assert "as agents played earlier" in league["rules"].iloc[2]
    assert found["source"].tolist()[:3] == [LEAGUE] * 3
    assert set(found["source"].iloc[3:]) == {PUBLISHED}
    assert bidder_matches(matches[:0], None, Rules()).empty
