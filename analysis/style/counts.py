"""Counting abstract moves by game and by context: groups, filters, and what passes them.

A log is classified once (``classify``, half a second for 104,314 rounds); every change of group
or filter then counts in one compiled pass over those arrays. The unit of all uncertainty is the
**game**: the rounds of one ``game_id``; a round without one is a game of its own. Forced plays
count, as in the papers; ``PlayFilter`` can leave them out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SEATS
from spades.core.errors import SpadesError
from spades.core.kernel import kernel
from spades.core.logs import Log, repeated_rounds
from spades.core.records import BOT, HUMAN, KINDS, SIMULATED_HUMAN
from spades.human.features.abstract_moves import MOVE_32_OF_68, MOVES_68, N_MOVES, N_SUIT_MOVES
from spades.human.features.logs import FIELDS, LEGAL, MOVE, SEAT, Contexts, contexts_of_log

CONTEXT_LABELS: dict[str, tuple[str, ...]] = {
    "nil": ("none", "own", "partner's", "an opponent's", "unknown"),
    "bags": ("far", "near", "unknown"),
    "partner": ("no", "yes"),
    "turn": ("leads", "second", "third", "last"),
    "score": ("behind", "level", "ahead", "unknown"),
    "contract": ("not met", "met", "unknown"),
    "trick": tuple(str(trick + 1) for trick in range(HAND_SIZE)),
}
CONTEXT_TITLES = {
    "nil": "Nil alive",
    "bags": "Bags to the limit",
    "partner": "Partner winning",
    "turn": "Place in the trick",
    "score": "Score",
    "contract": "Own contract",
    "trick": "Trick",
}
SEAT_GROUPINGS = ("kind", "agent", "player", "log")
GROUPINGS = SEAT_GROUPINGS + tuple(name for name in CONTEXT_LABELS if name != "trick")
KIND_LABELS = {HUMAN: "Humans", SIMULATED_HUMAN: "Simulated humans", BOT: "Bots"}
ALL_TRICKS = (0, HAND_SIZE - 1)
MAX_PLAYS = 50
PLAY_COLUMNS = ["group", "log", "round", "ply", "trick", "seat", "kind", "player", "card", "move"]


@dataclass(frozen=True)
class PlayFilter:
    """Which plays count; an empty tuple lets every value pass.

    ``nil``, ``bags``, ``partner``, ``turn``, ``score``, ``contract`` hold indices into
    ``CONTEXT_LABELS``; ``tricks`` the first and last trick, from 0; ``bids`` the lowest and highest
    own bid, None for any, unknown ones among them."""

    nil: tuple[int, ...] = ()
    bags: tuple[int, ...] = ()
    partner: tuple[int, ...] = ()
    turn: tuple[int, ...] = ()
    score: tuple[int, ...] = ()
    contract: tuple[int, ...] = ()
    tricks: tuple[int, int] = ALL_TRICKS
    bids: tuple[int, int] | None = None
    forced: bool = True


@dataclass(frozen=True)
class Group:
    """Plays to compare: of seats of a kind, agent, player or log, or in one context. ``value`` is
    the kind, the agent's text, the player's name, the log's name, or the context's label. ``label``
    is what tables and charts call it."""

    by: str
    value: str
    label: str


@dataclass(frozen=True)
class Plays:
    """A log with every play classified; ``units`` (n,) is the game of each round, from 0;
    ``repeated`` (n,) whether it is counted already."""

    name: str
    log: Log
    contexts: Contexts
    units: NDArray[np.int32]
    n_units: int
    repeated: NDArray[np.bool_]


def classify(log: Log, name: str = "") -> Plays:
    """Moves, contexts and games of a log, once."""
    units, n_units = units_of(log)
    (repeated,) = repeated_rounds([log])
    return Plays(name, log, contexts_of_log(log), units, n_units, repeated)


def pool(data: Sequence[Plays]) -> list[Plays]:
    """Logs to be counted together: a round that several of them have counts in the first."""
    if len(data) < 2:
        return list(data)
    by_log = repeated_rounds([plays.log for plays in data])
    return [replace(plays, repeated=repeated) for plays, repeated in zip(data, by_log, strict=True)]


def units_of(log: Log) -> tuple[NDArray[np.int32], int]:
    """The game of each round, numbered from 0; rounds of no named game stand alone."""
    nameless = np.array([game == "" for game in log.games], dtype=bool)
    keys = log.game_code.astype(np.int64)
    if nameless.any():
        alone = nameless[log.game_code]
        keys[alone] = len(log.games) + np.flatnonzero(alone)
    different, units = np.unique(keys, return_inverse=True)
    return units.astype(np.int32), len(different)


def groups_of(data: Sequence[Plays], by: str) -> list[Group]:
    """The groups these logs have, players and agents by plays; simulated humans say so."""
    if by not in GROUPINGS:
        raise SpadesError(f"no grouping {by!r}; {', '.join(GROUPINGS)} are there")
    if by == "log":
        return [Group(by, plays.name, _log_label(plays)) for plays in data]
    if by in CONTEXT_LABELS:
        title = CONTEXT_TITLES[by]
        return [Group(by, label, f"{title}: {label}") for label in CONTEXT_LABELS[by]]
    seats = _seats_by_name(data, by)
    names = list(seats)
    if by == "kind":
        names.sort(key=list(KIND_LABELS).index)
    else:
        names.sort(key=lambda name: -int(seats[name].sum()))
    return [Group(by, name, _label(by, name, seats[name])) for name in names]


def _seats_by_name(data: Sequence[Plays], by: str) -> dict[str, NDArray[np.int64]]:
    """How many seats of rounds each kind, agent or player had, by ``KINDS``; only those with
    any."""
    seats: dict[str, NDArray[np.int64]] = {}
    for plays in data:
        names, codes = _names_and_codes(plays.log, by)
        pairs = codes.ravel().astype(np.int64) * len(KINDS) + plays.log.kind.ravel()
        table = np.bincount(pairs, minlength=len(names) * len(KINDS)).reshape(-1, len(KINDS))
        for name, by_kind in zip(names, table, strict=True):
            if by_kind.any():
                seats[name] = seats.get(name, np.zeros(len(KINDS), dtype=np.int64)) + by_kind
    return seats


def _log_label(plays: Plays) -> str:
    return f"{plays.name} (with simulated humans)" if has_simulated([plays]) else plays.name


def has_simulated(data: Sequence[Plays]) -> bool:
    simulated = KINDS.index(SIMULATED_HUMAN)
    return any(bool((plays.log.kind == simulated).any()) for plays in data)


def _label(by: str, name: str, rounds_by_kind: NDArray[np.int64]) -> str:
    if by == "kind":
        return KIND_LABELS[name]
    kinds = [kind for kind, count in zip(KINDS, rounds_by_kind, strict=True) if count]
    shown = name or f"(no {by} named)"
    if kinds == [SIMULATED_HUMAN]:
        return f"{shown} (simulated human)"
    if SIMULATED_HUMAN in kinds:
        return f"{shown} (some simulated humans)"
    return shown


def _names_and_codes(log: Log, by: str) -> tuple[Sequence[str], NDArray]:
    if by == "kind":
        return KINDS, log.kind
    return (log.agents, log.agent_code) if by == "agent" else (log.players, log.player_code)


def seats_of(plays: Plays, group: Group, bids: tuple[int, int] | None = None) -> NDArray[np.bool_]:
    """Which seats of which rounds are the group's and count, shape (n, 4)."""
    log = plays.log
    if group.by in ("kind", "agent", "player"):
        names, codes = _names_and_codes(log, group.by)
        is_of_group = np.array([name == group.value for name in names], dtype=bool)[codes]
    else:
        is_log_of_group = group.by != "log" or plays.name == group.value
        is_of_group = np.full((len(log), N_SEATS), is_log_of_group)
    counts = is_of_group & ~plays.repeated[:, None]
    if bids is not None:
        low, high = bids
        counts = counts & (log.bids >= low) & (log.bids <= high)
    return counts


class Cell(NamedTuple):
    """Part of a heat map: some of the 68 moves (none: all), ``at`` a context and its value."""

    moves: Sequence[int] = ()
    at: tuple[str, int] | None = None


EVERYWHERE = Cell()


def mask_of(
    plays: Plays, group: Group, where: PlayFilter, cell: Cell = EVERYWHERE
) -> NDArray[np.uint8]:
    """1 for each play that counts, shape (n, 52): the group's in the cell, that pass the filter."""
    codes = plays.contexts.codes.view(np.uint8)
    mask = np.empty(codes.shape[1:], dtype=np.uint8)
    mask_of_seats(codes[SEAT], seats_of(plays, group, where.bids), mask)
    wanted = [*_wanted_codes(group, where), ("move", cell.moves)]
    if cell.at is not None:
        context, value = cell.at
        wanted.append((context, [value]))
    for name, allowed_codes in wanted:
        if len(allowed_codes):
            allowed = np.zeros(256, dtype=np.uint8)
            allowed[list(allowed_codes)] = 1
            mask &= allowed[codes[FIELDS.index(name)]]
    return mask


def _wanted_codes(group: Group, where: PlayFilter) -> list[tuple[str, Sequence[int]]]:
    """Fields and the codes of them that count; none listed lets all pass."""
    wanted: list[tuple[str, Sequence[int]]] = [
        (name, getattr(where, name)) for name in CONTEXT_LABELS if name != "trick"
    ]
    if where.tricks != ALL_TRICKS:
        wanted.append(("trick", range(where.tricks[0], where.tricks[1] + 1)))
    if not where.forced:
        wanted.append(("legal", range(2, HAND_SIZE + 1)))
    if group.by in CONTEXT_LABELS:
        wanted.append((group.by, [CONTEXT_LABELS[group.by].index(group.value)]))
    return wanted


def game_counts(
    data: Sequence[Plays], group: Group, where: PlayFilter, *, field: int = MOVE
) -> NDArray[np.int32]:
    """Counts of a field's codes by game, (games of all logs, 68; of legal cards 14), log by log."""
    width = HAND_SIZE + 1 if field == LEGAL else N_SUIT_MOVES
    parts = [np.zeros((0, width), dtype=np.int32)]
    for plays in data:
        out = np.zeros((plays.n_units, width), dtype=np.int32)
        plane = plays.contexts.codes[field].view(np.uint8)
        count_by_row(plane, mask_of(plays, group, where), plays.units, out)
        parts.append(out)
    return np.concatenate(parts)


def context_counts(
    data: Sequence[Plays], group: Group, where: PlayFilter, context: str
) -> NDArray[np.int64]:
    """Counts of the 68 moves in each context, shape (values of the context, 68)."""
    shape = (len(CONTEXT_LABELS[context]), N_SUIT_MOVES)
    out = np.zeros(shape, dtype=np.int64)
    for plays in data:
        codes = plays.contexts.codes.view(np.uint8)
        mask = mask_of(plays, group, where)
        keys = codes[FIELDS.index(context)].astype(np.int16) * N_SUIT_MOVES + codes[MOVE]
        out += np.bincount(keys[mask.view(np.bool_)], minlength=out.size).reshape(shape)
    return out


def fold(counts: NDArray, classes: int) -> NDArray:
    """Counts of the 68 (last axis) as counts of the 68 or 32."""
    if classes not in (N_MOVES, N_SUIT_MOVES):
        raise SpadesError(f"there are 68 or 32 abstract moves, not {classes}")
    if classes == N_SUIT_MOVES:
        return counts
    return np.add.reduceat(counts, np.searchsorted(MOVE_32_OF_68, np.arange(N_MOVES)), axis=-1)


def moves_of_class(move: int, classes: int) -> list[int]:
    return np.flatnonzero(move == MOVE_32_OF_68).tolist() if classes == N_MOVES else [move]


def page_count(n: int, limit: int) -> int:
    """How many pages of at most ``limit`` plays hold ``n``."""
    return -(-n // limit)


def one_page(found: Sequence[NDArray], limit: int, page: int) -> Iterator[NDArray]:
    """The rows of a page, from 0, log by log; ``found``: all rows of each log. Every page has
    others, spread evenly over all rows."""
    n = sum(map(len, found))
    n_pages = page_count(n, limit)
    wanted = np.arange(page, n, n_pages) if page < n_pages else np.arange(0)
    for of_log in found:
        yield of_log[wanted[(wanted >= 0) & (wanted < len(of_log))]]
        wanted = wanted - len(of_log)


def find_plays(
    data: Sequence[Plays],
    group: Group,
    where: PlayFilter,
    cell: Cell = EVERYWHERE,
    *,
    limit: int = MAX_PLAYS,
    page: int = 0,
) -> tuple[pd.DataFrame, int]:
    """A ``page``, from 0, of at most ``limit`` plays of a group in a cell of a heat map, spread
    evenly over the logs, and how many plays there are in all. ``round`` and ``ply`` count from
    0."""
    found = [np.argwhere(mask_of(plays, group, where, cell)) for plays in data]
    rows = [
        _play_row(plays, group, *place)
        for plays, places in zip(data, one_page(found, limit, page), strict=True)
        for place in places.tolist()
    ]
    return pd.DataFrame(rows, columns=PLAY_COLUMNS), sum(map(len, found))


def _play_row(plays: Plays, group: Group, i: int, ply: int) -> dict[str, object]:
    log = plays.log
    codes = plays.contexts.codes
    seat = int(codes[SEAT, i, ply])
    deck = log.rules[log.rules_code[i]].cards
    return {
        "group": group.label,
        "log": plays.name,
        "round": i,
        "ply": ply,
        "trick": ply // N_SEATS + 1,
        "seat": SEATS[seat],
        "kind": KINDS[log.kind[i, seat]],
        "player": log.players[log.player_code[i, seat]],
        "card": deck.format_card(int(log.plays[i, ply])),
        "move": MOVES_68[codes[MOVE, i, ply]],
    }


# Compiled passes over millions of plays. Planes are contiguous, uint8, (rounds, 52), 255 after
# the last play; masks likewise, 0 or 1.


@kernel
def mask_of_seats(seats: NDArray, who: NDArray, mask: NDArray) -> None:
    """1 where the seat that played is one of the round's in ``who`` (rounds, 4), bool."""
    for i in range(len(seats)):
        bits = 0
        for seat in range(who.shape[1]):
            bits |= int(who[i, seat]) << seat
        for ply in range(N_CARDS):
            seat = seats[i, ply]
            mask[i, ply] = seat < 4 and bits >> seat & 1


@kernel
def count_by_row(plane: NDArray, mask: NDArray, bins: NDArray, out: NDArray) -> None:
    """Add to ``out[bins[round], code]`` for every play of the mask."""
    for i in range(len(plane)):
        for ply in range(N_CARDS):
            if mask[i, ply]:
                out[bins[i], plane[i, ply]] += 1
