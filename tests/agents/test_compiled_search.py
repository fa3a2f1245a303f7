"""Searching players in compiled code: card for card those of Python, and never by hidden cards."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.agents.compiled_search import PlayedOnBySearch, auction_of, searched_card, searcher_of
from spades.belief import UniformDeals
from spades.core.cards import cards_in
from spades.core.deal import derive_seed
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import NO_BID, Round, Rules
from spades.core.scoring import score_round
from tests.positions import random_bids, random_round, swap_hidden

QUICK = "best:iterations=60"


def positions(n, seed, low=0, high=48, **rules):
    rng = random.Random(seed)
    options = Rules.from_options(rules)
    return [
        random_round(rng, rng.randint(low, high), rules=options, bids=random_bids(rng))
        for _ in range(n)
    ]


def compiled_card(player, seen, seed):
    plays = np.array(seen.table.plays, np.int8)
    own = searcher_of(player)
    return searched_card(np.int64(seen.hand_mask), plays, auction_of(seen), own, np.uint64(seed))


@pytest.mark.parametrize(
    "rules", [{}, {"deck": "joker-joker-ace"}, {"spades_lead": "any"}, {"nil": None}], ids=str
)
def test_every_card_is_that_of_the_python_player(rules):
    player = parse_agent(QUICK).player
    for state in positions(40, 3, **rules):
        seen = observe(state)
        assert compiled_card(player, seen, 5) == player.play(seen, 5), seen.text()


def test_memory_used_before_changes_nothing():
    player = parse_agent(QUICK).player
    own = searcher_of(player)
    for state in positions(12, 4):
        seen = observe(state)
        plays = np.array(seen.table.plays, np.int8)
        hand = np.int64(seen.hand_mask)
        card = searched_card(hand, plays, auction_of(seen), own, np.uint64(9))
        assert card == compiled_card(player, seen, 9)


def test_a_round_is_played_on_as_the_python_players_do():
    player = parse_agent(QUICK).player
    for state in positions(4, 5, low=30):
        seen = observe(state)
        cards = list(cards_in(seen.legal_mask))
        deal = UniformDeals(seen).sample(1, seed_state(2))[0]
        table = PlayedOnBySearch(seen, player)
        tricks = table.tricks(deal, cards, [77])
        points = table.points(tricks)
        for card, taken, value in zip(cards, tricks[0], points[0], strict=True):
            full = Round(state.table.copy(), deal[0].tolist())
            full.play(card)
            while not full.table.is_over:
                now = observe(full)
                seed = derive_seed(77, 2, len(full.table.plays))
                full.play(player.play(now, seed))
            assert taken.tolist() == list(full.table.tricks_taken)
            assert value == worth_of(full, seen.seat)


def worth_of(state, seat):
    """Points for the seat's partnership less theirs, bags at their cost."""
    table = state.table
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    worth = [p - table.rules.bag_cost * b for p, b in zip(scored.points, scored.bags, strict=True)]
    return worth[seat % 2] - worth[1 - seat % 2]


def test_a_seat_never_plays_by_cards_that_it_cannot_see():
    """The same card, whatever hands the others hold; both deals are played from the same seed."""
    player = parse_agent(QUICK).player
    rng = random.Random(7)
    for state in positions(10, 8, high=40):
        other = swap_hidden(state, state.table.turn, rng)
        assert compiled_card(player, observe(state), 1) == compiled_card(player, observe(other), 1)


def test_what_is_not_compiled_is_refused():
    for text in ("ismcts", "best:solved=3", "best:others=rules", "srp"):
        with pytest.raises(SpadesError, match=r"isn't searched in compiled code; best is"):
            searcher_of(parse_agent(text).player)
    state = positions(1, 1)[0]
    state.table.bids[0] = NO_BID
    with pytest.raises(SpadesError, match="the bids are not known"):
        auction_of(observe(state))
