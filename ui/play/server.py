"""What the routes of the tables answer with; plain functions, for tests and pages too."""

import secrets
from functools import lru_cache
from typing import Any

from spades.core.cards import SEATS
from spades.core.errors import shown
from spades.tables import LiveTables, Move, Setup, TableError
from spades.tables.game import BACK, BID, CARD, DEAL, MAX_SEED
from ui.play.seen import seat_view

MAX_MS = 24 * 3_600_000


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


def n_moves(token: str) -> int:
    return tables().n_moves(tables().seat_of(token).game)


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
    if (leaves := document.get("leave")) is not None:
        if leaves not in list(SEATS):
            raise TableError(f"leave names a seat, one of {', '.join(SEATS)}: {shown(leaves)}")
        tables().stand_in(token, n, SEATS.index(leaves))
        return view_of(token)
    tables().move(token, n, _move_of(token, document)._replace(ms=ms))
    return view_of(token)


def _move_of(token: str, document: dict[str, Any]) -> Move:
    if type(bid := document.get("bid")) is int:
        return Move(0, BID, bid)
    if isinstance(card := document.get("card"), str):
        with tables().playing(tables().seat_of(token).game) as playing:
            return Move(0, CARD, playing.setup.rules.cards.parse_card(card))
    for kind in (DEAL, BACK):
        if document.get(kind) is True:
            return Move(0, kind)
    raise TableError(f"a move has a bid, a card, deal, leave or back: {shown(document)}")
