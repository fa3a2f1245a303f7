"""The dashboard in Chromium: how soon a person sees something, and what it takes."""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple
from unittest.mock import patch
from urllib.parse import urljoin

from analysis.plots.panels import PANELS
from spades.core.logs import Log
from spades.notation.log_store import store_log

ROOT = Path(__file__).parents[2]
CHROMIUM_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
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
SOON = 120_000  # ms, where everything is compiled
WATCH_STYLE = """panels => {
  let clicked, drawn;
  delete window.styleSeconds;
  const tell = (end) => { window.styleSeconds ??= (end - clicked) / 1000; };
  const frames = new PerformanceObserver((list) => list.getEntries().forEach((frame) => {
    const end = frame.startTime + frame.duration;
    if (drawn >= frame.startTime && drawn <= end) { frames.disconnect(); tell(end); }
  }));
  frames.observe({ type: 'long-animation-frame' });
  document.addEventListener('click', (event) => { clicked = event.timeStamp; },
    { capture: true, once: true });
  const areDrawn = () => panels === [...document.querySelectorAll('.st-key-style_panels .subplot')]
    .filter((panel) => panel.querySelector('.bars .point path')).length;
  const look = () => requestAnimationFrame(() => {
    if (clicked === undefined || !areDrawn()) { look(); return; }
    drawn = performance.now();
    setTimeout(() => { const later = performance.now(); setTimeout(() => tell(later), 500); });
  });
  look();
}"""
"""From the click to the end of the frame that has the bars of all five panels.

The browser tells when a long frame ended; tasks that come after it, the same charts once more from
Streamlit's component, don't count. Of a short frame, under 50 ms, it tells nothing: then what comes
after it counts too.
"""
IDLE = (
    "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
)
TIMES_AGAIN = 7


def find_chromium() -> str:
    """Path of a Chromium; RuntimeError if none is installed."""
    paths = [os.environ.get("CHROMIUM"), *map(shutil.which, CHROMIUM_NAMES)]
    path = next(filter(None, paths), None)
    if path is None:
        raise RuntimeError(f"none of {', '.join(CHROMIUM_NAMES)} is installed")
    return path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def start_server(
    port: int, output: IO[str] | int = subprocess.DEVNULL, /, **variables: str
) -> subprocess.Popen[bytes]:
    """The dashboard on a port, headless; ``output``: where it writes; ``variables`` of its
    environment. RuntimeError outside a checkout."""
    if not (ROOT / "app.py").is_file():
        raise RuntimeError("the dashboard runs in a checkout, this is an installed copy")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    return subprocess.Popen(
        [*command, "--server.port", str(port)],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=output,
        stderr=subprocess.STDOUT,
    )


class Dashboard(NamedTuple):
    """A browser and a server: its address, process number and when it was started."""

    browser: Any  # Playwright's, which isn't always there
    address: str
    pid: int
    started: float


@contextmanager
def open_dashboard(**variables: str) -> Iterator[Dashboard]:
    """Chromium, and then a server."""
    from playwright.sync_api import sync_playwright

    path = find_chromium()
    port = free_port()
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


@lru_cache(maxsize=1)
def seconds_to_first_look() -> list[float]:
    """Seconds to a decision table with an empty kernel cache, and at the next start. Raises
    RuntimeError without Playwright or Chromium."""
    seconds = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2):
            with open_dashboard(SPADES_CACHE=cache) as dashboard:
                open_when_ready(dashboard.browser.new_page(), dashboard.address)
                seconds.append(time.perf_counter() - dashboard.started)
    return seconds


def open_when_ready(page: Any, url: str) -> None:
    """Load the page as soon as the server answers, and wait for the decision table's rows."""
    wait_until_answering(page, url)
    page.wait_for_selector("[data-testid=rv-row]", timeout=PATIENCE * 1000)


def wait_until_answering(page: Any, url: str) -> None:
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


def style_page(log: Log) -> tuple[float, float, float]:
    """Style with a log: seconds to its five panels, to them again from Replay, GB of the
    server. By the page's own clock: what drives the browser takes 0.1 s to find and press the link.
    The server is warm (a page has been shown), as it is for a person who opens Style."""
    with tempfile.TemporaryDirectory() as folder:
        with patch.dict(os.environ, SPADES_LOGS=folder):
            store_log(log, "big", {})
        with open_dashboard(SPADES_LOGS=folder) as seen:
            page = seen.browser.new_page()
            wait_until_answering(page, seen.address)
            _see_replay(page)
            first = _seconds_to_panels(page)
            again = []
            for _ in range(TIMES_AGAIN):
                page.get_by_role("link", name="Replay").first.click()
                _see_replay(page)
                again.append(_seconds_to_panels(page))
            return first, statistics.median(again), _resident_gb(seen.pid)


def _see_replay(page: Any) -> None:
    """Wait until Replay is whole and nothing runs."""
    page.wait_for_selector("[data-testid=rv-row]", timeout=SOON)
    page.wait_for_function(IDLE)
    page.wait_for_timeout(500)  # what React still has to do


def _seconds_to_panels(page: Any) -> float:
    link = page.get_by_role("link", name="Style")
    link.wait_for()
    page.evaluate(WATCH_STYLE, len(PANELS))
    link.click()
    shown = page.wait_for_function("() => window.styleSeconds", timeout=SOON)
    return float(shown.json_value())


def _resident_gb(pid: int) -> float:
    """Memory that a process holds, GB."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    _, kilobytes, *_ = line.split()
    return int(kilobytes) / 1e6
