"""How long a log of AI Factory's size takes: to load, to classify, to show as playing styles."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from analysis.plots.style import PANELS
from benchmarks.start import open_dashboard, wait_until_answering
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
    """Playstyle with that log: seconds to its five panels, to them again from Replay, GB of the
    server.

    By the page's own clock: what drives the browser takes 0.1 s to find and press the link. The
    server is warm (a page has been shown), as it is for a person who opens Playstyle.
    """
    with tempfile.TemporaryDirectory() as folder:
        with patch.dict(os.environ, SPADES_LOGS=folder):
            store_log(big_log(), "big", {})
        with open_dashboard(SPADES_LOGS=folder) as seen:
            page = seen.browser.new_page()
            wait_until_answering(page, seen.address)
            _see_replay(page)
            expand = page.get_by_test_id("stExpandSidebarButton")
            if expand.is_visible():
                expand.click()
            first, again = _seconds_to_panels(page), []
            for _ in range(TIMES_AGAIN):
                page.get_by_role("link", name="Replay").first.click()
                _see_replay(page)
                again.append(_seconds_to_panels(page))
            return first, statistics.median(again), resident_gb(seen.pid)


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
