"""Compiled kernels on disk, keyed by what they do.

numba's own cache looks at the file that a kernel is in: it serves a kernel whose callee in another
file has changed, and compiles anew when a comment moves a line. Here the key of a kernel is a
*fingerprint* of its bytecode and of everything that it refers to: the kernels it calls, constants,
intrinsics. Names of local variables, docstrings, comments, annotations and line numbers do not
count, so that only an edit that changes the machine code compiles anything.
"""

import fcntl
import hashlib
import inspect
import os
import sys
import time
import types
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite import ir
from numba.core.caching import IndexDataCacheFile
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

UNUSED_DAYS = 30
CLAIM_TIMEOUT = 180.0  # seconds
_POLL = 0.02  # seconds
_DAY = 86400
_STACK = (sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
OVERLOADS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Plain functions that compiled code replaces, with their compiled form."""


def cache_root() -> Path:
    """``$SPADES_CACHE``, or ``spades-decision-lab`` in the user's cache folder."""
    if configured := os.environ.get("SPADES_CACHE"):
        return Path(configured)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "spades-decision-lab"


class KernelCache:
    """The cache of one kernel: a file a compiled signature, so that processes never mix up theirs.
    Its key is worked out at the first call, when all callees exist."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._folder = cache_root() / "kernels"
        self.cache_path = str(self._folder)

    @cached_property
    def _files(self) -> IndexDataCacheFile:
        function = self._dispatcher.py_func
        name = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        return IndexDataCacheFile(self.cache_path, f"{name}-{fingerprint(self._dispatcher)}", "")

    def _name_of(self, signature: Any, codegen: Any) -> str:
        codes = (self._dispatcher.py_func.__code__.co_code, b"")
        parts = tuple(hashlib.sha256(code).hexdigest() for code in codes)
        called = [parts_of_methods(each) for each in classes_in(signature)]
        text = repr((signature, codegen.magic_tuple(), parts, *filter(None, called)))
        key = hashlib.sha256(text.encode()).hexdigest()
        return str(self._files._data_name(int(key[:15], 16)))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        name = self._name_of(sig, target_context.codegen())
        parts = self._loaded(name)
        if parts is None:
            wait_and_claim(self._folder, name)
            parts = self._loaded(name)
            if parts is None:
                return None
            release(self._folder, name)
        return CompileResult._rebuild(target_context, *parts)

    def _loaded(self, name: str) -> Any:
        try:
            parts = self._files._load_data(name)
            os.utime(self._folder / name)
        except (OSError, ImportError, AttributeError):  # or what it refers to has moved since
            return None
        return parts

    def save_overload(self, sig: Any, data: Any) -> None:
        name = self._name_of(sig, data.codegen)
        with suppress(OSError):  # a folder that can't be written: the next process compiles again
            if not (data.lifted or data.library.has_dynamic_globals):
                self._folder.mkdir(parents=True, exist_ok=True)
                self._files._save_data(name, data._reduce())
                sweep(self._folder)
        release(self._folder, name)


def wait_and_claim(folder: Path, name: str) -> None:
    """Wait while another process compiles a kernel, then claim it until ``release``.

    A claim is a lock on one byte of a file, which ends with its process. Where there are no locks,
    and after ``CLAIM_TIMEOUT`` seconds, a kernel is compiled twice."""
    until = time.monotonic() + CLAIM_TIMEOUT
    while not _lock(folder, name) and time.monotonic() < until:
        time.sleep(_POLL)


def release(folder: Path, name: str) -> None:
    _lock(folder, name, is_wanted=False)


def _lock(folder: Path, name: str, *, is_wanted: bool = True) -> bool:
    """Take or give back a kernel's lock; False where another process has it."""
    with suppress(OSError):
        file = _lock_file(folder)
        place = int(hashlib.sha256(name.encode()).hexdigest()[:15], 16)
        operation = fcntl.LOCK_EX | fcntl.LOCK_NB if is_wanted else fcntl.LOCK_UN
        try:
            fcntl.lockf(file, operation, 1, place)
        except (BlockingIOError, PermissionError):
            return False
    return True


@lru_cache(maxsize=8)
def _lock_file(folder: Path) -> Any:
    """Open until the process ends: to close it would give up all claims."""
    folder.mkdir(parents=True, exist_ok=True)
    return (folder / "compiling.lock").open("wb")


@lru_cache(maxsize=8)
def sweep(folder: Path) -> None:
    """Remove kernels that no process has loaded for ``UNUSED_DAYS``; once a process."""
    oldest = time.time() - UNUSED_DAYS * _DAY
    for path in folder.iterdir():
        with suppress(OSError):  # swept by another process in the meantime
            if path.stat().st_mtime < oldest:
                path.unlink()


_known: dict[Dispatcher, str] = {}


def fingerprint(dispatcher: Dispatcher) -> str:
    """Hash of what a kernel compiles to: its bytecode, its options and all that it refers to.
    Raises ``TypeError`` for a kernel that refers to a value that has no stable hash."""
    known = _known.get(dispatcher)
    if known is not None:
        return known
    _known[dispatcher] = "itself"  # what a recursive kernel sees of itself
    options = sorted((name, _text_of(value)) for name, value in dispatcher.targetoptions.items())
    function = dispatcher.py_func
    place = (function.__module__, function.__qualname__)  # a caller's file imports its callees
    parts = [_STACK, options, place, _function_parts(function)]
    _known[dispatcher] = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return _known[dispatcher]


def classes_in(kind: Any) -> list[type]:
    """The classes of named tuples in a signature's types, nested ones too, in order."""
    parts: Any = kind
    classes: list[type] = []
    if isinstance(kind, numba.types.BaseNamedTuple):
        classes.append(parts.instance_class)
    if isinstance(kind, numba.types.BaseTuple):
        parts = parts.types
    elif not isinstance(kind, tuple | list):
        return []
    for part in parts:
        classes += classes_in(part)
    return classes


def parts_of_methods(named_tuple: type) -> list[tuple[str, str]]:
    """Names and fingerprints of the kernels that a class of named tuples has as methods."""
    parts = []
    for name, value in sorted(vars(named_tuple).items()):
        if isinstance(value, Dispatcher):
            parts.append((name, fingerprint(value)))
    return parts


def _function_parts(function: Any) -> list[Any]:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return [
        _code_parts(function.__code__, function),
        _value_parts(function.__defaults__, function),
        _value_parts(cells, function),
    ]


def _code_parts(code: types.CodeType, function: types.FunctionType) -> list[Any]:
    # the first constant is the docstring, or None
    constants = [
        _code_parts(constant, function) if inspect.iscode(constant) else _text_of(constant)
        for constant in code.co_consts[1:]
    ]
    scopes = [function.__globals__]
    for name in code.co_names:
        value = function.__globals__.get(name)
        if _is_own(value):
            scopes.append(vars(value))
    names = [
        (name, _value_parts(scope[name], function))
        for scope in scopes
        for name in code.co_names
        if name in scope
    ]
    shape = (code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_nlocals)
    return [code.co_code, shape, constants, code.co_names, names]


def _is_own(value: object) -> bool:
    """Whether a value is a module of ours, of which a kernel names something."""
    return isinstance(value, types.ModuleType) and value.__name__.startswith("spades")


def _text_of(value: object) -> str:
    if isinstance(value, set | frozenset):  # whose order hangs on the seed of the process
        return repr(sorted(value, key=repr))
    return repr(value)


def _value_parts(value: Any, function: types.FunctionType) -> Any:
    if isinstance(value, Dispatcher):
        return fingerprint(value)
    if isinstance(value, _PLAIN):
        return (type(value).__name__, repr(value))
    if isinstance(value, tuple | list):
        return [_value_parts(item, function) for item in value]
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest())
    if isinstance(value, _Intrinsic):
        return _function_parts(value._defn)
    if isinstance(value, types.FunctionType) and value.__module__.startswith("spades"):
        return _function_parts(OVERLOADS.get(value, value))
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return (value.__name__, value._fields, *parts_of_methods(value))
    if isinstance(value, types.ModuleType):
        return value.__name__
    name = getattr(value, "__qualname__", getattr(value, "__name__", None))
    if name is not None:
        return (getattr(value, "__module__", ""), name)
    if isinstance(value, numba.types.Type | ir.Type | ir.Constant):
        return str(value)
    raise TypeError(f"{function.__qualname__} refers to {value!r}, which has no fingerprint")
