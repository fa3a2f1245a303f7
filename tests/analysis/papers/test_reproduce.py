"""Published tables and figures: which there are, how one is named, made and stored."""

import numpy as np
import pytest

from analysis.matches.match import PART, MatchPlan
from analysis.papers import baier, cohensius, report, reproduce
from analysis.papers.claims import DIFFERS, UNKNOWN_CAUSE, Estimate
from analysis.papers.lab import GRID_GAMES, MEASURED, Lab, StoppedError, difference, parse_scale
from analysis.papers.reproduce import FIGURES, figures_named, shipped, stored
from analysis.runs.store import version_of
from analysis.sweeps.run import Sweep
from analysis.sweeps.sweep import read_sweep
from spades.core.cards import SOUTH
from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.notation.log_store import open_log
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour
from tests.results import own_results  # noqa: F401 - a fixture of every test here
from ui.shared.pages import page_of

KEYS = {
    "id", "claim", "published", "ours", "interval", "n", "unit", "verdict", "margin",
    "explanation", "command",
}  # fmt: skip


def test_every_figure_has_a_page_to_look_into_it():
    assert len({one.id for one in FIGURES}) == len(FIGURES) >= 22
    for one in FIGURES:
        assert page_of(one.page)


def test_names():
    assert [one.id for one in figures_named("baier-table1")] == ["baier-table1"]
    assert {one.id[:5] for one in figures_named("baier")} == {"baier"}
    assert len(figures_named("cohensius-fig2-7")) == 6
    assert figures_named(None) == list(FIGURES)
    with pytest.raises(SpadesError, match="no table or figure 'baier-table9'; legal are white"):
        figures_named("baier-table9")


def test_scales():
    assert [parse_scale(text) for text in ("quick", "full", "0.1")] == [0.0, 1.0, 0.1]
    for text in ("2", "-1", "nan", "much"):
        with pytest.raises(SpadesError, match="quick, full or a share of full"):
            parse_scale(text)
    assert [Lab(share).n(1000, 4) for share in (0, 0.1001, 1)] == [4, 100, 1000]


def test_what_differs_has_an_experiment_or_says_that_no_cause_is_found():
    for figure, document in stored().items():
        for row in document["rows"]:
            text = row["explanation"].lower()
            if row["verdict"] == DIFFERS and UNKNOWN_CAUSE not in text:
                assert "other readings" in text, f"{figure}, {row['claim']}: {text}"
                assert document["readings"]


def test_nodes_that_query_the_model_are_counted_by_round():
    agent = "ismcts:iterations=40,bias=experience,model=t-200-100,delay="
    record = open_log(baier.LOG).record(3)
    plays = [record.observation(ply) for ply in range(52)]
    unforced = sum(one.seat == SOUTH and one.legal_mask.bit_count() > 1 for one in plays)
    assert baier.queried_nodes(3, 4, f"{agent}root") == [(unforced, unforced)]
    (nodes, n), _ = baier.queried_nodes(3, 5, f"{agent}5")
    assert nodes > n == unforced


def test_differences():
    one, other = Estimate(0.6, (0.5, 0.7), 10, "games"), Estimate(0.5, (0.3, 0.6), 20, "games")
    assert one.less(other).value == pytest.approx(0.1)
    assert one.less(other).interval == pytest.approx((0.1 - 2**0.5 / 10, 0.1 + 5**0.5 / 10))
    assert one.less(Estimate(None, None, 0, "games")).interval is None
    wins = difference(np.array([2.0, 1.0, 2.0]), np.array([1.0, 1.0, 0.0]))
    assert (wins.value, wins.n) == (0.5, 3)
    alike = difference(np.ones(50), np.ones(50))  # nothing is exactly 0
    assert alike.interval == pytest.approx((-0.02, 0.02))


def test_a_study_is_made_stored_and_stopped(monkeypatch):
    InProcess(monkeypatch)
    lab = Lab(0.0)
    reproduce.run(figures_named("cohensius-table1-5-6"), lab, lambda figure: None)
    own = {one.question["figure"]: one.answer for one in lab.store.results(reproduce.KIND)}
    assert [row["verdict"] for row in own["cohensius-table1-5-6"]["rows"]] == ["agrees"] * 3
    stopped = Lab(0.0, is_cancelled=lambda: True)
    with pytest.raises(StoppedError):
        reproduce.run(figures_named("cohensius-table4"), stopped, lambda figure: None)


def test_parts_are_made_once_and_counted_once(monkeypatch):
    workers, told = InProcess(monkeypatch), []
    lab = Lab(0.0, tell=lambda made: told.append((made.done, made.total)))
    assert lab.measure("a test", add, [(0, 1), (1, 2)], 5) == [6, 8]
    assert lab.measure("a test", add, [(0, 1), (1, 2), (2, 3)], 5) == [6, 8, 10]
    assert len(workers.done) == 3
    assert all(done <= total for done, total in told)
    assert told[-1] == (3, 3)


def add(first, end, more):
    return first + end + more


def test_parts_that_took_long_are_found_to_be_shipped(monkeypatch):
    InProcess(monkeypatch)
    Lab(0.0).measure("long parts", add, [(0, 1), (1, 2)], 5)
    stopped = Lab(1.0, is_cancelled=lambda: True)
    with pytest.raises(StoppedError):
        stopped.measure("long parts", add, [(0, 1), (1, 2), (2, 3)], 5)
    assert [stopped.store.has(*place) for place in stopped.used] == [True, True, False]
    quick, slow = (MatchPlan(agent, "srp+bis", 2, 0) for agent in ("srp+rb", "uct:iterations=3"))
    with pytest.raises(StoppedError):
        stopped.play(quick, slow)
    assert {question["agents"][1] for _, question in stopped.used[3:]} == {slow.ns}


@pytest.mark.parametrize("name", ["baier", "devlin-fig1", "reward-scale"])
def test_the_log_has_what_a_sweep_asks_for(name):
    plan = read_sweep(DATA / "sweeps" / f"{name}.toml")
    assert Sweep(plan).plan.games == GRID_GAMES


def test_shipped_parts_are_in_the_store_of_whoever_goes_on():
    lab = Lab(1.0, is_cancelled=lambda: True)
    kinds = {kind: len(list(lab.store.results(kind))) for kind in (PART, MEASURED)}
    assert min(kinds.values()) > 100
    figure = figures_named("whitehouse-stability")[0]
    made = figure.study.make(lab)[figure.id]  # nothing is left to be computed
    assert made["rows"][0]["n"] == shipped()[figure.id]["rows"][0]["n"]


def test_rounds_of_a_part_are_counted():
    part = cohensius.rounds_part(0, 3, ["srp+bis"] * 4, 1)
    n_rounds = sum(part["sums"])
    assert sum(part["legal"]) == 52 * n_rounds
    assert sum(part["heard"]) == n_rounds >= 3
    n, own, other = np.array(part["by_sum"])
    assert n.sum() <= n_rounds
    assert (np.abs(own) + np.abs(other) > 0).sum() <= (n > 0).sum()


@pytest.fixture(scope="module")
def known():
    return stored()


def test_all_are_shipped_with_intervals_and_explanations(known):
    assert set(known) == {one.id for one in FIGURES} == set(shipped())
    rows = [row for document in known.values() for row in document["rows"]]
    for row in rows:
        assert set(row) >= KEYS
        assert row["interval"] is not None, row["claim"]
        assert row["interval"][0] <= row["ours"] <= row["interval"][1], row["claim"]
        assert row["explanation"] or row["verdict"] != DIFFERS, row["claim"]


def test_points_a_round_stand_beside_games_won(known):
    found = [
        row
        for document in known.values()
        for row in (*document["rows"], *document["readings"])
        if document["share"] == 1.0 and row["claim"].endswith("games won")
    ]
    assert len(found) > 30
    for row in found:
        value, (low, high) = row["points"]
        assert low <= value <= high, row["claim"]
        if "less" not in row["claim"] and abs(row["ours"] - 0.5) > 0.1:
            assert (value > 0) == (row["ours"] > 0.5), row["claim"]


def test_points_a_round_of_a_match():
    lab, plan = Lab(0.0), MatchPlan("srp+bis", "random", 4, 0)
    results, won = lab.results(plan), lab.win_rate(plan)
    ahead = results.scores[..., 0].sum() - results.scores[..., 1].sum()
    assert won.points.value == pytest.approx(ahead / results.rounds.sum())
    lost = lab.win_rate(MatchPlan("random", "srp+bis", 4, 0))
    assert won.less(lost).points.value == pytest.approx(2 * won.points.value)


def test_the_docs_say_what_is_stored():
    assert report.DOCS.read_text("utf-8") == report.text()


def test_shipped_parts_are_kept_while_their_agents_play_as_they_did(monkeypatch):
    agents = ["uct:iterations=30", "random"]
    question = {"agents": agents, "seed": 3, **version_of(*agents)}
    assert report.is_asked(question)
    assert report.is_asked({"arguments": ["four-ismcts"], "code": "any"})
    of_sweep = read_sweep(DATA / "sweeps" / "baier.toml").part_question("ismcts", 0, 9)
    change_behaviour(monkeypatch, parts=["uct"])
    assert not report.is_asked(question)
    assert report.is_asked(of_sweep)
    change_behaviour(monkeypatch, parts=["ismcts"])
    assert not report.is_asked(of_sweep)
