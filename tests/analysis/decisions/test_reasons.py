"""Terms of a difference: that they add up, what they say, and that the verdict says them."""

import math
import random

import numpy as np
import pytest

from analysis.decisions.reasons import reason, terms_of
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.search.outcomes import BAGS, N_MADE, NILS, Outcomes, outcome_points
from tests.positions import random_round


def seen_by_south(bids):
    rng = random.Random(3)
    while (state := random_round(rng, 14, rules=Rules())).table.turn != 2:
        pass
    seen = observe(state)
    seen.table.bids[:] = bids
    seen.table.tricks_taken[:] = [1, 1, 0, 1]
    return seen


def outcomes_with(seen, **columns):
    """Own contract 3 of 4, theirs set 1 of 4, no bags, nils even, but for what is named."""
    means = np.array([0.75, 0.75, 0.0, 0.0, 0.5, 0.5, 0.5, 0.5])
    for name, value in columns.items():
        place = {"made": N_MADE, "theirs": N_MADE + 1, "bags": BAGS, "their_bags": BAGS + 1}
        means[place.get(name, NILS + 2)] = value
    return Outcomes.of(means, seen), means


def test_the_largest_terms_come_first_and_each_is_what_it_is_worth():
    seen = seen_by_south([4, 3, 2, 3])
    card, means = outcomes_with(seen, made=0.9, bags=0.5)
    other, others = outcomes_with(seen)
    found = terms_of(card, other, seen)
    assert [term.points for term in found] == pytest.approx([0.15 * 120, -0.5 * 9])
    assert sum(term.points for term in found) == pytest.approx(
        (means - others) @ outcome_points(seen)
    )
    assert reason(card, other, seen, "4♥") == (
        "makes the contract in 90% (4♥ 75%), but takes 0.5 bags more by the rounds played on"
    )
    assert reason(other, card, seen, "4♥") == (
        "makes the contract in 75% (4♥ 90%), but takes 0.5 bags fewer by the rounds played on"
    )


def test_a_nil_is_its_bidders_and_a_contract_of_nothing_has_no_term():
    seen = seen_by_south([4, 3, 0, 3])
    card, other = outcomes_with(seen, nil=0.8)[0], outcomes_with(seen)[0]
    assert terms_of(card, other, seen)[0].points == pytest.approx(0.3 * 200)
    assert reason(card, other, seen, "x") == "keeps its nil in 80% (x 50%) by the rounds played on"
    both = seen_by_south([0, 3, 0, 3])
    card, other = outcomes_with(both, nil=0.8)[0], outcomes_with(both)[0]
    assert math.isnan(card.own_contract)
    assert [term.text for term in terms_of(card, other, both)] == ["keeps its nil in 80% (50%)"]


def test_what_is_worth_less_than_a_point_is_no_reason():
    seen = seen_by_south([4, 3, 2, 3])
    card, other = outcomes_with(seen, made=0.755)[0], outcomes_with(seen)[0]
    assert terms_of(card, other, seen) == []
    assert reason(card, other, seen, "x") == reason(None, other, seen, "x") == ""


def test_chances_that_print_alike_are_no_reason():
    seen = seen_by_south([4, 3, 0, 3])
    card, other = outcomes_with(seen, nil=0.507)[0], outcomes_with(seen, nil=0.4965)[0]
    assert terms_of(card, other, seen)[0].text == "keeps its nil in 51% (50%)"
    card = outcomes_with(seen, nil=0.504)[0]
    assert terms_of(card, other, seen) == []
