import dataclasses

import numpy as np
import pytest

from spades.core.cards import STANDARD, cards_in
from spades.core.errors import IllegalPlayError, SpadesError, UnknownModelError
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import HumanModel, load_model, model_names
from spades.human.features.card_features import FEATURES, legal_probabilities
from spades.human.features.view import decision_of
from spades.human.loglinear import DEVLIN_2016_WEIGHTS, LogLinearModel, devlin2016


def test_42_published_weights_in_the_order_of_the_features():
    assert tuple(DEVLIN_2016_WEIGHTS) == FEATURES
    assert devlin2016().weights_.tolist() == list(DEVLIN_2016_WEIGHTS.values())
    assert sum(DEVLIN_2016_WEIGHTS.values()) == pytest.approx(2.43)


@pytest.mark.parametrize(
    ("feature", "weight"),
    [
        ("Lead non-spade boss", 1.62),
        ("Trump steal boss", -0.03),
        ("Follow duck highest", -1.88),
        ("Trump steal lowest", 1.56),
        ("No follow other", -1.90),
        ("Follow steal single", 1.03),
        ("Steal lowest if last turn", 0.63),
        ("Steal unwanted tricks", -1.23),
        ("No follow lowest when needing tricks", 1.22),
        ("Follow duck highest for unwanted tricks", 2.21),
        ("Follow duck highest with a small value card", 1.19),
    ],
)
def test_weights_of_the_paper(feature, weight):
    assert devlin2016().weights_[FEATURES.index(feature)] == weight


def test_hand_worked_probabilities(random_record):
    """North follows the five of diamonds with A 6 2, bids unknown and no trick taken."""
    state = random_record(0, Rules(), 0).start()
    state.table.bids, state.table.leader = [-1] * 4, 3
    state.table.record_play(STANDARD.parse_card("D5"))
    state.hands[0] = STANDARD.parse_cards(["DA", "D6", "D2"])
    (p,) = devlin2016().predict_proba([observe(state)])
    strengths = {"DA": 1.12, "D6": 0.75, "D2": 0.04}
    total = sum(np.exp(strength) for strength in strengths.values())
    for card, strength in strengths.items():
        index = STANDARD.indices[STANDARD.parse_card(card)]
        assert p[index] == pytest.approx(np.exp(strength) / total)
    assert np.count_nonzero(p) == 3


def test_probabilities_of_random_rounds(rules, random_record, walk):
    for seed in range(10):
        seen = [observe(state) for state in walk(random_record(seed, rules))]
        p = devlin2016().predict_proba(seen)
        assert p.shape == (52, 52)
        assert p.dtype == np.float64
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
        for row, observation in zip(p, seen, strict=True):
            legal = rules.cards.indices[list(cards_in(observation.legal_mask))]
            assert (row[legal] > 0).all()
            assert np.count_nonzero(row) == len(legal)


def test_decks_may_differ_within_a_call(random_record):
    seen = [
        observe(random_record(4, Rules(deck=deck), 20).final())
        for deck in ("standard", "joker-joker-deuce-deuce")
    ]
    together = devlin2016().predict_proba(seen)
    for row, observation in zip(together, seen, strict=True):
        assert (devlin2016().predict_proba([observation])[0] == row).all()


def test_hidden_hands_change_nothing(rules, random_record, walk):
    rng = np.random.default_rng(0)
    for state in walk(random_record(11, rules)):
        seat = state.table.turn
        before = devlin2016().predict_proba([observe(state)])
        others = [s for s in range(4) if s != seat]
        hidden = rng.permutation([c for s in others for c in cards_in(state.hands[s])]).tolist()
        shuffled = state.copy()
        for other in others:
            size = state.hands[other].bit_count()
            shuffled.hands[other] = sum(1 << c for c in hidden[:size])
            hidden = hidden[size:]
        assert (devlin2016().predict_proba([observe(shuffled)]) == before).all()


def test_large_weights_do_not_overflow(random_record):
    model = LogLinearModel.from_weights(dict.fromkeys(FEATURES, 1e4) | {FEATURES[0]: -1e4})
    state = random_record(2, Rules(), 0).start()
    p = model.predict_proba([observe(state)])
    assert np.isfinite(p).all()
    assert p.sum() == pytest.approx(1.0)


def test_weights_left_out_are_zero(random_record):
    state = random_record(2, Rules(), 0).start()
    (p,) = LogLinearModel.from_weights({}).predict_proba([observe(state)])
    n_legal = state.legal_plays().bit_count()
    assert sorted(p)[-n_legal:] == pytest.approx([1 / n_legal] * n_legal)


def test_unknown_features_are_refused():
    with pytest.raises(SpadesError, match="'Lead boss' is no feature"):
        LogLinearModel.from_weights({"Lead boss": 1.0})


def test_no_observations():
    assert devlin2016().predict_proba([]).shape == (0, 52)


def test_out_of_turn_is_refused(random_record):
    state = random_record(2, Rules(), 5).final()
    with pytest.raises(IllegalPlayError, match="not this seat's turn"):
        devlin2016().predict_proba([observe(state, (state.table.turn + 1) % 4)])


def test_kernels_equal_their_python_twins(rules, random_record, walk):
    weights, compiled, plain = devlin2016().weights_, np.zeros(13), np.zeros(13)
    decisions = [decision_of(observe(state)) for state in walk(random_record(9, rules))]
    for decision in decisions:
        n = legal_probabilities(decision, weights, compiled)
        assert legal_probabilities.py_func(decision, weights, plain) == n
        np.testing.assert_allclose(compiled[:n], plain[:n], rtol=1e-14)


def test_devlin2016_by_name():
    assert "devlin2016" in model_names()
    model = load_model("devlin2016")
    assert isinstance(model, HumanModel)
    assert model.name == "devlin2016"


def test_unknown_names_are_refused_with_the_valid_ones():
    with pytest.raises(UnknownModelError, match=r"'devlin2017'; the models are .*devlin2016"):
        load_model("devlin2017")


def test_score_and_bags_of_the_game_change_nothing(random_record):
    seen = observe(random_record(2, Rules(), 5).final())
    other = dataclasses.replace(seen, score_before=(400, 10), bags_before=(9, 0))
    p, q = devlin2016().predict_proba([seen, other])
    assert (p == q).all()
