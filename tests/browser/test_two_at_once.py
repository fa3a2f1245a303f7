"""Two visitors who import and generate at the same moment, under the same names."""

import pytest
from playwright.sync_api import expect

from spades.agents import Seating, parse_agent, play_range
from spades.core.rules import Rules
from spades.notation import format_records
from spades.notation.log_store import list_logs, open_log
from tests.browser.conftest import running_server
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.xdist_group("browser")]

HUMANS = Seating(tuple(parse_agent("human") for _ in range(4)), Rules())
N_IMPORTED, N_GENERATED = 40, 60


@pytest.fixture
def two(visit, tmp_path, monkeypatch):
    """Two visitors of a server whose store is empty."""
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    with running_server(SPADES_LOGS=str(tmp_path)) as home:
        visitors = visit(home), visit(home)
        yield visitors
        for visitor in visitors:  # before their server is gone
            visitor.close()


def submit(visitor, name):
    visitor.page.get_by_role("button", name=name, exact=True).click()


def test_nothing_is_lost_or_mixed(two):
    logs = [play_range(HUMANS, seed, 0, N_IMPORTED, unit="rounds") for seed in (1, 2)]
    for visitor, log in zip(two, logs, strict=True):
        visitor.page.goto(f"{visitor.home}/Data?view=import")
        visitor.page.get_by_label("Name of the log").fill("mine")
        visitor.page.get_by_label("Or paste records").fill(format_records(log.records(), "jsonl"))
    for visitor in two:
        submit(visitor, "Import")
    for visitor in two:
        visitor.see_text(f"{N_IMPORTED} rounds stored as")
    for seed, visitor in zip((3, 4), two, strict=True):
        players = "&".join(f"{seat}=human" for seat in ("north", "east", "south", "west"))
        plan = f"count={N_GENERATED}&unit=rounds&seed={seed}&name=made&{players}"
        visitor.page.goto(f"{visitor.home}/Data?view=generate&{plan}")
        expect(visitor.page.get_by_label("Name of the log")).to_have_value("made")
    for visitor in two:
        submit(visitor, "Generate")
    wait_until(lambda: len(list_logs()) == 4, lambda: str(list_logs()), page=two[0].page)
    for visitor in two:  # each sees what both have done: the last job, and the others behind it
        visitor.page.get_by_role("button", name="1 more").click()
        for name in ("made", "made-2"):
            visitor.see_text(f"{name}: {N_GENERATED} rounds: done")
    assert [entry.name for entry in list_logs()] == ["made", "made-2", "mine", "mine-2"]
    made = [play_range(HUMANS, seed, 0, N_GENERATED, unit="rounds") for seed in (3, 4)]
    assert both("mine", "mine-2") == plays_of(*logs)
    assert both("made", "made-2") == plays_of(*made)


def both(*names):
    return plays_of(*(open_log(name) for name in names))


def plays_of(*logs):
    """What was dealt, bid and played in each log, whichever came first."""
    return sorted([(r.hands, r.bids, r.plays) for r in log.records()] for log in logs)
