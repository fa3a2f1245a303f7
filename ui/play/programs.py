"""Programs that connect over HTTP to play as agents, as plain functions of their requests.

They play where any agent does: at tables, in tournaments, in matches of the Agents page. What they
are sent and may answer is the engine protocol (``docs/protocol.md``).
"""

from spades.core.documents import Document, check_keys
from spades.core.errors import SpadesError, shown
from spades.programs import connect_program, connected_seat, find_connected
from spades.programs.connected import ConnectedSeat
from spades.programs.listed import DEFAULT_SECONDS

MAX_AFTER = 2**53


def connect(document: Document) -> Document:
    """Let a program take part: ``agent``, by what agents' texts name it, and ``seats``, a token
    for each. ``SpadesError`` and ``BusyError`` as ``connect_program``."""
    check_keys(document, ("name", "version", "seconds"))
    name = document.get("name")
    seconds = document.get("seconds", DEFAULT_SECONDS)
    tokens = connect_program(name, document.get("version"), seconds)
    return {"agent": find_connected(name).key, "seats": tokens}


def take_answer(document: Document) -> tuple[ConnectedSeat, int]:
    """Take what a request brings to a seat: the seat, and how many messages the program has of it.
    ``SpadesError`` says what is wrong."""
    check_keys(document, ("token", "after", "answer"))
    after = document.get("after", 0)
    if type(after) is not int or not 0 <= after <= MAX_AFTER:
        raise SpadesError(f"after is {shown(after)}; 0 or what the last request gave is legal")
    answer = document.get("answer")
    if answer is not None and not isinstance(answer, dict):
        raise SpadesError(
            f'answer is {shown(answer)}; an object, as {{"id": 1, "bid": 3}}, is legal'
        )
    seat = connected_seat(document.get("token"))
    seat.take(after, answer)
    return seat, after
