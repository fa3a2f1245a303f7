"""Disagreements: measures by hand, classes at their borders, filters, ranking, intervals."""

import numpy as np
import pandas as pd
import pytest

from analysis.decisions.decision import AnalysisSettings
from analysis.decisions.lenses import LENS_NAMES, find_all
from analysis.disagreements.found import (
    AGREED,
    DIVERGENCE,
    FINDS,
    OTHER,
    PLAYED,
    STAKES,
    STYLE,
    TRAP,
    DecisionFilter,
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
from spades.human import load_model
from spades.notation.log_store import open_log
from tests.analysis.decisions.test_decision import decisions_of
from tests.analysis.small_sweeps import store_tiny_log

MODEL = "devlin2016"
ITERATIONS = 120


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    """A small log, its first three rounds searched, and their decisions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_LOGS", str(tmp_path_factory.mktemp("logs")))
        store_tiny_log(3)
        plan = LogSearchPlan("tiny", 3, f"ismcts:iterations={ITERATIONS}", seed=2)
        log = open_log("tiny")
        rows = search_part(plan, log, 0)
        yield log, rows, decision_table(rows, log, 0, load_model(MODEL))


def test_every_choice_is_there_with_the_numbers_that_replay_shows(searched):
    log, _, table = searched
    settings = AnalysisSettings(iterations=ITERATIONS, seed=2)
    at = table.set_index(["round", "ply"])
    n = 0
    for i, record in enumerate(log.records()):
        for decision in decisions_of(record, settings):
            if decision.is_forced:
                assert (i, decision.ply) not in at.index
                continue
            n += 1
            row = at.loc[(i, decision.ply)]
            chosen, likely = decision.search_choice, decision.human_choice(MODEL)
            played = decision.row(decision.played)
            assert row["divergence"] == pytest.approx(decision.divergence, abs=1e-9)
            assert (row["seat"], row["trick"]) == (decision.seat, decision.trick)
            assert row["legal"] == len(decision.cards)
            for role, card in (("search", chosen), ("human", likely), ("played", played)):
                assert row[f"{role}_card"] == card.code
                assert row[f"{role}_p"] == pytest.approx(card.human[MODEL])
                assert row[f"{role}_share"] == pytest.approx(card.share)
                assert row[f"{role}_n"] == card.visits
                assert row[f"{role}_value"] == pytest.approx(card.value, rel=1e-5, nan_ok=True)
                assert row[f"{role}_se"] == pytest.approx(card.value_se, rel=1e-5, nan_ok=True)
    assert n == len(table)


def test_lens_masks_are_what_the_lenses_find(searched):
    log, _, table = searched
    for row in table.itertuples():
        seen = log.record(int(row.round)).observation(int(row.ply))
        found = set(find_all(seen, row.human_card, row.search_card))
        assert found == {
            name for i, name in enumerate(LENS_NAMES) if int(row.human_lenses) >> i & 1
        }
    masks = table[["search_lenses", "human_lenses", "played_lenses"]]
    assert (masks.to_numpy() > 0).any()


def test_rows_of_other_rounds_are_refused(searched):
    log, rows, _ = searched
    with pytest.raises(LogSearchError, match="other rounds than the log has now"):
        decision_table(rows, log.take(np.array([1, 0, 2])), 0, load_model(MODEL))


def test_nothing_searched_is_an_empty_table(searched):
    log, *_ = searched
    table = judge(decision_table(joined([]), log, 0, load_model(MODEL)))
    assert len(table) == 0
    assert {"class", "stakes", "divergence", "search_lenses"} <= set(table)
    assert summarise(table, "search")["n"].sum() == 0
    assert divergence_histogram(table)["n"].sum() == 0
    assert np.isnan(mean_divergence(table)).all()


def made_up(**changes):
    """One decision: the search's card worth 30 ± 1, the human's 10 ± 1, the played one 20 ± 1."""
    row = {
        "round": 0,
        "ply": 6,
        "trick": 1,
        "seat": 2,
        "kind": 2,
        "divergence": 0.4,
        "search_card": 5,
        "search_p": 0.05,
        "search_value": 30.0,
        "search_se": 1.0,
        "human_card": 3,
        "human_p": 0.9,
        "human_value": 10.0,
        "human_se": 1.0,
        "played_card": 4,
        "played_p": 0.05,
        "played_value": 20.0,
        "played_se": 1.0,
        "search_lenses": 0,
        "human_lenses": 0,
        "played_lenses": 0,
    }
    return pd.DataFrame([{**row, **changes}])


@pytest.mark.parametrize(
    ("changes", "threshold", "name"),
    [
        ({}, 10, FINDS),
        ({}, 20, FINDS),  # exactly the threshold
        ({}, 20.01, OTHER),
        ({"search_p": 0.0999}, 10, FINDS),
        ({"search_p": 0.10}, 10, TRAP),  # not under ten percent
        # Twenty points apart: intervals of 1.96 x 5.0 and 1.96 x 5.3 to a side overlap.
        ({"search_se": 5.0, "human_se": 5.0}, 10, FINDS),
        ({"search_se": 5.0, "human_se": 5.3}, 10, STYLE),
        ({"search_se": 5.0, "human_se": 5.3, "search_p": 0.3}, 10, STYLE),
        ({"search_card": 3, "search_value": 10.0}, 0, AGREED),
        ({"human_value": 28.0, "human_se": 0.1, "search_se": 0.1}, 10, OTHER),  # clear, but small
        ({"human_value": 28.0}, 10, STYLE),
        ({"human_value": 60.0}, 10, OTHER),  # the human's is worth more
        ({"human_se": np.nan}, 10, OTHER),  # one visit says no interval
        ({"human_value": np.nan, "human_se": np.nan}, 10, OTHER),
    ],
)
def test_classes_at_their_borders(changes, threshold, name):
    judged = judge(made_up(**changes), threshold)
    assert judged["class"].tolist() == [name]
    assert of_class(judged, TRAP).tolist() == [name in (FINDS, TRAP)]
    assert of_class(judged, STYLE).tolist() == [name == STYLE]


def test_stakes_against_either_card():
    judged = judge(made_up())
    assert judged["stakes"].tolist() == [20.0]
    assert judged["stakes_se"].tolist() == [pytest.approx(2**0.5)]
    played = judge(made_up(), against=PLAYED)
    assert (played["stakes"].tolist(), played["class"].tolist()) == ([10.0], [FINDS])
    assert judge(made_up(played_se=5.0), against=PLAYED)["is_clear"].tolist() == [False]


def several(*changes):
    return judge(pd.concat([made_up(**one) for one in changes], ignore_index=True))


def test_ranking_and_thresholds():
    judged = several(
        {"ply": 1, "divergence": 0.2},
        {"ply": 2, "divergence": 0.7, "human_value": 29.0},
        {"ply": 3, "divergence": 0.7},
        {"ply": 4, "divergence": 0.1, "human_value": -20.0},
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
        {"ply": 4, "seat": 1, "kind": 1, "trick": 5, "human_value": 29.0},
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
        {"round": 1, "human_value": 29.0},
        {"round": 2, "search_card": 3},
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
        {"round": 0, "divergence": 0.049, "search_card": 3},
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
    """Shares in fresh samples of rounds: about 95 % of the intervals hold the true one."""
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
