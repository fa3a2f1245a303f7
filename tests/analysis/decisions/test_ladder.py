"""The ladder: one decision at every strength of a bias, its table and its figure."""

import random
from dataclasses import replace

import pandas as pd
import pytest

from analysis.decisions import ladder as ladders
from analysis.decisions.ladder import (
    LadderSettings,
    RungPlay,
    choices_of,
    climb,
    ladder_table,
    usual_seeds,
    with_strength,
)
from analysis.decisions.settings import STUDIED_SCALE, prior_for
from analysis.plots.decisions import plot_ladder
from spades.core.observation import observe
from spades.core.paths import DATA
from spades.human import load_model
from spades.notation import read_path
from spades.search import Experience, Knowledge, Pikl, SearchSettings, search
from tests.positions import random_round

MODEL = "devlin2016"
SETTINGS = LadderSettings(
    Knowledge(c_bt=0.07), iterations=300, seed=5, n_seeds=2, reward_scale=400.0
)


@pytest.fixture(scope="module")
def seen():
    return observe(random_round(random.Random(4), 8))


@pytest.fixture(scope="module")
def table(seen):
    return ladder_table(climb(seen, SETTINGS), seen)


def test_a_rung_is_the_search_with_that_strength(seen):
    ladder = climb(seen, SETTINGS)
    assert list(ladder) == sorted({*Knowledge.strength_option().usual, 0.07})
    for strength in (0.07, 2.0):
        bias = with_strength(SETTINGS.bias, strength)
        how = SearchSettings(bias=bias, reward_scale=400.0)
        alone = search(seen, iterations=300, seed=6, settings=how, prior=prior_for(how))
        assert repr(ladder[strength][1].cards) == repr(alone.cards)


def test_the_lowest_rung_is_unbiased_and_the_highest_leans_to_the_model(seen, table):
    plain = search(seen, iterations=300, seed=5)
    deck = seen.rules.cards
    lowest = table[table["strength"] == 0]
    shares = {deck.format_card(row.card): row.visits / 300 for row in plain.cards}
    for row in lowest.to_dict("records"):
        share = sum(shares[card] for card in row["cards"])
        assert row["share_min"] - 1e-9 <= share <= row["share_max"] + 1e-9
    likely = load_model(MODEL).predict_proba([seen])[0].argmax()
    strongest = table[table["strength"] == 2.0].set_index("label")
    first = choices_of(table)[2.0].first
    assert deck.format_card(int(deck.codes[likely])) in strongest.loc[first, "cards"]


@pytest.fixture(scope="module")
def touching():
    """A decision with two cards of one class, of a shipped hand."""
    (record,) = read_path(DATA / "hands" / "four-bots.jsonl").records
    return record.observation(20)


def test_cards_that_are_worth_the_same_are_one_row(touching):
    ladder = climb(touching, LadderSettings(Knowledge(), iterations=200, n_seeds=3))
    table = ladder_table(ladder, touching)
    lowest = table[table["strength"] == 0].set_index("label")
    assert list(lowest["cards"]) == [("D6", "D4"), ("CK",), ("C3",)]
    row = lowest.loc["6♦ = 4♦"]
    cards = [
        card for result in ladder[0] for card in result.cards if str(card.card) in ("D6", "D4")
    ]
    visits = [card.visits for card in cards]
    points = sum(card.visits * card.mean_value for card in cards if card.visits)
    assert row["visits"] == pytest.approx(sum(visits) / 3)
    assert row["share"] == pytest.approx(sum(visits) / 600)
    assert row["value"] == pytest.approx(points / sum(visits))
    assert row["prior"] == pytest.approx(sum(card.prior for card in cards) / 3)


def test_a_choice_counts_searches_and_is_a_toss_up_below_their_interval():
    rows = pd.DataFrame(
        {
            "strength": [0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
            "label": ["K♠ = Q♠", "9♥", "2♣"] * 2,
            "share": [0.5, 0.3, 0.2, 0.2, 0.5, 0.3],
            "chosen": [14, 6, 0, 0, 15, 5],
            "seeds": 20,
        }
    )
    choices = choices_of(rows)
    assert choices == {0.0: ("K♠ = Q♠", 14, "9♥", 6, 20), 1.0: ("9♥", 15, "2♣", 5, 20)}
    assert [choice.is_toss_up for choice in choices.values()] == [True, False]
    assert choices[0.0].classes == ["K♠ = Q♠", "9♥"]
    assert choices[1.0].classes == ["9♥"]


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (
            RungPlay("9♥", 31, "K♠ = Q♠", 29, 64),
            "it is a toss-up: 31 of 64 searches play **9♥**, 29 play **K♠ = Q♠**",
        ),
        (RungPlay("9♥", 55, "2♣", 5, 60), "the search plays **9♥**, in 55 of 60 searches"),
        (
            RungPlay("K♠ = Q♠", 8, "", 0, 8),
            "the search plays **K♠ = Q♠**, all legal cards being worth the same",
        ),
    ],
)
def test_a_choice_in_words(choice, said):
    assert choice.text == said


def test_a_class_alone_is_no_toss_up(touching):
    ladder = climb(touching, LadderSettings(Knowledge(), 50, n_seeds=2))
    table = ladder_table(ladder, touching)
    only = table[table["label"] == "K♣"]
    assert choices_of(only)[0.0].second == ""
    assert not choices_of(only)[0.0].is_toss_up


def test_longer_searches_have_fewer_seeds():
    assert [usual_seeds(n) for n in (100, 5_000, 10_000, 100_000)] == [20, 20, 10, 8]
    assert LadderSettings(Knowledge(), 100, seed=3).seeds == range(3, 23)


def test_settings_at_usual_strengths_have_one_ladder():
    usual = [LadderSettings(Knowledge(c_bt=c_bt)).from_the_lowest for c_bt in (0.0, 0.03, 2.0)]
    assert len(set(usual)) == 1
    own = LadderSettings(Knowledge(c_bt=0.07))
    assert own.from_the_lowest == own


def test_a_rung_has_the_scale_of_the_search_shown(seen):
    assert LadderSettings(Knowledge()).reward_scale == STUDIED_SCALE
    for scale in (STUDIED_SCALE, 50.0):
        settings = LadderSettings(Knowledge(), iterations=300, n_seeds=1, reward_scale=scale)
        plain = search(seen, iterations=300, settings=SearchSettings(reward_scale=scale))
        (lowest,) = climb(seen, settings)[0.0]
        assert [row.visits for row in lowest.cards] == [row.visits for row in plain.cards]


def test_shares_of_a_rung_sum_to_one(table):
    assert table.groupby("strength")["share"].sum().tolist() == pytest.approx([1.0] * 12)
    assert (table["share_min"] <= table["share"]).all()
    assert (table["share"] <= table["share_max"]).all()
    assert (table.groupby("strength")["chosen"].sum() == 2).all()


def test_equivalent_experience_climbs_by_visits(seen):
    bias = Experience(w=7)
    ladder = climb(seen, LadderSettings(bias, iterations=100, n_seeds=1))
    assert list(ladder) == sorted({*Experience.strength_option().usual, 7})
    assert [found.settings.bias for (found,) in ladder.values()] == [
        replace(bias, w=w) for w in ladder
    ]


def test_pikl_is_searched_once_and_climbs_from_the_best_card_to_the_model(seen, monkeypatch):
    bias, searched = Pikl(MODEL, lambda_=7), []
    plain = ladders.search
    monkeypatch.setattr(ladders, "search", lambda *a, **k: searched.append(1) or plain(*a, **k))
    settings = LadderSettings(bias, iterations=300, seed=5, n_seeds=2, reward_scale=400.0)
    ladder = climb(seen, settings)
    assert list(ladder) == sorted({*Pikl.strength_option().usual, 7})
    assert len(searched) == 2
    how = SearchSettings(bias=bias)
    alone = search(seen, iterations=300, seed=6, settings=how, prior=prior_for(how))
    assert repr(ladder[7][1].cards) == repr(alone.cards)
    table = ladder_table(ladder, seen)
    assert table.groupby("strength")["share"].sum().tolist() == pytest.approx([1.0] * 11)
    rows = table[table["strength"] == 20]
    for cards, share in zip(rows["cards"], rows["share"], strict=True):
        policies = [row.policy for r in ladder[20] for row in r.cards if str(row.card) in cards]
        assert share == pytest.approx(sum(policies) / 2)
    assert set(table[table["strength"] == 0]["share_max"]) == {0.0, 1.0}
    far = table[table["strength"] == 500]
    assert far["share"].tolist() == pytest.approx(far["prior"].tolist(), abs=0.15)


def test_the_figure_shows_the_table(table):
    human = {card: 1 / table["card"].nunique() for card in table["card"]}
    first = table["card"].iloc[0]
    figure = plot_ladder(
        table,
        human=human,
        featured=[first],
        chosen=0.07,
        published={0.03: "Devlin 2016"},
        axis="C_BT",
    )
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    assert len(lines) == table["card"].nunique()
    wanted = table[table["card"] == first]["share"].tolist()
    assert list(lines[-1].y) == wanted
    notes = [note.text for note in figure.layout.annotations]
    assert [note for note in notes if "●" not in note] == ["Devlin 2016", "set: 0.07"]
    (ticks,) = [trace for trace in figure.data if trace.mode == "markers"]
    assert set(ticks.y) == set(human.values())
