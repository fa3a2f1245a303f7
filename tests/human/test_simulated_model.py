import dataclasses

import numpy as np
import pytest

from spades.core.cards import DECKS, STANDARD, cards_in
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import load_model
from spades.human.features import card_features as nf
from spades.human.features.abstract_moves import beating_mask
from spades.human.features.card_features import FEATURES, N_FEATURES, legal_probabilities
from spades.human.features.view import NO_NIL, decision_of
from spades.human.loglinear import LogLinearModel, devlin2016

TAKING, RANK, COVERING = nf.NIL_FEATURE_NAMES
OWN = {"own_bid": 0, "partner_bid": 4}
PARTNER = {"own_bid": 4, "partner_bid": 0}
BOTH = {"own_bid": 0, "partner_bid": 0}

# feature, its value, card, hand, trick so far, what differs from bids 3 3, tricks 0 0
CASES = [
    (TAKING, 1, "HK", "HK H2", "HJ", OWN),
    (TAKING, 0, "H2", "HK H2", "HJ", OWN),
    (TAKING, 0, "HK", "HK H2", "HJ", OWN | {"own_tricks": 1}),  # the nil has failed
    (TAKING, 0, "HK", "HK H2", "HJ", OWN | {"nil_rule": NO_NIL}),
    (TAKING, 0, "HK", "HK H2", "HJ", {"own_bid": -1}),
    (TAKING, 0, "HK", "HK H2", "HJ", PARTNER),
    (TAKING, 0, "HK", "HK H2", "HJ S2", OWN),  # trumped already
    (TAKING, 1, "S3", "S3 D2", "HJ S2", OWN),
    (TAKING, 0, "HK", "HK H2", "", OWN),  # a lead
    (RANK, 9 / 12, "HJ", "HJ H2", "HQ", OWN),
    (RANK, 0, "H2", "HJ H2", "HQ", OWN),
    (RANK, 0, "HJ", "HJ H2", "HT", OWN),  # takes
    (RANK, 1, "DA", "DA S2", "HQ", OWN),  # a discard
    (RANK, 6 / 12, "S8", "S8 S2", "HQ S9", OWN),  # under the trump
    (RANK, 0, "HA", "HA H2", "", OWN),  # leads are reversed
    (RANK, 1, "H2", "HA H2", "", OWN),
    (RANK, 3 / 12, "HJ", "HJ H2", "", OWN),
    (RANK, 0, "HJ", "HJ H2", "HQ", OWN | {"own_tricks": 2}),
    (RANK, 0, "HJ", "HJ H2", "HQ", PARTNER),
    (COVERING, 1, "HA", "HA H2", "HJ", PARTNER),
    (COVERING, 11 / 12, "HK", "HA HK H2", "", PARTNER),
    (COVERING, 0, "H3", "HA H3", "HJ", PARTNER),  # ducks
    (COVERING, 1, "HA", "HA H2", "HJ", PARTNER | {"own_tricks": 3}),
    (COVERING, 0, "HA", "HA H2", "HJ", PARTNER | {"partner_tricks": 1}),
    (COVERING, 0, "HA", "HA H2", "HJ", PARTNER | {"nil_rule": NO_NIL}),
    (COVERING, 0, "HA", "HA H2", "HJ", OWN),
    (COVERING, 0, "DA", "DA S2", "HJ", PARTNER),  # a discard
    (TAKING, 1, "HA", "HA H2", "HJ", BOTH),
    (COVERING, 1, "HA", "HA H2", "HJ", BOTH),
]


@pytest.fixture(scope="module")
def model():
    return load_model("devlin2016-nil")


@pytest.mark.parametrize(("feature", "value", "card", "hand", "trick", "fields"), CASES)
def test_each_feature_fires_and_nearly_misses(decide, feature, value, card, hand, trick, fields):
    weights = np.zeros(N_FEATURES + 3)
    weights[N_FEATURES + nf.NIL_FEATURE_NAMES.index(feature)] = 1.0
    decision = decide(hand, trick, **fields)
    beating = beating_mask(decision.best_card)
    code = STANDARD.parse_card(card)
    assert nf.nil_strength(code, decision, beating, weights) == pytest.approx(value)
    assert nf.nil_strength.py_func(code, decision, beating, weights) == pytest.approx(value)


@pytest.mark.parametrize("deck", DECKS.values(), ids=DECKS)
def test_rank_runs_from_0_to_1_in_every_suit(deck):
    for names in deck.suits:
        ranks = [nf.rank_of(deck.parse_card(text), deck.mask) for text in names]
        assert ranks == pytest.approx(np.linspace(0, 1, len(names)))


def test_45_weights_the_published_ones_first(model):
    assert model.name == "devlin2016-nil"
    assert (model.weights_[:N_FEATURES] == devlin2016().weights_).all()
    assert np.sign(model.weights_[N_FEATURES:]).tolist() == [-1, 1, 1]


def test_stored_weights_cannot_be_changed_by_accident(model):
    with pytest.raises(ValueError, match="read-only"):
        model.weights_[0] = 0.0


def _seen(record, walk):
    return [observe(state) for state in walk(record)]


@pytest.mark.parametrize(
    ("options", "bids"),
    [({}, (3, 3, 2, 4)), ({"nil": None, "blind_nil": None}, (0, 0, 2, 0)), ({}, (-1, -1, -1, -1))],
)
def test_without_a_nil_it_is_devlin2016_exactly(model, random_record, walk, options, bids):
    for seed in range(5):
        record = dataclasses.replace(random_record(seed, Rules(**options)), bids=bids)
        seen = _seen(record, walk)
        assert (model.predict_proba(seen) == devlin2016().predict_proba(seen)).all()


def test_a_failed_nil_and_an_opponents_nil_change_nothing(model, random_record, walk):
    changed = 0
    for seed in range(5):
        record = dataclasses.replace(random_record(seed, Rules()), bids=(0, 3, 4, 3))
        for seen in _seen(record, walk):
            is_alive = seen.table.tricks_taken[0] == 0
            p, q = (m.predict_proba([seen]) for m in (model, devlin2016()))
            if seen.seat % 2 or not is_alive:
                assert (p == q).all()
            changed += (p != q).any()
    assert changed > 20


def test_probabilities_sum_to_1_and_illegal_cards_are_0(model, rules, random_record, walk):
    for seed in range(5):
        record = dataclasses.replace(random_record(seed, rules), bids=(0, 3, 5, 0))
        seen = _seen(record, walk)
        p = model.predict_proba(seen)
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
        for row, observation in zip(p, seen, strict=True):
            legal = rules.cards.indices[list(cards_in(observation.legal_mask))]
            assert (row[legal] > 0).all()
            assert np.count_nonzero(row) == len(legal)


def test_hidden_hands_change_nothing(model, rules, random_record, walk):
    rng = np.random.default_rng(5)
    record = dataclasses.replace(random_record(12, rules), bids=(0, 3, 5, 2))
    for state in walk(record):
        others = [s for s in range(4) if s != state.table.turn]
        hidden = rng.permutation([c for s in others for c in cards_in(state.hands[s])]).tolist()
        shuffled = state.copy()
        for other in others:
            size = state.hands[other].bit_count()
            shuffled.hands[other] = sum(1 << c for c in hidden[:size])
            hidden = hidden[size:]
        seen = [observe(state), observe(shuffled)]
        assert (np.diff(model.predict_proba(seen), axis=0) == 0).all()


def test_kernel_equals_its_python_twin(model, random_record, walk):
    record = dataclasses.replace(random_record(9, Rules()), bids=(0, 3, 5, 0))
    compiled, plain = np.zeros(13), np.zeros(13)
    for observation in _seen(record, walk):
        decision = decision_of(observation)
        n = legal_probabilities(decision, model.weights_, compiled)
        assert legal_probabilities.py_func(decision, model.weights_, plain) == n
        np.testing.assert_allclose(compiled[:n], plain[:n], rtol=1e-14)


def test_hand_worked_nil_probabilities(random_record):
    """North, nil alive, follows the five of diamonds with A 6 2; all other weights 0."""
    state = random_record(0, Rules(), 0).start()
    state.table.bids, state.table.leader = [0, 3, 4, 3], 3
    state.table.record_play(STANDARD.parse_card("D5"))
    state.hands[0] = STANDARD.parse_cards(["DA", "D6", "D2"])
    weighted = LogLinearModel.from_weights({TAKING: -3.0, RANK: 2.0})
    (p,) = weighted.predict_proba([observe(state)])
    strengths = {"DA": -3.0, "D6": -3.0, "D2": 0.0}
    total = sum(np.exp(strength) for strength in strengths.values())
    for card, strength in strengths.items():
        index = STANDARD.indices[STANDARD.parse_card(card)]
        assert p[index] == pytest.approx(np.exp(strength) / total)


def test_names_of_the_three_are_not_among_the_42():
    assert not set(FEATURES) & set(nf.NIL_FEATURE_NAMES)
