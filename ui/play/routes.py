"""The tables over HTTP, beside the pages: what the Play page and other programs talk to.

- ``POST /tables/open``: a set-up (``spades.tables.Setup.document``) opens a game: ``{"seats": {"S":
  TOKEN}}``, a token for each person. Who has it may play that seat. It takes the server's access
  token (``spades.core.access``) in the header ``Authorization: token TOKEN``.
- ``POST /tables/sit``: ``{"token", "kind": "person" | "program", "name"}`` says who sits in a seat,
  once, before its first bid; what says nothing is a person. Answers with the table.
- ``GET /tables/view?token=TOKEN&after=N``: the table as that seat may see it
  (``ui.play.server.view_of``), once it has had other than ``after`` moves, or after some seconds.
- ``POST /tables/move``: ``{"token", "n", "bid": 3 | "card": "HT" | "deal": true, "ms"}`` makes move
  number ``n``, and answers with the table, after ``ANSWER_SECONDS`` also where agents still think.
  The same move sent again changes nothing. ``"leave": "E"``: an agent plays on for East, who has
  the token or has been due for two minutes; ``"back": true`` ends that. ``"bid": "blind nil"`` may
  be bid, 100 points behind, until ``"look": true``. With help: ``"undo": true`` takes the last bid
  or card back, ``"claim": true`` the rest.
- ``POST /tables/help``: ``{"token", "n", "ask": "hint" | "explain" | "claim"}``.
- ``POST /tables/tournament``: ``{"agents", "games", "seed", "rules", "log"}`` plays every two
  agents against each other (``ui.play.tournaments``); sent again, it says how far that is. It takes
  the access token.
- ``POST /tables/connect``: ``{"name", "version", "seconds"}`` lets a program take part as the agent
  ``external:http=NAME``: ``{"agent", "seats": {"N": TOKEN, ...}}``. It takes the access token.
- ``POST /tables/answer``: ``{"token", "after", "answer"}`` brings a seat of such a program its
  messages of the engine protocol, once one is a question, or after some seconds.

Refusals have a status from 400 on and ``{"error": TEXT}``; 401: the access token is missing; 429:
too much is asked for at a time, and ``Retry-After`` says how long to wait. ``ui.shared.gate`` lets
requests in. What is sent to a seat never holds a card that the seat may not see. Agents are loaded
with the first request: the first page doesn't wait for them.

No request holds a thread while it waits: what reads or writes the store runs in a few threads of
its own, agents in theirs (``spades.tables.pool``).
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from spades.core.access import AccessError, access_token, check_access
from spades.core.documents import check_keys, load_object
from spades.core.errors import BusyError, SpadesError, shown
from ui.shared.gate import NO_STORE, Rates

PATH = "/tables"
_log = logging.getLogger(__name__)
N_THREADS = 8
WAIT_SECONDS = 20.0  # of a view for the next move
HEARTBEAT_SECONDS = 5.0  # of a client that waits for moves
QUEUE_SECONDS = 2.0  # of a view while the table waits in the queue,
PLACE_SECONDS = 0.2  # and for each place in it
ANSWER_SECONDS = 2.0  # of a move for the agents' answer
MAX_AFTER = 1_000_000
OPENED_A_MINUTE = 20  # by a client
OPENED_A_MINUTE_IN_ALL = 120
_opened = Rates(OPENED_A_MINUTE / 60, OPENED_A_MINUTE)
_opened_in_all = Rates(OPENED_A_MINUTE_IN_ALL / 60, OPENED_A_MINUTE_IN_ALL)


@lru_cache(maxsize=1)
def _limiter() -> CapacityLimiter:
    return CapacityLimiter(N_THREADS)


async def _in_thread(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return await to_thread.run_sync(partial(function, *args, **options), limiter=_limiter())


async def _server() -> Any:
    return await _in_thread(import_module, "ui.play.server")


def say_access() -> None:
    """Write into the server's log how programs open tables."""
    try:
        _log.warning("Programs open tables with the access token %s", access_token())
    except AccessError as error:
        _log.warning("Programs can't open tables: %s", error)


def check_opening(client: str) -> None:
    """``BusyError`` where a client, or all together, have opened many tables in this minute."""
    for rates, key, most in (
        (_opened, client, OPENED_A_MINUTE),
        (_opened_in_all, "", OPENED_A_MINUTE_IN_ALL),
    ):
        wait = rates.take(key)
        if wait:
            whose = "a client" if key else "all clients together"
            raise BusyError(f"{whose} may open {most} tables a minute", wait)


def parse_document(body: bytes) -> dict[str, Any]:
    """The JSON object of a request; ``SpadesError`` for anything else."""
    try:
        document = load_object(body.decode())
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeDecodeError:
        raise SpadesError("a request is JSON in UTF-8") from None
    except UnicodeEncodeError:  # it could not be stored or sent
        raise SpadesError("a text holds a lone surrogate, which is no letter") from None
    return document


async def _open(request: Request, client: str) -> dict[str, Any]:
    await _in_thread(check_access, request.headers.get("authorization"))
    document = parse_document(await request.body())
    check_opening(client)
    server = await _server()
    return {"seats": await _in_thread(server.open_table, document)}


async def _sit(request: Request, client: str) -> dict[str, Any]:
    document = parse_document(await request.body())
    server = await _server()
    return await _in_thread(server.take_seat, document)


async def _tournament(request: Request, client: str) -> dict[str, Any]:
    await _in_thread(check_access, request.headers.get("authorization"))
    document = parse_document(await request.body())
    tournaments = await _in_thread(import_module, "ui.play.tournaments")
    return await _in_thread(tournaments.tournaments().play, document)


async def _connect(request: Request, client: str) -> dict[str, Any]:
    await _in_thread(check_access, request.headers.get("authorization"))
    document = parse_document(await request.body())
    check_opening(client)
    programs = await _programs()
    return programs.connect(document)


async def _answer(request: Request, client: str) -> dict[str, Any]:
    document = parse_document(await request.body())
    programs = await _programs()
    seat, after = programs.take_answer(document)
    until = time.monotonic() + WAIT_SECONDS
    changes = _Changes()
    with seat.listening(changes.tell):
        while not seat.is_due(after):
            left = until - time.monotonic()
            if left <= 0 or await request.is_disconnected():
                break
            await changes.wait(min(left, HEARTBEAT_SECONDS))
    return seat.messages()


async def _programs() -> Any:
    return await _in_thread(import_module, "ui.play.programs")


async def _view(request: Request, client: str) -> dict[str, Any]:
    query = request.query_params
    check_keys(query, ("token", "after"))
    token = query.get("token", "")
    after = _parse_after(query.get("after"))
    server = await _server()
    game = await _in_thread(server.heartbeat, token, client)
    if after is not None:
        await _wait_for_moves(request, (server, token, client), game, after)
    return await _in_thread(server.view_of, token, seconds=0)


def _parse_after(after: str | None) -> int | None:
    if after is None:
        return None
    if not (after.isascii() and after.isdecimal() and len(after) <= 7 and int(after) <= MAX_AFTER):
        raise SpadesError(f"after is {shown(after)}; a number of moves, 0 to {MAX_AFTER}, is legal")
    return int(after)


async def _wait_for_moves(
    request: Request, who: tuple[Any, str, str], game: str, after: int
) -> None:
    """Wait until the number of moves is not ``after``, as long as the client is there."""
    server, token, client = who
    until = time.monotonic() + WAIT_SECONDS
    live = server.tables()
    changes = _Changes()
    with live.listening(game, changes.tell):
        while await _in_thread(live.n_moves, game) == after:
            place = live.pool.place(game)
            is_queued = place is not None and place.place > 0
            left = until - time.monotonic()
            timeout = HEARTBEAT_SECONDS
            if is_queued:
                timeout = QUEUE_SECONDS + PLACE_SECONDS * place.place
            if left <= 0 or await request.is_disconnected():
                return
            if await changes.wait(min(left, timeout)):
                continue
            await _in_thread(server.heartbeat, token, client)
            if is_queued:
                return


class _Changes:
    """Tells a request, from other threads, that a game has changed."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def tell(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed.set)

    async def wait(self, seconds: float) -> bool:
        """Whether it has changed within some seconds."""
        try:
            await asyncio.wait_for(self._changed.wait(), seconds)
        except TimeoutError:
            return False
        self._changed.clear()
        return True


async def _move(request: Request, client: str) -> dict[str, Any]:
    document = parse_document(await request.body())
    server = await _server()
    may_claim = None
    if document.get("claim") is True:
        begun = await _in_thread(server.begin_claim, document.get("token"), client)
        may_claim = await _finished(begun)
    view = await _in_thread(
        server.make_move, document, client=client, seconds=0, may_claim=may_claim
    )
    if view["thinking"] is None:
        return view
    token = document["token"]
    game = await _in_thread(server.game_of, token)
    until = time.monotonic() + ANSWER_SECONDS
    live = server.tables()
    changes = _Changes()
    with live.listening(game, changes.tell):
        while live.pool.place(game) is not None and time.monotonic() < until:
            await changes.wait(until - time.monotonic())
    return await _in_thread(server.view_of, token, seconds=0)


async def _help(request: Request, client: str) -> dict[str, Any]:
    document = parse_document(await request.body())
    server = await _server()
    begun = await _in_thread(server.begin_help, document, client)
    result = await _finished(begun)
    return await _in_thread(server.help_answer, document, result)


async def _finished(begun: Future[Any]) -> Any:
    """The result of a request to the pool."""
    try:
        return await asyncio.wrap_future(begun)
    except asyncio.CancelledError:
        if not begun.cancelled():  # the request itself is
            raise
        raise BusyError("the server is too busy to help now: play on, or ask again", 10) from None


def _answering(make: Callable[[Request, str], Awaitable[dict[str, Any]]]) -> Callable[..., Any]:
    async def answer(request: Request) -> Response:
        client = getattr(request.state, "client", "")
        try:
            return JSONResponse(await make(request, client), headers=NO_STORE)
        except AccessError as error:
            return _refusal(error, 401, {"www-authenticate": "token"})
        except BusyError as error:
            return _refusal(error, 429, {"retry-after": str(1 + int(error.wait))})
        except SpadesError as error:
            return _refusal(error, 400, {})

    return answer


def _refusal(error: Exception, status: int, headers: dict[str, str]) -> Response:
    return JSONResponse({"error": str(error)}, status, {**NO_STORE, **headers})


ROUTES = [
    Route(f"{PATH}/open", _answering(_open), methods=["POST"]),
    Route(f"{PATH}/sit", _answering(_sit), methods=["POST"]),
    Route(f"{PATH}/tournament", _answering(_tournament), methods=["POST"]),
    Route(f"{PATH}/connect", _answering(_connect), methods=["POST"]),
    Route(f"{PATH}/answer", _answering(_answer), methods=["POST"]),
    Route(f"{PATH}/view", _answering(_view), methods=["GET"]),
    Route(f"{PATH}/move", _answering(_move), methods=["POST"]),
    Route(f"{PATH}/help", _answering(_help), methods=["POST"]),
]
