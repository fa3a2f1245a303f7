"""A log searched once: cancelled, resumed, extended, damaged, it comes to the same rows."""

import json
import shutil
import sqlite3
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from analysis.decisions.conclusion import AS_GOOD, BEHIND, CLEAR, DIFFER, LEANS, OPEN, TOSS_UP
from analysis.decisions.evidence import Evidence, decide
from analysis.decisions.judge import judge_settings
from analysis.decisions.settings import AnalysisSettings
from analysis.disagreements import plan as plans
from analysis.disagreements import stored
from analysis.disagreements.plan import LogSearchError, LogSearchPlan
from analysis.disagreements.rows import (
    COLUMNS,
    KINDS,
    MEASURES,
    NILS,
    OUTCOMES,
    STANDINGS,
    Rows,
    joined,
    round_document,
    rows_of_round,
)
from analysis.disagreements.search import (
    conclude,
    missing_rounds,
    run_log_search,
    search_rounds,
)
from analysis.disagreements.search_log import main
from analysis.disagreements.stored import begun, find, round_kind, shipped
from analysis.runs import tasks
from analysis.runs.command import RESUMABLE
from analysis.runs.store import ResultStore, ResultStoreError
from spades.agents import UnknownAgentError
from spades.core.cards import mask_of
from spades.core.equivalence import equivalent_cards
from spades.core.errors import InvalidRecordError
from spades.core.logs import Log
from spades.notation.log_store import open_log
from tests.analysis.disagreements.quick import LEAST, MOST, SEARCHES, judge_quickly, store_cut_log
from tests.analysis.small_sweeps import tiny_log
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour

pytestmark = pytest.mark.xdist_group("log-search")  # one worker searches what they share
AGENT = "ismcts:iterations=40"
with pytest.MonkeyPatch.context() as few:
    judge_quickly(few)
    PLAN = LogSearchPlan("tiny", 12, AGENT, 3, MOST)
ARGUMENTS = ["tiny", "--agent", AGENT, "--seed", "3", "--played-on", f"{MOST}"]
N_PLAYS = 2  # of each round of the stored log, so that tests are quick
LATE_PLY = 29


def make_stores(patch, folder):
    """Stores of its own, one small log and a quick judge."""
    patch.setenv("SPADES_RESULTS", str(folder / "results"))
    patch.setenv("SPADES_LOGS", str(folder / "logs"))
    judge_quickly(patch)
    store_cut_log(12, N_PLAYS)


@pytest.fixture(autouse=True)
def stores(tmp_path, monkeypatch):
    make_stores(monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of results with the whole search."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        make_stores(patch, folder)
        InProcess(patch)
        assert run_log_search(PLAN)
    return folder / "results"


@pytest.fixture
def whole_search(made, stores, tmp_path):
    """Results of its own in which the search is whole."""
    shutil.copytree(made, tmp_path / "results", dirs_exist_ok=True)
    stored.forget_checks()


@pytest.fixture
def at_work(monkeypatch):
    """Rounds are searched in this process."""
    return InProcess(monkeypatch)


def searched(at_work):
    """The rounds searched, in order."""
    for _, (_, log, _) in at_work.done:
        assert len(log) == 1
    return [index for _, (_, _, index) in at_work.done]


def stored_rows(plan):
    """All results of the plan's rounds, in order."""
    search = find(plan)
    return joined(search.read(index) for index in search.rounds if index < plan.rounds)


def undisturbed(plan=PLAN):
    """Its rounds searched at once. A plan of fewer rounds, but else the same, is its beginning."""
    if plan == replace(PLAN, rounds=plan.rounds):
        return searched_at_once(PLAN).within(0, plan.rounds)
    return searched_at_once(plan)


@cache
def searched_at_once(plan):
    return search_rounds(plan, open_log(plan.log).take(slice(0, plan.rounds)), 0)


def same(found, wanted):
    for name in COLUMNS.names:
        np.testing.assert_array_equal(found.table[name], wanted.table[name], err_msg=name)
    assert found.refused == wanted.refused


def cancel_after(n_rounds):
    """Cancels once so many rounds have been reported."""
    told = []
    return {"tell": lambda progress: told.append(progress.done)}, lambda: len(told) > n_rounds


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"agent": "srp"}, LogSearchError, "srp doesn't search, so it has no visits"),
        ({"agent": "ghost"}, UnknownAgentError, "ghost"),
        ({"rounds": 0}, LogSearchError, "1 to 10,000,000 are legal"),
        ({"seed": -1}, LogSearchError, "seed is -1"),
        (
            {"played_on": LEAST - 1},
            LogSearchError,
            f"{LEAST - 1} rounds played on of a decision; {LEAST} to 2,000 are legal",
        ),
        (
            {"played_on": 2001},
            LogSearchError,
            f"2001 rounds played on of a decision; {LEAST} to 2,000 are legal",
        ),
    ],
)
def test_impossible_plans_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        LogSearchPlan(**{"log": "tiny", "rounds": 3, **change})


def test_least_and_most_rounds_played_on_are_legal():
    for legal in (LEAST, 2000):
        assert LogSearchPlan("tiny", 3, played_on=legal).played_on == legal
    assert LogSearchPlan("tiny", 3).played_on == plans.STANDARD_PLAYED_ON == 200


def test_a_longer_look_is_foreseen_to_take_longer():
    short, long = (replace(PLAN, played_on=n).seconds_a_round for n in (MOST, 10 * MOST))
    assert 0 < short < long


def test_a_log_that_is_not_there():
    with pytest.raises(InvalidRecordError, match="no log 'nope'"):
        LogSearchPlan("nope", 3).question()


def test_the_key_holds_all_that_the_rows_depend_on_and_not_how_many():
    key = PLAN.key
    assert LogSearchPlan("tiny", 2, f"{AGENT}+bis", 3, MOST).key == key  # bids don't matter
    assert LogSearchPlan("tiny", 12, AGENT, 4, MOST).key != key
    assert LogSearchPlan("tiny", 12, "ismcts:iterations=41", 3, MOST).key != key
    assert LogSearchPlan("tiny", 12, AGENT, 3, MOST + 1).key != key
    biased = LogSearchPlan("tiny", 12, f"{AGENT},bias=knowledge", 3)
    assert biased.question()["models"].keys() == {"devlin2016"}
    assert {"content", "code", "trust", "proof", "searches"} <= PLAN.question().keys()


@pytest.mark.parametrize("part", ["distilled", "best", "rules"])
def test_a_judge_that_decides_otherwise_asks_anew(part, monkeypatch):
    key = PLAN.key
    change_behaviour(monkeypatch, parts=[part])
    assert PLAN.key != key


@pytest.mark.parametrize("table", ["trusts", "table_of_chances"])
def test_another_fit_of_the_judge_asks_anew(table, monkeypatch):
    key = PLAN.key
    monkeypatch.setattr(plans, table, dict)
    assert PLAN.key != key


def test_another_log_under_the_same_name_asks_anew(tmp_path):
    key = PLAN.key
    (tmp_path / "logs" / "tiny.parquet").unlink()
    store_cut_log(11, N_PLAYS)
    assert PLAN.key != key


@pytest.mark.slow
def test_rows_are_the_conclusions_that_replay_draws():
    """By the same rounds played on, as far as their number goes; shares are the agent's."""
    plan = replace(PLAN, rounds=1)
    record = tiny_log(12).record(0)
    mine = search_rounds(plan, tiny_log(12).take(slice(0, 1)), 0).table
    settings = judge_settings(AnalysisSettings(40, seed=3))
    kinds, standings = set(), set()
    for ply in range(52):
        seen, rows = record.observation(ply), mine[mine["ply"] == ply]
        classes = equivalent_cards(seen)
        if len(classes) == 1:
            assert not len(rows)
            continue
        assert {mask_of(cards) for cards in classes} == set(rows["cards"].tolist())
        found = decide(record, ply, settings, budget=60.0, most_rounds=MOST)
        shares = shares_of_agent(plan, seen)
        assert found.is_settled or found.rounds == MOST
        assert (rows["played_on"] == found.rounds).all()
        assert {KINDS[kind] for kind in rows["kind"]} == {found.kind}
        for row, wanted in zip(rows, found.classes, strict=True):
            same_class(row, wanted, seen)
            assert row["share"] == pytest.approx(shares[row["cards"].item()], abs=1e-3)
        if found.proof and found.proof.is_sure:
            assert rows["error"].tolist() == [0] * len(classes)
            assert np.isnan(rows["own_contract"]).all()
        kinds.add(found.kind)
        standings |= {one.standing for one in found.classes}
    assert kinds >= {CLEAR, DIFFER, TOSS_UP}
    assert standings == {AS_GOOD, OPEN, BEHIND}


def shares_of_agent(plan, seen):
    """By class, as a mask, its mean share of the visits of the agent's searches."""
    searches = [plan.player.search(seen, plan.seed + i) for i in range(SEARCHES)]
    shares = {}
    for cards in equivalent_cards(seen):
        visits = [
            sum(row.visits for row in search.cards if row.card.code in cards) for search in searches
        ]
        all_visits = [sum(row.visits for row in search.cards) for search in searches]
        shares[mask_of(cards)] = np.mean(np.divide(visits, all_visits))
    return shares


def same_class(row, wanted, seen):
    assert row["cards"] == seen.rules.cards.parse_cards(wanted.cards)
    assert STANDINGS[row["standing"]] == wanted.standing
    numbers = (wanted.value, wanted.error, wanted.behind, *wanted.interval)
    for name, number in zip(MEASURES[1:], numbers, strict=True):
        assert row[name] == pytest.approx(number, abs=0.02)  # stored searches round values
    if wanted.outcomes is None:
        assert all(np.isnan(row[name]) for name in (*OUTCOMES, *NILS))
        return
    for name in OUTCOMES:
        assert row[name] == pytest.approx(getattr(wanted.outcomes, name), abs=1e-3, nan_ok=True)
    for seat, name in enumerate(NILS):
        nils = wanted.outcomes.nils
        assert row[name] == pytest.approx(nils.get(seat, np.nan), abs=1e-3, nan_ok=True)


def test_the_judge_is_the_same_whatever_agent_is_searched():
    record = tiny_log(12).record(0)
    one, other = (
        conclude(LogSearchPlan("tiny", 1, agent, 3, MOST), record, LATE_PLY)
        for agent in (AGENT, "ismcts:iterations=90,bias=knowledge")
    )
    assert [replace(value, share=0.0) for value in one.classes] == [
        replace(value, share=0.0) for value in other.classes
    ]
    assert [value.share for value in one.classes] != [value.share for value in other.classes]
    assert (one.kind, one.rounds) == (other.kind, other.rounds)


def test_an_agent_that_never_visits_all_classes_is_judged_all_the_same():
    plan = LogSearchPlan("tiny", 1, "ismcts:iterations=2", 3, MOST)
    rows = search_rounds(plan, open_log("tiny").take(slice(0, 1)), 0)
    first = rows.table[: rows.starts[1]]
    assert len(first) > 2 * SEARCHES
    assert np.isfinite(first["value"]).all()
    assert (first["share"] == 0).any()
    assert first["share"].sum() == pytest.approx(1, abs=1e-3)


def test_a_decision_that_the_judge_does_not_value_says_so(monkeypatch):
    monkeypatch.setattr(Evidence, "_judged", undecided)
    rows = search_rounds(PLAN, open_log("tiny").take(slice(0, 1)), 0)
    assert len(rows.starts) > 1
    for name in MEASURES[1:]:
        assert np.isnan(rows.table[name]).all()
    assert set(rows.table["played_on"]) == {0}
    assert set(rows.table["kind"]) == {KINDS.index(LEANS)}
    assert set(rows.table["standing"]) == {STANDINGS.index(OPEN)}
    again = rows_of_round(round_document(rows, 0), 0)
    assert again.table.tobytes() == rows.table.tobytes()


def undecided(evidence):
    return None


@pytest.mark.slow
def test_cancelled_resumed_and_extended_is_an_undisturbed_run(at_work):
    options, is_cancelled = cancel_after(6)
    short = LogSearchPlan("tiny", 7, AGENT, 3, MOST)
    assert not run_log_search(short, is_cancelled=is_cancelled, **options)
    assert searched(at_work) == [0, 1, 2, 3, 4, 5]
    assert missing_rounds(short, 12) == [6]
    found = stored_rows(PLAN)  # what there is, all of it complete
    same(found, undisturbed().within(0, 6))
    assert run_log_search(short)
    assert searched(at_work) == list(range(7))
    same(stored_rows(short), undisturbed(short))
    assert run_log_search(PLAN)  # longer: nothing of the shorter one is searched again
    assert searched(at_work) == list(range(12))
    same(stored_rows(PLAN), undisturbed())
    same(stored_rows(short), undisturbed(short))
    assert run_log_search(LogSearchPlan("tiny", 400, AGENT, 3, MOST))  # more than the log has
    assert searched(at_work) == list(range(12))


def test_progress_counts_rounds(at_work):
    told = []
    run_log_search(replace(PLAN, rounds=1))
    longer = replace(PLAN, rounds=3)
    run_log_search(longer, tell=lambda progress: told.append((progress.done, progress.total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_begun_searches_are_listed_with_what_was_asked(at_work):
    assert begun() == []
    run_log_search(LogSearchPlan("tiny", 1, AGENT, 3, MOST))
    run_log_search(LogSearchPlan("tiny", 1, AGENT, 4, MOST))
    assert [question["seed"] for question in begun()] == [4, 3]
    assert begun()[1] == PLAN.question()
    for i in range(2):
        ResultStore().put(plans.SEARCH, {"odd": i}, {"command": ""})
    with sqlite3.connect(ResultStore().path) as connection:
        connection.execute("UPDATE results SET question = '[]' WHERE question = '{\"odd\":0}'")
    connection.close()
    assert [question["seed"] for question in begun()] == [4, 3]


def test_rounds_without_bids_are_refused_and_counted():
    log = open_log("tiny")
    records = list(log.records())
    bare = [records[0], replace(records[1], bids=(-1,) * 4), replace(records[2], plays=())]
    rows = search_rounds(PLAN, Log.from_records(bare), 5)
    assert set(rows.refused) == {6}
    assert "the bids are not known" in rows.refused[6]
    assert set(rows.table["round"].tolist()) == {5}


@pytest.mark.slow
def test_a_stored_round_is_the_same_bit_by_bit():
    rows = undisturbed(replace(PLAN, rounds=2))
    rows = replace(rows, refused={1: "the bids are not known"})
    for index in range(2):
        document = json.loads(json.dumps(round_document(rows.within(index, index + 1), index)))
        again = rows_of_round(document, index)
        wanted = rows.within(index, index + 1)
        assert len(np.unique(wanted.table["standing"])) > 1
        assert again.table.tobytes() == wanted.table.tobytes()
        assert again.refused == wanted.refused


def test_rounds_that_were_cut_short_are_refused():
    rows = undisturbed(replace(PLAN, rounds=1))
    cut = Rows(rows.table[: rows.starts[1] - 1])  # without a class
    with pytest.raises(LogSearchError, match="aren't searched to the end"):
        rows_of_round(round_document(cut, 0), 0)
    document = round_document(rows, 0)
    columns = document["columns"]
    for damaged in (
        None,
        [],
        {},
        {"columns": {}, "refused": None},
        {"columns": {**columns, "cards": columns["cards"][1:]}, "refused": None},
        {"columns": {**columns, "cards": ["x"] * len(rows.table)}, "refused": None},
        {"columns": {**columns, "ply": [1000] * len(rows.table)}, "refused": None},
    ):
        with pytest.raises(LogSearchError, match="round 0 is no searched round"):
            rows_of_round(damaged, 0)


def damage(rounds, change="answer = '{}'"):
    """Change stored rounds, as a failing disk may, before the process starts again."""
    with sqlite3.connect(ResultStore().path) as connection:
        for index in rounds:
            text = f"UPDATE results SET {change} WHERE kind = ? AND question = ?"
            connection.execute(text, (round_kind(PLAN.key), f'{{"round":{index}}}'))
    connection.close()
    stored.forget_checks()


@pytest.mark.slow
def test_damaged_rounds_are_searched_again_and_no_others(at_work, whole_search):
    damage([1], "answer = replace(answer, '1', '2')")
    damage([7], "digest = 'none'")
    found = find(PLAN)
    assert [reason.split(":")[0] for reason in found.damaged] == ["round 1", "round 7"]
    assert "isn't what was written" in found.damaged[0]
    assert found.rounds == (0, 2, 3, 4, 5, 6, 8, 9, 10, 11)
    whole = undisturbed()
    same(stored_rows(PLAN), joined([whole.within(0, 1), whole.within(2, 7), whole.within(8, 12)]))
    at_work.done.clear()
    assert run_log_search(PLAN)
    assert searched(at_work) == [1, 7]
    same(stored_rows(PLAN), whole)
    assert find(PLAN).damaged == ()
    assert ResultStore().check() == []


def test_a_damaged_result_whose_round_is_there_is_passed_over(at_work, whole_search):
    damage([3], "key = 'another'")
    assert [reason.split(":")[0] for reason in find(PLAN).damaged] == ["round 3"]
    at_work.done.clear()
    assert run_log_search(PLAN)
    assert searched(at_work) == [3]
    assert find(PLAN).damaged == ()
    assert len(ResultStore().check(repair=True)) == 1


def test_a_result_that_says_no_more_which_round_it_is_holds_up_nothing(at_work, whole_search):
    damage([3], "question = 'junk'")
    assert [reason.split(":")[0] for reason in find(PLAN).damaged] == ["a round"]
    assert missing_rounds(PLAN, 12) == [3]
    assert run_log_search(PLAN)
    assert find(PLAN).rounds == tuple(range(12))
    assert find(PLAN).damaged == ()


def test_a_round_that_is_damaged_while_the_server_runs_is_never_read_as_true(at_work, whole_search):
    search = find(PLAN)
    known = dict(stored._checked)
    damage([2])
    stored._checked.update(known)  # this process has checked it before
    assert find(PLAN) == search
    with pytest.raises(ResultStoreError, match="isn't what was written"):
        search.read(2)
    assert find(PLAN).rounds == (0, 1, *range(3, 12)), "and it is checked anew"


def test_a_shipped_search_that_is_damaged_hides_nothing(whole_search, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "SHIPPED", tmp_path)
    (tmp_path / "tiny.jsonl.xz").write_bytes(b"junk")
    assert len(find(PLAN).rounds) == 12


def test_shipped_searches_count_as_searched(at_work, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "SHIPPED", tmp_path / "shipped")
    out = tmp_path / "shipped" / "tiny.jsonl.xz"
    assert main([*ARGUMENTS, "--rounds", "2", "--out", str(out)]) == 0
    (search,) = shipped()
    assert search.rounds == {0, 1}
    assert search.command.startswith(
        f"python -m analysis.disagreements.search_log tiny --rounds 2 --agent {AGENT}"
    )
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "elsewhere"))
    at_work.done.clear()
    longer = replace(PLAN, rounds=4)
    assert run_log_search(longer)
    assert searched(at_work) == [2, 3]
    same(stored_rows(longer), undisturbed(longer))


def test_a_file_of_several_searches_is_refused(at_work, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "SHIPPED", tmp_path)
    for seed in (3, 4):
        run_log_search(LogSearchPlan("tiny", 1, AGENT, seed, MOST))
    results = [(one.kind, one.question, one.answer) for one in ResultStore().results(plans.SEARCH)]
    stored.write_packed(results, tmp_path / "two.jsonl.xz")
    with pytest.raises(LogSearchError, match="holds 2 searches"):
        stored.read_shipped(tmp_path / "two.jsonl.xz")
    assert shipped() == []


def test_the_command_refuses_and_ends_in_good_order(at_work, capsys, monkeypatch):
    assert main(["nope"]) == 1
    assert "no log 'nope'" in capsys.readouterr().err
    assert main(["tiny", "--agent", "srp"]) == 1
    assert main(["tiny", "--played-on", f"{LEAST - 1}"]) == 1
    assert f"rounds played on of a decision; {LEAST} to 2,000" in capsys.readouterr().err
    monkeypatch.setattr(tasks, "map_unordered", lambda *a, **k: (one for one in ()))
    assert main(ARGUMENTS) == 130
    assert capsys.readouterr().err.splitlines()[-1] == RESUMABLE
