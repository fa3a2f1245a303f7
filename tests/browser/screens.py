"""Pictures of every page, whole, on a small desk, a large one and a phone, light and dark.

``python -m tests.browser.screens FOLDER`` writes ``FOLDER/replay-phone-dark.png`` and the like;
without a folder it takes the pictures of README and docs, the first screen of every page.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from experiments.bench.dashboard import (
    IDLE,
    PATIENCE,
    open_dashboard,
    open_when_ready,
    wait_until_answering,
)
from spades.core.paths import DATA
from ui.shared.pages import PAGES, Page, page_of

SECOND_VIEWS = (  # of pages whose example shows the first
    PAGES[0]._replace(title="Disagreements", example="view=disagreements&log=human-south"),
    page_of("Play")._replace(example="view=drill&logs=human-south"),
)
SIZES = {"1280": (1280, 720), "1600": (1600, 1000), "phone": (390, 844)}
SCHEMES = ("light", "dark")
LONGEST = 12_000  # pixels of a picture
HEIGHT = """() => document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"""
RESTED = f"() => ({IDLE})() && !document.querySelector('[data-stale=true]')"
"""Nothing runs, nothing is faded because it is about to be drawn anew."""
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
    "user_agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Mobile Safari/537.36",
}
"""A context's options; by the user agent a page knows a phone before it is drawn."""
REST_MS = 2500  # charts and late widgets
RECOLOURED_MS = 800


class Screen(NamedTuple):
    """A browser's page at a page of the dashboard."""

    tab: Any  # Playwright's
    page: Page
    size: str
    scheme: str


def screens(
    browser: Any, address: str, pages: tuple[Page, ...] = PAGES, sizes: Iterable[str] = SIZES
) -> Iterator[Screen]:
    """These pages in these of ``SIZES`` and every scheme, at rest."""
    for size in sizes:
        width, height = SIZES[size]
        desk = {"viewport": {"width": width, "height": height}}
        context = browser.new_context(**(PHONE if size == "phone" else desk))
        for page in pages:
            tab = context.new_page()
            tab.emulate_media(color_scheme=SCHEMES[0])
            tab.goto(address + page.path)
            rest(tab)
            yield Screen(tab, page, size, SCHEMES[0])
            for scheme in SCHEMES[1:]:
                tab.emulate_media(color_scheme=scheme)
                tab.wait_for_timeout(RECOLOURED_MS)
                yield Screen(tab, page, size, scheme)
            tab.close()
        context.close()


def rest(tab: Any) -> None:
    """Wait until a page has all that it will show, and nothing on it is faded."""
    tab.wait_for_function(IDLE, timeout=PATIENCE * 1000)
    tab.wait_for_timeout(REST_MS)
    tab.wait_for_function(RESTED, timeout=PATIENCE * 1000)
    tab.wait_for_timeout(400)  # until what was faded is not


def take_pictures_for_docs() -> None:
    """The first screen of every page, light, at 1440 x 900."""
    with open_dashboard() as seen:
        tab = seen.browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        open_when_ready(tab, f"{seen.address}/?ply=24")
        for page in PAGES:
            tab.goto(seen.address + page.path)
            rest(tab)
            checking = tab.get_by_text("Checking", exact=False)
            checking.first.wait_for(state="hidden", timeout=PATIENCE * 1000)
            tab.wait_for_timeout(1500)
            tab.screenshot(path=DATA / "images" / f"{page.title.lower()}.png")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with open_dashboard() as seen:
        tab = seen.browser.new_page()
        wait_until_answering(tab, seen.address)
        tab.close()
        for tab, page, size, scheme in screens(seen.browser, seen.address):
            height = min(LONGEST, tab.evaluate(HEIGHT) + 40)
            tab.set_viewport_size({"width": SIZES[size][0], "height": height})
            tab.wait_for_timeout(500)
            tab.screenshot(path=folder / f"{page.title.lower()}-{size}-{scheme}.png")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        take_pictures_for_docs()
