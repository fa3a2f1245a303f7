"""Logs as tables: the store, one log, what an import refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from spades.core.cards import N_CARDS, SEATS
from spades.core.derived import derive
from spades.core.logs import Log, repeated_rounds
from spades.core.records import KINDS
from spades.notation import Reading
from spades.notation.log_store import LogEntry

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_of(table: pd.DataFrame) -> str:
    """CSV in which no text of a record is taken for a formula."""
    safe = table.copy()
    for name in table.select_dtypes(exclude="number"):
        safe[name] = list(map(_harmless, safe[name]))
    return str(safe.rename(columns=_harmless).to_csv(index=False))


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def store_table(entries: Sequence[LogEntry]) -> pd.DataFrame:
    """One row a log of the store."""
    facts = [(e.name, e.n_rounds, _origin(e), round(e.size / 1e6, 2), e.modified) for e in entries]
    table = pd.DataFrame(facts, columns=["log", "rounds", "made by", "MB", "changed"])
    return table.assign(changed=pd.to_datetime(table["changed"], unit="s").dt.round("s"))


def _origin(entry: LogEntry) -> str:
    if entry.problem:
        return f"can't be opened: {entry.problem}"
    provenance = entry.provenance or {}
    return str(provenance.get("command") or provenance.get("imported") or "not recorded")


def log_summary(log: Log) -> pd.DataFrame:
    """What is in a log: (what, value) rows."""
    complete = int(np.count_nonzero(log.n_plays == N_CARDS))
    rows = [
        ("rounds", f"{len(log):,}"),
        ("complete rounds", f"{complete:,}"),
        ("rounds that repeat another", f"{int(repeated_rounds([log])[0].sum()):,}"),
        ("games", f"{len(np.unique(log.game_code)):,}"),
        ("plays", f"{int(log.n_plays.sum()):,}"),
        ("decks", ", ".join(sorted({rules.deck for rules in log.rules}))),
        *((f"{letter} played by", _players(log, seat)) for seat, letter in enumerate(SEATS)),
    ]
    return pd.DataFrame(rows, columns=["what", "value"])


def _players(log: Log, seat: int) -> str:
    """Kinds and agents of a seat, commonest first."""
    codes = np.stack([log.kind[:, seat], log.agent_code[:, seat]])
    (kinds, agents), counts = np.unique(codes, axis=1, return_counts=True)
    names = [f"{KINDS[k]} {log.agents[a]}".strip() for k, a in zip(kinds, agents, strict=True)]
    parts = [f"{names[i]} ({counts[i]:,})" for i in np.argsort(-counts)]
    return ", ".join(parts[:3]) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")


def refusal_table(reading: Reading) -> pd.DataFrame:
    """What was refused and remarked, by line."""
    rows = [("refused", item.line, item.reason) for item in reading.refused]
    rows += [("remark", note.line, note.text) for note in reading.notes]
    return pd.DataFrame(rows, columns=["what", "line", "reason"]).sort_values("line")


def round_table(log: Log) -> pd.DataFrame:
    """One row a round: its number in the log, game, bids by seat, their sum, tricks, points, nils.
    Points by partnership are missing where a round was cut short or its bids are unknown."""
    found = derive(log)
    texts = np.array([*(str(bid) for bid in range(14)), "–"], dtype=object)[log.bids]
    points = np.where(found.has_score[:, None], found.points.astype(float), np.nan)
    tricks = found.tricks_taken
    return pd.DataFrame(
        {
            "round": np.arange(len(log)),
            "game": np.array(log.games, dtype=object)[log.game_code],
            **dict(zip(SEATS, texts.T, strict=True)),
            "sum": np.where((log.bids >= 0).all(axis=1), log.bids.sum(axis=1), -1),
            "tricks N/S": tricks[:, 0] + tricks[:, 2],
            "tricks E/W": tricks[:, 1] + tricks[:, 3],
            "points N/S": points[:, 0],
            "points E/W": points[:, 1],
            "nil": _nil_texts(found.bid_nil, found.made_nil),
            "plays": log.n_plays,
        }
    )


def _nil_texts(bid: np.ndarray, made: np.ndarray) -> np.ndarray:
    """Who bid nil, and how it went: ``S made``, ``N failed W made``."""
    texts = np.full(len(bid), "", dtype=object)
    for i in np.flatnonzero(bid.any(axis=1)):
        seats = [s for s in range(len(SEATS)) if bid[i, s]]
        texts[i] = " ".join(f"{SEATS[s]} {'made' if made[i, s] else 'failed'}" for s in seats)
    return texts
