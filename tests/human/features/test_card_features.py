import numpy as np
import pytest

from spades.core.cards import DECKS, STANDARD, cards_in
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features import card_features as ft
from spades.human.features.abstract_moves import (
    MOVE_32_OF_68,
    MOVES_32,
    abstract_move_ids,
    beating_mask,
    boss_mask,
)
from spades.human.features.view import (
    NIL_TRICKS_ARE_BAGS,
    NIL_TRICKS_COUNT,
    NO_NIL,
    decision_at,
    decision_of,
    nil_rule_of,
)
from spades.human.loglinear import devlin2016

LAST = "Steal lowest if last turn"
DUCK_NEEDING = "Duck highest when needing tricks"
DUCK_BOSS = "Duck lowest when boss cards are in hand"
NO_TRUMP = "Did not trump steal"
POTENTIAL = "No follow highest with potential boss"
UNWANTED = "Steal unwanted tricks"
DISCARD_NEEDING = "No follow lowest when needing tricks"
SHORTEST = "Lead with suit of smallest size"
DUCK_UNWANTED = "Follow duck highest for unwanted tricks"
DUCK_SMALL = "Follow duck highest with a small value card"
MET = {"own_tricks": 4, "partner_tricks": 2}
ONE_SHORT = {"own_tricks": 3, "partner_tricks": 2}
OWN_NIL = {"own_bid": 0, "partner_bid": 4}
PARTNER_NIL = {"own_bid": 4, "partner_bid": 0}
UNKNOWN = {"partner_bid": -1, "own_tricks": 5}

# feature, whether it fires, card, hand, trick so far, what else differs from bids 3 3, tricks 0 0
CASES = [
    (LAST, True, "HJ", "HQ HJ H2", "H9 H3 H4", {}),
    (LAST, False, "HQ", "HQ HJ H2", "H9 H3 H4", {}),  # not the lowest
    (LAST, False, "HJ", "HQ HJ H2", "H9 H3", {}),  # third to play
    (LAST, False, "HJ", "HJ H2", "H9 H3 H4", {}),  # a single
    (LAST, True, "S5", "SK S5 D2", "H9 S3 H4", {}),
    (LAST, True, "S5", "SK S5 D2", "S2 S3 H4", {}),  # spades led
    (DUCK_NEEDING, True, "H8", "H8 H5", "HJ", ONE_SHORT),
    (DUCK_NEEDING, False, "H8", "H8 H5", "HJ", MET),
    (DUCK_NEEDING, False, "H5", "H8 H5", "HJ", ONE_SHORT),  # the lowest
    (DUCK_NEEDING, False, "H8", "H8 D5", "HJ", ONE_SHORT),  # a single
    (DUCK_NEEDING, True, "S8", "S8 S5 D5", "HJ ST", ONE_SHORT),
    (DUCK_NEEDING, False, "D8", "D8 D5", "HJ", ONE_SHORT),  # a discard is no duck
    (DUCK_NEEDING, True, "H8", "H8 H5", "HJ", OWN_NIL),  # the partner still needs four
    (DUCK_NEEDING, True, "H8", "H8 H5", "HJ", PARTNER_NIL | {"own_tricks": 3}),
    (DUCK_NEEDING, False, "H8", "H8 H5", "HJ", PARTNER_NIL | {"own_tricks": 4}),
    (DUCK_NEEDING, False, "H8", "H8 H5", "HJ", {"own_bid": 0, "partner_bid": 0}),
    (DUCK_NEEDING, False, "H8", "H8 H5", "HJ", {"partner_bid": -1}),
    (DUCK_BOSS, True, "H5", "H8 H5 DA", "HJ", {}),  # of a suit that isn't legal
    (DUCK_BOSS, False, "H5", "H8 H5 DK", "HJ", {}),
    (DUCK_BOSS, True, "H5", "H8 H5 DK", "HJ", {"played": "DA"}),
    (DUCK_BOSS, True, "H5", "H8 H5 DK", "HJ DA", {}),  # on the table is played
    (DUCK_BOSS, False, "H8", "H8 H5 DA", "HJ", {}),  # not the lowest
    (DUCK_BOSS, False, "H5", "H5 DA", "HJ", {}),  # a single
    (DUCK_BOSS, False, "D5", "D8 D5 CA", "HJ", {}),  # a discard
    (DUCK_BOSS, True, "S3", "S4 S3 CA", "HJ S5", {}),
    (NO_TRUMP, True, "D4", "S3 D4", "HJ", {}),
    (NO_TRUMP, False, "S3", "S3 D4", "HJ", {}),
    (NO_TRUMP, False, "D4", "S3 D4", "HJ S8", {}),  # couldn't
    (NO_TRUMP, True, "S3", "S9 S3 D4", "HJ S8", {}),  # undertrumped
    (NO_TRUMP, False, "H4", "S3 H4", "HJ", {}),  # had to follow
    (NO_TRUMP, True, "S3", "S9 S3", "S8", {}),  # spades led
    (NO_TRUMP, False, "H4", "S3 H4", "", {}),  # leading
    (POTENTIAL, True, "DK", "DK D2", "HJ", {}),
    (POTENTIAL, True, "DA", "DA D2", "HJ", {}),
    (POTENTIAL, False, "DQ", "DQ D2", "HJ", {}),  # ace and king above
    (POTENTIAL, True, "DQ", "DQ D2", "HJ", {"played": "DA"}),
    (POTENTIAL, True, "DQ", "DQ D2", "HJ DA", {}),
    (POTENTIAL, False, "D2", "DK D2", "HJ", {}),  # the lowest
    (POTENTIAL, False, "DK", "DK C2", "HJ", {}),  # a single
    (POTENTIAL, False, "HK", "HK H2", "HA", {}),  # follows
    (UNWANTED, True, "HK", "HK H2", "HJ", MET),
    (UNWANTED, False, "HK", "HK H2", "HJ", ONE_SHORT),
    (UNWANTED, False, "H2", "HK H2", "HJ", MET),  # ducks
    (UNWANTED, True, "S2", "S2", "HJ", MET),
    (UNWANTED, False, "HK", "HK H2", "", MET),  # leads
    (UNWANTED, True, "HK", "HK H2", "HJ", OWN_NIL),
    (UNWANTED, False, "HK", "HK H2", "HJ", OWN_NIL | {"own_tricks": 1}),  # failed
    (UNWANTED, False, "HK", "HK H2", "HJ", OWN_NIL | {"nil_rule": NO_NIL}),  # an ordinary zero
    (UNWANTED, False, "HK", "HK H2", "HJ", PARTNER_NIL),
    (UNWANTED, True, "HK", "HK H2", "HJ", {"own_bid": 0, "partner_bid": -1}),
    (UNWANTED, False, "HK", "HK H2", "HJ", UNKNOWN),
    # tricks of a failed nil: part of the contract, or bags
    (UNWANTED, True, "HK", "HK", "HJ", PARTNER_NIL | {"own_tricks": 3, "partner_tricks": 1}),
    (
        UNWANTED,
        False,
        "HK",
        "HK",
        "HJ",
        PARTNER_NIL | {"own_tricks": 3, "partner_tricks": 1, "nil_rule": NIL_TRICKS_ARE_BAGS},
    ),
    (
        UNWANTED,
        False,
        "HK",
        "HK",
        "HJ",
        OWN_NIL | {"own_tricks": 1, "partner_tricks": 3, "nil_rule": NIL_TRICKS_ARE_BAGS},
    ),
    (DISCARD_NEEDING, True, "D2", "DK D2", "HJ", ONE_SHORT),
    (DISCARD_NEEDING, False, "D2", "DK D2", "HJ", MET),
    (DISCARD_NEEDING, False, "DK", "DK D2", "HJ", ONE_SHORT),
    (DISCARD_NEEDING, False, "D2", "D2 C3", "HJ", ONE_SHORT),  # a single
    (DISCARD_NEEDING, False, "H2", "H3 H2", "HJ", ONE_SHORT),  # follows
    (DISCARD_NEEDING, False, "D2", "DK D2", "HJ", UNKNOWN),
    (SHORTEST, True, "D7", "H5 H4 D7 C3 C2", "", {}),
    (SHORTEST, False, "H5", "H5 H4 D7 C3 C2", "", {}),
    (SHORTEST, True, "H5", "H5 H4 C3 C2", "", {}),  # two suits equally short
    (SHORTEST, True, "S5", "S5 H4 H3", "", {}),
    (SHORTEST, False, "H4", "S5 H4 H3", "", {}),
    (SHORTEST, True, "H4", "S5 H4 H3 C4 C3 C2", "", {"may_lead_spades": 0}),  # may be led
    (SHORTEST, False, "D7", "D7 C3 C2", "HJ", {}),  # a discard
    (DUCK_UNWANTED, True, "HT", "HT H2", "HJ", MET),
    (DUCK_UNWANTED, False, "HT", "HT H2", "HJ", ONE_SHORT),
    (DUCK_UNWANTED, True, "HT", "HT H2", "HJ", OWN_NIL),
    (DUCK_UNWANTED, False, "HT", "HT H2", "HJ", PARTNER_NIL),
    (DUCK_UNWANTED, False, "H2", "HT H2", "HJ", MET),  # the lowest
    (DUCK_UNWANTED, False, "ST", "ST S2", "SJ", MET),  # spades led
    (DUCK_UNWANTED, True, "HT", "HT H2", "HJ", {"own_bid": 0, "partner_bid": 0}),
    (DUCK_SMALL, True, "HT", "HT H2", "HQ", {}),
    (DUCK_SMALL, False, "HJ", "HJ H2", "HQ", {}),
    (DUCK_SMALL, False, "H2", "HT H2", "HQ", {}),  # the lowest
    (DUCK_SMALL, False, "HT", "HT D2", "HQ", {}),  # a single
    (DUCK_SMALL, False, "DT", "DT D2", "HQ", {}),  # a discard
    (DUCK_SMALL, False, "ST", "ST S2 D2", "HQ SJ", {}),  # a spade
]


def _features(decision):
    """Feature names of each legal card, by code."""
    return {
        card: {name for bit, name in enumerate(ft.FEATURES) if mask >> bit & 1}
        for card, _, mask in _cards(decision)
    }


def _cards(decision):
    """Code, abstract move of the 32 and feature mask of each legal card."""
    context = ft.context_of(decision)
    for card in cards_in(decision.legal):
        yield card, *ft.card_features(card, decision, context)


@pytest.mark.parametrize(("feature", "fires", "card", "hand", "trick", "fields"), CASES)
def test_worked_case(decide, feature, fires, card, hand, trick, fields):
    names = _features(decide(hand, trick, **fields))
    assert (feature in names[STANDARD.parse_card(card)]) == fires


@pytest.mark.parametrize("feature", ft.CONTEXT_FEATURES)
def test_every_context_feature_has_a_case_and_a_near_miss(feature):
    assert {fires for name, fires, *_ in CASES if name == feature.name} == {True, False}
    assert feature.reading


def test_42_features_with_the_moves_first():
    assert len(set(ft.FEATURES)) == len(ft.FEATURES) == ft.N_FEATURES == 42
    assert ft.FEATURES[:32] == MOVES_32
    assert ft.FEATURES[41] == DUCK_SMALL == ft.FEATURES[ft.FOLLOW_DUCK_SMALL.bit_length() - 1]


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_a_ten_is_small_and_a_jack_is_not_in_every_deck(deck):
    for suit in "HDC":
        assert ft.is_small(deck.parse_card(suit + "T"), deck.mask)
        assert not ft.is_small(deck.parse_card(suit + "J"), deck.mask)


def test_nil_rules():
    assert nil_rule_of(Rules()) == NIL_TRICKS_COUNT
    assert nil_rule_of(Rules(failed_nil_tricks="bags")) == NIL_TRICKS_ARE_BAGS
    assert nil_rule_of(Rules(nil=None)) == NO_NIL


def test_one_move_a_card_and_strengths_are_sums_of_weights(rules, random_record, walk):
    weights, strengths = devlin2016().weights_, np.empty(13)
    for seed in range(20):
        for state in walk(random_record(seed, rules)):
            decision, moves = decision_of(observe(state)), abstract_move_ids(observe(state))
            assert ft.legal_strengths(decision, weights, strengths) == len(moves)
            for i, (card, move, mask) in enumerate(_cards(decision)):
                assert mask & (1 << 32) - 1 == 1 << move == 1 << int(MOVE_32_OF_68[moves[card]])
                on = [bit for bit in range(42) if mask >> bit & 1]
                assert strengths[i] == pytest.approx(weights[on].sum(), abs=1e-12)


def test_kernels_equal_their_python_twins(rules, random_record, walk):
    weights = devlin2016().weights_
    for state in walk(random_record(3, rules)):
        decision = decision_of(observe(state))
        assert decision_at.py_func(np.array(decision)) == decision
        assert decision_at(np.array(decision)) == decision
        for kernel in (ft.tricks_needed, ft.context_of):
            assert kernel(decision) == kernel.py_func(decision)
        unplayed, context = decision.deck & ~decision.played, ft.context_of(decision)
        assert context[1:] == (beating_mask(decision.best_card), boss_mask(unplayed))
        for card in cards_in(decision.legal):
            for kernel, *key in (
                (ft.is_potential_boss, card, unplayed),
                (ft.is_of_smallest_suit, card, decision.legal),
                (ft.is_small, card, decision.deck),
                (ft.card_features, card, decision, context),
            ):
                assert kernel(*key) == kernel.py_func(*key)
        compiled, plain = np.zeros((2, 13))
        n = ft.legal_strengths(decision, weights, compiled)
        assert n == ft.legal_strengths.py_func(decision, weights, plain)
        np.testing.assert_array_equal(compiled, plain)
