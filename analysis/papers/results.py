"""Our results for the published tables and figures, with explanations of every row.

The result of a figure is a document: its ``rows``, ``points`` and ``axes``, and the ``share`` of
the full scale at which it was made. Optional ``readings`` are rows by another reading of the paper,
or under another assumption.

Shipped results are in ``data/papers``, two files for each figure: ``ID.json``, made by ``python -m
experiments.papers.ship``, and ``ID.toml``, written by hand: why our results differ, and which rows
the totals leave out. A user's own results are in the result store, and are shown instead if their
scale is as large.
"""

from functools import lru_cache
from pathlib import Path

from analysis.papers.counting import counts_as
from analysis.papers.figures import FIGURES, Figure
from analysis.papers.notes import explanation_of, reason_not_counted
from analysis.runs.store import Result, ResultStore
from spades.core.documents import Document, read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

FOLDER = DATA / "papers"
COMMAND = "python -m experiments.papers.ship"
KIND = "paper"
"""Of results in the store; the question names the figure."""
LISTS = ("rows", "readings")


def shipped_path(figure_id: str) -> Path:
    return FOLDER / f"{figure_id}.json"


def shipped_documents() -> Document:
    """The shipped documents by figure. ``SpadesError``: one can't be read."""
    documents = {}
    for figure in FIGURES:
        path = shipped_path(figure.id)
        if path.exists():
            documents[figure.id] = _read(path, path.stat().st_mtime_ns)
    return documents


@lru_cache(maxsize=len(FIGURES))
def _read(path: Path, changed: int) -> Document:
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path))


def load_documents(damage: list[str] | None = None) -> Document:
    """Documents by figure: the shipped ones, or the user's own if their scale is as large.

    ``damage`` gets a message for each damaged result, as in ``ResultStore.sound_results``.
    """
    best = shipped_documents()
    for result in ResultStore().sound_results(KIND, _check, damage):  # the newest last
        figure_id = result.question["figure"]
        own = result.answer
        if figure_id not in best or own["share"] >= best[figure_id]["share"]:
            best[figure_id] = own
    return {figure.id: best[figure.id] for figure in FIGURES if figure.id in best}


def _check(result: Result) -> None:
    """Fail on a stored document that lacks what the page shows."""
    _ = result.question["figure"], result.answer["share"], result.answer["points"]
    for key in LISTS:
        for row in result.answer.get(key, []):
            _ = row["claim"], row["verdict"], row["interval"], counts_as(row)


def load_results(damage: list[str] | None = None) -> Document:
    """``load_documents`` with annotated rows: explanation, command, source, and how the totals
    count it."""
    return annotated(load_documents(damage))


def annotated(documents: Document) -> Document:
    """Documents by figure with what is said of their rows; see ``load_results``."""
    figures = {figure.id: figure for figure in FIGURES}
    results = {}
    for figure_id, document in documents.items():
        figure = figures[figure_id]
        lists = {key: [_annotate(figure, row) for row in document.get(key, [])] for key in LISTS}
        results[figure_id] = {**document, **lists}
    return results


def _annotate(figure: Figure, row: Document) -> Document:
    return {
        **row,
        "explanation": explanation_of(row),
        "command": figure.command,
        "source": figure.source,
        "counts_as": counts_as(row),
        "why_not_again": reason_not_counted(row),
    }


def scale_text(share: float) -> str:
    """A share of the full sizes, for people."""
    names = {0.0: "quick", 1.0: "full"}
    return names.get(share, f"{100 * share:g}% of full")
