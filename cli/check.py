"""``check``: what is damaged in every store, and its repair."""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from analysis.runs.store import ResultStore
from cli.main import DONE, REFUSED, Answer
from spades.core.database import Finding
from spades.core.errors import SpadesError

BY_HAND = "nothing can mend it: restore it, or move it away"


def add_check(parser: argparse.ArgumentParser) -> None:
    """Look for damage in all stores: games, studies, drills, results and searches, logs, models and
    corpora. Exit status 0: all are sound; 1: damage was found, repaired or not."""
    parser.add_argument(
        "--repair",
        action="store_true",
        help="keep what is sound; what is damaged stays beside it under another name. Stop the "
        "dashboard before",
    )


def run_check(options: argparse.Namespace) -> Answer:
    stores = []
    for name, check in CHECKS.items():
        findings = list(check(options.repair))
        stores.append({"store": name, "findings": [one._asdict() for one in findings]})
    is_sound = not any(store["findings"] for store in stores)
    document = {"is_sound": is_sound, "stores": stores}
    return Answer(document, _table, DONE if is_sound else REFUSED)


def _table(document: dict[str, Any]) -> str:
    lines = []
    for store in document["stores"]:
        lines.append(f"{store['store']}: {_summary(store['findings'])}")
        for one in store["findings"]:
            mark = "repaired" if one["is_repaired"] else "damaged"
            lines.append(f"  {mark}: {one['where']}: {one['what']}")
    return "\n".join(lines)


def _summary(findings: list[dict[str, Any]]) -> str:
    if not findings:
        return "sound"
    n_repaired = sum(one["is_repaired"] for one in findings)
    n_left = len(findings) - n_repaired
    return f"{n_repaired} repaired, {n_left} damaged"


def _games(repair: bool) -> list[Finding]:
    from spades.tables.store import TableStore

    return TableStore().check(repair=repair)


def _studies(repair: bool) -> list[Finding]:
    from spades.tables.studies import StudyStore

    return StudyStore().check(repair=repair)


def _drills(repair: bool) -> list[Finding]:
    from analysis.drill import DrillStore

    return DrillStore().check(repair=repair)


def _results(repair: bool) -> list[Finding]:
    return ResultStore().check(repair=repair)


def _searches(repair: bool) -> Iterator[Finding]:
    """Searches of logs that came with the project; those made here are among the results."""
    from analysis.disagreements.stored import read_shipped, shipped_files

    files = {path.name: path for path in shipped_files()}
    yield from _files(tuple(files), lambda name: read_shipped(files[name]))


def _logs(repair: bool) -> Iterator[Finding]:
    """Logs hold what people played: none is changed, and only what is wrong is said."""
    from spades.notation.log_store import list_logs, open_log

    for entry in list_logs():
        reason = entry.problem or _reason_of(open_log, entry.name)
        if reason:
            yield Finding(entry.path.name, f"{reason}; {BY_HAND}", is_repaired=False)


def _models(repair: bool) -> Iterator[Finding]:
    from spades.human import load_model, model_names

    yield from _files(model_names(), load_model)


def _corpora(repair: bool) -> Iterator[Finding]:
    from spades.human.corpus import CORPORA, load_corpus

    yield from _files(CORPORA.names(), load_corpus)


def _files(names: tuple[str, ...], load: Callable[[str], object]) -> Iterator[Finding]:
    for name in names:
        if reason := _reason_of(load, name):
            yield Finding(name, f"{reason}; {BY_HAND}", is_repaired=False)


def _reason_of(read: Callable[[str], object], name: str) -> str:
    """Why something can't be read; empty if it can."""
    try:
        read(name)
    except (SpadesError, OSError) as error:
        return str(error)
    return ""


CHECKS: dict[str, Callable[[bool], Any]] = {
    "games": _games,
    "studies": _studies,
    "drills": _drills,
    "results": _results,
    "searches": _searches,
    "logs": _logs,
    "models": _models,
    "corpora": _corpora,
}
"""By store: what finds its damage, and repairs it if it is told to."""
