"""A page's address: its fields, bound to the session and to the controls; links to pages.

The module ``state`` of a page's folder declares its fields, in the order of reading, as a
``PageState``, which also draws their controls; its script is a ``with page.open(title)`` and ends
with ``page.write()``.

Streamlit's own ``bind="query-params"`` takes none of these fields: it drops what is wrong in a link
without a word (and takes 7 for 7.5), writes a choice as its label instead of its name, has one name
for a key on all pages, and binds no value that isn't a widget's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partialmethod
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from spades.core.errors import SpadesError
from spades.core.options import Option
from ui.shared.bar import setup, show_log_in_hand
from ui.shared.codecs import Codec, Number, Optional, Several, check_number, codec_of
from ui.shared.jobs import link_started
from ui.shared.page import is_arrival, is_history, show_complaints

LONGEST_QUOTE = 40  # characters of a link's value that a complaint quotes
MOST_LISTED = 8  # legal values that a complaint lists

Values = Mapping[str, Any]
Linked = dict[str, tuple[Any, Any]]  # by control: its value by a link, and what it had before


@dataclass(frozen=True)
class Widgets:
    """How the session holds a value that several widgets make up; ``names``: the widgets'."""

    put: Callable[[Any], None]
    get: Callable[[], Any]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """A value of a page; ``codec`` and ``default`` may be functions of the fields before it.

    ``is_always_written``: even at its default, because the default changes with the store's logs.
    ``option``: the declared option that it is the value of. ``is_shared``: other pages have it too,
    as the log in hand: a link that names it sets it, the return to the page doesn't.
    """

    codec: Codec | Callable[[Values], Codec]
    default: Any | Callable[[Values], Any]
    is_always_written: bool = False
    widgets: Widgets | None = None
    option: Option | None = None
    is_shared: bool = False

    def codec_for(self, values: Values) -> Codec:
        return self.codec if isinstance(self.codec, Codec) else self.codec(values)

    def default_for(self, values: Values) -> Any:
        return self.default(values) if callable(self.default) else self.default


def option_field(option: Option) -> Field:
    """A page's field for a declared option; several choices are a list on a page."""
    default = [] if option.separator else option.default
    return Field(codec_of(option), default, option=option)


def _complaint(name: str, text: str, reason: str, shown: str) -> str:
    outcome = f"Shown: {shown}" if shown else "Left out"
    return f"{name}={text[:LONGEST_QUOTE]}{reason.rstrip('.')}. {outcome}."


@dataclass
class Track:
    """Which addresses and values the browser may send that are no new links and no choices.

    ``last``: the one that the page wrote last (``is_written``), else the link that it follows;
    ``left``: those replaced since the last one that the browser sent, oldest first; ``linked``: the
    values of a link whose page isn't drawn yet."""

    last: Mapping[str, str] | None = None
    is_written: bool = False
    linked: Linked = field(default_factory=dict)
    left: list[Mapping[str, str]] = field(default_factory=list)

    def is_link(self, query: Mapping[str, str]) -> bool:
        """Whether the browser's address is neither the last one nor one it may still send."""
        if query in self.left:
            self.left = self.left[self.left.index(query) :]
            # Another page, or the browser's Back or Forward, may lead to an address left before.
            return (is_arrival() or is_history()) and query != self.last
        if query == self.last:
            self.left = []
        return query != self.last

    def write(self, wanted: dict[str, str]) -> bool:
        """Bring the address up to date; whether it replaces another that the page wrote."""
        show_in_address(wanted, self.last if self.is_written else None)
        now = st.query_params.to_dict()
        is_new = self.last is not None and self.last != now
        if is_new:
            self.left.append(self.last)
        is_replaced = is_new and self.is_written
        self.last = now
        self.is_written = True
        return is_replaced


class PageState:
    """A page's fields in the session, under the keys ``page_name``, and in the address.

    The page gives its widgets the keys of ``key``. A value ``put`` under a name that is no field is
    forgotten while its control is not on the page.

    A browser sends its address with every click, and with a quick click an older one. After it has
    sent an address, the ones before that count as links again."""

    def __init__(
        self, name: str, fields: Mapping[str, Field], *, files: Sequence[str] = ()
    ) -> None:
        """``files``: the fields that name logs or models, which may be deleted at any time."""
        self.name = name
        self.fields = fields
        self.files = files
        self._labels: dict[str, str] = {}  # of numbers, for messages
        self._held: list[str] = []  # names in the session
        for field_name, declared in fields.items():
            self._held += declared.widgets.names if declared.widgets else (field_name,)

    def parse(self, query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
        """The value of every field, and complaints about what is wrong in the query."""
        values: dict[str, Any] = {}
        complaints: list[str] = []
        for name, declared in self.fields.items():
            default = declared.default_for(values)
            values[name] = list(default) if isinstance(default, list) else default
            if name in query:
                values[name], wrong = declared.codec_for(values).read(query[name], default)
                for text, reason, shown in wrong:
                    complaint = _complaint(name, text, f"; {reason}", shown)
                    complaints.append(f"The link says {complaint}")
        return values, complaints

    def format(self, values: Values, names: Iterable[str] | None = None) -> dict[str, str]:
        """Texts of the values that differ from their defaults, of these fields or of all."""
        texts = {}
        for name in self.fields if names is None else names:
            declared = self.fields[name]
            if declared.is_always_written or values[name] != declared.default_for(values):
                texts[name] = declared.codec_for(values).format(values[name])
        return texts

    def key(self, name: str) -> str:
        return f"{self.name}_{name}"

    def get(self, name: str) -> Any:
        """A field's value; of a control with an illegal number the last legal one."""
        value, error = self._checked(name)
        if error:
            return st.session_state.get(self.key(f"{name}_legal"), self.fields[name].default)
        return value

    def asked(self, *names: str) -> dict[str, Any]:
        """A form's values as they stand now, for a callback. ``SpadesError`` for an illegal
        number."""
        for name in names:
            _, error = self._checked(name)
            if error:
                raise SpadesError(f"{self._labels.get(name, name)} is {error}")
        return {name: self.get(name) for name in names}

    def _checked(self, name: str) -> tuple[Any, str]:
        """(value, error): what the session holds, and why that is no legal number."""
        if widgets := self._widgets_of(name):
            return widgets.get(), ""
        value = st.session_state[self.key(name)]
        codec = self.fields[name].codec if name in self.fields else None
        if isinstance(codec, Number) or (
            isinstance(codec, Optional) and isinstance(codec.item, Number)
        ):
            return check_number(codec, value)
        return value, ""

    def put(self, name: str, value: object) -> None:
        if widgets := self._widgets_of(name):
            widgets.put(value)
        else:
            st.session_state[self.key(name)] = value

    def _widgets_of(self, name: str) -> Widgets | None:
        return self.fields[name].widgets if name in self.fields else None

    def values(self) -> dict[str, Any]:
        return {name: self.get(name) for name in self.fields}

    @property
    def track(self) -> Track:
        return st.session_state.setdefault(self.key("address"), Track())

    @track.setter
    def track(self, track: Track) -> None:
        st.session_state[self.key("address")] = track

    @contextmanager
    def open(self, title: str, names: Callable[[], Iterable[str]] | None = None) -> Iterator[None]:
        """Draw a page: its title, what was wrong with the link, what the script draws.

        ``names``: says which fields it shows; all by default."""
        setup(title)
        with self.restored(names):
            yield

    @contextmanager
    def restored(self, names: Callable[[], Iterable[str]] | None = None) -> Iterator[None]:
        """The values for what the block draws; above it what was wrong with the link."""
        self.read()
        shown = set(names() if names else self.fields)
        self.look_up(*(name for name in self.files if name in shown))
        show_log_in_hand()
        report = st.container()
        yield
        with report:
            show_complaints(self.complaints)

    def _choose(
        self,
        draw: Callable,
        label: str,
        name: str,
        options: Iterable | None = None,
        **settings: Any,
    ) -> Any:
        """A control of options, the field's if none are given; a mapping has their labels."""
        if options is None:
            options = self._item_codec(name).options
        if callable(options):
            options = options()
        settings.setdefault("format_func", options.get if isinstance(options, dict) else str)
        listed = list(options)
        if settings.get("accept_new_options"):  # what is chosen must be listed, or it is dropped
            chosen = self.get(name)
            chosen = chosen if isinstance(chosen, list) else [chosen]
            listed = list(dict.fromkeys([*listed, *chosen]))
        shown = self.shown(draw, name, listed)
        return draw(label, listed, key=self.key(name), **shown, **settings)

    def number(self, label: str, name: str, **settings: Any) -> None:
        """A box for a number; under it what is illegal, which ``asked`` refuses."""
        default = self.fields[name].default
        value = self.shown(st.number_input, name).get("value", default)
        self._labels[name] = label
        codec = self.fields[name].codec
        number, error = ask_number(label, codec, self.key(name), value, **settings)
        if not error:
            self.put(f"{name}_legal", number)

    def control(self, name: str, **settings: Any) -> Any:
        """The control of a declared option, with its label, unit and help."""
        option = self._option(name)
        settings.setdefault("help", option.help)
        if option.kind is bool:
            return self.toggle(option.title, name, **settings)
        if option.is_number:
            return self.number(option.title, name, step=option.step, **settings)
        if option.separator:
            labels = {choice: option.value_label(choice) for choice in option.choices}
            return self.several(option.title, name, labels, **settings)
        return self.menu(name, **settings)

    def _offer(self, draw: Callable, name: str, **settings: Any) -> Any:
        """A control of a declared option's usual values, and of the last other value that a link or
        a result gave."""
        option = self._option(name)
        value = self.get(name)
        unusual = self.key(f"given_{name}")
        if value not in option.offered():
            st.session_state[unusual] = value
        offered = option.offered(st.session_state.get(unusual, value), value)
        labels = {choice: option.value_label(choice) for choice in offered}
        settings.setdefault("help", option.help)
        return self._choose(draw, option.title, name, labels, **settings)

    def _option(self, name: str) -> Option:
        option = self.fields[name].option
        assert option is not None, f"{name} is no declared option"
        return option

    def slider(self, label: str, name: str, **settings: Any) -> Any:
        codec = self._item_codec(name)
        limits = {"min_value": codec.low, "max_value": codec.high}
        return self._set(st.slider, label, name, **limits, **settings)

    def _set(self, draw: Callable, label: str, name: str, **settings: Any) -> Any:
        return draw(label, key=self.key(name), **self.shown(draw, name), **settings)

    def shown(self, draw: Callable, name: str, options: Sequence = ()) -> dict[str, Any]:
        """A widget's own default, where the session alone doesn't say what it shows."""
        return {}

    def _item_codec(self, name: str) -> Any:
        codec = self.fields[name].codec
        return codec.item if isinstance(codec, Optional | Several) else codec

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
        return not self.track.is_written

    @property
    def complaints(self) -> list[str]:
        """What was wrong with the link that is shown."""
        return st.session_state[self.key("complaints")]

    def complain(self, complaint: str) -> None:
        """Report a part of the link that could not be applied."""
        if complaint not in self.complaints:
            self.complaints.append(complaint)

    def settle(self, name: str, known: Iterable[str], default: str = "", why: str = "") -> str:
        """A value if it is known, else the default, with a complaint where a link gave it."""
        value = self.get(name)
        legal = list(known)
        if value not in legal:
            self.refuse(name, value, legal, default, why)
            self.put(name, default)
        return self.get(name)

    def refuse(
        self, name: str, value: str, legal: Sequence[str], shown: str = "", why: str = ""
    ) -> None:
        """Complain that a link's value isn't there; not of a choice made on the page."""
        if not value or not self.is_first_look:
            return
        if not why:
            listed = ", ".join(legal[:MOST_LISTED]) or "nothing"
            more = ", ..." if len(legal) > MOST_LISTED else ""
            why = f"; there is: {listed}{more}"
        complaint = _complaint(name, value, why, shown)
        self.complain(f"The link says {complaint}")

    def look_up(self, *names: str) -> bool:
        """Replace the names of deleted logs and models, with a complaint; whether there was any."""
        is_any_gone = False
        for name in names:
            value = self.get(name)
            if not value:
                continue
            declared = self.fields[name]
            codec = declared.codec_for({})
            nearest, wrong = codec.read(codec.format(value), declared.default_for({}))
            if wrong:
                self.put(name, nearest)
                text, reason, shown = wrong[0]
                gone = f" can't be shown any more: {reason}"
                self.complain(_complaint(name, text, gone, shown))
                self.track.is_written = False  # keeps the complaint until the reader moves on
                is_any_gone = True
        return is_any_gone

    def read(self) -> None:
        """Fill the session from the address where it is a link."""
        query = st.query_params.to_dict()
        is_filled = all(self.key(name) in st.session_state for name in self._held)
        if is_filled and not self.track.is_link(query):
            for name in self._held:  # kept while its control is not on the page
                st.session_state[self.key(name)] = self._chosen(name)
            return
        is_link = bool(query)
        if not is_link:  # back through the navigation: Streamlit has dropped the widgets' values
            query = dict(self.track.last or {})
        values, complaints = self.parse(query)
        for name, value in values.items():
            if not self.fields[name].is_shared or (is_link and name in query):
                self.put(name, value)
        self.put("complaints", complaints)
        kept = st.session_state.get(self.key("kept"), {})
        linked = changed_by_link(self._held_values(), kept)
        self.track = Track(last=dict(query), linked=linked)

    def write(self, names: Iterable[str] | None = None) -> None:
        """Bring the address up to date with these fields, or with all.

        Complaints go once the reader has moved on."""
        self.put("kept", self._held_values())
        if self.track.write(self.format(self.values(), names)):
            self.put("complaints", [])
        self.track.linked = {}
        link_started(st.query_params.to_dict())

    def _held_values(self) -> dict[str, Any]:
        return {name: st.session_state[self.key(name)] for name in self._held}

    def _chosen(self, name: str) -> Any:
        """A value as it was chosen.

        A browser calls an option by its text. An option that is no longer offered, as with a quick
        click after another hand was chosen, arrives as that text."""
        value = by_link(st.session_state[self.key(name)], name, self.track.linked)
        before = st.session_state.get(self.key("kept"), {}).get(name)
        is_text_of_before = isinstance(value, str) and not isinstance(before, str | None)
        return before if is_text_of_before else value


def changed_by_link(values: Values, before: Values) -> Linked:
    """The values that a link has changed; ``before``: what the controls had."""
    return {
        name: (value, before[name])
        for name, value in values.items()
        if name in before and before[name] != value
    }


def by_link(value: object, name: str, linked: Linked) -> Any:
    """A control's value, as the browser has sent it while a link's page was not drawn yet.

    A click stops that run, and brings what the controls showed before it: what the click didn't
    change is as the link has it."""
    if name not in linked:
        return value
    of_link, before = linked[name]
    return of_link if value == before else value


def ask_number(
    label: str,
    codec: Number | Optional,
    key: str,
    value: float | None,
    *,
    step: float | None = None,
    width: Any = "stretch",
    **settings: Any,
) -> tuple[float | None, str]:
    """(number, error): what is typed, and why it is refused; ``value``: what the box begins with.

    The browser gets no limits: it would show a number out of range while the one before is used."""
    number = codec.item if isinstance(codec, Optional) else codec
    usual_step = 1 if number.kind is int else 0.01
    typed, error = check_number(codec, st.session_state.get(key, value))
    with st.container(width=width) if error else nullcontext():
        st.number_input(
            label,
            value=None if value is None else float(value),  # None: it may be cleared
            step=float(step or usual_step),
            format="%g",
            key=key,
            width=width,
            **settings,
        )
        if error:
            st.markdown(f":red[Not taken: {error}]")
    return typed, error


def show_in_address(wanted: dict[str, str], written: Mapping[str, str] | None) -> None:
    """Bring the address up to date; ``written``: what this page wrote last, if anything.

    A request that left before the browser had that brings an older address, which may be just the
    one wanted while the browser shows another."""
    if dict(st.query_params) != wanted or written not in (None, wanted):
        st.query_params.from_dict(wanted)


def replay_link(log: str, index: int, **values: object) -> str:
    """The address of Replay on a round of a log."""
    return "/?" + urlencode({"log": log, "round": index, **values})


def tune_link(sweep: str, point: str) -> str:
    """The address of Tune's frontier on a measured setting, ``point`` its key."""
    return "/Tune?" + urlencode({"view": "frontier", "sweep": sweep, "point": point})


def bidding_link(question: Mapping[str, str]) -> str:
    """The address of Bids on a hand: ``hand``, ``previous``, ``score``, ``bags``, ``rules``."""
    return "/Bids?" + urlencode({"previous": "", **question})  # else it shows bids of its own
