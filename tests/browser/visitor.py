"""What a visitor of the dashboard does and sees, through a real browser."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    FloatRect,
    Locator,
    Page,
    TimeoutError,
    expect,
)

from ui.shared.page import FAULT

DESK = {"width": 1440, "height": 900}
PATIENCE = 120.0  # seconds; a shared machine is five times slower at times
CLICK_AGAIN_MS = 5000  # what a click has not opened by then, another has closed
REST_MS = 250  # what stays in its place for so long has come to rest
# A deep link asks for these under the page's own path before the right place is known.
KNOWN_MISSES = ("/_stcore/health", "/_stcore/host-config")
IDLE = """() => {
  const app = document.querySelector('[data-testid=stApp]');
  return app?.dataset.testScriptState === 'notRunning'
    && app.dataset.testConnectionState === 'CONNECTED';
}"""

TELL_TRACEBACKS = """
  const told = new WeakSet();
  const kinds = '[data-testid=stException], [data-testid=stAlert]';
  const tell = () => document.querySelectorAll(kinds).forEach((shown) => {
    const isFault = shown.dataset.testid === 'stException' || shown.innerText.includes('FAULT');
    if (isFault && !told.has(shown)) console.error('a fault: ' + shown.innerText.slice(0, 500));
    if (isFault) told.add(shown);
  });
  new MutationObserver(tell).observe(document, {childList: true, subtree: true});
""".replace("FAULT", FAULT)  # also of those that the next run takes away again
TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

expect.set_options(timeout=PATIENCE * 1000)


class Visitor:
    """One browser context with one page. ``complaints`` holds what should never happen."""

    def __init__(self, browser: Browser, home: str, **context: object) -> None:
        self.home = home
        self.complaints: list[str] = []
        self._context = browser.new_context(**{"viewport": DESK, **context})
        self._context.set_default_timeout(PATIENCE * 1000)
        self._context.add_init_script(TELL_TRACEBACKS)
        self.page: Page = self._context.new_page()
        self._listen()

    def begin(self, *, viewport: dict | None = None, color_scheme: str = "light") -> Visitor:
        """A new visitor in the tab that another has left."""
        self.complaints = []
        self.page.set_viewport_size(viewport or DESK)
        self.page.emulate_media(color_scheme=color_scheme)
        return self

    def leave(self) -> bool:
        """Leave nothing of this visit; False where the tab can't be had again."""
        if self._context.pages != [self.page] or not self.page.url.startswith(self.home):
            return False
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self._context.clear_cookies()
        self.page.goto(f"{self.home}/_stcore/health")
        return True

    def _listen(self) -> None:
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        self.page.on("request", lambda request: self._on_request(request.url))
        self.page.on("websocket", lambda socket: self._on_request(socket.url))
        self.page.on("dialog", self._on_dialog)

    def _on_console(self, message: ConsoleMessage) -> None:
        is_known = str(message.location.get("url", "")).endswith(KNOWN_MISSES)
        if message.type == "error" and not is_known:
            self.complaints.append(f"console: {message.text} {message.location}")

    def _on_request(self, url: str) -> None:
        scheme, place, *_ = urlsplit(url)
        if scheme not in ("data", "blob") and place != urlsplit(self.home).netloc:
            self.complaints.append(f"request to {url}")

    def _on_dialog(self, dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def close(self) -> None:
        self._context.close()

    # Going places.

    def open(self, query: str = "") -> Visitor:
        """The Replay page, as far as the table."""
        self.page.goto(f"{self.home}/{query}")
        expect(self.one("rv-table")).to_be_visible()
        return self.settle()

    def settle(self) -> Visitor:
        """Wait until no script runs."""
        self.page.wait_for_function(IDLE)
        return self

    def see_rows(self) -> Visitor:
        """Wait until the decision at this ply is searched."""
        expect(self.rows.first).to_be_visible()
        return self.settle()

    # Reading the page.

    def one(self, test_id: str) -> Locator:
        return self.page.get_by_test_id(test_id)

    @property
    def rows(self) -> Locator:
        return self.page.get_by_test_id("rv-row")

    @property
    def place(self) -> str:
        """Where the reader is: ``ply 7`` or ``bid 2``."""
        return self.one("rv-place").inner_text().partition(" / ")[0]

    @property
    def ply(self) -> int:
        kind, _, number = self.place.partition(" ")
        assert kind == "ply", self.place
        return int(number)

    def see_ply(self, ply: int) -> None:
        expect(self.one("rv-place")).to_have_text(re.compile(rf"^ply {ply} / "))

    def see_bid(self, bid: int) -> None:
        expect(self.one("rv-place")).to_have_text(f"bid {bid} / 4")

    @property
    def bid_rows(self) -> Locator:
        return self.page.get_by_test_id("rv-bid-row")

    def see_text(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()

    def visits(self) -> dict[str, int]:
        """Visits by card, as the decision table shows them with more columns (``more=1``), else
        0."""
        found = {}
        for row in self.rows.all():
            if row.is_visible():
                cell = row.locator("td.c-visits b")
                text = cell.inner_text() if cell.count() else "0"
                found[str(row.get_attribute("data-card"))] = int(text.replace(",", ""))
        return found

    def numbers(self) -> str:
        """Text of every cell of the decision table that tells what models and search think."""
        cells = (
            "td.c-loss, td.c-human, td.c-search, td.c-beside, td.c-lead, td.c-value, td.c-visits"
        )
        return " ".join(self.rows.locator(cells).all_text_contents())

    @property
    def address(self) -> dict[str, str]:
        query = urlsplit(self.page.url).query
        return {name: values[0] for name, values in parse_qs(query).items()}

    def see_address(self, **wanted: str | None) -> None:
        """Wait until the address holds these values; None: until it lacks the name."""
        wait_until(
            lambda: all(self.address.get(name) == value for name, value in wanted.items()),
            lambda: f"the address is {self.page.url}, wanted {wanted}",
            page=self.page,
        )

    # Doing things.

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def to_first_lead(self) -> None:
        """To the start, and on past the bids if the record has them."""
        self.press("Home")
        while self.place.startswith("bid"):
            self.press("ArrowRight")

    def button(self, name: str) -> Locator:
        """A button of the page itself; Streamlit's header has a Stop of its own."""
        return self.one("stMainBlockContainer").get_by_role("button", name=name, exact=True)

    def choose(self, label: str, option: str | re.Pattern[str]) -> None:
        """Pick an option of a selectbox."""
        box = self.page.get_by_role("combobox", name=label, exact=True)
        box.scroll_into_view_if_needed()
        self.page.evaluate(TWO_FRAMES)  # a list that opens while the page scrolls closes again
        box.click()
        self.page.get_by_role("option", name=option, exact=isinstance(option, str)).click()
        self.settle()

    def open_popover(self, name: str) -> Locator:
        """Open a popover and wait for what is in it: Streamlit opens one again whose Escape came
        while the run that fills it was on its way. A click on such a one closes it, so that it
        takes another."""
        self.close_popover()
        body = self.one("stPopoverBody")
        button = self.page.get_by_test_id("stPopoverButton").filter(has_text=name)

        def is_filled() -> bool:
            if not body.is_visible():
                button.click()
            with suppress(TimeoutError):
                body.get_by_test_id("stElementContainer").first.wait_for(timeout=CLICK_AGAIN_MS)
                return True
            return False

        wait_until(is_filled, lambda: f"the popover {name} stays closed or empty", page=self.page)
        self.settle()
        return body

    def open_settings(self, name: str) -> Locator:
        """A tab of the settings: View, Search or Bias."""
        body = self.open_popover("Settings")
        body.get_by_role("tab", name=name).click()
        return body.get_by_role("tabpanel", name=name)

    def close_popover(self) -> None:
        if self.one("stPopoverBody").is_visible():
            self.press("Escape")
        expect(self.one("stPopoverBody")).to_be_hidden()

    def open_pasted(self, text: str) -> None:
        """Paste a valid record and wait until it is on the table."""
        before = self.address.get("hand")
        self.paste(text)
        wait_until(
            lambda: (
                self.address.get("hand", "").startswith("z.") and self.address["hand"] != before
            ),
            lambda: f"nothing was opened: {self.page.url}",
            page=self.page,
        )
        self.settle().close_popover()

    def paste(self, text: str) -> None:
        """Give a record to the paste area."""
        body = self.open_popover("Open a hand")
        body.get_by_label("Paste a record").fill(text)
        body.get_by_role("button", name="Open pasted record").click()
        self.settle()


def box_at_rest(locator: Locator) -> FloatRect:
    """Where an element is in the window, once it moves no more: a popover finds its place after it
    has opened, a page grows above what is looked at."""
    seen: list[FloatRect | None] = [None]

    def is_at_rest() -> bool:
        locator.scroll_into_view_if_needed()
        before, seen[0] = seen[0], locator.bounding_box()
        if seen[0] is not None and seen[0] == before:
            return True
        locator.page.wait_for_timeout(REST_MS)
        return False

    wait_until(is_at_rest, lambda: f"{locator} moves on", page=locator.page)
    assert seen[0]
    return seen[0]


def wait_until(
    is_true: Callable[[], bool],
    complaint: Callable[[], str],
    *,
    page: Page,
    seconds: float = PATIENCE,
) -> None:
    """Poll a condition that the page alone can't tell."""
    until = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < until, complaint()
        page.wait_for_timeout(25)
