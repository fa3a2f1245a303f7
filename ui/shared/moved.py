"""The addresses that pages had before they were merged, and where their links lead now."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

VIEW = "view"
Pairs = Sequence[tuple[str, str]]


class Move(NamedTuple):
    """Where the links of an old page lead; of a page that is still there, those that say a name of
    ``names``.

    ``page``: the title of the new one; ``view``: of a link that names none; ``pages``: of views
    that have another page; ``names``: parameters that have another name; ``prefix``: what the names
    of the old page's parameters began with."""

    page: str
    view: str
    pages: Mapping[str, str] = {}
    names: Mapping[str, str] = {}
    prefix: str = ""


MOVES = {
    "Playstyle": Move("Style", "groups", prefix="style_"),
    "Players": Move("Style", "rates", names={"first": "first_round", "rounds": "n_rounds"}),
    "Tuning": Move("Tune", "ladder", names={"seed": "ladder_seed"}),
    "Arena": Move("Agents", "league", pages={"match": "Tune"}),
    "Models": Move("Agents", "compare", names={"seed": "model_seed"}),
    "Studies": Move("Data", "studies"),
    "Data": Move("Data", "logs", names={"tab": VIEW}),
}


def moved(title: str, query: Pairs) -> str | None:
    """The new address, without the first slash, of an old page's link; None for other pages."""
    move = MOVES.get(title)
    if move is None or (move.page == title and move.names.keys().isdisjoint(dict(query))):
        return None
    values = {}
    for name, text in query:
        plain = name.removeprefix(move.prefix)
        values[move.names.get(plain, plain)] = text
    view = values.setdefault(VIEW, move.view)
    return f"{move.pages.get(view, move.page)}?{urlencode(values)}"


class OldAddresses:
    """ASGI middleware that leads from old pages' addresses to the new ones."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            base = str(config.get_option("server.baseUrlPath") or "").strip("/")
            folder, _, title = scope["path"].removesuffix("/").rpartition("/")
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            address = moved(title, query) if folder.removeprefix("/") == base else None
            if address:
                up = "../" if scope["path"].endswith("/") else ""
                app = RedirectResponse(up + address)
        await app(scope, receive, send)
