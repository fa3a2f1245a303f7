"""Searches beside the pages: complete results only, stopping, going on, taking turns."""

import threading
import time
from functools import partial

import pytest

from analysis.decisions.background import (
    ITERATION_BYTES,
    MAX_LIVE_ITERATIONS,
    MAX_TREE_BYTES,
    LiveSearch,
    RoundSearch,
    SearchJobs,
)
from analysis.decisions.settings import AnalysisSettings, new_search, record_key, search_key
from analysis.runs.jobs import Job
from analysis.runs.scheduler import RoundRobin
from tests.analysis.decisions.test_decision import decisions_of, record_of

QUICK = AnalysisSettings(iterations=50)
LONG = AnalysisSettings(iterations=100_000)


def test_round_search_equals_the_round_analysed_at_once():
    job = SearchJobs().search_round(record_of(), QUICK, focus=20)
    assert job.wait(20)
    expected = decisions_of(record_of(), QUICK)
    assert [d.cards for d in job.work.decisions] == [d.cards for d in expected]


def test_the_focus_and_what_follows_come_first():
    job = RoundSearch(record_of(), QUICK, focus=30)
    steps = job.steps()
    for _ in range(5):
        next(steps)
    done = [ply for ply, decision in enumerate(job.decisions) if decision is not None]
    assert min(done) == 30
    job.focus = 3
    next(steps)
    next(steps)
    assert job.decisions[3] is not None


def test_the_same_link_finds_the_same_search():
    jobs = SearchJobs()
    first = jobs.search_round(record_of(), QUICK)
    assert jobs.search_round(record_of(), QUICK) is first
    assert jobs.search_round(record_of(), AnalysisSettings(iterations=51)) is not first


def test_cancelling_takes_effect_within_a_slice_and_shows_no_half_result():
    jobs = SearchJobs()
    jobs.search_round(record_of(), QUICK).wait(20)  # compiled
    job = jobs.search_round(record_of(), LONG)
    search = job.work
    while search.n_done == 0:
        time.sleep(0.005)
    job.cancel()
    assert job.wait(20)
    done = search.n_done
    assert 0 < done < 52
    assert all(d is None or d.search.iterations == 100_000 for d in search.decisions)
    time.sleep(0.1)
    assert search.n_done == done


def test_a_cancelled_round_goes_on_where_it_was():
    jobs = SearchJobs()
    settings = AnalysisSettings(iterations=3000)
    job = jobs.search_round(record_of(), settings)
    job.cancel()
    job.wait(20)
    jobs.search_round(record_of(), settings, restart=True)
    again = jobs.search_round(record_of(), settings)
    assert again is not job
    assert again.work is job.work
    assert again.wait(30)
    assert again.work.n_done == 52


def test_a_short_job_does_not_wait_for_a_long_one():
    jobs = SearchJobs()
    jobs.search_round(record_of(), QUICK).wait(20)
    long = jobs.search_round(record_of(), LONG)
    short = jobs.search_round(record_of(2), QUICK)
    assert short.wait(60)
    assert not long.is_finished
    long.cancel()


def test_live_search_adds_iterations_to_every_seed():
    jobs = SearchJobs()
    search = LiveSearch(record_of(), 8, QUICK, n_seeds=3)
    jobs.live.start("a", lambda: search, lambda known: known.extend(5000))
    assert jobs.live.find("a").wait(20)
    assert [result.iterations for result in search.results] == [5000] * 3
    assert [result.seed for result in search.results] == [0, 1, 2]
    other = LiveSearch(record_of(), 8, QUICK, n_seeds=3)
    jobs.live.start("a", lambda: other, lambda known: known.extend(1000))
    assert jobs.live.find("a").wait(20)
    assert jobs.live.find("a").work is search
    assert search.iterations == 6000


def extended(search):
    search.extend(10)


def test_live_search_stops_at_its_limit_and_old_trees_make_room():
    jobs = SearchJobs()
    job = LiveSearch(record_of(), 50, QUICK, n_seeds=1)
    job.extend(10 * MAX_LIVE_ITERATIONS)
    assert job.target == MAX_LIVE_ITERATIONS
    size = LiveSearch(record_of(), 40, QUICK, 8).bytes_with(MAX_LIVE_ITERATIONS)
    n_kept = MAX_TREE_BYTES // size
    assert n_kept >= 1
    for i in range(n_kept + 2):
        new = partial(LiveSearch, record_of(), 40, QUICK, 1)
        assert jobs.live.start(str(i), new, extended, size=size).wait(20)
    assert [i for i in range(n_kept + 2) if jobs.live.find(str(i))] == [*range(2, n_kept + 2)]


@pytest.mark.parametrize("ply", [0, 26, 44])
def test_a_tree_takes_no_more_than_is_reckoned(ply):
    run = new_search(record_of().observation(ply), QUICK)
    run.run(20_000)
    n_nodes, n_slots, _ = run._tree.used
    row = (run._tree.nodes, run._tree.children, run._tree.known)
    nodes, children, known = (array[0].nbytes for array in row)
    assert n_nodes * nodes + n_slots * (children + known) <= 20_000 * ITERATION_BYTES


def test_a_job_that_fails_says_so_and_the_next_one_runs():
    class Failing:
        def steps(self):
            yield
            raise ValueError("broken")

    scheduler = RoundRobin()
    failed = scheduler.submit(Job(Failing()))
    assert failed.wait(5)
    assert str(failed.error) == "broken"
    search = RoundSearch(record_of(), QUICK)
    assert scheduler.submit(Job(search)).wait(20)
    assert search.n_done == 52


def test_many_visitors_at_once_share_one_search():
    jobs = SearchJobs()
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(jobs.search_round(record_of(), QUICK)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(job.work) for job in found}) == 1


def test_keys_hold_all_that_a_result_depends_on():
    record = record_of()
    keys = {
        search_key(record, QUICK),
        search_key(record_of(2), QUICK),
        search_key(record, AnalysisSettings(iterations=50, seed=1)),
        search_key(record, QUICK, ply=3),
        search_key(record, QUICK, ply=3, n_seeds=5),
    }
    assert len(keys) == 5


@pytest.mark.parametrize("change", [{"players": ("a", "b", "c", "d")}, {"source": "x"}])
def test_names_are_no_part_of_a_key(change):
    import dataclasses

    record = record_of()
    assert record_key(dataclasses.replace(record, **change)) == record_key(record)
