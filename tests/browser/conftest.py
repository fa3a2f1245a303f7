"""One server and one Chromium for all browser tests; visitors are made by each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

from experiments.bench.dashboard import (
    CHROMIUM_FLAGS,
    PATIENCE,
    ROOT,
    find_chromium,
    free_port,
    start_server,
)
from tests.browser.visitor import Visitor

Visit = Callable[..., Visitor]
COMPILING_SECONDS = 600  # of a first start ever, next to other tests that compile


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What fails is tried once more, and the summary names it: on a loaded machine a real browser
    loses a click now and then, one among thousands of tests that all have to pass."""
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        path = find_chromium()
    except RuntimeError as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI needs Chromium: {error}")
        pytest.skip(f"no Chromium: {error}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@contextmanager
def running_server(**variables: str) -> Iterator[str]:
    """A server with these variables in its environment; yields its address once it answers."""
    port = free_port()
    home = f"http://127.0.0.1:{port}"
    server = start_server(port, **variables)
    try:
        _wait_for(server, f"{home}/_stcore/health")
        yield home
    finally:
        server.terminate()
        server.wait(10)


def _wait_for(server: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                if answer.read() == b"ok":
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError("the dashboard did not start")


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where the shared server keeps results and logs: what tests do stays out of the user's."""
    folder = tmp_path_factory.mktemp("browser")
    shutil.copytree(ROOT / "data/logs", folder / "logs")
    names = ("results", "logs", "games", "drill")
    return {f"SPADES_{name.upper()}": str(folder / name) for name in names}


@pytest.fixture(scope="session")
def home(browser: Browser, places: dict[str, str]) -> Iterator[str]:
    """Address of the shared server, its kernels compiled."""
    with running_server(**places) as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("[data-testid=rv-row]", timeout=COMPILING_SECONDS * 1000)
        page.close()
        yield address


Tabs = list[Visitor]


@pytest.fixture(scope="session")
def idle_tabs() -> Tabs:
    """Tabs that other tests have left: a page takes half the work in a tab that has shown it."""
    return []


@pytest.fixture
def visit(browser: Browser, home: str, idle_tabs: Tabs) -> Iterator[Visit]:
    """Makes visitors; afterwards none may have met an error, a dialog or a foreign request."""
    with _visitors(browser, home, idle_tabs) as make:
        yield make


@pytest.fixture(scope="module")
def visit_once(browser: Browser, home: str, idle_tabs: Tabs) -> Iterator[Visit]:
    """As ``visit``, for a page that the tests of a module share."""
    with _visitors(browser, home, idle_tabs) as make:
        yield make


@contextmanager
def _visitors(browser: Browser, home: str, idle: Tabs) -> Iterator[Visit]:
    visitors: list[tuple[Visitor, bool]] = []

    def make(at: str | None = None, *, is_apart: bool = False, **context: object) -> Visitor:
        """``is_apart``: in a tab of its own, as ``at`` another server, and with any option of the
        browser but these two."""
        is_plain = at is None and not is_apart and set(context) <= {"viewport", "color_scheme"}
        if is_plain and idle:
            visitor = idle.pop().begin(**context)
        else:
            visitor = Visitor(browser, at or home, **context)
        visitors.append((visitor, is_plain))
        return visitor

    try:
        yield make
    finally:
        complaints = [complaint for visitor, _ in visitors for complaint in visitor.complaints]
        for visitor, is_plain in visitors:
            if is_plain and not complaints and visitor.leave():
                idle.append(visitor)
            else:
                visitor.close()
    assert complaints == []
