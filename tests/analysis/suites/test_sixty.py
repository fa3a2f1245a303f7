"""The shipped suite: what its rows say is so, other seeds agree, and a broken search is found."""

from collections import Counter

import numpy as np
import pytest

from analysis.decisions.proof import prove
from analysis.decisions.truth import REPORT, truth_set
from analysis.suites.position import PROOF, TRUTH
from analysis.suites.run import PositionResult, chosen_cards, position_result
from analysis.suites.suite import read_suite
from experiments.make_suite import (
    COVER,
    ENDGAME,
    LEAST_LEAD,
    LEAST_Z,
    PROVEN_LEAD,
    QUOTAS,
    TRUMPS,
)
from spades.agents import parse_agent
from spades.core.cards import partner_of, partnership_of
from spades.core.rules import NIL_BID
from spades.search.objectives import RoundPoints

SUITE = read_suite("sixty")
AGENT = parse_agent("best:iterations=1000")
SEEDS = 10


def test_it_has_sixty_positions_of_all_themes():
    assert len(SUITE.positions) == 60
    assert not SUITE.refused
    first = Counter(position.themes[0] for position in SUITE.positions)
    assert first == {theme: sum(counts) for theme, counts in QUOTAS.items()}
    by = Counter(position.known.by for position in SUITE.positions)
    assert by == {TRUTH: 40, PROOF: 20}
    phases = Counter(position.themes[-1] for position in SUITE.positions)
    assert min(phases["early"], phases["middle"], phases["late"]) >= 8
    assert {ENDGAME, TRUMPS} <= set(SUITE.themes)


def test_positions_known_by_truth_are_of_the_half_to_report_on_and_far_ahead():
    half = {(one.observation.text()): one for one in truth_set() if one.half == REPORT}
    for position in SUITE.positions:
        if position.known.by == TRUTH:
            decision = half[position.observation.text()]
            values = {cards[0]: i for i, cards in enumerate(decision.classes)}
            (best,) = position.best
            assert values[best] == int(np.argmax(decision.values))
            for card in position.wrong:
                lead, error = decision.lead(values[best], values[card])
                assert lead >= LEAST_LEAD
                assert lead >= LEAST_Z * error


def test_positions_known_by_proof_are_proven():
    for position in SUITE.positions:
        if position.known.by == PROOF:
            proven = prove(position.observation)
            assert proven.is_proven
            assert proven.proof.deals == position.known.n
            by_card = {card: row.behind for row in proven.classes for card in row.cards}
            assert all(by_card[card] == 0 for card in position.best)
            assert all(by_card[card] >= PROVEN_LEAD for card in position.wrong)


def asked(seed: int) -> list[PositionResult]:
    return [
        position_result(one, chosen_cards(one.observation, AGENT, seed, SEEDS))
        for one in SUITE.positions
    ]


def passed(results: list[PositionResult], *, covers: bool) -> float:
    """The share passed at the positions that name nil cover, or at all others."""
    chosen = [one for one in results if (COVER in one.position.themes) == covers]
    return sum(one.passed for one in chosen) / sum(one.of for one in chosen)


def without_partners_nil(search_rewards):
    """Rewards of a search that gives nothing for the nil of the partner of the seat to play."""

    def rewards(self, observation, stakes):
        table = observation.table
        partner = partner_of(observation.seat)
        found = search_rewards(self, observation, stakes).copy()
        if table.bids[partner] != NIL_BID:
            return found
        north, east, south = np.indices(found.shape)
        tricks = (north, east, south, 13 - north - east - south)[partner]
        worth = observation.rules.nil * (1 - 2 * partnership_of(partner))
        return found - np.where(tricks == 0, worth, -worth).astype(found.dtype)

    return rewards


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_other_seeds_give_rates_whose_intervals_overlap():
    for one, other in zip(asked(1), asked(2), strict=True):
        assert one.interval[0] <= other.interval[1], one.id
        assert other.interval[0] <= one.interval[1], one.id


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_search_without_nil_cover_fails_what_names_it_and_little_else(monkeypatch):
    whole = asked(1)
    monkeypatch.setattr(RoundPoints, "rewards", without_partners_nil(RoundPoints.rewards))
    broken = asked(1)
    assert passed(whole, covers=True) >= 0.8
    assert passed(broken, covers=True) <= 0.5
    assert passed(broken, covers=False) >= passed(whole, covers=False) - 0.05
