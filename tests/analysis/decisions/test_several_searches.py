"""A decision by several searches, and one searched longer: each with numbers of its own."""

from dataclasses import replace

import pytest

from analysis.decisions.background import LiveSearch
from analysis.decisions.decision import analyse_decision, decisions_table, searched_longer
from analysis.decisions.settings import AnalysisSettings
from spades.search import Knowledge, SearchSettings
from tests.pages.texts import shipped

PLY = 24
STRONG = SearchSettings(bias=Knowledge(c_bt=1.0))
WEAK = SearchSettings(bias=Knowledge(c_bt=0.01))
BESIDE = tuple(AnalysisSettings(iterations=500, search=one) for one in (STRONG, WEAK))
SETTINGS = AnalysisSettings(iterations=500, others=BESIDE)


@pytest.fixture(scope="module")
def decision():
    return analyse_decision(shipped("bug-report-335"), PLY, SETTINGS)


def test_every_search_is_the_decision_that_it_alone_would_give(decision):
    record = shipped("bug-report-335")
    alone = analyse_decision(record, PLY, AnalysisSettings(iterations=500, search=STRONG))
    found = decision.others[0]
    assert [row.visits for row in found.cards] == [row.visits for row in alone.cards]
    assert found.divergence == alone.divergence != decision.divergence
    assert found.search_choice == alone.search_choice
    assert (
        len({tuple(row.visits for row in one.cards) for one in (decision, *decision.others)}) == 3
    )


def test_the_table_has_the_rows_of_every_search(decision):
    table = decisions_table([decision])
    assert len(table) == 3 * len(decision.cards)
    assert table["bias_settings"].nunique() == 2
    assert table["bias_settings"].isna().sum() == len(decision.cards)
    assert (table.groupby("search")["visits"].sum() == 500).all()


def test_searched_longer_replaces_the_first_search_alone(decision):
    record, live = (
        shipped("bug-report-335"),
        LiveSearch(shipped("bug-report-335"), PLY, SETTINGS, 2),
    )
    live.extend(2000)
    for _ in live.steps():
        pass
    longer = searched_longer(decision, live.results[0])
    whole = analyse_decision(record, PLY, replace(SETTINGS, iterations=2000, others=()))
    assert [row.visits for row in longer.cards] == [row.visits for row in whole.cards]
    assert longer.search.iterations == 2000
    assert longer.others == decision.others
