from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spades.core.logs import Log
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human.features.abstract_moves import abstract_move_ids
from spades.human.features.logs import (
    ABSENT,
    BAGS_FAR,
    BAGS_NEAR,
    BAGS_UNKNOWN,
    CONTRACT_MET,
    CONTRACT_OPEN,
    CONTRACT_UNKNOWN,
    FIELDS,
    LEVEL_POINTS,
    MOVE,
    NEAR_BAGS,
    NIL_NONE,
    NIL_OPPONENT,
    NIL_OWN,
    NIL_PARTNER,
    NIL_UNKNOWN,
    SCORE_AHEAD,
    SCORE_BEHIND,
    SCORE_LEVEL,
    SCORE_UNKNOWN,
    _write_contexts,
    contexts_of_log,
    features_of_log,
)

OPTIONS = (
    {},
    {"failed_nil_tricks": "bags", "bag_limit": 5},
    {"nil": None, "blind_nil": None, "spades_lead": "any"},
    {"bag_limit": 0},
)


def _slow_nil(table, seat):
    """Whose nil is alive, by the rules' words."""
    if table.rules.nil is None:
        return NIL_NONE
    alive = [bid == 0 and not taken for bid, taken in zip(table.bids, table.tricks_taken)]  # noqa: B905
    for other, state in ((0, NIL_OWN), (2, NIL_PARTNER), (1, NIL_OPPONENT), (3, NIL_OPPONENT)):
        if alive[(seat + other) % 4]:
            return state
    return NIL_UNKNOWN if -1 in table.bids else NIL_NONE


def _slow_contract_and_bags(table, seat, bags_before):
    pair = (seat, (seat + 2) % 4)
    bids, rules = [table.bids[one] for one in pair], table.rules
    limit = rules.bag_limit
    if -1 in bids:
        return CONTRACT_UNKNOWN, BAGS_UNKNOWN if limit else BAGS_FAR
    tricks = [table.tricks_taken[one] for one in pair]
    is_stray = [rules.nil and rules.failed_nil_tricks == "bags" and bid == 0 for bid in bids]
    stray = sum(t for t, out in zip(tricks, is_stray, strict=True) if out)
    counted = sum(tricks) - stray
    contract = CONTRACT_MET if counted >= sum(bids) else CONTRACT_OPEN
    if not limit:
        return contract, BAGS_FAR
    if bags_before is None:
        return contract, BAGS_UNKNOWN
    bags = bags_before[seat % 2] + stray + max(0, counted - sum(bids))
    more = 1
    while (bags + more) % limit:
        more += 1
    return contract, BAGS_NEAR if more <= NEAR_BAGS else BAGS_FAR


def _slow_score(record, seat):
    if record.score_before is None:
        return SCORE_UNKNOWN
    lead = record.score_before[seat % 2] - record.score_before[1 - seat % 2]
    return (
        SCORE_AHEAD
        if lead > LEVEL_POINTS
        else SCORE_BEHIND
        if lead < -LEVEL_POINTS
        else SCORE_LEVEL
    )


def _slow(record, state):
    """The context of a position, from the table alone."""
    table, seat, card = state.table, state.table.turn, record.plays[len(state.table.plays)]
    trick = table.trick
    contract, bags = _slow_contract_and_bags(table, seat, record.bags_before)
    partner_wins = len(trick) >= 2 and table.best_card == trick[len(trick) - 2]
    return {
        "move": abstract_move_ids(observe(state))[card.code],
        "seat": seat,
        "turn": len(trick),
        "trick": len(table.winners),
        "nil": _slow_nil(table, seat),
        "bags": bags,
        "contract": contract,
        "partner": int(partner_wins),
        "score": _slow_score(record, seat),
        "legal": state.legal_plays().bit_count(),
    }


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_plays=st.integers(0, 52),
    option=st.sampled_from(OPTIONS),
    scores=st.none() | st.tuples(st.integers(-200, 480), st.integers(-200, 480)),
    bags=st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_equals_a_slow_derivation(rules, random_record, walk, seed, n_plays, option, scores, bags):
    record = random_record(seed, Rules(deck=rules.deck, **option), n_plays)
    record = replace(record, score_before=scores, bags_before=bags)
    contexts = contexts_of_log(Log.from_records([record]))
    for ply, state in enumerate(walk(record)):
        for name, value in _slow(record, state).items():
            assert contexts.codes[FIELDS.index(name), 0, ply] == value, (name, ply, state.text())
    assert (contexts.codes[:, 0, n_plays:] == ABSENT).all()
    assert contexts.taken[0].tolist() == record.final().table.tricks_taken


def test_moves_are_those_of_the_features_and_rules_may_differ_by_round(random_record):
    kinds = [Rules(), Rules(nil=None, blind_nil=None), Rules(deck="joker-joker-ace")]
    records = [random_record(seed, kinds[seed % 3], 52 - seed) for seed in range(9)]
    log = Log.from_records(records)
    contexts = contexts_of_log(log)
    for i, record in enumerate(records):
        alone = Log.from_records([record])
        moves, _ = features_of_log(alone)
        assert (contexts.codes[MOVE, i] == moves[0]).all()
        assert (contexts.codes[:, i] == contexts_of_log(alone).codes[:, 0]).all()


def test_kernel_equals_its_python_twin(random_record, monkeypatch):
    log = Log.from_records([random_record(3, Rules(), 30)])
    compiled = contexts_of_log(log)
    monkeypatch.setattr("spades.human.features.logs._write_contexts", _write_contexts.py_func)
    plain = contexts_of_log(log)
    assert (compiled.codes == plain.codes).all()
    assert (compiled.taken == plain.taken).all()


def test_a_log_without_rounds_has_no_contexts():
    assert contexts_of_log(Log.from_records([])).codes.shape == (len(FIELDS), 0, 52)


def test_takes_slices_that_are_not_contiguous(random_record):
    log = Log.from_records([random_record(seed, Rules()) for seed in range(4)])
    some = log.take(slice(None, None, 2))
    assert (contexts_of_log(some).codes == contexts_of_log(log).codes[:, ::2]).all()
    assert contexts_of_log(log).codes.dtype == np.int8
