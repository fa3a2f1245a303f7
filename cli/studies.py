"""The command ``study``: make one, see how far its participants are, export their data."""

import argparse
from pathlib import Path
from typing import Any

from analysis.logs.study_export import export_study, with_times
from analysis.text_tables import text_table
from cli.main import Answer
from spades.core.documents import read_text
from spades.core.errors import SpadesError
from spades.core.paths import replacing
from spades.tables.study_store import StudyStore


def add_study(parser: argparse.ArgumentParser) -> None:
    """Studies with people: ``new`` makes one of a TOML file as data/studies/example.toml and prints
    its links, ``status`` says how far everybody is, ``export`` writes all data as a ZIP."""
    parser.add_argument("action", choices=("new", "status", "export"))
    parser.add_argument("what", metavar="FILE.toml | OWNER", help="the study, or its owner's token")
    url = {"metavar": "URL", "default": "http://localhost:8501", "help": "of the dashboard"}
    parser.add_argument("--url", **url)  # type: ignore[arg-type]
    parser.add_argument("--links", type=int, default=0, metavar="N", help="single links made ahead")
    parser.add_argument("--out", type=Path, metavar="FILE.zip", help="of export")


def run_study(options: argparse.Namespace) -> Answer:
    store, what = StudyStore(), options.what
    if options.action == "status":
        rows = [with_times(store.progress(person)) for person in store.people(what)]
        return Answer({"participants": rows}, _status_table)
    if options.action == "export":
        if options.out is None:
            raise SpadesError("export needs --out FILE.zip")
        with replacing(options.out) as temporary:
            temporary.write_bytes(export_study(store, what))
        return Answer({"written": str(options.out)}, lambda found: found["written"])
    owner, base = store.create(read_text(Path(what))), options.url.rstrip("/")
    study, *_ = store.owned(owner)
    links = [f"{base}/Study?token={store.invite(study)}" for _ in range(options.links)]
    own = {"owner": owner, "progress": f"{base}/Studies?owner={owner}"}
    return Answer({"link": f"{base}/Study?study={study}", **own, "links": links}, _links_table)


def _links_table(found: dict[str, Any]) -> str:
    named = [(name, text) for name, text in found.items() if name != "links"]
    return "\n".join(text_table([*named, *(("single", link) for link in found["links"])]))


def _status_table(found: dict[str, Any]) -> str:
    head = ("participant", "step", "rounds", "begun", "seen", "think_ms")
    rows = [["-" if row[k] is None else str(row[k]) for k in head] for row in found["participants"]]
    return "\n".join(text_table([head, *rows]))
