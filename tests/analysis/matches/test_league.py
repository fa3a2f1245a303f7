"""The league: pairs and ratings, worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from analysis.intervals import share_interval
from analysis.matches.league import (
    ELO,
    Variant,
    bradley_terry,
    league_of,
    league_verdict,
    match_table,
    pair_table,
    rating_table,
    variants,
)
from analysis.matches.match import MATCH
from analysis.matches.result import BySide
from analysis.runs.store import ResultStore, version_of
from spades.core.rules import Rules
from tests.analysis.match_results import made_up


def match(first, second, wins, losses, **change):
    """A row as ``match_table`` makes it."""
    row = {
        "first": first, "second": second, "games": wins + losses, "seed": 1,
        "wins_first": wins, "wins_second": losses, "undecided": 0, "rounds": 10 * (wins + losses),
        "points_first": 50.0, "points_second": 40.0, "ms_first": 1.0, "ms_second": 2.0,
        "target": 500, "floor": None, "nil_only": False, "rules": "{}", "code": "c",
        "is_current": True,
        "key": "k", "created": 0.0,
    }  # fmt: skip
    return row | change


def test_two_agents_three_games_to_one():
    strength, covariance = bradley_terry(np.array([[0, 75], [25, 0]]))
    error = np.sqrt(np.diag(covariance))
    assert strength == pytest.approx([math.log(3) / 2, -math.log(3) / 2], abs=1e-6)
    # The logit of a share p of n has variance 1 / (n p (1 - p)); each centred rating half of it.
    assert error == pytest.approx([math.sqrt(1 / (100 * 0.75 * 0.25)) / 2] * 2, rel=1e-5)


def test_ratings_reproduce_the_wins_they_were_fitted_to():
    """At the maximum every agent's expected number of wins is its number of wins."""
    rng = np.random.default_rng(2)
    wins = rng.integers(1, 60, (6, 6))
    np.fill_diagonal(wins, 0)
    strength, covariance = bradley_terry(wins)
    p = 1 / (1 + np.exp(-(strength[:, None] - strength[None, :])))
    assert ((wins + wins.T) * p).sum(axis=1) == pytest.approx(wins.sum(axis=1), rel=1e-5)
    assert strength.sum() == pytest.approx(0, abs=1e-9)
    assert (np.diag(covariance) > 0).all()


def test_standard_errors_match_the_spread_of_repeated_leagues():
    rng = np.random.default_rng(7)
    truth = np.array([0.8, 0.1, -0.9])
    p = 1 / (1 + np.exp(-(truth[:, None] - truth[None, :])))
    fits = []
    for _ in range(400):
        upper = np.triu(rng.binomial(80, p), 1)
        wins = upper + np.tril(80 - upper.T, -1)
        fits.append(bradley_terry(wins))
    strengths = np.array([strength for strength, _ in fits])
    assert strengths.mean(axis=0) == pytest.approx(truth, abs=0.05)
    spread = strengths.std(axis=0)
    errors = np.sqrt([np.diag(covariance) for _, covariance in fits])
    assert errors.mean(axis=0) == pytest.approx(spread, rel=0.12)
    ahead = strengths[:, 0] - strengths[:, 1]
    of_ahead = [cov[0, 0] + cov[1, 1] - 2 * cov[0, 1] for _, cov in fits]
    assert np.sqrt(of_ahead).mean() == pytest.approx(ahead.std(), rel=0.12)


def test_how_far_behind_the_first_and_whether_it_is_told_apart():
    """Two agents that met the same third: logits of shares add up, and so do their variances."""
    pairs = pair_table(
        pd.DataFrame(
            [match("a", "srp", 80, 20), match("b", "srp", 60, 40), match("c", "srp", 1, 9)]
        )
    )
    ratings = rating_table(pairs).set_index("agent")
    logit = math.log(80 / 20) - math.log(60 / 40)
    assert ratings.loc["b", "behind"] == pytest.approx(logit * ELO, rel=1e-4)
    variance = 1 / (100 * 0.8 * 0.2) + 1 / (100 * 0.6 * 0.4)
    assert ratings.loc["b", "behind_se"] == pytest.approx(math.sqrt(variance) * ELO, rel=1e-4)
    assert ratings.loc["a", ["behind", "behind_se"]].tolist() == pytest.approx([0, 0], abs=1e-6)
    said = league_verdict(ratings.reset_index())
    assert said == (
        "a rates highest of 4 agents: 170 Elo points above b (95%: 60 to 280), and told apart from "
        "3 of the 3 others."
    )
    few = pair_table(pd.DataFrame([match("a", "srp", 8, 2), match("b", "srp", 6, 4)]))
    assert league_verdict(rating_table(few)).endswith("told apart from 0 of the 2 others.")
    one_sided = pair_table(pd.DataFrame([match("a", "b", 5, 0)]))
    assert league_verdict(rating_table(one_sided)).startswith("No agent can be rated")


def test_seeds_add_up_and_the_longest_of_one_seed_counts():
    matches = pd.DataFrame(
        [
            match("a", "b", 30, 10),
            match("a", "b", 70, 30),  # the same seed, longer: holds the 40 games above
            match("a", "b", 10, 90, seed=2, points_first=20.0),
        ]
    )
    (row,) = league_of(matches, Variant.of()).pairs.to_dict("records")
    assert (row["games"], row["wins"], row["losses"]) == (200, 80, 120)
    assert (row["low"], row["high"]) == share_interval(80, 200)
    assert row["points_first"] == pytest.approx(35)


def test_only_matches_of_one_variant_and_version_are_compared():
    matches = pd.DataFrame(
        [
            match("a", "b", 6, 4),
            match("a", "c", 5, 5, nil_only=True),
            match("a", "d", 5, 5, rules='{"target":200}'),
            match("a", "e", 5, 5, is_current=False),
            match("a", "a", 5, 5),
        ]
    )
    assert [*league_of(matches, Variant.of()).pairs["second"]] == ["b"]
    assert [*league_of(matches, Variant.of(nil_only=True)).pairs["second"]] == ["c"]
    assert [*league_of(matches, Variant.of(Rules(target=200))).pairs["second"]] == ["d"]
    earlier = Variant("{}", nil_only=False, is_current=False)
    assert [*league_of(matches, earlier).pairs["second"]] == ["e"]


def test_the_leagues_of_a_store_are_this_codes_first_and_then_the_newest():
    matches = pd.DataFrame(
        [
            match("a", "b", 6, 4, is_current=False, created=9.0),
            match("a", "b", 6, 4, rules='{"losing_floor":-100,"target":200}', created=2.0),
            match("a", "c", 5, 5, nil_only=True, created=5.0),
            match("a", "d", 5, 5, rules='{"bag_limit":5}', created=1.0),
        ]
    )
    found = variants(matches)
    assert [variant.label for variant in found] == [
        "to 500 points, nil-only",
        "to 200 points, floor -100",
        "to 500 points, bag_limit 5",
        "to 500 points, as agents played earlier",
    ]
    assert [variant.is_current for variant in found] == [True, True, True, False]
    assert [variant.name for variant in found] == [
        "500_nil-only", "200_floor-100", "500_bag_limit.5", "500_earlier",
    ]  # fmt: skip
    assert found[1] == Variant.of(Rules(target=200, losing_floor=-100))
    assert [*league_of(matches, found[0]).pairs["second"]] == ["c"]
    assert variants(matches.head(0)) == []


def test_who_won_or_lost_everything_has_no_finite_rating_and_is_told_why():
    matches = pd.DataFrame(
        [
            match("best", "a", 10, 0),
            match("a", "b", 6, 4),
            match("b", "worst", 20, 0),
            match("open", "a", 0, 0, games=4, undecided=4, rounds=400),
        ]
    )
    table = rating_table(pair_table(matches)).set_index("agent")
    assert table.loc["a", "rating"] == pytest.approx(math.log(1.5) / 2 * ELO, abs=1e-3)
    assert table.loc[["a", "b"], "note"].tolist() == ["", ""]
    assert table.loc[["best", "worst", "open"], "rating"].isna().all()
    assert "won every game" in table.loc["best", "note"]
    assert "lost every game" in table.loc["worst", "note"]
    assert "no decided game" in table.loc["open", "note"]
    assert table.index[:2].tolist() == ["a", "b"]


def test_an_empty_store_makes_empty_tables(tmp_path):
    matches = match_table(ResultStore(tmp_path / "none.sqlite").results(MATCH))
    found = league_of(matches, Variant.of())
    assert len(matches) == len(found.pairs) == len(found.ratings) == 0
    assert "rating" in found.ratings.columns
    assert "win_rate" in found.pairs.columns


def test_stored_matches_become_rows(tmp_path):
    store = ResultStore(tmp_path / "results.sqlite")
    sides = BySide(1.5, 2.5)
    result = made_up(
        "srp",
        "wrp",
        games=4,
        wins=BySide(3, 1),
        rounds=30,
        points_per_round=sides,
        ms_per_move=sides,
        target=200,
        floor=-100,
        **version_of("srp", "wrp"),
    )
    rules = {"target": 200, "losing_floor": -100}
    store.put(MATCH, {"agents": ["srp", "wrp"], "rules": rules}, result.document())
    (row,) = match_table(store.results(MATCH)).to_dict("records")
    assert (row["first"], row["second"], row["wins_first"], row["points_second"]) == (
        "srp", "wrp", 3, 2.5,
    )  # fmt: skip
    found = league_of(
        match_table(store.results(MATCH)), Variant.of(Rules(target=200, losing_floor=-100))
    )
    assert found.pairs["wins"].tolist() == [3]
    assert found.ratings["agent"].tolist() == ["srp", "wrp"]
