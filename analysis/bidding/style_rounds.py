"""The rounds behind a number of the bidding style: nils bid, made or set, sums of four bids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.sequences import bid_word
from analysis.bidding.style import nils_of, sums_of
from analysis.style.counts import Group, Plays, page_count, seats_of
from spades.core.cards import N_SEATS, SEATS
from spades.core.derived import derive
from spades.core.errors import SpadesError
from spades.core.records import KINDS
from spades.core.rules import NO_BID
from spades.notation.hands import format_hand

NIL, MADE, SET, SUM = "nil", "made", "set", "sum-"
NIL_ASKS = {NIL: "Nils bid", MADE: "Nils made", SET: "Nils set"}
ROUND_COLUMNS = [
    *("group", "log", "round", "ply", "seat", "kind", "player", "hand", "bids", "sum", "tricks")
]


class UnknownRoundsError(SpadesError):
    """A number that no rounds stand behind."""


def asks_of(sums: Sequence[int]) -> dict[str, str]:
    """What rounds can be asked for by, and its label: nils, and each sum of bids that there was."""
    return NIL_ASKS | {f"{SUM}{value}": f"Sum of bids {value}" for value in sorted(set(sums))}


def find_bid_rounds(
    data: Sequence[Plays], group: Group, what: str, *, limit: int, page: int = 0
) -> tuple[pd.DataFrame, int]:
    """Rounds of a group behind one of ``asks_of``; and how many.

    A row a nil, or a round in which the group has a seat; at most ``limit`` of them, spread evenly
    over the logs, every ``page``, from 0, has others. ``round`` and ``ply`` count from 0: the ply
    is the lead of the trick that set a nil, and 0 otherwise.
    """
    found = [np.argwhere(_mask_of(plays, group, what)) for plays in data]
    n = sum(map(len, found))
    n_pages = page_count(n, limit)
    wanted = np.arange(page, n, n_pages) if page < n_pages else np.arange(0)
    rows, start = [], 0
    for plays, places in zip(data, found, strict=True):
        mine = wanted[(wanted >= start) & (wanted < start + len(places))] - start
        rows += _rows_of(plays, group, places[mine], of_seats=not what.startswith(SUM))
        start += len(places)
    return pd.DataFrame(rows, columns=ROUND_COLUMNS), n


def _mask_of(plays: Plays, group: Group, what: str) -> NDArray[np.bool_]:
    """Nils asked for by round and seat (n, 4), or rounds by their sum (n, 1)."""
    if what.startswith(SUM) and what.removeprefix(SUM).isdecimal():
        return (sums_of(plays, group) == int(what.removeprefix(SUM)))[:, None]
    if what not in NIL_ASKS:
        raise UnknownRoundsError(f"no rounds {what!r}; {', '.join(NIL_ASKS)} and {SUM}N are there")
    nils = nils_of(plays, group)
    return {NIL: nils.bid, MADE: nils.made, SET: nils.played_out & ~nils.made}[what]


def _rows_of(
    plays: Plays, group: Group, places: NDArray[np.int64], *, of_seats: bool
) -> list[dict[str, object]]:
    log, rounds = plays.log, places[:, 0]
    derived = derive(log.take(rounds))
    who = seats_of(plays, group)
    rows = []
    for at, (i, seat) in enumerate(places.tolist()):
        seats = [seat] if of_seats else np.flatnonzero(who[i]).tolist()
        row = _row(plays, group, i, seats, derived.tricks_taken[at])
        won = np.flatnonzero(derived.winners[at] == seat)
        rows.append({**row, "ply": int(won[0]) * N_SEATS if of_seats and won.size else 0})
    return rows


def _row(
    plays: Plays, group: Group, i: int, seats: Sequence[int], tricks: NDArray[np.int8]
) -> dict[str, object]:
    log = plays.log
    deck, bids = log.rules[log.rules_code[i]].cards, log.bids[i]
    leader = int(log.leaders[i])
    in_order = [int(bids[(leader + turn) % N_SEATS]) for turn in range(N_SEATS)]
    names = [log.players[log.player_code[i, s]] or log.agents[log.agent_code[i, s]] for s in seats]
    is_one = len(seats) == 1
    return {
        "group": group.label,
        "log": plays.name,
        "round": i,
        "ply": 0,
        "seat": " ".join(SEATS[seat] for seat in seats),
        "kind": ", ".join(dict.fromkeys(KINDS[log.kind[i, seat]] for seat in seats)),
        "player": ", ".join(dict.fromkeys(names)),
        "hand": format_hand(int(log.hands[i, seats[0]]), deck) if is_one else "",
        "bids": ", ".join("?" if bid == NO_BID else bid_word(bid) for bid in in_order),
        "sum": int(bids.sum()) if (bids != NO_BID).all() else None,
        "tricks": ", ".join(str(int(tricks[seat])) for seat in seats),
    }
