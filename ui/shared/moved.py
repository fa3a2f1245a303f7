"""The addresses that pages had before they were merged, and where their links lead now."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

VIEW = "view"
Query = dict[str, str]


def _unchanged(query: Query) -> Query:
    return query


def _of_nil(query: Query) -> Query:
    """Nil had a hand of its own, which it showed to a link that named a hand, and a deck instead of
    rules."""
    said = dict(query)
    view = said.pop(VIEW, "hand" if "hand" in said else "curves")
    if "deck" in said:
        said["rules"] = f"deck={said.pop('deck')}"
    if view == "hand":
        return {"hand": "J52.9643.Q.K9543", "previous": "", **said, VIEW: "nil"}
    if "previous" in said:
        said["sequence"] = said.pop("previous")
    return {**said, VIEW: view}


class Move(NamedTuple):
    """Where the links of an old page lead; of a page that is still there, those that say a name of
    ``names``.

    ``page``: the title of the new one, "./" for the first; ``view``: of a link that names none;
    ``pages``: of views that are on another page; ``prefix``: what the names of the old parameters
    began with; ``names``: those that have another name; ``adapt``: what else has changed."""

    page: str
    view: str
    pages: Mapping[str, str] = {}
    prefix: str = ""
    names: Mapping[str, str] = {}
    adapt: Callable[[Query], Query] = _unchanged


MOVES = {
    "Playstyle": Move("Style", "groups", prefix="style_"),
    "Players": Move("Style", "rates", names={"first": "first_round", "rounds": "n_rounds"}),
    "Tuning": Move("Tune", "ladder", names={"seed": "ladder_seed"}),
    "Arena": Move("Agents", "league", pages={"match": "Tune"}),
    "Models": Move("Agents", "compare", names={"seed": "model_seed"}),
    "Bidding": Move("Bids", "hand", prefix="bid_", names={"log": "lab_log"}),
    "Nil": Move("Bids", "curves", adapt=_of_nil),
    "Disagreements": Move("./", "disagreements"),
    "Drill": Move("Play", "drill"),
    "Studies": Move("Data", "studies"),
    "Data": Move("Data", "logs", names={"tab": VIEW}),
}


def moved(title: str, query: Sequence[tuple[str, str]]) -> str | None:
    """The new address, without the first slash, of an old page's link; None for other pages."""
    move = MOVES.get(title)
    if move is None or (move.page == title and move.names.keys().isdisjoint(dict(query))):
        return None
    said = {}
    for name, text in query:
        plain = name.removeprefix(move.prefix)
        said[move.names.get(plain, plain)] = text
    said = move.adapt(said)
    view = said.setdefault(VIEW, move.view)
    return f"{move.pages.get(view, move.page)}?{urlencode(said)}"


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
