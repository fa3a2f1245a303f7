"""Rules and tables put together for the kernels, and the fitted term in the previous bids."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.bidding.auction import MAX_PREVIOUS, Auction, BidContext, bid_rules_of, bid_tables
from spades.bidding.curves import BidTableError, load_curves
from spades.core.cards import N_SEATS, NORTH, partnership_of
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.observation import Observation
from spades.core.paths import DATA
from spades.core.rules import MAX_BID, NO_BID, Rules, Table

PREVIOUS_TABLE = DATA / "tables" / "previous_bids.json"
PREVIOUS_COMMAND = "python -m analysis.bidding.fit_previous_bids"
VERSION = 1
LARGEST_SCORE = 1_000_000  # points


class RegularFit(NamedTuple):
    """What was fitted to simulated rounds for regular bids; the paper gives neither.

    ``previous`` (4, 2): constant and slope, in the sum of the previous bids, of the tricks added
    after 0 to 3 of them. ``made`` (2,): share of contracts made without and with a nil beside.
    """

    previous: NDArray[np.float64]
    made: NDArray[np.float64]


@lru_cache(maxsize=4)
def load_regular_fit(path: Path = PREVIOUS_TABLE) -> RegularFit:
    """The stored fit; ``BidTableError`` if the table isn't sound."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BidTableError(f"{path} is missing; {PREVIOUS_COMMAND} makes it") from None
    except (OSError, ValueError) as error:
        raise BidTableError(f"{path} can't be read ({error}); run {PREVIOUS_COMMAND}") from None
    if not isinstance(table, dict) or table.get("version") != VERSION:
        raise BidTableError(f"{path} is no fit of version {VERSION}; run {PREVIOUS_COMMAND}")
    previous = _numbers(path, table, "previous", (MAX_PREVIOUS + 1, 2))
    made = _numbers(path, table, "made", (2,))
    if made.min() < 0.0 or made.max() > 1.0:
        raise BidTableError(f"{path}: made should be two shares; run {PREVIOUS_COMMAND}")
    return RegularFit(previous, made)


def _numbers(path: Path, table: dict[str, Any], key: str, shape: tuple) -> NDArray[np.float64]:
    """The part ``key`` of the table: numbers of this shape that can be tricks."""
    try:
        array = np.array(table.get(key), dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != shape or not np.all(np.abs(array) <= MAX_BID):
        raise BidTableError(f"{path}: {key} should be {shape} numbers; run {PREVIOUS_COMMAND}")
    array.setflags(write=False)
    return array


@lru_cache(maxsize=1)
def _curve_table() -> NDArray[np.float64]:
    return load_curves().kernel_table()


@lru_cache(maxsize=32)
def bid_context(rules: Rules) -> BidContext:
    """What every bidder's kernel needs beside the hand and the auction, once for each rules."""
    fit = load_regular_fit()
    tables = bid_tables(rules.cards, _curve_table(), fit.previous, fit.made)
    return BidContext(bid_rules_of(rules), tables)


def auction_of(observation: Observation) -> Auction:
    """The auction as a seat sees it; a game without scores counts as 0 to 0."""
    us = partnership_of(observation.seat)
    score = [int(points) for points in observation.score_before or (0, 0)]
    bags = [int(count) for count in observation.bags_before or (0, 0)]
    bids = np.array(observation.table.bids, dtype=np.int8)
    bids[observation.seat] = NO_BID
    return Auction(observation.seat, bids, score[us], score[1 - us], bags[us], bags[1 - us])


def observe_auction(
    hand: int,
    previous: Sequence[int] = (),
    *,
    rules: Rules | None = None,
    score: tuple[int, int] = (0, 0),
    bags: tuple[int, int] = (0, 0),
) -> Observation:
    """What North sees, about to bid after these bids; scores and bags are (ours, theirs).

    ``previous``: 0 to 3 bids, in the order made, the last the right-hand opponent's; 0 is nil.
    Raises ``IllegalBidError`` for bids that can't have been made, and
    ``SpadesError`` for scores that can't be.
    """
    rules = rules or Rules()
    for name, points in (("score", score), ("bags", bags), ("target", (rules.target,))):
        least = 0 if name == "bags" else -LARGEST_SCORE
        if not all(least <= number <= LARGEST_SCORE for number in points):
            given = ", ".join(map(str, points))
            raise SpadesError(f"{name} {given}; {least:,} to {LARGEST_SCORE:,} are legal")
    if len(previous) > MAX_PREVIOUS:
        raise IllegalBidError(
            f"{len(previous)} previous bids: {', '.join(map(str, previous))}; "
            f"0 to {MAX_PREVIOUS} are legal, the next to bid is the one asked about"
        )
    first = (N_SEATS - len(previous)) % N_SEATS
    table = Table(rules, dealer=(first - 1) % N_SEATS)
    for i, bid in enumerate(previous):
        table.bid(first + i, bid)
    return Observation(NORTH, hand, table, score, bags)
