"""The command ``corpus``: corpora of play for corpus-seeded search, from any log."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.text_tables import text_table
from cli.console import DONE, add_json, add_seed, finish, refused_rows, say, show_document
from spades.core.errors import Refusal
from spades.core.logs import Log
from spades.human.corpus import (
    ENDING,
    Corpus,
    CorpusError,
    build_corpus,
    corpora_folder,
    corpus_names,
    load_corpus,
    read_corpus,
    safe_corpus_name,
    write_corpus,
)
from spades.human.features.logs import ALL_SEATS, HUMANS
from spades.notation import read_log
from spades.notation.log_store import open_log, safe_name


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Make a corpus of a log's unforced plays: feature vectors of the states and of the actions
    taken (Dobre and Lascarides 2015), computed once and stored. Agents know one that lies in
    data/corpora by its name: flat-ucb:seed=corpus,corpus=NAME. Without --data: list the corpora
    that there are.
    """
    parser.add_argument("--data", metavar="LOG", help="a file, or a log's name in the store")
    parser.add_argument("--name", metavar="NAME", help="of the corpus; by default like the log")
    parser.add_argument("--games", type=int, metavar="N", help="the log's first N games, else all")
    parser.add_argument("--pairs", type=int, metavar="N", help="N plays, drawn at random, else all")
    parser.add_argument("--seats", choices=(HUMANS, ALL_SEATS), default=HUMANS)
    add_seed(parser)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="data/corpora by default")
    add_json(parser)
    parser.set_defaults(command=_corpus)


def _corpus(options: argparse.Namespace) -> int:
    if options.data is None:
        show_document(options, _corpora_document(), _corpora_table)
        return DONE
    log, source, refusals = _log_of(options.data)
    refused = refused_rows(Path(options.data), refusals)
    status = finish(refused)
    document = {"corpora": [_row_of(_built(log, source, options))], "refused": refused}
    show_document(options, document, lambda made: _corpora_table({**made, "refused": []}))
    return status


def _log_of(data: str) -> tuple[Log, str, Sequence[Refusal]]:
    """A log by its file or its name in the store, what to call it, and what was refused."""
    if Path(data).is_file():
        log, refusals = read_log(Path(data))
        return log, Path(data).name, refusals
    return open_log(data), data, []


def _built(log: Log, source: str, options: argparse.Namespace) -> Corpus:
    """Build, store and read again the corpus that the options describe."""
    name = safe_corpus_name(options.name or safe_name(source))
    choice = {key: getattr(options, key) for key in ("seats", "games", "pairs", "seed")}
    corpus = build_corpus(log, name, source=source, **choice)
    path = (options.out or corpora_folder()) / f"{name}{ENDING}"
    write_corpus(path, corpus, command=command_of(name, source, choice))
    say(f"{len(corpus):,} pairs written to {path}")
    return read_corpus(path)


def command_of(name: str, source: str, choice: dict[str, Any]) -> str:
    """The command that makes this corpus."""
    words = " ".join(f"--{key} {value}" for key, value in choice.items() if value is not None)
    return f"python -m spades corpus --data {shlex.quote(source)} --name {name} {words}"


def _row_of(corpus: Corpus) -> dict[str, Any]:
    return {"name": corpus.name, **corpus.facts, "hash": corpus.hash}


def _corpora_document() -> dict[str, Any]:
    """What ``corpus --json`` prints: every corpus of the folder, and files that can't be read."""
    rows: list[dict[str, Any]] = []
    refused: list[str] = []
    for name in corpus_names():
        try:
            rows.append(_row_of(load_corpus(name)))
        except CorpusError as error:
            refused.append(str(error))
    return {"corpora": rows, "refused": refused}


def _corpora_table(document: dict[str, Any]) -> str:
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
