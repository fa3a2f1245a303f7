"""Steps of a round on Replay: the four bids, then the plays.

A step from 0 on is a ply, the number of cards played so far; steps -4 to -1 are the bids, where
the record says what was bid. The address says ``bid=1`` to ``bid=4`` for them.
"""

from __future__ import annotations

N_BIDS = 4


def first_step(has_auction: bool) -> int:
    """The first bid, or the first lead of a record without bids."""
    return -N_BIDS if has_auction else 0


def bid_at(step: int) -> int:
    """Number of the bid at a step, 1 to 4; 0 where a card is played."""
    return step + N_BIDS + 1 if step < 0 else 0


def step_of_bid(bid: int) -> int:
    return bid - N_BIDS - 1


def place_text(step: int) -> str:
    """The step in words: ``bid 2`` or ``ply 7``."""
    return f"bid {bid_at(step)}" if step < 0 else f"ply {step}"
