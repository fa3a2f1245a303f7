"""How long the app takes from launch until a person sees a decision table."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300.0  # seconds, where everything is compiled first on a busy machine


@lru_cache(maxsize=1)
def seconds_to_first_look() -> tuple[float, float]:
    """Seconds to a decision table with an empty kernel cache, and at the next start.

    Raises RuntimeError without Playwright or Chromium.
    """
    with tempfile.TemporaryDirectory() as cache:
        return _one_start(cache), _one_start(cache)


def find_chromium() -> str:
    """Path of a Chromium; RuntimeError if none is installed."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), "")
    if not found:
        raise RuntimeError(f"none of {', '.join(CHROMIUM_NAMES)} is installed")
    return found


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def start_server(port: int, **variables: str) -> subprocess.Popen[bytes]:
    """The dashboard on a port, quiet and headless; ``variables`` of its environment.

    RuntimeError outside a checkout.
    """
    if not (ROOT / "app.py").is_file():
        raise RuntimeError("the dashboard runs in a checkout, this is an installed copy")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    return subprocess.Popen(
        [*command, "--server.port", str(port)],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class Dashboard(NamedTuple):
    """A browser and a server: its address, process number and when it was started."""

    browser: Browser
    address: str
    pid: int
    started: float


@contextmanager
def open_dashboard(**variables: str) -> Iterator[Dashboard]:
    """Chromium, and then a server."""
    from playwright.sync_api import sync_playwright

    path, port = find_chromium(), free_port()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        started = time.perf_counter()
        server = start_server(port, **variables)
        try:
            yield Dashboard(browser, f"http://127.0.0.1:{port}", server.pid, started)
        finally:
            server.terminate()
            server.wait(10)
            browser.close()


def _one_start(cache: str) -> float:
    with open_dashboard(SPADES_CACHE=cache) as seen:
        open_when_ready(seen.browser.new_page(), seen.address)
        return time.perf_counter() - seen.started


def open_when_ready(page: Any, url: str) -> None:
    """Load the page as soon as the server answers, and wait for the decision table's rows."""
    wait_until_answering(page, url)
    page.wait_for_selector("[data-testid=rv-row]", timeout=PATIENCE * 1000)


def wait_until_answering(page: Any, url: str) -> None:
    """Load the page as soon as the server answers."""
    until = time.perf_counter() + PATIENCE
    while not _answers(url):
        if time.perf_counter() > until:
            raise RuntimeError("the dashboard did not start")
        time.sleep(0.05)
    page.goto(url)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(urljoin(url, "/_stcore/health"), timeout=1) as answer:
            return answer.read() == b"ok"
    except OSError:
        return False
