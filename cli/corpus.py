"""The command ``corpus``: corpora of play for corpus-seeded search, from any log."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cli.models import DONE, REFUSED, Console
from spades.core.errors import Refusal
from spades.human.features.examples import ALL_SEATS, HUMANS


def add_corpus(commands: Any, console: Console) -> None:
    """The command on a parser's list of them."""
    parser = commands.add_parser(
        "corpus",
        help="make a corpus of a log for flat-ucb:seed=corpus, or list the corpora",
        description="Make a corpus of a log's unforced plays: feature vectors of the states and of "
        "the actions taken (Dobre and Lascarides 2015), computed once and stored. Agents know one "
        "that lies in data/corpora by its name: flat-ucb:seed=corpus,corpus=NAME. Without --data: "
        "list the corpora that there are.",
    )
    parser.add_argument("--data", metavar="LOG", help="a file, or a log's name in the store")
    parser.add_argument("--name", metavar="NAME", help="of the corpus; by default like the log")
    parser.add_argument("--games", type=int, metavar="N", help="the log's first N games, else all")
    parser.add_argument("--pairs", type=int, metavar="N", help="N plays, drawn at random, else all")
    parser.add_argument("--seats", choices=(HUMANS, ALL_SEATS), default=HUMANS)
    parser.add_argument("--seed", type=int, default=0, metavar="S")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="data/corpora by default")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.set_defaults(command=lambda options: _corpus(options, console))


def _corpus(options: argparse.Namespace, console: Console) -> int:
    if options.data is None:
        document = corpora_document()
        console.show(json.dumps(document) if options.json else corpora_table(document))
        return DONE
    document = built_document(options, console)
    shown = corpora_table({**document, "refused": []})  # what was refused has been said
    console.show(json.dumps(document) if options.json else shown)
    return REFUSED if document["refused"] else DONE


def built_document(options: argparse.Namespace, console: Console) -> dict[str, Any]:
    """Build and store the corpus that is asked for; what ``corpus --json`` prints of it.

    ``refused``: rounds of the file that were left out, by line; they are said as well.
    """
    from cli.style_report import refused_rows, refused_text
    from spades.human.corpus import build_corpus, read_corpus, write_corpus
    from spades.human.corpus.files import ENDING, corpora_folder, safe_corpus_name
    from spades.notation.log_store import safe_name

    log, source, refusals = _log_of(options.data)
    refused = refused_rows(Path(options.data), refusals)
    if refused:
        console.say(refused_text(refused))
    name = safe_corpus_name(options.name or safe_name(source))
    asked = {key: getattr(options, key) for key in ("seats", "games", "pairs", "seed")}
    corpus = build_corpus(log, name, source=source, **asked)
    path = (options.out or corpora_folder()) / f"{name}{ENDING}"
    write_corpus(path, corpus, command=command_of(name, source, asked))
    console.say(f"{len(corpus):,} pairs written to {path}")
    return {"corpora": [row_of(read_corpus(path))], "refused": refused}


def command_of(name: str, source: str, asked: dict[str, Any]) -> str:
    """The command that makes this corpus."""
    said = " ".join(f"--{key} {value}" for key, value in asked.items() if value is not None)
    return f"python -m spades corpus --data {shlex.quote(source)} --name {name} {said}"


def _log_of(data: str) -> tuple[Any, str, Sequence[Refusal]]:
    """A log by its file or its name in the store, what to call it, and what was refused."""
    from cli.style_report import read_log_and_refusals
    from spades.notation.log_store import open_log

    if Path(data).is_file():
        log, refusals = read_log_and_refusals(Path(data))
        return log, Path(data).name, refusals
    return open_log(data), data, []


def row_of(corpus: Any) -> dict[str, Any]:
    """What is said of a corpus: its name, where it comes from, its hash."""
    return {"name": corpus.name, **corpus.facts, "hash": corpus.hash}


def corpora_document() -> dict[str, Any]:
    """What ``corpus --json`` prints: every corpus of the folder, and files that can't be read."""
    from spades.human.corpus import CorpusError, corpus_names, load_corpus

    rows: list[dict[str, Any]] = []
    refused: list[str] = []
    for name in corpus_names():
        try:
            rows.append(row_of(load_corpus(name)))
        except CorpusError as error:
            refused.append(str(error))
    return {"corpora": rows, "refused": refused}


def corpora_table(document: dict[str, Any]) -> str:
    """The document for people."""
    from analysis.text_tables import text_table

    rows = [
        [
            row["name"],
            row["log"],
            f"{row['games']:,}",
            f"{row['pairs']:,}",
            row["hash"],
            ", ".join(f"{kind} {n:,}" for kind, n in row["players"].items()),
        ]
        for row in document["corpora"]
    ]
    head = ["corpus", "log", "games", "pairs", "hash", "pairs by player"]
    lines = text_table([head, *rows]) if rows else ["no corpus"]
    return "\n".join([*lines, *(f"refused: {reason}" for reason in document["refused"])])
