"""Notes on the rows of a figure, written by hand in ``data/papers/ID.toml``.

Rows are named by patterns, regular expressions that are searched for in their claims. Claims of
``explanations`` are named by how they begin.

* ``asked``: the question of the table or figure.
* ``[explanations]``: why our results differ; ``all`` explains the rest of the figure.
* ``[readings]``: rows that read a published number otherwise than its main row does. Each pattern
  with what stands in its place in the main row's claim. A reading is named by what the pattern
  matches, or by its first group.
* ``[printed_again]``: rows whose number another table prints too: ``FIGURE: CLAIM`` of its row.
* ``[experiments]``: readings that ask what no published number says, and why they are here.
* ``[calibrated]``: rows in which ours was fitted to the published number, and how.
* ``[not_counted]``: why such rows aren't the main row, by a part of their claims.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from analysis.papers.verdicts import DIFFERS, UNKNOWN_CAUSE
from spades.core.documents import Document, load_toml
from spades.core.paths import DATA

FOLDER = DATA / "papers"
MAIN = "main"
PRINTED_AGAIN = "printed again"
EXPERIMENT = "experiment"
_AROUND_NAMES = " ,:"


class Reading(NamedTuple):
    """Which reading of a published number a row is: ``MAIN``, or another one's name.

    ``figure`` and ``claim``: of the main row of that number, the row's own where it is that;
    an ``EXPERIMENT`` has no claim.
    """

    name: str
    figure: str
    claim: str


def reading_of(row: Document) -> Reading:
    """The reading of a row, by the notes on its figure."""
    notes = notes_of(row["id"])
    claim = row["claim"]
    for pattern, place in notes.get("printed_again", {}).items():
        if re.search(pattern, claim):
            figure, _, main = place.partition(": ")
            return Reading(PRINTED_AGAIN, figure, main)
    if any(re.search(pattern, claim) for pattern in notes.get("experiments", {})):
        return Reading(EXPERIMENT, row["id"], "")
    names = []
    main = claim
    for pattern, replacement in notes.get("readings", {}).items():
        match = re.search(pattern, main)
        replaced = re.sub(pattern, replacement, main)
        if match and replaced != main:
            main = replaced
            names.append((match[1] if match.groups() else match[0]).strip(_AROUND_NAMES))
    return Reading(", ".join(names) or MAIN, row["id"], main)


def is_calibrated(row: Document) -> bool:
    """Whether ours was fitted to the published number of this row."""
    patterns = notes_of(row["id"]).get("calibrated", {})
    return any(re.search(pattern, row["claim"]) for pattern in patterns)


def explanation_of(row: Document) -> str:
    """Why ours differs from the published value: the last text that fits the row's claim."""
    texts = notes_of(row["id"]).get("explanations", {})
    fitting = [text for start, text in texts.items() if row["claim"].startswith(start)]
    text = fitting[-1] if fitting else texts.get("all", "")
    if row["verdict"] == DIFFERS and not text:
        return UNKNOWN_CAUSE
    return text


def reason_not_main(row: Document) -> str:
    """Why another row is the main one of this row's number; empty where this one is."""
    notes = notes_of(row["id"])
    for part, reason in notes.get("not_counted", {}).items():
        if part in row["claim"]:
            return str(reason)
    for name in ("experiments", "calibrated"):
        for pattern, reason in notes.get(name, {}).items():
            if re.search(pattern, row["claim"]):
                return str(reason)
    return ""


def question_of(figure_id: str) -> str:
    """The question that a table or figure answers; empty if its notes have none."""
    return str(notes_of(figure_id).get("asked", ""))


def notes_of(figure_id: str) -> Document:
    path = FOLDER / f"{figure_id}.toml"
    if not path.exists():
        return {}
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, changed: int) -> Document:
    return dict(load_toml(path.read_text("utf-8")))
