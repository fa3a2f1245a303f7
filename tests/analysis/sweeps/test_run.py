"""Sweeps: numbers against hand counts, nothing measured twice, the same whatever the workers."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.matches.match import MATCH, MatchPlan, play_match
from analysis.runs.store import ResultStore
from analysis.style.compare import kl_divergence, smoothed
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.library import read_document, sweep_table
from analysis.sweeps.run import Sweep, budget_part, run_sweep
from analysis.sweeps.sweep import BUDGET, EQUAL_TIME, SETTING, Setting, SweepError, config_text
from analysis.sweeps.views import setting_table
from spades.agents import parse_agent
from spades.cli.main import main
from spades.core.deal import derive_seed
from spades.core.errors import InvalidRecordError
from spades.human import load_model
from spades.human.features.abstract_moves import MOVE_32_OF_68
from spades.human.features.logs import LEGAL, MOVE, contexts_of_log
from spades.notation.log_store import content_hash, open_log, store_log
from spades.search import Experience, Knowledge, Pikl, search
from tests.analysis.small_sweeps import SMALL, store_tiny_log, without_time
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour

ROOT = Path(__file__).parents[3]
dask = pytest.mark.xdist_group("dask")
SOUTH = 2


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_tiny_log()


@pytest.fixture
def at_work(monkeypatch):
    monkeypatch.setattr("analysis.runs.tasks.TASK_SECONDS", 0.05)
    return InProcess(monkeypatch)


def found(document, iterations):
    return next(one for one in document["settings"] if one["setting"]["iterations"] == iterations)


def test_held_out_decisions_are_the_humans_choices_each_once_in_an_order_of_the_seed():
    log = open_log("tiny")
    held, other = hold_out(log, 1), hold_out(log, 2)
    legal = contexts_of_log(log).codes[LEGAL].reshape(-1)
    assert held.kind == "simulated-human"
    assert len(held.choices) + held.forced[-1] <= 12 * 13
    assert len(set(map(tuple, held.choices.tolist()))) == len(held.choices)
    assert (legal[held.choices @ (52, 1)] > 1).all()
    assert sorted(held.choices.tolist()) == sorted(other.choices.tolist())
    assert held.choices.tolist() != other.choices.tolist()
    for record, ply in held.records(held.choices):
        assert record.at(ply).table.turn == SOUTH
    assert sorted(held.rounds.tolist()) == [[row, SOUTH] for row in range(12)]


def test_the_accuracy_is_that_of_searching_every_decision_by_hand(at_work):
    document = run_sweep(SMALL)
    held = hold_out(open_log("tiny"), SMALL.seed)
    for iterations in (20, 10, 60):
        hits = 0
        for i, (record, ply) in enumerate(held.records(held.choices[: SMALL.decisions])):
            seed = derive_seed(SMALL.seed, 1, i)
            best = search(record.observation(ply), iterations=iterations, seed=seed).best
            hits += best.card == record.plays[ply]
        accuracy = found(document, iterations)["accuracy"]
        forced = int(held.forced[SMALL.decisions - 1])
        assert (accuracy["hits"], accuracy["n"]) == (hits, 40)
        assert accuracy["all_plays"]["n"] == 40 + forced
        assert accuracy["all_plays"]["hits"] == hits + forced
        low, high = accuracy["interval"]
        assert low < accuracy["share"] < high
    usual, long = (found(document, iterations)["accuracy"] for iterations in (20, 60))
    assert usual["gain"] == {"value": 0.0, "interval": None}
    assert long["gain"]["value"] == pytest.approx((long["hits"] - usual["hits"]) / 40)


def test_log_loss_and_calibration_are_those_of_searching_by_hand(at_work):
    pikl = Setting(Pikl("devlin2016-nil", 50.0, "sample"), 20)
    human = Setting.direct("devlin2016-nil")
    document = run_sweep(replace(SMALL, settings=(pikl, human), games=0, rounds=0))
    held = hold_out(open_log("tiny"), SMALL.seed)
    player, model = parse_agent(pikl.agent()).player, load_model("devlin2016-nil")
    losses, hits = np.zeros((3, 40)), 0
    for i, (record, ply) in enumerate(held.records(held.choices[:40])):
        seen, card = record.observation(ply), record.plays[ply]
        result = player.search(seen, derive_seed(SMALL.seed, 1, i))
        (row,) = [one for one in result.cards if one.card == card]
        known = [row.visits / 20, row.policy, model.probabilities(seen)[card]]
        losses[:, i] = -np.log(np.maximum(known, 1e-12))
        hits += result.best.card == card
    found = [one["probabilities"] for one in document["settings"]]
    assert [one["log_loss"]["value"] for one in found] == pytest.approx(losses.mean(1).tolist())
    assert document["settings"][1]["accuracy"]["hits"] == hits
    assert document["settings"][1]["time"]["model_calls"] == 1
    for one in found:
        low, high = one["log_loss"]["interval"]
        assert low < one["log_loss"]["value"] < high
        assert 0 < one["ece"] < 1
    table = setting_table(document)
    assert table["log_loss"].tolist() == pytest.approx(losses.mean(1).tolist())
    assert table["lambda"].iloc[1] == 50
    assert "pikl λ 50, sampled" in sweep_table(document)


def test_kl_is_that_of_the_moves_counted_by_hand(at_work):
    document = run_sweep(SMALL)
    sweep = Sweep(SMALL)
    log, agent = sweep.held.log, parse_agent("ismcts:iterations=60")
    codes = contexts_of_log(log).codes
    human, ours = np.zeros(32), np.zeros(32)
    for row in range(len(log)):
        for ply in range(52):
            if log.record(row).at(ply).table.turn == SOUTH:
                human[MOVE_32_OF_68[codes[MOVE, row, ply]]] += 1
    usual = parse_agent("ismcts:iterations=20")
    for i in range(SMALL.rounds):
        record, seed = log.record(int(sweep.held.rounds[i, 0])), derive_seed(SMALL.seed, 2, i)
        state = record.start()
        moves = []
        for ply in range(52):
            player = agent.player if state.table.turn == SOUTH else usual.player
            at = derive_seed(seed, 2, ply)
            moves.append(state.table.turn == SOUTH)
            state.play(player.play(record.observe(state), at))
        again = replace(record, plays=tuple(state.table.plays))
        store_log(type(log).from_records([again]), f"again-{i}")
        its_codes = contexts_of_log(open_log(f"again-{i}")).codes
        for ply in np.flatnonzero(moves):
            ours[MOVE_32_OF_68[its_codes[MOVE, 0, ply]]] += 1
    kl = found(document, 60)["kl"]
    assert (kl["plays"], kl["human_plays"], kl["rounds"]) == (6 * 13, 12 * 13, 6)
    assert kl["value"] == pytest.approx(kl_divergence(smoothed(human), smoothed(ours)))
    assert kl["interval"][0] <= kl["value"] <= kl["interval"][1]


def test_the_match_is_that_of_the_arena_and_the_unbiased_search_has_none(at_work):
    document = run_sweep(SMALL)
    n_played = len(at_work.done)
    assert not list(ResultStore().results(MATCH)), "no match of the league"
    arena = play_match(MatchPlan("ismcts:iterations=60", "ismcts:iterations=20", 2, seed=5))
    assert len(at_work.done) == n_played, "its parts are in the store"
    match = found(document, 60)["match"]
    assert match["key"] == arena.key
    assert match["win_rate"] == arena.win_rate
    assert match["interval"] == pytest.approx(arena.interval)
    assert found(document, 20)["match"] is None


def test_nothing_is_measured_twice_by_this_sweep_or_another(at_work):
    first = run_sweep(SMALL)
    n_done = len(at_work.done)
    assert len({repr(part) for part in at_work.done}) == n_done
    assert run_sweep(SMALL)["settings"] == first["settings"]
    wider = replace(SMALL, settings=(*SMALL.settings, Setting(iterations=15)), name="wider")
    document = run_sweep(wider)
    assert document["settings"][:3] == first["settings"]
    assert all("iterations=15" in repr(asked) for asked in at_work.done[n_done:])
    longer = replace(SMALL, decisions=80, settings=())
    n_done = len(at_work.done)
    run_sweep(longer)
    assert len(at_work.done) > n_done


def test_settings_that_came_without_their_parts_are_built_on(at_work, monkeypatch):
    first = run_sweep(SMALL)
    wider = replace(SMALL, settings=(*SMALL.settings, Setting(iterations=15)), name="wider")
    whole = without_time(run_sweep(wider))
    monkeypatch.setenv("SPADES_RESULTS", os.environ["SPADES_RESULTS"] + "-shipped")
    for setting, one in zip(SMALL.settings, first["settings"], strict=True):
        ResultStore().put(SETTING, SMALL.question(setting), one)
    told = []
    document = run_sweep(wider, tell=lambda progress: told.append((progress.done, progress.total)))
    assert document["settings"][:3] == first["settings"]
    assert without_time(document) == whole
    assert told[-1][0] == told[-1][1]


@pytest.mark.slow
def test_a_sweep_that_is_stopped_goes_on_as_if_it_had_not_been(at_work, monkeypatch):
    whole = without_time(run_sweep(SMALL))
    n_tasks = len(at_work.done)
    monkeypatch.setenv("SPADES_RESULTS", os.environ["SPADES_RESULTS"] + "-again")
    at_work.done.clear()
    told, runs = [], 0
    while True:
        runs += 1
        start = len(at_work.done)
        document = run_sweep(
            SMALL,
            tell=lambda progress: told.append((progress.done, progress.total)),
            is_cancelled=lambda start=start: len(at_work.done) >= start + 3,
        )
        if document is not None:
            break
        assert runs < 100
    assert runs > 2
    assert len(at_work.done) == n_tasks
    assert without_time(document) == whole
    assert told[-1][0] == told[-1][1]
    assert all(done <= total for done, total in told)


def test_what_changes_an_answer_changes_its_key(monkeypatch):
    keys = {SMALL.key}
    changes = [{"games": 4}, {"decisions": 41}, {"rounds": 7}, {"seed": 6}, {"iterations": 21}]
    for change in [*changes, {"settings": ()}]:
        keys.add(replace(SMALL, **change).key)
    assert replace(SMALL, name="other", title="other").key == SMALL.key
    store_log(open_log("tiny").take(slice(5)), "shorter")
    keys.add(replace(SMALL, log="shorter").key)
    assert content_hash("shorter") != content_hash("tiny")
    change_behaviour(monkeypatch, parts=["ismcts:objective=game", "ismcts:bias=pikl", "+bis"])
    assert SMALL.key in keys  # it asks for none of these
    parts = ["ismcts", "rules", "+human"]
    for part in parts:
        change_behaviour(monkeypatch, parts=[part])
        keys.add(SMALL.key)
    assert len(keys) == len(changes) + 3 + len(parts)


def test_a_setting_is_measured_anew_where_its_own_agent_plays_otherwise(monkeypatch):
    knowledge = Setting(Knowledge("devlin2016"))
    experience = Setting(Experience("devlin2016"))
    plan = replace(SMALL, settings=(knowledge, experience))
    alone = replace(SMALL, settings=(knowledge,))
    assert plan.question(knowledge) == alone.question(knowledge)
    before = [plan.question(setting) for setting in plan.settings]
    change_behaviour(monkeypatch, parts=["ismcts:bias=experience"])
    after = [plan.question(setting) for setting in plan.settings]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"decisions": 1000}, SweepError, "decisions is 1,000; the log tiny has"),
        ({"rounds": 13}, SweepError, "rounds is 13; the log tiny has 12 held-out"),
        ({"log": "ghost"}, InvalidRecordError, "no log 'ghost' in the store"),
    ],
)
def test_a_log_that_has_not_enough_is_refused(change, error, message):
    with pytest.raises(error, match=message):
        run_sweep(replace(SMALL, **change))


def test_a_log_without_humans_is_refused():
    log = open_log("tiny")
    store_log(replace(log, kind=np.ones_like(log.kind)), "bots")
    with pytest.raises(SweepError, match="no card played by a human"):
        run_sweep(replace(SMALL, log="bots"))


def test_measures_that_were_not_asked_for_are_left_out(at_work):
    document = run_sweep(replace(SMALL, games=0, rounds=0))
    one = found(document, 60)
    assert (one["match"], one["kl"], one["auc"]) == (None, None, None)
    assert one["accuracy"]["n"] == 40
    row = setting_table(document).iloc[0]
    assert np.isnan(row["kl"])
    assert " - " in sweep_table(document)
    document = run_sweep(replace(SMALL, decisions=0))
    assert found(document, 60)["accuracy"] is None
    assert sweep_table(document)


def test_equal_time_is_measured_once_and_kept(at_work, monkeypatch):
    setting = Setting(Knowledge("devlin2016", 0.1, 10.0), EQUAL_TIME)
    plan = replace(SMALL, settings=(setting,))
    calls = []

    def measured(*arguments):
        calls.append(arguments)
        return {"iterations": 17, "decisions": 60}

    monkeypatch.setattr("analysis.sweeps.run.budget_part", measured)
    document = run_sweep(plan)
    assert "iterations=17,bias=knowledge" in document["settings"][1]["agent"]
    assert document["settings"][1]["time"]["budget"]["iterations"] == 17
    (stored,) = ResultStore().results(BUDGET)
    assert stored.answer["iterations"] == 17
    run_sweep(replace(plan, games=4))
    assert len(calls) == 1


def test_equal_time_of_the_same_search_is_about_as_many_iterations():
    held = hold_out(open_log("tiny"), 1)
    choices = held.records(held.choices[:20])
    agent = "ismcts:iterations=400"
    same = budget_part(agent, agent, choices, 1)["iterations"]
    assert 200 < same < 800


def test_no_bias_is_the_unbiased_search_and_the_model_calls_are_counted(at_work):
    free = Setting(Knowledge("devlin2016", 0.0), 20)
    never = Setting(Knowledge("devlin2016", 0.5, delay="inf"), 20)
    root = Setting(Knowledge("devlin2016", 0.5, delay="root"), 20)
    document = run_sweep(replace(SMALL, settings=(free, never, root), games=0))
    usual, *same, biased = document["settings"]
    for one in same:
        assert one["accuracy"]["hits"] == usual["accuracy"]["hits"]
        assert one["kl"] == usual["kl"]
    assert same[1]["time"]["model_calls"] == 0
    assert 0 < biased["time"]["model_calls"] <= 1
    assert biased["accuracy"]["hits"] > usual["accuracy"]["hits"]


def test_the_command_prints_a_table_or_one_document_and_writes_it(at_work, tmp_path, capsys):
    config = tmp_path / "small.toml"
    config.write_text(config_text(SMALL))
    out = tmp_path / "small.json"
    assert main(["sweep", str(config), "--json", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert json.loads(out.read_text()) == document == read_document(out)
    assert "parts" in captured.err
    assert len(document["settings"]) == 3
    assert document["humans"] == "simulated-human"
    assert main(["sweep", str(config)]) == 0
    table = capsys.readouterr().out
    assert "simulated humans of the log tiny" in table
    assert f"key {SMALL.key}" in table
    config.write_text("games = 3")
    assert main(["sweep", str(config)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "[[grid]]" in captured.err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"plan": {}}', "nonsense"])
def test_files_that_are_no_results_are_refused(text, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(SweepError):
        read_document(tmp_path / "a.json")


# With processes


@dask
@pytest.mark.exhaustive
def test_one_worker_and_two_give_the_same_sweep(tmp_path, monkeypatch):
    documents = []
    for workers in (1, 2):
        monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / str(workers)))
        documents.append(without_time(run_sweep(SMALL, workers=workers)))
    assert documents[0] == documents[1]
