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
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

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
PATIENCE = 90.0


@lru_cache(maxsize=1)
def seconds_to_first_look() -> tuple[float, float]:
    """Seconds to a decision table with an empty kernel cache, and at the next start.

    Raises RuntimeError without Playwright or Chromium.
    """
    browser = find_chromium()
    with tempfile.TemporaryDirectory() as cache:
        return _one_start(browser, cache), _one_start(browser, cache)


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


def start_server(port: int, cache: str | None = None, **variables: str) -> subprocess.Popen[bytes]:
    """The dashboard on a port, quiet and headless; ``variables`` of its environment.

    RuntimeError outside a checkout.
    """
    if not (ROOT / "app.py").is_file():
        raise RuntimeError("the dashboard runs in a checkout, this is an installed copy")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    environment = {**os.environ, **variables, **({"SPADES_CACHE": cache} if cache else {})}
    return subprocess.Popen(
        [*command, "--server.port", str(port)],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _one_start(browser_path: str, cache: str) -> float:
    from playwright.sync_api import sync_playwright

    port = free_port()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=CHROMIUM_FLAGS)
        page = browser.new_page()
        started = time.perf_counter()
        server = start_server(port, cache)
        try:
            open_when_ready(page, f"http://127.0.0.1:{port}/")
            return time.perf_counter() - started
        finally:
            server.terminate()
            server.wait(10)
            browser.close()


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
