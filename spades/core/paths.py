"""Where shipped files lie, and where new ones go.

In a checkout shipped files are in ``data/``, and so are new models, corpora and results; installed,
shipped files are part of the package. What is played, and what an installed package makes, goes to
the user's folder: ``$SPADES_DATA``, or ``spades-decision-lab`` in the user's data folder. The
dashboard is started in ``DASHBOARD``: the checkout itself, or its place in the package.
"""

import fcntl
import os
import re
import secrets
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spades.core.errors import SpadesError

_PACKAGE = Path(__file__).resolve().parents[1]
IS_INSTALLED = (_PACKAGE / "data").is_dir()
DATA = (_PACKAGE if IS_INSTALLED else _PACKAGE.parent) / "data"
DASHBOARD = _PACKAGE / "dashboard" if IS_INSTALLED else _PACKAGE.parent
FOLDER_VARIABLES = (
    "SPADES_CACHE",
    "SPADES_CORPORA",
    "SPADES_DATA",
    "SPADES_DRILL",
    "SPADES_GAMES",
    "SPADES_LOGS",
    "SPADES_MODELS",
    "SPADES_PROGRAMS",
    "SPADES_RESULTS",
)
"""Environment variables that name folders, and the file of programs."""
PLAYED = ("logs", "games", "drill")
"""What is the user's in a checkout too."""
SWEPT_AFTER = 6 * 3600.0  # seconds since a temporary file was last written
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{16}\.spades\.tmp")  # nobody else's


def user_folder() -> Path:
    if configured := os.environ.get("SPADES_DATA"):
        return Path(configured)
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "spades-decision-lab"


def folders_of(kind: str) -> list[Path]:
    """Folders of the ``logs``, ``models``, ``corpora`` or ``results``; new files go to the first.
    One folder where ``$SPADES_LOGS`` (``MODELS``, ...) names it."""
    if configured := os.environ.get(f"SPADES_{kind.upper()}"):
        return [Path(configured)]
    shipped = DATA / kind
    is_users = IS_INSTALLED or kind in PLAYED
    return [user_folder() / kind, shipped] if is_users else [shipped]


def file_of(kind: str, name: str) -> Path:
    """The file of that name in the folders of ``kind``, or where a new one goes."""
    paths = [folder / name for folder in folders_of(kind)]
    return next((path for path in paths if path.exists()), paths[0])


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file next to ``path`` that takes its place if the block, which writes it, ends
    well. A killed process leaves the old file or the new one, whole."""
    with temporary_beside(path) as temporary:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """An empty file in the folder of ``path``, locked during the block and removed at its end. What
    killed processes left there goes first."""
    sweep(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.spades.tmp")
    with temporary.open("xb") as file:
        try:
            with suppress(OSError):  # a file system without locks: nothing is swept there
                fcntl.flock(file, fcntl.LOCK_EX)
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the temporary files of killed processes: old ones that no process has locked."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_unlocked(entry)


def _remove_unlocked(entry: os.DirEntry[str]) -> None:
    with suppress(OSError), open(entry.path, "rb") as file:
        if time.time() - os.fstat(file.fileno()).st_mtime > SWEPT_AFTER:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
            os.unlink(entry.path)


@contextmanager
def stored_table(path: Path, command: str, error: type[SpadesError]) -> Iterator[None]:
    """What goes wrong in reading a table becomes ``error``, with the command that makes one."""
    try:
        yield
    except FileNotFoundError:
        raise error(f"{path} is missing; {command} makes it") from None
    except (
        OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
        RecursionError, zipfile.BadZipFile,
    ) as why:  # fmt: skip
        raise error(f"{path} can't be read ({why}); {command} makes it anew") from None
