"""The command ``study``: create a study, see how far its participants are, export its data."""

import argparse
from pathlib import Path

from analysis.logs.study_export import export_study
from spades.cli.answer import Answer
from spades.cli.arguments import add_number
from spades.core.documents import Document, read_text
from spades.core.paths import replacing
from spades.tables.studies import StudyStore


def add_study(parser: argparse.ArgumentParser) -> None:
    """Studies with people. ``new`` creates one from a TOML file, as data/studies/example.toml, and
    prints its links; ``status`` prints how far every participant is; ``export`` writes all data as
    a ZIP file."""
    parser.add_argument("action", choices=("new", "status", "export"))
    parser.add_argument(
        "what",
        metavar="FILE.toml | OWNER",
        help="of new: the study; otherwise its owner's token",
    )
    parser.add_argument(
        "--url", default="http://localhost:8501", help="address of the dashboard in the links"
    )
    add_number(parser, "--links", "single-use links to create", default=0)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("study.zip"),
        metavar="FILE.zip",
        help="of export: where to write, study.zip by default",
    )


def run_study(options: argparse.Namespace) -> Answer:
    store = StudyStore()
    if options.action == "status":
        return _status(store, options.what)
    if options.action == "export":
        return _export(store, options.what, options.out)
    return _create(store, Path(options.what), options.url.rstrip("/"), options.links)


def _status(store: StudyStore, owner: str) -> Answer:
    participants = [store.progress(person) for person in store.people(owner)]
    return Answer({"participants": participants}, _lines)


def _export(store: StudyStore, owner: str, path: Path) -> Answer:
    content = export_study(store, owner)
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return Answer({"written": str(path)}, _lines)


def _create(store: StudyStore, path: Path, url: str, n_links: int) -> Answer:
    owner = store.create(read_text(path))
    study, *_ = store.owned(owner)
    document = {
        "link": f"{url}/Study?study={study}",
        "owner": owner,
        "progress": f"{url}/Data?view=studies&owner={owner}",
        "single links": [f"{url}/Study?token={store.invite(study)}" for _ in range(n_links)],
    }
    return Answer(document, _lines)


def _lines(document: Document) -> str:
    """``name: value``, a line each; a list has a line for each of its values."""
    lines = []
    for name, content in document.items():
        for value in content if isinstance(content, list) else [content]:
            text = ", ".join(map(str, value.values())) if isinstance(value, dict) else value
            lines.append(f"{name}: {text}")
    return "\n".join(lines)
