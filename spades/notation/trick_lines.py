"""trick-notation text to drafts of rounds: headers and event lines sorted, no card looked at yet.

Source: spec 1, notation 2; ``spades.notation.trick_notation`` says what the lines mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from spades.core.errors import InvalidRecordError
from spades.notation.reading import FENCES, MAX_ROWS, MAX_TAGS, shown

MARKER = "trick-notation"
VERSION = "v1"
_TOO_MANY = {"C": "a second C line", "P": f"over {MAX_ROWS} P lines"}
_FOREIGN = {"X": "passing cards", "U": "turned-up cards", "M": "melds"}


class Line(NamedTuple):
    """A line's number from 1, and its text."""

    number: int
    text: str


@dataclass
class Document:
    """Headers of some rounds: by name, with the rules comment under ``rules``."""

    headers: dict[str, Line] = field(default_factory=dict)
    n_rounds: int = 0
    fault: InvalidRecordError | None = None

    def value(self, name: str, default: str = "") -> str:
        return self.headers[name].text if name in self.headers else default


@dataclass
class Draft:
    """One round as lines. ``index`` counts the rounds of its document."""

    document: Document
    index: int
    deal: Line
    lab: Line | None
    calls: list[Line] = field(default_factory=list)
    plays: list[Line] = field(default_factory=list)
    fault: InvalidRecordError | None = None
    last_line: int = 0


@dataclass
class Scanner:
    """Sorts lines into documents and drafts of rounds; looks at no card."""

    documents: list[Document] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    document: Document | None = None
    lab: Line | None = None

    def feed(self, number: int, line: str) -> None:
        if line.startswith(FENCES):
            self.document = None
        elif line[:1] in ("%", ";"):
            self._comment(number, line[1:].strip())
        elif line.startswith("["):
            self._headers(number, line.partition(";")[0])
        elif self.document is not None and (event := line.partition(";")[0].strip()):
            self._event(number, event, self.document)

    def _open(self) -> Document:
        self.document = Document()
        self.documents.append(self.document)
        self.lab = None
        return self.document

    def _before_rounds(self) -> Document:
        is_fresh = self.document is not None and not self.document.n_rounds
        return self.document if is_fresh and self.document else self._open()

    def _comment(self, number: int, comment: str) -> None:
        key, _, rest = comment.partition(" ")
        rest = rest.strip()
        if key == MARKER:
            document = self._open()
            if rest != VERSION:
                reason = f"{MARKER} {shown(rest)} is not supported, {VERSION} is"
                document.fault = InvalidRecordError(reason, number)
        elif key == "rules" and rest.startswith("{"):
            self._before_rounds().headers["rules"] = Line(number, rest)
        elif key == "record" and rest.startswith("{"):
            self.lab = Line(number, rest)

    def _headers(self, number: int, line: str) -> None:
        document = self._before_rounds()
        *parts, tail = line.split("]")
        for part in [*parts, *([tail] if tail.strip() else [])]:
            key, _, value = part.strip().removeprefix("[").strip().partition(" ")
            if key in document.headers and document.fault is None:
                document.fault = InvalidRecordError(f"the header {shown(key)} comes twice", number)
            if len(document.headers) == MAX_TAGS:
                reason = f"over {MAX_TAGS} headers"
                document.fault = document.fault or InvalidRecordError(reason, number)
                break
            document.headers.setdefault(key, Line(number, value.strip().strip('"').strip()))

    def _event(self, number: int, event: str, document: Document) -> None:
        code, _, rest = event.replace("\t", " ").partition(" ")
        line = Line(number, rest.strip())
        if code == "D":
            self.drafts.append(Draft(document, document.n_rounds, line, self.lab))
            document.n_rounds += 1
            self.lab = None
        elif not document.n_rounds:
            reason = f"{shown(event)} before any deal (D)"
            document.fault = document.fault or InvalidRecordError(reason, number)
        else:
            _add_event(self.drafts[-1], code, line)


def _add_event(draft: Draft, code: str, line: Line) -> None:
    if code == "P" and len(draft.plays) < MAX_ROWS:
        draft.plays.append(line)
    elif code == "C" and not draft.calls:
        draft.calls.append(line)
    elif draft.fault is None:
        what = _FOREIGN.get(code) or _TOO_MANY.get(code, "an event")
        reason = f"{what}, {shown(code)}, is not supported; D, one C and P are"
        draft.fault = InvalidRecordError(reason, line.number)
