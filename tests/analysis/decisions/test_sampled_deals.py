"""Sampled deals: values over them by hand, what is kept, what is the same as in the search."""

import math

import numpy as np
import pytest

from analysis.decisions.card_values import candidate_values, legal_cards
from analysis.decisions.sampled_deals import deals_series, is_solved, solve_deals
from analysis.decisions.settings import AnalysisSettings
from analysis.plots.decisions import card_labels, plot_candidates
from spades.belief import Dealing
from spades.core.errors import SpadesError
from spades.core.rules import Round
from spades.look.words import pretty
from spades.search.deals import first_deals, values_in_deal
from spades.search.solver import solve
from tests.analysis.decisions.test_decision import record_of
from tests.analysis.runs.test_series import work

PLY = 8
CARDS = ["SA", "S2", "HK"]
VALUES = np.array([[10.0, 0.0, 10.0], [20.0, 0.0, -10.0], [0.0, 30.0, 0.0], [10.0, 10.0, -20.0]])


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def test_values_by_hand():
    rows = {row.card: row for row in candidate_values(CARDS, VALUES)}
    ace = rows["SA"]
    assert (ace.n, ace.mean, ace.best_in) == (4, 10.0, 3)
    assert ace.standard_error == pytest.approx(math.sqrt(200 / 3) / 2)
    error = math.sqrt((100 + 400 + 900) / 3) / 2
    assert ace.against["S2"].mean == 0.0
    assert ace.against["S2"].standard_error == pytest.approx(error)
    assert ace.beats == {"S2": 2, "HK": 2}
    assert rows["S2"].beats == {"SA": 1, "HK": 3}
    assert rows["S2"].best_in == 2
    assert rows["HK"].best_in == 1
    assert ace.interval == pytest.approx((10 - 1.96 * 4.0825, 10 + 1.96 * 4.0825), abs=1e-3)
    assert [row.mean for row in candidate_values(CARDS, VALUES)] == [10, 10, -5]
    assert [rows[card].regret.mean for card in CARDS] == [7.5, 7.5, 22.5]  # less than 10 20 30 10


def test_one_deal_has_no_standard_error_and_none_no_values():
    assert math.isnan(candidate_values(CARDS, VALUES[:1])[0].standard_error)
    with pytest.raises(SpadesError, match="at least one"):
        candidate_values(CARDS, VALUES[:0])


def test_the_last_tricks_of_a_sampled_deal_are_solved(store):
    record, settings = record_of(), AnalysisSettings(seed=4)
    assert [is_solved(record.observation(ply)) for ply in (19, 20, 51)] == [False, True, True]
    seen, ply = record.observation(24), 24
    items = work(deals_series(record, ply, settings, Dealing()), 50)
    for hands, values in items[:8]:
        assert values == list(solve(Round(seen.table.copy(), hands)).values())
    found = solve_deals(record, ply, settings, 50)
    assert (found.is_every, found.claim) == (False, None)
    regrets = {row.card: row for row in found.rows}
    values = np.array([found for _, found in items])
    for i, card in enumerate(legal_cards(seen)):
        found, gaps = regrets[card], values.max(axis=1) - values[:, i]
        assert (found.regret.mean, found.best_in) == (gaps.mean(), (gaps == 0).sum())


def test_a_run_is_the_library_s_sample_and_is_kept(store):
    record, settings = record_of(), AnalysisSettings(seed=4)
    seen = record.observation(PLY)
    items = work(deals_series(record, PLY, settings, Dealing()), 50)
    deals = first_deals(seen, 60, seed=4)
    assert [hands for hands, _ in items] == deals[:50].tolist()
    wanted = [values_in_deal(seen, deal, seed=4 + i) for i, deal in enumerate(deals[:50])]
    assert np.array([values for _, values in items]) == pytest.approx(np.array(wanted), abs=1e-3)
    assert len(legal_cards(seen)) == len(wanted[0])
    again = deals_series(record, PLY, settings, Dealing())
    assert again.items == items
    assert deals_series(record, PLY, settings, Dealing.of("biased")).done == 0
    longer = work(again, 60)
    assert [hands for hands, _ in longer] == deals.tolist()


def test_the_dots_say_the_rows():
    rows = candidate_values(CARDS, VALUES)
    marks = {"● played": "S2", "◆ search": "SA"}
    names = card_labels({card: pretty(card) for card in CARDS}, marks)
    in_deal = dict(zip(CARDS, VALUES[1], strict=True))
    means, here = plot_candidates(rows, names, in_deal, deal=2).data
    assert list(means.x) == [row.mean for row in rows]
    assert means.error_x.array[0] == pytest.approx(1.96 * rows[0].standard_error)
    assert dict(zip(here.y, here.x, strict=True)) == {
        "A♠ ◆ search": 20.0,
        "2♠ ● played": 0.0,
        "K♥": -10.0,
    }


def test_the_posterior_does_not_deal_the_same_few_again_and_again(store):
    run = deals_series(record_of(), PLY, AnalysisSettings(), Dealing.of("posterior"))
    deals = [tuple(hands) for hands, _ in work(run, 300)]
    assert len(set(deals)) > 100  # drawn by weight
