"""Logs as tables: the store, one log, what an import refused."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from spades.core.cards import N_CARDS, SEATS
from spades.core.derived import derive
from spades.core.logs import Log, repeated_rounds
from spades.core.records import KINDS
from spades.core.rules import MAX_BID
from spades.notation import Reading
from spades.notation.log_store import LogEntry

_MAX_LISTED = 3
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_of(table: pd.DataFrame) -> str:
    """CSV in which no text of a record is taken for a formula."""
    safe = table.copy()
    for name in table.select_dtypes(exclude="number"):
        safe[name] = [_without_formula(value) for value in safe[name]]
    safe = safe.rename(columns=_without_formula)
    return str(safe.to_csv(index=False))


def _without_formula(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def store_table(entries: Sequence[LogEntry]) -> pd.DataFrame:
    """One row for each stored log."""
    rows = []
    for entry in entries:
        origin = _origin(entry)
        megabytes = round(entry.size / 1e6, 2)
        rows.append((entry.name, entry.n_rounds, origin, megabytes, entry.modified))
    table = pd.DataFrame(rows, columns=["log", "rounds", "made by", "MB", "changed"])
    changed = pd.to_datetime(table["changed"], unit="s")
    return table.assign(changed=changed.dt.round("s"))


def _origin(entry: LogEntry) -> str:
    """The command that made a log, or what it was read from."""
    if entry.problem:
        return f"can't be opened: {entry.problem}"
    provenance = entry.provenance or {}
    source = str(provenance.get("source", ""))
    if "command" in provenance:
        return str(provenance["command"])
    if "imported" in provenance:
        name = source or "a file"
        return f"import of {name} ({provenance['imported']})"
    return source or "not recorded"


def log_summary(log: Log) -> pd.DataFrame:
    """What is in a log: (what, value) rows."""
    (is_repeated,) = repeated_rounds([log])
    counts = {
        "rounds": len(log),
        "complete rounds": np.count_nonzero(log.n_plays == N_CARDS),
        "rounds that repeat another": np.count_nonzero(is_repeated),
        "games": len(np.unique(log.game_code)),
        "plays": int(log.n_plays.sum()),
    }
    decks = {rules.deck for rules in log.rules}
    texts = {what: f"{n:,}" for what, n in counts.items()}
    texts["decks"] = ", ".join(sorted(decks))
    for seat, letter in enumerate(SEATS):
        texts[f"{letter} played by"] = _players(log, seat)
    return pd.DataFrame(texts.items(), columns=["what", "value"])


def _players(log: Log, seat: int) -> str:
    """Kinds and agents of a seat, commonest first."""
    codes = np.stack([log.kind[:, seat], log.agent_code[:, seat]])
    (kinds, agents), counts = np.unique(codes, axis=1, return_counts=True)
    players = []
    for i in np.argsort(-counts):
        kind = KINDS[kinds[i]]
        agent = log.agents[agents[i]]
        players.append(f"{kind} {agent}".strip() + f" ({counts[i]:,})")
    listed = ", ".join(players[:_MAX_LISTED])
    if len(players) > _MAX_LISTED:
        listed += f" and {len(players) - _MAX_LISTED} more"
    return listed


def refusal_table(reading: Reading) -> pd.DataFrame:
    """What an import refused and noted, by line."""
    rows = [("refused", refusal.line, refusal.reason) for refusal in reading.refused]
    rows += [("remark", note.line, note.text) for note in reading.notes]
    table = pd.DataFrame(rows, columns=["what", "line", "reason"])
    return table.sort_values("line")


def round_table(log: Log) -> pd.DataFrame:
    """One row for each round: its number in the log, game, bids by seat, their sum, tricks, points,
    nils. Points by partnership are missing where a round was cut short or its bids are unknown."""
    derived = derive(log)
    bid_texts = np.array([*map(str, range(MAX_BID + 1)), "–"], dtype=object)  # NO_BID is -1
    bids = bid_texts[log.bids]
    points = np.where(derived.has_score[:, None], derived.points.astype(float), np.nan)
    tricks = derived.tricks_taken
    game_names = np.array(log.games, dtype=object)
    are_bids_known = (log.bids >= 0).all(axis=1)
    return pd.DataFrame(
        {
            "round": np.arange(len(log)),
            "game": game_names[log.game_code],
            **dict(zip(SEATS, bids.T, strict=True)),
            "sum": np.where(are_bids_known, log.bids.sum(axis=1), -1),
            "tricks N/S": tricks[:, 0] + tricks[:, 2],
            "tricks E/W": tricks[:, 1] + tricks[:, 3],
            "points N/S": points[:, 0],
            "points E/W": points[:, 1],
            "nil": _nil_texts(derived.bid_nil, derived.made_nil),
            "plays": log.n_plays,
        }
    )


def _nil_texts(bid: np.ndarray, made: np.ndarray) -> np.ndarray:
    """Nils of each round: ``S made``, ``N failed W made``."""
    texts = np.full(len(bid), "", dtype=object)
    for i in np.flatnonzero(bid.any(axis=1)):
        nils = []
        for seat in np.flatnonzero(bid[i]):
            result = "made" if made[i, seat] else "failed"
            nils.append(f"{SEATS[seat]} {result}")
        texts[i] = " ".join(nils)
    return texts
