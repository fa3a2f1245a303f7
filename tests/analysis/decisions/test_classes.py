"""Touching cards as one row: what adds up, what is chosen, and what a conclusion changes."""

import pytest

from analysis.decisions.classes import by_class, chosen_cards, needs_text
from analysis.decisions.conclusion import TOSS_UP, judge
from analysis.decisions.decision import AnalysisSettings, analyse_decision
from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from tests.pages.texts import shipped

SETTINGS = AnalysisSettings(iterations=300)
PLY, MODEL = 24, "devlin2016"


@pytest.fixture(scope="module")
def decision():
    return analyse_decision(shipped("bug-report-335"), PLY, SETTINGS)


def test_a_class_adds_up_what_its_cards_have(decision):
    seen, shown = decision.observation, by_class(decision)
    deck = seen.rules.cards
    names = [tuple(map(deck.format_card, cards)) for cards in equivalent_cards(seen)]
    assert [(row.card, *row.equals) for row in shown.cards] == names
    assert ("ST", "S9") in names
    for row in shown.cards:
        own = [decision.row(card) for card in (row.card, *row.equals)]
        assert row.visits == sum(one.visits for one in own)
        assert row.human[MODEL] == pytest.approx(sum(one.human[MODEL] for one in own))
        total = sum(one.visits * one.value for one in own)
        assert row.value * row.visits == pytest.approx(total)
    assert sum(row.share for row in shown.cards) == pytest.approx(1)
    assert shown.divergence <= decision.divergence + 1e-12  # coarser
    assert decision.search_choice.card in (shown.choice, *shown.search_choice.equals)
    assert shown.search_choice.label == "=".join(
        f"{'10' if c[1] == 'T' else c[1]}{'♠♥♦♣'['SHDC'.index(c[0])]}"
        for c in (shown.search_choice.card, *shown.search_choice.equals)
    )


def made_up(seen, worth):
    """100 searches in which a card of a class has so many points, the rest 0."""
    codes = list(cards_in(seen.legal_mask))
    values = [worth.get(seen.rules.cards.format_card(code), 0.0) for code in codes]
    items = [[codes[0], [10] * len(codes), [v + i % 2 for v in values]] for i in range(100)]
    return judge(items, seen)


def test_a_conclusion_says_points_shares_and_choice(decision):
    found = made_up(decision.observation, {"H4": 9.0})
    shown = by_class(decision, found)
    assert (shown.choice, chosen_cards(shown, found)) == ("H4", ["H4"])
    best = shown.search_choice
    assert best.value == pytest.approx(9.5)
    assert best.value_se == pytest.approx(0.05, abs=0.001)
    assert best.share == pytest.approx(1 / 7)
    assert best.visits == decision.row("H4").visits
    touching = next(row for row in shown.cards if row.equals)
    assert touching.share == pytest.approx(2 / 7)


def test_all_of_a_toss_up_are_chosen(decision):
    found = made_up(decision.observation, {"H4": 9.0, "C8": 9.0})
    assert found.kind == TOSS_UP
    assert set(chosen_cards(by_class(decision, found), found)) == {"H4", "C8"}


def test_needs_of_both_sides():
    record = shipped("bug-report-335")
    assert needs_text(record.observation(PLY)) == (
        "North/South need 5 of the last 7 · East/West need 2 of the last 7"
    )
    assert needs_text(record.observation(48)) == (
        "East/West have made theirs · North/South are set (2 needed, 1 left)"
    )
