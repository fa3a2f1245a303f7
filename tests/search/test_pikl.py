"""piKL: the human model weighed with the search's values, once, at the root."""

import math
from dataclasses import replace

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.core.observation import observe
from spades.human import load_model
from spades.search import Pikl
from spades.search.techniques.pikl import draw_card, human_policy
from tests.search.test_bias import MODEL, biased, positions, rows_of


def policy_of(result):
    return np.array([row.policy for row in result.cards])


def test_the_policy_is_that_worked_by_hand():
    p, values = np.array([0.5, 0.3, 0.2]), np.array([10.0, 30.0, math.nan])
    policy, added = human_policy(p, values, 20.0)
    weights = [0.5 * math.exp(10 / 20), 0.3 * math.exp(30 / 20), 0.2 * math.exp(20 / 20)]
    assert policy == pytest.approx([w / sum(weights) for w in weights])  # 0.303, 0.496, 0.201
    assert added == pytest.approx([20 * math.log(one) for one in p])
    best = np.array([10.0, 30.0, 20.0]) + added  # what the bias adds is in points
    assert policy == pytest.approx(np.exp(best / 20) / np.exp(best / 20).sum())


@pytest.mark.parametrize("values", [[-400.0, 400.0, 1.0], [math.nan] * 3, [5.0, 5.0, 5.0]])
@pytest.mark.parametrize("lambda_", [0.0, 1e-300, 1e-9, 20.0, 1e9])
def test_no_lambda_and_no_value_overflows(values, lambda_):
    policy, added = human_policy(np.array([1.0, 0.0, 0.0]), np.array(values), lambda_)
    assert np.isfinite(policy).all()
    assert np.isfinite(added).all()
    assert policy.sum() == pytest.approx(1)


def test_at_lambda_0_the_model_chooses_among_equals():
    policy, _ = human_policy(np.array([0.5, 0.3, 0.2]), np.array([5.0, 5.0, 1.0]), 0.0)
    assert policy == pytest.approx([0.625, 0.375, 0])


def test_lambda_leads_from_the_best_card_to_the_model():
    for state in positions(11, range(0, 44, 4)):
        model = np.sort(load_model(MODEL).predict_proba([observe(state)])[0])
        result = biased(state, Pikl(MODEL, lambda_=1e9))
        human = [row.prior for row in result.cards]
        assert np.sort(human) == pytest.approx(model[-len(human) :], abs=1e-9)
        assert policy_of(result) == pytest.approx(human, abs=1e-6)
        for near in (0.0, 1e-6):
            least = Pikl(MODEL, lambda_=near).weighed(result)
            assert least.best.mean_value == max(row.mean_value for row in result.cards)
            assert sum(policy_of(least) > 1e-6) == 1 or len(set(human)) < len(human)


def test_the_search_is_the_unbiased_one_and_is_weighed_as_if_searched_again():
    state = positions(12, [10])[0]
    result = biased(state, Pikl(MODEL, lambda_=20))
    assert repr(rows_of(result)) == repr(rows_of(biased(state, None)))
    assert result.model_calls == 1
    wide = Pikl(MODEL, lambda_=200)
    assert repr(wide.weighed(result).cards) == repr(biased(state, wide).cards)
    assert result.best.policy == max(policy_of(result))
    without = biased(state, Pikl(MODEL, lambda_=20), iterations=0)
    assert policy_of(without) == pytest.approx([row.prior for row in without.cards])


def test_samples_have_the_policys_frequencies():
    state = positions(13, [4])[0]
    bias = Pikl(MODEL, lambda_=60, play_="sample")
    result, n = biased(state, bias), 4000
    drawn = [bias.weighed(replace(result, seed=seed)).best.card.code for seed in range(n)]
    counts = [drawn.count(row.card.code) for row in result.cards]
    expected = n * policy_of(result)
    chi_square = ((counts - expected) ** 2 / expected)[expected > 5].sum()
    assert chi_square < 34.5  # of up to 12 degrees of freedom, p < 0.0006
    assert len(set(drawn)) > 2
    assert [draw_card(np.array([0.0, 1.0, 0.0]), np.uint64(i)) for i in range(5)] == [1] * 5


def test_the_agent_plays_its_policys_card():
    player = parse_agent(f"ismcts:iterations=300,bias=pikl,model={MODEL},lambda=60").player
    drawing = parse_agent(f"ismcts:iterations=300,bias=pikl,model={MODEL},lambda=60,play=sample")
    seen = observe(positions(14, [8])[0])
    found = player.search(seen, 5)
    assert player.play(seen, 5) == found.best.card.code
    assert policy_of(drawing.player.search(seen, 5)) == pytest.approx(policy_of(found))
    assert len({drawing.player.play(seen, seed) for seed in range(20)}) > 1
    assert str(drawing).endswith(f"bias=pikl,model={MODEL},lambda=60.0,play=sample")
