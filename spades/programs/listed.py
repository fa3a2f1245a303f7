"""Which programs may be started: those in the local file that ``SPADES_PROGRAMS`` names.

A command line comes from that file and from nowhere else: an agent's text, an address or a record
can only name an entry of it. The file is TOML, a table a program::

    [my-bot]
    command = ["python3", "my_bot.py"]
    version = "1.0"
    seconds = 5

``version`` names the program's behaviour: results are stored under it. ``seconds``, 10 by default,
is the time for one answer. The program runs in the file's folder.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spades.core.documents import load_toml, read_text
from spades.core.errors import InvalidRecordError, shown
from spades.core.programs import ProgramError
from spades.programs.connection import SeatedProgram
from spades.programs.process import ProgramProcess

VARIABLE = "SPADES_PROGRAMS"
DEFAULT_SECONDS = 10.0
MOST_SECONDS = 3600.0
MAX_FILE = 1 << 20  # bytes
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_NAME_LEGAL = "1 to 40 of a-z, A-Z, 0-9, '.', '_' and '-', a letter or digit first, are legal"
_KEYS = ("command", "version", "seconds")


@dataclass(frozen=True)
class ListedProgram(SeatedProgram):
    """A program that may be started.

    ``command``: the words of its command line, run in ``folder`` and by no shell. ``version``: as
    the program says it too. ``seconds``: for one answer."""

    command: tuple[str, ...]
    folder: Path
    seconds: float = DEFAULT_SECONDS

    @property
    def key(self) -> str:
        return f"external:cmd={self.name}"

    def admit(self) -> None:
        """``ProgramError`` unless this machine's own file lists the same version."""
        own = find_program(self.name)
        if own.version != self.version:
            raise ProgramError(
                f"{os.environ[VARIABLE]} has version {own.version} of {self.name}, not "
                f"{self.version}: give all workers the same programs"
            )

    def connect(self, seat: int) -> ProgramProcess:
        return ProgramProcess(self.command, self.folder)


def program_names() -> tuple[str, ...]:
    """The names of the programs that are listed; none where no file is named."""
    return tuple(_listed()) if os.environ.get(VARIABLE) else ()


def find_program(name: str) -> ListedProgram:
    """The program listed under a name; ``ProgramError`` says which there are."""
    if not os.environ.get(VARIABLE):
        raise ProgramError(
            f"no program is called {shown(name)}: {VARIABLE} names no file that lists programs"
        )
    listed = _listed()
    if name not in listed:
        known = ", ".join(listed) or "none"
        path = os.environ[VARIABLE]
        raise ProgramError(f"{path} lists no program {shown(name)}; it lists {known}")
    return listed[name]


def check_name(name: str) -> None:
    """``ProgramError`` for a text that can't be a program's name."""
    if not _NAME.fullmatch(name):
        raise ProgramError(f"{shown(name)} is no program's name; {_NAME_LEGAL}")


def check_seconds(seconds: Any, most: float) -> None:
    """``ProgramError`` for what can't be the time for one answer."""
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= most:
        raise ProgramError(f"seconds is {shown(seconds)}; a number above 0, to {most:g}, is legal")


def _listed() -> dict[str, ListedProgram]:
    return read_programs(Path(os.environ[VARIABLE]))


def read_programs(path: Path) -> dict[str, ListedProgram]:
    """The programs that a file lists, by name. ``ProgramError`` says which entry is wrong,
    and what would be legal."""
    try:
        tables = load_toml(read_text(path, MAX_FILE))
    except FileNotFoundError:
        raise ProgramError(f"{path}, which {VARIABLE} names, is missing") from None
    except (OSError, InvalidRecordError) as error:
        raise ProgramError(f"{path}: {error}") from None
    folder = path.resolve().parent
    programs = {}
    for name, table in tables.items():
        check_name(name)
        try:
            programs[name] = _program(name, table, folder)
        except ProgramError as error:
            raise ProgramError(f"{path}, [{name}]: {error}") from None
    return programs


def _program(name: str, table: Any, folder: Path) -> ListedProgram:
    if not isinstance(table, dict):
        raise ProgramError(f"{shown(table)} where a table with {', '.join(_KEYS)} is due")
    for key in table:
        if key not in _KEYS:
            raise ProgramError(f"unknown key {shown(key)}; {', '.join(_KEYS)} are legal")
    command = table.get("command", [])
    is_list = isinstance(command, list) and len(command) > 0
    if not is_list or not all(isinstance(word, str) and word for word in command):
        raise ProgramError(
            f'command is {shown(command)}; a list of words, as ["python3", "my_bot.py"], is legal'
        )
    seconds = table.get("seconds", DEFAULT_SECONDS)
    check_seconds(seconds, MOST_SECONDS)
    version = table.get("version", "")
    return ListedProgram(name, version, tuple(command), folder, float(seconds))
