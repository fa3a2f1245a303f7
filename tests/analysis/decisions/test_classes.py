"""Touching cards as one row: what adds up, what is chosen, and what a conclusion changes."""

import math
from collections import Counter

import pytest

from analysis.decisions.classes import by_class, needs_text, star_text, with_findings
from analysis.decisions.conclusion import TOSS_UP
from analysis.decisions.decision import Repeats, analyse_decision
from analysis.decisions.evidence import RepeatedSearch
from analysis.decisions.settings import AnalysisSettings, new_search
from spades.core.equivalence import equivalent_cards
from spades.core.steps import last_value
from tests.analysis.decisions.made_up import of_cards
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
    assert [row.cards for row in shown.cards] == names
    assert ("ST", "S9") in names
    for row in shown.cards:
        own = [decision.row(card) for card in row.cards]
        assert row.visits == sum(one.visits for one in own)
        assert row.human[MODEL] == pytest.approx(sum(one.human[MODEL] for one in own))
        assert math.isnan(row.judged_value)
        if len(own) == 1:
            assert (row.value, row.value_se) == (own[0].value, own[0].value_se)
        elif row.visits:
            points = sum(one.visits * one.value for one in own if one.visits)
            assert row.value == pytest.approx(points / row.visits)
    assert sum(row.share for row in shown.cards) == pytest.approx(1)
    assert shown.divergence <= decision.divergence + 1e-12  # coarser
    assert decision.search.best.card in shown.search_choice.cards
    assert shown.search_choice.label == " = ".join(
        f"{'10' if c[1] == 'T' else c[1]}{'♠♥♦♣'['SHDC'.index(c[0])]}"
        for c in shown.search_choice.cards
    )


@pytest.mark.parametrize("hand", ["bug-report-335", "four-bots", "south-nil", "north-nil"])
def test_the_star_is_on_what_most_searches_play_at_every_ply(hand, tmp_path, monkeypatch):
    """At ply 29 of South's nil the five clubs have two thirds of the visits, and every search plays
    the ace of spades."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    record = shipped(hand)
    n_apart = 0
    for ply in range(52):
        again = RepeatedSearch(record, ply, SETTINGS, n=5)
        last_value(again.steps())
        shown = by_class(with_findings(analyse_decision(record, ply, SETTINGS), None, again.found))
        played: Counter[str] = Counter()
        for offset in range(5):
            search = new_search(record.observation(ply), SETTINGS, offset=offset)
            search.run(SETTINGS.iterations)
            best = search.result().best.card
            played[next(row.card for row in shown.cards if best in row.cards)] += 1
        choice = shown.search_choice
        assert choice.wins == played[choice.card] == max(played.values()), ply
        is_longest = choice.share == max(row.share for row in shown.cards)
        assert bool(star_text(shown)) != is_longest
        n_apart += not is_longest
    assert n_apart


def test_a_conclusion_says_points_and_the_search_shares_and_choice(decision):
    found = of_cards(decision.observation, {"H4": 9.0})
    shown = by_class(with_findings(decision, found))
    alone = by_class(decision)
    assert shown.conclusion is found
    assert [row.card for row in shown.cards if row.is_judged_best] == ["H4"]
    row = shown.row("H4")
    assert row.judged_value == pytest.approx(9.0)
    assert row.judged_value_se == pytest.approx(0.1)
    assert shown.search_choice.card == alone.search_choice.card
    for mine, other in zip(shown.cards, alone.cards, strict=True):
        assert (mine.share, mine.visits, mine.value) == (other.share, other.visits, other.value)


def test_repeats_say_shares_visits_and_choice_of_one_and_the_same_searches(decision):
    shares = {row.card: 0.06 for row in decision.cards} | {"S9": 0.5, "H4": 0.2}
    found = Repeats(10, shares, dict.fromkeys(shares, 0) | {"H4": 6, "S9": 4})
    shown = by_class(with_findings(decision, None, found))
    assert shown.search_choice.card == "H4"
    assert star_text(shown) == (
        "★ 6 of 10 searches play 4♥, though 10♠ = 9♠ has more visits in sum: a search counts equal "
        "cards apart."
    )
    found = Repeats(10, shares, dict.fromkeys(shares, 0) | {"H4": 4, "S9": 3, "ST": 3})
    shown = by_class(with_findings(decision, None, found))
    assert shown.search_choice.card == "ST"
    assert not star_text(shown)
    assert shown.n_searches == 10
    for row in shown.cards:
        assert row.share == pytest.approx(sum(shares[card] for card in row.cards))
        assert row.visits == pytest.approx(row.share * SETTINGS.iterations, abs=1)
    assert sum(row.visits for row in shown.cards) == SETTINGS.iterations


def test_all_of_a_toss_up_are_best(decision):
    found = of_cards(decision.observation, {"H4": 9.0, "C8": 9.0})
    assert found.kind == TOSS_UP
    best = [row.card for row in with_findings(decision, found).cards if row.is_judged_best]
    assert set(best) == {"H4", "C8"}
    assert not any(row.is_judged_best for row in with_findings(decision).cards)


def test_needs_of_both_sides():
    record = shipped("bug-report-335")
    assert needs_text(record.observation(PLY)) == (
        "North/South need 5 of the last 7 · East/West need 2 of the last 7"
    )
    assert needs_text(record.observation(48)) == (
        "East/West have made theirs · North/South are set (2 needed, 1 left)"
    )
