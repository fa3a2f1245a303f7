"""Verdicts: what search and humans play, in Spades terms, with the arithmetic."""

import re
from dataclasses import replace

import pytest

from analysis.decisions.conclusion import CLEAR, Conclusion
from analysis.decisions.decision import CardRow, PlayDecision, pretty
from analysis.decisions.evidence import decide
from analysis.decisions.report import NOT_JUDGED, verdict, what_it_does
from analysis.decisions.settings import AnalysisSettings
from spades.search import search
from tests.analysis.decisions.made_up import class_value
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
    assert verdict(judged(decision, "SA"), MODEL) == (
        "Clear: A♠, 9.0 points over 2♠ (95%: 8.0 to 10.0; 60 rounds played on). "
        "Humans most often play A♠ (70%), as South did: the best."
    )


def test_the_sentence_is_the_judges_whatever_the_search_plays():
    rows = [("HK", 0.2, 800, 10, 1), ("HT", 0.8, 200, 1, 1)]
    decision = decision_with(rows, "HT")
    assert decision.search_choice.card == "HK"
    for best, other in (("HK", "HT"), ("HT", "HK")):
        told = verdict(judged(decision, best), MODEL)
        assert told.startswith(f"Clear: {pretty(best)}, 9.0 points over {pretty(other)}")
        assert "search plays" not in told
    assert verdict(decision, MODEL) == NOT_JUDGED


def test_a_clear_difference_with_its_interval_and_in_words():
    decision = decision_with([("HK", 0.2, 800, 10, 1), ("HT", 0.8, 200, 1, 1)], "HT")
    assert verdict(judged(decision, "HK"), MODEL).endswith(
        "Humans most often play 10♥ (80%), as South did: 9.0 points less (95%: 8.0 to 10.0); "
        "K♥ leads hearts as 10♥ does, but higher: 1 unseen heart beats K♥, 3 beat 10♥."
    )


def test_forced():
    assert pretty("JH") == "high joker"
    assert verdict(decision_with([("HK", 1, 1000, 1, 0)]), MODEL) == (
        "Forced: K♥ is the only legal card."
    )


NIL = seen("SA HK H3 C5", "H4 H9 H5", bids="0343")  # North's nil has the best card


def test_in_spades_terms_the_card_worth_less_is_told_of():
    decision = decision_with([("HK", 0.2, 800, 10, 1), ("H3", 0.8, 200, -90, 1)], "H3", NIL)
    assert verdict(judged(decision, "HK"), MODEL).endswith(
        "as South did: 9.0 points less (95%: 8.0 to 10.0); 3♥ leaves the trick to partner's nil, "
        "where K♥ would take it over."
    )


def test_where_no_lens_finds_anything_each_card_s_deed_is_told():
    there = seen("SA HK H3 C5", "H4 H9 H5")
    rows = [("HK", 0.2, 800, 10, 1), ("H3", 0.8, 200, 1, 1)]
    decision = decision_with(rows, None, seen("HQ HK H3", "H4"))
    assert verdict(judged(decision, "HK"), MODEL).endswith("K♥ goes ahead in the trick, 3♥ ducks.")
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
    found = verdict(judged(decision, best), MODEL)
    assert re.search(rf"9.0 points less \(95%: 8.0 to 10.0\)[;:] {re.escape(told)}\.$", found)


def test_verdicts_of_a_real_hand_are_a_sentence_or_two(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    record, settings = shipped("bug-report-335"), AnalysisSettings(iterations=50)
    for decision in decisions_of(record, settings):
        found = decide(record, decision.ply, settings, budget=0.3)
        told = verdict(replace(decision, conclusion=found), MODEL)
        assert 1 <= len(re.findall(r"\.(?= |$)", told)) <= 3
        assert "{" not in told
        if found is not None and len(found.classes) > 1 and found.proof is None:
            assert "rounds played on)" in told
