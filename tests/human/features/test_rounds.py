import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spades.core.cards import cards_in
from spades.core.errors import InvalidRecordError
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features.abstract_moves import abstract_move_ids
from spades.human.features.card_features import legal_features
from spades.human.features.rounds import chosen_features, features_of_rounds
from spades.human.features.view import decision_of, round_decisions

OPTIONS = (
    {},
    {"failed_nil_tricks": "bags"},
    {"nil": None, "blind_nil": None, "spades_lead": "any"},
)


def _arrays(records):
    """Hands, plays, leaders and bids of records as ``features_of_rounds`` takes them."""
    plays = np.full((len(records), 52), -1, dtype=np.int8)
    for row, record in zip(plays, records, strict=True):
        row[: len(record.plays)] = record.plays
    leaders = [(record.dealer + 1) % 4 for record in records]
    return (
        np.array([record.hands for record in records], dtype=np.int64),
        plays,
        np.array(leaders, dtype=np.int8),
        np.array([record.bids for record in records], dtype=np.int8),
    )


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32 - 1), n_plays=st.integers(0, 52), option=st.sampled_from(OPTIONS))
def test_equals_the_decisions_one_by_one(rules, random_record, walk, seed, n_plays, option):
    rules = Rules(deck=rules.deck, **option)
    record = random_record(seed, rules, n_plays)
    (moves,), (features,) = features_of_rounds(rules, *_arrays([record]))
    n_moves, n_masks = np.empty(13, dtype=np.int8), np.empty(13, dtype=np.int64)
    for ply, state in enumerate(walk(record)):
        seen = observe(state)
        legal_features(decision_of(seen), n_moves, n_masks)
        nth = list(cards_in(seen.legal_mask)).index(record.plays[ply])
        assert moves[ply] == n_moves[nth] == abstract_move_ids(seen)[record.plays[ply]]
        assert features[ply] == n_masks[nth]
    assert (moves[n_plays:] == -1).all()
    assert (features[n_plays:] == 0).all()


def test_rounds_do_not_touch_each_other(rules, random_record):
    records = [random_record(seed, rules, n) for seed, n in enumerate((52, 17, 52, 0))]
    moves, features = features_of_rounds(rules, *_arrays(records))
    for i, record in enumerate(records):
        alone_moves, alone_features = features_of_rounds(rules, *_arrays([record]))
        assert (moves[i] == alone_moves[0]).all()
        assert (features[i] == alone_features[0]).all()


def test_no_rounds():
    empty = np.empty((0, 4)), np.empty((0, 52)), np.empty(0), np.empty((0, 4))
    moves, features = features_of_rounds(Rules(), *empty)
    assert moves.shape == features.shape == (0, 52)


def test_shapes_that_disagree_are_refused(random_record):
    hands, plays, leaders, bids = _arrays([random_record(0, Rules())])
    with pytest.raises(InvalidRecordError, match=r"should be \(1, 4\), \(1, 52\), \(1,\)"):
        features_of_rounds(Rules(), hands, plays[:, :51], leaders, bids)


def test_kernels_equal_their_python_twins(rules, random_record):
    hands, plays, leaders, bids = (array[0] for array in _arrays([random_record(7, rules)]))
    options = (1, 0, rules.cards.mask)
    compiled, plain = np.zeros((2, 52, 12), dtype=np.int64)
    held = np.empty((2, 4), dtype=np.int64)
    n = round_decisions(hands, plays, leaders, bids, options, held, compiled)
    assert n == 52
    assert round_decisions.py_func(hands, plays, leaders, bids, options, held, plain) == n
    assert (compiled == plain).all()
    moves, features = np.zeros((2, 52), dtype=np.int8), np.zeros((2, 52), dtype=np.int64)
    chosen_features(compiled, plays, n, moves[0], features[0])
    chosen_features.py_func(compiled, plays, n, moves[1], features[1])
    assert (moves[0] == moves[1]).all()
    assert (features[0] == features[1]).all()
