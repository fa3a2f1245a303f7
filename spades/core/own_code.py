"""Python code of one's own under a name: registered, or loaded as ``py:module.Name``.

``load`` imports a module, which runs it. Commands and the functions of ``import spades`` call it
for what their user has typed (``spades.agents.admission``), and workers for what those send them;
nothing else does, and ``tests/test_layers.py`` says so.
"""

import hashlib
import inspect
import re
import sys
import traceback
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from spades.core.cards import Card
from spades.core.errors import MAX_SHOWN, shown
from spades.core.observation import Observation
from spades.core.programs import Program, ProgramError, ProgramFaultError

PREFIX = "py:"
SOURCE = "source "
"""How a version begins that is a hash of the code's source."""
REFUSED = (
    "names Python code, which a command or the Python library loads; a link, a page, a file or a "
    "stored record can't"
)
MAX_MESSAGE = 200  # letters of an exception that are told
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class OwnCode(Program):
    """A class, function or object of one's own that has a name in texts.

    ``target``: ``module.Name``, where another process finds it; "" for what no other process can
    import. ``declared``: the version that was given with the name, "" for none."""

    target: str
    declared: str = ""
    role: ClassVar[str]

    @classmethod
    def of(
        cls, name: str, thing: Any, version: str | int | float | None = None, target: str = ""
    ) -> Self:
        """The code under a name; its version is the one given, else ``thing.version``, else a hash
        of its source. ``ProgramError`` where it has none of these."""
        declared = _version_text(version) or ""
        attribute = _version_text(getattr(thing, "version", None))
        found = declared or attribute or source_version(thing, target)
        if not found:
            raise ProgramError(
                f'{name} declares no version, and no file tells one: give version="1", or an '
                "attribute of that name, and another one whenever it decides otherwise"
            )
        return cls(
            name=name,
            version=found,
            target=target or _target_of(thing),
            declared=declared,
        )

    @classmethod
    def load(cls, text: str) -> None:
        """Import and register what ``py:module.Name`` names."""
        target = text.removeprefix(PREFIX)
        thing = _imported(target, text)
        cls.of(text, thing, target=target).register(thing)

    def admit(self) -> None:
        if self.registered(self.name) == self:
            return
        if not self.target:
            raise ProgramError(
                f"no other process can import {self.name}: it is defined in a notebook, a script "
                "or a function. Put it into a module, or play in this process"
            )
        thing = _imported(self.target, self.name)
        self.of(self.name, thing, self.declared, self.target).register(thing)

    @classmethod
    @abstractmethod
    def registered(cls, name: str) -> Program | None:
        """The code that has this name in this process; None where there is none."""

    @abstractmethod
    def register(self, thing: Any) -> None:
        """Make ``thing`` the code of this name; ``ProgramError`` where it can't be used so."""


def check_new_name(name: str, role: str, taken: Callable[[str], bool]) -> None:
    """``ProgramError`` for a name that texts can't have, or that is ``taken``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ProgramError(
            f"{shown(name)} is no name of a {role}; a letter, then up to 39 letters, digits, _ "
            "and - are legal"
        )
    if taken(name):
        raise ProgramError(f"{name} is the name of another {role}; choose one that is free")


def made(thing: Any, name: str) -> Any:
    """An object of a class; anything else as it is."""
    if not inspect.isclass(thing):
        return thing
    try:
        return thing()
    except Exception as error:
        raise ProgramError(
            f"{name}: {thing.__name__}() raised {raised(error)}; a class is called without "
            "arguments, or register an object of it"
        ) from error


def method_of(thing: Any, method: str, own: OwnCode) -> Callable[..., Any]:
    """The method of an object, or the object itself where it is a function."""
    function = getattr(thing, method, thing)
    if not callable(function):
        raise ProgramError(f"{own.name} is no {own.role}: {said(thing)} has no {method}(...)")
    return function


def called(
    own: OwnCode,
    when: str,
    function: Callable[..., Any],
    observation: Observation,
    *others: Any,
) -> Any:
    """What one's own code says of a copy of the observation; ``ProgramFaultError`` where it raises,
    which says when and where."""
    given = replace(observation, table=observation.table.copy())
    try:
        return function(given, *others)
    except (Exception, SystemExit) as error:
        raise ProgramFaultError(
            f"{own.title}, {when}: raised {raised(error, function)} | {observation.text()}",
            observation.seat,
        ) from error


def said(value: Any) -> str:
    """A value that was returned, and its type."""
    kind = "" if isinstance(value, Card) else f" ({type(value).__name__})"
    return " ".join(repr(value).split())[:MAX_SHOWN] + kind


def raised(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """An exception on one line, with the place in ``function``'s file where it was raised, or the
    last place of all."""
    frames = traceback.extract_tb(error.__traceback__)
    code = getattr(function, "__code__", None)
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    message = " ".join(str(error).split())[:MAX_MESSAGE]
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    if frames:
        place = (own or frames)[-1]
        text += f" ({Path(place.filename).name}, line {place.lineno}, in {place.name})"
    return text


def _version_text(version: Any) -> Any:
    """``1`` and ``1.2`` are as good as texts; whatever else it is, ``Program`` refuses."""
    return str(version) if isinstance(version, int | float) else version


def source_version(thing: Any, target: str = "") -> str | None:
    """A hash of the source of a class or function: of the file that defines it, or of its own in a
    notebook. Of anything else, the hash of the file that ``target`` is in. None where there is no
    such file: an object or a closure may differ while its source is the same."""
    is_kind = inspect.isclass(thing) or (inspect.isfunction(thing) and not thing.__closure__)
    if is_kind:
        source = _file_source(thing.__module__) or _own_source(thing)
    else:
        source = _file_source(target.rpartition(".")[0])
    if source is None:
        return None
    return SOURCE + hashlib.sha256(source.encode()).hexdigest()[:12]


def _file_source(module: str | None) -> str | None:
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if file is None or not file.endswith(".py"):
        return None
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _own_source(thing: Any) -> str | None:
    """The source of a function, or of a class's functions: notebooks keep that of cells."""
    functions = [thing]
    if inspect.isclass(thing):
        functions = [value for value in vars(thing).values() if inspect.isfunction(value)]
    try:
        return "\n".join(inspect.getsource(function) for function in functions) or None
    except (OSError, TypeError):
        return None


def _target_of(thing: Any) -> str:
    """``module.Name`` of a class or function at the top of a module that can be imported."""
    module = getattr(thing, "__module__", None) or "__main__"
    name = getattr(thing, "__qualname__", "")
    is_there = getattr(sys.modules.get(module), name, None) is thing
    return f"{module}.{name}" if is_there and module != "__main__" else ""


def _imported(target: str, text: str) -> Any:
    """What ``module.Name`` names; ``ProgramError`` where there is no such thing."""
    module_name, _, name = target.rpartition(".")
    if not module_name or not all(part.isidentifier() for part in target.split(".")):
        raise ProgramError(f"{shown(text)} names no code; py:module.Name is legal, as py:bots.Mine")
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise ProgramError(f"{text}: importing {module_name} raised {raised(error)}") from error
        raise ProgramError(
            f"{text}: no module {error.name} here (in {Path.cwd()}); it is looked for in the "
            "working folder, in PYTHONPATH and among the installed packages"
        ) from None
    except Exception as error:
        raise ProgramError(f"{text}: importing {module_name} raised {raised(error)}") from error
    if not hasattr(module, name):
        defined = [key for key, value in vars(module).items() if _is_of(value, module_name)]
        raise ProgramError(
            f"{text}: {module_name} ({module.__file__}) has no {name}; it defines "
            f"{', '.join(defined) or 'nothing of its own'}"
        )
    return getattr(module, name)


def _is_of(value: Any, module_name: str) -> bool:
    return callable(value) and getattr(value, "__module__", None) == module_name
