"""Our results for the published tables and figures, with explanations of every row.

The result of a figure is a document: its ``rows``, ``points`` and ``axes``, and the ``share`` of
the full scale at which it was made. Optional ``readings`` are rows by another reading of the paper,
or under another assumption.

Shipped results are in ``data/papers``, two files for each figure: ``ID.json``, made by ``python -m
experiments.papers.ship``, and ``ID.toml``, written by hand: why our results differ, and which rows
are other readings of a number (``analysis.papers.notes``). A user's own results are in the result
store, and are shown instead if their scale is as large.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from analysis.matches.match import MatchPlan, expected_seconds
from analysis.papers.counting import kind_of
from analysis.papers.figures import FIGURES, Figure, Study
from analysis.papers.notes import MAIN, explanation_of, reading_of, reason_not_main
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
            _ = row["claim"], row["verdict"], row["interval"], kind_of(row), row["n_to_tell"]


def find_row(documents: Mapping[str, Document], figure: str, claim: str) -> Document | None:
    """The row of a claim in documents by figure, main or read otherwise; None where there is none.

    >>> find_row(shipped_documents(), "baier-table3", "ISMCTS baseline: accuracy")["published"]
    '58.2%'
    >>> find_row(shipped_documents(), "baier-table3", "no such claim") is None
    True
    """
    document = documents.get(figure, {})
    for name in LISTS:
        for row in document.get(name, ()):
            if row["claim"] == claim:
                return dict(row)
    return None


def load_results(damage: list[str] | None = None) -> Document:
    """``load_documents`` with annotated rows.

    Each row has its explanation, command and source; its ``kind`` (``analysis.papers.counting``);
    its ``reading``, ``main`` or the other reading's name, then ``stands_under``: the claim of the
    main row of its number, ``why_not_main`` and, where that is in another figure, ``main_figure``;
    and ``hours_to_tell``: hours of one core that ``n_to_tell`` would take, about.
    """
    return annotated(load_documents(damage))


def annotated(documents: Document) -> Document:
    """Documents by figure with what is said of their rows; see ``load_results``."""
    figures = {figure.id: figure for figure in FIGURES}
    hours = _hours_by_study(documents)
    results = {}
    for figure_id, document in documents.items():
        figure = figures[figure_id]
        hours_of_settings = hours[figure.study] * document["share"]
        lists = {
            key: [_annotate(figure, row, hours_of_settings) for row in document.get(key, [])]
            for key in LISTS
        }
        results[figure_id] = {**document, **lists}
    return results


def _hours_by_study(documents: Mapping[str, Document]) -> dict[Study, float]:
    """About how many hours one setting of a study takes at full scale."""
    settings: dict[Study, set[str]] = {figure.study: set() for figure in FIGURES}
    for figure in FIGURES:
        document = documents.get(figure.id, {})
        for row in (row for key in LISTS for row in document.get(key, [])):
            settings[figure.study].add(str(row.get("settings")))
    return {study: study.hours / max(1, len(names)) for study, names in settings.items()}


def _hours_to_tell(row: Document, hours_of_settings: float) -> float | None:
    """Hours of one core that ``n_to_tell`` would take, about: of a match as long as it should
    take, of anything else as ``hours_of_settings``, which its own n took."""
    if not (row["n_to_tell"] and row["n"]):
        return None
    hours = hours_of_settings
    if "match" in row:
        with suppress(SpadesError):  # an agent that isn't there any more
            hours = expected_seconds(MatchPlan(**row["match"])) / 3600
    return hours * float(row["n_to_tell"]) / float(row["n"])


def _annotate(figure: Figure, row: Document, hours_of_settings: float) -> Document:
    reading = reading_of(row)
    return {
        **row,
        "explanation": explanation_of(row),
        "command": figure.command,
        "source": figure.source,
        "kind": kind_of(row),
        "reading": reading.name,
        "main_figure": reading.figure,
        "stands_under": "" if reading.name == MAIN else reading.claim,
        "why_not_main": reason_not_main(row),
        "hours_to_tell": _hours_to_tell(row, hours_of_settings),
    }


def with_readings(document: Document) -> list[Document]:
    """The rows of a figure in reading order: each main row, then the other readings under it.

    Rows that stand under a row of another figure, and experiments, come last.
    """
    rows: list[Document] = [row for key in LISTS for row in document[key]]
    claims = {row["claim"] for row in rows if row["reading"] == MAIN}
    ordered = []
    for main in (row for row in rows if row["reading"] == MAIN):
        ordered.append(main)
        ordered += [row for row in rows if row["stands_under"] == main["claim"]]
    return [*ordered, *(row for row in rows if _stands_alone(row, claims))]


def _stands_alone(row: Document, claims: Iterable[str]) -> bool:
    return row["reading"] != MAIN and row["stands_under"] not in claims


def scale_text(share: float) -> str:
    """A share of the full sizes, for people."""
    names = {0.0: "quick", 1.0: "full"}
    return names.get(share, f"{100 * share:g}% of full")
