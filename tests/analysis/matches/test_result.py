"""Stored matches from either side, and the tables made of them."""

import json
import re
import shlex
from dataclasses import replace

import pytest

from analysis.matches import match as matches
from analysis.matches.match import (
    MATCH,
    PART,
    MatchPlan,
    expected_seconds,
    match_result,
    play_match,
    play_part,
    stored_games,
    stored_match,
)
from analysis.matches.result import (
    CLOPPER_PEARSON,
    PAIRS,
    BySide,
    MatchResult,
    match_verdict,
    measure_table,
    side_texts,
)
from analysis.plots.league import plot_match
from analysis.runs.store import ResultStore
from spades.cli.games import match_text
from spades.cli.main import parse

PLAN = MatchPlan("human", "random", 40, seed=3, target=200, floor=-200)


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


@pytest.fixture(scope="module")
def played():
    pairs = matches.PairResults.from_document(play_part(PLAN, 0, 20), 20)
    return pairs, match_result(PLAN, pairs)


@pytest.fixture
def result(played):
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


def test_a_turned_result_is_that_of_the_exchanged_plan(played):
    pairs, result = played
    other = match_result(MatchPlan("random", "human", 40, 3, 200, -200), pairs.swapped())
    turned = result.turned()
    found, wanted = flat(turned.document()), flat(other.document())
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == (pytest.approx(value) if isinstance(value, float) else value), name
    assert turned.turned().wins == result.wins


def test_a_result_is_read_from_its_document_as_it_was(result):
    for one in (result, result.turned(), replace(result, interval_pairs=None)):
        stored = json.loads(json.dumps(one.document(), allow_nan=False))
        assert MatchResult.from_document(stored) == one
    for damaged in ({}, {**result.document(), "wins": [1, 2]}, {"ns": "human"}):
        with pytest.raises((LookupError, TypeError, ValueError)):
            MatchResult.from_document(damaged)


def test_a_stored_match_is_found_from_either_side_and_a_missing_one_counted(monkeypatch):
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 7)
    assert stored_match(PLAN) is None
    assert stored_games(PLAN) == 0
    store = ResultStore()
    for part in PLAN.ranges:
        store.put(PART, PLAN.parts()[part], play_part(PLAN, *part))
        if part == (0, 7):
            assert stored_games(PLAN) == 14
            assert stored_match(PLAN) is None
    assert stored_games(PLAN) == 40
    from_parts = stored_match(PLAN)
    assert not store.has(MATCH, PLAN.question())
    assert play_match(PLAN) == from_parts
    assert stored_match(PLAN) == from_parts
    turned = stored_match(MatchPlan("random", "human", 40, 3, 200, -200))
    assert turned == from_parts.turned()
    assert turned.key == PLAN.key


def test_the_table_holds_every_number_with_its_denominator(result):
    table = measure_table(result).set_index(["measure", "agent", "interval"])
    rate = table.loc[("win rate", "human", CLOPPER_PEARSON)]
    assert rate["value"] == result.win_rate
    assert (rate["low"], rate["high"]) == result.interval
    assert (rate["n"], rate["n_of"]) == (result.wins.ns, 40)
    over_pairs = table.loc[("win rate", "random", PAIRS)]
    assert over_pairs["high"] == pytest.approx(1 - result.interval_pairs[0])
    nils = table.loc[("nils made", "human", CLOPPER_PEARSON)]
    assert (nils["n"], nils["n_of"]) == (result.nil.ns.made, result.nil.ns.bid)
    assert table.loc[("points a round", "random", PAIRS), "n_of"] == result.rounds
    assert len(table) == 16


def test_the_texts_say_the_same(result):
    texts = side_texts(result).set_index("measure")
    wins = result.wins
    won = texts.loc["games won, of 40"]
    assert won["ns"].startswith(f"{wins.ns} = {100 * wins.ns / 40:.1f}% (")
    assert won["ew"].startswith(f"{wins.ew} = {100 * wins.ew / 40:.1f}% (")
    assert "ms" in texts.loc["time a card", "ns"]
    lost = replace(
        result,
        points_per_round=BySide(-20.6, 1.0),
        points_interval=BySide((-28.7, -12.5), None),
    )
    assert side_texts(lost).iloc[1]["ns"] == "−20.6 (−28.7 to −12.5)"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "human wins more often than random: the 95% interval over pairs"),
        ({"interval_pairs": (0.4, 0.45)}, "random wins more often than human"),
        ({"interval_pairs": (0.45, 0.55)}, "No clear difference in games won"),
        ({"interval_pairs": None}, "human wins more often than random: .*Clopper-Pearson"),
        ({"games": 20, "interval": (0.6, 0.9)}, "20 games are too few to say .* 60.0% to 90.0%"),
        ({"win_rate": None}, "No game was decided"),
        ({"ew": "human"}, "a check, no comparison"),
    ],
)
def test_the_verdict(result, change, says):
    assert re.search(says, match_verdict(replace(result, **change)))


def test_the_command_and_the_plan_ask_for_the_same_match(result):
    words = shlex.split(result.command)
    options = parse(words[3:])
    assert (options.ns, options.ew, options.games) == ("human", "random", 40)
    assert (options.seed, options.target, options.floor) == (3, 200, -200)
    assert not options.nil_only
    assert parse(shlex.split(replace(result, nil_only=True).command)[3:]).nil_only
    assert replace(result, rules={"bag_limit": 5}).command is None
    assert MatchPlan.of(result) == PLAN
    assert result.is_current
    assert not replace(result, code="older").is_current


def test_slow_agents_are_expected_to_take_long():
    assert expected_seconds(PLAN) < 2
    slow = MatchPlan("ismcts:iterations=2500", "human", 400)
    assert expected_seconds(slow) > 60
    assert expected_seconds(MatchPlan("ismcts:iterations=5000", "human", 400)) > 1.5 * (
        expected_seconds(slow)
    )


def test_the_chart_shows_both_intervals(result):
    (dots,) = plot_match(result).data
    assert list(dots.x) == [result.win_rate] * 2
    (low, high), (pairs_low, _) = result.interval, result.interval_pairs
    assert dots.x[0] + dots.error_x.array[0] == pytest.approx(high)
    assert dots.x[0] - dots.error_x.arrayminus[0] == pytest.approx(low)
    assert dots.x[1] - dots.error_x.arrayminus[1] == pytest.approx(pairs_low)
    (one,) = plot_match(replace(result, interval_pairs=None)).data
    assert len(one.x) == 1


def test_a_turned_match_can_be_printed(result):
    assert "random wins" in match_text(result.turned())
