"""Options declared once: a frozen dataclass whose fields say all that is known of each option.

From a declaration come parsing, checks, error texts and the canonical text ``option=value,...``;
what a link or a TOML file may say; the control on a page with its label, unit and help; and the
tables of ``docs/agents.md``. A class that has an option of another one borrows the declaration.

Switches are bools, written ``on`` and ``off``. A name that Python doesn't leave free ends in an
underscore: the field ``lambda_`` is the option ``lambda``.

A field may hold a *part*: one of several objects, each with options of its own, such as a search's
bias or playout (``part``). In texts, links and tables the part's options stand beside the others:
``bias=experience,w=5`` is the field ``bias`` with the object ``Experience(w=5)``.
"""

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spades.core.documents import parse_integer
from spades.core.errors import MAX_SHOWN, InvalidRecordError, SpadesError, shown

_SWITCH = {"on": True, "off": False}
_LARGEST = 1e300
_EXACT = 1e15  # below it a float has all digits of a whole number
_DECLARED = "option"  # where a field's metadata hold its declaration


@dataclass(frozen=True, eq=False, kw_only=True)
class Option:
    """One option: its default, what is legal, and how people are told of it.

    Legal are numbers from ``least`` to ``most``; or ``choices``, by their labels for people; or
    whole numbers from ``least`` and ``words``. With a ``separator`` several choices are legal,
    joined by it. ``names``: gives the names of the models or corpora that are here; whoever loads
    one refuses others.

    ``needs``: another option, and the values of it without which this one does nothing and must
    keep its default. ``is_shown``: whether the canonical text names it at its default too.

    ``label``, ``unit`` and ``help`` are the same on every page. ``labels``: of values; ``form``: of
    the other values. ``usual``: values that sliders and menus offer, others being legal as well;
    ``step``: what a click on a number's arrows adds.

    ``name``: as it is written; ``field``: of the dataclass that has it; ``owner``: the name of the
    class that declares it, another one where the option is borrowed. ``parts``: of an option that
    chooses a part, the classes by name, and ``none``,
    the name of no part; ``part``: of a part's option, the field that holds it."""

    default: Any
    least: float = -math.inf
    most: float = math.inf
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    separator: str = ""
    names: Callable[[], Sequence[str]] | None = None
    needs: tuple[str, tuple[Any, ...]] | None = None
    is_shown: bool = False
    label: str = ""
    unit: str = ""
    help: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    form: str = "{}"
    usual: tuple[Any, ...] = ()
    step: float | None = None
    name: str = ""
    field: str = ""
    owner: str = ""
    parts: Mapping[str, type] = dataclasses.field(default_factory=dict)
    part: str = ""
    none: str = ""

    @property
    def kind(self) -> type:
        """``bool``, ``int``, ``float`` or ``str``."""
        return type(self.default)

    @property
    def is_number(self) -> bool:
        return self.kind in (int, float)

    @property
    def title(self) -> str:
        """What a page calls it: ``λ (points)``."""
        label = self.label or self.name
        return f"{label} ({self.unit})" if self.unit else label

    @property
    def legal(self) -> str:
        """What would be legal, in words: ``0 to 1 are legal``."""
        if self.kind is bool:
            return "on and off are legal"
        if self.choices:
            several = f", several joined by {self.separator}" if self.separator else ""
            return legal_choices(self.choices) + several
        if self.words:
            return f"a whole number from {self.least:g}, {' and '.join(self.words)} are legal"
        if self.names:
            return legal_choices(self.names())
        if math.isfinite(self.least) and math.isfinite(self.most):
            return legal_range(self.least, self.most)
        return "any number is legal" if self.is_number else "any text is legal"

    def is_legal(self, value: Any) -> bool:
        """Whether a value of the option's own type is legal; names of data aren't looked up."""
        if self.separator:
            chosen = value.split(self.separator) if value else []
            return set(chosen) <= set(self.choices)
        if self.choices:
            return value in self.choices
        if self.words:
            return value in self.words or _is_whole(value, int(self.least))
        if isinstance(value, int | float):
            return self.least <= value <= self.most and abs(value) < _LARGEST
        return True

    def accepts(self, value: Any) -> bool:
        """Whether a value of TOML or JSON is legal: numbers may lack their point, and whole numbers
        beside words are no texts there."""
        if self.words and type(value) is int:
            return self.is_legal(str(value))
        kinds = (int, float) if self.kind is float else (self.kind,)
        return type(value) in kinds and self.is_legal(value)

    def parse(self, text: str, error: type[SpadesError]) -> Any:
        """The value that a text is, whatever its size; ``error`` where it is of another type."""
        if self.kind is bool:
            if text not in _SWITCH:
                raise error(f"{self.name}={text[:MAX_SHOWN]} is no switch; {self.legal}")
            return _SWITCH[text]
        parse = parse_integer if self.kind is int else self.kind
        try:
            return parse(text)
        except ValueError:
            wanted = "whole number of up to 19 digits" if self.kind is int else "number"
            said = f"{self.name}={text[:MAX_SHOWN]}"
            raise error(f"{said} is no {wanted}; {self.legal}") from None

    def format(self, value: Any) -> str:
        """The text that ``parse`` reads as the same."""
        if isinstance(value, bool):
            return "on" if value else "off"
        return str(value)

    def value_label(self, value: Any) -> str:
        """What pages call a value."""
        if value in self.labels:
            return self.labels[value]
        if not isinstance(value, str):
            return f"{value:,.12g}"
        if value in self.choices:
            return value.capitalize()
        return self.form.format(value)

    def offered(self, *others: Any) -> list[Any]:
        """The values that a page offers: the usual ones and ``others``, such as a link's."""
        if self.is_number:
            return sorted({*self.usual, *others})
        known = self.choices or self.usual
        if self.names:
            known = tuple(self.names())
        return list(dict.fromkeys([*known, *others]))

    def applies(self, values: Mapping[str, Any]) -> bool:
        """Whether the option does anything with these values of the others, by name."""
        if self.needs is None:
            return True
        other, wanted = self.needs
        return values[other] in wanted


def plain(value: Any) -> str:
    """A value as text, a number without a needless point: 0.03, 1000."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))
    return str(value)


def legal_range(least: float, most: float) -> str:
    return f"{_number(least)} to {_number(most)} are legal"


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.12g}"


def legal_choices(texts: Iterable[str]) -> str:
    return f"{', '.join(texts) or 'none'} are legal"


def option(default: Any, **known: Any) -> Any:
    """A dataclass field with its declaration; ``known``: the fields of ``Option``."""
    return field_for(Option(default=default, **known))


def part(default: Any, kinds: Mapping[str, Any], *, none: str = "", **known: Any) -> Any:
    """A dataclass field that holds a part: an object of one of ``kinds``, classes by name.

    ``none``: the name of no part at all, the value ``None``. Two names, ``on`` and ``off``, make a
    switch. ``known``: the other fields of the ``Option`` that chooses."""
    names = (none, *kinds) if none else tuple(kinds)
    is_switch = set(names) == set(_SWITCH)
    declared = Option(
        default=_part_name(default, none, is_switch),
        choices=() if is_switch else names,
        parts=kinds,
        none=none,
        **known,
    )
    return dataclasses.field(default=default, metadata={_DECLARED: declared})


def _part_name(value: Any, none: str, is_switch: bool) -> Any:
    """The value of the option that chooses a part."""
    if is_switch:
        return _SWITCH[none if value is None else value.name]
    return none if value is None else value.name


def borrowed(kind: type, name: str, **changes: Any) -> Any:
    """A dataclass field for the option ``name`` of another class, declared there; ``changes``: what
    is different here, such as its ``default``, of a part the object."""
    declared = options_of(kind)[name]
    if not declared.parts:
        return field_for(dataclasses.replace(declared, **changes))
    if "default" not in changes:
        defaults = {own.name: own.default for own in dataclasses.fields(kind)}
        changes["default"] = defaults[declared.field]
    default = changes.pop("default")
    chosen = _part_name(default, declared.none, declared.kind is bool)
    declared = dataclasses.replace(declared, default=chosen, **changes)
    return dataclasses.field(default=default, metadata={_DECLARED: declared})


def field_for(declared: Option) -> Any:
    """A dataclass field with a declaration that is there already."""
    return dataclasses.field(default=declared.default, metadata={_DECLARED: declared})


_OPTIONS: dict[type, dict[str, Option]] = {}


def options_of(kind: type) -> dict[str, Option]:
    """The options of a dataclass by name, in the order of its fields; those of a part follow the
    option that chooses it."""
    if kind not in _OPTIONS:
        options: dict[str, Option] = {}
        for own in dataclasses.fields(kind):
            declared = _named(own, kind)
            options[declared.name] = declared
            options.update(_options_of_parts(declared))
        _OPTIONS[kind] = options
    return _OPTIONS[kind]


def _options_of_parts(choosing: Option) -> dict[str, Option]:
    """The options of all parts that an option chooses among; each needs a part that has it.

    They are listed as the parts list them; where a part has all options of another one, as it
    does."""
    by_part = {
        _SWITCH[name] if choosing.kind is bool else name: options_of(kind)
        for name, kind in choosing.parts.items()
    }
    options: dict[str, Option] = {}
    for own in by_part.values():
        if not any(own.keys() < other.keys() for other in by_part.values()):
            options |= {name: own[name] for name in own if name not in options}
    return {
        name: dataclasses.replace(
            declared,
            part=choosing.field,
            needs=(choosing.name, tuple(part for part, own in by_part.items() if name in own)),
        )
        for name, declared in options.items()
    }


def values_of(options: Any) -> dict[str, Any]:
    """The values of all options, by name; those of another part than the chosen one are at their
    defaults."""
    declared = options_of(type(options))
    return {name: _value(options, declared[name]) for name in declared}


def _value(options: Any, declared: Option) -> Any:
    if declared.part:
        chosen = getattr(options, declared.part)
        has_option = chosen is not None and declared.name in options_of(type(chosen))
        return getattr(chosen, declared.field) if has_option else declared.default
    value = getattr(options, declared.field)
    if declared.parts:
        return _part_name(value, declared.none, declared.kind is bool)
    return value


def _with_defaults(declared: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all options, those not given at their defaults."""
    return {name: values.get(name, option.default) for name, option in declared.items()}


def made(kind: type, values: Mapping[str, Any], error: type[SpadesError]) -> Any:
    """The options of a kind with these values, by name; ``error`` for one that does nothing with
    the others. Those left out are at their defaults."""
    options = options_of(kind)
    all_values = _with_defaults(options, values)
    fields: dict[str, Any] = {}
    for name, declared in options.items():
        if declared.part:
            _check_idle(declared, options, all_values, error)
        elif declared.parts:
            fields[declared.field] = _made_part(declared, all_values, error)
        elif name in values:
            fields[declared.field] = values[name]
    return kind(**fields)


def _made_part(choosing: Option, values: Mapping[str, Any], error: type[SpadesError]) -> Any:
    """The object that an option chooses, with its options' values."""
    name = choosing.format(values[choosing.name])
    if name == choosing.none:
        return None
    if name not in choosing.parts:
        raise error(f"{choosing.name} is {_shown(name)}; {choosing.legal}")
    kind = choosing.parts[name]
    own_values = {own: values[own] for own in options_of(kind)}
    try:
        return made(kind, own_values, error)
    except SpadesError as refusal:
        raise error(str(refusal)) from None


def _named(own: dataclasses.Field, kind: type) -> Option:
    """The declaration of a class's field, with its name."""
    declared = own.metadata.get(_DECLARED) or Option(default=own.default)
    return dataclasses.replace(
        declared,
        name=own.name.removesuffix("_"),
        field=own.name,
        owner=declared.owner or kind.__name__,
    )


def check_options(options: Any, error: type[SpadesError]) -> None:
    """Raise ``error`` for the first option that isn't legal."""
    all_options = options_of(type(options))
    for declared in all_options.values():
        if declared.parts:
            _check_part(getattr(options, declared.field), declared, error)
    values = values_of(options)
    for name, declared in all_options.items():
        if declared.part:  # the part has checked its own
            continue
        if not declared.is_legal(values[name]):
            raise error(f"{name} is {_shown(values[name])}; {declared.legal}")
        _check_idle(declared, all_options, values, error)


def _check_part(chosen: Any, choosing: Option, error: type[SpadesError]) -> None:
    """Raise ``error`` for a value that is no part."""
    is_none = chosen is None and bool(choosing.none)
    if not is_none and not hasattr(type(chosen), "name"):
        kinds = ", ".join(kind.__name__ for kind in choosing.parts.values())
        raise error(f"{choosing.name} is {shown(str(chosen))}; objects of {kinds} are legal")


def _shown(value: Any) -> str:
    return shown(value) if isinstance(value, str) else str(value)


def _check_idle(
    declared: Option,
    options: Mapping[str, Option],
    values: Mapping[str, Any],
    error: type[SpadesError],
) -> None:
    """Raise ``error`` for an option that is given but does nothing with the others' values."""
    if values[declared.name] == declared.default or declared.applies(values):
        return
    assert declared.needs is not None
    other, wanted = declared.needs
    owners = " and ".join(f"{other}={options[other].format(value)}" for value in wanted)
    current = f"{other}={options[other].format(values[other])}"
    raise error(f"{declared.name} does nothing with {current}; it belongs to {owners}")


def fitting_options(kind: type, values: Mapping[str, Any]) -> Any:
    """Options of a kind with these values, by name; those that do nothing with the others keep
    their defaults."""
    options = options_of(kind)
    all_values = _with_defaults(options, values)
    fitting = {name: values[name] for name in values if options[name].applies(all_values)}
    return made(kind, fitting, SpadesError)


def parse_options(kind: type, name: str, text: str, error: type[SpadesError]) -> Any:
    """The options that ``option=value,...`` gives a ``kind`` called ``name``; ``error`` says what
    would be legal."""
    known = options_of(kind)
    values: dict[str, Any] = {}
    for item in filter(None, text.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if key not in known or not equals:
            legal = ", ".join(f"{option}=" for option in known) or "none"
            raise error(f"unknown option {shown(item)} of {name}; known: {legal}")
        if key in values:
            raise error(f"option {key} of {name} comes twice")
        values[key] = known[key].parse(value, error)
    return made(kind, values, error)


def _is_whole(text: str, least: int) -> bool:
    try:
        parse_integer(text, least)
    except InvalidRecordError:
        return False
    return True


def format_options(options: Any) -> str:
    """The shortest text that ``parse_options`` reads as the same, and the options always shown."""
    values = values_of(options)
    texts = []
    for name, declared in options_of(type(options)).items():
        if declared.is_shown or values[name] != declared.default:
            texts.append(f"{name}={declared.format(values[name])}")
    return ",".join(texts)


def option_texts(options: Any) -> dict[str, str]:
    """All options and their values as text."""
    declared = options_of(type(options))
    return {name: declared[name].format(value) for name, value in values_of(options).items()}
