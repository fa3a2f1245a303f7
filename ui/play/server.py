"""The answers of the tables' routes, as plain functions, for tests and pages too.

``client``: the address that asks, ``ANYBODY`` for this process itself; ``seconds``: how long to
wait for agents to move.
"""

import dataclasses
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from itertools import count
from typing import Any

from spades.core.cards import SEATS
from spades.core.documents import check_keys
from spades.core.errors import shown
from spades.core.rules import NIL_BID
from spades.core.steps import Steps
from spades.tables import LiveTables, Move, Setup, TableError
from spades.tables.game import (
    BACK,
    BID,
    CARD,
    CLAIM,
    DEAL,
    HINT,
    LEAVE,
    LOOK,
    PERSON,
    PROGRAM,
    UNDO,
)
from spades.tables.log import LogKeeper
from spades.tables.pool import ANYBODY, PoolFullError, Request
from spades.tables.setup import check_player
from ui.play.seen import seat_view

MAX_MS = 24 * 3_600_000
MAX_MOVES = 1_000_000
MAX_TOKEN = 100
WAIT_SECONDS = 60.0
BLIND_NIL = "blind nil"
EXPLAIN = "explain"
FLAGS = (DEAL, BACK, LOOK, UNDO, HINT, CLAIM)
MOVES = (BID, CARD, LEAVE, *FLAGS)
ASKED = (HINT, EXPLAIN, CLAIM)
_n_orders = count()


@lru_cache(maxsize=1)
def tables() -> LiveTables:
    """The tables of this server, whose finished rounds become logs."""
    return LiveTables(keeper=LogKeeper())


def take_seat(document: dict[str, Any]) -> dict[str, Any]:
    """Say who sits in a seat, a request's ``kind`` and ``name``; the table after it."""
    check_keys(document, ("token", "kind", "name"))
    token = document.get("token")
    kind = document.get("kind")
    game_of(token)
    if not isinstance(token, str) or kind not in (PERSON, PROGRAM):
        raise TableError(f"kind is {shown(kind)}; {PERSON} or {PROGRAM} is legal")
    tables().sit(token, check_player(document.get("name")), is_program=kind == PROGRAM)
    return view_of(token, seconds=0)


def open_table(document: dict[str, Any]) -> dict[str, str]:
    """Open a game: tokens by seat's letter."""
    check_keys(document, [field.name for field in dataclasses.fields(Setup)])
    tokens = tables().open_table(Setup.from_request(document))
    return {SEATS[seat]: token for seat, token in tokens.items()}


def game_of(token: object) -> str:
    """The game of a seat's token, as the store has it now."""
    if not isinstance(token, str) or not token.isascii() or len(token) > MAX_TOKEN:
        token = ""  # which is refused
    return tables().seat_of(token).game


def heartbeat(token: str, client: str = ANYBODY) -> str:
    """Keep the agents at the table of a token thinking; returns the game."""
    game = game_of(token)
    with suppress(PoolFullError):  # the view says so
        tables().heartbeat(game, client)
    return game


def view_of(token: str, *, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
    """The table as a seat may see it (``seat_view``), ``thinking``: the agent to move, as
    ``LiveTables.thinking`` has it, and ``relieved``: the agents that thought too long, replaced by
    ``STAND_IN``."""
    game, seat = tables().seat_of(token)
    if seconds:
        tables().wait(game, seconds)
    with tables().playing(game) as playing:
        agents = playing.setup.agents
        return {
            **seat_view(playing, seat),
            "thinking": tables().thinking(game, playing),
            "relieved": [i for i in sorted(playing.away) if agents[i] is not None],
        }


def make_move(
    document: dict[str, Any],
    *,
    client: str = ANYBODY,
    seconds: float = WAIT_SECONDS,
    may_claim: bool | None = None,
) -> dict[str, Any]:
    """Make a request's move; the table after it. ``may_claim``: the result of ``begin_claim``,
    where it is known."""
    token, n = _token_and_number(document)
    check_keys(document, ("token", "n", "ms", *MOVES))
    leaving = document.get(LEAVE)
    if leaving is not None:
        if leaving not in list(SEATS):
            raise TableError(f"leave names a seat, one of {', '.join(SEATS)}: {shown(leaving)}")
        tables().stand_in(token, n, SEATS.index(leaving), client)
        return view_of(token, seconds=seconds)
    move = _move_of(token, document)
    if move.kind == CLAIM:
        if may_claim is None:
            may_claim = begin_claim(token, client).result(WAIT_SECONDS)
        if not may_claim:
            raise TableError("the rest can't be claimed: it depends on the other hands")
    tables().move(token, n, move._replace(ms=_thinking_time(document)), client=client)
    return view_of(token, seconds=seconds)


def _thinking_time(document: dict[str, Any]) -> int | None:
    ms = document.get("ms")
    return min(max(0, ms), MAX_MS) if type(ms) is int else None


def help_answer(document: dict[str, Any], result: Any) -> dict[str, Any]:
    """The answer to a request for help, from the result of ``begin_help``."""
    if document["ask"] == CLAIM:
        return {"may_claim": result}
    return {"help": result, "table": view_of(document["token"], seconds=0)}


def begin_help(document: dict[str, Any], client: str = ANYBODY) -> Future[Any]:
    """Ask the pool of agents for what a seat to move wants: ``hint`` or ``explain``, which the game
    records as its move ``n``, or whether it may ``claim`` the rest."""
    from ui.play import help as helper  # loads the judge, which other tables don't need

    check_keys(document, ("token", "n", "ask"))
    token = document.get("token")
    asked = document.get("ask")
    if not isinstance(token, str) or asked not in ASKED:
        raise TableError(f"token and ask are due, hint, explain or claim: {shown(document)}")
    if asked == CLAIM:
        return begin_claim(token, client)
    token, n = _token_and_number(document)
    game = game_of(token)
    tables().pool.check(client, "")
    tables().move(token, n, Move(0, HINT), client=client)
    with tables().playing(game) as playing:
        record = playing.record
        seen = playing.seen(tables().seat_of(token).seat)
    if asked == EXPLAIN:
        return _order(game, client, lambda: helper.explanation_in_steps(seen))
    return _order(game, client, lambda: helper.hint_in_steps(record, seen))


def begin_claim(token: str, client: str = ANYBODY) -> Future[Any]:
    """Ask whether a seat may claim the rest."""
    from ui.play import help as helper

    game = game_of(token)
    seat = tables().seat_of(token).seat
    with tables().playing(game) as playing:
        may_ask = playing.setup.help and playing.turn == seat
        seen = playing.seen(seat)
    if not may_ask:
        refused = Future[Any]()
        refused.set_result(False)
        return refused
    return _order(game, client, lambda: helper.may_claim_in_steps(seen))


def _order(game: str, client: str, begin: Callable[[], Steps[Any]]) -> Future[Any]:
    """Ask the pool for help at a table, which is counted apart from its agents' thinking."""
    helping = f"help {game}"
    key = f"{helping} {next(_n_orders)}"
    return tables().pool.submit(Request(key, helping, client, begin, idle_timeout=WAIT_SECONDS))


def _token_and_number(document: dict[str, Any]) -> tuple[str, int]:
    token = document.get("token")
    n = document.get("n")
    if not isinstance(token, str) or type(n) is not int:
        raise TableError(f"token and n are due, a text and a number: {shown(document)}")
    if not 0 <= n <= MAX_MOVES:
        raise TableError(f"n is {shown(n)}; moves are numbered from 0 on")
    game_of(token)
    return token, n


def _move_of(token: str, document: dict[str, Any]) -> Move:
    bid = document.get(BID)
    card = document.get(CARD)
    if type(bid) is int:
        return Move(0, BID, bid)
    if bid == BLIND_NIL:
        return Move(0, BID, NIL_BID, blind=True)
    if isinstance(card, str):
        with tables().playing(game_of(token)) as playing:
            return Move(0, CARD, playing.setup.rules.cards.parse_card(card))
    for kind in FLAGS:
        if document.get(kind) is True:
            return Move(0, kind)
    raise TableError(f"a move has a bid, a card, leave, {', '.join(FLAGS)}: {shown(document)}")
