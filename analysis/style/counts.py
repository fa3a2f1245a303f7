"""Counts of abstract moves by game and by context, of groups of plays that pass a filter.

``classify`` classifies a log once (half a second for 104,314 rounds). Each change of group or
filter then takes one compiled pass over the classified plays. The unit of all uncertainty is the
**game**: the rounds of one ``game_id``; a round without one is a game of its own. Forced plays
count, as in the papers; ``PlayFilter`` can leave them out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SEATS
from spades.core.errors import SpadesError
from spades.core.kernel import BoolArray, IntArray, kernel
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
OTHERS = "others"
"""The grouping of a cohort: the people of a log, with whom one player is compared."""
ALL_OTHERS = "~others~"
"""The value of that group, no player's name."""
FILTERED_CONTEXTS = ("nil", "bags", "partner", "turn", "score", "contract")
GROUPINGS = SEAT_GROUPINGS + FILTERED_CONTEXTS
KIND_LABELS = {HUMAN: "Humans", SIMULATED_HUMAN: "Simulated humans", BOT: "Bots"}
ALL_TRICKS = (0, HAND_SIZE - 1)
MAX_PLAYS = 50
PLAY_COLUMNS = [
    "group",
    "log",
    "round",
    "ply",
    "trick",
    "seat",
    "kind",
    "player",
    "card",
    "move",
]


@dataclass(frozen=True)
class PlayFilter:
    """Which plays count; an empty tuple lets every value pass.

    ``nil``, ``bags``, ``partner``, ``turn``, ``score``, ``contract`` hold indices into
    ``CONTEXT_LABELS``; ``tricks`` the first and last trick, from 0; ``bids`` the lowest and highest
    own bid; None lets all bids pass, unknown ones too."""

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
    """Plays to compare: those of a kind, agent, player, log or cohort, or those in one context.

    ``value`` is the kind, the agent's text, the player's name, the log's name, or the context's
    label. ``label`` is what tables and charts call it. ``log``: the only one whose plays count;
    empty for all. ``but``: a player whose plays don't count among ``OTHERS``."""

    by: str
    value: str
    label: str
    log: str = ""
    but: str = ""


@dataclass(frozen=True)
class Plays:
    """A log with every play classified. ``units`` (n,): the game of each round, from 0;
    ``repeated`` (n,): rounds that occur before, in this log or another, and don't count again."""

    name: str
    log: Log
    contexts: Contexts
    units: NDArray[np.int32]
    n_units: int
    repeated: BoolArray


def classify(log: Log, name: str = "") -> Plays:
    """Moves, contexts and games of a log, once."""
    units, n_units = units_of(log)
    (repeated,) = repeated_rounds([log])
    return Plays(name, log, contexts_of_log(log), units, n_units, repeated)


def pool(data: Sequence[Plays]) -> list[Plays]:
    """Logs to be counted together: a round that several of them have counts in the first."""
    if len(data) == 1:
        return list(data)
    repeated_by_log = repeated_rounds([plays.log for plays in data])
    pooled = []
    for plays, repeated in zip(data, repeated_by_log, strict=True):
        pooled.append(replace(plays, repeated=repeated))
    return pooled


def units_of(log: Log) -> tuple[NDArray[np.int32], int]:
    """The game of each round, numbered from 0; rounds of no named game stand alone."""
    is_nameless = np.array([game == "" for game in log.games], dtype=bool)
    stands_alone = is_nameless[log.game_code]
    keys = log.game_code.astype(np.int64)
    keys[stands_alone] = len(log.games) + np.flatnonzero(stands_alone)
    games, units = np.unique(keys, return_inverse=True)
    return units.astype(np.int32), len(games)


def groups_of(data: Sequence[Plays], by: str) -> list[Group]:
    """The groups of these logs, players and agents by number of rounds; simulated humans are named
    as such."""
    if by not in GROUPINGS:
        raise SpadesError(f"no grouping {by!r}; legal are {', '.join(GROUPINGS)}")
    if by == "log":
        return [Group(by, plays.name, _log_label(plays)) for plays in data]
    if by in CONTEXT_LABELS:
        title = CONTEXT_TITLES[by]
        return [Group(by, label, f"{title}: {label}") for label in CONTEXT_LABELS[by]]
    return groups_of_seats(seats_by_name([plays.log for plays in data], by), by)


def groups_of_seats(seats: Mapping[str, IntArray], by: str) -> list[Group]:
    """The groups of ``seats_by_name``."""
    if by == "kind":
        return [Group(by, kind, KIND_LABELS[kind]) for kind in KIND_LABELS if kind in seats]
    names = sorted(seats, key=lambda name: seats[name].sum(), reverse=True)
    return [Group(by, name, _label(by, name, seats[name])) for name in names]


def seats_by_name(logs: Iterable[Log], by: str) -> dict[str, IntArray]:
    """In how many seats of rounds each kind, agent or player of the logs was, by ``KINDS``."""
    seats: dict[str, IntArray] = {}
    for log in logs:
        names, codes = _names_and_codes(log, by)
        in_log = np.zeros((len(names), len(KINDS)), dtype=np.int64)
        np.add.at(in_log, (codes, log.kind), 1)
        for name, by_kind in zip(names, in_log, strict=True):
            if by_kind.any():
                seats[name] = seats.get(name, 0) + by_kind
    return seats


def player_and_others(
    data: Sequence[Plays], player: str, log: str, cohort: str
) -> tuple[Group, Group]:
    """A player in a log, and the people of a log that they are compared with: all others where it
    is the same one."""
    logs = {plays.name: plays for plays in data}
    seats = seats_by_name([logs[log].log], "player")
    own = Group("player", player, _label("player", player, seats[player]), log)
    is_same = log == cohort
    people = _people_label(logs[cohort].log)
    label = f"Other {people}" if is_same else people.capitalize()
    others = Group(OTHERS, ALL_OTHERS, f"{label} of {cohort}", cohort, player if is_same else "")
    return own, others


def _people_label(log: Log) -> str:
    has_real = bool((log.kind == KINDS.index(HUMAN)).any())
    has_simulated = bool((log.kind == KINDS.index(SIMULATED_HUMAN)).any())
    if has_real and has_simulated:
        return "humans, some simulated,"
    return "simulated humans" if has_simulated else "humans"


def _log_label(plays: Plays) -> str:
    if has_simulated([plays]):
        return f"{plays.name} (with simulated humans)"
    return plays.name


def has_simulated(data: Sequence[Plays]) -> bool:
    return _has_kind(data, SIMULATED_HUMAN)


def _has_kind(data: Sequence[Plays], kind: str) -> bool:
    code = KINDS.index(kind)
    return any(code in plays.log.kind for plays in data)


def _label(by: str, name: str, rounds_by_kind: IntArray) -> str:
    shown = name or f"(no {by} named)"
    n_simulated = rounds_by_kind[KINDS.index(SIMULATED_HUMAN)]
    if not n_simulated:
        return shown
    if n_simulated == rounds_by_kind.sum():
        return f"{shown} (simulated human)"
    return f"{shown} (some simulated humans)"


def _names_and_codes(log: Log, by: str) -> tuple[Sequence[str], NDArray]:
    if by == "kind":
        return KINDS, log.kind
    if by == "agent":
        return log.agents, log.agent_code
    return log.players, log.player_code


def seats_of(plays: Plays, group: Group, bids: tuple[int, int] | None = None) -> BoolArray:
    """The seats of the group whose plays count, bool (n, 4): of no repeated round, and of a bid in
    the range ``bids``."""
    log = plays.log
    if group.by in ("kind", "agent", "player"):
        names, codes = _names_and_codes(log, group.by)
        is_group = np.array([name == group.value for name in names], dtype=bool)
        is_counted = is_group[codes]
    elif group.by == OTHERS:
        is_counted = _others(log, group.but)
    else:
        is_in_group = group.by != "log" or plays.name == group.value
        is_counted = np.full((len(log), N_SEATS), is_in_group)
    if group.log and group.log != plays.name:
        is_counted = np.zeros_like(is_counted)
    is_counted &= ~plays.repeated[:, None]
    if bids is not None:
        low, high = bids
        is_counted &= (log.bids >= low) & (log.bids <= high)
    return is_counted


def _others(log: Log, player: str) -> BoolArray:
    """The seats of all people but one player, (n, 4)."""
    is_player = np.array([bool(player) and name == player for name in log.players], dtype=bool)
    return (log.kind != KINDS.index(BOT)) & ~is_player[log.player_code]


class Cell(NamedTuple):
    """A cell of a heat map: some of the 68 moves (none: all), in ``at``, a context and its value
    (None: everywhere)."""

    moves: Sequence[int] = ()
    at: tuple[str, int] | None = None


EVERYWHERE = Cell()


def mask_of(
    plays: Plays, group: Group, where: PlayFilter, cell: Cell = EVERYWHERE
) -> NDArray[np.uint8]:
    """The group's plays in the cell that pass the filter, uint8 (n, 52): 1 for each, else 0."""
    codes = plays.contexts.codes.view(np.uint8)
    seats = seats_of(plays, group, where.bids)
    mask = np.empty_like(codes[SEAT])
    mask_of_seats(codes[SEAT], seats, mask)
    wanted = [*_wanted_codes(group, where), ("move", cell.moves)]
    if cell.at is not None:
        context, value = cell.at
        wanted.append((context, [value]))
    for name, allowed_codes in wanted:
        if not allowed_codes:
            continue
        is_allowed = np.zeros(256, dtype=np.uint8)
        is_allowed[list(allowed_codes)] = 1
        mask &= is_allowed[codes[FIELDS.index(name)]]
    return mask


def _wanted_codes(group: Group, where: PlayFilter) -> list[tuple[str, Sequence[int]]]:
    """Fields and their codes that count; no code lets all pass."""
    wanted: list[tuple[str, Sequence[int]]] = []
    for name in FILTERED_CONTEXTS:
        wanted.append((name, getattr(where, name)))
    if where.tricks != ALL_TRICKS:
        first, last = where.tricks
        wanted.append(("trick", range(first, last + 1)))
    if not where.forced:
        wanted.append(("legal", range(2, HAND_SIZE + 1)))
    if group.by in CONTEXT_LABELS:
        labels = CONTEXT_LABELS[group.by]
        wanted.append((group.by, [labels.index(group.value)]))
    return wanted


def game_counts(
    data: Sequence[Plays], group: Group, where: PlayFilter, *, field: int = MOVE
) -> NDArray[np.int32]:
    """How often each code of a field occurs in each game, (games of all logs, codes): 68 moves, or
    0 to 13 legal cards."""
    n_codes = HAND_SIZE + 1 if field == LEGAL else N_SUIT_MOVES
    by_log = [np.zeros((0, n_codes), dtype=np.int32)]
    for plays in data:
        counts = np.zeros((plays.n_units, n_codes), dtype=np.int32)
        plane = plays.contexts.codes[field].view(np.uint8)
        mask = mask_of(plays, group, where)
        count_by_row(plane, mask, plays.units, counts)
        by_log.append(counts)
    return np.concatenate(by_log)


def context_counts(
    data: Sequence[Plays], group: Group, where: PlayFilter, context: str
) -> IntArray:
    """Counts of the 68 moves in each context, shape (values of the context, 68)."""
    n_values = len(CONTEXT_LABELS[context])
    counts = np.zeros((n_values, N_SUIT_MOVES), dtype=np.int64)
    for plays in data:
        codes = plays.contexts.codes.view(np.uint8)
        is_counted = mask_of(plays, group, where).view(np.bool_)
        values = codes[FIELDS.index(context)].astype(np.int16)
        cells = values * N_SUIT_MOVES + codes[MOVE]
        in_log = np.bincount(cells[is_counted], minlength=counts.size)
        counts += in_log.reshape(counts.shape)
    return counts


def fold(counts: NDArray, classes: int) -> NDArray:
    """Counts of the 68 moves (last axis) as counts of 68 or 32 ``classes``."""
    if classes not in (N_MOVES, N_SUIT_MOVES):
        raise SpadesError(f"there are 68 or 32 abstract moves, not {classes}")
    if classes == N_SUIT_MOVES:
        return counts
    starts = np.searchsorted(MOVE_32_OF_68, np.arange(N_MOVES))
    return np.add.reduceat(counts, starts, axis=-1)


def moves_of_class(move: int, classes: int) -> list[int]:
    """Which of the 68 moves are this one of the 32 or 68 ``classes``."""
    if classes == N_SUIT_MOVES:
        return [move]
    return np.flatnonzero(move == MOVE_32_OF_68).tolist()


def page_count(n: int, limit: int) -> int:
    """How many pages of at most ``limit`` plays hold ``n``."""
    return -(-n // limit)


def one_page(rows_by_log: Sequence[NDArray], limit: int, page: int) -> Iterator[NDArray]:
    """The rows of a page, from 0, log by log. A page has every ``n_pages``-th row, so that each is
    spread evenly over all logs; a page beyond the last is empty."""
    n_pages = page_count(sum(map(len, rows_by_log)), limit)
    first = page
    for rows in rows_by_log:
        yield rows[first::n_pages] if page < n_pages else rows[:0]
        first = (first - len(rows)) % max(1, n_pages)


def find_plays(
    data: Sequence[Plays],
    group: Group,
    where: PlayFilter,
    cell: Cell = EVERYWHERE,
    *,
    limit: int = MAX_PLAYS,
    page: int = 0,
) -> tuple[pd.DataFrame, int]:
    """A page, from 0, of at most ``limit`` plays of a group in a cell of a heat map, and how many
    plays there are in all. A page is spread evenly over the logs; ``round`` and ``ply`` count from
    0."""
    masks = [mask_of(plays, group, where, cell) for plays in data]
    places_by_log = [np.argwhere(mask) for mask in masks]
    n_plays = sum(map(len, places_by_log))
    rows = []
    for plays, places in zip(data, one_page(places_by_log, limit, page), strict=True):
        for i, ply in places.tolist():
            rows.append(play_row(plays, group, i, ply))
    return pd.DataFrame(rows, columns=PLAY_COLUMNS), n_plays


def play_row(plays: Plays, group: Group, i: int, ply: int) -> dict[str, object]:
    """A play, by round and ply, with ``PLAY_COLUMNS``."""
    log = plays.log
    move = plays.contexts.codes[MOVE, i, ply]
    seat = int(plays.contexts.codes[SEAT, i, ply])
    player = log.player_code[i, seat]
    deck = log.rules[log.rules_code[i]].cards
    return {
        "group": group.label,
        "log": plays.name,
        "round": i,
        "ply": ply,
        "trick": ply // N_SEATS + 1,
        "seat": SEATS[seat],
        "kind": KINDS[log.kind[i, seat]],
        "player": log.players[player],
        "card": deck.format_card(int(log.plays[i, ply])),
        "move": MOVES_68[move],
    }


# Compiled passes over millions of plays. A plane is the contiguous uint8 (rounds, 52) codes of one
# field, 255 after the last play; a mask is likewise, of 0 and 1.


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
