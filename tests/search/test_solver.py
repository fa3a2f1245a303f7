"""Exact values with open hands: against exhaustive search, and against themselves."""

import random
from pathlib import Path

import pytest

from spades.core.cards import DECKS, SEATS, STANDARD, SUITS, cards_in, partnership_of
from spades.core.equivalence import equivalent_cards
from spades.core.observation import observe
from spades.core.rules import NO_BID, Round, Rules, Table
from spades.core.scoring import evaluation_table
from spades.search.settings import InvalidSearchError
from spades.search.solver import Solver, solve
from tests.positions import random_bids, random_round, swap_hidden
from tests.search.test_search import after

RULES = [
    *(Rules(deck=name) for name in DECKS),
    Rules(spades_lead="any", failed_nil_tricks="bags", bag_limit=5, bag_penalty=50),
    Rules(ten_for_200=True, failed_contract=5, nil=50),
    Rules(nil=None, bag_limit=0),
]


def worth(state):
    """Points for N/S at the end of a round."""
    table = state.table
    n, e, s, _ = table.tricks_taken
    return int(evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))[n, e, s])


def exhaustive(state):
    """Minimax over all ways to play on; what was found of a position between tricks is known."""
    found = {}

    def value(state):
        table = state.table
        if table.is_over:
            return worth(state)
        key = (*state.hands, table.leader, *table.tricks_taken, table.broken)
        if table.trick or key not in found:
            best = max if partnership_of(table.turn) == 0 else min
            answer = best(value(after(state, card)) for card in cards_in(state.legal_plays()))
            if table.trick:
                return answer
            found[key] = answer
        return found[key]

    sign = 1 - 2 * partnership_of(state.table.turn)
    return {card: sign * value(after(state, card)) for card in cards_in(state.legal_plays())}


def endings(seed, n, *, most_cards=16, least_cards=4):
    """Rounds of all rules near their ends, some with nils, blind ones and unbroken spades."""
    rng = random.Random(seed)
    for i in range(n):
        n_played = 52 - rng.randint(least_cards, most_cards)
        state = random_round(rng, n_played, rules=RULES[i % len(RULES)], bids=random_bids(rng))
        state.table.blind[:] = [bid == 0 and rng.random() < 0.3 for bid in state.table.bids]
        state.table.broken = state.table.broken and rng.random() < 0.7
        yield state


def check_endings(seed, n):
    unbroken = nils = 0
    for state in endings(seed, n):
        assert solve(state) == exhaustive(state), state.text()
        unbroken += not state.table.broken
        nils += 0 in state.table.bids
    assert min(unbroken, nils) > n / 20


def test_values_are_those_of_exhaustive_search():
    check_endings(seed=1, n=42)


@pytest.mark.exhaustive
def test_values_of_a_thousand_endings_are_those_of_exhaustive_search():
    check_endings(seed=2, n=1000)


def test_best_play_comes_to_the_value_of_the_position():
    """From 28 cards on: what the best card is worth stays so to the end."""
    for state in endings(3, 14, most_cards=28, least_cards=28):
        values = solve(state)
        value = max(values.values()) * (1 - 2 * partnership_of(state.table.turn))
        while not state.table.is_over:
            values = solve(state)
            sign = 1 - 2 * partnership_of(state.table.turn)
            assert max(values.values()) * sign == value
            state.play(max(values, key=values.__getitem__))
        assert worth(state) == value


def test_touching_cards_are_worth_the_same():
    for state in endings(4, 28, most_cards=24, least_cards=20):
        values = solve(state)
        for cards in equivalent_cards(observe(state)):
            assert len({values[card] for card in cards}) == 1


def test_deals_solved_one_after_the_other_are_as_those_solved_alone():
    rng = random.Random(5)
    for state in endings(6, 7, most_cards=24, least_cards=22):
        solver = Solver(state.table)
        for _ in range(6):
            other = swap_hidden(state, state.table.turn, rng)
            assert solver.values(other.hands) == solve(other)


def test_tricks_alone_are_counted_where_nobody_bids():
    rules = Rules(first_hand_bids_itself=True, spades_lead="any")
    state = random_round(random.Random(7), 36, rules=rules, bids=(NO_BID,) * 4)
    assert solve(state) == exhaustive(state)
    assert all((value - 10) % 20 == 0 for value in solve(state).values())  # 10 a trick, of 13


def test_tricks_are_those_of_a_double_dummy_solver():
    """200 deals of 28 cards, solved by the DDS of endplay 0.5.12: tricks of the leader's side by
    card. A line: the leader, the hands from North on as S.H.D.C, and the tricks."""
    rules = Rules(first_hand_bids_itself=True, spades_lead="any")
    lines = (Path(__file__).parent / "double_dummy.txt").read_text().splitlines()
    for line in lines:
        leader, *hands, tricks = line.split(maxsplit=5)
        state = Round(Table(rules, 0, leader=SEATS.index(leader)), [*map(mask_of_text, hands)])
        table = state.table  # after six tricks, all North's
        table.winners[:], table.plays[:], table.tricks_taken[0] = [0] * 6, [0] * 24, 6
        for card, n in (pair.split("=") for pair in tricks.split()):
            value = solve(state)[STANDARD.parse_card(card)]
            before = 6 * (partnership_of(table.leader) == 0)
            assert (value + 130) // 20 - before == int(n), line
    assert len(lines) == 200


def mask_of_text(hand):
    suits = zip(SUITS, hand.split("."), strict=True)
    return STANDARD.parse_cards(suit + rank for suit, ranks in suits for rank in ranks)


def test_what_can_not_be_solved_is_refused():
    state = random_round(random.Random(8), 8)
    with pytest.raises(InvalidSearchError, match="11 tricks are left; 1 to 10 can be solved"):
        solve(state)
    ended = random_round(random.Random(8), 52)
    with pytest.raises(InvalidSearchError, match="nothing to decide"):
        solve(ended)
    unknown = random_round(random.Random(9), 40, bids=(3, NO_BID, 2, 4))
    with pytest.raises(InvalidSearchError, match="bids are not known"):
        solve(unknown)
