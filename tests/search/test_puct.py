"""PUCT: the score of a card by hand, and what the search does at both ends of its strength."""

import math
import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.core.observation import observe
from spades.human import load_model, load_prior
from spades.search import SearchSettings, search
from spades.search.bandit import bandit_tables
from spades.search.techniques.puct import Puct, PuctTerms
from spades.search.tree import PRIOR, VALUE, VISITS, Tree
from tests.positions import random_bids, random_round

MODEL = "devlin2016-nil"


def positions(seed, plies):
    rng = random.Random(seed)
    return [observe(random_round(rng, ply, bids=random_bids(rng))) for ply in plies]


def searched(seen, bias, iterations=900):
    settings = SearchSettings(bias=bias)
    return search(seen, iterations=iterations, seed=4, settings=settings, prior=load_prior(MODEL))


def test_a_score_by_hand():
    """7 visits of 120 in which the card was legal, +560 points in all: Q is 80 / 400."""
    tree = Tree.with_room(200)
    tree.nodes[1, VISITS] = 7
    tree.nodes[1, VALUE] = 560
    tree.priors[1, PRIOR] = 0.3
    terms = Puct(MODEL, c_puct=1.5).terms(200, 400.0)
    scales = bandit_tables(202, 0.7, 400.0)
    score = PuctTerms.score_child.py_func(terms, tree, 1, 120, 150, scales)
    assert score == pytest.approx(0.2 + 1.5 * 0.3 * math.sqrt(120) / 8, rel=1e-6)


def test_a_huge_c_visits_cards_as_often_as_the_model_plays_them():
    """c P / (1 + n_i) is then equal for all cards: 1 + n_i is in proportion to P."""
    n_checked = 0
    for seen in positions(2, range(0, 40, 4)):
        p = np.sort(load_model(MODEL).predict_proba([seen])[0])
        if p[-1] - p[-2] < 0.05:
            continue  # two cards that the model hardly tells apart
        found = searched(seen, Puct(MODEL, c_puct=1e5))
        shares = np.array([row.visits for row in found.cards]) / found.iterations
        priors = np.array([row.prior for row in found.cards])
        assert shares == pytest.approx(priors, abs=0.02)
        assert found.best.prior == max(priors)
        n_checked += 1
    assert n_checked > 4


def test_without_c_the_card_of_the_best_mean_is_visited_always():
    for seen in positions(3, range(2, 40, 6)):
        found = searched(seen, Puct(MODEL, c_puct=0.0))
        best = max(found.cards, key=lambda row: row.mean_value)
        assert found.best == best
        assert all(row.bias == 0.0 for row in found.cards)


def test_what_it_adds_is_said_in_points():
    seen = positions(4, [0])[0]
    row = searched(seen, Puct(MODEL, c_puct=0.8)).best
    assert row.bias == pytest.approx(400 * 0.8 * row.prior * math.sqrt(900) / (1 + row.visits))


def test_an_agent_plays_by_it():
    agent = parse_agent("ismcts:iterations=60,bias=puct,c_puct=2,delay=root")
    assert str(agent) == "ismcts:iterations=60,bias=puct,delay=root,c_puct=2.0"
    assert agent.player.bias == Puct(c_puct=2.0, delay="root")
    seen = positions(5, [6])[0]
    assert seen.legal_mask >> agent.player.play(seen, 1) & 1
