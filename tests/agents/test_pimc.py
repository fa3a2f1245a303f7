"""Perfect information Monte Carlo: the mean of exact values over deals."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.belief import Dealing, deal_count
from spades.core.observation import observe
from spades.search.deals import first_deals
from spades.search.solver import Solver, solve
from tests.positions import random_bids, random_round

OPTIONS = "simulations=6,determinization=mixed,share=0.3"
PIMC = parse_agent(f"pimc:deals=9,depth=6,{OPTIONS}").player


def test_values_are_means_of_exact_values_over_the_deals_a_search_looks_at_first():
    rng = random.Random(1)
    for n_played in (28, 30, 37, 44):
        seen = observe(random_round(rng, n_played, bids=random_bids(rng)))
        drawn = first_deals(seen, 9, seed=4, determinizer=Dealing.of("mixed", share=0.3)(seen))
        values = np.array([list(Solver(seen.table).values(deal).values()) for deal in drawn])
        found = PIMC.evaluate(seen, 4)
        means = [row.mean_value for row in found.cards]
        assert means == pytest.approx(values.mean(axis=0).tolist())
        errors = values.std(axis=0, ddof=1) / 3
        assert [row.standard_error for row in found.cards] == pytest.approx(errors.tolist())
        assert found.best == found.cards[int(np.argmax(means))]


def test_before_its_depth_it_plays_as_flat_monte_carlo():
    seen = observe(random_round(random.Random(2), 24))
    flat = parse_agent(f"flat-mc:{OPTIONS}").player
    found, wanted = PIMC.evaluate(seen, 3), flat.evaluate(seen, 3)
    assert (found.cards, found.best) == (wanted.cards, wanted.best)


def test_where_one_deal_is_left_it_plays_a_best_card():
    rng, n_met = random.Random(3), 0
    for i in range(400):
        state = random_round(rng, 42 + i % 6, bids=random_bids(rng))
        seen = observe(state)
        if deal_count(seen) == 1 and seen.legal_mask & (seen.legal_mask - 1):
            values, n_met = solve(state), n_met + 1
            assert values[PIMC.play(seen, 5)] == max(values.values())
    assert n_met > 3
