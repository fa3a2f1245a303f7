"""Compiled rounds and games: the same as card by card, legal, and fair to hidden hands."""

import dataclasses
import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.agents import Seating, parse_agent, play_games, play_range, play_rounds
from spades.agents.play import play_bid_rounds
from spades.core.cards import DECKS
from spades.core.deal import derive_seed, random_deal, seed_at, state_of
from spades.core.derived import derive, require_legal
from spades.core.errors import InvalidDealError, SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.rule_based import public_of, strong_card, weak_card
from spades.rule_based.sight import sure_takes
from tests.positions import random_bids, random_round, swap_hidden
from tests.strategies import rules

COMPILED = ("srp+bis:blind_nil=on", "wrp+rb", "human", "random+random")
OTHER_HUMANS = ("human:spread=2,player=1", "human", "human:spread=2,player=2+rb")


def seating(*texts, options=None):
    return Seating(tuple(parse_agent(text) for text in texts), options or Rules())


def assert_same(rounds, others):
    for column, other in zip(rounds, others, strict=True):
        assert (column.tolist(), column.dtype) == (other.tolist(), other.dtype)


@pytest.mark.parametrize(
    "agents",
    [
        COMPILED,
        ("wrp+io", "srp+kb", "srp+ms", "wrp+noisy:of=ms"),
        ("srp+bis:big5=on",) * 4,
        (*OTHER_HUMANS, "human:person=devlin2016"),
    ],
)
@pytest.mark.parametrize("options", [Rules(), Rules(target=120, losing_floor=-100, bag_limit=3)])
def test_compiled_rounds_are_those_played_card_by_card(agents, options, monkeypatch):
    table = seating(*agents, options=options)
    assert table.is_compiled
    rounds, games = play_rounds(table, 7, 3, 9), play_games(table, 7, 3, 5).log()
    by_card = play_games(table, 7, 3, 5, by_card=True).log()
    assert list(games.records()) == list(by_card.records())
    monkeypatch.setattr(Seating, "is_compiled", False)
    assert_same(rounds, play_rounds(table, 7, 3, 9))


@settings(max_examples=60, deadline=None)
@given(rules(), st.permutations(COMPILED), st.integers(-(2**40), 2**70))
def test_every_rule_of_every_table_is_kept(options, agents, seed):
    log = play_range(seating(*agents, options=options), seed, 0, 40, unit="rounds")
    require_legal(log)
    for i in (0, 17):
        log.record(i).final()


@pytest.mark.parametrize("deck", DECKS)
def test_thousands_of_rounds_are_legal(deck):
    for lead, nil in itertools.product(("broken", "any"), (100, None)):
        options = Rules(deck=deck, spades_lead=lead, nil=nil, min_bid=3)
        require_legal(play_range(seating(*COMPILED, options=options), 5, 0, 300, unit="rounds"))
        require_legal(
            play_range(seating(*["srp+random"] * 4, options=options), 5, 0, 300, unit="rounds")
        )


@pytest.mark.parametrize("seed", [0, 1, -5, 2**62, 2**64 - 1])
def test_seeds_in_kernels_are_the_seeds_outside(seed):
    word = np.uint64(seed & (2**64 - 1))
    for stream in (0, 1, 17):
        assert state_of(word, stream) == seed_state(seed, stream)
    assert seed_at(np.uint64(state_of(word, 0)), 5) == derive_seed(seed, 5)


@pytest.mark.parametrize("card_of", [strong_card, weak_card])
def test_cards_of_others_change_nothing(card_of):
    rng = random.Random(4)
    for ply in range(0, 51, 2):
        state = random_round(rng, ply, bids=random_bids(rng))
        seat = state.table.turn
        seen = observe(state, score_before=(180, 470), bags_before=(9, 3))
        other = swap_hidden(state, seat, rng)
        again = observe(other, score_before=(180, 470), bags_before=(9, 3))
        card = card_of(seen.hand_mask, public_of(seen))
        assert card == card_of(again.hand, public_of(again))
        assert seen.legal_mask >> card & 1


def test_games_end_as_their_log_says():
    table = seating("srp", "wrp", "srp", "wrp", options=Rules(target=200, losing_floor=-100))
    found = play_games(table, 3, 5, 25)
    log = found.log()
    assert len(log) == found.n_rounds.sum()
    assert log.games[0] == "3-5"
    scored, ends = derive(log), np.cumsum(found.n_rounds)
    for i, (start, end) in enumerate(itertools.pairwise([0, *ends])):
        penalties = scored.points[start:end].sum(axis=0) - found.score[i]
        assert np.all(penalties % 100 == 0)
        assert np.all(penalties >= 0)
        assert np.max(found.score[i]) >= 200 or np.min(found.score[i]) <= -100
    assert play_games(table, 3, 5, 25).score.tolist() == found.score.tolist()


def test_a_game_without_end_is_undecided():
    table = seating(*["random+random"] * 4, options=Rules(target=10**6))
    found = play_games(table, 1, 0, 1)
    assert found.n_rounds.tolist() == [100]


def test_swapped_partnerships_play_the_same_deals():
    table = seating("srp", "wrp", "srp", "wrp")
    other = seating("wrp", "srp", "wrp", "srp")
    first, second = play_rounds(table, 2, 0, 5), play_rounds(other, 2, 0, 5)
    assert first.hands.tolist() == second.hands.tolist()
    assert first.plays.tolist() != second.plays.tolist()


def test_what_is_not_compiled_is_refused():
    table = seating("srp", "ismcts:iterations=5", "srp", "srp")
    assert not table.is_compiled
    with pytest.raises(SpadesError, match="ismcts:iterations=5"):
        play_bid_rounds(table, np.zeros((0, 4)), np.zeros((0, 4)), np.zeros(0))


def test_rounds_bid_by_hand():
    table = seating(*["srp"] * 4)
    deals = np.array([random_deal(Rules().cards, seed) for seed in range(6)])
    bids, dealers = np.tile(np.array([3, 0, 2, 4], dtype=np.int8), (6, 1)), np.arange(6) % 4
    rounds = play_bid_rounds(table, deals, bids, dealers.astype(np.int8))
    assert rounds.bids.tolist() == bids.tolist()
    assert rounds.tricks.sum(axis=1).tolist() == [13] * 6
    made = rounds.tricks[:, 1] == 0
    assert ((rounds.points[:, 1] > 0) >= made).all()
    with pytest.raises(SpadesError, match="0 to 13 are legal"):
        play_bid_rounds(table, deals, bids - 1, dealers.astype(np.int8))
    with pytest.raises(SpadesError, match="should be"):
        play_bid_rounds(table, deals, bids[:2], dealers.astype(np.int8))
    with pytest.raises(InvalidDealError):
        play_bid_rounds(table, deals * 0 + deals[0, 0], bids, dealers.astype(np.int8))


@given(st.integers(0, 2**13 - 1), st.integers(0, 2**13 - 1))
def test_kernel_is_its_plain_twin(held, out):
    held &= ~out
    plain = sure_takes.py_func
    assert sure_takes(held, out) == plain(held, out)


def test_strength_is_in_the_play():
    options = Rules(target=200, losing_floor=-100)
    table = seating("srp", "wrp", "srp", "wrp", options=options)
    swapped = seating("wrp", "srp", "wrp", "srp", options=options)
    wins = (play_games(table, 1, 0, 300).score.argmax(axis=1) == 0).sum()
    wins += (play_games(swapped, 1, 0, 300).score.argmax(axis=1) == 1).sum()
    assert wins > 330  # 55% of 600; five standard errors below what was measured


def test_the_four_agents_are_named_in_the_log():
    log = play_range(seating(*COMPILED), 1, 0, 2, unit="rounds")
    record = log.record(0)
    assert record.agents == COMPILED
    assert record.kinds == ("bot", "bot", "simulated-human", "bot")
    assert dataclasses.asdict(record)["game_id"] == "1-0"
