"""Bidding style: bids by position, sums of bids, nils, numbers of legal cards, and their rounds.

Published by Cohensius 2020 are the sum of bids (figure 5), nils bid and made by human players
(section 5), and the branching factor of the play (figure 6). Filters of plays leave bids alone; the
branching factor is counted over the plays that pass them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.questions import bid_word
from analysis.intervals import clopper_pearson, with_ends
from analysis.style.compare import ByGame
from analysis.style.counts import (
    OTHERS,
    SEAT_GROUPINGS,
    Group,
    PlayFilter,
    Plays,
    game_counts,
    one_page,
    seats_of,
)
from spades.core.cards import N_CARDS, N_SEATS, SEATS, format_hand
from spades.core.derived import derive
from spades.core.errors import SpadesError
from spades.core.kernel import BoolArray, FloatArray, IntArray
from spades.core.logs import Log
from spades.core.records import KINDS
from spades.core.rules import MAX_BID, NIL_BID, NO_BID
from spades.human.features.logs import LEGAL

POSITIONS_OF_BIDDER = ("first", "second", "third", "dealer")
N_BIDS = MAX_BID + 1
MAX_SUM = N_SEATS * MAX_BID

PUBLISHED_SUM_OF_BIDS = 10.55
PUBLISHED_BRANCHING = 3.6
PUBLISHED_NIL_RATE = 0.126
PUBLISHED_NIL_SUCCESS = 0.632

NIL = "nil"
MADE = "made"
SET = "set"
OUT = "played out"
SUM = "sum-"
NIL_ASKS = {NIL: "Nils bid", MADE: "Nils made", SET: "Nils set"}
ROUND_COLUMNS = [
    "group",
    "log",
    "round",
    "ply",
    "seat",
    "kind",
    "player",
    "hand",
    "bids",
    "sum",
    "tricks",
]


@dataclass(frozen=True)
class BiddingStyle:
    """Tables with a row for each group and value; means have 95% bootstrap intervals over games.

    ``positions``: bidding position, ``bids`` (n), ``mean`` bid with ``low`` and ``high``. ``sums``
    and ``legal``: ``value``, ``count``, ``share``, of the sum of the four bids in rounds in which
    the group has a seat, and of the number of legal cards. ``means``: of these two. ``nils``: bids,
    nils among them, rate; nils of rounds played out, made, success; exact (Clopper-Pearson) 95%
    intervals."""

    positions: pd.DataFrame
    sums: pd.DataFrame
    legal: pd.DataFrame
    means: pd.DataFrame
    nils: pd.DataFrame


def seat_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups whose bids are compared; one group of all seats where contexts are compared."""
    if all(group.by in (*SEAT_GROUPINGS, OTHERS) for group in groups):
        return list(groups)
    return [Group("turn", "leads", "All seats")]


def compute_bidding(
    data: Sequence[Plays],
    groups: Sequence[Group],
    where: PlayFilter,
) -> BiddingStyle:
    """``BiddingStyle`` of groups; ``where`` filters the plays, for the branching factor."""
    bidders = seat_groups(groups)
    sums = {}
    for group in bidders:
        by_round = [sums_of(plays, group)[:, None] for plays in data]
        sums[group.label] = _by_game(data, by_round, MAX_SUM + 1)
    legal = {group.label: ByGame(game_counts(data, group, where, field=LEGAL)) for group in groups}
    return BiddingStyle(
        positions=pd.concat([_position_rows(data, group) for group in bidders]),
        sums=_distribution(sums),
        legal=_distribution(legal),
        means=pd.concat(
            [_means("sum of bids", sums), _means("legal cards", legal)], ignore_index=True
        ),
        nils=pd.DataFrame([_nil_row(data, group) for group in bidders]),
    )


def _by_game(data: Sequence[Plays], keys: Sequence[NDArray], width: int) -> ByGame:
    """Counts by game of keys below ``width``, (rounds, k) for each log; negative keys don't
    count."""
    counts = [np.zeros((0, width), dtype=np.int32)]
    for plays, log_keys in zip(data, keys, strict=True):
        cells = plays.units[:, None].astype(np.int64) * width + log_keys
        log_counts = np.bincount(cells[log_keys >= 0], minlength=plays.n_units * width)
        counts.append(log_counts.reshape(plays.n_units, width).astype(np.int32))
    return ByGame(np.concatenate(counts))


def _position_rows(data: Sequence[Plays], group: Group) -> pd.DataFrame:
    keys = []
    for plays in data:
        bids = plays.log.bids.astype(np.int64)
        position = (np.arange(N_SEATS) - plays.log.leaders[:, None]) % N_SEATS
        is_counted = seats_of(plays, group) & (bids != NO_BID)
        keys.append(np.where(is_counted, position * N_BIDS + bids, -1))
    by_game = _by_game(data, keys, N_SEATS * N_BIDS)

    def mean_by_position(counts: NDArray) -> FloatArray:
        return _mean(counts.reshape(*counts.shape[:-1], N_SEATS, N_BIDS))

    low, high = by_game.interval(mean_by_position)
    return pd.DataFrame(
        {
            "group": group.label,
            "position": POSITIONS_OF_BIDDER,
            "bids": by_game.total.reshape(N_SEATS, N_BIDS).sum(axis=1),
            "mean": mean_by_position(by_game.total),
            "low": low,
            "high": high,
            "games": by_game.n_games,
        }
    )


def _mean(counts: NDArray) -> FloatArray:
    """Mean of the values 0, 1, ... whose counts are along the last axis; NaN without counts."""
    values = np.arange(counts.shape[-1], dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((counts @ values) / counts.sum(axis=-1, dtype=np.float64))


def sums_of(plays: Plays, group: Group) -> IntArray:
    """The sum of the four bids of each round that counts for a group, (n,); else -1. A round counts
    if the group has a seat in it and all four bids are known."""
    bids = plays.log.bids.astype(np.int64)
    is_counted = (bids != NO_BID).all(axis=1) & seats_of(plays, group).any(axis=1)
    return np.where(is_counted, bids.sum(axis=1), -1)


def _distribution(by_group: dict[str, ByGame]) -> pd.DataFrame:
    rows = []
    for label, by_game in by_group.items():
        counts = by_game.total
        n = int(counts.sum())
        for value in np.flatnonzero(counts).tolist():
            count = int(counts[value])
            rows.append((label, value, count, count / n, n, by_game.n_games))
    return pd.DataFrame(rows, columns=["group", "value", "count", "share", "n", "games"])


def _means(measure: str, by_group: dict[str, ByGame]) -> pd.DataFrame:
    rows = []
    for label, by_game in by_group.items():
        counts = by_game.total
        low, high = by_game.interval(_mean)
        rows.append((measure, label, counts.sum(), _mean(counts), low, high, by_game.n_games))
    columns = ["measure", "group", "n", "mean", "low", "high", "games"]
    return pd.DataFrame(rows, columns=columns).astype({"mean": float, "low": float, "high": float})


def nils_of(plays: Plays, group: Group) -> dict[str, BoolArray]:
    """A group's seats that may bid nil (``bids``), that do, whose round is played out, and whether
    the nil was made or set, each (n, 4)."""
    log = plays.log
    has_nil = np.array([rules.nil is not None for rules in log.rules], dtype=bool)
    bids = seats_of(plays, group) & (log.bids != NO_BID) & has_nil[log.rules_code][:, None]
    nils = bids & (log.bids == NIL_BID)
    played_out = nils & (log.n_plays == N_CARDS)[:, None]
    made = played_out & (plays.contexts.taken == 0)
    return {"bids": bids, NIL: nils, OUT: played_out, MADE: made, SET: played_out & ~made}


def _nil_row(data: Sequence[Plays], group: Group) -> dict[str, object]:
    by_log = [nils_of(plays, group) for plays in data]

    def count(name: str) -> int:
        return sum(int(masks[name].sum()) for masks in by_log)

    return {
        "group": group.label,
        "bids": count("bids"),
        "nils": count(NIL),
        **_rate("rate", count(NIL), count("bids")),
        "played_out": count(OUT),
        "made": count(MADE),
        **_rate("success", count(MADE), count(OUT)),
    }


def _rate(name: str, successes: int, n: int) -> dict[str, float]:
    low, high = clopper_pearson(successes, n)
    rate = successes / n if n else float("nan")
    return with_ends(name, rate, (float(low), float(high)))


def asks_of(sums: Sequence[int]) -> dict[str, str]:
    """The kinds of rounds that can be listed, with their labels: rounds with a nil, and rounds by
    the sum of bids, for each sum that occurs."""
    return NIL_ASKS | {f"{SUM}{value}": f"Sum of bids {value}" for value in sorted(set(sums))}


def find_bid_rounds(
    data: Sequence[Plays],
    group: Group,
    what: str,
    *,
    limit: int,
    page: int = 0,
) -> tuple[pd.DataFrame, int]:
    """The rounds of a group of one kind, ``what`` of ``asks_of``; and how many there are.

    A row for each nil, or for each round in which the group has a seat: one ``page`` (from 0) of at
    most ``limit``, spread evenly over the logs. ``round`` and ``ply`` count from 0; the ply is the
    lead of the trick that set a nil, otherwise 0."""
    places_by_log = [np.argwhere(_mask_of(plays, group, what)) for plays in data]
    is_sum = what.startswith(SUM)
    rows = []
    for plays, places in zip(data, one_page(places_by_log, limit, page), strict=True):
        rows += _rows_of(plays, group, places, of_seats=not is_sum)
    n_places = sum(len(places) for places in places_by_log)
    return pd.DataFrame(rows, columns=ROUND_COLUMNS), n_places


def _mask_of(plays: Plays, group: Group, what: str) -> BoolArray:
    """Which seats have such a nil, (n, 4); or which rounds have such a sum of bids, (n, 1)."""
    bid_sum = what.removeprefix(SUM)
    if what.startswith(SUM) and bid_sum.isdecimal():
        return (sums_of(plays, group) == int(bid_sum))[:, None]
    if what not in NIL_ASKS:
        raise SpadesError(f"no rounds {what!r}; {', '.join(NIL_ASKS)} and {SUM}N are legal")
    return nils_of(plays, group)[what]


def _rows_of(
    plays: Plays,
    group: Group,
    places: IntArray,
    *,
    of_seats: bool,
) -> list[dict[str, object]]:
    """``places``: round and seat of each row, ``of_seats``, else of all the group's seats."""
    log = plays.log
    is_group = seats_of(plays, group)
    derived = derive(log.take(places[:, 0]))
    rows = []
    for row, (i, seat) in enumerate(places.tolist()):
        seats = [seat] if of_seats else np.flatnonzero(is_group[i]).tolist()
        tricks_won = np.flatnonzero(derived.winners[row] == seat)
        bids = np.roll(log.bids[i], -log.leaders[i]).tolist()
        rows.append(
            {
                "group": group.label,
                "log": plays.name,
                "ply": int(tricks_won[0]) * N_SEATS if of_seats and tricks_won.size else 0,
                "bids": ", ".join("?" if bid == NO_BID else bid_word(bid) for bid in bids),
                "sum": None if NO_BID in bids else sum(bids),
                "tricks": ", ".join(str(derived.tricks_taken[row, seat]) for seat in seats),
                **seats_row(log, i, seats),
            }
        )
    return rows


def seats_row(log: Log, i: int, seats: Sequence[int]) -> dict[str, object]:
    """``round``, ``seat``, ``kind`` and ``player`` of seats of a round; the ``hand`` of a single
    one."""
    names = [
        log.players[log.player_code[i, seat]] or log.agents[log.agent_code[i, seat]]
        for seat in seats
    ]
    hand = ""
    if len(seats) == 1:
        deck = log.rules[log.rules_code[i]].cards
        hand = format_hand(int(log.hands[i, seats[0]]), deck)
    return {
        "round": i,
        "seat": " ".join(SEATS[seat] for seat in seats),
        "kind": ", ".join(dict.fromkeys(KINDS[log.kind[i, seat]] for seat in seats)),
        "player": ", ".join(dict.fromkeys(names)),
        "hand": hand,
    }
