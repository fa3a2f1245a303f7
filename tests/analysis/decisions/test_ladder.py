"""The ladder: one decision at every strength of a bias, its table and its figure."""

import random
from dataclasses import replace

import pytest

from analysis.decisions import visits
from analysis.decisions.settings import prior_for
from analysis.decisions.visits import (
    LadderSettings,
    choice_at,
    climb,
    ladder_table,
    with_strength,
)
from analysis.plots.decisions import plot_ladder
from spades.core.observation import observe
from spades.human import load_model
from spades.search import Experience, Knowledge, Pikl, SearchSettings, search
from tests.positions import random_round

MODEL = "devlin2016"
SETTINGS = LadderSettings(Knowledge(c_bt=0.07), iterations=300, seed=5, n_seeds=2)


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
        how = SearchSettings(bias=with_strength(SETTINGS.bias, strength))
        alone = search(seen, iterations=300, seed=6, settings=how, prior=prior_for(how))
        assert repr(ladder[strength][1].cards) == repr(alone.cards)


def test_the_lowest_rung_is_unbiased_and_the_highest_leans_to_the_model(seen, table):
    plain = search(seen, iterations=300, seed=5)
    deck = seen.rules.cards
    lowest = table[table["strength"] == 0].set_index("card")
    shares = {deck.format_card(row.card): row.visits / 300 for row in plain.cards}
    for card, share in shares.items():
        row = lowest.loc[card]
        assert row["share_min"] - 1e-9 <= share <= row["share_max"] + 1e-9
    likely = load_model(MODEL).predict_proba([seen])[0].argmax()
    assert choice_at(table, 2.0) == deck.format_card(int(deck.codes[likely]))


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
    plain = visits.search
    monkeypatch.setattr(visits, "search", lambda *a, **k: searched.append(1) or plain(*a, **k))
    ladder = climb(seen, LadderSettings(bias, iterations=300, seed=5, n_seeds=2))
    assert list(ladder) == sorted({*Pikl.strength_option().usual, 7})
    assert len(searched) == 2
    how = SearchSettings(bias=bias)
    alone = search(seen, iterations=300, seed=6, settings=how, prior=prior_for(how))
    assert repr(ladder[7][1].cards) == repr(alone.cards)
    table = ladder_table(ladder, seen)
    assert table.groupby("strength")["share"].sum().tolist() == pytest.approx([1.0] * 11)
    rows = table[table["strength"] == 20]
    mean = [sum(r.cards[i].policy for r in ladder[20]) / 2 for i in range(len(rows))]
    assert rows["share"].tolist() == pytest.approx(mean)
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
    assert [note.text for note in figure.layout.annotations] == ["Devlin 2016", "set: 0.07"]
    (ticks,) = [trace for trace in figure.data if trace.mode == "markers"]
    assert set(ticks.y) == set(human.values())
