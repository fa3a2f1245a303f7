"""Notes on the rows of a figure, written by hand in ``data/papers/ID.toml``.

``asked``: the question of the table or figure. ``[explanations]``: why our results differ, by the
beginning of the claims that a text explains; ``all`` explains the rest of the figure.
``[not_counted]``: why another row counts in the totals, by a part of the claims that are left out.
"""

from functools import cache
from pathlib import Path

from analysis.papers.verdicts import DIFFERS, UNKNOWN_CAUSE
from spades.core.documents import Document, load_toml
from spades.core.paths import DATA

FOLDER = DATA / "papers"


def explanation_of(row: Document) -> str:
    """Why ours differs from the published value: the last text that fits the row's claim."""
    texts = notes_of(row["id"]).get("explanations", {})
    fitting = [text for start, text in texts.items() if row["claim"].startswith(start)]
    text = fitting[-1] if fitting else texts.get("all", "")
    if row["verdict"] == DIFFERS and not text:
        return UNKNOWN_CAUSE
    return text


def reason_not_counted(row: Document) -> str:
    """Why another row counts this row's published number; empty where this one does."""
    for part, reason in notes_of(row["id"]).get("not_counted", {}).items():
        if part in row["claim"]:
            return str(reason)
    return ""


def question_of(figure_id: str) -> str:
    """What the table or figure asks; empty where nobody has written it down."""
    return str(notes_of(figure_id).get("asked", ""))


def notes_of(figure_id: str) -> Document:
    path = FOLDER / f"{figure_id}.toml"
    if not path.exists():
        return {}
    return _read(path, path.stat().st_mtime_ns)


@cache
def _read(path: Path, changed: int) -> Document:
    return dict(load_toml(path.read_text("utf-8")))
