"""Moves and features of whole logs against the decisions one by one."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spades.core.logs import Log
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features.abstract_moves import abstract_move_ids
from spades.human.features.card_features import card_features, context_of
from spades.human.features.logs import _write_features, features_of_log
from spades.human.features.view import decision_of

OPTIONS = (
    {},
    {"failed_nil_tricks": "bags"},
    {"nil": None, "blind_nil": None, "spades_lead": "any"},
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32 - 1), n_plays=st.integers(0, 52), option=st.sampled_from(OPTIONS))
def test_equals_the_decisions_one_by_one(rules, random_record, walk, seed, n_plays, option):
    record = random_record(seed, Rules(deck=rules.deck, **option), n_plays)
    (moves,), (features,) = features_of_log(Log.from_records([record]))
    for ply, state in enumerate(walk(record)):
        seen = observe(state)
        card, decision = record.plays[ply].code, decision_of(seen)
        assert moves[ply] == abstract_move_ids(seen)[card]
        assert features[ply] == card_features(card, decision, context_of(decision))[1]
    assert (moves[n_plays:] == -1).all()
    assert (features[n_plays:] == 0).all()


def test_rounds_do_not_touch_each_other(rules, random_record):
    records = [random_record(seed, rules, n) for seed, n in enumerate((52, 17, 52, 0))]
    moves, features = features_of_log(Log.from_records(records))
    for i, record in enumerate(records):
        alone_moves, alone_features = features_of_log(Log.from_records([record]))
        assert (moves[i] == alone_moves[0]).all()
        assert (features[i] == alone_features[0]).all()


@pytest.mark.parametrize("n_rounds", [0, 1])
def test_kernel_equals_its_python_twin(random_record, monkeypatch, n_rounds):
    log = Log.from_records([random_record(7, Rules(), 30)] * n_rounds)
    moves, features = features_of_log(log)
    monkeypatch.setattr("spades.human.features.logs._write_features", _write_features.py_func)
    assert moves.shape == features.shape == (n_rounds, 52)
    for compiled, plain in zip((moves, features), features_of_log(log), strict=True):
        assert (compiled == plain).all()
