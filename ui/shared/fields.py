"""Fields: what a page's address may say, each with a codec between text and value.

A page declares its fields by name; the order is that of reading. A codec parses the text of a
link (`ValueError` says what would be legal, `WrongValueError` also what is nearest) and formats
a value::

    FIELDS = Fields({
        "tab": Field(Choice(VIEWS), "logs"),
        "hand": Field(Parsed(known_hand), DEFAULT_HAND),
        # bounds, codec or default may depend on the fields before:
        "ply": Field(lambda values: Ply(values["hand"]), 0),
        "logs": Field(Several(Choice(log_names), "|"), lambda values: log_names()[:1]),
    })
    values, complaints = FIELDS.parse({"tab": "lgs"})  # every field has a value; what was wrong
    FIELDS.format(values)  # the texts of those that differ from their defaults

`ui.shared.page_state.PageState` binds them to the session and the browser's address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NOTHING = "(nothing)"
"""How a complaint writes an empty text."""
LONGEST_QUOTE = 40  # characters of a link's value that a complaint quotes

Values = Mapping[str, Any]
Wrong = tuple[str, str, str]
"""The text found, what is wrong with it, and what is shown instead ('': it is left out)."""


class WrongValueError(ValueError):
    """A text of a link that can't be shown, and the valid value nearest to it."""

    def __init__(self, reason: str, nearest: Any) -> None:
        super().__init__(reason)
        self.nearest = nearest


class Codec:
    """Between the text of an address and a value."""

    def parse(self, text: str) -> Any:
        """The value; `ValueError` says what would be legal."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        return f"{value}"

    def read(self, text: str, default: Any) -> tuple[Any, list[Wrong]]:
        """The value, or the nearest valid one, or the default; and what was wrong."""
        try:
            return self.parse(text), []
        except ValueError as error:
            shown = getattr(error, "nearest", default)
            return shown, [(text, str(error), self.format(shown) or NOTHING)]


@dataclass(frozen=True)
class Text(Codec):
    """Any text; what is beyond ``longest`` characters is cut off."""

    longest: int | None = None

    def parse(self, text: str) -> str:
        return text[: self.longest]


@dataclass(frozen=True)
class Parsed(Codec):
    """A value that other functions parse, raising `ValueError`, and format."""

    parser: Callable[[str], Any]
    formatter: Callable[[Any], str] = str

    def parse(self, text: str) -> Any:
        return self.parser(text)

    def format(self, value: Any) -> str:
        return self.formatter(value)


def text_of(value: Any) -> str:
    """An option as the address writes it: 1 and 0 for true and false, nothing for None."""
    return f"{int(value) if isinstance(value, bool) else value}" if value is not None else ""


@dataclass(frozen=True)
class Choice(Codec):
    """One of the options, which may be looked up when a link is read."""

    options: Iterable | Callable[[], Iterable]
    formatter: Callable[[Any], str] = text_of

    def parse(self, text: str) -> Any:
        options = self.options() if callable(self.options) else self.options
        texts = {self.format(option): option for option in options}
        if text in texts:
            return texts[text]
        legal = ", ".join(name or NOTHING for name in texts) or "none"
        raise ValueError(f"legal is one of {legal}")

    def format(self, value: Any) -> str:
        return self.formatter(value)


FLAG = Choice((False, True))


@dataclass(frozen=True)
class Number(Codec):
    """A number from ``low`` to ``high``; the nearest where it is beyond them."""

    low: float
    high: float
    kind: type = float

    def parse(self, text: str) -> float:
        legal = f"legal is {self.low:,.12g} to {self.high:,.12g}"
        try:
            value = self.kind(text)
        except (ValueError, OverflowError):
            value = float("nan")
        if value != value:
            raise ValueError(legal)
        if not self.low <= value <= self.high:
            raise WrongValueError(legal, self.kind(min(max(value, self.low), self.high)))
        return value


@dataclass(frozen=True)
class Integer(Number):
    """A whole number from ``low`` to ``high``."""

    kind: type = int


@dataclass(frozen=True)
class Nearest(Codec):
    """The whole number, among those offered, that is nearest to the link's."""

    offered: Sequence[int]

    def parse(self, text: str) -> int:
        wanted = Integer(min(self.offered), max(self.offered)).parse(text)
        if wanted not in self.offered:
            nearest = min(self.offered, key=lambda one: abs(one - wanted))
            raise WrongValueError(f"this page offers {', '.join(map(str, self.offered))}", nearest)
        return wanted


@dataclass(frozen=True)
class Span(Codec):
    """Two whole numbers in order, as 1-13."""

    low: int
    high: int

    def parse(self, text: str) -> tuple[int, int]:
        if re.fullmatch(r"[0-9]+-[0-9]+", text):
            low, high = (int(part[:9]) for part in text.split("-"))
            if self.low <= low <= high <= self.high:
                return low, high
        example = self.format((self.low, self.high))
        raise ValueError(f"legal is two numbers from {self.low} to {self.high}, as {example}")

    def format(self, value: tuple[int, int]) -> str:
        return "{}-{}".format(*value)


@dataclass(frozen=True)
class Optional(Codec):
    """Nothing, which is None, or what another codec parses."""

    codec: Codec

    def parse(self, text: str) -> Any:
        return self.codec.parse(text) if text else None

    def format(self, value: Any) -> str:
        return "" if value is None else self.codec.format(value)


@dataclass(frozen=True)
class Several(Codec):
    """A list without repetitions, each item read by a codec; those that are wrong are left out.

    The default stands in where no item is right, and, with ``is_needed``, for an empty list.
    """

    item: Codec
    separator: str = ","
    is_needed: bool = False
    most: int | None = None

    def format(self, value: Iterable) -> str:
        return self.separator.join(self.item.format(one) for one in value)

    def read(self, text: str, default: list) -> tuple[list, list[Wrong]]:
        texts = [part.strip() for part in text.split(self.separator) if part.strip()]
        found, reasons = [], {}
        for part in texts:
            try:
                found.append(self.item.parse(part))
            except ValueError as error:
                reasons[part] = str(error).replace("legal is one of", "legal is one or more of")
        found = [one for i, one in enumerate(found) if one not in found[:i]]
        shown = found or list(default if texts or self.is_needed else ())
        instead = "" if found else self.format(shown)
        wrong = [(part, reason, instead) for part, reason in reasons.items()]
        if self.is_needed and not texts:
            wrong.append((text, "legal is one or more", self.format(shown)))
        if self.most is not None and len(shown) > self.most:
            left_out = self.format(shown[self.most :])
            wrong.append((text, f"at most {self.most} are shown, not {left_out}", ""))
        return shown[: self.most], wrong


@dataclass(frozen=True)
class Widgets:
    """Where the session holds a value that no single widget has, as a hand or a list of bids.

    ``names``: of the widgets' values, which last while the widgets are not on the page.
    """

    put: Callable[[Any], None]
    get: Callable[[], Any]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """A value of a page that its address may say.

    ``codec`` and ``default`` may be functions of the fields before this one. ``is_always_written``:
    also where it is the default, because that changes, as with the logs of the store.
    """

    codec: Codec | Callable[[Values], Codec]
    default: Any | Callable[[Values], Any]
    is_always_written: bool = False
    widgets: Widgets | None = None

    def codec_for(self, values: Values) -> Codec:
        return self.codec if isinstance(self.codec, Codec) else self.codec(values)

    def default_for(self, values: Values) -> Any:
        return self.default(values) if callable(self.default) else self.default


@dataclass(frozen=True)
class Fields:
    """A page's fields by name; ``prefix``: what the address writes before each name."""

    by_name: Mapping[str, Field]
    prefix: str = ""

    def parse(self, given: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
        """The value of every field, and what was wrong with those given."""
        values: dict[str, Any] = {}
        complaints: list[str] = []
        for name, one in self.by_name.items():
            default = one.default_for(values)
            values[name] = list(default) if isinstance(default, list) else default
            if (text := given.get(self.prefix + name)) is not None:
                values[name], wrong = one.codec_for(values).read(text, default)
                complaints += [_complaint(self.prefix + name, *what) for what in wrong]
        return values, complaints

    def format(self, values: Values, names: Iterable[str] | None = None) -> dict[str, str]:
        """Texts of the values that differ from their defaults, of these names or of all."""
        texts = {}
        for name in self.by_name if names is None else names:
            one = self.by_name[name]
            if one.is_always_written or values[name] != one.default_for(values):
                texts[self.prefix + name] = one.codec_for(values).format(values[name])
        return texts


def _complaint(name: str, found: str, reason: str, shown: str) -> str:
    outcome = f"Shown: {shown}" if shown else "Left out"
    return f"The link says {name}={found[:LONGEST_QUOTE]}; {reason.rstrip('.')}. {outcome}."
