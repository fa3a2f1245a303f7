"""How long the exact tables of bidders take."""

from __future__ import annotations

import time

from spades.bidding import hands
from spades.core.cards import STANDARD


def tables_seconds() -> float:
    """Seconds for the side-suit table and Pr(cnil) of all 8,192 holdings, spades and side suits."""
    hands.nil_tables(STANDARD)  # compiled
    for table in (hands.holding_table, hands.nil_table, hands.nil_tables):
        table.cache_clear()
    started = time.perf_counter()
    hands.holding_table()
    hands.nil_tables(STANDARD)
    return time.perf_counter() - started
