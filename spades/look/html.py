"""HTML for notebooks, in the pages' own style and without any script.

Text is escaped wherever it is put into an element. ``figure`` adds the rules of the style sheets
that its elements use, scoped to them: nothing else in a notebook changes its look.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from typing import NamedTuple

from spades.look import joined
from spades.look.tokens import DARK_HOSTS, variables
from spades.look.words import JOKERS, SYMBOLS, pretty_rank

STYLES = "base cards table decision notebook"

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_AT_RULE = re.compile(r"@[^{}]+\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")  # of other widths, of motion
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
_VARIABLE = re.compile(r"var\(--([\w-]+)")
_TAG = re.compile(r"(?<![\w.:#\[-])[a-z][a-z0-9]*")
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_CLASS_ATTRIBUTE = re.compile(r'class="([^"]*)"')
_OPENING = re.compile(r"<([a-z][a-z0-9]*)")


class Html(str):
    """Text that is HTML already. Any other text is escaped where it becomes part of an element."""

    __slots__ = ()


class Row(NamedTuple):
    """A row of a table: its classes, and a cell a column."""

    classes: str
    cells: Sequence[str]


def element(tag: str, classes: str = "", *children: str, **attributes: str) -> Html:
    """An element: its classes, its children in order, and other attributes."""
    if classes:
        attributes = {"class": classes, **attributes}
    shown = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    return Html(f"<{tag}{shown}>{together(*children)}</{tag}>")


def together(*parts: str) -> Html:
    """Several texts and elements one after the other."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def chip(card: str, classes: str = "") -> Html:
    """A card the size of a word; ``card``: its text, as ``HT``."""
    if card in JOKERS:
        index = element("span", "index", element("span", "rank", JOKERS[card]))
        return element("span", f"card chip joker {classes}".strip(), index)
    rank = element("span", "rank", pretty_rank(card))
    index = element("span", "index", rank, element("span", "pip", SYMBOLS[card[0]]))
    return element("span", f"card chip suit-{card[0]} {classes}".strip(), index)


def percent(share: float) -> str:
    """A share as the table of a decision has it: ``44%``; what isn't 0 or 1 doesn't look so."""
    if 0 < share <= 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{share:.0%}"


def bar(text: str, length: float) -> Html:
    """A number beside a bar; ``length``: 0 to 1, of the longest one."""
    fill = element("i", style=f"width:{100 * length:.1f}%")
    return element(
        "span", "bar-cell", element("span", "number", text), element("span", "track", fill)
    )


def table(
    columns: Sequence[tuple[str, str]], rows: Iterable[Row], classes: str, header: str = ""
) -> Html:
    """A table. ``columns``: the kind of each, which names its class, and its heading. ``header``:
    the kind whose cells head their rows."""
    heads = [element("th", f"c-{kind}", text, scope="col") for kind, text in columns]
    body = []
    for row in rows:
        cells = []
        for (kind, _), cell in zip(columns, row.cells, strict=True):
            if kind == header:
                cells.append(element("th", f"c-{kind}", cell, scope="row"))
            else:
                cells.append(element("td", f"c-{kind}", cell))
        body.append(element("tr", row.classes, *cells))
    head = element("thead", "", element("tr", "", *heads))
    return element("table", classes, head, element("tbody", "", *body))


def figure(*parts: str) -> str:
    """What a notebook shows: parts one below the other, with the style that they use."""
    body = element("div", "rv-root", *parts)
    style = element("style", "", Html(_style_of(body)))
    return str(element("div", "spades-look", style, body))  # marimo takes no kind of str


def _style_of(body: str) -> str:
    """The rules for the classes and tags of some HTML, and the variables that these read."""
    classes = {name for names in _CLASS_ATTRIBUTE.findall(body) for name in names.split()}
    tags = set(_OPENING.findall(body))
    rules = []
    for selectors, declarations in _rules():
        used = [selector for selector in selectors if _selects(selector, classes, tags)]
        if used:
            rules.append(f"{','.join(used)}{{{declarations}}}")
    text = "".join(rules)
    return f".spades-look{{{_declared(text)}{text}}}{DARK_HOSTS}"


def _selects(selector: str, classes: set[str], tags: set[str]) -> bool:
    """Whether a selector may select anything among elements of these classes and tags."""
    plain = _IN_BRACKETS.sub("", selector)
    return classes.issuperset(_CLASS.findall(plain)) and tags.issuperset(_TAG.findall(plain))


@cache
def _rules() -> tuple[tuple[tuple[str, ...], str], ...]:
    """(selectors, declarations) of every rule for screens of any width."""
    text = _AT_RULE.sub("", _COMMENT.sub("", joined("css", STYLES)))
    found = []
    for selectors, declarations in _RULE.findall(text):
        parts = re.split(r",(?![^(]*\))", " ".join(selectors.split()))
        found.append((tuple(part.strip() for part in parts), " ".join(declarations.split())))
    return tuple(found)


def _declared(text: str) -> str:
    """Declarations of the variables that a style reads."""
    values = variables()
    names = {name for name in _VARIABLE.findall(text) if name in values}
    return "".join(f"--{name}:{values[name]};" for name in values if name in names)
