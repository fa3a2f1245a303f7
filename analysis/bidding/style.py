"""Bidding style: bids by position, the sum of the four, nils, and how many cards are legal.

Beside the figures of Cohensius 2020: the sum of bids (figure 5), nils bid and made by human
players (section 5), and the branching factor of the play (figure 6). Filters of plays
don't touch bids; the branching factor is counted over the plays that pass them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaincinv

from analysis.style.bootstrap import LEVEL, ByGame
from analysis.style.counts import SEAT_GROUPINGS, Group, PlayFilter, Plays, game_counts, seats_of
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.rules import MAX_BID, NIL_BID, NO_BID
from spades.human.features.logs import LEGAL

POSITIONS_OF_BIDDER = ("first", "second", "third", "dealer")
N_BIDS = MAX_BID + 1
MAX_SUM = N_SEATS * MAX_BID

PUBLISHED_SUM_OF_BIDS = 10.55
PUBLISHED_BRANCHING = 3.6
PUBLISHED_NIL_RATE, PUBLISHED_NIL_SUCCESS = 0.126, 0.632


@dataclass(frozen=True)
class BiddingStyle:
    """Tables of a row a group and value; means carry 95 % bootstrap intervals over games.

    ``positions``: bidding position, ``bids`` (n), ``mean`` bid with ``low`` and ``high``.
    ``sums`` and ``legal``: ``value``, ``count``, ``share``, of the sum of the four bids in rounds
    in which the group has a seat, and of the number of legal cards. ``means``: of these two.
    ``nils``: bids, nils among them, rate; nils of rounds played out, made, success; exact
    (Clopper-Pearson) 95 % intervals.
    """

    positions: pd.DataFrame
    sums: pd.DataFrame
    legal: pd.DataFrame
    means: pd.DataFrame
    nils: pd.DataFrame


def clopper_pearson(successes: int, n: int) -> tuple[float, float]:
    """Exact 95 % interval of a rate; 0 to 1 of no trials."""
    tail = (1 - LEVEL) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return low, high


def seat_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups that bids can be told apart by; all seats as one where contexts are compared."""
    if all(group.by in SEAT_GROUPINGS for group in groups):
        return list(groups)
    return [Group("turn", "leads", "All seats")]


def compute_bidding(
    data: Sequence[Plays], groups: Sequence[Group], where: PlayFilter
) -> BiddingStyle:
    """How each group bids, and between how many cards it chooses."""
    bidders = seat_groups(groups)
    sums = {group.label: _sums_by_game(data, group) for group in bidders}
    legal = {group.label: ByGame(game_counts(data, group, where, field=LEGAL)) for group in groups}
    return BiddingStyle(
        positions=pd.concat([_position_rows(data, group) for group in bidders]),
        sums=_distribution(sums),
        legal=_distribution(legal),
        means=pd.concat([_means("sum of bids", sums), _means("legal cards", legal)]),
        nils=pd.DataFrame([_nil_row(data, group) for group in bidders]),
    )


def _by_game(data: Sequence[Plays], keys: Sequence[NDArray], width: int) -> ByGame:
    """Counts of a key a round and seat (n, k), negative for none, by game."""
    parts = [np.zeros((0, width), dtype=np.int32)]
    for plays, key in zip(data, keys, strict=True):
        flat = plays.units[:, None].astype(np.int64) * width + key
        counts = np.bincount(flat[key >= 0], minlength=plays.n_units * width)
        parts.append(counts.reshape(plays.n_units, width).astype(np.int32))
    return ByGame(np.concatenate(parts))


def _position_rows(data: Sequence[Plays], group: Group) -> pd.DataFrame:
    keys = []
    for plays in data:
        bids = plays.log.bids.astype(np.int64)
        position = (np.arange(N_SEATS) - plays.log.leaders[:, None]) % N_SEATS
        counted = seats_of(plays, group) & (bids != NO_BID)
        keys.append(np.where(counted, position * N_BIDS + bids, -1))
    by_game = _by_game(data, keys, N_SEATS * N_BIDS)
    low, high = by_game.interval(_mean_by_position)
    return pd.DataFrame(
        {
            "group": group.label,
            "position": POSITIONS_OF_BIDDER,
            "bids": by_game.total.reshape(N_SEATS, N_BIDS).sum(axis=1),
            "mean": _mean_by_position(by_game.total),
            "low": low,
            "high": high,
            "games": by_game.n_games,
        }
    )


def _mean_by_position(counts: NDArray) -> NDArray[np.float64]:
    return _mean(counts.reshape(*counts.shape[:-1], N_SEATS, N_BIDS))


def _mean(counts: NDArray) -> NDArray[np.float64]:
    """Mean of the values 0, 1, ... counted along the last axis; NaN where nothing was."""
    values = np.arange(counts.shape[-1], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((counts @ values) / counts.sum(axis=-1, dtype=np.float64))


def sums_of(plays: Plays, group: Group) -> NDArray[np.int64]:
    """The sum of the four bids of each round that counts for a group, (n,); else -1.

    Those count in which the group has a seat and all four bids are known.
    """
    bids = plays.log.bids.astype(np.int64)
    counted = (bids != NO_BID).all(axis=1) & seats_of(plays, group).any(axis=1)
    return np.where(counted, bids.sum(axis=1), -1)


def _sums_by_game(data: Sequence[Plays], group: Group) -> ByGame:
    return _by_game(data, [sums_of(plays, group)[:, None] for plays in data], MAX_SUM + 1)


def _distribution(by_group: dict[str, ByGame]) -> pd.DataFrame:
    rows = []
    for label, by_game in by_group.items():
        total = int(by_game.total.sum())
        for value in np.flatnonzero(by_game.total):
            count = int(by_game.total[value])
            rows.append((label, int(value), count, count / total, total, by_game.n_games))
    return pd.DataFrame(rows, columns=["group", "value", "count", "share", "n", "games"])


def _means(what: str, by_group: dict[str, ByGame]) -> pd.DataFrame:
    rows = []
    for label, by_game in by_group.items():
        low, high = by_game.interval(_mean)
        rows.append(
            {
                "measure": what,
                "group": label,
                "n": int(by_game.total.sum()),
                "mean": float(_mean(by_game.total)),
                "low": float(low),
                "high": float(high),
                "games": by_game.n_games,
            }
        )
    return pd.DataFrame(rows)


class NilMasks(NamedTuple):
    """A group's seats that may bid nil, those that do, whose round is played out, and made it.

    Each of shape (n, 4).
    """

    bids: NDArray[np.bool_]
    bid: NDArray[np.bool_]
    played_out: NDArray[np.bool_]
    made: NDArray[np.bool_]


def nils_of(plays: Plays, group: Group) -> NilMasks:
    """Where a group bids nil, and what became of it."""
    log = plays.log
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=bool)
    has_nil = has_nil[log.rules_code][:, None]
    bids = seats_of(plays, group) & (log.bids != NO_BID) & has_nil
    bid = bids & (log.bids == NIL_BID)
    played_out = bid & (log.n_plays == N_CARDS)[:, None]
    return NilMasks(bids, bid, played_out, played_out & (plays.contexts.taken == 0))


def _nil_row(data: Sequence[Plays], group: Group) -> dict[str, object]:
    masks = [nils_of(plays, group) for plays in data]
    n_bids, n_nils, n_tried, n_made = (
        sum(int(mask.sum()) for mask in column) for column in zip(*masks, strict=True)
    )
    rate_low, rate_high = clopper_pearson(n_nils, n_bids)
    success_low, success_high = clopper_pearson(n_made, n_tried)
    return {
        "group": group.label,
        "bids": n_bids,
        "nils": n_nils,
        "rate": n_nils / n_bids if n_bids else float("nan"),
        "rate_low": rate_low,
        "rate_high": rate_high,
        "played_out": n_tried,
        "made": n_made,
        "success": n_made / n_tried if n_tried else float("nan"),
        "success_low": success_low,
        "success_high": success_high,
    }
