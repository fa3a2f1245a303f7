"""The command ``study``: make one, see how far its participants are, export their data."""

import argparse
from pathlib import Path
from typing import Any

from analysis.logs.study_export import export_study
from spades.cli.main import Answer
from spades.core.documents import read_text
from spades.core.paths import replacing
from spades.tables.studies import StudyStore


def add_study(parser: argparse.ArgumentParser) -> None:
    """Studies with people: ``new`` makes one of a TOML file as data/studies/example.toml and prints
    its links, ``status`` says how far everybody is, ``export`` writes all data as a ZIP."""
    parser.add_argument("action", choices=("new", "status", "export"))
    parser.add_argument("what", metavar="FILE.toml | OWNER", help="the study, or its owner's token")
    parser.add_argument("--url", default="http://localhost:8501", help="of the dashboard")
    parser.add_argument("--links", type=int, default=0, metavar="N", help="single links made ahead")
    parser.add_argument("--out", type=Path, default=Path("study.zip"), metavar="FILE.zip")


def run_study(options: argparse.Namespace) -> Answer:
    store, what, base = StudyStore(), options.what, options.url.rstrip("/")
    if options.action == "status":
        rows = [store.progress(person) for person in store.people(what)]
        return Answer({"participants": rows}, _lines)
    if options.action == "export":
        packed = export_study(store, what)
        with replacing(options.out) as temporary:
            temporary.write_bytes(packed)
        return Answer({"written": str(options.out)}, _lines)
    owner = store.create(read_text(Path(what)))
    study, *_ = store.owned(owner)
    links = [f"{base}/Study?token={store.invite(study)}" for _ in range(options.links)]
    own = {"owner": owner, "progress": f"{base}/Studies?owner={owner}", "single links": links}
    return Answer({"link": f"{base}/Study?study={study}", **own}, _lines)


def _lines(found: dict[str, Any]) -> str:
    rows = [(k, one) for k, v in found.items() for one in (v if isinstance(v, list) else [v])]
    said = ((k, ", ".join(map(str, v.values())) if isinstance(v, dict) else v) for k, v in rows)
    return "\n".join(f"{name}: {text}" for name, text in said)
