"""A live nil minded in the tree: what bidder and partner try, and that nothing else changes."""

import pytest

from spades.agents import parse_agent
from spades.agents.compiled import Seating
from spades.agents.play import play_range
from spades.core.cards import cards_in
from spades.core.deal import random_deal
from spades.core.observation import observe
from spades.core.rules import Round, Rules, beats
from spades.search import RuleSkew
from spades.search.search import search
from spades.search.settings import InvalidSearchError, SearchSettings

DUCKING = SearchSettings(duck=True)


def nil_to_play(seed, *, bids=(0, 4, 4, 4), n_plays=3):
    """North follows, its nil alive; lowest legal cards were played before."""
    rules = Rules()
    state = Round.deal(rules, (4 - n_plays - 1) % 4, random_deal(rules.cards, seed))
    for seat, bid in enumerate(bids):
        state.table.bid(seat, bid)
    for _ in range(n_plays):
        legal = state.legal_plays()
        state.play((legal & -legal).bit_length() - 1)
    assert state.table.turn == 0
    return state


def test_a_live_nil_tries_only_cards_that_lose_to_the_table_where_it_has_any():
    met = set()
    for seed in range(60):
        state = nil_to_play(seed)
        legal, best = list(cards_in(state.legal_plays())), state.table.best_card
        losers = {card for card in legal if not beats.py_func(card, best)}
        found = search(observe(state), iterations=200, seed=seed, settings=DUCKING)
        tried = {row.card.code for row in found.cards if row.visits}
        assert tried == (losers or set(legal))
        met.add((bool(losers), len(losers) < len(legal)))
    assert met >= {(True, True), (True, False)}


def test_a_partner_tries_only_cards_that_beat_a_nil_bidders_where_it_has_any():
    met = set()
    for seed in range(120):
        state = nil_to_play(seed, bids=(4, 4, 0, 4))
        legal, best = list(cards_in(state.legal_plays())), state.table.best_card
        is_in_danger = state.table.trick.index(best) == 1
        winners = {card for card in legal if beats.py_func(card, best)} if is_in_danger else set()
        found = search(observe(state), iterations=200, seed=seed, settings=DUCKING)
        tried = {row.card.code for row in found.cards if row.visits}
        assert tried == (winners or set(legal))
        met.add((is_in_danger, bool(winners), len(winners) < len(legal)))
    assert met >= {(True, True, True), (True, False, True), (False, False, True)}


@pytest.mark.parametrize("bids", [(1, 4, 4, 4), (3, 3, 3, 3)])
def test_who_bid_no_nil_searches_as_ever(bids):
    seen = observe(nil_to_play(4, bids=bids))
    plain, ducking = (
        search(seen, iterations=300, seed=2, settings=how) for how in (SearchSettings(), DUCKING)
    )
    assert plain.cards == ducking.cards


def test_no_nil_is_lost_while_a_card_that_loses_is_in_hand():
    agent = parse_agent("ismcts:iterations=60,duck=on+noisy:nil=0.5")
    log = play_range(Seating((agent,) * 4, Rules()), 5, 0, 40, unit="rounds")
    n_lost = 0
    for record in log.records():
        table = record.final().table
        for seat in (seat for seat in range(4) if record.bids[seat] == 0):
            if not table.tricks_taken[seat]:
                continue
            trick = table.winners.index(seat)
            ply = next(p for p in range(4 * trick, 4 * trick + 4) if table.seats[p] == seat)
            state = record.at(ply)
            n_lost += 1
            best = state.table.best_card
            legal = cards_in(state.legal_plays())
            assert not state.table.trick or all(beats.py_func(card, best) for card in legal)
    assert n_lost > 20


def test_it_goes_with_neither_skew_nor_bias():
    with pytest.raises(InvalidSearchError, match="duck goes with neither skew nor bias"):
        SearchSettings(duck=True, skew=RuleSkew())
