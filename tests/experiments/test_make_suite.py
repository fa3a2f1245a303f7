"""The shipped suite's rule: what of the truth set is sure enough, and what a position is about."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.decisions.truth import truth_set
from experiments.make_suite import BAG, CONTRACT, PARTNERS_NIL, SETTING_NIL, sure_decision, theme_of
from spades.core.cards import partner_of, partnership_of
from spades.search.outcomes import BAGS, N_MADE, NILS


@pytest.fixture(scope="module")
def decision():
    """A decision of three or more classes at which the partner of the seat to play has bid nil."""
    for one in truth_set():
        seen = one.observation
        if seen.table.bids[partner_of(seen.seat)] == 0 and len(one.classes) > 2:
            return one
    raise AssertionError


def valued(decision, *leads, error=0.5):
    """The decision with a best class, and others so far behind; all the rest far behind."""
    behind = [0.0, *leads]
    behind += [90.0] * (len(decision.classes) - len(behind))
    variances = np.full(len(behind), error**2 / 2)
    values = -np.array(behind)
    return replace(decision, values=values, covariance=np.diag(variances))


def test_each_class_is_acceptable_or_wrong_or_the_decision_is_left_out(decision):
    assert sure_decision(valued(decision, 1.5, 90.0)) is None  # neither
    assert sure_decision(valued(decision, 5.0, error=1.5)) is None  # 3.3 standard errors
    assert sure_decision(valued(decision, *[0.0] * (len(decision.classes) - 1))) is None
    found = sure_decision(valued(decision, 0.5, 20.0)).position
    first, second, third = (cards[0] for cards in decision.classes[:3])
    assert found.best == (first,)
    assert found.acceptable == (second,)
    assert found.wrong[0] == third
    assert found.known.lead == pytest.approx(20.0)
    assert found.known.interval == pytest.approx((20 - 0.98, 20 + 0.98))


@pytest.mark.parametrize("theme", [BAG, CONTRACT, PARTNERS_NIL, SETTING_NIL])
def test_the_theme_is_what_gains_most(decision, theme):
    seen = decision.observation
    own = partnership_of(seen.seat)
    outcomes = np.zeros((2, 8))
    if theme == PARTNERS_NIL:
        outcomes[0, NILS + partner_of(seen.seat)] = 0.5
    elif theme == BAG:
        outcomes[1, BAGS + own] = 1.0
    elif theme == CONTRACT:
        outcomes[0, N_MADE + own] = 0.5
    else:
        other = (seen.seat + 1) % 4
        seen = replace(seen, table=seen.table.copy())
        seen.table.bids[other] = 0
        outcomes[1, NILS + other] = 0.5
    assert theme_of(seen, outcomes) == theme
