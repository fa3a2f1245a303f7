"""Disagreements: measures by hand, classes at their borders, filters, ranking, intervals."""

import numpy as np
import pandas as pd
import pytest

from analysis.decisions.decision import jensen_shannon
from analysis.decisions.lenses import LENS_NAMES, find_all, names_in
from analysis.decisions.reasons import BAG, CONTRACT, NIL_BROKEN, NIL_KEPT, SET, Term
from analysis.disagreements import search
from analysis.disagreements.found import (
    AGREED,
    DIVERGENCE,
    FINDS,
    OTHER,
    PLAYED,
    ROLES,
    STAKES,
    STYLE,
    TRAP,
    DecisionFilter,
    _is_borne_out,
    decision_table,
    divergence_histogram,
    has_lens,
    judge,
    mean_divergence,
    of_class,
    ranked,
    summarise,
)
from analysis.disagreements.search import LogSearchError, LogSearchPlan, joined, search_part
from spades.core.cards import cards_in
from spades.human import load_model
from spades.notation.log_store import open_log
from tests.analysis.small_sweeps import store_tiny_log

MODEL = "devlin2016"
ITERATIONS = 50


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A small log, its first three rounds searched, and their decisions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_LOGS", str(tmp_path_factory.mktemp("logs")))
        store_tiny_log(2)
        agent = f"ismcts:iterations={ITERATIONS}"
        patch.setattr(search, "JUDGE", agent)  # of whom outcomes are known
        plan = LogSearchPlan("tiny", 2, agent, 2, 60)
        log = open_log("tiny")
        rows = search_part(plan, log, 0)
        yield log, rows, decision_table(rows, log, 0, load_model(MODEL))


def test_every_choice_is_there_by_class(searched):
    """Values are those of the search; P, shares and divergence as Replay has them by class."""
    log, rows, table = searched
    decided = rows.table[rows.starts]
    assert (
        table[["round", "ply"]].values.tolist()
        == np.stack([decided["round"], decided["ply"]], axis=1).tolist()
    )
    assert table["n_searches"].tolist() == decided["searches"].tolist()
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
        assert int(row.played_cards) >> record.plays[int(row.ply)] & 1
        for role in ROLES:
            i = mine["cards"].tolist().index(getattr(row, f"{role}_cards"))
            assert getattr(row, f"{role}_p") == pytest.approx(human[i])
            for name in ("share", "value", "error", "behind", "low", "high"):
                assert getattr(row, f"{role}_{name}") == pytest.approx(mine[name][i])


def test_lenses_and_reasons_are_of_clear_disagreements(searched):
    log, _, table = searched
    assert (table["human_low"] > 1).any()
    for row in table.itertuples():
        seen = log.record(int(row.round)).observation(int(row.ply))
        other, best = (int(mask).bit_length() - 1 for mask in (row.human_cards, row.search_cards))
        found = set(find_all(seen, other, best)) if row.human_low > 1 else set()
        assert found == set(names_in(int(row.human_lenses)))
        if row.human_error:  # of a proof no outcomes are known
            assert bool(row.human_reason) == (row.human_low > 1)


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
def test_a_lens_is_a_reason_only_where_the_outcomes_bear_it_out(lens, terms, is_shown):
    assert _is_borne_out(lens, [Term(points, "", kind) for points, kind in terms]) is is_shown


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


def made_up(**changes):
    """One decision: the human's class 20 points behind the best, the played one 10, all clear."""
    row = {
        "round": 0,
        "ply": 6,
        "trick": 1,
        "seat": 2,
        "kind": 2,
        "divergence": 0.4,
        "search_cards": 32,
        "search_p": 0.05,
        "human_cards": 8,
        "human_p": 0.9,
        "human_behind": 20.0,
        "human_low": 18.0,
        "human_high": 22.0,
        "human_reason": "it breaks the nil",
        "played_cards": 16,
        "played_behind": 10.0,
        "played_low": 8.0,
        "played_high": 12.0,
        "played_reason": "",
        "search_lenses": 0,
        "human_lenses": 0,
        "played_lenses": 0,
    }
    return pd.DataFrame([{**row, **changes}])


SAME = {"search_cards": 8, "human_behind": 0.0, "human_low": 0.0, "human_high": 0.0}


@pytest.mark.parametrize(
    ("changes", "threshold", "name"),
    [
        ({}, 10, FINDS),
        ({}, 20, FINDS),  # exactly the threshold
        ({}, 20.01, OTHER),
        ({"search_p": 0.0999}, 10, FINDS),
        ({"search_p": 0.10}, 10, TRAP),  # not under ten percent
        ({"human_low": 1.001}, 1, FINDS),
        ({"human_low": 1.0}, 1, STYLE),  # not clearly worse
        ({"human_low": np.nan, "human_behind": np.nan}, 1, STYLE),  # nothing is known
        (SAME, 1, AGREED),
    ],
)
def test_classes_at_their_borders(changes, threshold, name):
    judged = judge(made_up(**changes), threshold)
    assert judged["class"].tolist() == [name]
    assert judged["is_clear"].tolist() == [name in (FINDS, TRAP, OTHER)]
    assert of_class(judged, TRAP).tolist() == [name in (FINDS, TRAP)]
    assert of_class(judged, STYLE).tolist() == [name == STYLE]


def test_stakes_against_either_card():
    judged = judge(made_up()).iloc[0]
    assert (judged["stakes"], judged["low"], judged["high"]) == (20.0, 18.0, 22.0)
    assert judged["reason"] == "it breaks the nil"
    played = judge(made_up(), against=PLAYED).iloc[0]
    assert (played["stakes"], played["class"], played["reason"]) == (10.0, FINDS, "")
    assert judge(made_up(played_low=1.0), against=PLAYED)["is_clear"].tolist() == [False]


def several(*changes):
    return judge(pd.concat([made_up(**one) for one in changes], ignore_index=True))


def test_ranking_and_thresholds():
    judged = several(
        {"ply": 1, "divergence": 0.2},
        {"ply": 2, "divergence": 0.7, "human_behind": 2.0, "human_low": 1.5},
        {"ply": 3, "divergence": 0.7},
        {"ply": 4, "divergence": 0.1, "human_behind": 50.0},
        {"ply": 5, "divergence": 0.9, "human_low": 0.5},  # no disagreement
    )
    assert ranked(judged, DIVERGENCE, 0.0)["ply"].tolist() == [2, 3, 1, 4]
    assert ranked(judged, DIVERGENCE, 0.2)["ply"].tolist() == [2, 3, 1]
    assert ranked(judged, STAKES, 0.0)["ply"].tolist() == [4, 1, 3, 2]
    assert ranked(judged, STAKES, 20.0)["ply"].tolist() == [4, 1, 3]


def test_filters():
    cut = 1 << LENS_NAMES.index("partner-cut")
    judged = several(
        {"ply": 1, "seat": 0, "kind": 1, "trick": 0},
        {"ply": 2, "seat": 2, "trick": 5, "search_lenses": cut},
        {"ply": 3, "seat": 2, "trick": 12, "human_lenses": cut, "search_p": 0.3},
        {"ply": 4, "seat": 1, "kind": 1, "trick": 5, "human_low": 0.5},
    )

    def plies(**options):
        return judged["ply"][DecisionFilter(**options).rows(judged)].tolist()

    assert plies() == [1, 2, 3, 4]
    assert plies(seats=("S", "E")) == [2, 3, 4]
    assert plies(kinds=("bot",)) == [1, 4]
    assert plies(tricks=(5, 12)) == [2, 3, 4]
    assert plies(classes=(FINDS,)) == [1, 2]
    assert plies(classes=(TRAP,)) == [1, 2, 3]
    assert plies(classes=(STYLE, FINDS)) == [1, 2, 4]
    assert plies(lenses=("partner-cut",)) == [2]
    assert plies(lenses=("partner-cut", "bag"), role="human") == [3]
    assert has_lens(judged, "bag", "human").tolist() == [False] * 4


def test_summary_counts_decisions_and_rounds():
    bag = 1 << LENS_NAMES.index("bag")
    judged = several(
        {"round": 0, "search_lenses": bag},
        {"round": 0, "search_lenses": bag, "search_p": 0.4},
        {"round": 1, "human_low": 0.5},
        {"round": 2, **SAME},
    )
    rows = summarise(judged, "search").set_index("name")
    assert rows.loc[[FINDS, TRAP, STYLE, "bag", "score"], "n"].tolist() == [1, 2, 1, 2, 0]
    assert (rows["of"] == 4).all()
    assert rows.loc["bag", "share"] == 0.5
    assert rows.loc["bag", ["rounds", "of_rounds"]].tolist() == [1, 3]
    # Clopper and Pearson for 0 of 3: 1 - 0.025^(1/3)
    assert rows.loc["score", "round_high"] == pytest.approx(1 - 0.025 ** (1 / 3))
    assert np.isnan(rows.loc["score", "high"])
    assert 0 <= rows.loc["bag", "low"] <= 0.5 <= rows.loc["bag", "high"] <= 1


def test_histogram_and_mean():
    judged = several(
        {"round": 0, "divergence": 0.05},
        {"round": 0, "divergence": 0.049, **SAME},
        {"round": 1, "divergence": 1.0},
    )
    bars = divergence_histogram(judged)
    assert bars["n"].tolist() == [1, 1, *[0] * 17, 1]
    assert bars["n_agreed"].tolist()[0] == 1
    assert bars["n_finds"].sum() == 2
    mean, low, high = mean_divergence(judged)
    assert mean == pytest.approx(1.099 / 3)
    assert low <= mean <= high


@pytest.mark.slow
def test_intervals_cover_where_rounds_are_drawn():
    """Shares in fresh samples of rounds: about 95% of the intervals hold the true one."""
    rng, hits, n = np.random.default_rng(4), 0, 80
    many = pd.concat([made_up()] * (10 * n), ignore_index=True)
    for _ in range(60):
        rate = rng.beta(2, 8, n)  # rounds differ
        bags = rng.random((n, 10)) < rate[:, None]
        judged = judge(
            many.assign(
                round=np.repeat(np.arange(n), 10),
                search_lenses=bags.ravel() * (1 << LENS_NAMES.index("bag")),
            )
        )
        row = summarise(judged, "search").set_index("name").loc["bag"]
        hits += row["low"] <= 0.2 <= row["high"]
    assert 51 <= hits <= 60
