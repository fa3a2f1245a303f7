"""Conclusions as positions: what is best, acceptable and wrong, and what can't be kept."""

from dataclasses import replace

import pytest

from analysis.decisions.conclusion import LEANS, Proof, View
from analysis.suites.kept import NotKeptError, kept_position
from analysis.suites.position import PLAY_OUTS, PROOF, Known
from tests.analysis.decisions.made_up import concluded_from, of_cards
from tests.analysis.suites.made_up import PLY, RECORD

SEEN = RECORD.observation(PLY)
# East may lead C A K, C 9 8, C 6 5 or C 2: classes by their highest card, CA first.


def test_cards_behind_are_wrong_and_cards_as_good_are_best():
    conclusion = of_cards(SEEN, {"CA": 10.0, "C2": 9.9})
    kept = kept_position(RECORD, PLY, conclusion, "mine")
    assert set(kept.best) == {"CA", "C2"}  # a toss-up of two
    assert kept.acceptable == ()
    assert kept.verdicts["CK"] == "best"
    assert {card for card, verdict in kept.verdicts.items() if verdict == "wrong"} == {
        "C5",
        "C6",
        "C8",
        "C9",
    }
    nearest = conclusion.class_of(kept.wrong[0])
    assert kept.known.by == PLAY_OUTS
    assert kept.known.n == 300
    assert kept.known.lead == pytest.approx(10.0, abs=0.01)
    assert kept.known.interval == pytest.approx(nearest.interval, abs=0.01)
    assert kept.themes == ("setting a nil", "middle")  # South bid nil and is East's opponent


def test_what_is_not_settled_is_acceptable():
    conclusion = concluded_from(SEEN, [10.0, 7.0], error=2.5)
    assert conclusion.kind == LEANS
    kept = kept_position(RECORD, PLY, conclusion, "mine")
    first, second = (row.cards[0] for row in conclusion.classes[:2])
    assert kept.best == (first,)
    assert kept.acceptable == (second,)
    assert len(kept.wrong) == len(conclusion.classes) - 2


def test_a_card_that_another_judge_puts_first_is_not_wrong():
    conclusion = of_cards(SEEN, {"CA": 10.0})
    other = conclusion.classes[-1].cards
    views = (View("solved deals", other),)
    kept = kept_position(RECORD, PLY, replace(conclusion, views=views), "mine")
    assert other[0] in kept.acceptable


def test_a_proof_is_named_as_one():
    conclusion = replace(of_cards(SEEN, {"CA": 10.0}, error=0.0), proof=Proof(6, 6))
    kept = kept_position(RECORD, PLY, conclusion, "mine")
    assert kept.known == Known(PROOF, 6, 10.0, (10.0, 10.0))


def test_where_nothing_is_worse_nothing_is_kept():
    means = [0.0] * 8
    with pytest.raises(NotKeptError, match="no card is clearly worse"):
        kept_position(RECORD, PLY, concluded_from(SEEN, means), "mine")
    with pytest.raises(NotKeptError, match="played no round on"):
        kept_position(RECORD, PLY, replace(of_cards(SEEN, {"CA": 9.0}), rounds=0), "mine")
