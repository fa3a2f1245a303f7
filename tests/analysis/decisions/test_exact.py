"""Decisions that are known exactly: the last tricks, where what a seat has seen leaves one deal."""

import pytest

from analysis.decisions.conclusion import CLEAR, THRESHOLD
from analysis.decisions.evidence import decide
from analysis.decisions.settings import AnalysisSettings
from spades.core.records import Record
from tests.search.test_search import determined_endings

N_DECISIONS = 30


def record_from(state):
    table = state.table
    hands = [held | played for held, played in zip(state.hands, table.played, strict=True)]
    known = {"bids": tuple(table.bids), "plays": tuple(table.plays)}
    return Record(table.rules, table.dealer, tuple(hands), **known)


@pytest.mark.slow
def test_what_is_known_exactly_is_called_rightly_and_clear(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    n_clear, n_unclear = 0, 0
    for state, values in determined_endings(3, N_DECISIONS):
        record, deck = record_from(state), state.table.rules.cards
        found = decide(record, len(record.plays), AnalysisSettings())
        worth = [max(values[deck.parse_card(card)] for card in one.cards) for one in found.classes]
        ranked = sorted(worth, reverse=True)
        assert worth[0] == ranked[0], state.text()
        if len(ranked) > 1 and ranked[0] - ranked[1] > THRESHOLD:
            n_clear += found.kind == CLEAR
            n_unclear += found.kind != CLEAR
    # A bag of 9 points is .02 of a search's reward: its opponents explore too much to find out.
    assert n_unclear <= 1
    assert n_clear > N_DECISIONS / 2
