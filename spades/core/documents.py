"""What comes from outside, read within bounds: whole numbers, files, JSON and TOML.

A number may have a million digits, brackets may go a million deep, a path may lead to a device
without an end: all raise ``InvalidRecordError`` before they cost anything.
"""

import json
import math
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from spades.core.errors import InvalidRecordError, SpadesError, shown

Document = dict[str, Any]  # an object of JSON or TOML
MAX_BYTES = 64 * 2**20  # of a file
MAX_DEPTH = 50
MAX_BITS = 1000  # of a whole number: a float can hold it
MAX_INT = 2**63 - 1  # an array can hold it
_INTEGER = re.compile("[+-]?[0-9]{1,19}")


def parse_integer(text: str, least: int = -MAX_INT, most: int = MAX_INT) -> int:
    """The whole number that a text is, in decimal digits."""
    is_integer = _INTEGER.fullmatch(text.strip()) is not None
    if not is_integer or not least <= int(text) <= most:
        reason = f"{shown(text)}; a whole number from {least:,} to {most:,} is legal"
        raise InvalidRecordError(reason)
    return int(text)


def read_file(path: Path, most: int = MAX_BYTES) -> bytes:
    """A regular file of at most so many bytes; ``OSError`` where there is none."""
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InvalidRecordError("not a regular file")
        # A file may grow while it is read: one byte over the limit is enough to know.
        data = file.read(most + 1)
    if len(data) > most:
        size = f"{most >> 20} MB" if most >> 20 else f"{most:,} bytes"
        raise InvalidRecordError(f"more than {size}; at most that much is read")
    return data


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe would wait for its writer


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    """As ``read_file``, of UTF-8 text."""
    try:
        return read_file(path, most).decode()
    except UnicodeDecodeError as error:
        raise InvalidRecordError(f"not UTF-8: {error.reason} at byte {error.start:,}") from None


def read_json(path: Path, most: int = MAX_BYTES) -> Any:
    """The value that a file of JSON holds."""
    return load_json(read_text(path, most))


def load_json(text: str) -> Any:
    """The value of a JSON text; NaN and a key twice are refused too."""
    load = partial(json.loads, parse_constant=_no_constant, object_pairs_hook=_no_double)
    with _refusing("JSON", text):
        return _checked(load(text))


def load_object(text: str) -> dict[str, Any]:
    """As ``load_json``, and it must be an object."""
    value = load_json(text)
    if not isinstance(value, dict):
        raise InvalidRecordError(f"{shown(value)} where a JSON object {{...}} is due")
    return value


def load_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text."""
    with _refusing("TOML", text):
        return _checked(tomllib.loads(text))


def check_keys(document: Mapping[str, Any], known: Collection[str]) -> None:
    """``SpadesError`` for a key that isn't among these."""
    unknown = sorted(set(document) - set(known))
    if unknown:
        raise SpadesError(f"unknown {shown(', '.join(unknown))}; known: {', '.join(known)}")


def is_unicode(text: str) -> bool:
    """Whether a text holds no half of a surrogate pair, which UTF-8 can't write."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def without_nan(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values for JSON: None for what isn't a number."""
    return {name: None if _is_nan(value) else value for name, value in values.items()}


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


@contextmanager
def _refusing(language: str, text: str) -> Iterator[None]:
    try:
        yield
    except RecursionError:
        reason = f"{language} nested too deep; {MAX_DEPTH} levels are legal"
        raise InvalidRecordError(reason) from None
    except InvalidRecordError:
        raise
    except ValueError as error:
        raise InvalidRecordError(f"no valid {language}: {error}: {shown(text)}") from None


def _checked(value: Any) -> Any:
    """The value, refused where it is too deep to be walked, or a number too big for a float."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        for item in level:
            if type(item) is int and item.bit_length() > MAX_BITS:
                n_bits = item.bit_length()
                raise ValueError(f"a whole number of {n_bits:,} bits; {MAX_BITS:,} are legal")
        containers = [item for item in level if type(item) in (dict, list)]
        if not containers:
            return value
        level = []
        for container in containers:
            level += container.values() if isinstance(container, dict) else container
    raise RecursionError


def _no_constant(text: str) -> object:
    raise InvalidRecordError(f"{text} is no JSON number")


def _no_double(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise InvalidRecordError(f"the key {shown(counts.most_common(1)[0][0])} comes twice")
    return values
