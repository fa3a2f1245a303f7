"""PTN text to drafts of records: tags and the rows of sections, no card looked at yet.

Source: spec 1, notation 1. Tolerated, as real records have them: a tag without its closing
bracket or quote, unescaped quotes inside a tag, ``%`` comments, a Markdown fence, PBN headers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from spades.core.errors import InvalidRecordError
from spades.core.records import BOT, HUMAN
from spades.notation import reading
from spades.notation.reading import FENCES, MAX_ROWS, MAX_TAGS, lines_of, shown

EVENT, AUCTION, PLAY = "Event", "Auction", "Play"
LAB_TAG = "LabJson"
NAME_TAGS = ("North", "East", "South", "West")
GAME_CODE = "Spades"
UNKNOWN = "-"
BOT_SUFFIX = "Auto"
_TAG = re.compile(r"\[(\w{1,40})[ \t]{0,8}\"")
_KNOWN_TAG = re.compile(r"\[(Dealer|Deal|Auction|Play|Game\w+|North|East|South|West)\b")
_CARD = re.compile(r"[SHDCJ][2-9TJQKAHL]|-")


class Tag(NamedTuple):
    """A tag's value and where it stands."""

    line: int
    value: str


class Row(NamedTuple):
    """Words of one line of a section."""

    line: int
    words: list[str]


@dataclass
class Draft:
    """One record as text. ``fault`` is the first thing that can't be tolerated."""

    line: int
    tags: dict[str, Tag] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=lambda: {AUCTION: [], PLAY: []})
    notes: list[Tag] = field(default_factory=list)
    fault: InvalidRecordError | None = None
    section: str = ""
    after_blank: bool = False
    has_prose: bool = False
    cut_line: int = 0

    def value(self, name: str, default: str = "") -> str:
        return self.tags[name].value if name in self.tags else default

    def line_of(self, name: str) -> int:
        return self.tags[name].line if name in self.tags else self.line

    def add_line(self, number: int, line: str) -> None:
        if _TAG.match(line):
            self._add_tag(number, line)
        elif _KNOWN_TAG.match(line):
            self._blame(number, f"a tag's value stands in quotes, found {shown(line)}")
        elif not line:
            self.after_blank = True
        elif self.section and not (self.after_blank and _is_prose(line)):
            self._add_row(number, line.split("%", 1)[0].split())
        elif not self.has_prose:
            self.section, self.has_prose = "", True
            self.notes.append(Tag(number, f"text outside the record left out: {shown(line)}"))

    def _add_row(self, number: int, words: list[str]) -> None:
        rows = self.rows[self.section]
        self.after_blank = False
        if len(rows) == MAX_ROWS:
            self._blame(number, f"over {MAX_ROWS} rows in {self.section}; 13 tricks are legal")
        elif words:
            rows.append(Row(number, words))

    def _blame(self, number: int, reason: str) -> None:
        self.fault = self.fault or InvalidRecordError(reason, number)

    def _add_tag(self, number: int, line: str) -> None:
        name, _, rest = line[1:].partition('"')
        name = name.strip()
        if len(self.tags) == MAX_TAGS:
            return self._blame(number, f"over {MAX_TAGS} tags in one record")
        value, quote, tail = rest.rpartition('"')
        if not quote:
            value = rest.rstrip("] \t")
            self.notes.append(Tag(number, f"the tag {name} has no closing quote"))
        elif "]" not in tail:
            self.notes.append(Tag(number, f"the tag {name} has no closing bracket"))
        if name in self.tags:
            self._blame(number, f"the tag {name} comes twice in a record")
        self.tags.setdefault(name, Tag(number, value))
        self.section = name if name in self.rows else ""
        self.after_blank = False


def _is_prose(line: str) -> bool:
    return not any(_CARD.fullmatch(word) for word in line.split(maxsplit=8)[:8])


def drafts_of(text: str) -> list[Draft]:
    """Drafts of the records of a text, one over the limit at most; other text is skipped."""
    drafts: list[Draft] = []
    current: Draft | None = None
    last_line = 0
    for number, raw in enumerate(lines_of(text), start=1):
        line = raw.strip()
        last_line = number if line else last_line
        if line.startswith(FENCES):
            current = None
            continue
        if line.startswith("%"):
            continue
        tag = _TAG.match(line)
        if len(drafts) > reading.MAX_RECORDS:
            break
        if tag and (current is None or tag[1] == EVENT):
            current = Draft(number)
            drafts.append(current)
        if current is not None:
            current.add_line(number, line)
    if drafts:
        # Only the very last line of a text can have been cut.
        drafts[-1].cut_line = last_line
    return drafts


def parse_name(value: str) -> tuple[str, str | None]:
    """Shown name and kind of a seat's tag: ``(Auto)`` is a bot, ``(digits)`` a human, else None."""
    name, bracket, mark = value.strip().rpartition("(")
    mark = mark.removesuffix(")")
    if bracket and value.rstrip().endswith(")"):
        if mark == BOT_SUFFIX:
            return name.strip(), BOT
        if mark.isascii() and mark.isdecimal():
            return name.strip(), HUMAN
    return value.strip(), None


def format_tag(name: str, value: str) -> str:
    """A tag on one line: no value can end it or add another."""
    return f'[{name} "{printable(value)}"]\n'


def format_name(name: str, kind: str) -> str:
    # A double quote would end the value for readers that stop at the second one.
    plain = printable(name).replace('"', "'").strip()
    return f"{plain} ({'1' if kind == HUMAN else BOT_SUFFIX})".strip()


def printable(text: str) -> str:
    """Text with line ends, controls and other invisible characters made spaces."""
    return "".join(char if char.isprintable() else " " for char in text)
