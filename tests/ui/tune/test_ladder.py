"""What the ladder says of a decision, and when it says that cards can't be told apart."""

import pandas as pd
import pytest

from analysis.decisions.candidates import CardStability
from analysis.decisions.conclusion import CLEAR, LEANS, TOSS_UP, Conclusion
from spades.search import Knowledge
from tests.analysis.decisions.made_up import class_value
from tests.pages.apps import open_page, texts
from tests.results import own_results  # noqa: F401 - a fixture of every test here
from ui.shared.records import find_hand
from ui.tune import ladder
from ui.tune.ladder import _turn, choice_text, choices_of, classes_of

CLASSES = {"SK": ["SK", "SQ"], "H9": ["H9"], "C2": ["C2"]}


def searches(*wins):
    rows = [
        CardStability(card, n, sum(wins), (0.0, 1.0), 0.5, 0.0, 1.0)
        for card, n in zip(CLASSES, wins, strict=False)
    ]
    return sorted(rows, key=lambda row: -row.wins)


@pytest.mark.parametrize(
    ("wins", "said"),
    [
        ((31, 29), "it is a toss-up: 31 of 60 searches play **K♠=Q♠**, 29 play **9♥**"),
        ((29, 31, 4), "it is a toss-up: 31 of 64 searches play **9♥**, 29 play **K♠=Q♠**"),
        ((55, 5), "the search plays **K♠=Q♠**, in 55 of 60 searches"),
        ((0, 60), "the search plays **9♥**, in 60 of 60 searches"),
        ((60,), "the search plays **K♠=Q♠**, all legal cards being worth the same"),
        ((), "there are too few searches to say what they play"),
    ],
)
def test_a_card_is_named_where_many_searches_tell_it_apart(wins, said):
    assert choice_text(searches(*wins), CLASSES) == said


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ([0, 3, 0, 3, 3], "from 3 on all 3 seeds play it"),
        ([3, 3, 3, 3, 3], "all 3 seeds play it at every strength, unbiased too"),
        ([0, 0, 0, 3, 2], "at the strongest bias here not all 3 seeds play it"),
    ],
)
def test_the_turn_is_where_every_seed_plays_the_card_from_then_on(chosen, said):
    strengths = range(len(chosen))
    table = pd.DataFrame({"strength": strengths, "card": "SK", "chosen": chosen, "seeds": 3})
    assert _turn(table, ["SK"], Knowledge()) == said


def test_choices_count_equal_cards_as_one():
    record = find_hand("four-bots")
    settings = ladder.AnalysisSettings(100)
    rows = choices_of("four-bots", 3, "", settings, record)
    assert {row.n for row in rows} == {ladder.SEARCHES}
    assert sum(row.wins for row in rows) == ladder.SEARCHES
    classes = classes_of(record, 3)
    assert {row.card for row in rows} == {cards[0] for cards in classes.values()}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (TOSS_UP, "Toss-up: K♠=Q♠ and 9♥ lie within a point ("),
        (LEANS, "Leans to K♠=Q♠, 0.4 points over 9♥"),
        (CLEAR, "Clear: K♠=Q♠, 0.4 points over 9♥"),
        (None, "Too few searches to tell the cards apart."),
    ],
)
def test_the_ladder_says_toss_up_where_replay_does(kind, said, monkeypatch):
    classes = (class_value(("SK", "SQ")), class_value(("H9",), 0.4, (0.1, 0.7)))
    found = kind and Conclusion(kind, classes, 1.0, 60)
    monkeypatch.setattr(ladder, "conclusion_of", lambda *args: found)
    at = open_page("4_Tune", {"view": "ladder", "iterations": "50"})
    assert said in texts(at)
    assert "Unbiased " in texts(at)
    assert "At **0.03** " in texts(at)
