"""What the ladder says of a decision: no card where the searches are a toss-up."""

import pytest
from scipy.stats import binomtest

from analysis.decisions import ladder as ladders
from analysis.decisions.conclusion import CLEAR, LEANS, TOSS_UP, Conclusion
from analysis.decisions.ladder import LadderSettings, RungPlay
from spades.human import load_model
from spades.search import TECHNIQUES, Knowledge, Pikl
from tests.analysis.decisions.made_up import class_value
from tests.pages.apps import open_page, texts
from tests.results import own_results  # noqa: F401 - a fixture of every test here
from ui.shared.records import shipped_hands
from ui.tune import ladder, state
from ui.tune.ladder import choices_text, featured_of, turn_text

SURE = RungPlay("K♠ = Q♠", 20, "9♥", 0, 20)
OTHER = RungPlay("9♥", 20, "K♠ = Q♠", 0, 20)
EVEN = RungPlay("K♠ = Q♠", 11, "9♥", 9, 20)


@pytest.mark.parametrize(
    ("played", "said"),
    [
        ([OTHER, SURE, EVEN, SURE, SURE], "from 3 on the search plays it"),
        ([SURE] * 5, "the search plays it at every strength, unbiased too"),
        (
            [OTHER, OTHER, OTHER, SURE, OTHER],
            "at the strongest bias here the search plays **9♥**, in 20 of 20 searches",
        ),
        (
            [OTHER, OTHER, OTHER, SURE, EVEN],
            "at the strongest bias here it is a toss-up: 11 of 20 searches play **K♠ = Q♠**, 9 "
            "play **9♥**",
        ),
    ],
)
def test_the_turn_is_where_the_search_plays_the_class_from_then_on(played, said):
    choices = dict(enumerate(played))
    assert turn_text(choices, "K♠ = Q♠", Knowledge()) == said


def test_the_search_is_told_unbiased_and_at_the_strength_chosen():
    choices = {0.0: EVEN, 0.5: SURE}
    assert choices_text(choices, Knowledge(c_bt=0.5)) == (
        "Unbiased it is a toss-up: 11 of 20 searches play **K♠ = Q♠**, 9 play **9♥**. "
        "At **0.5** the search plays **K♠ = Q♠**, in 20 of 20 searches."
    )
    assert choices_text(choices, Knowledge(c_bt=0)).count("it is a toss-up") == 1
    assert choices_text(choices, Pikl("devlin2016", lambda_=0.5)).endswith(SURE.text + ".")


def ladders_of_shipped_hands():
    """Ladders of decisions of every shipped hand, by every technique; few iterations, so that many
    are toss-ups."""
    for name, record in shipped_hands().items():
        plies = state.open_decisions(record)
        for ply in plies[:: max(1, len(plies) // 4)][:4]:
            seen = record.observation(ply)
            for technique in TECHNIQUES.values():
                settings = LadderSettings(technique(model="devlin2016"), iterations=60)
                table = ladders.ladder_table(ladders.climb(seen, settings), seen)
                human = load_model("devlin2016").probabilities(seen)
                sums = [sum(human[card] for card in cards) for cards in table["cards"]]
                yield f"{name}, {ply}, {technique.name}", record, ply, table.assign(human=sums)


def is_even(rung):
    """Whether the two classes that are played most can't be told apart, by SciPy's own test."""
    wins = rung["chosen"].nlargest(2).tolist()
    if len(wins) < 2 or not sum(wins):
        return False
    return binomtest(wins[0], sum(wins)).proportion_ci(method="exact").low <= 0.5


@pytest.mark.slow
def test_no_card_is_named_as_played_where_the_searches_are_a_toss_up():
    n_toss_ups = 0
    n_clear = 0
    for where, record, ply, table in ladders_of_shipped_hands():
        choices = ladders.choices_of(table)
        technique = TECHNIQUES[where.rpartition(", ")[2]]
        played = ladder._class_of(table, record.plays[ply])
        featured = featured_of(table, choices, played)
        labels = dict(zip(table["card"], table["label"], strict=True))
        for rung, rows in table.groupby("strength"):
            bias = ladders.with_strength(technique(model="devlin2016"), rung)
            said = choices_text({**choices, 0.0: choices[min(choices)]}, bias)
            of_rung = said.partition(f"At **{rung:g}** ")[2] if rung else said
            if is_even(rows):
                n_toss_ups += 1
                leaders = rows.sort_values(["chosen", "share"], ascending=False)["label"][:2]
                assert "the search plays" not in of_rung, (where, rung)
                assert "it is a toss-up" in of_rung
                assert all(f"**{label}**" in of_rung for label in leaders)
                assert set(leaders) <= {labels[card] for card in featured}
                for label in leaders:
                    turn = turn_text(choices, label, bias)
                    assert "at every strength" not in turn
                    if turn.startswith("from "):
                        assert float(turn.split()[1]) > rung
            else:
                n_clear += 1
                assert "the search plays" in of_rung
    assert n_toss_ups > 100
    assert n_clear > 100


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (TOSS_UP, "Toss-up: K♠ = Q♠ and 9♥ lie within a point ("),
        (LEANS, "Leans to K♠ = Q♠, 0.4 points over 9♥"),
        (CLEAR, "Clear: K♠ = Q♠, 0.4 points over 9♥"),
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
