"""The command ``corpus``: corpora of play for corpus-seeded search, from any log."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Any

from analysis.text_tables import text_table
from cli.console import Answer, add_seed, finish, refused_rows, say
from spades.core.logs import Log
from spades.human.corpus import (
    CORPORA,
    Corpus,
    CorpusError,
    build_corpus,
    load_corpus,
    read_corpus,
    write_corpus,
)
from spades.human.features.logs import ALL_SEATS, HUMANS
from spades.human.files import ENDING
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


def run_corpus(options: argparse.Namespace) -> Answer:
    if options.data is None:
        return Answer(_corpora_document(), _corpora_table)
    path = Path(options.data)
    # A log by its file, or by its name in the store.
    log, refusals = read_log(path) if path.is_file() else (open_log(options.data), [])
    source, refused = path.name if path.is_file() else options.data, refused_rows(path, refusals)
    status = finish(refused)
    document = {"corpora": [_row_of(_built(log, source, options))], "refused": refused}
    return Answer(document, lambda made: _corpora_table({**made, "refused": []}), status)


def _built(log: Log, source: str, options: argparse.Namespace) -> Corpus:
    """Build, store and read again the corpus that the options describe."""
    name = CORPORA.safe_name(options.name or safe_name(source))
    choice = {key: getattr(options, key) for key in ("seats", "games", "pairs", "seed")}
    corpus = build_corpus(log, name, source=source, **choice)
    path = (options.out or CORPORA.folder()) / f"{name}{ENDING}"
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
    for name in CORPORA.names():
        try:
            rows.append(_row_of(load_corpus(name)))
        except CorpusError as error:
            refused.append(str(error))
    return {"corpora": rows, "refused": refused}


def _corpora_table(document: dict[str, Any]) -> str:
    rows = [["corpus", "log", "games", "pairs", "hash", "pairs by player"]]
    for row in document["corpora"]:
        players = ", ".join(f"{kind} {n:,}" for kind, n in row["players"].items())
        counts = f"{row['games']:,}", f"{row['pairs']:,}"
        rows.append([row["name"], row["log"], *counts, row["hash"], players])
    lines = text_table(rows) if document["corpora"] else ["no corpus"]
    return "\n".join([*lines, *(f"refused: {reason}" for reason in document["refused"])])
