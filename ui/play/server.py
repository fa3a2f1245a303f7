"""The tables over HTTP, beside the pages: what the Play page and other programs talk to.

- ``POST /tables/open``: a set-up (``spades.tables.Setup.document``; ``seed`` may be left out) opens
  a game: ``{"seats": {"S": TOKEN}}``, a token for each person. Who has it may play that seat.
- ``GET /tables/view?token=TOKEN&after=N``: the table as that seat may see it (``ui.play.seen``),
  once more than ``after`` moves have been made, or after some seconds.
- ``POST /tables/move``: ``{"token", "n", "bid": 3 | "card": "HT" | "deal": true, "ms"}`` makes move
  number ``n``, and answers with the table. The same move sent again changes nothing.

Refusals have status 400 and ``{"error": TEXT}``. What is sent to a seat never holds a card that the
seat may not see.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from spades.core.cards import SEATS
from spades.core.errors import SpadesError, shown
from spades.tables import LiveTables, Move, Setup, TableError
from spades.tables.game import BID, CARD, DEAL, MAX_SEED
from ui.play.seen import seat_view

PATH = "/tables"
MAX_BYTES = 16_384  # of a request
WAIT_SECONDS, LOOK_EVERY = 20.0, 0.05
MAX_MS = 24 * 3_600_000
NO_STORE = {"cache-control": "no-store"}


@lru_cache(maxsize=1)
def tables() -> LiveTables:
    """The tables of this server."""
    return LiveTables()


def open_table(document: dict[str, Any]) -> dict[str, str]:
    """Open a game: tokens by seat's letter."""
    seed = document.get("seed")
    drawn = secrets.randbelow(MAX_SEED) if seed is None else seed
    tokens = tables().open_table(Setup.from_document({**document, "seed": drawn}))
    return {SEATS[seat]: token for seat, token in tokens.items()}


def view_of(token: str) -> dict[str, Any]:
    game, seat = tables().seat_of(token)
    with tables().playing(game) as playing:
        return seat_view(playing, seat)


def make_move(document: dict[str, Any]) -> dict[str, Any]:
    """Make a move of a request, and look again."""
    token, n, ms = (document.get(name) for name in ("token", "n", "ms"))
    if not isinstance(token, str) or type(n) is not int:
        raise TableError(f"token and n are due, a text and a number: {shown(document)}")
    ms = min(max(0, ms), MAX_MS) if type(ms) is int else None
    tables().move(token, n, _move_of(token, document)._replace(ms=ms))
    return view_of(token)


def _move_of(token: str, document: dict[str, Any]) -> Move:
    if type(bid := document.get("bid")) is int:
        return Move(0, BID, bid)
    if isinstance(card := document.get("card"), str):
        with tables().playing(tables().seat_of(token).game) as playing:
            return Move(0, CARD, playing.setup.rules.cards.parse_card(card))
    if document.get("deal") is True:
        return Move(0, DEAL)
    raise TableError(f"a move has a bid, a card or deal: {shown(document)}")


async def _body(request: Request) -> dict[str, Any]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise TableError(f"a request has {MAX_BYTES:,} bytes at most")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise TableError(f"a request is JSON ({error})") from None
    if not isinstance(found, dict):
        raise TableError(f"a request is a JSON object: {shown(found)}")
    return found


async def _open(request: Request) -> dict[str, Any]:
    return {"seats": await run_in_threadpool(open_table, await _body(request))}


async def _view(request: Request) -> dict[str, Any]:
    token, after = request.query_params.get("token", ""), request.query_params.get("after")
    game = (await run_in_threadpool(tables().seat_of, token)).game
    await run_in_threadpool(tables().n_moves, game)  # loads it
    until = time.monotonic() + WAIT_SECONDS
    while str(tables().n_moves(game)) == after and time.monotonic() < until:
        if await request.is_disconnected():
            break
        await asyncio.sleep(LOOK_EVERY)
    return await run_in_threadpool(view_of, token)


async def _move(request: Request) -> dict[str, Any]:
    return await run_in_threadpool(make_move, await _body(request))


def _answering(make: Callable[[Request], Awaitable[dict[str, Any]]]) -> Callable[..., Any]:
    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await make(request), headers=NO_STORE)
        except SpadesError as error:
            return JSONResponse({"error": str(error)}, status_code=400, headers=NO_STORE)

    return answer


ROUTES = [
    Route(f"{PATH}/open", _answering(_open), methods=["POST"]),
    Route(f"{PATH}/view", _answering(_view), methods=["GET"]),
    Route(f"{PATH}/move", _answering(_move), methods=["POST"]),
]
