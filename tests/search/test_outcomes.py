"""What a card leads to: endings counted by the search, and what they come to."""

import math
import random

import numpy as np
import pytest

from analysis.models.measures import calibration_error
from spades.agents import Seating, parse_agent
from spades.agents.play import LEVEL, deal_and_bid
from spades.core.cards import N_CARDS, partnership_of
from spades.core.deal import derive_seed
from spades.core.observation import observe
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import evaluation_table, score_round
from spades.search import search
from spades.search.outcomes import (
    BAGS,
    N_MADE,
    N_OUTCOMES,
    NILS,
    Outcomes,
    endings_from,
    outcome_points,
    outcome_sums,
    outcome_table,
)
from tests.positions import random_round

RULES = (
    Rules(),
    Rules(nil=None),
    Rules(ten_for_200=True, failed_nil_tricks="bags", bag_limit=0),
    Rules(deck="joker-joker-ace", blind_nil=200, nil=50, bag_penalty=50, bag_limit=5),
)
rules_of = pytest.mark.parametrize("rules", RULES)


def decisions(rules, n=25):
    rng = random.Random(7)
    for _ in range(n):
        yield observe(random_round(rng, rng.randrange(48), rules=rules))


@rules_of
def test_endings_are_those_that_the_tricks_taken_leave(rules):
    for seen in decisions(rules):
        taken = seen.table.tricks_taken
        tricks, places = endings_from(tuple(taken))
        left = 13 - sum(taken)
        assert len(tricks) == math.comb(left + 3, 3)
        assert (tricks.sum(axis=1) == 13).all()
        assert (tricks >= taken).all()
        assert [places[n, e, s] for n, e, s, _ in tricks.tolist()] == list(range(len(tricks)))


@rules_of
def test_every_ending_comes_to_what_the_scoring_says(rules):
    for seen in decisions(rules):
        bids, table = seen.table.bids, seen.table
        ways = endings_from(tuple(table.tricks_taken)).tricks
        found = outcome_table(rules, tuple(bids), tuple(table.tricks_taken))
        for tricks, row in zip(ways.tolist(), found.tolist(), strict=True):
            assert tuple(row[BAGS:NILS]) == score_round(rules, bids, table.blind, tricks).bags
            nil = [
                rules.nil is not None and b == 0 and not t
                for b, t in zip(bids, tricks, strict=True)
            ]
            assert row[NILS:] == nil
            if not rules.ten_for_200:
                both = [tricks[p] + tricks[p + 2] >= table.contract_of(p) for p in (0, 1)]
                assert row[N_MADE:BAGS] == both


@rules_of
def test_points_are_what_the_outcomes_are_worth_and_a_constant(rules):
    for seen in decisions(rules):
        table = seen.table
        key = tuple(table.tricks_taken)
        north, east, south, _ = endings_from(key).tricks.T
        value = evaluation_table(rules, tuple(table.bids), tuple(table.blind))[north, east, south]
        value = value * (1 - 2 * partnership_of(seen.seat))
        rest = value - outcome_table(rules, tuple(table.bids), key) @ outcome_points(seen)
        assert np.ptp(rest) < 1e-9


def test_a_search_counts_every_iteration_of_a_card_and_its_mean_is_that_of_the_outcomes():
    for seen in decisions(Rules(), 5):
        found = search(seen, iterations=400, seed=3)
        visits = np.array([row.visits for row in found.cards])
        assert found.endings.sum(axis=1).tolist() == visits.tolist()
        means = outcome_sums(found.endings, seen) / visits[:, None]
        values = np.array([row.mean_value for row in found.cards])
        assert np.ptp(values - means @ outcome_points(seen)) < 1e-9


def test_outcomes_are_those_of_the_mover_and_a_contract_of_nothing_has_none():
    seen = next(seen for seen in decisions(Rules()) if seen.seat == 1)
    seen.table.bids[:] = [0, 3, 0, 4]
    means = np.array([1.0, 0.25, 2.0, 0.5, 0.75, 0.0, 0.5, 0.0])
    found = Outcomes.of(means, seen)
    assert found.own_contract == 0.25
    assert math.isnan(found.their_set)
    assert (found.own_bags, found.their_bags) == (0.5, 2.0)
    assert found.nils == {0: 0.75, 2: 0.5}


SEED, N_ROUNDS, A_ROUND = 11, 300, 2


def said_and_came(agent):
    """What the agent's search says that its card leads to, at two decisions a round that it plays
    in all seats, and what came of it, (n, 8) each; which of it is open, (n, 8): contracts above 0
    and nils that were bid."""
    four = (parse_agent(agent),) * 4
    seating, rng, rows = Seating(four, Rules()), random.Random(SEED), []
    for i in range(N_ROUNDS):
        state = deal_and_bid(seating, i % 4, derive_seed(SEED, i), LEVEL)
        asked, said = rng.sample(range(N_CARDS), A_ROUND), []
        for ply in range(N_CARDS):
            seen = observe(state)
            found = four[0].player.search(seen, derive_seed(SEED, i, ply))
            if ply in asked:
                row = found.cards.index(found.best)
                before = tuple(seen.table.tricks_taken)
                said.append((before, outcome_sums(found.endings, seen)[row] / found.best.visits))
            state.play(found.best.card.code)
        table, bids = state.table, tuple(state.table.bids)
        contracts = [table.contract_of(side) > 0 for side in (0, 1)]
        is_open = [*contracts, True, True, *(bid == NIL_BID for bid in bids)]
        for before, means in said:
            place = endings_from(before).places[*table.tricks_taken[:3]]
            rows.append((means, outcome_table(Rules(), bids, before)[place], is_open))
    said, came, is_open = map(np.array, zip(*rows, strict=True))
    return said, came, is_open.astype(bool)


# Of ``best`` and ``ismcts``, by six seeds: calibration error of contracts 0.03 to 0.04 and 0.06 to
# 0.10, of nils 0.06 to 0.09 and 0.30 to 0.34; bags too many 0.05 to 0.07 and 0.17 to 0.20. Random
# playouts don't protect a nil: ``ismcts`` says 29% where 62% are kept.
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("agent", "contract", "nil", "bags"),
    [("best:iterations=1000", 0.08, 0.14, 0.2), ("ismcts:iterations=1000", 0.13, 0.4, 0.35)],
)
def test_what_a_search_says_is_calibrated_within_bounds(agent, contract, nil, bags):
    said, came, is_open = said_and_came(agent)
    for bound, kind in ((contract, slice(N_MADE, BAGS)), (nil, slice(NILS, N_OUTCOMES))):
        p, right = said[:, kind][is_open[:, kind]], came[:, kind][is_open[:, kind]]
        assert len(p) > 200
        assert calibration_error(p, right.astype(bool)) < bound
        assert np.corrcoef(p, right)[0, 1] > 0.4  # surer where it comes
    assert abs(said[:, BAGS:NILS].mean() - came[:, BAGS:NILS].mean()) < bags
