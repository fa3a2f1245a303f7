"""What the routes of the tables answer with; plain functions, for tests and pages too."""

import secrets
from functools import lru_cache
from typing import Any

from spades.core.cards import SEATS
from spades.core.errors import shown
from spades.core.rules import NIL_BID
from spades.tables import LiveTables, Move, Setup, TableError
from spades.tables.game import BACK, BID, CARD, CLAIM, DEAL, HINT, LOOK, MAX_SEED, UNDO
from ui.play.seen import seat_view

MAX_MS = 24 * 3_600_000
BLIND_NIL = "blind nil"
FLAGS = (DEAL, BACK, LOOK, UNDO, HINT, CLAIM)


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
    move = _move_of(token, document)
    if move.kind == CLAIM and not _may_claim(token):
        raise TableError("the rest can't be claimed: it hangs on how the cards lie")
    tables().move(token, n, move._replace(ms=ms))
    return view_of(token)


def help_with(document: dict[str, Any]) -> dict[str, Any]:
    """What a seat that is due asks for: ``hint`` or ``explain``, which the game notes as its move
    ``n``, or whether it may ``claim`` the rest."""
    from ui.play import help as helper  # loads the judge: a table without help does without

    token, asked = document.get("token"), document.get("ask")
    if not isinstance(token, str) or asked not in ("hint", "explain", "claim"):
        raise TableError(f"token and ask are due, hint, explain or claim: {shown(document)}")
    if asked == "claim":
        return {"may_claim": _may_claim(token)}
    make_move({**document, HINT: True})
    game, seat = tables().seat_of(token)
    with tables().playing(game) as playing:
        record, seen = playing.record, playing.seen(seat)
    found = helper.hint(record, seen) if asked == HINT else helper.explanation(seen)
    return {"help": found, "table": view_of(token)}


def _may_claim(token: str) -> bool:
    from ui.play.help import may_claim

    game, seat = tables().seat_of(token)
    with tables().playing(game) as playing:
        is_due, seen = playing.setup.help and playing.turn == seat, playing.seen(seat)
    return is_due and may_claim(seen)


def _move_of(token: str, document: dict[str, Any]) -> Move:
    if type(bid := document.get("bid")) is int:
        return Move(0, BID, bid)
    if bid == BLIND_NIL:
        return Move(0, BID, NIL_BID, blind=True)
    if isinstance(card := document.get("card"), str):
        with tables().playing(tables().seat_of(token).game) as playing:
            return Move(0, CARD, playing.setup.rules.cards.parse_card(card))
    for kind in FLAGS:
        if document.get(kind) is True:
            return Move(0, kind)
    raise TableError(f"a move has a bid, a card, leave, {', '.join(FLAGS)}: {shown(document)}")
