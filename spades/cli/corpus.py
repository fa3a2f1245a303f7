"""The command ``corpus``: make a corpus of a log, or list those that there are."""

import argparse
import shlex
from pathlib import Path
from typing import Any

from analysis.runs.command import say
from analysis.text_tables import text_table
from spades.cli.answer import Answer, refused_rows, report_refused
from spades.cli.arguments import add_number, add_seats, add_seed
from spades.core.documents import Document
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
from spades.human.files import ENDING
from spades.notation import read_log
from spades.notation.log_store import safe_name


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Make a corpus of a log's unforced plays: feature vectors of the states and of the actions
    taken (Dobre and Lascarides 2015), computed once and stored. Agents find one in data/corpora by
    its name: flat-ucb:seed=corpus,corpus=NAME. Without --data: list the corpora."""
    parser.add_argument("--data", metavar="LOG", help="a file, or the name of a stored log")
    parser.add_argument("--name", metavar="NAME", help="of the corpus; the log's by default")
    add_number(parser, "--games", "only the log's first N games")
    add_number(parser, "--pairs", "only N plays, drawn at random")
    add_seats(parser)
    add_seed(parser)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="data/corpora by default")


def run_corpus(options: argparse.Namespace) -> Answer:
    if options.data is None:
        return Answer(_list_document(), _corpora_table)
    path = Path(options.data)
    log, refusals = read_log(path)
    refused = refused_rows(path, refusals)
    status = report_refused(refused)
    corpus = _build(log, path.name, options)
    return Answer({"corpora": [_row_of(corpus)], "refused": refused}, _made_table, status)


def _build(log: Log, source: str, options: argparse.Namespace) -> Corpus:
    """Make the corpus and write it; returns it as read from its file."""
    name = CORPORA.safe_name(options.name or safe_name(source))
    choice = {
        "seats": options.seats,
        "games": options.games,
        "pairs": options.pairs,
        "seed": options.seed,
    }
    corpus = build_corpus(log.distinct(), name, source=source, **choice)
    path = (options.out or CORPORA.folder()) / f"{name}{ENDING}"
    write_corpus(path, corpus, command=command_of(name, source, choice))
    say(f"{len(corpus):,} pairs written to {path}")
    return read_corpus(path)


def command_of(name: str, source: str, choice: dict[str, Any]) -> str:
    """The command that makes a corpus, as its file stores it."""
    words = [f"--{key} {value}" for key, value in choice.items() if value is not None]
    data = shlex.quote(source)
    return f"python -m spades corpus --data {data} --name {name} {' '.join(words)}"


def _row_of(corpus: Corpus) -> Document:
    return {"name": corpus.name, **corpus.facts, "hash": corpus.hash}


def _list_document() -> Document:
    """Every corpus of the folder; ``refused``: why files of it can't be read."""
    rows: list[Document] = []
    refused: list[str] = []
    for name in CORPORA.names():
        try:
            rows.append(_row_of(load_corpus(name)))
        except CorpusError as error:
            refused.append(str(error))
    return {"corpora": rows, "refused": refused}


def _corpora_table(document: Document) -> str:
    lines = [_made_table(document) if document["corpora"] else "no corpus"]
    lines += [f"refused: {reason}" for reason in document["refused"]]
    return "\n".join(lines)


def _made_table(document: Document) -> str:
    rows = [["corpus", "log", "games", "pairs", "hash", "pairs by player"]]
    for corpus in document["corpora"]:
        games = f"{corpus['games']:,}"
        pairs = f"{corpus['pairs']:,}"
        players = ", ".join(f"{kind} {n:,}" for kind, n in corpus["players"].items())
        rows.append([corpus["name"], corpus["log"], games, pairs, corpus["hash"], players])
    return "\n".join(text_table(rows))
