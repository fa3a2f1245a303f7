"""Rules of thumb: a hand-worked position for each, and playouts against the rules engine."""

import random

import numpy as np
import pytest

from spades.core.cards import cards_in
from spades.core.errors import IllegalPlayError
from spades.core.kernel import mixed, next_state, seed_state
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.core.step import progress_of
from spades.search.heuristic import (
    ATTACK,
    COVER,
    DUCK,
    OWN_NIL,
    TAKE,
    best_by_rule,
    heuristic_scores,
)
from spades.search.playouts.heuristic import (
    EPSILON,
    card_scores,
    heuristic_cards,
    pick,
    play_card_by_rules,
    situation_of,
)
from tests.positions import random_bids, random_round, swap_hidden
from tests.search.thumb import Thumb

NIL = {"bids": (0, 4, 4, 3)}
PARTNER_NIL = {"bids": (4, 4, 0, 3)}
NEXT_NIL = {"bids": (3, 0, 3, 5), "tricks": (1, 0, 1, 0)}
BEFORE_NIL = {"bids": (3, 5, 3, 0), "tricks": (1, 0, 1, 0)}
MADE = {"bids": (3, 2, 3, 2), "tricks": (3, 0, 3, 0)}

CASES = {
    # Leads to take tricks
    "cash a boss": ({"hand": "HA H3 H4 D9 D2 S2"}, "HA"),
    "the boss of the suit that others hold most of": ({"hand": "HA H3 H4 H5 DA D2 S2"}, "DA"),
    "not a boss that may be ruffed": (
        {"hand": "DA D2 CA C2 C3 C4 S2", "voids": ("", "D", "", "")}, "CA"),
    "the king is boss once the ace is gone": (
        {"hand": "HK H2 D5 D3", "out": "HQ HJ H9 DA DK S3 S4 S5 C2"}, "HK"),
    "with no spade out a boss is sure": ({"hand": "SA HA D2 D3", "out": "H2 H3 D5 D6 C2"}, "HA"),
    "draw trumps with half of those out": (
        {"hand": "SA S9 S8 HT H2", "out": "S3 S4 S5 ST HA HQ D2 D3 C2 C3"}, "SA"),
    "a ruff for partner": (
        {"hand": "DT D5 C9 C5 H9 H2", "voids": ("", "", "D", "")}, "D5"),
    "no ruff where an opponent is out too": (
        {"hand": "DT D5 C9 C3 H9 H8 H7", "voids": ("", "D", "D", "")}, "C3"),
    "a singleton, to ruff": ({"hand": "S2 S3 D7 H9 H8 H2 C9 C2"}, "D7"),
    "no singleton without a spade": ({"hand": "D7 H9 H8 H2 C9 C2"}, "C2"),
    "king from king and queen": ({"hand": "HK HQ H2 D9 D8 D2"}, "HK"),
    "not away from a king": ({"hand": "HK H2 D9 D8 D2"}, "D2"),
    "no high card that isn't boss": ({"hand": "HK DQ C2 C8"}, "C2"),
    # Following to take tricks
    "last hand wins cheaply": ({"hand": "HA HT H2", "trick": "H9 H3 H4"}, "HT"),
    "partner's trick stays partner's": ({"hand": "HA HT H2", "trick": "H3 HK H4"}, "H2"),
    "not over partner's boss": ({"hand": "SA S2 D2", "trick": "HA H3"}, "D2"),
    "second hand low": ({"hand": "HK HT H2", "trick": "H5"}, "H2"),
    "second hand takes with the boss": ({"hand": "HA HT H2", "trick": "H5"}, "HA"),
    "third hand with the boss": ({"hand": "HA HT H2", "trick": "H9 H3"}, "HA"),
    "third hand high": ({"hand": "HK HT H2", "trick": "H5 H3"}, "HK"),
    "third hand high, lowest of equals": ({"hand": "HK HQ H2", "trick": "H5 H3"}, "HQ"),
    "third hand low when partner's card is as good": (
        {"hand": "HK H2", "trick": "HQ H3"}, "H2"),
    "no boss into a ruff": (
        {"hand": "HA HT H2", "trick": "H5", "voids": ("", "H", "", "")}, "H2"),
    "ruff low": ({"hand": "S9 S4 D2", "trick": "HA H3 H4"}, "S4"),
    "ruff over a ruff": ({"hand": "S9 S4 D2", "trick": "H3 H4 S5"}, "S9"),
    "ruff high before one who can go over": (
        {"hand": "S9 S4 D2", "trick": "H3 HA", "voids": ("", "H", "", "")}, "S9"),
    "no ruff of partner's trick": ({"hand": "S9 S4 D2", "trick": "H3 HA H4"}, "D2"),
    # Throwing away
    "throw low when it can't be won": ({"hand": "HQ H7 H2", "trick": "HA H3 H4"}, "H2"),
    "discard low": ({"hand": "D7 D6 C8 C3 C9", "trick": "H3 HA H4"}, "C3"),
    "keep a guarded king": ({"hand": "DK D2 C8 C6 C5", "trick": "H3 HA H4"}, "C5"),
    "keep a boss": ({"hand": "DA C8", "trick": "H3 HA H4"}, "C8"),
    "keep a spade": ({"hand": "S3 C8", "trick": "H3 HA H4"}, "C8"),
    # Bags
    "duck as high as still loses": ({"hand": "HA HT H2 S3", "trick": "HK H3 H4", **MADE}, "HT"),
    "forced to win, last: high": ({"hand": "HA HT S3", "trick": "H9 H3 H4", **MADE}, "HA"),
    "forced to win, not last: low": ({"hand": "HA HT S3", "trick": "H9 H3", **MADE}, "HT"),
    "be rid of high cards on partner's trick": (
        {"hand": "HA HT H2", "trick": "H3 HK H4", **MADE}, "HA"),
    "be rid of a dangerous card": ({"hand": "DK C4 C3", "trick": "HK H3 H4", **MADE}, "DK"),
    "be rid of a spade under a spade": ({"hand": "SQ DK C3", "trick": "H3 H4 SA", **MADE}, "SQ"),
    "lead what others must beat": ({"hand": "HA H9 D2 D7", **MADE}, "D2"),
    "overtricks that cost nothing are taken": (
        {"hand": "HA HT H2 S3", "trick": "HK H3 H4", "greedy": 1, **MADE}, "HA"),
    "a set is played for": (
        {"hand": "HA HT H2 S3", "trick": "HK H3 H4", "bids": (3, 4, 3, 3),
         "tricks": (3, 0, 3, 0)}, "HA"),
    # One's own nil
    "nil: lead low": ({"hand": "HQ H2 D9 D8", **NIL}, "H2"),
    "nil: as high as still loses": ({"hand": "HA HT H2", "trick": "HK H3", **NIL}, "HT"),
    "nil: forced to win, low": ({"hand": "HA HT", "trick": "H9 H3", **NIL}, "HT"),
    "nil: a spade under a spade": ({"hand": "SQ HA D2", "trick": "CK SA", **NIL}, "SQ"),
    "nil: no ruff": ({"hand": "SQ DK D2", "trick": "CK CA", **NIL}, "DK"),
    # Partner's nil
    "cover: lead high": ({"hand": "HA H2 D9 D2", **PARTNER_NIL}, "HA"),
    "cover: lead what partner is out of": (
        {"hand": "HA H2 D4", "voids": ("", "", "D", ""), "out": "HK H9 D9 D8 D3", **PARTNER_NIL},
        "D4"),
    "cover: over partner, cheaply": ({"hand": "HA HT H2", "trick": "H9 H3", **PARTNER_NIL}, "HA"),
    "cover: over partner, last": ({"hand": "HA HT H2", "trick": "H3 H9 H4", **PARTNER_NIL}, "HT"),
    "cover: high before partner": ({"hand": "HA HT H2", "trick": "H5", **PARTNER_NIL}, "HA"),
    "cover: not when partner is out of the suit": (
        {"hand": "HK HT H2", "trick": "H5", "voids": ("", "", "H", ""), **PARTNER_NIL}, "H2"),
    # An opponent's nil
    "attack: lead low": ({"hand": "H2 HQ D9 D8", **NEXT_NIL}, "H2"),
    "attack: not the suit that the nil is out of": (
        {"hand": "H2 H9 D3 DT", "voids": ("", "H", "", ""), **NEXT_NIL}, "D3"),
    "attack: the nil bidder ahead stays ahead": (
        {"hand": "HA HT H2", "trick": "H4 H3 HJ", **BEFORE_NIL}, "H2"),
    "attack: low before the nil bidder": ({"hand": "HT H3", "trick": "H2", **NEXT_NIL}, "H3"),
    "no attack without a trick to spare": (
        {"hand": "HA HT", "trick": "H4 H3 HJ", "bids": (6, 5, 7, 0)}, "HA"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rule_of_thumb(name):
    position, expected = CASES[name]
    assert Thumb(**position).best == expected, Thumb(**position).scores


@pytest.mark.parametrize(
    ("position", "aim"),
    [
        ({"hand": "H2", **NIL}, OWN_NIL),
        ({"hand": "H2", "bids": (0, 3, 3, 3), "tricks": (1, 2, 1, 2)}, TAKE),
        ({"hand": "H2", **PARTNER_NIL}, COVER),
        ({"hand": "H2", "bids": (4, 3, 0, 3), "tricks": (1, 2, 1, 2)}, TAKE),
        ({"hand": "H2", **NEXT_NIL}, ATTACK),
        ({"hand": "H2", "bids": (3, 0, 3, 5), "tricks": (1, 1, 1, 0)}, TAKE),
        ({"hand": "H2", **MADE}, DUCK),
        ({"hand": "H2", "bids": (5, 2, 5, 2), "tricks": (2, 3, 2, 3)}, DUCK),  # lost, both settled
    ],
)
def test_what_a_seat_plays_for(position, aim):
    assert Thumb(**position).seen.aim == aim


def test_a_score_is_within_0_and_100():
    rng, found = random.Random(1), []
    for i in range(400):
        state = random_round(rng, rng.randrange(52), bids=random_bids(rng))
        found += card_scores(observe(state)).values()
        seen, out = situation_of(observe(state)), np.zeros(13)
        assert heuristic_scores(seen, out) == state.legal_plays().bit_count(), i
    assert min(found) >= 0
    assert max(found) <= 100
    assert len(set(found)) > 60


def test_scores_see_no_hidden_card():
    rng = random.Random(2)
    for _ in range(100):
        state = random_round(rng, rng.randrange(50), bids=random_bids(rng))
        seat = state.table.turn
        other = swap_hidden(state, seat, rng)
        assert card_scores(observe(state)) == card_scores(observe(other))


def test_scores_of_a_seat_that_is_not_to_play_are_refused():
    state = random_round(random.Random(3), 5)
    with pytest.raises(IllegalPlayError, match="turn"):
        card_scores(observe(state, (state.table.turn + 1) % 4))


def played_by_engine(state, first, epsilon, random_state):
    """Tricks of a playout as the rules engine plays it, card by card, from observations.

    ``first``: the card (code) that is played whatever the rules say, or None.
    """
    if first is not None:
        state.play(first)
    while not state.table.is_over:
        random_state = np.uint64(next_state(random_state))
        bits = np.uint64(mixed(random_state))
        legal = state.legal_plays()
        card = legal
        if legal & (legal - 1):
            if int(bits >> np.uint64(16)) & 0xFFFF < epsilon:
                card = int(pick(np.int64(legal), bits))
            else:
                card = int(best_by_rule(situation_of(observe(state))))
        state.play(int(card).bit_length() - 1)
    return list(state.table.tricks_taken)


RULES = [
    Rules(),
    Rules(nil=None, bag_penalty=0),
    Rules(failed_nil_tricks="bags", spades_lead="any"),
    Rules(deck="joker-joker-deuce-deuce"),
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: str(rules.non_defaults()))
@pytest.mark.parametrize("epsilon", [0.0, EPSILON, 1.0])
def test_playouts_are_those_of_the_rules_engine(rules, epsilon):
    rng = random.Random(4)
    for i in range(25):
        state = random_round(rng, rng.randrange(52), rules=rules, bids=random_bids(rng))
        observation = observe(state)
        first = rng.choice(list(cards_in(state.legal_plays())))
        playout = heuristic_cards(observation, epsilon)
        hands, at = np.array(state.hands, dtype=np.int64), progress_of(state.table)
        taken, _ = play_card_by_rules(first, hands, at, playout, seed_state(i))
        found = [taken >> (8 * seat) & 255 for seat in range(4)]
        assert found == played_by_engine(state, first, playout.epsilon, seed_state(i))


def test_epsilon_is_the_share_of_random_cards():
    state = random_round(random.Random(5), 0)
    hands, at = np.array(state.hands, dtype=np.int64), progress_of(state.table)
    best, n = int(best_by_rule(situation_of(observe(state)))), 20_000
    playout, other, random_state = heuristic_cards(observe(state), 0.2), 0, seed_state(1)
    n_legal = state.legal_plays().bit_count()
    for _ in range(n):
        random_state = np.uint64(next_state(random_state))
        other += playout.choose_card(hands, at, np.uint64(mixed(random_state))) != best
    expected = 0.2 * (n_legal - 1) / n_legal
    assert abs(other / n - expected) < 4 * (expected * (1 - expected) / n) ** 0.5
