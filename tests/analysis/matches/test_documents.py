"""Stored matches from either side, and the tables made of them."""

import re
import shlex

import pytest

from analysis.matches import match as matches
from analysis.matches.documents import (
    CLOPPER_PEARSON,
    PAIRS,
    is_current,
    match_command,
    match_verdict,
    side_table,
    side_texts,
    turned_document,
)
from analysis.matches.match import (
    MATCH,
    PART,
    MatchPlan,
    expected_seconds,
    match_document,
    play_match,
    play_part,
    stored_document,
    stored_games,
)
from analysis.plots.league import plot_match
from analysis.runs.store import ResultStore
from spades.cli.games import match_table
from spades.cli.main import parse

PLAN = MatchPlan("human", "random", 40, seed=3, target=200, floor=-200)


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


@pytest.fixture(scope="module")
def played():
    results = matches.PairResults.from_document(play_part(PLAN, 0, 20), 20)
    return results, match_document(PLAN, results)


@pytest.fixture
def document(played):
    return played[1]


def flat(value, name=""):
    """Every number and text of a document by its path."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    else:
        return {name: value}
    return {path: v for key, part in items for path, v in flat(part, f"{name}/{key}").items()}


def test_a_turned_document_is_that_of_the_exchanged_plan(played):
    results, document = played
    other = match_document(MatchPlan("random", "human", 40, 3, 200, -200), results.swapped())
    turned = turned_document(document)
    found, wanted = flat(turned), flat(other)
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == (pytest.approx(value) if isinstance(value, float) else value), name
    assert turned_document(turned)["wins"] == document["wins"]


def test_a_stored_match_is_found_from_either_side_and_a_missing_one_counted(monkeypatch):
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 7)
    assert stored_document(PLAN) is None
    assert stored_games(PLAN) == 0
    store = ResultStore()
    for part in PLAN.ranges:
        store.put(PART, PLAN.parts()[part], play_part(PLAN, *part))
        if part == (0, 7):
            assert stored_games(PLAN) == 14
            assert stored_document(PLAN) is None
    assert stored_games(PLAN) == 40
    from_parts = stored_document(PLAN)
    assert not store.has(MATCH, PLAN.question())
    assert play_match(PLAN) == from_parts
    assert flat(stored_document(PLAN)) == flat(from_parts)
    turned = stored_document(MatchPlan("random", "human", 40, 3, 200, -200))
    assert flat(turned) == flat(turned_document(from_parts))
    assert turned["key"] == PLAN.key


def test_the_side_table_holds_every_number_with_its_denominator(document):
    table = side_table(document).set_index(["measure", "agent", "interval"])
    rate = table.loc[("win rate", "human", CLOPPER_PEARSON)]
    assert rate["value"] == document["win_rate"]
    assert [rate["low"], rate["high"]] == list(document["interval"])
    assert (rate["n"], rate["n_of"]) == (document["wins"]["ns"], 40)
    over_pairs = table.loc[("win rate", "random", PAIRS)]
    assert over_pairs["high"] == pytest.approx(1 - document["interval_pairs"][0])
    nils = table.loc[("nils made", "human", CLOPPER_PEARSON)]
    assert (nils["n"], nils["n_of"]) == (
        document["nil"]["ns"]["made"],
        document["nil"]["ns"]["bid"],
    )
    assert table.loc[("points a round", "random", PAIRS), "n_of"] == document["rounds"]
    assert len(table) == 16


def test_the_texts_say_the_same(document):
    texts = side_texts(document).set_index("measure")
    wins = document["wins"]
    won = texts.loc["games won, of 40"]
    assert won["ns"].startswith(f"{wins['ns']} = {100 * wins['ns'] / 40:.1f}% [")
    assert won["ew"].startswith(f"{wins['ew']} = {100 * wins['ew'] / 40:.1f}% [")
    assert "ms" in texts.loc["time a card", "ns"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "human wins more often than random: the 95% interval over pairs"),
        ({"interval_pairs": [0.4, 0.45]}, "random wins more often than human"),
        ({"interval_pairs": [0.45, 0.55]}, "No clear difference in games won"),
        ({"interval_pairs": None}, "human wins more often than random: .*Clopper-Pearson"),
        ({"games": 20, "interval": [0.6, 0.9]}, "20 games are too few to say .* 60.0% to 90.0%"),
        ({"win_rate": None}, "No game was decided"),
        ({"ew": "human"}, "a check, no comparison"),
    ],
)
def test_the_verdict(document, change, says):
    assert re.search(says, match_verdict({**document, **change}))


def test_the_command_and_the_plan_ask_for_the_same_match(document):
    words = shlex.split(match_command(document))
    options = parse(words[3:])
    assert (options.ns, options.ew, options.games) == ("human", "random", 40)
    assert (options.seed, options.target, options.floor) == (3, 200, -200)
    assert not options.nil_only
    assert parse(shlex.split(match_command({**document, "nil_only": True}))[3:]).nil_only
    assert match_command({**document, "rules": {"bag_limit": 5}}) is None
    assert MatchPlan.from_document(document) == PLAN
    assert is_current(document)
    assert not is_current({**document, "code": "older"})


def test_slow_agents_are_expected_to_take_long():
    assert expected_seconds(PLAN) < 2
    slow = MatchPlan("ismcts:iterations=2500", "human", 400)
    assert expected_seconds(slow) > 60
    assert expected_seconds(MatchPlan("ismcts:iterations=5000", "human", 400)) > 1.5 * (
        expected_seconds(slow)
    )


def test_the_chart_shows_both_intervals(document):
    (dots,) = plot_match(document).data
    assert list(dots.x) == [document["win_rate"]] * 2
    (low, high), (pairs_low, _) = document["interval"], document["interval_pairs"]
    assert dots.x[0] + dots.error_x.array[0] == pytest.approx(high)
    assert dots.x[0] - dots.error_x.arrayminus[0] == pytest.approx(low)
    assert dots.x[1] - dots.error_x.arrayminus[1] == pytest.approx(pairs_low)
    (one,) = plot_match({**document, "interval_pairs": None}).data
    assert len(one.x) == 1


def test_a_turned_match_can_be_printed(document):
    assert "random wins" in match_table(turned_document(document))
