"""The distilled player in compiled code: card for card that of Python, never by hidden cards."""

import random

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.agents.compiled_network import PlayedOnByNetwork, network_player, play_dealt
from spades.agents.compiled_search import auction_of
from spades.belief import UniformDeals
from spades.core.cards import cards_in
from spades.core.deal import derive_seed, random_deal
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import NO_BID, Round, Rules
from tests.agents.test_compiled_search import positions, worth_of
from tests.positions import swap_hidden

PLAYERS = [parse_agent(text).player for text in ("distilled", "distilled:temperature=3")]
SEED = 77
RULES = [{}, {"deck": "joker-joker-ace"}, {"spades_lead": "any"}, {"nil": None}]


def played_out(state, player, seed):
    """The round, its other cards played by the Python player."""
    while not state.table.is_over:
        card_seed = derive_seed(seed, 2, len(state.table.plays))
        state.play(player.play(observe(state), card_seed))
    return state


@pytest.mark.parametrize("player", PLAYERS, ids=str)
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_round_is_played_on_as_the_python_players_do(rules, player):
    for state in positions(8, 5, low=1, **rules):
        seen = observe(state)
        cards = list(cards_in(seen.legal_mask))
        deals = UniformDeals(seen).sample(2, seed_state(2))[0]
        table = PlayedOnByNetwork(seen, player)
        tricks = table.tricks(deals, cards, [SEED, SEED + 1])
        points = table.points(tricks)
        for i, deal in enumerate(deals):
            for j, card in enumerate(cards):
                full = Round(state.table.copy(), deal.tolist())
                full.play(card)
                played_out(full, player, SEED + i)
                assert tricks[i, j].tolist() == list(full.table.tricks_taken)
                assert points[i, j] == worth_of(full, seen.seat)


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_a_round_that_is_dealt_is_played_as_the_python_players_do(rules):
    """The second round begins with what the first left in the player's memory."""
    own = network_player(PLAYERS[0], Rules.from_options(rules))
    for state in positions(3, 6, low=0, high=0, **rules):
        points = play_dealt(
            np.array(state.hands, np.int64), auction_of(observe(state)), own, np.uint64(SEED)
        )
        assert points == worth_of(played_out(state, PLAYERS[0], SEED), 0)


def test_the_card_depends_on_what_the_seat_sees_alone():
    for state in positions(12, 7, low=4, high=40):
        seen = observe(state)
        swapped = observe(swap_hidden(state, seen.seat, random.Random(3)))
        assert all(player.play(seen, 1) == player.play(swapped, 1) for player in PLAYERS)


def test_bids_must_be_known():
    state = Round.deal(Rules(), 0, random_deal(Rules().cards, 1))
    assert NO_BID in state.table.bids
    with pytest.raises(SpadesError, match="bids are not known"):
        PlayedOnByNetwork(observe(state), PLAYERS[0])


def test_no_other_player_is_taken():
    with pytest.raises(SpadesError, match="srp is no network"):
        network_player(parse_agent("srp").player, Rules())
