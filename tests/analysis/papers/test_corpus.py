"""The comparison of Dobre and Lascarides: which matches, their figures, the order, the table."""

import json

import numpy as np
import pytest

from analysis.intervals import ratio_interval
from analysis.matches.match import MatchPlan
from analysis.papers import corpus as published_corpus
from analysis.papers.corpus import (
    ALONE,
    BY_CORPUS,
    BY_HEURISTIC,
    ENTRANTS,
    HEAD_TO_HEAD,
    HEURISTIC,
    SEED,
    TABLE,
    UNSEEDED,
    Scored,
    differences,
    document,
    notes_of,
    play,
)
from analysis.papers.table import corpus_differences, corpus_table, load_published
from spades.agents import Duel, parse_agent, play_pairs

STANDS_FOR = {"thumb": "wrp", "corpus": "random"}  # all others: srp


def played_by_others(plan):
    """The match with agents that play in compiled code."""
    first, second = (
        parse_agent(STANDS_FOR.get(text.partition(":")[0], "srp")) for text in (plan.ns, plan.ew)
    )
    return play_pairs(Duel(first, second, plan.full_rules), plan.seed, 0, plan.games // 2)


@pytest.fixture(scope="module")
def found():
    return document(60, played_by_others)


def test_every_match_names_its_agents(found):
    names = [(row["first"], row["second"]) for row in found["matches"]]
    expected = [(entrant, HEURISTIC) for entrant in ENTRANTS] + list(HEAD_TO_HEAD)
    assert names == [
        (str(parse_agent(first.agent)), str(parse_agent(second.agent)))
        for first, second in expected
    ]
    assert [row["published"] for row in found["matches"][:4]] == [0.2874, 0.2848, 0.3043, 0.1911]
    assert all(row["published_level"] == 0.25 for row in found["matches"][:4])
    assert all(row["published"] is None for row in found["matches"][4:])


def test_figures_are_of_the_games(found):
    plan = MatchPlan(ALONE.agent, HEURISTIC.agent, 60, SEED)
    results = played_by_others(plan)
    row = found["matches"][3]
    winners = results.winners(plan.full_rules)
    assert row["wins"]["ns"] == (winners == 0).sum()
    assert row["games"] == 60
    low, high = row["interval"]
    assert low <= row["win_rate"] <= high


def test_differences_count_a_deal_once():
    rng = np.random.default_rng(1)
    wins = {entrant: rng.integers(0, 3, 50).astype(float) for entrant in ENTRANTS}
    wins[BY_CORPUS] = np.minimum(wins[UNSEEDED] + (np.arange(50) % 2), 2)
    points = {entrant: rng.normal(size=50) for entrant in ENTRANTS}
    points[ALONE] = points[UNSEEDED] + 100 + rng.normal(size=50)
    rows = differences({e: Scored(wins[e], points[e]) for e in ENTRANTS})
    assert len(rows) == 10
    by_name = {(row["first"], row["second"]): row for row in rows}
    row = by_name[BY_CORPUS.name, UNSEEDED.name]
    apart = wins[BY_CORPUS] - wins[UNSEEDED]
    assert row["difference"] == apart.mean() / 2 > 0
    error = apart.std(ddof=1) / np.sqrt(50) / 2
    assert row["interval"][1] - row["difference"] == pytest.approx(2.0096 * error, rel=1e-4)
    assert row["order"] == "as published"
    assert row["published_difference"] == 0.0169
    row = by_name[HEURISTIC.name, ALONE.name]
    assert row["difference"] == pytest.approx(0.5 - wins[ALONE].mean() / 2)
    assert row["points"] == pytest.approx(-points[ALONE].mean())
    assert row["points_interval"] == ratio_interval(-points[ALONE], np.ones(50))
    assert row["points_order"] == "opposite"
    none = {e: Scored(np.zeros(50), np.zeros(50)) for e in ENTRANTS}
    for row in differences(none):  # no game of 100 won: Clopper and Pearson's 3.62%
        if HEURISTIC.name == row["first"]:
            assert row["interval"] == pytest.approx((0.5 - 0.03622, 0.5), abs=1e-5)
            assert row["order"] == "as published"
        elif HEURISTIC.name == row["second"]:
            assert row["interval"] == pytest.approx((-0.5, 0.03622 - 0.5), abs=1e-5)
            assert row["order"] == "opposite"
        else:
            assert row["interval"] is None
    even = {e: Scored(np.ones(50), np.zeros(50)) for e in ENTRANTS}
    assert {row["order"] for row in differences(even)} == {"open"}


def test_notes_say_the_order_found(found):
    notes = found["notes"]
    assert notes == notes_of(found["matches"], found["differences"])
    assert notes[0].startswith("Order published: Flat-UCB seeded by the corpus, Flat-UCB, Flat-UCB")
    rates = [row["win_rate"] for row in found["matches"][:4]]
    assert f"the corpus alone {100 * rates[3]:.1f}%" in notes[1]
    assert notes[1].index("the heuristic 50.0%") < notes[1].index("the corpus alone")
    assert any(
        note.startswith("By the difference of points a round, as published")
        and "Flat-UCB over the corpus alone" in note
        for note in notes
    )


def test_a_cancelled_comparison_is_no_document():
    assert document(2, lambda plan: None) is None


def test_the_store_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    plan, told = MatchPlan("wrp", "random", 8, SEED), []
    first = play(plan, workers=1, tell=lambda made: told.append(made.done))
    assert told == [0, 8]
    again = play(plan, workers=1, tell=lambda made: told.append(made.done))
    assert told == [0, 8, 8]
    assert np.array_equal(first.scores, again.scores)
    assert play(MatchPlan("wrp", "srp", 8, SEED), workers=1, is_cancelled=lambda: True) is None


def test_the_command_writes_the_document(tmp_path, monkeypatch):
    monkeypatch.setattr(published_corpus, "play", lambda plan, **how: played_by_others(plan))
    path = tmp_path / "found.json"
    monkeypatch.setattr("sys.argv", ["", "--games", "20", "--out", str(path)])
    published_corpus.main()
    assert json.loads(path.read_text())["command"].endswith("--games 20")
    monkeypatch.setattr(published_corpus, "play", lambda plan, **how: None)
    monkeypatch.setattr("sys.argv", ["", "--out", str(tmp_path / "none.json")])
    with pytest.raises(SystemExit) as stop:
        published_corpus.main()
    assert stop.value.code == 130
    assert not (tmp_path / "none.json").exists()


def test_the_shipped_table_is_whole():
    table = load_published(TABLE)
    assert table["seed"] == SEED
    games = {row["games"] for row in table["matches"]}
    assert table["command"].endswith(f"--games {games.pop()}")
    assert not games
    rows = corpus_table(table)
    assert rows["first"].tolist()[:4] == [str(parse_agent(e.agent)) for e in ENTRANTS]
    assert (rows["low"] <= rows["win_rate"]).all()
    assert (rows["win_rate"] <= rows["high"]).all()
    assert rows["published"].notna().sum() == 4
    assert table["notes"] == notes_of(table["matches"], table["differences"])
    apart = corpus_differences(table)
    assert len(apart) == 10
    assert set(apart["order"]) <= {"as published", "opposite", "open"}
    first = apart.iloc[0]
    assert (first["first"], first["second"]) == (BY_CORPUS.name, UNSEEDED.name)
    assert BY_HEURISTIC.name in set(apart["second"])
