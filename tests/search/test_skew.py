"""The skew of the root's cards: its size, its decay, and what it leaves alone."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.core.errors import IllegalPlayError, SpadesError
from spades.core.observation import observe
from spades.search import RuleSkew, Search, SearchSettings, search
from spades.search.playouts.heuristic import card_scores
from spades.search.select import select_skewed
from spades.search.skew import Skew, add_skewed, card_skews
from spades.search.tree import AVAILABILITY, ROOT_SLOT, VALUE, VISITS, Tree
from tests.positions import random_bids, random_round, swap_hidden
from tests.search.test_search import determined_endings


def rows_of(result):
    return [
        (row.card.code, row.visits, row.availability, row.mean_value, row.standard_error)
        for row in result.cards
    ]


def positions(seed, plies):
    rng = random.Random(seed)
    return [random_round(rng, ply, bids=random_bids(rng)) for ply in plies]


def searched(state, iterations=700, seed=4, **options):
    settings = SearchSettings(**options)
    return search(observe(state), iterations=iterations, seed=seed, settings=settings)


def skew(k=100.0, team=0, **excess):
    factors = np.zeros(64)
    for code, value in excess.items():
        factors[int(code[1:])] = value
    return Skew(factors, np.zeros(64), k, 400.0, team)


def test_skews_are_half_to_one_and_a_half_by_the_score():
    for state in positions(1, range(0, 50, 3)):
        scores = card_scores(observe(state))
        skews = card_skews(observe(state))
        assert skews == {card: 0.5 + score / 100 for card, score in scores.items()}
        assert all(0.5 <= factor <= 1.5 for factor in skews.values())


def test_a_skew_for_a_seat_that_is_not_to_play_is_refused():
    state = positions(2, [5])[0]
    with pytest.raises(IllegalPlayError, match="turn"):
        card_skews(observe(state, (state.table.turn + 1) % 4))


@pytest.mark.parametrize(
    ("team", "reward", "t", "expected"),
    [
        (0, 100, 100, 0.5 * 0.75),  # half decayed; 100 points of 400 are 3/4 of the scale
        (0, 100, 300, 0.25 * 0.75),
        (1, 100, 100, 0.5 * 0.25),
        (0, 900, 100, 0.5),  # beyond the scale
        (0, -900, 100, 0.0),
        (0, 0, 10**9, 0.0),
    ],
)
def test_what_the_skew_backs_up(team, reward, t, expected):
    one = skew(team=team)
    add_skewed(one, 5, reward, t)
    assert one.sums[5] == pytest.approx(expected, abs=1e-6)
    assert one.sums.sum() == one.sums[5]


def test_the_skewed_card_is_preferred_and_by_how_much():
    """Two cards of equal mean: the one whose rewards are inflated; one reward of 3/4 at t = 100."""
    tree = Tree.with_room(10)
    for code, node in ((3, 1), (7, 2)):
        tree.children[ROOT_SLOT, code] = node
        tree.nodes[node, VISITS], tree.nodes[node, AVAILABILITY] = 4, 8
        tree.nodes[node, VALUE] = 40
    scales = np.zeros((3, 20), dtype=np.float32)
    scales[0, 4] = 1 / (400 * 4)
    legal = np.int64(1 << 3 | 1 << 7)
    for favourite, other in ((3, 7), (7, 3)):
        one = skew(**{f"c{favourite}": 0.5, f"c{other}": -0.5})
        assert select_skewed(tree, legal, scales, one) == 3  # nothing yet
        for code in (3, 7):
            add_skewed(one, code, 100, 100)
        assert select_skewed(tree, legal, scales, one) == favourite
    # The skew adds 0.5 * 0.375 / 4 to a mean: 18.75 points more or less, and no more than that.
    for gap, chosen in ((18, 3), (19, 7)):
        tree.nodes[2, VALUE] = 40 + 4 * gap
        one = skew(c3=0.5)
        add_skewed(one, 3, 100, 100)
        assert select_skewed(tree, legal, scales, one) == chosen


def test_without_decay_left_the_search_is_the_unskewed_one():
    for state in positions(3, range(0, 52, 5)):
        assert repr(rows_of(searched(state, skew=RuleSkew(0.0)))) == repr(rows_of(searched(state)))


def test_a_skew_of_one_is_the_unskewed_search():
    state = positions(4, [6])[0]
    run = Search(observe(state), seed=4, settings=SearchSettings(skew=RuleSkew()), room=700)
    run._skew.excess[:] = 0.0
    run.run(700)
    assert rows_of(run.result()) == rows_of(searched(state))


def test_a_skew_that_never_decays_plays_the_rule_of_thumb_oftener():
    agreed = {0.0: 0, 1e9: 0}
    for state in positions(5, [*range(0, 48, 2)] * 2):
        scores = card_scores(observe(state))
        for k in agreed:
            best = searched(state, skew=RuleSkew(k)).best.card.code
            agreed[k] += scores[best] == max(scores.values())
    assert agreed[1e9] > agreed[0.0] + 8


def test_reported_means_are_rewards_without_skew():
    """With one trick left every card is forced: the mean is the evaluation, skewed or not."""
    for state in positions(6, [48, 49, 50, 51] * 3):
        assert rows_of(searched(state, skew=RuleSkew(1e6))) == rows_of(searched(state))


def test_the_search_overrules_a_decayed_skew():
    for state, values in determined_endings(7, 15):
        best = searched(state, iterations=20_000, skew=RuleSkew()).best.card.code
        assert values[best] == max(values.values()), state.text()


def test_hidden_cards_make_no_difference():
    rng = random.Random(8)
    for ply in range(0, 48, 3):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        results = [searched(s, iterations=300, skew=RuleSkew()) for s in (state, other)]
        assert rows_of(results[0]) == rows_of(results[1])
        assert RuleSkew(1.0).numbers(observe(state), 400.0).excess.tolist() == (
            RuleSkew(1.0).numbers(observe(other), 400.0).excess.tolist()
        )


def test_running_on_equals_running_at_once():
    observation, settings = observe(positions(9, [9])[0]), SearchSettings(skew=RuleSkew())
    parts = Search(observation, seed=1, settings=settings, room=10)
    for n in (1, 99, 900):
        parts.run(n)
    whole = search(observation, iterations=1000, seed=1, settings=settings)
    assert rows_of(parts.result()) == rows_of(whole)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("skew_k=5", "skew_k does nothing with skew=off; it belongs to skew=on"),
        ("skew=on,skew_k=-1", "skew_k is -1.0; 0 to 1,000,000,000 are legal"),
        ("skew=on,bias=knowledge", "can't both be on"),
    ],
)
def test_a_skew_that_no_search_has_is_refused(options, told):
    with pytest.raises(SpadesError, match=told):
        parse_agent(f"ismcts:{options}")
