"""Stored results as one file, to be shipped: what takes hours goes on from them on any machine.

JSON lines compressed by xz, sorted: ``{"kind": ..., "question": ..., "answer": ...}`` each.
"""

import json
import lzma
from collections.abc import Iterable
from pathlib import Path

from analysis.runs.store import Question, ResultStore, canonical
from spades.core.errors import SpadesError
from spades.core.paths import replacing, stored_table


def pack(places: Iterable[tuple[str, Question]], store: ResultStore, path: Path) -> int:
    """Write those of the answers, (kind, question), that are stored: how many."""
    lines = set()
    for kind, question in places:
        answer = store.get(kind, question)
        if answer is not None:
            lines.add(canonical({"kind": kind, "question": question, "answer": answer}))
    with replacing(path) as temporary:
        text = "".join(f"{line}\n" for line in sorted(lines))
        temporary.write_bytes(lzma.compress(text.encode()))
    return len(lines)


def unpack(path: Path, store: ResultStore, command: str) -> None:
    """Put the answers of a file into the store, those that it lacks. ``SpadesError``: the file
    can't be read; ``command`` makes it anew."""
    with stored_table(path, command, SpadesError):
        try:
            text = lzma.decompress(path.read_bytes())
        except lzma.LZMAError as why:
            raise ValueError(str(why)) from None
        lines = map(json.loads, text.splitlines())
        answers = [(one["kind"], one["question"], one["answer"]) for one in lines]
    store.put_all(answers)
