"""A study's data as one ZIP: every move, the answers, the rounds in every notation, a codebook.

``data/studies/codebook.csv`` declares the columns of all files.
"""

import io
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.logs.tables import csv_of
from spades.core.cards import N_SEATS, SEATS
from spades.core.documents import Document
from spades.core.records import Record
from spades.notation import NOTATIONS, write_path
from spades.tables.game import BID, CARD, STAND_IN, Game, Move
from spades.tables.studies import StudyStore, read_table, time_text

_TYPES = {"text": "string", "whole number": "Int64", "number": "Float64", "switch": "boolean"}


def export_study(store: StudyStore, owner: str) -> bytes:
    """The ZIP. Raises ``StudyError`` for a token that isn't the owner's."""
    study, toml, _ = store.owned(owner)
    book = codebook(store.study(study))
    records: list[Record] = []
    plays: list[Document] = []
    answers: list[Document] = []
    for person in store.people(owner):
        names = {"study": person.study["title"], "participant": person.name}
        own_answers = _answers(person.all("answers"))
        answers.append(names | store.progress(person) | own_answers)
        for number, game in enumerate(person.all("game"), 1):
            game_records, moves = _moves(store, game)
            game_id = f"{person.name}-{number}"
            records += [replace(record, game_id=game_id) for record in game_records]
            plays += [{**names, "game": number, **move} for move in moves]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, "plays", plays, book)
        _write(folder, "answers", answers, book)
        for notation in NOTATIONS.values():
            if notation.can_be_written:
                write_path(records, folder / f"rounds{notation.endings[0]}")
        (folder / "codebook.csv").write_text(csv_of(book), "utf-8")
        (folder / "study.toml").write_text(toml, "utf-8")
        return _zipped(folder)


def _answers(sheets: Iterable[Document]) -> Document:
    """A participant's answers, by column."""
    return {f"q_{name}": answer for sheet in sheets for name, answer in sheet.items()}


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, path.name)
    return content.getvalue()


def codebook(study: Document) -> pd.DataFrame:
    """A row for each column of every file, including those of the study's questions."""
    rows = read_table("codebook")
    for question in study["before"] + study["after"]:
        if question["kind"] in ("number", "scale"):
            column_type = "whole number"
            unit = f"{question['low']} to {question['high']}"
        else:
            column_type = "text"
            unit = "; ".join(question["options"])
        row = {
            "file": "answers",
            "column": f"q_{question['name']}",
            "type": column_type,
            "unit": unit,
            "meaning": " / ".join([question["ask"], *map(str, question["ends"])]),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _write(folder: Path, name: str, rows: list[Document], book: pd.DataFrame) -> None:
    """Rows as CSV, JSON Lines and Parquet."""
    columns = book[book.file == name]
    dtypes = columns.type.map(_TYPES)
    types = dict(zip(columns.column, dtypes, strict=True))
    table = pd.DataFrame(rows, columns=list(types)).astype(types)
    table.to_parquet(folder / f"{name}.parquet", index=False)
    table.to_json(folder / f"{name}.jsonl", orient="records", lines=True, force_ascii=False)
    (folder / f"{name}.csv").write_text(csv_of(table), "utf-8")


def _moves(store: StudyStore, name: str) -> tuple[list[Record], list[Document]]:
    """The finished rounds of a game, and a row for each move."""
    game = Game(store.tables.setup_of(name))
    moves = store.tables.moves_of(name)
    times = store.tables.times_of(name)
    rows: list[Document] = []
    timed_moves = zip(moves, times, strict=False)
    for number, (move, time) in enumerate(timed_moves, 1):
        rows.append({"move": number, "time": time_text(time), **_choice(game, move)})
        game.make(move)
    return game.records, rows


def _choice(game: Game, move: Move) -> Document:
    """The seat and agent that make a move, the move, and the legal ones."""
    table = game.round.table
    deck = game.setup.rules.cards
    agent = game.setup.agents[move.seat] or ""
    if not agent and move.seat in game.away:
        agent = STAND_IN
    n_finished = len(game.records)
    row: Document = {
        "round": n_finished if table.is_over else n_finished + 1,
        "seat": SEATS[move.seat],
        "agent": agent,
        "kind": move.kind,
        "trick": None,
        "bid": None,
        "blind": move.blind,
        "card": None,
        "legal": None,
        "think_ms": move.ms,
    }
    if move.kind == CARD:
        row["trick"] = len(table.plays) // N_SEATS + 1
        row["card"] = deck.format_card(move.value)
        row["legal"] = deck.format_cards(game.round.legal_plays())
    if move.kind == BID:
        row["bid"] = move.value
        row["legal"] = " ".join(str(bid) for bid in table.legal_bids(move.seat))
    return row
