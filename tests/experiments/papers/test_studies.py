"""The studies of the papers: how they are made at a scale, stored, stopped and shipped."""

import numpy as np
import pytest

from analysis.matches.match import PART, MatchPlan
from analysis.papers import results
from analysis.papers.figures import FIGURES, GRID_GAMES, figures_named
from analysis.papers.results import KIND, shipped_documents
from analysis.runs.store import version_of
from analysis.sweeps.run import Sweep
from analysis.sweeps.sweep import read_sweep
from experiments.papers import baier, baier_plays, cohensius, devlin, ship
from experiments.papers import lab as laboratory
from experiments.papers.claims import Estimate
from experiments.papers.lab import MEASURED, PARTS, Lab, StoppedError, difference, parse_scale
from experiments.papers.run import STUDIES, make_figures, make_study
from spades.core.cards import SOUTH
from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.notation.log_store import open_log
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour
from tests.results import own_results  # noqa: F401 - a fixture of every test here


def test_every_figure_has_a_study_that_makes_it():
    assert {figure.study.name for figure in FIGURES} == set(STUDIES)
    assert {path.name.removesuffix(".jsonl.xz") for path in PARTS.iterdir()} <= set(STUDIES)


def test_scales():
    assert [parse_scale(text) for text in ("quick", "full", "0.1")] == [0.0, 1.0, 0.1]
    for text in ("2", "-1", "nan", "much"):
        with pytest.raises(SpadesError, match="quick, full or a share of full"):
            parse_scale(text)
    assert [Lab(share).n(1000, 4) for share in (0, 0.1001, 1)] == [4, 100, 1000]


def test_nodes_that_query_the_model_are_counted_by_round():
    agent = "ismcts:iterations=40,bias=experience,model=t-200-100,delay="
    record = open_log(baier_plays.LOG).record(3)
    plays = [record.observation(ply) for ply in range(52)]
    unforced = sum(one.seat == SOUTH and one.legal_mask.bit_count() > 1 for one in plays)
    assert baier_plays.count_queries(3, 4, f"{agent}root") == [(unforced, unforced, unforced)]
    (nodes, calls, n), _ = baier_plays.count_queries(3, 5, f"{agent}5")
    assert calls > nodes > n == unforced
    (later_nodes, _, _), _ = baier_plays.count_queries(3, 5, f"{agent}5,asked=all-children")
    assert later_nodes < nodes


def test_the_opponent_of_baier_is_the_search_that_stands_in_for_the_commercial_one():
    assert baier.factory(2500) == devlin.FACTORY
    assert baier.factory(50) == devlin.FACTORY.replace("2500", "50") != devlin.FACTORY
    assert baier.plain(50) == "ismcts:iterations=50"


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
    make_figures(figures_named("cohensius-table1-5-6"), lab, lambda study: None)
    own = {one.question["figure"]: one.answer for one in lab.store.results(KIND)}
    assert [row["verdict"] for row in own["cohensius-table1-5-6"]["rows"]] == ["agrees"] * 3
    stopped = Lab(0.0, is_cancelled=lambda: True)
    with pytest.raises(StoppedError):
        make_figures(figures_named("cohensius-table4"), stopped, lambda study: None)


def test_parts_are_made_once_and_counted_once(monkeypatch):
    workers, told = InProcess(monkeypatch), []
    lab = Lab(0.0, tell=lambda made: told.append((made.done, made.total)))
    assert lab.measure("a test", add, [(0, 1), (1, 2)], 5, agents=("srp",)) == [6, 8]
    assert lab.measure("a test", add, [(0, 1), (1, 2), (2, 3)], 5, agents=("srp",)) == [6, 8, 10]
    assert len(workers.done) == 3
    assert all(done <= total for done, total in told)
    assert told[-1] == (3, 3)


def add(first, end, more):
    return first + end + more


def test_parts_that_took_long_are_found_to_be_shipped(monkeypatch):
    InProcess(monkeypatch)
    Lab(0.0).measure("long parts", add, [(0, 1), (1, 2)], 5, agents=("srp",))
    stopped = Lab(1.0, is_cancelled=lambda: True)
    with pytest.raises(StoppedError):
        stopped.measure("long parts", add, [(0, 1), (1, 2), (2, 3)], 5, agents=("srp",))
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
    figure = figures_named("whitehouse-stability")[0]
    made = make_study(figure.study, lab)[figure.id]  # nothing is left to be computed
    assert made["rows"][0]["n"] == shipped_documents()[figure.id]["rows"][0]["n"]
    for kind in (PART, MEASURED):
        assert len(list(lab.store.results(kind))) > 100


def test_rounds_of_a_part_are_counted():
    part = cohensius.count_rounds(0, 3, ["srp+bis"] * 4, 1)
    n_rounds = sum(part["sums"])
    assert sum(part["legal"]) == 52 * n_rounds
    assert sum(part["heard"]) == n_rounds >= 3
    n, own, other = np.array(part["by_sum"])
    assert n.sum() <= n_rounds
    assert (np.abs(own) + np.abs(other) > 0).sum() <= (n > 0).sum()


def test_points_a_round_of_a_match():
    lab, plan = Lab(0.0), MatchPlan("srp+bis", "random", 4, 0)
    results, won = lab.results(plan), lab.win_rate(plan)
    ahead = results.scores[..., 0].sum() - results.scores[..., 1].sum()
    assert won.points.value == pytest.approx(ahead / results.rounds.sum())
    lost = lab.win_rate(MatchPlan("random", "srp+bis", 4, 0))
    assert won.less(lost).points.value == pytest.approx(2 * won.points.value)


def test_shipped_parts_are_kept_while_their_agents_play_as_they_did(monkeypatch):
    agents = ["uct:iterations=30", "random"]
    question = {"agents": agents, "seed": 3, **version_of(*agents)}
    assert ship.is_asked(question)
    assert ship.is_asked({"arguments": ["four-ismcts"], "code": "any"})
    sweep = read_sweep(DATA / "sweeps" / "baier.toml")
    of_sweep = sweep.part_question("ismcts", 0, 9)
    of_setting = sweep.question(next(one for one in sweep.settings if one.is_equal_time))
    change_behaviour(monkeypatch, parts=["uct"])
    assert not ship.is_asked(question)
    assert ship.is_asked(of_sweep)
    assert ship.is_asked(of_setting)
    change_behaviour(monkeypatch, parts=["ismcts"])
    assert not ship.is_asked(of_sweep)
    assert not ship.is_asked(of_setting)


def test_a_new_figure_is_shipped_in_a_file_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", ["ship"])
    monkeypatch.setattr(results, "FOLDER", tmp_path / "figures")
    monkeypatch.setattr(laboratory, "PARTS", tmp_path / "parts")
    make_figures(figures_named("cohensius-table1-5-6"), Lab(0.0), lambda study: None)
    ship.main()
    of_the_study = {"cohensius-table1-5-6", "cohensius-examples"}
    paths = {results.shipped_path(figure_id) for figure_id in of_the_study}
    assert set((tmp_path / "figures").iterdir()) == paths
    assert shipped_documents()["cohensius-table1-5-6"]["share"] == 0.0
