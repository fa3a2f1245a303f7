"""A page's address: fields, each with a codec between text and value, bound to the session; links.

The module ``state`` of a page's folder declares its fields, in the order of reading, as a
``PageState``, which also draws their controls; its script is a ``with page.open(title)`` and ends
with ``page.write()``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partialmethod
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from spades.core.documents import parse_integer
from spades.core.errors import SpadesError
from spades.core.options import Option, legal_choices, legal_range
from ui.shared.bar import setup
from ui.shared.jobs import link_started
from ui.shared.page import is_arrival, is_history, show_complaints

BIDDING_PREFIX, STYLE_PREFIX = "bid_", "style_"
"""What the query keys of a page begin with."""
NOTHING = "(nothing)"  # how a complaint writes an empty text
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
        """The value; `ValueError` says what would be legal, `WrongValueError` what is nearest."""
        raise NotImplementedError

    def format(self, value: Any) -> str:
        return f"{value}"

    nearest: Callable[[str], Any] | None = None
    """Of a text that can't be parsed, where the error doesn't say."""

    def read(self, text: str, default: Any) -> tuple[Any, list[Wrong]]:
        """The value, or the nearest valid one, or the default; and what was wrong."""
        try:
            return self.parse(text), []
        except ValueError as error:
            instead = self.nearest(text) if self.nearest else default
            shown = getattr(error, "nearest", instead)
            return shown, [(text, str(error), self.format(shown) or NOTHING)]


@dataclass(frozen=True)
class Parsed(Codec):
    """A value that other functions parse, raising `ValueError`, and format."""

    parse: Callable[[str], Any]
    format: Callable[[Any], str] = str
    nearest: Callable[[str], Any] | None = None


TEXT = Parsed(str)


def text_of(value: Any) -> str:
    """An option as the address writes it: 1 and 0 for true and false, nothing for None."""
    return f"{int(value) if isinstance(value, bool) else value}" if value is not None else ""


@dataclass(frozen=True)
class Choice(Codec):
    """One of the options, which may be looked up when a link is read."""

    options: Iterable | Callable[[], Iterable]
    format: Callable[[Any], str] = text_of

    def parse(self, text: str) -> Any:
        options = self.options() if callable(self.options) else self.options
        texts = {self.format(option): option for option in options}
        if text in texts:
            return texts[text]
        raise ValueError(legal_choices(name or NOTHING for name in texts))


FLAG = Choice((False, True))


@dataclass(frozen=True)
class Number(Codec):
    """A number from ``low`` to ``high``; the nearest where it is beyond them."""

    low: float
    high: float
    kind: type = float

    def parse(self, text: str) -> float:
        try:
            value = parse_integer(text) if self.kind is int else self.kind(text)
        except ValueError:  # too many digits are beyond every limit
            value = float(text if text.removeprefix("-").isdecimal() else "nan")
        if value != value:
            raise ValueError(self.legal)
        if not self.low <= value <= self.high:
            raise WrongValueError(self.legal, self.kind(min(max(value, self.low), self.high)))
        return value

    @property
    def legal(self) -> str:
        return legal_range(self.low, self.high)

    def take(self, typed: float | None) -> float | None:
        """A control's number as the field has it; `ValueError` says what would be legal."""
        if typed is None or not self.low <= typed <= self.high or self.kind(typed) != typed:
            raise ValueError(self.legal)
        return self.kind(typed)


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
        with suppress(ValueError):
            low, high = (parse_integer(part, self.low, self.high) for part in text.split("-"))
            if low <= high:
                return low, high
        example = self.format((self.low, self.high))
        raise ValueError(f"two numbers from {self.low} to {self.high} are legal, as {example}")

    def format(self, value: tuple[int, int]) -> str:
        return "{}-{}".format(*value)


@dataclass(frozen=True)
class Optional(Codec):
    """Nothing, which is None, or what another codec parses."""

    item: Codec

    def parse(self, text: str) -> Any:
        return self.item.parse(text) if text else None

    def format(self, value: Any) -> str:
        return "" if value is None else self.item.format(value)

    def take(self, typed: float | None) -> float | None:
        return None if typed is None else self.item.take(typed)


@dataclass(frozen=True)
class Several(Codec):
    """A list without repetitions, each item read by a codec; those that are wrong are left out.

    The default stands in where no item is right, and, with ``is_needed``, for an empty list."""

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
                reasons[part] = str(error)
        found = [one for i, one in enumerate(found) if one not in found[:i]]
        shown = found or list(default if texts or self.is_needed else ())
        instead = "" if found else self.format(shown)
        wrong = [(part, reason, instead) for part, reason in reasons.items()]
        if self.is_needed and not texts:
            wrong.append((text, "one or more are legal", self.format(shown)))
        if self.most is not None and len(shown) > self.most:
            left_out = self.format(shown[self.most :])
            wrong.append((text, f"at most {self.most} are shown, not {left_out}", ""))
        return shown[: self.most], wrong


@dataclass(frozen=True)
class OptionText(Codec):
    """A switch or a text of a declared option: what an agent's text accepts, and 1 and 0."""

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
    """What reads and writes a declared option: an address accepts what an agent accepts."""
    if option.is_number:
        return Number(option.least, option.most, option.kind)
    if option.separator:
        return Several(Choice(option.choices), option.separator)
    if option.choices or option.names:
        return Choice(option.names or option.choices)
    return OptionText(option)


@dataclass(frozen=True)
class Widgets:
    """Where the session holds a value of several widgets; ``names``: theirs, to be kept."""

    put: Callable[[Any], None]
    get: Callable[[], Any]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """A value of a page; ``codec`` and ``default`` may be functions of the fields before it.

    ``is_always_written``: also where it is a default that changes, as with the logs of the store.
    ``option``: the declared one that the value is of.
    """

    codec: Codec | Callable[[Values], Codec]
    default: Any | Callable[[Values], Any]
    is_always_written: bool = False
    widgets: Widgets | None = None
    option: Option | None = None

    def codec_for(self, values: Values) -> Codec:
        return self.codec if isinstance(self.codec, Codec) else self.codec(values)

    def default_for(self, values: Values) -> Any:
        return self.default(values) if callable(self.default) else self.default


def option_field(option: Option) -> Field:
    """A page's field for a declared option; several choices are a list on a page."""
    default = [] if option.separator else option.default
    return Field(codec_of(option), default, option=option)


def _complaint(
    name: str, found: str, reason: str, shown: str, begin: str = "The link says "
) -> str:
    outcome = f"Shown: {shown}" if shown else "Left out"
    return f"{begin}{name}={found[:LONGEST_QUOTE]}{reason.rstrip('.')}. {outcome}."


@dataclass
class _Track:
    """The address shown: what the page wrote last or the link it follows; ``left``: those replaced
    since the last one that the browser sent, oldest first."""

    last: Mapping[str, str] | None = None
    is_written: bool = False
    left: list[Mapping[str, str]] = field(default_factory=list)


class PageState:
    """A page's fields in the session, under the keys ``page_name``, and in the address, where
    ``prefix`` comes before each name.

    The page gives its widgets the keys of ``key``. What holds no field's value (``put`` under
    another name) isn't kept while its control is not on the page.

    A browser sends its address with every click, a quick click an older one. Once it has sent an
    address it doesn't return to those before, which are then links again."""

    def __init__(
        self, name: str, fields: Mapping[str, Field], prefix: str = "", *, files: Sequence[str] = ()
    ) -> None:
        """``files``: names of the fields that name logs or models, which may go at any time."""
        self.name, self.fields, self.prefix, self.files = name, fields, prefix, files
        self._widgets = {name: one.widgets for name, one in fields.items() if one.widgets}
        self._labels: dict[str, str] = {}  # of numbers, as messages call them
        held = [one.widgets.names if one.widgets else (name,) for name, one in fields.items()]
        self._held = [name for names in held for name in names]  # in the session

    def parse(self, given: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
        """The value of every field, and what was wrong with those given."""
        values: dict[str, Any] = {}
        complaints: list[str] = []
        for name, one in self.fields.items():
            default = one.default_for(values)
            values[name] = list(default) if isinstance(default, list) else default
            if (text := given.get(self.prefix + name)) is not None:
                values[name], wrong = one.codec_for(values).read(text, default)
                complaints += [
                    _complaint(self.prefix + name, found, f"; {reason}", shown)
                    for found, reason, shown in wrong
                ]
        return values, complaints

    def format(self, values: Values, names: Iterable[str] | None = None) -> dict[str, str]:
        """Texts of the values that differ from their defaults, of these names or of all."""
        texts = {}
        for name in self.fields if names is None else names:
            one = self.fields[name]
            if one.is_always_written or values[name] != one.default_for(values):
                texts[self.prefix + name] = one.codec_for(values).format(values[name])
        return texts

    def key(self, name: str) -> str:
        return f"{self.name}_{name}"

    def get(self, name: str) -> Any:
        """A value; of a control that holds no legal number the last one that was."""
        if widgets := self._widgets.get(name):
            return widgets.get()
        value, why = self._typed(name)
        if why:
            return st.session_state.get(self.key(f"{name}_legal"), self.fields[name].default)
        return value

    def asked(self, *names: str) -> dict[str, Any]:
        """Values of a form as it stands now, whatever was drawn: what a start takes.
        ``SpadesError`` for a number that isn't legal."""
        for name in names:
            if why := self._typed(name)[1]:
                raise SpadesError(f"{self._labels.get(name, name)} is {why}")
        return {name: self.get(name) for name in names}

    def _typed(self, name: str) -> tuple[Any, str]:
        """A value as the session has it; of a number that isn't legal what would be."""
        value = st.session_state[self.key(name)]
        codec = self.fields[name].codec if name in self.fields else None
        if not isinstance(getattr(codec, "item", codec), Number) or isinstance(codec, Several):
            return value, ""
        return _take(codec, value)

    def put(self, name: str, value: object) -> None:
        if widgets := self._widgets.get(name):
            widgets.put(value)
        else:
            st.session_state[self.key(name)] = value

    def values(self) -> dict[str, Any]:
        return {name: self.get(name) for name in self.fields}

    @property
    def _track(self) -> _Track:
        return st.session_state.setdefault(self.key("address"), _Track())

    @contextmanager
    def open(self, title: str) -> Iterator[None]:
        """Draw a page: its title, what was wrong with the link, what the script draws."""
        setup(title)
        self.read()
        self.look_up(*self.files)
        report = st.container()
        yield
        with report:
            show_complaints(self.complaints)

    def _choose(
        self, draw: Callable, label: str, name: str, options: Iterable | None = None, **look: Any
    ) -> Any:
        """A control of options, the field's if none are given; a mapping has their labels."""
        offered = self._item_codec(name).options if options is None else options
        offered = offered() if callable(offered) else offered
        look = {"format_func": offered.get if isinstance(offered, dict) else str, **look}
        options = list(offered)
        if look.get("accept_new_options"):  # what was typed or linked must be one, or it is dropped
            chosen = self.get(name)
            chosen = chosen if isinstance(chosen, list) else [chosen]
            options = list(dict.fromkeys([*options, *chosen]))
        return draw(label, options, key=self.key(name), **self.shown(draw, name, options), **look)

    def number(self, label: str, name: str, **look: Any) -> None:
        """A number as it is typed; what isn't legal is said under it, and ``asked`` refuses it."""
        value = self.shown(st.number_input, name).get("value", self.fields[name].default)
        self._labels[name] = label
        taken, why = ask_number(label, self.fields[name].codec, self.key(name), value, **look)
        if not why:
            self.put(f"{name}_legal", taken)

    def control(self, name: str, **look: Any) -> Any:
        """The control of a declared option, with its label, unit and help; ``look``: what is
        otherwise here."""
        option = self._option(name)
        look = {"help": option.help, **look}
        if option.kind is bool:
            return self.toggle(option.title, name, **look)
        if option.is_number:
            return self.number(option.title, name, step=option.step, **look)
        if option.separator:
            labels = {choice: option.value_label(choice) for choice in option.choices}
            return self.several(option.title, name, labels, **look)
        return self.menu(name, **look)

    def _offer(self, draw: Callable, name: str, **look: Any) -> Any:
        """A control that offers the usual values of a declared option, and another one that a link
        or a result gave last."""
        option, value, given = self._option(name), self.get(name), self.key(f"given_{name}")
        if value not in option.offered():
            st.session_state[given] = value
        offered = option.offered(st.session_state.get(given, value), value)
        labels = {one: option.value_label(one) for one in offered}
        look = {"help": option.help, **look}
        return self._choose(draw, option.title, name, labels, **look)

    def _option(self, name: str) -> Option:
        option = self.fields[name].option
        assert option is not None, f"{name} is no declared option"
        return option

    def slider(self, label: str, name: str, **look: Any) -> Any:
        codec = self._item_codec(name)
        return self._set(st.slider, label, name, min_value=codec.low, max_value=codec.high, **look)

    def _set(self, draw: Callable, label: str, name: str, **look: Any) -> Any:
        return draw(label, key=self.key(name), **self.shown(draw, name), **look)

    def shown(self, draw: Callable, name: str, options: Sequence = ()) -> dict[str, Any]:
        """What a control is told to show besides what the session holds."""
        return {}

    def _item_codec(self, name: str) -> Any:
        codec = self.fields[name].codec
        return getattr(codec, "item", codec)

    # The control of a value, by its label and name; options and bounds are the field's.
    segments = partialmethod(_choose, st.segmented_control, required=True)
    view = partialmethod(segments, label_visibility="collapsed")
    menu = partialmethod(_offer, st.selectbox)
    stops = partialmethod(_offer, st.select_slider)
    pick = partialmethod(_offer, st.segmented_control, required=True)
    select = partialmethod(_choose, st.selectbox)
    rungs = partialmethod(_choose, st.select_slider)
    several = partialmethod(_choose, st.multiselect)
    pills = partialmethod(_choose, st.pills, selection_mode="multi")
    toggle = partialmethod(_set, st.toggle)
    checkbox = partialmethod(_set, st.checkbox)
    text = partialmethod(_set, st.text_input)

    @property
    def is_first_look(self) -> bool:
        """Whether the page shows what a link asked for, and nothing has been chosen since."""
        return not self._track.is_written

    @property
    def complaints(self) -> list[str]:
        """What was wrong with the link that is shown."""
        return st.session_state[self.key("complaints")]

    def complain(self, complaint: str) -> None:
        """Say that the link asked for something that isn't there."""
        if complaint not in self.complaints:
            self.complaints.append(complaint)

    def settle(self, name: str, known: Iterable[str], default: str = "", why: str = "") -> str:
        """A value where it is known, else the default; says so where the link asked for it."""
        value, there = self.get(name), list(known)
        if value not in there:
            self.refuse(name, value, there, default, why)
            self.put(name, default)
        return self.get(name)

    def refuse(self, name: str, value: str, there: list, shown: str = "", why: str = "") -> None:
        """Say that a link asked for what isn't there; choices made on the page don't count."""
        if value and self.is_first_look:
            listed = f"{', '.join(there[:8]) or 'nothing'}{', ...' * (len(there) > 8)}"
            why = why or f"; there is: {listed}"
            self.complain(_complaint(self.prefix + name, value, why, shown))

    def look_up(self, *names: str) -> bool:
        """Replace what is gone since it was chosen by what is nearest, and say so; whether any
        was."""
        found = False
        for name in names:
            one, value = self.fields[name], self.get(name)
            if not value:
                continue
            codec = one.codec_for({})
            nearest, wrong = codec.read(codec.format(value), one.default_for({}))
            if wrong:
                self.put(name, nearest)
                text, why, shown = wrong[0]
                why = f" can't be shown any more: {why}"
                self.complain(_complaint(self.prefix + name, text, why, shown, begin=""))
                self._track.is_written, found = False, True  # so that it is said until they move on
        return found

    def read(self) -> None:
        """Fill the session from the address where it is a link."""
        given = st.query_params.to_dict()
        if self.prefix:  # other pages' parameters say nothing here
            given = {k: v for k, v in given.items() if k.startswith(self.prefix)}
        is_here = all(self.key(name) in st.session_state for name in self._held)
        if is_here and not self._is_link(given):
            for name in self._held:  # kept while its control is not on the page
                st.session_state[self.key(name)] = self._chosen(name)
            return
        if not given:  # back through the navigation: widgets that were left have lost their values
            given = dict(self._track.last or {})
        values, complaints = self.parse(given)
        for name, value in values.items():
            self.put(name, value)
        self.put("complaints", complaints)
        st.session_state[self.key("address")] = _Track(last=dict(given))  # a first look again

    def write(self, names: Iterable[str] | None = None) -> None:
        """Bring the address up to date with the fields of these names, or with all.

        Complaints go once the reader has moved on."""
        self.put("kept", {name: st.session_state[self.key(name)] for name in self._held})
        wanted, track = self.format(self.values(), names), self._track
        show_in_address(wanted, track.last if track.is_written else None)
        now = st.query_params.to_dict()
        if track.last is not None and track.last != now:
            track.left.append(track.last)
            if track.is_written:
                self.put("complaints", [])
        track.last, track.is_written = now, True
        link_started(now)

    def _is_link(self, given: Mapping[str, str]) -> bool:
        """Whether what the browser sends is neither the last address nor one it may still send."""
        track = self._track
        if given in track.left:
            track.left = track.left[track.left.index(given) :]
            # Another page, or the browser's Back or Forward, may lead to an address left before.
            return (is_arrival() or is_history()) and given != track.last
        if given == track.last:
            track.left = []
        return given != track.last

    def _chosen(self, name: str) -> Any:
        """A value as it was chosen.

        A browser calls an option by its text; one that is no longer offered, as with a quick click
        after another hand was chosen, arrives as that text."""
        value = st.session_state[self.key(name)]
        before = st.session_state.get(self.key("kept"), {}).get(name)
        is_text_of_before = isinstance(value, str) and not isinstance(before, str | None)
        return before if is_text_of_before else value


def ask_number(
    label: str,
    codec: Number | Optional,
    key: str,
    value: float | None,
    *,
    step: float | None = None,
    width: Any = "stretch",
    **look: Any,
) -> tuple[float | None, str]:
    """The number typed, and why it isn't taken, '' if it is; ``value``: what it begins with.

    The browser refuses none: else the refused one would be seen, and the one before it used."""
    is_whole = getattr(codec, "item", codec).kind is int
    look |= {"key": key, "format": "%g", "step": float(step or (1 if is_whole else 0.01))}
    look["value"] = None if value is None else float(value)  # what clearing it leaves
    taken, why = _take(codec, st.session_state.get(key, value))
    with st.container(width=width) if why else nullcontext():
        st.number_input(label, width=width, **look)
        if why:
            st.markdown(f":red[Not taken: {why}]")
    return taken, why


def _take(codec: Number | Optional, typed: float | None) -> tuple[float | None, str]:
    """A number as its codec has it; as it was typed, and why, where that isn't legal."""
    try:
        return codec.take(typed), ""
    except ValueError as error:
        return typed, f"{'empty' if typed is None else f'{typed:,.12g}'}; {error}"


def show_in_address(wanted: dict[str, str], written: Mapping[str, str] | None) -> None:
    """Bring the address up to date; ``written``: what this page wrote last, if anything.

    A request that left before the browser had that brings an older address, which may be just the
    one wanted while the browser shows another."""
    if dict(st.query_params) != wanted or written not in (None, wanted):
        st.query_params.from_dict(wanted)


def replay_link(log: str, index: int, **values: object) -> str:
    """The address of Replay on a round of a log."""
    return "/?" + urlencode({"log": log, "round": index, **values})


def bidding_link(question: Mapping[str, str]) -> str:
    """The address of Bidding on a hand: ``hand``, ``previous``, ``score``, ``bags``, ``rules``."""
    full = {"previous": "", **question}  # without it the page would show bids of its own
    return "/Bidding?" + urlencode({BIDDING_PREFIX + name: text for name, text in full.items()})
