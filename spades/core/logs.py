"""Logs of rounds as arrays: one row a round, a column of arrays a field of the log schema.

What repeats from round to round (rules, games, players, agents, sources) is stored once and
pointed to by codes. Everything that can be derived (who played what, who won which trick, points)
is computed from the arrays by ``spades.core.derived`` and never stored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.errors import InvalidRecordError
from spades.core.records import KINDS, RoundRecord
from spades.core.rules import Rules

NOT_PLAYED = -1
UNKNOWN_SCORE = np.iinfo(np.int32).min
UNKNOWN_BAGS = -1
NO_SEED = np.iinfo(np.int64).min
SEED_RANGE = (int(NO_SEED) + 1, int(np.iinfo(np.int64).max))
_AT_ONCE = 4_096  # rounds turned into records at a time

_Item = TypeVar("_Item", bound=Hashable)


@dataclass(frozen=True)
class Log:
    """n rounds, in order. Shapes and types:

    ``hands`` int64 (n, 4) masks by seat as dealt; ``plays`` int8 (n, 52) card codes in the order
    played, ``NOT_PLAYED`` after the last; ``bids`` int8 (n, 4), -1 unknown, 0 nil; ``blind`` bool
    (n, 4); ``dealer`` int8 (n,); ``round_index`` int32 (n,); ``score_before`` int32 (n, 2) or
    ``UNKNOWN_SCORE``; ``bags_before`` int32 (n, 2) or ``UNKNOWN_BAGS``; ``kind`` int8 (n, 4) into
    ``KINDS``; ``seed`` int64 (n,) or ``NO_SEED``. Codes int32 into the tables of the same name:
    ``rules_code`` (n,), ``game_code`` (n,), ``player_code`` (n, 4), ``agent_code`` (n, 4),
    ``source_code`` (n,).
    """

    hands: NDArray[np.int64]
    plays: NDArray[np.int8]
    bids: NDArray[np.int8]
    blind: NDArray[np.bool_]
    dealer: NDArray[np.int8]
    round_index: NDArray[np.int32]
    score_before: NDArray[np.int32]
    bags_before: NDArray[np.int32]
    kind: NDArray[np.int8]
    seed: NDArray[np.int64]
    rules_code: NDArray[np.int32]
    game_code: NDArray[np.int32]
    player_code: NDArray[np.int32]
    agent_code: NDArray[np.int32]
    source_code: NDArray[np.int32]
    rules: tuple[Rules, ...]
    games: tuple[str, ...]
    players: tuple[str, ...]
    agents: tuple[str, ...]
    sources: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.hands)

    @property
    def n_plays(self) -> NDArray[np.int64]:
        """Cards played in each round, shape (n,)."""
        return np.count_nonzero(self.plays != NOT_PLAYED, axis=1)

    @property
    def leaders(self) -> NDArray[np.int8]:
        """Seat that leads first, shape (n,)."""
        return ((self.dealer + 1) % N_SEATS).astype(np.int8)

    def record(self, i: int) -> RoundRecord:
        """Round ``i`` as a record."""
        return next(self._records(slice(i, i + 1)))

    def records(self) -> Iterator[RoundRecord]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self._records(slice(start, start + _AT_ONCE))

    def _records(self, rows: slice) -> Iterator[RoundRecord]:
        columns = {name: getattr(self, name)[rows].tolist() for name in ARRAYS + CODES}
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values, strict=True))
            yield RoundRecord(
                rules=self.rules[row["rules_code"]],
                dealer=row["dealer"],
                hands=_four(row["hands"]),
                bids=_four(row["bids"]),
                blind=_four(row["blind"]),
                plays=_played(row["plays"]),
                game_id=self.games[row["game_code"]],
                round_index=row["round_index"],
                score_before=_pair(row["score_before"], UNKNOWN_SCORE),
                bags_before=_pair(row["bags_before"], UNKNOWN_BAGS),
                players=_four(self.players[code] for code in row["player_code"]),
                kinds=_four(KINDS[code] for code in row["kind"]),
                agents=_four(self.agents[code] for code in row["agent_code"]),
                seed=None if row["seed"] == NO_SEED else row["seed"],
                source=self.sources[row["source_code"]],
            )

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Log:
        """The rounds of these rows; the tables stay whole."""
        return dataclasses.replace(
            self, **{name: getattr(self, name)[rows] for name in ARRAYS + CODES}
        )

    def compact(self) -> Log:
        """The same rounds; the tables without the entries that no round points to."""
        columns: dict[str, object] = {}
        for code, table in TABLES.items():
            codes, items = getattr(self, code), getattr(self, table)
            used = np.flatnonzero(np.bincount(codes.ravel(), minlength=len(items)))
            moved = np.zeros(len(items), dtype=np.int32)
            moved[used] = np.arange(len(used), dtype=np.int32)
            columns[code], columns[table] = moved[codes], tuple(items[i] for i in used)
        return dataclasses.replace(self, **columns)  # type: ignore[arg-type]

    def from_source(self, source: str) -> Log:
        """The same rounds; those that name no source name this one."""
        return dataclasses.replace(self, sources=tuple(own or source for own in self.sources))

    @classmethod
    def from_records(cls, records: Iterable[RoundRecord]) -> Log:
        """A log of records, which the caller has replayed."""
        return _log_of(list(records))


TABLES = {
    "rules_code": "rules",
    "game_code": "games",
    "player_code": "players",
    "agent_code": "agents",
    "source_code": "sources",
}
CODES = list(TABLES)
ARRAYS = [
    column.name
    for column in dataclasses.fields(Log)
    if column.name not in (*TABLES, *TABLES.values())
]


def concatenate(logs: Sequence[Log]) -> Log:
    """Several logs as one, in order; equal entries of their tables become one."""
    if not logs:
        return Log.from_records([])
    columns: dict[str, object] = {
        name: np.concatenate([getattr(log, name) for log in logs]) for name in ARRAYS
    }
    for code, table in TABLES.items():
        book: dict[Hashable, int] = {}
        parts = []
        for log in logs:
            moved = [book.setdefault(item, len(book)) for item in getattr(log, table)]
            parts.append(np.array(moved, dtype=np.int32)[getattr(log, code)])
        columns[code], columns[table] = np.concatenate(parts), tuple(book)
    return Log(**columns)  # type: ignore[arg-type]


def _log_of(records: list[RoundRecord]) -> Log:
    n = len(records)
    plays = np.full((n, N_CARDS), NOT_PLAYED, dtype=np.int8)
    for i, record in enumerate(records):
        plays[i, : len(record.plays)] = record.plays
    rules_code, rules = _coded([record.rules for record in records])
    game_code, games = _coded([record.game_id for record in records])
    source_code, sources = _coded([record.source for record in records])
    player_code, players = _coded([name for record in records for name in record.players])
    agent_code, agents = _coded([name for record in records for name in record.agents])
    kinds = [KINDS.index(kind) for record in records for kind in record.kinds]
    return Log(
        hands=_column([record.hands for record in records], np.int64, N_SEATS),
        plays=plays,
        bids=_column([record.bids for record in records], np.int8, N_SEATS),
        blind=_column([record.blind for record in records], np.bool_, N_SEATS),
        dealer=np.array([record.dealer for record in records], dtype=np.int8),
        round_index=np.array([record.round_index for record in records], dtype=np.int32),
        score_before=_column(
            [record.score_before or (UNKNOWN_SCORE,) * 2 for record in records], np.int32, 2
        ),
        bags_before=_column(
            [record.bags_before or (UNKNOWN_BAGS,) * 2 for record in records], np.int32, 2
        ),
        kind=np.array(kinds, dtype=np.int8).reshape(n, N_SEATS),
        seed=np.array([_stored_seed(record.seed) for record in records], dtype=np.int64),
        rules_code=rules_code,
        game_code=game_code,
        player_code=player_code.reshape(n, N_SEATS),
        agent_code=agent_code.reshape(n, N_SEATS),
        source_code=source_code,
        rules=rules,
        games=games,
        players=players,
        agents=agents,
        sources=sources,
    )


def _stored_seed(seed: int | None) -> int:
    if seed is None:
        return int(NO_SEED)
    if not SEED_RANGE[0] <= seed <= SEED_RANGE[1]:
        raise InvalidRecordError(f"seed {seed} doesn't fit 64 bits, so no log can hold it")
    return seed


def _coded(items: Sequence[_Item]) -> tuple[NDArray[np.int32], tuple[_Item, ...]]:
    """Codes of items and the table they point into, in order of first appearance."""
    table: dict[_Item, int] = {}
    codes = [table.setdefault(item, len(table)) for item in items]
    return np.array(codes, dtype=np.int32), tuple(table)


def _column(rows: list, kind: type, width: int) -> NDArray:
    return np.array(rows, dtype=kind).reshape(len(rows), width)


def _four(items: Iterable) -> tuple:
    found = tuple(items)
    assert len(found) == N_SEATS
    return found


def _played(plays: list[int]) -> tuple[int, ...]:
    if plays[-1] != NOT_PLAYED:
        return tuple(plays)
    return tuple(card for card in plays if card != NOT_PLAYED)


def _pair(values: Sequence[int], unknown: int) -> tuple[int, int] | None:
    return None if values[0] == unknown else (values[0], values[1])
