"""Decisions: rows, divergence, verdicts, documents."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from analysis.decisions.decision import analyse_decision, decisions_table, jensen_shannon
from analysis.decisions.settings import AnalysisSettings
from spades.agents import parse_agent
from spades.belief import Dealing
from spades.core.cards import DECKS, cards_in
from spades.core.records import Record
from spades.core.rules import Rules
from spades.look.words import pretty
from spades.search import search
from tests.positions import random_round

MODEL = "devlin2016"


def record_of(seed=1, deck="standard", n_plays=52):
    rng = random.Random(seed)
    start = random_round(rng, 0, rules=Rules(deck=deck))
    hands = tuple(start.hands)
    for _ in range(n_plays):
        start.play(rng.choice(list(cards_in(start.legal_plays()))))
    table = start.table
    return Record(
        table.rules, table.dealer, hands, bids=tuple(table.bids), plays=tuple(table.plays)
    )


def decisions_of(record, settings):
    return [analyse_decision(record, ply, settings) for ply in range(len(record.plays))]


@pytest.mark.parametrize("deck", DECKS)
def test_every_decision_lists_exactly_the_legal_cards(deck):
    record = record_of(deck=deck)
    decisions = decisions_of(record, AnalysisSettings(iterations=60))
    assert len(decisions) == 52
    for decision in decisions:
        legal = record.at(decision.ply).legal_plays()
        assert {row.code for row in decision.cards} == set(cards_in(legal))
        assert sum(row.human[MODEL] for row in decision.cards) == pytest.approx(1)
        assert sum(row.visits for row in decision.cards) == 60
        assert decision.row(decision.played) is not None
        assert decision.is_forced == (legal.bit_count() == 1)


@pytest.mark.parametrize("determinization", ["biased", "posterior"])
def test_hidden_cards_are_drawn_as_the_settings_say(determinization):
    record = record_of()
    settings = AnalysisSettings(iterations=200, seed=9, dealing=Dealing.of(determinization))
    player = parse_agent(f"ismcts:iterations=200,determinization={determinization}").player
    decision = analyse_decision(record, 0, settings)
    wanted = {row.card.code: row.visits for row in player.search(record.observation(0), 9).cards}
    found = {row.code: row.visits for row in decision.cards}
    assert found == wanted
    usual = analyse_decision(record, 0, replace(settings, dealing=Dealing()))
    assert found != {row.code: row.visits for row in usual.cards}


def test_a_decision_is_the_search_of_its_observation():
    record = record_of()
    settings = AnalysisSettings(iterations=200, seed=9)
    decision = analyse_decision(record, 10, settings)
    found = search(record.observation(10), iterations=200, seed=9)
    assert {row.code: row.visits for row in decision.cards} == {
        row.card.code: row.visits for row in found.cards
    }
    assert decision.search_choice.card == found.best.card


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ([1, 0], [1, 0], 0.0),
        ([1, 0], [0, 1], 1.0),
        ([0.5, 0.5], [1, 0], 0.3112781),  # by hand: 1/2 KL(p||m) + 1/2 KL(q||m), m = (3/4, 1/4)
    ],
)
def test_divergence_in_bits(p, q, expected):
    p, q = np.array(p, float), np.array(q, float)
    assert jensen_shannon(p, q) == pytest.approx(expected, abs=1e-6)
    assert jensen_shannon(p, q) == pytest.approx(jensen_shannon(q, p))


def test_pretty_tells_the_jack_of_hearts_from_the_high_joker():
    assert [pretty(card) for card in ("HJ", "JH", "ST", "D2")] == ["J♥", "high joker", "10♠", "2♦"]


def test_document_is_strict_json_even_without_visits():
    decision = analyse_decision(record_of(), 0, AnalysisSettings(iterations=1))
    document = json.loads(json.dumps(decision.document(), allow_nan=False))
    assert {row["value"] for row in document["cards"] if not row["visits"]} == {None}


def test_table_has_a_row_for_every_card():
    decisions = decisions_of(record_of(), AnalysisSettings(iterations=20))
    table = decisions_table(decisions)
    assert len(table) == sum(len(decision.cards) for decision in decisions)
    assert table.groupby("ply")["is_played"].sum().eq(1).all()
    assert table.groupby("ply")["visits"].sum().eq(20).all()
