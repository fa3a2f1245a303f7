"""Decisions of a log that are searched again."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

from analysis.sweeps import resampled
from analysis.sweeps.resampled import (
    N_SEARCHES,
    CardPlayed,
    Sampled,
    compare,
    sample_decisions,
    search_decisions,
    time_searches,
    told_card,
)
from spades.core.records import BOT, KINDS
from spades.human import load_model
from spades.notation.log_store import open_log
from tests.analysis.small_sweeps import tiny_log

SOUTH = 2


@pytest.fixture(scope="module")
def decisions():
    return sample_decisions(open_log("human-south"))


def test_decisions_are_of_humans_one_a_round_and_always_the_same(decisions):
    log = open_log("human-south")
    assert len(decisions) == resampled.N_DECISIONS
    assert len({decision.row for decision in decisions}) == len(decisions)
    for decision in decisions:
        record = log.record(decision.row)
        assert decision.seen.table.turn == SOUTH
        assert record.plays[decision.ply].code == decision.played
        assert len(set(decision.class_of.values())) > 1
        assert decision.played in decision.class_of
        assert "South" in decision.title
    again = sample_decisions(log)
    assert [(one.row, one.ply) for one in again] == [(one.row, one.ply) for one in decisions]


def test_a_log_of_bots_alone_has_decisions_too():
    log = tiny_log(4)
    bots = dataclasses.replace(log, kind=np.full_like(log.kind, KINDS.index(BOT)))
    seats = {decision.seen.table.turn for decision in sample_decisions(bots, 4)}
    assert seats - {SOUTH}


def test_six_searches_must_agree_to_tell_a_card():
    assert told_card(Counter({7: 6})) == 7
    assert told_card(Counter({7: 5, 3: 1})) is None
    assert told_card(Counter({7: 3, 3: 3})) is None
    assert N_SEARCHES == 6


def test_direct_imitation_holds_the_cards_as_its_model_does(decisions):
    few = decisions[:4]
    answers = search_decisions(few, "direct:model=devlin2016")
    model = load_model("devlin2016")
    for decision, answer in zip(few, answers, strict=True):
        by_card = model.probabilities(decision.seen)
        likeliest = max(by_card, key=by_card.__getitem__)
        equal = decision.equal_cards(decision.class_of[decision.played])
        assert answer.human == pytest.approx(sum(by_card[card] for card in equal))
        assert answer.card is not None
        assert likeliest in decision.equal_cards(answer.card)


def test_a_strong_bias_makes_the_human_card_likelier_and_what_changes_comes_first(decisions):
    few = decisions[:8]
    before = search_decisions(few, "ismcts:iterations=300")
    biased = "ismcts:iterations=300,bias=knowledge,model=devlin2016-nil,c_bt=1"
    changes = compare(few, before, search_decisions(few, biased))
    assert sum(change.gain for change in changes) > 0.5
    changed = [change.is_changed for change in changes]
    assert changed == sorted(changed, reverse=True)
    assert any(changed)
    same = compare(few, before, before)
    assert not any(change.is_changed for change in same)


def test_cards_that_are_worth_the_same_are_no_change():
    decision = Sampled(0, 0, "", None, 5, {5: 6, 6: 6, 9: 9})
    (change,) = compare([decision], [CardPlayed(6, 0.5)], [CardPlayed(6, 0.9)])
    assert not change.is_changed
    (change,) = compare([decision], [CardPlayed(6, 0.5)], [CardPlayed(None, 0.5)])
    assert change.is_changed


def test_times_are_of_the_same_decisions(decisions):
    times = time_searches(decisions[:3], "ismcts:iterations=100", "ismcts:iterations=2000")
    assert times.unbiased_ms > 0
    assert times.ratio > 1.5
