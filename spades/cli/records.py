"""The commands ``validate`` and ``convert``: files of records, read and rewritten."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis.runs.command import say
from spades.cli.answer import DONE, REFUSED, Answer
from spades.core.documents import Document
from spades.core.errors import InvalidRecordError
from spades.core.records import Record
from spades.notation import read_parts, write_path, written_notations
from spades.notation.reading import summarise

MAX_PLAYERS = 3  # named, of each seat


def add_validate(parser: argparse.ArgumentParser) -> None:
    """Read a file, replay every round through the rules, and print what it holds and what was
    refused, by line. Exit status 1 if anything was refused."""
    parser.add_argument("file", type=Path)


def run_validate(options: argparse.Namespace) -> Answer:
    summary = summarise(read_parts(options.file))
    status = REFUSED if summary["refused"] or not summary["rounds"] else DONE

    def table(summary: Document) -> str:
        return validation_table(options.file.name, summary)

    return Answer(summary, table, status)


def validation_table(file: str, summary: Document) -> str:
    """What ``validate`` prints of a file's summary."""
    lines = [f"{file}: {summary['rounds']} rounds read, {summary['complete']} complete"]
    for deck, count in summary["decks"].items():
        lines.append(f"  deck {deck}: {count}")
    for seat, players in summary["played_by"].items():
        if players:
            lines.append(f"  {seat}: {_players_text(players)}")
    for incomplete in summary["incomplete"]:
        lines.append(f"  round {incomplete['round']} lacks {incomplete['lacks']}")
    for refusal in summary["refused"]:
        lines.append(f"  refused, line {refusal['line']}: {refusal['reason']}")
    for note in summary["notes"]:
        lines.append(f"  note, line {note['line']}: {note['text']}")
    return "\n".join(lines)


def _players_text(players: Sequence[Document]) -> str:
    """Who played a seat, and how many rounds: by kind, and by agent where known."""
    texts = []
    for player in players[:MAX_PLAYERS]:
        text = player["kind"].replace("-", " ")
        if player["agent"]:
            text += f" ({player['agent']})"
        texts.append(f"{text} in {player['rounds']:,}")
    if len(players) > MAX_PLAYERS:
        texts.append(f"{len(players) - MAX_PLAYERS} more")
    return ", ".join(texts)


def add_convert(parser: argparse.ArgumentParser) -> None:
    """Convert between notations, which the file endings name."""
    endings = [ending for notation in written_notations() for ending in notation.endings]
    parser.epilog = f"{' '.join(endings)} can be written; files of other notations are read only."
    parser.add_argument("source", type=Path, metavar="IN")
    parser.add_argument("target", type=Path, metavar="OUT")


def run_convert(options: argparse.Namespace) -> Answer:
    refused: list[Document] = []
    n_rounds = write_path(_legal_rounds(options.source, refused), options.target)
    say(f"{n_rounds} rounds written to {options.target}")
    document = {
        "file": options.source.name,
        "written": str(options.target),
        "rounds": n_rounds,
        "refused": refused,
    }
    return Answer(document, status=REFUSED if refused else DONE)


def _legal_rounds(source: Path, refused: list[Document]) -> Iterator[Record]:
    """The rounds of a file; reports refused rounds and appends them to ``refused``."""
    n_read = 0
    for reading in read_parts(source):
        for refusal in reading.refused:
            say(f"{source.name}: {refusal}")
            refused.append({"line": refusal.line, "reason": refusal.reason})
        n_read += len(reading.records)
        yield from reading.records
    if not n_read:
        raise InvalidRecordError(f"{source.name}: no round to convert; nothing written")
