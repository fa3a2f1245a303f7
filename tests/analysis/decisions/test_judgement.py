"""Judgements: what the card played costs, in Spades terms, with the arithmetic."""

import re
from dataclasses import replace

import pytest

from analysis.decisions.conclusion import (
    AS_GOOD,
    BEHIND,
    BEST,
    CLEAR,
    DIFFER,
    FINE,
    LEANS,
    MISTAKE,
    OPEN,
    SLIP,
    TOSS_UP,
    ClassValue,
    Conclusion,
)
from analysis.decisions.decision import CardRow, PlayDecision
from analysis.decisions.evidence import decide
from analysis.decisions.judgement import NOT_JUDGED, judgement_of, verdict, what_it_does
from analysis.decisions.settings import AnalysisSettings
from spades.look.words import pretty
from spades.search import search
from spades.search.outcomes import Outcomes
from tests.analysis.decisions.made_up import class_value
from tests.analysis.decisions.test_decision import MODEL, decisions_of, record_of
from tests.analysis.decisions.test_lenses import seen
from tests.analysis.disagreements.quick import review_quickly
from tests.pages.texts import shipped

LEAD = seen("SA S2 HK HT")


def decision_with(rows, played=None, observation=LEAD):
    """A decision of made-up rows: card, human probability, visits, value, standard error."""
    deck = record_of().rules.cards
    cards = tuple(
        CardRow(
            code=deck.parse_card(card),
            card=card,
            human={MODEL: p},
            visits=visits,
            share=visits / 1000,
            availability=1000,
            value=value,
            value_se=se,
            abstract_move="",
        )
        for card, p, visits, value, se in rows
    )
    found = search(record_of().observation(0), iterations=1)
    best = max(cards, key=lambda row: row.visits)
    rows = tuple(type(found.cards[0])(deck.card(row.code), row.visits, 0, 0, 0) for row in cards)
    result = replace(found, cards=rows, iterations=1000)
    assert result.best.card == best.card
    cards = tuple(replace(row, is_search_choice=row is best) for row in cards)
    return PlayDecision(0, 2, played, cards, result, observation)


def judged(decision, best):
    """The decision between two as the judge concludes: clearly best is one by 9 points."""
    (other,) = (row.card for row in decision.cards if row.card != best)
    conclusion = Conclusion(
        CLEAR,
        (class_value((best,), value=10.0), class_value((other,), 9.0, (8.0, 10.0), value=1.0)),
        1.0,
        60,
    )
    return replace(decision, conclusion=conclusion)


def test_agreed():
    decision = decision_with([("SA", 0.7, 800, 10, 1), ("S2", 0.3, 200, 1, 1)], "SA")
    assert verdict(judged(decision, "SA")) == (
        "South's A♠ is best. A♠ leads spades as 2♠ does, but spends the boss: no unseen spade "
        "beats A♠, 11 beat 2♠. Clear: A♠, 9.0 points over 2♠ (95%: 8.0 to 10.0; 60 rounds played "
        "on)."
    )


def test_the_sentence_is_the_judges_whatever_the_search_plays():
    rows = [("HK", 0.2, 800, 10, 1), ("HT", 0.8, 200, 1, 1)]
    decision = decision_with(rows, "HT")
    assert decision.search_choice.card == "HK"
    for best, other in (("HK", "HT"), ("HT", "HK")):
        told = verdict(judged(decision, best))
        says = "is best" if best == "HT" else "costs 9 points"
        assert told.startswith(f"South's 10♥ {says}. ")
        assert f"Clear: {pretty(best)}, 9.0 points over {pretty(other)}" in told
        assert "search" not in told
    assert verdict(decision) == f"South's 10♥ is not judged. {NOT_JUDGED}"


def test_a_clear_difference_with_its_interval_and_in_words():
    decision = decision_with([("HK", 0.2, 800, 10, 1), ("HT", 0.8, 200, 1, 1)], "HT")
    assert verdict(judged(decision, "HK")).startswith(
        "South's 10♥ costs 9 points. K♥ leads hearts as 10♥ does, but higher: 1 unseen heart beats "
        "K♥, 3 beat 10♥. "
    )


def test_forced():
    assert pretty("JH") == "high joker"
    assert verdict(decision_with([("HK", 1, 1000, 1, 0)], "HK")) == (
        "South's K♥ is forced. No other card is legal."
    )


NIL = seen("SA HK H3 C5", "H4 H9 H5", bids="0343")  # North's nil has the best card


def test_in_spades_terms_the_card_worth_less_is_told_of():
    decision = decision_with([("HK", 0.2, 800, 10, 1), ("H3", 0.8, 200, -90, 1)], "H3", NIL)
    assert verdict(judged(decision, "HK")).startswith(
        "South's 3♥ costs 9 points. 3♥ leaves the trick to partner's nil, where K♥ would take it "
        "over. "
    )


def test_where_no_lens_finds_anything_each_card_s_deed_is_told():
    there = seen("SA HK H3 C5", "H4 H9 H5")
    rows = [("HK", 0.2, 800, 10, 1), ("H3", 0.8, 200, 1, 1)]
    decision = decision_with(rows, None, seen("HQ HK H3", "H4"))
    assert verdict(judged(decision, "HK")).startswith(
        "K♥ is best. K♥ goes ahead in the trick, 3♥ ducks. "
    )
    deck = there.rules.cards
    deeds = {
        ("S2 HA", "C4 C9 C5", "S2"): "trumps",
        ("S2 HA", "C4 C9 C5", "HA"): "discards",
        ("S2 HA", "", "HA"): "leads hearts",
        ("HA H3", "H4 H9 H5", "HA"): "takes the trick",
        ("S2 S4", "S3 SK S5", "S4"): "ducks",
    }
    for (hand, trick, card), deed in deeds.items():
        assert what_it_does(seen(hand, trick), deck.parse_card(card)) == deed


@pytest.mark.parametrize(
    ("hand", "trick", "best", "other", "told"),
    [
        (
            "SA HJ H4 C5",
            "",
            "HJ",
            "H4",
            "J♥ leads hearts as 4♥ does, but higher: 3 unseen hearts beat J♥, 9 beat 4♥",
        ),
        (
            "HJ H4 C5",
            "HQ",
            "H4",
            "HJ",
            "4♥ ducks as J♥ does, but lower: 2 unseen hearts beat J♥, 8 beat 4♥",
        ),
        (
            "HA HQ",
            "",
            "HA",
            "HQ",
            "A♥ leads hearts as Q♥ does, but spends the boss: no unseen heart beats A♥, 1 beats Q♥",
        ),
        (
            "HA H3",
            "",
            "H3",
            "HA",
            "3♥ leads hearts as A♥ does, but keeps the boss: no unseen heart beats A♥, 10 beat 3♥",
        ),
        (
            "HQ HJ",
            "H4",
            "HQ",
            "HJ",
            "Q♥ goes ahead in the trick as J♥ does, and no unseen heart lies between the two",
        ),
        (
            "HA DA D3",
            "C4 C9 C5",
            "HA",
            "DA",
            "A♥ discards the boss of hearts (the last in hand), A♦ the boss of diamonds",
        ),
        (
            "HK D4 D3",
            "C4 C9 C5",
            "D4",
            "HK",
            "K♥ is wasted on a trick that it can't win, where 4♦ would keep it",  # a lens
        ),
        (
            "HJ D4 D3",
            "C4 C9 C5",
            "D4",
            "HJ",
            "4♦ discards a diamond that 10 unseen ones beat, J♥ a heart that 3 unseen ones beat "
            "(the last in hand)",
        ),
    ],
)
def test_two_cards_that_do_the_same_are_told_apart(hand, trick, best, other, told):
    rows = [(best, 0.2, 800, 60, 1), (other, 0.8, 200, 6, 1)]
    decision = decision_with(rows, other, seen(hand, trick))
    assert f" costs 9 points. {told}. Clear: " in verdict(judged(decision, best))


def test_verdicts_of_a_real_hand_are_a_sentence_or_two(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    review_quickly(monkeypatch)
    record, settings = shipped("bug-report-335"), AnalysisSettings(iterations=50)
    for decision in decisions_of(record, settings):
        found = decide(record, decision.ply, settings, budget=0.3)
        told = verdict(replace(decision, conclusion=found))
        assert 2 <= len(re.findall(r"\.(?= |$)", told)) <= 3
        assert "{" not in told
        if found is not None and len(found.classes) > 1 and found.proof is None:
            assert "rounds played on)" in told


@pytest.mark.parametrize(
    ("kind", "gap", "standing", "says", "grade"),
    [
        (CLEAR, 9.0, BEHIND, "costs 9 points", MISTAKE),
        (CLEAR, 1.0, BEHIND, "costs 1 point", FINE),
        (TOSS_UP, 0.6, AS_GOOD, "is as good as any", BEST),
        (LEANS, 3.25, OPEN, "may cost 3.2 points", SLIP),
        (DIFFER, 2.0, OPEN, "divides the judges", ""),
    ],
)
def test_what_is_said_of_the_card_and_of_the_best(kind, gap, standing, says, grade):
    classes = (ClassValue(("SA",)), ClassValue(("S2",), standing, gap, (0.0, 10.0)))
    found = Conclusion(kind, classes, 1.0, 60)
    rows = [("SA", 0.7, 800, 10, 1), ("S2", 0.3, 200, 1, 1)]
    worse = judgement_of(replace(decision_with(rows, "S2"), conclusion=found))
    assert (worse.says, worse.grade) == (says, grade)
    better = judgement_of(replace(decision_with(rows, "SA"), conclusion=found))
    best_says = {
        CLEAR: "is best",
        TOSS_UP: "is as good as any",
        LEANS: "looks best",
        DIFFER: "divides the judges",
    }
    assert (better.says, better.grade) == (best_says[kind], "" if kind == DIFFER else BEST)


def test_what_the_rounds_lead_to_is_the_reason_where_it_speaks_for_the_best():
    there = seen("SA S2 HK HT", bids="3333")
    rows = [("SA", 0.7, 800, 10, 1), ("S2", 0.3, 200, 1, 1)]
    decision = decision_with(rows, "S2", there)
    good = Outcomes(own_contract=0.8, their_set=0.2, own_bags=0.5, their_bags=0.5, nils={})
    poor = replace(good, own_contract=0.6)
    for first, second, is_reason in ((good, poor, True), (poor, good, False)):
        best = ClassValue(("SA",), outcomes=first)
        other = ClassValue(("S2",), BEHIND, 9.0, (8.0, 10.0), outcomes=second)
        found = Conclusion(CLEAR, (best, other), 1.0, 60)
        reason = judgement_of(replace(decision, conclusion=found)).reason
        told = "A♠ makes the contract in 80% (2♠ 60%) by the rounds played on."
        assert (reason == told) == is_reason
        assert reason
