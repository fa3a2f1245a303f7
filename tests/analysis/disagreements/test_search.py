"""A log searched once: stopped, resumed, extended, killed, it comes to the same rows."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from analysis.decisions import conclusion
from analysis.decisions.candidates import stability_run
from analysis.decisions.conclusion import LEANS, judge
from analysis.decisions.decision import AnalysisSettings
from analysis.disagreements import search as log_search
from analysis.disagreements.search import (
    COLUMNS,
    LogSearchError,
    LogSearchPlan,
    PartFile,
    Rows,
    begun,
    conclude,
    covered,
    find,
    gaps,
    joined,
    parts_of,
    read_part,
    run_log_search,
    search_key,
    search_part,
    sound_and_damaged,
    stored_rows,
    write_part,
)
from analysis.disagreements.search_log import main
from analysis.runs import parts
from spades.agents import UnknownAgentError
from spades.core.cards import mask_of
from spades.core.equivalence import equivalent_cards
from spades.core.errors import InvalidRecordError
from spades.core.logs import Log
from spades.notation.log_store import open_log
from tests.analysis.small_sweeps import store_tiny_log
from tests.analysis.workers import InProcess

ROOT = Path(__file__).parents[3]
AGENT = "ismcts:iterations=40"
LEAST = 8
with pytest.MonkeyPatch.context() as few:
    few.setattr(log_search, "LEAST_SEARCHES", LEAST)
    few.setattr(log_search, "MOST_LONGER", LEAST)
    PLAN = LogSearchPlan("tiny", 12, AGENT, 3, 9)
ARGUMENTS = ["tiny", "--agent", AGENT, "--seed", "3", "--searches", "9"]


@pytest.fixture(autouse=True)
def stores(tmp_path, monkeypatch):
    """Stores of its own, one small log, parts of a few rounds."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setattr(log_search, "MAX_PART", 3)
    for name in ("LEAST_SEARCHES", "LEAST_LONGER", "MOST_LONGER"):  # so few that tests are quick
        monkeypatch.setattr(log_search, name, LEAST)
    monkeypatch.setattr(conclusion, "LONGER", 2)
    monkeypatch.setattr(log_search, "JUDGE", AGENT)  # of whom outcomes are stored
    store_tiny_log(12)


@pytest.fixture
def at_work(monkeypatch):
    """Parts are searched in this process."""
    return InProcess(monkeypatch)


def searched(at_work):
    """The rounds searched, in order."""
    parts = [arguments[1:] for _, arguments in at_work.done]
    return [first + i for log, first in parts for i in range(len(log))]


def undisturbed(plan=PLAN):
    return search_part(plan, open_log(plan.log).take(slice(0, plan.rounds)), 0)


def same(found, wanted):
    for name in COLUMNS.names:
        np.testing.assert_array_equal(found.table[name], wanted.table[name], err_msg=name)
    assert found.refused == wanted.refused


def stop_after(n_parts):
    """Asks to stop once so many parts have been told of."""
    told = []
    return {"tell": lambda progress: told.append(progress.done)}, lambda: len(told) > n_parts


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"agent": "srp"}, LogSearchError, "srp doesn't search, so it has no visits"),
        ({"agent": "ghost"}, UnknownAgentError, "ghost"),
        ({"rounds": 0}, LogSearchError, "1 to 10,000,000 are legal"),
        ({"seed": -1}, LogSearchError, "seed is -1"),
        ({"searches": 2}, LogSearchError, "8 to 5,000 are legal"),
    ],
)
def test_impossible_plans_are_refused(change, error, message):
    with pytest.raises(error, match=message):
        LogSearchPlan(**{"log": "tiny", "rounds": 3, **change})


def test_a_log_that_is_not_there():
    with pytest.raises(InvalidRecordError, match="no log 'nope'"):
        LogSearchPlan("nope", 3).question()


def test_the_key_holds_all_that_the_rows_depend_on_and_not_how_many():
    key = PLAN.key
    assert LogSearchPlan("tiny", 2, f"{AGENT}+bis", 3, 9).key == key  # bids don't matter
    assert LogSearchPlan("tiny", 12, AGENT, 4, 9).key != key
    assert LogSearchPlan("tiny", 12, "ismcts:iterations=41", 3, 9).key != key
    assert LogSearchPlan("tiny", 12, AGENT, 3, 10).key != key
    biased = LogSearchPlan("tiny", 12, f"{AGENT},bias=knowledge", 3)
    assert biased.question()["models"].keys() == {"devlin2016"}
    assert {"content", "code"} <= PLAN.question().keys()


def test_another_log_under_the_same_name_asks_anew(tmp_path):
    key = PLAN.key
    (tmp_path / "logs" / "tiny.parquet").unlink()
    store_tiny_log(11)
    assert PLAN.key != key


def test_rows_are_the_conclusions_that_replay_draws():
    """By the same searches, as far as the budget of searches goes."""
    plan = replace(PLAN, searches=70, rounds=1)
    mine, record = undisturbed(plan).table, open_log("tiny").record(0)
    kinds = set()
    for ply in range(52):
        seen, rows = record.observation(ply), mine[mine["ply"] == ply]
        classes = equivalent_cards(seen)
        if len(classes) == 1:
            assert not len(rows)
            continue
        assert {mask_of(cards) for cards in classes} == set(rows["cards"].tolist())
        found = conclude(plan, seen)
        if found.proof:
            assert rows["error"].tolist() == [0] * len(classes)
            assert np.isnan(rows["own_contract"]).all()
            continue
        run = stability_run(record, ply, AnalysisSettings(found.iterations, seed=3))
        run.extend(found.searches)
        for _ in run.steps():
            pass
        again = judge(run.items, seen, least=LEAST)
        kinds.add((found.kind, found.iterations))
        assert (rows["searches"] == found.searches).all()
        assert {log_search.KINDS[kind] for kind in rows["kind"]} == {found.kind} == {again.kind}
        assert found.is_settled or found.searches == (LEAST if found.is_borne_out else 70)
        for row, wanted, one in zip(rows, found.classes, again.classes, strict=True):
            same_class(row, wanted, seen)
            assert (wanted.cards, wanted.behind) == (one.cards, pytest.approx(one.behind, abs=0.02))
    assert kinds >= {(LEANS, 80), (LEANS, 40)}


def test_outcomes_are_stored_of_the_judge_alone(monkeypatch):
    monkeypatch.setattr(log_search, "JUDGE", "best")
    rows = undisturbed(replace(PLAN, rounds=1)).table
    for name in (*log_search.OUTCOMES, *log_search.NILS):
        assert np.isnan(rows[name]).all()
    assert not np.isnan(rows["value"]).all()


def test_the_last_tricks_of_an_earlier_file_are_proven_anew(tmp_path, monkeypatch):
    """Another file's decisions stay where there is no proof; the rest is as if searched anew."""
    plan = replace(PLAN, rounds=2)
    with monkeypatch.context() as without:
        without.setattr(log_search, "PROOF", "")
        without.setattr(log_search, "prove", lambda seen: None)
        earlier = undisturbed(plan)
        write_part(tmp_path / "earlier.parquet", earlier, plan.question(), 0, 2)
    wanted = undisturbed(plan)
    assert (earlier.table["error"] != 0).all()
    assert (wanted.table["error"] == 0).any()
    log = open_log(plan.log)
    same(log_search.proven_anew(plan, log, tmp_path / "earlier.parquet"), wanted)
    with pytest.raises(LogSearchError, match="another search than the one asked for"):
        log_search.proven_anew(replace(plan, seed=5), log, tmp_path / "earlier.parquet")


def same_class(row, wanted, seen):
    assert row["cards"] == seen.rules.cards.parse_cards(wanted.cards)
    numbers = (wanted.share, wanted.value, wanted.error, wanted.behind, *wanted.interval)
    for name, number in zip(log_search.MEASURES, numbers, strict=True):
        assert row[name] == pytest.approx(number, abs=0.02)  # stored runs round values
    for name in log_search.OUTCOMES:
        assert row[name] == pytest.approx(getattr(wanted.outcomes, name), abs=1e-3, nan_ok=True)
    for seat, name in enumerate(log_search.NILS):
        nils = wanted.outcomes.nils
        assert row[name] == pytest.approx(nils.get(seat, np.nan), abs=1e-3, nan_ok=True)


def test_a_decision_whose_classes_are_never_all_visited_says_so():
    agent = "ismcts:iterations=3"  # fewer than there are classes
    rows = search_part(LogSearchPlan("tiny", 1, agent, 3, 9), open_log("tiny").take(slice(0, 1)), 0)
    first = rows.table[: rows.starts[1]]
    assert len(first) > 3
    assert np.isnan(first["value"]).all()
    assert set(first["searches"]) == {0}
    assert (first["kind"] == log_search.KINDS.index(LEANS)).all()


def test_gaps_and_coverage():
    parts = [PartFile(Path(), 0, 4), PartFile(Path(), 2, 6), PartFile(Path(), 9, 10)]
    assert gaps(parts, 14, 3) == [(6, 9), (10, 13), (13, 14)]
    assert gaps(parts, 5, 3) == []
    assert gaps([], 5, 3) == [(0, 3), (3, 5)]
    assert [(first, end) for _, first, end in covered(parts)] == [(0, 4), (4, 6), (9, 10)]


def test_stopped_resumed_and_extended_is_an_undisturbed_run(at_work):
    options, is_cancelled = stop_after(2)
    short = LogSearchPlan("tiny", 7, AGENT, 3, 9)
    assert not run_log_search(short, is_cancelled=is_cancelled, **options)
    assert searched(at_work) == [0, 1, 2, 3, 4, 5]
    found = stored_rows(PLAN)  # what there is, all of it complete
    same(found, undisturbed().within(0, 6))
    assert run_log_search(short)
    assert searched(at_work) == list(range(7))
    same(stored_rows(short), undisturbed(short))
    assert run_log_search(PLAN)  # longer: nothing of the shorter one is searched again
    assert searched(at_work) == list(range(12))
    same(stored_rows(PLAN), undisturbed())
    same(stored_rows(short), undisturbed(short))
    assert run_log_search(LogSearchPlan("tiny", 400, AGENT, 3, 9))  # more than the log has
    assert searched(at_work) == list(range(12))


def test_progress_counts_rounds(at_work):
    told = []
    run_log_search(LogSearchPlan("tiny", 4, AGENT, 3, 9))
    run_log_search(PLAN, tell=lambda progress: told.append((progress.done, progress.total)))
    assert told == [(4, 12), (7, 12), (10, 12), (12, 12)]


def test_begun_searches_are_listed_with_what_was_asked(at_work):
    assert begun() == []
    run_log_search(LogSearchPlan("tiny", 1, AGENT, 3, 9))
    run_log_search(LogSearchPlan("tiny", 1, AGENT, 4, 9))
    assert [question["seed"] for question in begun()] == [4, 3]
    assert begun()[1] == PLAN.question()
    for i, text in enumerate(("[" * 3000, "[]", "{", "9" * 5000, '{"log": 7}')):
        folder = log_search.searches_folder() / f"odd{i}"
        folder.mkdir()
        (folder / log_search.QUESTION_FILE).write_text(text)
    assert [question["seed"] for question in begun()] == [4, 3]


def test_rounds_without_bids_are_refused_and_counted():
    log = open_log("tiny")
    records = list(log.records())
    bare = [records[0], replace(records[1], bids=(-1,) * 4), replace(records[2], plays=())]
    rows = search_part(PLAN, Log.from_records(bare), 5)
    assert set(rows.refused) == {6}
    assert "the bids are not known" in rows.refused[6]
    assert set(rows.table["round"].tolist()) == {5}


def test_parts_that_are_damaged_or_cut_short_are_refused(at_work, tmp_path):
    run_log_search(PLAN)
    question = PLAN.question()
    part = parts_of(question)[0]
    rows = read_part(part, search_key(question))
    cut = rows.within(0, 1)
    cut = Rows(cut.table[: cut.starts[1] - 1])  # without a class
    path = tmp_path / "cut.parquet"
    write_part(path, cut, question, 0, 1)
    with pytest.raises(LogSearchError, match="aren't searched to the end"):
        read_part(PartFile(path, 0, 1), search_key(question))
    write_part(path, rows, {**question, "seed": 9}, 0, 3)
    with pytest.raises(LogSearchError, match="holds another search"):
        read_part(PartFile(path, 0, 3, 1), search_key(question))
    for i, junk in enumerate((b"", b"PAR1", part.path.read_bytes()[:-40])):
        path.write_bytes(junk)
        with pytest.raises(LogSearchError, match="no readable part of a search"):
            read_part(PartFile(path, 0, 3, 2 + i), search_key(question))
    whole = bytearray(part.path.read_bytes())
    whole[100] ^= 255
    path.write_bytes(bytes(whole))
    with pytest.raises(LogSearchError, match="no readable part of a search"):
        read_part(PartFile(path, 0, 3, 9), search_key(question))


def damage(part, content):
    part.path.write_bytes(content)
    os.utime(part.path, ns=(part.stamp + 1, part.stamp + 1))


def test_rounds_of_a_damaged_part_are_searched_again_and_no_others(at_work):
    run_log_search(PLAN)
    parts, question = parts_of(PLAN.question()), PLAN.question()
    damage(parts[0], b"")
    damage(parts[2], parts[2].path.read_bytes()[:-9])
    found = find(PLAN)
    assert [(one.part.first, one.part.end) for one in found.damaged] == [(0, 3), (6, 9)]
    assert found.damaged[0].why.startswith(f"log-searches/{PLAN.key}/0000000-0000003.parquet is no")
    assert found.rounds == 6
    same(stored_rows(PLAN), joined([undisturbed().within(3, 6), undisturbed().within(9, 12)]))
    at_work.done.clear()
    assert run_log_search(PLAN)
    assert searched(at_work) == [0, 1, 2, 6, 7, 8]
    same(stored_rows(PLAN), undisturbed())
    assert sound_and_damaged(question) == (parts_of(question), [])


def test_a_damaged_part_whose_rounds_are_there_is_passed_over(at_work):
    run_log_search(PLAN)
    whole = parts_of(PLAN.question())[0]
    spare = whole._replace(path=whole.path.with_name("0000001-0000003.parquet"))
    damage(spare, b"PAR1")
    assert find(PLAN).damaged == ()


def test_a_part_under_another_parts_name_is_none(at_work):
    run_log_search(PLAN)
    first, second, *_ = parts_of(PLAN.question())
    damage(second, first.path.read_bytes())
    (one,) = find(PLAN).damaged
    assert "it holds rounds 0 to 2" in one.why


def test_a_part_that_lacks_whole_decisions_is_none(at_work, tmp_path):
    run_log_search(PLAN)
    question = PLAN.question()
    part = parts_of(question)[0]
    rows = read_part(part, search_key(question))
    table = pq.read_table(part.path)
    pq.write_table(table.slice(0, rows.starts[1]), part.path)
    os.utime(part.path, ns=(part.stamp + 1, part.stamp + 1))
    with pytest.raises(LogSearchError, match="aren't those that were written"):
        read_part(part._replace(stamp=part.stamp + 1), search_key(question))


def test_a_shipped_search_that_is_damaged_hides_nothing(at_work, tmp_path, monkeypatch):
    monkeypatch.setattr(log_search, "SHIPPED", tmp_path)
    (tmp_path / "tiny.parquet").write_bytes(b"PAR1")
    run_log_search(PLAN)
    assert find(PLAN).rounds == 12


def test_shipped_searches_count_as_parts(at_work, tmp_path, monkeypatch):
    monkeypatch.setattr(log_search, "SHIPPED", tmp_path / "shipped")
    out = tmp_path / "shipped" / "tiny.parquet"
    assert main([*ARGUMENTS, "--rounds", "5", "--out", str(out)]) == 0
    ((part, facts),) = log_search.shipped()
    assert (part.first, part.end) == (0, 5)
    assert facts["command"].startswith(
        f"python -m analysis.disagreements.search_log tiny --rounds 5 --agent {AGENT}"
    )
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "elsewhere"))
    at_work.done.clear()
    assert run_log_search(PLAN)
    assert searched(at_work) == list(range(5, 12))
    same(stored_rows(PLAN), undisturbed())


def test_the_command_refuses_and_stops_in_good_order(at_work, capsys, monkeypatch):
    assert main(["nope"]) == 1
    assert "no log 'nope'" in capsys.readouterr().err
    assert main(["tiny", "--agent", "srp"]) == 1
    monkeypatch.setattr(parts, "run_tasks", lambda *a, **k: (one for one in ()))
    assert main(ARGUMENTS) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "stopped; the same command goes on"
