"""The decision table: measures as by hand, lenses and reasons, rounds that aren't the log's."""

import numpy as np
import pytest

from analysis.decisions.conclusion import AS_GOOD, BEHIND, OPEN
from analysis.decisions.decision import jensen_shannon
from analysis.decisions.lenses import find_all, names_in
from analysis.decisions.reasons import BAG, CONTRACT, NIL_BROKEN, NIL_KEPT, SET, Term
from analysis.disagreements.judged import judge
from analysis.disagreements.plan import LogSearchError, LogSearchPlan
from analysis.disagreements.rows import STANDINGS, joined
from analysis.disagreements.search import search_rounds
from analysis.disagreements.summary import divergence_histogram, mean_divergence, summarise
from analysis.disagreements.table import ROLES, _is_confirmed, decision_table
from spades.core.cards import cards_in
from spades.human import load_model
from spades.notation.log_store import open_log
from tests.analysis.disagreements.made_up_search import log_of_it, made_up_rows
from tests.analysis.disagreements.quick import MOST, judge_quickly
from tests.analysis.small_sweeps import store_tiny_log

pytestmark = pytest.mark.xdist_group("decision-table")  # they share a search
MODEL = "devlin2016"
ITERATIONS = 50


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A small log, its two rounds searched, and their decisions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_LOGS", str(tmp_path_factory.mktemp("logs")))
        store_tiny_log(2)
        judge_quickly(patch)
        plan = LogSearchPlan("tiny", 2, f"ismcts:iterations={ITERATIONS}", 2, MOST)
        log = open_log("tiny")
        rows = search_rounds(plan, log, 0)
        yield log, rows, decision_table(rows, log, 0, load_model(MODEL))


def test_every_choice_is_there_by_class(searched):
    """Values are the judge's; P, shares and divergence as Replay has them by class."""
    log, rows, table = searched
    decided = rows.table[rows.starts]
    assert (
        table[["round", "ply"]].values.tolist()
        == np.stack([decided["round"], decided["ply"]], axis=1).tolist()
    )
    assert table["n_rounds"].tolist() == decided["played_on"].tolist()
    for row in table.head(30).itertuples():
        record = log.record(int(row.round))
        seen = record.observation(int(row.ply))
        mine = rows.table[(rows.table["round"] == row.round) & (rows.table["ply"] == row.ply)]
        p = load_model(MODEL).predict_proba([seen])[0]
        index = seen.rules.cards.indices
        human = [p[index[list(cards_in(mask))]].sum() for mask in mine["cards"].tolist()]
        assert row.divergence == pytest.approx(jensen_shannon(mine["share"], np.array(human)))
        assert row.search_cards == mine["cards"][0]
        assert row.human_cards == mine["cards"][int(np.argmax(human))]
        assert int(row.played_cards) >> record.plays[int(row.ply)].code & 1
        for role in ROLES:
            i = mine["cards"].tolist().index(getattr(row, f"{role}_cards"))
            assert getattr(row, f"{role}_p") == pytest.approx(human[i])
            for name in ("share", "value", "error", "behind", "low", "high"):
                assert getattr(row, f"{role}_{name}") == pytest.approx(mine[name][i])
            is_behind = mine["standing"][i] == STANDINGS.index(BEHIND)
            assert getattr(row, f"{role}_is_behind") == is_behind


def test_lenses_and_reasons_are_of_clear_disagreements(searched):
    log, _, table = searched
    assert table["human_is_behind"].any()
    assert (table["human_is_behind"] != (table["human_low"] > 1)).any(), "by its standing alone"
    for row in table.itertuples():
        seen = log.record(int(row.round)).observation(int(row.ply))
        other, best = (int(mask).bit_length() - 1 for mask in (row.human_cards, row.search_cards))
        found = set(find_all(seen, other, best)) if row.human_is_behind else set()
        assert found == set(names_in(int(row.human_lenses)))
        if row.human_error:  # of a proof no outcomes are known
            assert bool(row.human_reason) == row.human_is_behind


@pytest.mark.parametrize(
    ("lens", "terms", "is_shown"),
    [
        ("partner-cut", [(-9.0, CONTRACT), (2.0, BAG)], True),
        ("partner-cut", [(-9.0, NIL_KEPT), (-3.0, SET)], False),
        ("bag", [(4.0, SET), (-9.0, BAG)], True),
        ("bag", [(-20.0, NIL_BROKEN), (-9.0, BAG)], False),
        ("nil-over-contract", [(-9.0, CONTRACT), (5.0, NIL_BROKEN)], True),
        ("nil-over-contract", [(-9.0, CONTRACT), (-5.0, NIL_BROKEN)], False),
        ("high-card", [], False),
    ],
)
def test_a_lens_is_a_reason_only_where_the_outcomes_confirm_it(lens, terms, is_shown):
    assert _is_confirmed(lens, [Term(points, "", kind) for points, kind in terms]) is is_shown


def test_standings_are_counted_and_unvalued_decisions_left_out():
    rows = made_up_rows().within(0, 10)
    table = decision_table(rows, log_of_it(), 0, load_model(MODEL))
    as_good, open_, behind = map(STANDINGS.index, (AS_GOOD, OPEN, BEHIND))
    valued = [one for one in rows.decisions() if np.isfinite(one["behind"][0])]
    assert 0 < len(valued) < len(rows.starts)
    standings = [one["standing"].tolist() for one in valued]
    assert table["n_good"].tolist() == [some.count(as_good) for some in standings]
    assert table["is_decided"].tolist() == [open_ not in some for some in standings]
    assert table["played_is_behind"].any()
    for role in ROLES:
        cards = table[f"{role}_cards"].tolist()
        own = [
            one["standing"][one["cards"] == mask] for one, mask in zip(valued, cards, strict=True)
        ]
        assert table[f"{role}_is_behind"].tolist() == [some[0] == behind for some in own]
    assert not table["search_is_behind"].any()


def test_rows_of_other_rounds_are_refused(searched):
    log, rows, _ = searched
    with pytest.raises(LogSearchError, match="other rounds than the log has now"):
        decision_table(rows, log.take(np.array([1, 0])), 0, load_model(MODEL))


def test_nothing_searched_is_an_empty_table(searched):
    log, *_ = searched
    table = judge(decision_table(joined([]), log, 0, load_model(MODEL)))
    assert len(table) == 0
    assert {"class", "stakes", "divergence", "search_lenses"} <= set(table)
    assert summarise(table, "search")["n"].sum() == 0
    assert divergence_histogram(table)["n"].sum() == 0
    assert np.isnan(mean_divergence(table)).all()
