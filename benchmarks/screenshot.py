"""Take the README's picture of the Replay page: ``python -m benchmarks.screenshot``."""

from __future__ import annotations

from pathlib import Path

from benchmarks.start import CHROMIUM_FLAGS, find_chromium, free_port, open_when_ready, start_server

TARGET = Path(__file__).parents[1] / "data" / "images" / "replay.png"
ADDRESS = "?ply=24"
SIZE = {"width": 1440, "height": 900}


def main() -> None:
    from playwright.sync_api import sync_playwright

    port = free_port()
    server = start_server(port)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(), args=CHROMIUM_FLAGS
            )
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            open_when_ready(page, f"http://127.0.0.1:{port}/{ADDRESS}")
            page.wait_for_timeout(1500)
            page.screenshot(path=TARGET)
            browser.close()
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
