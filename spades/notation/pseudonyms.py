"""Pseudonyms for people's names: hashes with a salt that never leaves the machine.

The same name gives the same pseudonym in every file read on one installation, and nobody without
the salt can tell which name it was or try names out. The salt is 32 random bytes in the file
``salt`` of the data folder: ``$SPADES_DATA``, or ``spades-decision-lab`` in the user's data folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from functools import lru_cache
from pathlib import Path

from spades.core.paths import user_folder

SALT_BYTES = 32
_DIGITS = 16


class Pseudonyms:
    """Pseudonyms with one salt; None: the installation's, made when first needed."""

    def __init__(self, salt: bytes | None = None) -> None:
        self._salt = salt

    def of(self, name: str, *, what: str = "p") -> str:
        """Pseudonym of a name, ``what-`` and 16 hexadecimal digits."""
        if self._salt is None:
            self._salt = installation_salt()
        text = f"{what}:{name}".encode("utf-8", errors="surrogatepass")
        return f"{what}-{hmac.new(self._salt, text, hashlib.sha256).hexdigest()[:_DIGITS]}"


def installation_salt() -> bytes:
    """The salt of this installation; where none can be kept, one of this process."""
    path = user_folder() / "salt"
    try:
        return _read(path) or _made(path)
    except OSError:
        return _process_salt()


def _read(path: Path) -> bytes | None:
    try:
        salt = path.read_bytes()
    except FileNotFoundError:
        return None
    return salt if len(salt) >= SALT_BYTES else None


def _made(path: Path) -> bytes:
    """A new salt, or the one that another process made at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".salt.{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(SALT_BYTES))
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and _read(path) is None:
            temporary.replace(path)  # a salt cut short is of no use
        else:
            _claim(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return _read(path) or _process_salt()


def _claim(temporary: Path, path: Path) -> None:
    with contextlib.suppress(FileExistsError):
        os.link(temporary, path)


@lru_cache(maxsize=1)
def _process_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)
