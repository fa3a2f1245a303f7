"""The command ``check``: what is damaged in every store, and its repair."""

import argparse
from collections.abc import Callable, Iterable, Iterator

from analysis.runs.store import ResultStore
from spades.cli.answer import DONE, REFUSED, Answer
from spades.core.database import Finding
from spades.core.documents import Document
from spades.core.errors import SpadesError

NOT_REPAIRABLE = "it can't be repaired: restore it, or move it away"


def add_check(parser: argparse.ArgumentParser) -> None:
    """Look for damage in all stores: games, studies, drills, results and searches, logs, models and
    corpora. Exit status 0: all are sound; 1: damage was found, repaired or not."""
    parser.add_argument(
        "--repair",
        action="store_true",
        help="keep what is sound; what is damaged stays beside it under another name. Stop the "
        "dashboard first",
    )


def run_check(options: argparse.Namespace) -> Answer:
    stores = []
    for name, check in CHECKS.items():
        findings = [finding._asdict() for finding in check(options.repair)]
        stores.append({"store": name, "findings": findings})
    is_sound = not any(store["findings"] for store in stores)
    document = {"is_sound": is_sound, "stores": stores}
    return Answer(document, _table, DONE if is_sound else REFUSED)


def _table(document: Document) -> str:
    lines = []
    for store in document["stores"]:
        lines.append(f"{store['store']}: {_summary(store['findings'])}")
        for finding in store["findings"]:
            state = "repaired" if finding["is_repaired"] else "damaged"
            lines.append(f"  {state}: {finding['where']}: {finding['what']}")
    return "\n".join(lines)


def _summary(findings: list[Document]) -> str:
    if not findings:
        return "sound"
    n_repaired = sum(finding["is_repaired"] for finding in findings)
    return f"{n_repaired} repaired, {len(findings) - n_repaired} damaged"


def _check_games(repair: bool) -> list[Finding]:
    from spades.tables.store import TableStore

    return TableStore().check(repair=repair)


def _check_studies(repair: bool) -> list[Finding]:
    from spades.tables.studies import StudyStore

    return StudyStore().check(repair=repair)


def _check_drills(repair: bool) -> list[Finding]:
    from analysis.drill import DrillStore

    return DrillStore().check(repair=repair)


def _check_results(repair: bool) -> list[Finding]:
    return ResultStore().check(repair=repair)


def _check_searches(repair: bool) -> Iterator[Finding]:
    """Searches of logs that came with the project; those made here are among the results."""
    from analysis.disagreements.stored import read_shipped, shipped_files

    files = {path.name: path for path in shipped_files()}
    yield from _check_files(tuple(files), lambda name: read_shipped(files[name]))


def _check_logs(repair: bool) -> Iterator[Finding]:
    """Logs hold what people played: damage is reported, and no log is changed."""
    from spades.notation.log_store import list_logs, open_log

    for entry in list_logs():
        reason = entry.problem or _reason_unreadable(open_log, entry.name)
        if reason:
            yield Finding(entry.path.name, f"{reason}; {NOT_REPAIRABLE}", is_repaired=False)


def _check_models(repair: bool) -> Iterator[Finding]:
    from spades.human import load_model, model_names

    yield from _check_files(model_names(), load_model)


def _check_corpora(repair: bool) -> Iterator[Finding]:
    from spades.human.corpus import CORPORA, load_corpus

    yield from _check_files(CORPORA.names(), load_corpus)


def _check_files(names: tuple[str, ...], load: Callable[[str], object]) -> Iterator[Finding]:
    for name in names:
        reason = _reason_unreadable(load, name)
        if reason:
            yield Finding(name, f"{reason}; {NOT_REPAIRABLE}", is_repaired=False)


def _reason_unreadable(read: Callable[[str], object], name: str) -> str:
    """Why something can't be read; empty if it can."""
    try:
        read(name)
    except (SpadesError, OSError) as error:
        return str(error)
    return ""


CHECKS: dict[str, Callable[[bool], Iterable[Finding]]] = {
    "games": _check_games,
    "studies": _check_studies,
    "drills": _check_drills,
    "results": _check_results,
    "searches": _check_searches,
    "logs": _check_logs,
    "models": _check_models,
    "corpora": _check_corpora,
}
"""The function that finds a store's damage, and repairs it if told to, by the store's name."""
