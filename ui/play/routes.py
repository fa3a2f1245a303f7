"""The tables over HTTP, beside the pages: what the Play page and other programs talk to.

- ``POST /tables/open``: a set-up (``spades.tables.Setup.document``; ``seed`` may be left out) opens
  a game: ``{"seats": {"S": TOKEN}}``, a token for each person. Who has it may play that seat.
- ``GET /tables/view?token=TOKEN&after=N``: the table as that seat may see it (``ui.play.seen``),
  once it has had other than ``after`` moves, or after some seconds.
- ``POST /tables/move``: ``{"token", "n", "bid": 3 | "card": "HT" | "deal": true, "ms"}`` makes move
  number ``n``, and answers with the table. The same move sent again changes nothing. ``"leave":
  "E"``: an agent plays on for East, who has the token or has been due for two minutes;
  ``"back": true`` ends that. ``"bid": "blind nil"`` may be bid, 100 points behind, until ``"look":
  true``. With help: ``"undo": true`` takes the last bid or card back, ``"claim": true`` the rest.
- ``POST /tables/help``: ``{"token", "n", "ask": "hint" | "explain" | "claim"}``.

Refusals have status 400 and ``{"error": TEXT}``. What is sent to a seat never holds a card that the
seat may not see. Agents are loaded with the first request: the first page doesn't wait for them.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from spades.core.errors import SpadesError, shown

PATH = "/tables"
MAX_BYTES = 16_384  # of a request
WAIT_SECONDS, LOOK_EVERY = 20.0, 0.05
NO_STORE = {"cache-control": "no-store"}


async def _server() -> Any:
    return await run_in_threadpool(import_module, "ui.play.server")


async def _body(request: Request) -> dict[str, Any]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise SpadesError(f"a request has {MAX_BYTES:,} bytes at most")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SpadesError(f"a request is JSON ({error})") from None
    if not isinstance(found, dict):
        raise SpadesError(f"a request is a JSON object: {shown(found)}")
    return found


async def _open(request: Request) -> dict[str, Any]:
    server = await _server()
    return {"seats": await run_in_threadpool(server.open_table, await _body(request))}


async def _view(request: Request) -> dict[str, Any]:
    token, after = request.query_params.get("token", ""), request.query_params.get("after")
    server, until = await _server(), time.monotonic() + WAIT_SECONDS
    n = await run_in_threadpool(server.n_moves, token)  # loads the game
    while str(n) == after and time.monotonic() < until and not await request.is_disconnected():
        await asyncio.sleep(LOOK_EVERY)
        n = server.n_moves(token)
    found: dict[str, Any] = await run_in_threadpool(server.view_of, token)
    return found


async def _move(request: Request) -> dict[str, Any]:
    server = await _server()
    found: dict[str, Any] = await run_in_threadpool(server.make_move, await _body(request))
    return found


async def _help(request: Request) -> dict[str, Any]:
    server = await _server()
    found: dict[str, Any] = await run_in_threadpool(server.help_with, await _body(request))
    return found


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
    Route(f"{PATH}/help", _answering(_help), methods=["POST"]),
]
