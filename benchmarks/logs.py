"""How long a log of AI Factory's size takes: to load, to classify, to show as playing styles."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from analysis.plots.style import PANELS
from benchmarks.start import (
    CHROMIUM_FLAGS,
    find_chromium,
    free_port,
    start_server,
    wait_until_answering,
)
from spades.core.logs import Log
from spades.human import simulate_humans
from spades.human.features.logs import features_of_log
from spades.notation.log_store import store_log
from spades.notation.parquet import load_log, save_log

N_ROUNDS = 104_314  # Devlin et al. 2016: 27,592 games of AI Factory Spades
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
PATIENCE = 120_000
TIMES_AGAIN = 7


@lru_cache(maxsize=1)
def big_log() -> Log:
    """Simulated humans in place of the players that nobody has."""
    return simulate_humans(N_ROUNDS, seed=1)


def log_load() -> float:
    """Seconds to read it from Parquet, every round replayed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.parquet"
        save_log(big_log(), path, provenance={})
        load_log(path)  # compiled
        started = time.perf_counter()
        load_log(path)
        return time.perf_counter() - started


def features_seconds() -> float:
    """Seconds for abstract move and 42 features of its 5.4 million plays."""
    log = big_log()
    features_of_log(log.take(slice(0, 10)))
    started = time.perf_counter()
    features_of_log(log)
    return time.perf_counter() - started


@lru_cache(maxsize=1)
def style_page() -> tuple[float, float, float]:
    """Playstyle with that log: seconds to its five panels, to them again, GB of the server.

    Raises RuntimeError without Playwright or Chromium.
    """
    browser_path = find_chromium()
    with tempfile.TemporaryDirectory() as folder, _environment("SPADES_LOGS", folder):
        store_log(big_log(), "big", {})
        port = free_port()
        server = start_server(port)
        try:
            first, again = _visit(browser_path, f"http://127.0.0.1:{port}")
            return first, again, resident_gb(server.pid)
        finally:
            server.terminate()
            server.wait(10)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _visit(browser_path: str, url: str) -> tuple[float, float]:
    """Seconds from a click on Playstyle to its five panels: the first time in a browser, and when
    coming back to it from Replay.

    The page's own clock: what drives the browser takes 0.1 s to find and press the link. The
    server is warm (a page has been shown), as it is for a person who opens Playstyle.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=CHROMIUM_FLAGS)
        page = browser.new_page()
        wait_until_answering(page, url)
        page.goto(url)
        _see_replay(page)
        expand = page.get_by_test_id("stExpandSidebarButton")
        if expand.is_visible():
            expand.click()
        first = _seconds_to_panels(page)
        again = []
        for _ in range(TIMES_AGAIN):
            page.get_by_role("link", name="Replay").first.click()
            _see_replay(page)
            again.append(_seconds_to_panels(page))
        browser.close()
    return first, statistics.median(again)


def _see_replay(page: Any) -> None:
    """Wait until Replay is whole and nothing runs."""
    page.wait_for_selector("[data-testid=rv-row]", timeout=PATIENCE)
    page.wait_for_selector(".js-plotly-plot .main-svg", timeout=PATIENCE)
    page.wait_for_function(IDLE)
    page.wait_for_timeout(500)  # what React still has to do


def _seconds_to_panels(page: Any) -> float:
    """Click on Playstyle and wait."""
    link = page.get_by_role("link", name="Playstyle")
    link.wait_for()
    page.evaluate(WATCH_STYLE, len(PANELS))
    link.click()
    shown = page.wait_for_function("() => window.styleSeconds", timeout=PATIENCE)
    return float(shown.json_value())


def resident_gb(pid: int) -> float:
    """Memory that a process holds, GB."""
    status = Path(f"/proc/{pid}/status").read_text()
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
    return int(kilobytes) / 1e6
