"""Logs of rounds as arrays: one row a round, a column of arrays a field of the log schema.

What repeats from round to round (rules, games, players, agents, sources) is stored once and
pointed to by codes. Everything that can be derived (who played what, who won which trick, points)
is computed from the arrays by ``spades.core.derived`` and never stored.
"""

import dataclasses
import hashlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS, four
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import KINDS, Record
from spades.core.rules import Rules

NOT_PLAYED = -1
UNKNOWN_SCORE = np.iinfo(np.int32).min
UNKNOWN_BAGS = -1
NO_SEED = np.iinfo(np.int64).min
SEED_RANGE = (int(NO_SEED) + 1, int(np.iinfo(np.int64).max))
_AT_ONCE = 4_096  # rounds turned into records at a time


@dataclass(frozen=True, repr=False)
class Log:
    """n rounds, in order. Shapes and types:

    ``hands`` int64 (n, 4) masks by seat as dealt; ``plays`` int8 (n, 52) card codes in the order
    played, ``NOT_PLAYED`` after the last; ``bids`` int8 (n, 4), -1 unknown, 0 nil; ``blind`` bool
    (n, 4); ``dealer`` int8 (n,); ``round_index`` int32 (n,); ``score_before`` int32 (n, 2) or
    ``UNKNOWN_SCORE``; ``bags_before`` int32 (n, 2) or ``UNKNOWN_BAGS``; ``kind`` int8 (n, 4) into
    ``KINDS``; ``seed`` int64 (n,) or ``NO_SEED``. Codes int32 into the tables of the same name:
    ``rules_code`` (n,), ``game_code`` (n,), ``player_code`` (n, 4), ``agent_code`` (n, 4),
    ``source_code`` (n,)."""

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

    def record(self, i: int) -> Record:
        return next(self._records(slice(i, i + 1)))

    def records(self) -> Iterator[Record]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self._records(slice(start, start + _AT_ONCE))

    def _records(self, rows: slice) -> Iterator[Record]:
        columns: list[list[Any]] = []
        for name in ARRAYS + CODES:
            columns.append(getattr(self, name)[rows].tolist())
        for (
            hands, plays, bids, blind, dealer, round_index, score, bags, kinds, seed,
            rules, game, players, agents, source,
        ) in zip(*columns, strict=True):  # fmt: skip
            deck = self.rules[rules].cards
            yield Record(
                rules=self.rules[rules],
                dealer=dealer,
                hands=deck.hands(hands),
                bids=tuple(bids),
                blind=tuple(blind),
                plays=deck.cards(code for code in plays if code != NOT_PLAYED),
                game_id=self.games[game],
                round_index=round_index,
                score_before=None if score[0] == UNKNOWN_SCORE else tuple(score),
                bags_before=None if bags[0] == UNKNOWN_BAGS else tuple(bags),
                players=four(self.players[code] for code in players),
                kinds=four(KINDS[code] for code in kinds),
                agents=four(self.agents[code] for code in agents),
                seed=None if seed == NO_SEED else seed,
                source=self.sources[source],
            )

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Self:
        """The rounds of these rows; the tables stay whole."""
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in ARRAYS + CODES}
        return dataclasses.replace(self, **columns)

    def compact(self) -> Self:
        """The same rounds; the tables without the entries that no round points to."""
        columns: dict[str, Any] = {}
        for code, table in TABLES.items():
            codes = getattr(self, code)
            entries = getattr(self, table)
            used = np.flatnonzero(np.bincount(codes.ravel()))
            new_codes = np.zeros(len(entries), dtype=np.int32)
            new_codes[used] = np.arange(len(used))
            columns[code] = new_codes[codes]
            columns[table] = tuple(entries[i] for i in used)
        return dataclasses.replace(self, **columns)

    def distinct(self) -> Self:
        """The rounds without those that repeat an earlier one (``repeated_rounds``)."""
        (is_repeated,) = repeated_rounds([self])
        return self.take(~is_repeated) if is_repeated.any() else self

    def from_source(self, source: str) -> Self:
        """The same rounds; those that name no source name this one."""
        sources = tuple(own or source for own in self.sources)
        return dataclasses.replace(self, sources=sources)

    @classmethod
    def from_records(cls, records: Iterable[Record]) -> Self:
        """A log of records, which the caller has replayed."""
        rows = list(records)
        values: dict[str, list[Any]] = {
            "hands": [row.hands for row in rows],
            "plays": [_stored_plays(row) for row in rows],
            "bids": [row.bids for row in rows],
            "blind": [row.blind for row in rows],
            "dealer": [row.dealer for row in rows],
            "round_index": [row.round_index for row in rows],
            "score_before": [row.score_before or (UNKNOWN_SCORE,) * 2 for row in rows],
            "bags_before": [row.bags_before or (UNKNOWN_BAGS,) * 2 for row in rows],
            "kind": [[KINDS.index(kind) for kind in row.kinds] for row in rows],
            "seed": [_stored_seed(row.seed) for row in rows],
        }
        columns: dict[str, Any] = {}
        for name, (dtype, shape) in _TYPES.items():
            columns[name] = np.array(values[name], dtype).reshape(len(rows), *shape)
        for code, coded in _CODED.items():
            items: list[Any] = [getattr(row, coded.field) for row in rows]
            if coded.shape:
                items = list(chain.from_iterable(items))
            number_of: dict[Hashable, int] = {}
            codes = np.array(_numbered(items, number_of), np.int32)
            columns[code] = codes.reshape(len(rows), *coded.shape)
            columns[coded.table] = tuple(number_of)
        return cls(**columns)

    def __repr__(self) -> str:
        n_games = len(np.unique(self.game_code))
        return f"<Log of {len(self):,} rounds of {n_games:,} games, {self.n_plays.sum():,} plays>"


Shape = tuple[int, ...]


class _Coded(NamedTuple):
    """A column of codes: its table, the field of a record that it is made of, and the shape of a
    round's entries."""

    table: str
    field: str
    shape: Shape = ()


_TYPES: dict[str, tuple[Any, Shape]] = {  # of a round's values
    "hands": (np.int64, (N_SEATS,)),
    "plays": (np.int8, (N_CARDS,)),
    "bids": (np.int8, (N_SEATS,)),
    "blind": (np.bool_, (N_SEATS,)),
    "dealer": (np.int8, ()),
    "round_index": (np.int32, ()),
    "score_before": (np.int32, (2,)),
    "bags_before": (np.int32, (2,)),
    "kind": (np.int8, (N_SEATS,)),
    "seed": (np.int64, ()),
}
_CODED = {
    "rules_code": _Coded("rules", "rules"),
    "game_code": _Coded("games", "game_id"),
    "player_code": _Coded("players", "players", (N_SEATS,)),
    "agent_code": _Coded("agents", "agents", (N_SEATS,)),
    "source_code": _Coded("sources", "source"),
}
ARRAYS = list(_TYPES)
CODES = list(_CODED)
TABLES = {code: coded.table for code, coded in _CODED.items()}
_NOT_COMPARED = ("round_index", "seed")
_COMPARED_CODES = ("rules_code", "player_code", "agent_code")


def concatenate(logs: Sequence[Log]) -> Log:
    """Several logs as one, in order; equal entries of their tables become one."""
    if not logs:
        return Log.from_records([])
    columns: dict[str, Any] = {}
    for name in ARRAYS:
        columns[name] = np.concatenate([getattr(log, name) for log in logs])
    for code, table in TABLES.items():
        number_of: dict[Hashable, int] = {}
        columns[code] = np.concatenate([_recoded(log, code, number_of) for log in logs])
        columns[table] = tuple(number_of)
    return Log(**columns)


def repeated_rounds(logs: Sequence[Log]) -> list[NDArray[np.bool_]]:
    """Which rounds repeat one before them, in the same log or an earlier one; (n,) of each log.

    The same deal, bids and cards under the same rules, at the same score, by the same players: a
    game that was imported twice. Names of games and sources may differ. Deals without bids and
    plays repeat nothing."""
    known = KnownRounds()
    return [known.repeated(log) for log in logs]


class KnownRounds:
    """The rounds that came before, some 100 bytes each, to find those that repeat one of them."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()
        self._numbers: dict[str, dict[Hashable, int]] = {code: {} for code in _COMPARED_CODES}

    def repeated(self, log: Log) -> NDArray[np.bool_]:
        """Which rounds of a log repeat one before them, as ``repeated_rounds`` has it, (n,)."""
        is_repeated = np.zeros(len(log), dtype=np.bool_)
        for i, row in enumerate(_compared_bytes(log, self._numbers)):
            digest = hashlib.blake2b(row.tobytes(), digest_size=16).digest()
            is_repeated[i] = digest in self._digests
            self._digests.add(digest)
        is_empty = (log.n_plays == 0) & (log.bids < 0).all(axis=1)
        return is_repeated & ~is_empty


class KnownGames:
    """The games of earlier parts of a log that is read in parts, to find one that comes again."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()

    def add(self, log: Log, name: str) -> None:
        """Add the games of a part. ``InvalidRecordError``, which calls the log by its ``name``, for
        one that an earlier part had; rounds without a game are of none."""
        for game in log.compact().games:
            key = hash(game)
            if game and key in self._hashes:
                raise InvalidRecordError(
                    f"{name}: rounds of the game {shown(game)} are apart; those of a game follow "
                    "one another, and in one file, in a log that is read in parts"
                )
            self._hashes.add(key)


def _compared_bytes(log: Log, numbers: dict[str, dict[Hashable, int]]) -> NDArray[np.uint8]:
    """A row of bytes a round: all that two equal rounds share. ``numbers``: by column of codes
    those of its table's entries, the same in all logs."""
    columns = [getattr(log, name) for name in ARRAYS if name not in _NOT_COMPARED]
    columns += [_recoded(log, code, number_of) for code, number_of in numbers.items()]
    parts = []
    for column in columns:
        n_values = int(np.prod(column.shape[1:]))
        flat = np.ascontiguousarray(column).reshape(len(log), n_values)
        parts.append(flat.view(np.uint8))
    return np.concatenate(parts, axis=1)


def _recoded(log: Log, code: str, number_of: dict[Hashable, int]) -> NDArray[np.int32]:
    """A column of codes with the numbers of ``number_of`` as codes; new entries are added."""
    entries = getattr(log, TABLES[code])
    new_codes = np.array(_numbered(entries, number_of), dtype=np.int32)
    return new_codes[getattr(log, code)]


def _numbered(items: Iterable[Hashable], number_of: dict[Hashable, int]) -> list[int]:
    """The number of each item; a new one is added to ``number_of`` with the next number."""
    return [number_of.setdefault(item, len(number_of)) for item in items]


def _stored_plays(record: Record) -> list[int]:
    n_missing = N_CARDS - len(record.plays)
    return [card.code for card in record.plays] + [NOT_PLAYED] * n_missing


def _stored_seed(seed: int | None) -> int:
    if seed is None:
        return int(NO_SEED)
    least, most = SEED_RANGE
    if not least <= seed <= most:
        raise InvalidRecordError(f"seed {seed} doesn't fit 64 bits, so no log can hold it")
    return seed
