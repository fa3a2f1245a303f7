"""A log generated on the Data page: stopped, said so, gone on with, whole in the end."""

import re

import pytest
from playwright.sync_api import expect

from analysis.logs.simulate import interrupted, parts_folder
from spades.notation.log_store import open_log
from tests.browser.charts import go_to, see_no_traceback
from tests.browser.conftest import running_server
from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive, pytest.mark.xdist_group("browser")]
ROUNDS = 40
AGENT = "ismcts:iterations=10000"  # a handful of rounds a part
LINK = f"Data?view=generate&count={ROUNDS}&unit=rounds&name=mine" + "".join(
    f"&{seat}={AGENT}" for seat in ("north", "east", "south", "west")
)


@pytest.fixture
def server(browser, tmp_path, monkeypatch):
    """A server with stores of its own."""
    folders = {"SPADES_LOGS": str(tmp_path), "SPADES_RESULTS": str(tmp_path / "results")}
    for name, folder in folders.items():
        monkeypatch.setenv(name, folder)
    with running_server(**folders) as home:
        yield home


def test_a_generation_is_stopped_and_goes_on(server, visit, tmp_path):
    visitor = visit(server)
    parts = parts_folder(tmp_path / "mine.parquet")
    go_to(visitor, LINK)
    visitor.button("Generate").click()
    visitor.see_text(f"of {ROUNDS} rounds")
    wait_until(
        lambda: any(parts.glob("0*.parquet")), lambda: "no part was played", page=visitor.page
    )
    visitor.button("Cancel").click()
    visitor.see_text(f"mine: {ROUNDS} rounds: cancelled")
    visitor.see_text(re.compile("mine was interrupted"))
    see_no_traceback(visitor)
    (unfinished,) = interrupted(tmp_path)
    assert unfinished[0] == "mine"
    n_before = len(list(parts.glob("0*.parquet")))
    assert 0 < n_before < len(unfinished[1].ranges)

    visitor.button("Go on").click()
    visitor.see_text(re.compile(rf"[1-9]\d* of {ROUNDS} rounds"))  # never from none
    expect(visitor.page.get_by_text("was interrupted")).to_have_count(0)
    expect(visitor.page.get_by_text(f"mine: {ROUNDS} rounds: done")).to_be_visible(timeout=180_000)
    expect(visitor.button("Go on")).to_have_count(0)
    see_no_traceback(visitor)
    log = open_log("mine")
    assert len({record.hands for record in log.records()}) == len(log) == ROUNDS
    assert interrupted(tmp_path) == []
    assert not parts.exists()
    visitor.close()
