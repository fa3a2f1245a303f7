"""Pages that draw themselves again leave time for readers who click."""

from types import SimpleNamespace

import pytest

from analysis.runs.foreground import Foreground
from spades.core.errors import SpadesError
from ui.shared import page


@pytest.fixture
def readers(monkeypatch):
    """Readers by session, whose pages are drawn on a clock that the test sets."""
    here = SimpleNamespace(session_id="", fragment_ids_this_run=None, now=1000.0, closed=set())
    monkeypatch.setattr(page, "_drawn_at", {})
    monkeypatch.setattr(page, "get_script_run_ctx", lambda suppress_warning=False: here)
    monkeypatch.setattr(page, "foreground", Foreground())
    monkeypatch.setattr(page, "time", SimpleNamespace(monotonic=lambda: here.now))
    monkeypatch.setattr(page, "is_here", lambda session: session not in here.closed)

    def draw(*sessions):
        here.fragment_ids_this_run = None
        for here.session_id in sessions:
            page.begin_drawing()

    here.draw = draw
    return here


def asks_again(readers, session, *, after):
    """Whether the timer of a session's page has to wait, some seconds after its last drawing."""
    readers.now += after
    readers.session_id = session
    readers.fragment_ids_this_run = ["a fragment"]
    return not page.is_too_soon()


def test_a_single_reader_does_not_wait(readers):
    readers.draw("one")
    assert asks_again(readers, "one", after=0.5)


def test_fifty_readers_together_take_the_time_of_one_processor(readers):
    names = [f"reader {i}" for i in range(50)]
    readers.draw(*names)
    assert not asks_again(readers, "reader 7", after=5.0)
    assert asks_again(readers, "reader 7", after=6.0)


def test_readers_who_left_no_longer_count(readers):
    readers.draw(*[f"reader {i}" for i in range(50)])
    readers.now += page.PRESENT_SECONDS + 1
    readers.draw("one")
    assert asks_again(readers, "one", after=0.5)


def test_readers_who_closed_their_page_no_longer_count(readers):
    names = [f"reader {i}" for i in range(50)]
    readers.draw(*names)
    readers.closed |= set(names[1:])
    assert asks_again(readers, names[0], after=0.5)


def test_a_click_never_waits(readers):
    readers.draw(*[f"reader {i}" for i in range(50)])
    readers.fragment_ids_this_run = None
    assert not page.is_too_soon()


def test_pages_ask_less_often_the_more_readers_there_are(readers):
    readers.draw("one")
    assert page.poll_seconds(0.5) == 0.5
    readers.draw(*[f"reader {i}" for i in range(49)])
    assert page.poll_seconds(0.5) == pytest.approx(5.0)


def test_no_decision_is_judged_ahead_while_many_readers_are_here(readers, monkeypatch):
    from ui.replay import judging

    monkeypatch.delenv(judging.AHEAD_VARIABLE)
    readers.draw(*[f"reader {i}" for i in range(judging.READERS_AHEAD + 1)])
    monkeypatch.setattr(judging, "_RoundWorks", None)  # not even its keys are worked out
    assert list(judging._ahead(None, None, ())) == []


@pytest.mark.parametrize("said", ["-1", "few", "", "1.5"])
def test_a_server_that_says_no_number_of_readers_is_told_so(monkeypatch, said):
    from ui.replay import judging

    monkeypatch.setenv(judging.AHEAD_VARIABLE, said)
    with pytest.raises(
        SpadesError, match=r"SPADES_READERS_AHEAD is .*a number of readers is legal"
    ):
        judging.readers_ahead()


def test_a_server_may_never_judge_ahead(readers, monkeypatch):
    from ui.replay import judging

    readers.draw("one")
    monkeypatch.setenv(judging.AHEAD_VARIABLE, "0")
    monkeypatch.setattr(judging, "_RoundWorks", None)
    assert list(judging._ahead(None, None, ())) == []
