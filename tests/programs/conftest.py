"""Programs for tests, listed in a file of their own."""

import sys
from pathlib import Path

import pytest

from spades.programs import ListedProgram, Session, close_programs
from spades.programs import session as session_module

SCRIPT = Path(__file__).with_name("misbehaving.py")


@pytest.fixture
def program():
    """Makes a program that misbehaves so when it is asked for the n-th time."""

    def make(how: str, n: int = 1, *, name: str = "m", seconds: float = 5.0) -> ListedProgram:
        command = (sys.executable, str(SCRIPT), how, str(n))
        return ListedProgram(name, "1", command, SCRIPT.parent, seconds)

    return make


@pytest.fixture
def session(program, monkeypatch):
    """Makes a session with such a program; all are ended after the test."""
    monkeypatch.setattr(session_module, "GRACE_SECONDS", 0.3)
    made = []

    def make(*arguments, **options) -> Session:
        made.append(Session(program(*arguments, **options)))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """Lists programs by name, each misbehaving in a way: ``listed(liar=("illegal card", 3))``."""

    def make(**programs) -> Path:
        path = tmp_path / "programs.toml"
        tables = []
        for name, (how, n) in programs.items():
            words = [sys.executable, str(SCRIPT), how, str(n)]
            command = ", ".join(f'"{word}"' for word in words)
            tables.append(f'[{name}]\ncommand = [{command}]\nversion = "1"\nseconds = 5\n')
        path.write_text("\n".join(tables))
        monkeypatch.setenv("SPADES_PROGRAMS", str(path))
        return path

    yield make
    close_programs()
