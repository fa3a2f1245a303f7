"""Codecs: each reads one kind of value from the text of an address, and writes it."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from spades.core.documents import parse_integer
from spades.core.errors import SpadesError
from spades.core.options import Option, legal_choices, legal_range, plain

NOTHING = "(nothing)"  # how a complaint writes an empty text


class Wrong(NamedTuple):
    """A text of a link that is not legal; ``shown``: what replaces it, '' where it is left out."""

    text: str
    reason: str
    shown: str


class WrongValueError(ValueError):
    """A text of a link that is not legal, and the legal value nearest to it."""

    def __init__(self, reason: str, nearest: Any) -> None:
        super().__init__(reason)
        self.nearest = nearest


class Codec:
    """Reads a value from a text and writes it."""

    def parse(self, text: str) -> Any:
        """The value. Raises ``ValueError`` with what is legal, as a ``WrongValueError`` where there
        is a nearest legal value."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        return f"{value}"

    nearest: Callable[[str], Any] | None = None
    """The nearest legal value of a text that can't be parsed."""

    def read(self, text: str, default: Any) -> tuple[Any, list[Wrong]]:
        """The value, else the nearest legal one, else the default; and what was wrong."""
        try:
            return self.parse(text), []
        except ValueError as error:
            replacement = self.nearest(text) if self.nearest else default
            shown = getattr(error, "nearest", replacement)
            return shown, [Wrong(text, str(error), self.format(shown) or NOTHING)]


@dataclass(frozen=True)
class Parsed(Codec):
    """A value with its own functions; ``parse`` raises ``ValueError``."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str] = str
    nearest: Callable[[str], Any] | None = None


TEXT = Parsed(str)


def text_of(value: Any) -> str:
    """An option's text: 1 and 0 for true and false, nothing for None, 400 for 400.0."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else plain(value)


@dataclass(frozen=True)
class Choice(Codec):
    """One of some options, or of those that a function returns when a link is read.

    ``former``: texts of old links, and those that have taken their place."""

    options: Iterable | Callable[[], Iterable]
    format: Callable[[Any], str] = text_of
    former: Mapping[str, str] = field(default_factory=dict)

    def parse(self, text: str) -> Any:
        text = self.former.get(text, text)
        options = self.options() if callable(self.options) else self.options
        by_text = {self.format(option): option for option in options}
        if text not in by_text:
            raise ValueError(legal_choices(legal or NOTHING for legal in by_text))
        return by_text[text]


FLAG = Choice((False, True))


@dataclass(frozen=True)
class Number(Codec):
    """A number from ``low`` to ``high``; one out of range becomes the nearer limit."""

    low: float
    high: float
    kind: type = float

    def parse(self, text: str) -> float:
        try:
            value = parse_integer(text) if self.kind is int else self.kind(text)
        except ValueError:  # too many digits are beyond every limit
            is_whole = text.removeprefix("-").isdecimal()
            value = float(text if is_whole else "nan")
        if value != value:
            raise ValueError(self.legal)
        if not self.low <= value <= self.high:
            nearest = min(max(value, self.low), self.high)
            raise WrongValueError(self.legal, self.kind(nearest))
        return value

    @property
    def legal(self) -> str:
        return legal_range(self.low, self.high)

    def take(self, typed: float | None) -> float | None:
        """A control's number as the field has it. Raises ``ValueError`` with what is legal."""
        if typed is None or not self.low <= typed <= self.high or self.kind(typed) != typed:
            raise ValueError(self.legal)
        return self.kind(typed)

    def format(self, value: float) -> str:
        return plain(value)


@dataclass(frozen=True)
class Integer(Number):
    """A whole number from ``low`` to ``high``."""

    kind: type = int


@dataclass(frozen=True)
class Span(Codec):
    """Two whole numbers in order, as 1-13."""

    low: int
    high: int

    def parse(self, text: str) -> tuple[int, int]:
        with suppress(ValueError):
            low, high = (parse_integer(part, self.low, self.high) for part in text.split("-"))
            if low <= high:
                return low, high
        example = self.format((self.low, self.high))
        raise ValueError(f"two numbers from {self.low} to {self.high} are legal, as {example}")

    def format(self, value: tuple[int, int]) -> str:
        low, high = value
        return f"{low}-{high}"


@dataclass(frozen=True)
class Optional(Codec):
    """Another codec's value, or None, whose text is empty."""

    item: Codec

    def parse(self, text: str) -> Any:
        return self.item.parse(text) if text else None

    def format(self, value: Any) -> str:
        return "" if value is None else self.item.format(value)

    def take(self, typed: float | None) -> float | None:
        return None if typed is None else self.item.take(typed)


@dataclass(frozen=True)
class Several(Codec):
    """A list without repetitions; ``item`` reads each entry, and wrong entries are left out.

    The default replaces a list without a legal entry, and an empty one if ``is_needed``. No more
    than ``most`` are shown."""

    item: Codec
    separator: str = ","
    is_needed: bool = False
    most: int | None = None

    def format(self, value: Iterable) -> str:
        return self.separator.join(map(self.item.format, value))

    def read(self, text: str, default: list) -> tuple[list, list[Wrong]]:
        entries = [entry.strip() for entry in text.split(self.separator) if entry.strip()]
        values: list[Any] = []
        reasons: dict[str, str] = {}
        for entry in entries:
            try:
                value = self.item.parse(entry)
            except ValueError as error:
                reasons[entry] = str(error)
                continue
            if value not in values:
                values.append(value)
        replacement = ""
        if not values and (entries or self.is_needed):
            values = list(default)
            replacement = self.format(values)
        wrong = [Wrong(entry, reason, replacement) for entry, reason in reasons.items()]
        if self.is_needed and not entries:
            wrong.append(Wrong(text, "one or more are legal", replacement))
        if self.most is not None and len(values) > self.most:
            left_out = self.format(values[self.most :])
            wrong.append(Wrong(text, f"at most {self.most} are shown, not {left_out}", ""))
        return values[: self.most], wrong


@dataclass(frozen=True)
class OptionText(Codec):
    """A switch or a text of a declared option, as in an agent's text; switches also as 1 and 0."""

    option: Option

    def parse(self, text: str) -> Any:
        if self.option.kind is bool and text in ("0", "1"):
            return text == "1"
        value = self.option.parse(text, SpadesError)
        if not self.option.is_legal(value):
            raise ValueError(self.option.legal)
        return value

    def format(self, value: Any) -> str:
        return text_of(value)


def codec_of(option: Option) -> Codec:
    """The codec of a declared option: an address accepts what an agent accepts."""
    if option.is_number:
        return Number(option.least, option.most, option.kind)
    if option.separator:
        return Several(Choice(option.choices), option.separator)
    if option.choices or option.names:
        return Choice(option.names or option.choices)
    return OptionText(option)


def check_number(codec: Number | Optional, typed: float | None) -> tuple[float | None, str]:
    """(value, error): the number of a control, and why it is not legal, '' if it is."""
    try:
        return codec.take(typed), ""
    except ValueError as error:
        text = "empty" if typed is None else f"{typed:,.12g}"
        return typed, f"{text}; {error}"
