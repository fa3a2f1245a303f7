"""Take the README's picture of the Replay page: ``python -m benchmarks.screenshot``."""

from __future__ import annotations

from pathlib import Path

from benchmarks.start import open_dashboard, open_when_ready

TARGET = Path(__file__).parents[1] / "data" / "images" / "replay.png"
ADDRESS = "?ply=24"
SIZE = {"width": 1440, "height": 900}


def main() -> None:
    with open_dashboard() as seen:
        page = seen.browser.new_page(viewport=SIZE, color_scheme="light")
        open_when_ready(page, f"{seen.address}/{ADDRESS}")
        page.wait_for_timeout(1500)
        page.screenshot(path=TARGET)


if __name__ == "__main__":
    main()
