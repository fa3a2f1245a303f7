"""A study's data as one ZIP: every move, the answers, the rounds in every notation, a codebook.

``data/studies/codebook.csv`` declares the columns of all files; the tables are written by it.
"""

import io
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.logs.tables import csv_of
from spades.core.cards import N_SEATS, SEATS
from spades.core.records import RoundRecord
from spades.notation import NOTATIONS, write_path
from spades.tables.game import BID, CARD, STAND_IN, Game, Move
from spades.tables.studies import StudyStore, read_table, time_text

_TYPES = {"text": "string", "whole number": "Int64", "number": "Float64", "switch": "boolean"}
Row = dict[str, Any]


def export_study(store: StudyStore, owner: str) -> bytes:
    """The ZIP; ``StudyError`` for a token that isn't the owner's."""
    study, toml, _ = store.owned(owner)
    people, book = store.people(owner), codebook(store.study(study))
    records, plays, answers = list[RoundRecord](), list[Row](), list[Row]()
    for person in people:
        common = {"study": person.study["title"], "participant": person.name}
        given = {f"q_{name}": one for all in person.all("answers") for name, one in all.items()}
        answers.append(common | store.progress(person) | given)
        for number, game in enumerate(person.all("game"), 1):
            played, rows = _moves(store, game)
            records += [replace(one, game_id=f"{person.name}-{number}") for one in played]
            plays += [{**common, "game": number, **row} for row in rows]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, "plays", plays, book)
        _write(folder, "answers", answers, book)
        for notation in NOTATIONS.values():
            if notation.can_be_written:
                write_path(records, folder / f"rounds{notation.endings[0]}")
        (folder / "codebook.csv").write_text(csv_of(book), "utf-8")
        (folder / "study.toml").write_text(toml, "utf-8")
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.iterdir()):
                archive.write(path, path.name)
    return packed.getvalue()


def codebook(study: Mapping[str, Any]) -> pd.DataFrame:
    """A row a column of every file, those of the study's questions too."""
    rows = read_table("codebook")
    for one in study["before"] + study["after"]:
        kind, unit = "text", "; ".join(one["options"])
        if one["kind"] in ("number", "scale"):
            kind, unit = "whole number", f"{one['low']} to {one['high']}"
        rows.append({"file": "answers", "column": f"q_{one['name']}", "type": kind, "unit": unit})
        rows[-1]["meaning"] = " / ".join([one["ask"], *map(str, one["ends"])])
    return pd.DataFrame(rows)


def _write(folder: Path, name: str, rows: list[Row], book: pd.DataFrame) -> None:
    """Rows as CSV, JSON Lines and Parquet."""
    columns = book[book.file == name]
    types = dict(zip(columns.column, columns.type.map(_TYPES), strict=True))
    table = pd.DataFrame(rows, columns=list(types)).astype(types)
    table.to_parquet(folder / f"{name}.parquet", index=False)
    table.to_json(folder / f"{name}.jsonl", orient="records", lines=True, force_ascii=False)
    (folder / f"{name}.csv").write_text(csv_of(table), "utf-8")


def _moves(store: StudyStore, name: str) -> tuple[list[RoundRecord], list[Row]]:
    """The rounds of a game that are over, and a row a move."""
    game, rows = Game(store.tables.setup_of(name)), list[Row]()
    for move, made in zip(store.tables.moves_of(name), store.tables.times_of(name), strict=False):
        rows.append({"move": len(rows) + 1, "time": time_text(made), **_choice(game, move)})
        game.make(move)
    return game.records, rows


def _choice(game: Game, move: Move) -> Row:
    """Who makes a move, what it is, and what else is legal."""
    table, deck = game.round.table, game.setup.rules.cards
    is_card, is_bid = move.kind == CARD, move.kind == BID
    bids = " ".join(map(str, table.legal_bids(move.seat))) if is_bid else None
    return {
        "round": len(game.records) + (not table.is_over),
        "seat": SEATS[move.seat],
        "agent": game.setup.agents[move.seat] or STAND_IN * (move.seat in game.away),
        "kind": move.kind,
        "trick": len(table.plays) // N_SEATS + 1 if is_card else None,
        "bid": move.value if is_bid else None,
        "blind": move.blind,
        "card": deck.format_card(move.value) if is_card else None,
        "legal": deck.format_cards(game.round.legal_plays()) if is_card else bids,
        "think_ms": move.ms,
    }
