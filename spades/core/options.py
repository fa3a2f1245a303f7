"""Options declared once: a frozen dataclass whose fields say what is legal.

Parsing, checking, error texts and the canonical text ``option=value,...`` all follow from the
fields. Switches are bools, written ``on`` and ``off``. A name that Python doesn't leave free ends
in an underscore: the field ``lambda_`` is the option ``lambda``.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from spades.core.documents import parse_integer
from spades.core.errors import MAX_SHOWN, SpadesError, shown

_SWITCH = {"on": True, "off": False}


def option(
    default: Any,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    choices: Sequence[str] = (),
    needs: tuple[str, Sequence[Any]] | None = None,
    is_shown: bool = False,
) -> Any:
    """A field with its default and what is legal: a range or a choice. ``needs``: another option
    and the values of it without which this one must keep its default. ``is_shown``: whether the
    canonical text names it at its default too."""
    metadata = {"range": (least, most), "choices": choices, "needs": needs, "is_shown": is_shown}
    return dataclasses.field(default=default, metadata=metadata)


def written(name: str) -> str:
    """The option that a field is."""
    return name.removesuffix("_")


def check_options(options: Any, error: type[SpadesError]) -> None:
    """Raise ``error`` for the first option that isn't legal."""
    for declared in dataclasses.fields(options):
        value, name = getattr(options, declared.name), written(declared.name)
        least, most = declared.metadata.get("range", (-math.inf, math.inf))
        choices = declared.metadata.get("choices")
        if choices and value not in choices:
            raise error(f"{name} is {shown(value)}; {', '.join(choices)} are legal")
        if isinstance(value, int | float) and not (least <= value <= most and abs(value) < 1e300):
            raise error(f"{name} is {value}; {least:.10g} to {most:.10g} are legal")
        other, values = declared.metadata.get("needs") or (declared.name, (value,))
        if value != declared.default and getattr(options, other) not in values:
            owners = " and ".join(f"{other}={_text(owner)}" for owner in values)
            found = f"{other}={_text(getattr(options, other))}"
            raise error(f"{name} does nothing with {found}; it belongs to {owners}")


def parse_options(kind: type, name: str, text: str, error: type[SpadesError]) -> Any:
    """The options that ``option=value,...`` gives a ``kind`` called ``name``; ``error`` says what
    would be legal."""
    known = {written(declared.name): declared for declared in dataclasses.fields(kind)}
    found: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if key not in known or not equals:
            legal = ", ".join(f"{option}=" for option in known) or "none"
            raise error(f"unknown option {shown(item)} of {name}; known: {legal}")
        field = known[key]
        if field.name in found:
            raise error(f"option {key} of {name} comes twice")
        found[field.name] = _parse_value(key, value, type(field.default), error)
    return kind(**found)


def _parse_value(key: str, value: str, kind: type, error: type[SpadesError]) -> Any:
    if kind is bool:
        if value not in _SWITCH:
            raise error(f"{key}={value} is no switch; on and off are legal")
        return _SWITCH[value]
    try:
        return parse_integer(value) if kind is int else kind(value)
    except ValueError:
        wanted = {int: "whole number of up to 19 digits", float: "number"}.get(kind, "value")
        raise error(f"{key}={value[:MAX_SHOWN]} is no {wanted}") from None


def format_options(options: Any) -> str:
    """The shortest text that ``parse_options`` reads as the same, and the options always shown."""
    shown = []
    for declared in dataclasses.fields(options):
        value = getattr(options, declared.name)
        if value != declared.default or declared.metadata.get("is_shown"):
            shown.append(f"{written(declared.name)}={_text(value)}")
    return ",".join(shown)


def option_texts(options: Any) -> dict[str, str]:
    """All options and their values as text."""
    fields = dataclasses.fields(options)
    return {written(one.name): _text(getattr(options, one.name)) for one in fields}


def default_texts(kind: type) -> dict[str, str]:
    """All options of a kind and their defaults as text, without making one: what a default needs
    may not be there."""
    return {written(one.name): _text(one.default) for one in dataclasses.fields(kind)}


def _text(value: Any) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else str(value)
