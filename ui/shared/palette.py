"""What the palette finds, over HTTP: pages and their views, shipped hands, logs, agents, models of
human play and the terms of the glossary. Its addresses lead where the pages lead as well.

``GET /find/places``: ``{"places": [{"kind", "title", "about", "address"}, ...]}``; an address is
below the server's own, that of a term is null. It names what the pages show to every visitor.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from spades.human import model_names
from ui.disagreements import switch
from ui.shared.bar import FIND
from ui.shared.gate import NO_STORE
from ui.shared.glossary import entries
from ui.shared.pages import PAGES, Page
from ui.shared.records import readable_logs, shipped_hands, title_of


class Place(NamedTuple):
    """Something to find: what it is, its name, a line about it, and where it is."""

    kind: str
    title: str
    about: str
    address: str | None


def places() -> list[Place]:
    return [*_pages(), *_hands(), *_logs(), *_agents(), *_models(), *_terms()]


def _address(page: str, **query: str) -> str:
    """An address below the server's own; the first page's is empty."""
    place = "" if page == PAGES[0].title else page
    return f"{place}?{urlencode(query)}" if query else place


def _pages() -> Iterator[Place]:
    for page in PAGES:
        yield Place("Page", page.title, page.purpose, _address(page.title))
    for page in PAGES:
        for name, label in _views(page).items():
            about = f"A view of {page.title}"
            yield Place("View", label, about, _address(page.title, view=name))


def _views(page: Page) -> dict[str, str]:
    """Labels of a page's views by name, those that aren't the page itself."""
    if page == PAGES[0]:
        return {switch.LIST: switch.LABELS[switch.LIST]}
    state = import_module(f"ui.{page.title.lower()}.state") if page.title != "Papers" else None
    views: dict[str, Any] = getattr(state, "VIEWS", {})
    return {name: view.label for name, view in views.items()}


def _hands() -> Iterator[Place]:
    for name, record in shipped_hands().items():
        yield Place("Hand", title_of(record), name, _address("Replay", hand=name))


def _logs() -> Iterator[Place]:
    for name, entry in readable_logs().items():
        yield Place("Log", name, f"{entry.n_rounds:,} rounds", _address("Data", log=name))


def _agents() -> Iterator[Place]:
    from spades.agents import PLAYERS  # nothing on the first page needs them

    for name, player in PLAYERS.items():
        about = (player.__doc__ or "").partition("\n")[0].replace("``", "")
        at_table = dict.fromkeys(("left", "partner", "right"), name)
        yield Place(
            "Agent", name, f"{about} Play at a table with it.", _address("Play", **at_table)
        )


def _models() -> Iterator[Place]:
    for name in model_names():
        about = "A model of human play, measured"
        yield Place("Model", name, about, _address("Agents", view="one", model=name))


def _terms() -> Iterator[Place]:
    for terms in entries().values():
        for term, text in terms.items():
            yield Place("Term", term, text, None)


def _answer(request: Request) -> JSONResponse:  # in one of the threads that wait for files
    return JSONResponse({"places": [place._asdict() for place in places()]}, headers=NO_STORE)


ROUTES = [Route(FIND, _answer, methods=["GET"])]
