"""The plays behind a cell of the heat map or a bar: which hands, at which ply, by whom."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.style.counts import EVERYWHERE, Cell, Group, PlayFilter, Plays, mask_of
from spades.core.cards import N_CARDS, N_SEATS, SEATS
from spades.core.records import KINDS
from spades.human.features.abstract_moves import MOVE_32_OF_68, MOVES_68, N_MOVES
from spades.human.features.logs import MOVE, SEAT

MAX_PLAYS = 50
PLAY_COLUMNS = ["group", "log", "round", "ply", "trick", "seat", "kind", "player", "card", "move"]


def moves_of_class(move: int, classes: int) -> list[int]:
    """Which of the 68 a class stands for."""
    return np.flatnonzero(move == MOVE_32_OF_68).tolist() if classes == N_MOVES else [move]


def page_count(n: int, limit: int) -> int:
    """How many pages of at most ``limit`` plays hold ``n``."""
    return -(-n // limit)


def find_plays(
    data: Sequence[Plays],
    group: Group,
    where: PlayFilter,
    cell: Cell = EVERYWHERE,
    *,
    limit: int = MAX_PLAYS,
    page: int = 0,
) -> tuple[pd.DataFrame, int]:
    """Plays of a group in a cell of a heat map, and how many there are.

    At most ``limit`` of them, spread evenly over the logs; every ``page``, from 0, has others.
    ``round`` and ``ply`` count from 0.
    """
    masks = [mask_of(plays, group, where, cell) for plays in data]
    found = [np.flatnonzero(mask) for mask in masks]
    n = sum(map(len, found))
    n_pages = page_count(n, limit)
    wanted = np.arange(page, n, n_pages) if page < n_pages else np.arange(0)
    rows, start = [], 0
    for plays, flat in zip(data, found, strict=True):
        mine = [int(flat[i - start]) for i in wanted if start <= i < start + len(flat)]
        rows += [_play_row(plays, group, *divmod(at_play, N_CARDS)) for at_play in mine]
        start += len(flat)
    return pd.DataFrame(rows, columns=PLAY_COLUMNS), n


def _play_row(plays: Plays, group: Group, i: int, ply: int) -> dict[str, object]:
    log, codes = plays.log, plays.contexts.codes
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
