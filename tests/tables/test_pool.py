"""The pool of agents: fair turns, limits, memory, work that nobody looks at; by counted steps."""

import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest

from spades.core.errors import SpadesError
from spades.tables.pool import (
    ANYBODY,
    SLICE_SECONDS,
    TRIAL_SECONDS,
    Limits,
    Pool,
    PoolFullError,
    Request,
)


class Clock:
    """A wall clock and the CPU time of one thread, both moved by the steps that are done."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Bench:
    """A pool without threads, and agents of so many steps whose steps are counted."""

    def __init__(self, **limits):
        self.clock = Clock()
        limits = {"slow": 3, "idle_timeout": 1e9, **limits}
        self.pool = Pool(workers=0, limits=Limits(**limits), clock=self.clock, cpu=self.clock)
        self.done = []
        self.alive = set()
        self.most_alive = 0

    def ask(self, name, *, steps=1, client="a", seconds=0.01):
        return self.pool.submit(
            Request(name, name, client, lambda: self.work(name, steps, seconds))
        )

    def work(self, name, steps, seconds):
        self.alive.add(name)
        try:
            for _ in range(steps):
                self.clock.now += seconds
                self.done.append(name)
                self.most_alive = max(self.most_alive, len(self.alive))
                yield
        finally:
            self.alive.discard(name)
        return name

    def run(self, turns=10_000):
        for _ in range(turns):
            if not self.pool.turn():
                return


HEAVY = {"steps": 2000, "seconds": 0.01}  # 20 s


def test_work_is_done_and_its_value_told():
    bench = Bench()
    assert bench.pool.turn() is False
    futures = [bench.ask(name, steps=3) for name in "xyz"]
    bench.run()
    assert [future.result(0) for future in futures] == ["x", "y", "z"]
    assert bench.pool.place("x") is None


def test_a_quick_table_goes_before_two_hundred_heavy_ones():
    """The person's table waits for one slice or trial at most."""
    bench = Bench(of_client=1000)
    for i in range(200):
        bench.ask(f"heavy {i}", client="other", **HEAVY)
    bench.run(turns=300)
    for move in range(20):
        begun = bench.clock.now
        future = bench.ask(f"quick {move}", client="person", steps=3)
        bench.run(turns=2)
        assert future.result(0) == f"quick {move}"
        assert bench.clock.now - begun <= TRIAL_SECONDS + SLICE_SECONDS + 0.03 + 1e-6


def test_a_table_known_as_quick_goes_first_though_its_client_has_used_more():
    bench = Bench(of_client=1000)
    for _ in range(20):
        bench.ask("person's", client="person", steps=10)  # 2 s in all
        bench.run()
    for i in range(50):
        bench.ask(f"heavy {i}", client=f"other {i}", **HEAVY)
    bench.run(turns=3)
    future = bench.ask("person's", client="person", steps=10)
    bench.run(turns=1)
    assert future.result(0) == "person's"


def test_quick_bids_make_no_table_quick():
    """Of slow tables too the first pieces of work are quick."""
    bench = Bench(of_client=1000)
    for _ in range(5):
        bench.ask("person's", client="person", steps=10)
        bench.run()
    for i in range(50):
        bench.ask(f"heavy {i}", client=f"other {i}")
    bench.run()
    for i in range(50):
        bench.ask(f"heavy {i}", client=f"other {i}", **HEAVY)
    bench.run(turns=3)
    future = bench.ask("person's", client="person", steps=10)
    bench.run(turns=1)
    assert future.result(0) == "person's"


def test_quick_tables_do_not_go_first_for_ever():
    bench = Bench()
    for i in range(30):
        bench.ask(f"quick {i % 10}", client="greedy", steps=2)
        bench.run()
    other = bench.ask("other", client="other", steps=10)
    n_before = 0
    while not other.done() and n_before < 200:
        bench.ask(f"quick {n_before % 10}", client="greedy", steps=20)
        bench.run(turns=1)
        n_before += 1
    assert 10 < n_before < 120


def test_behind_one_address_the_table_served_least_goes_first():
    bench = Bench(of_client=1000)
    for i in range(50):
        bench.ask(f"heavy {i}", **HEAVY)
    bench.run(turns=120)
    future = bench.ask("quick", steps=3)
    bench.run(turns=2)
    assert future.result(0) == "quick"


def test_clients_get_equal_shares_however_many_tables_they_have():
    bench = Bench(slow=8)
    for i in range(20):
        bench.ask(f"many {i}", client="many", **HEAVY)
    bench.ask("one", client="one", **HEAVY)
    bench.run(turns=60)
    bench.done.clear()
    bench.run(turns=400)
    assert bench.done.count("one") == pytest.approx(len(bench.done) / 2, rel=0.1)


def test_only_so_many_slow_tables_hold_memory():
    bench = Bench(slow=3)
    for i in range(20):
        bench.ask(f"heavy {i}", client=f"client {i % 5}", **HEAVY)
    bench.run(turns=2_000)
    assert bench.most_alive <= 4  # and one on trial
    assert len(bench.pool._jobs) > 15


def test_no_client_holds_all_places_of_slow_tables():
    bench = Bench(slow=3)
    for i in range(10):
        bench.ask(f"many {i}", client="many", **HEAVY)
    bench.run(turns=50)
    bench.ask("late", client="late", **HEAVY)
    bench.done.clear()
    bench.run(turns=20)
    assert bench.done.count("late") > 5


def test_slow_tables_all_come_to_their_end():
    bench = Bench(slow=2)
    futures = [bench.ask(f"slow {i}", steps=100, client=f"c{i % 3}") for i in range(12)]
    bench.run()
    assert [future.result(0) for future in futures] == [f"slow {i}" for i in range(12)]
    assert not bench.alive


def test_what_nobody_looks_at_is_dropped_with_its_memory():
    bench = Bench(idle_timeout=30.0)
    left = bench.ask("left", **HEAVY)
    watched = bench.ask("watched", **HEAVY)
    for _ in range(10):
        bench.run(turns=30)
        bench.ask("watched", **HEAVY)
        bench.clock.now += 5
    with pytest.raises(CancelledError):
        left.result(0)
    assert not watched.done()
    assert bench.alive == {"watched"}
    bench.clock.now += 31
    assert bench.pool.turn() is False
    assert not bench.alive
    assert watched.cancelled()


def test_work_that_is_asked_for_again_while_it_ends_is_done_once_more():
    bench = Bench()
    asked = []

    def begin():
        asked.append(bench.pool.submit(request) if len(asked) < 1 else None)
        yield

    request = Request("x", "x", "a", begin)
    future = bench.pool.submit(request)
    bench.run()
    assert future.done()
    assert len(asked) == 2


def test_limits_are_said_with_what_is_legal():
    bench = Bench(of_client=2, waiting=4)
    for i in range(2):
        bench.ask(f"a{i}")
    bench.ask("a0")  # is there already
    with pytest.raises(PoolFullError, match="2 tables of yours wait for their agents, and 2 may"):
        bench.ask("a2")
    with pytest.raises(PoolFullError):
        bench.pool.check("a", "a2")
    bench.pool.check("a", "a1")
    for i in range(2):
        bench.ask(f"own {i}", client=ANYBODY)
    with pytest.raises(PoolFullError, match="4 tables of this server wait"):
        bench.ask("b", client="b")
    assert issubclass(PoolFullError, SpadesError)


def test_places_in_the_queue():
    bench = Bench()
    for name in ("first", "second", "third"):
        bench.ask(name, client=name)
    assert [bench.pool.place(name) for name in ("first", "third")] == [(1, 3), (3, 3)]
    assert bench.pool.place("nobody's") is None
    bench.run(turns=1)
    assert bench.pool.place("third") == (2, 2)


def test_what_fails_says_so_and_the_pool_goes_on(caplog):
    bench = Bench()

    def fail():
        yield
        raise ZeroDivisionError("oops")

    future = bench.pool.submit(Request("x", "x", "a", fail))
    after = bench.ask("after")
    bench.run()
    assert isinstance(future.exception(0), ZeroDivisionError)
    assert after.result(0) == "after"
    assert "an agent at a table failed" in caplog.text


def test_threads_share_the_work():
    pool = Pool(workers=3, limits=Limits(of_client=500))
    threads = set()

    def work(i):
        for _ in range(3):
            threads.add(threading.current_thread().name)
            yield
        return i

    def ask(i):
        return pool.submit(Request(str(i), str(i), "a", lambda: work(i)))

    with ThreadPoolExecutor(8) as asking:
        futures = list(asking.map(ask, range(100)))
    assert [future.result(30) for future in futures] == list(range(100))
    assert threads == {"agents of tables"}


def test_work_is_begun_at_once_after_a_pause():
    """A thread that sleeps is woken: it doesn't wait for its next look."""
    pool = Pool(workers=1)

    def work():
        yield
        return time.monotonic()

    pool.submit(Request("x", "x", "a", work)).result(10)
    for _ in range(30):
        time.sleep(0.002)
        pool.submit(Request("x", "x", "a", work)).result(0.9)
