"""A stored series: its items made in order, stored in blocks, read again."""

import time

import pytest

from analysis.runs.series import StoredSeries


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


def squares(made=None, question=None, pause=0.0):
    """A series whose item i is i * i; ``made`` notes which were computed."""
    made = [] if made is None else made

    def make(i):
        made.append(i)
        yield
        time.sleep(pause)
        return i * i

    return StoredSeries("squares", question or {"of": 1}, make, block=5, unit="squares")


def work(series, target):
    series.extend(target)
    for _ in series.steps():
        pass
    return series.items


def test_items_are_made_in_order_up_to_the_target():
    series = squares()
    assert series.items == []
    assert work(series, 7) == [0, 1, 4, 9, 16, 25, 36]
    assert work(series, 3) == series.items  # fewer asked for: nothing is lost
    assert len(work(series, 9)) == 9


def test_whole_blocks_are_read_again_and_the_rest_is_made_anew():
    made = []
    work(squares(made), 12)
    again = squares(made)
    assert again.items == [i * i for i in range(10)]
    assert work(again, 12) == [i * i for i in range(12)]
    assert made == [*range(12), 10, 11]
    assert squares(question={"of": 2}).items == []


def test_a_series_that_was_cut_short_goes_on_where_it_was():
    made = []
    series = squares(made)
    series.extend(10)
    steps = series.steps()
    while series.done < 3:
        next(steps)
    steps.close()
    assert series.items == [0, 1, 4]
    assert work(series, 10) == [i * i for i in range(10)]
    assert made == list(range(10))


def test_a_store_that_cannot_be_used_is_said_and_stops_nothing(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("no database")
    series = squares()
    assert "results.sqlite" in series.complaint
    assert len(work(series, 6)) == 6


def test_progress_counts_what_this_start_has_made():
    work(squares(), 10)
    series = squares(pause=0.01)
    series.extend(20)
    steps = series.steps()
    while series.done < 15:
        next(steps)
    progress = series.progress
    assert (progress.done, progress.total, progress.done_before) == (15, 20, 10)
    assert 0.03 < progress.seconds_left < 1
