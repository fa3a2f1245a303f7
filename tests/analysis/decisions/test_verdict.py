"""Verdicts: what search and humans play, in Spades terms, with the arithmetic."""

import math
import re
from dataclasses import replace

import pytest

from analysis.decisions.decision import (
    AnalysisSettings,
    CardRow,
    Decision,
    analyse_decision,
    pretty,
)
from analysis.decisions.report import are_apart, difference, verdict, what_it_does
from spades.search import search
from tests.analysis.decisions.test_decision import MODEL, decisions_of, record_of
from tests.analysis.decisions.test_lenses import seen
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
    rows = tuple(type(found.cards[0])(row.code, row.visits, 0, 0, 0) for row in cards)
    result = replace(found, cards=rows, iterations=1000)
    assert result.best.card == best.code
    return Decision(0, 2, played, cards, result, observation)


def test_agreed():
    decision = decision_with([("SA", 0.7, 800, 10, 1), ("S2", 0.3, 200, 1, 1)], "SA")
    expected = "The search plays A♠ (80% of 1,000 visits), as humans most often do (70%)."
    assert verdict(decision, MODEL) == expected


def test_a_clear_difference_with_its_standard_error_and_n():
    decision = decision_with([("HK", 0.2, 800, 10, 1), ("HT", 0.8, 200, 1, 1)], "HT")
    assert verdict(decision, MODEL).endswith(
        "humans most often play 10♥ (80%), as South did: worth 9.0 points less (standard error "
        "1.4, n 800 and 200); K♥ leads hearts as 10♥ does, but higher: 1 unseen heart beats K♥, "
        "3 beat 10♥."
    )


def test_no_clear_difference_when_intervals_overlap():
    decision = decision_with([("HK", 0.2, 800, 10, 4), ("HT", 0.8, 200, 9, 4)], "HK")
    assert (
        "no clear difference (+1.0 points, standard error 5.7, n 800 and 200; 95% intervals "
        "overlap)" in verdict(decision, MODEL)
    )


@pytest.mark.parametrize(
    ("gap", "is_clear"),
    [(3.93, True), (3.91, False), (-3.93, True), (0.0, False)],  # 1.96 + 1.96 is 3.92
)
def test_the_border_is_where_the_intervals_touch(gap, is_clear):
    best, other = decision_with([("HK", 0.2, 800, gap, 1), ("HT", 0.8, 200, 0, 1)]).cards
    assert are_apart(best, other) == is_clear
    assert ("no clear difference" in difference(best, other)) != is_clear


def test_another_card_played_and_one_barely_visited():
    rows = [("HK", 0.9, 999, 10, 1), ("HT", 0.1, 1, -20, math.nan)]
    told = verdict(decision_with(rows, "HT"), MODEL)
    assert "South played 10♥: 10♥ had too few visits to value; K♥ leads hearts as" in told


def test_forced():
    assert pretty("JH") == "high joker"
    assert verdict(decision_with([("HK", 1, 1000, 1, 0)]), MODEL) == (
        "Forced: K♥ is the only legal card."
    )


NIL = seen("SA HK H3 C5", "H4 H9 H5", bids="0343")  # North's nil has the best card


def test_in_spades_terms_the_card_worth_less_is_told_of():
    rows = [("HK", 0.2, 800, 10, 1), ("H3", 0.8, 200, -90, 1)]
    told = verdict(decision_with(rows, "H3", NIL), MODEL)
    assert told == (
        "The search plays K♥ (80% of 1,000 visits); humans most often play 3♥ (80%), as South "
        "did: worth 100.0 points less (standard error 1.4, n 800 and 200); 3♥ leaves the trick to "
        "partner's nil, where K♥ would take it over."
    )


def test_a_card_worth_more_has_its_complaint_told_all_the_same():
    rows = [("HK", 0.8, 200, 10, 1), ("H3", 0.2, 800, 90, 1)]
    assert "3♥ leaves the trick to partner's nil" in verdict(decision_with(rows, None, NIL), MODEL)


def test_where_no_lens_finds_anything_each_card_s_deed_is_told():
    there = seen("SA HK H3 C5", "H4 H9 H5")
    rows = [("HK", 0.2, 800, 10, 1), ("H3", 0.8, 200, 1, 1)]
    assert verdict(decision_with(rows, None, seen("HQ HK H3", "H4")), MODEL).endswith(
        "K♥ goes ahead in the trick, 3♥ ducks."
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
    found = verdict(decision_with(rows, other, seen(hand, trick)), MODEL)
    assert found.endswith(f"worth 54.0 points less (standard error 1.4, n 800 and 200); {told}.")


def test_a_clear_difference_always_comes_with_spades_terms():
    """South's J♣ on the trick of its nil: nothing but the points was told of it."""
    decision = analyse_decision(shipped("south-nil"), 21, AnalysisSettings(iterations=1000))
    told = verdict(decision, MODEL)
    assert "points less" in told
    assert told.endswith("J♣ ducks as 3♣ does, but higher: 2 unseen clubs beat J♣, 9 beat 3♣.")


def test_verdicts_of_a_real_hand_are_a_sentence_or_two():
    decisions = decisions_of(shipped("bug-report-335"), AnalysisSettings(iterations=300))
    for decision in decisions:
        told = verdict(decision, MODEL)
        assert 1 <= len(re.findall(r"\.(?= |$)", told)) <= 2
        assert "{" not in told
        if not decision.is_forced:
            assert "300 visits" in told
