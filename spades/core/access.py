"""The token that opens tables over HTTP, as Jupyter's: whoever has it may put agents to work.

It is ``$SPADES_ACCESS_TOKEN``, or made once and kept beside the tables, for its owner's eyes alone.
"""

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from spades.core.errors import SpadesError
from spades.core.paths import file_of

VARIABLE = "SPADES_ACCESS_TOKEN"
FILE_NAME = "access-token"
SCHEMES = ("token", "bearer")
MIN_LENGTH = 16


class AccessError(SpadesError):
    """An access token that is missing, wrong, or can't be used."""


def token_file() -> Path:
    """Where the token is kept that isn't given by the environment."""
    return file_of("games", FILE_NAME)


def access_token() -> str:
    """This server's token; it is made where there is none. ``AccessError`` where it is too short or
    can't be kept."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return _checked(given, VARIABLE)
    path = token_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_file(path)
        return _checked(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise AccessError(
            f"{path}: no access token can be kept ({error}); set {VARIABLE}"
        ) from None


def _make_file(path: Path) -> None:
    """Write a new token, whole from the first moment that other processes see it."""
    if path.exists():
        return
    temporary = path.with_name(f"{FILE_NAME}-{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(secrets.token_urlsafe(24))
    try:
        with suppress(FileExistsError):  # another process was quicker
            os.link(temporary, path)
    finally:
        temporary.unlink()


def _checked(text: str, where: str) -> str:
    token = text.strip()
    if len(token) < MIN_LENGTH or not token.isascii():
        raise AccessError(f"{where} is no access token: {MIN_LENGTH} ASCII letters or more are due")
    return token


def check_access(authorization: str | None) -> None:
    """``AccessError`` unless a header ``Authorization`` holds this server's token."""
    scheme, _, given = (authorization or "").strip().partition(" ")
    if scheme.lower() not in SCHEMES:
        raise AccessError(
            'to open a table send this server\'s access token, "Authorization: token TOKEN": it is '
            f"in the server's log and in the file {FILE_NAME} of its games' folder"
        )
    expected = access_token().encode()
    if not hmac.compare_digest(given.strip().encode("utf-8", "replace"), expected):
        raise AccessError(
            "this isn't this server's access token: it is in the server's log and in the file "
            f"{FILE_NAME} of its games' folder"
        )
