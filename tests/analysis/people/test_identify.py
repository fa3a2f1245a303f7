"""Who played this: odds, checks, the plays that decided, and what was measured of them."""

import numpy as np
import pytest

from analysis.people.identify import (
    FALSE_RATE,
    check,
    identify,
    parse_models,
    parse_prior,
    posterior,
    read_measured,
)
from analysis.people.predictions import Choices, own_probabilities
from experiments import measure_identify as measure
from experiments.simulated_players import SEAT, simulated_log
from spades.core.errors import SpadesError

PLAYER, OTHER = "human:spread=0.5,player=7", "human:spread=0.5,player=8"


@pytest.fixture(scope="module")
def choices():
    log = simulated_log(PLAYER, 80, 5)
    return Choices.of(log, np.tile(np.arange(4) == SEAT, (len(log), 1)))


def first_rounds(choices, n):
    return choices.take(choices.rows < n)


def test_posterior_by_hand():
    nats = np.log([1.0, 3.0])
    assert np.allclose(posterior(nats, 1.0), (0.25, 0.75))
    assert np.allclose(posterior(nats, 1.0, [3, 1]), (0.5, 0.5))
    assert np.allclose(posterior(np.log([1.0, 9.0]), 0.5), (0.25, 0.75))


@pytest.mark.parametrize("prior", [[1], [1, 0], [1, -1], [1, float("nan")]])
def test_prior_odds_that_are_none_are_refused(prior):
    with pytest.raises(SpadesError, match="2 positive numbers"):
        posterior(np.zeros(2), 1.0, prior)


def test_commas_part_models_but_not_an_agents_options():
    assert parse_models("human, ismcts:iterations=50,bias=knowledge,c_bt=0.1, t-200-100") == [
        "human", "ismcts:iterations=50,bias=knowledge,c_bt=0.1", "t-200-100",
    ]  # fmt: skip
    assert parse_prior("1, 2.5") == [1.0, 2.5]
    assert parse_prior(" ") is None
    with pytest.raises(SpadesError, match="separated by commas"):
        parse_prior("1:2")


def test_the_right_player_is_named_and_fits(choices):
    found = identify(["human", PLAYER, OTHER], first_rounds(choices, 60))
    assert found["likeliest"] == PLAYER
    assert found["fits"]
    assert sum(found["odds"].values()) == pytest.approx(1)
    nats = found["log_likelihood"]
    difference = nats[PLAYER] - nats[found["next"]]
    assert found["running"][-1] == pytest.approx(difference, abs=1e-3)
    assert len(found["running"]) == found["decisions"]
    steps = np.diff(found["running"], prepend=0)
    assert abs(found["decisive"][0]["nats"]) == pytest.approx(np.abs(steps).max(), abs=1e-3)
    for one in found["decisive"]:
        p = one["p"]
        assert one["nats"] == pytest.approx(np.log(p[PLAYER] / p[found["next"]]))


def test_none_of_these_where_all_are_others(choices):
    found = identify(["human:spread=0.5,player=9", OTHER], choices)
    assert not found["fits"]
    assert found["checks"][found["likeliest"]] < FALSE_RATE


def test_prior_odds_move_the_posterior(choices):
    few = first_rounds(choices, 1)
    even = identify([PLAYER, OTHER], few)["odds"]
    moved = identify([PLAYER, OTHER], few, [1, 1000])["odds"]
    assert moved[OTHER] / moved[PLAYER] == pytest.approx(1000 * even[OTHER] / even[PLAYER])


def test_checks_refuse_others_and_seldom_the_player(choices):
    refused = {}
    for model in (PLAYER, OTHER, "devlin2016-nil"):
        p, found = own_probabilities(model, choices.examples), []
        for start in range(0, int(choices.rows.max()) - 19, 20):
            rows = np.flatnonzero((choices.rows >= start) & (choices.rows < start + 20))
            found.append(check(p[rows], choices.take(rows)))
        refused[model] = (np.array(found) < FALSE_RATE).mean()
    assert refused[PLAYER] < 0.1
    assert refused[OTHER] > 0.8
    assert refused["devlin2016-nil"] > refused[PLAYER]


def test_a_model_that_is_sure_and_right_has_nothing_to_check(choices):
    sure = np.zeros((len(choices), 13))
    sure[np.arange(len(choices)), choices.played] = 1
    assert check(sure, choices) == 1


def test_too_few_models_or_choices_are_refused(choices):
    for models in (["human"], ["human", "human"]):
        with pytest.raises(SpadesError, match="two or more different"):
            identify(models, choices)
    with pytest.raises(SpadesError, match="no choice between"):
        identify(["human", PLAYER], choices.take(slice(0)))


def test_a_measurement_that_lacks_its_trust_is_refused(tmp_path):
    path = tmp_path / "identify.json"
    with pytest.raises(SpadesError, match="is missing"):
        read_measured(path)
    path.write_text('{"persons": {"trust": 1}, "seats": {}}')
    with pytest.raises(SpadesError, match=r"measure_identify makes it anew"):
        read_measured(path)


def test_what_was_measured_is_shipped():
    found = read_measured()
    persons, seats = found["persons"], found["seats"]
    assert (persons["known"], persons["games"], persons["right"][-1]["rounds"]) == (20, 50, 20)
    assert persons["right"][-1]["n"] >= 1000
    assert seats["right"][-1]["n"] >= 200
    for row in (*persons["right"], *seats["right"]):
        assert 0 <= row["interval"][0] <= row["right"] <= row["interval"][1] <= 1
    assert all(0 < kind["trust"] <= 1 for kind in (persons, seats))
    assert found["false_rate"] == FALSE_RATE
    assert persons["strangers"]["n"] >= 500


def stated(factor, n=4000):
    """Log-likelihoods of two models whose true log odds are normal, stated ``factor`` times as
    large, and which is right."""
    rng = np.random.default_rng(2)
    log_odds = rng.normal(0, 2, n)
    right = (rng.random(n) < 1 / (1 + np.exp(-log_odds))).astype(int)
    return np.stack([np.zeros(n), factor * log_odds], axis=1)[:, None], right


def test_trust_undoes_overstated_odds_and_sharpens_none():
    assert measure.fit_trust(*stated(2.0)) == pytest.approx(0.5, abs=0.05)
    assert measure.fit_trust(*stated(0.5)) > 0.99


def test_a_summary_counts_trials_and_is_calibrated():
    nats, right = stated(2.0)
    checks = np.where(np.arange(len(right)) % 4, 0.5, 0.001)
    trials = [measure.Trial(*one) for one in zip(nats, right, checks, strict=True)]
    found = measure.summary(trials, (5,), 1)
    (row,) = found["right"]
    assert (row["rounds"], row["n"]) == (5, 4000)
    assert row["right"] == pytest.approx((nats[:, 0].argmax(axis=1) == right).mean())
    assert row["interval"][0] < row["right"] < row["interval"][1]
    assert found["refused"]["share"] == 0.25
    assert found["stated"]["ece"] < 0.03
    assert measure.summary(trials, (5,), 40)["right"][0]["interval"] != row["interval"]


def test_trials_cut_a_players_choices_by_rounds(choices):
    few = first_rounds(choices, 10)
    held = [own_probabilities(model, few.examples) for model in (PLAYER, OTHER)]
    first, second = measure.trials_of(few, held, (1, 5), 0)
    whole = np.log(held[0][np.arange(len(few)), few.played])
    assert second.nats[1][0] == pytest.approx(whole[few.rows >= 5].sum())
    assert second.nats[0][0] == pytest.approx(whole[few.rows == 5].sum())
    assert (first.right, first.nats.shape) == (0, (2, 2))
