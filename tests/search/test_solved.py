"""Solved endings: exact values where the search's playouts come to the last tricks."""

import random

import pytest

from spades.core.cards import cards_in, partnership_of
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.search import HumanPlayout, SearchSettings, search
from spades.search.deals import OpenDeal
from spades.search.playouts import PLAYOUTS
from spades.search.settings import InvalidSearchError
from spades.search.solver import solve
from tests.positions import random_bids, random_round
from tests.search.test_search import after


def searched(state, iterations, seed=0, **settings):
    """A search that knows the deal; its values by card."""
    how, seen = SearchSettings(**settings), observe(state)
    deal = OpenDeal(state.hands)
    found = search(seen, iterations=iterations, seed=seed, settings=how, determinizer=deal)
    return {row.card.code: row.mean_value for row in found.cards if row.visits}, found


@pytest.mark.parametrize("playout", ["uniform", "nil-aware", "heuristic"])
def test_first_visits_are_worth_what_the_solver_says(playout):
    """From the last card before the solved tricks on, a card is followed by no playout."""
    rng = random.Random(1)
    for i in range(60):
        n_solved = 1 + i % 4
        n_played = rng.randint(51 - 4 * n_solved, 50)
        rules = Rules(spades_lead="any", bag_limit=5) if i % 3 else Rules()
        state = random_round(rng, n_played, rules=rules, bids=random_bids(rng))
        n = state.legal_plays().bit_count()
        values, _ = searched(state, n, solved=n_solved, playout=PLAYOUTS[playout]())
        assert values == solve(state), state.text()


def test_a_search_of_solved_tricks_comes_to_a_best_card():
    rng = random.Random(2)
    for _ in range(12):
        state = random_round(rng, 38, bids=random_bids(rng))
        exact, (_, found) = solve(state), searched(state, 3000, solved=4, exploration=2.0)
        assert exact[found.best.card.code] == max(exact.values())


def test_cards_before_the_solved_tricks_are_played_out():
    """One more card falls before the last two tricks are solved: each legal one does."""
    rng, n_met = random.Random(3), 0
    for _ in range(40):
        state = random_round(rng, 42, bids=random_bids(rng))
        sign, card = 1 - 2 * partnership_of(state.table.turn), min(cards_in(state.legal_plays()))
        following = after(state, card)
        own = sign * (1 - 2 * partnership_of(following.table.turn))
        wanted = {own * value for value in solve(following).values()}
        n = state.legal_plays().bit_count()
        met = {searched(state, n, seed, solved=2)[0][card] for seed in range(40)}
        assert met == wanted
        n_met += len(wanted) > 1
    assert n_met > 3


def test_how_rounds_end_is_not_counted():
    state = random_round(random.Random(4), 20)
    assert searched(state, 200, solved=2)[1].endings.size == 0
    assert searched(state, 200)[1].endings.sum() == 200


def test_more_tricks_and_human_playouts_are_refused():
    with pytest.raises(InvalidSearchError, match="solved is 5; 0 to 4 are legal"):
        SearchSettings(solved=5)
    with pytest.raises(InvalidSearchError, match="solved=2 goes with no playout=human"):
        SearchSettings(solved=2, playout=HumanPlayout())
