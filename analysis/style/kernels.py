"""Compiled passes over millions of classified plays: which of them count, and counting them.

Planes are contiguous, uint8, shape (rounds, 52), 255 after the last play; masks likewise, 0 or 1.
"""

from __future__ import annotations

from numpy.typing import NDArray

from spades.core.cards import N_CARDS
from spades.core.kernel import kernel


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
def narrow(plane: NDArray, allowed: NDArray, mask: NDArray) -> None:
    """Clear the mask where a field's code isn't allowed; ``allowed`` uint8 (256,), by code."""
    for i in range(len(plane)):
        for ply in range(N_CARDS):
            mask[i, ply] &= allowed[plane[i, ply]]


@kernel
def count_by_row(plane: NDArray, mask: NDArray, bins: NDArray, out: NDArray) -> None:
    """Add to ``out[bins[round], code]`` for every play of the mask."""
    for i in range(len(plane)):
        for ply in range(N_CARDS):
            if mask[i, ply]:
                out[bins[i], plane[i, ply]] += 1


@kernel
def count_pairs(rows: NDArray, columns: NDArray, mask: NDArray, out: NDArray) -> None:
    """Add to ``out[code of the one, code of the other]`` for every play of the mask."""
    for i in range(len(rows)):
        for ply in range(N_CARDS):
            if mask[i, ply]:
                out[rows[i, ply], columns[i, ply]] += 1


@kernel
def share_moments(counts: NDArray, keys: NDArray, totals: NDArray, out: NDArray) -> None:
    """Number, sum and sum of squares, over games, of shares of each class in its category.

    ``counts`` int32 (games, classes); ``keys`` the category of each class; ``totals`` scratch,
    int64, as long as there are categories; ``out`` float64 (3, classes), zeros before. A game
    without a play of the category has no share.
    """
    for game in range(len(counts)):
        totals[:] = 0
        for move in range(keys.size):
            totals[keys[move]] += counts[game, move]
        for move in range(keys.size):
            total = totals[keys[move]]
            if total:
                share = counts[game, move] / total
                out[0, move] += 1
                out[1, move] += share
                out[2, move] += share * share
