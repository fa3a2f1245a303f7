"""How long the exact tables of bidders take."""

from __future__ import annotations

import time

from spades.bidding import tables
from spades.core.cards import STANDARD


def tables_seconds() -> float:
    """Seconds for the side-suit table and Pr(cnil) of all 8,192 holdings, spades and side suits."""
    tables.nil_tables(STANDARD)  # compiled
    for table in (tables.holding_table, tables.nil_table, tables.nil_tables):
        table.cache_clear()
    started = time.perf_counter()
    tables.holding_table()
    tables.nil_tables(STANDARD)
    return time.perf_counter() - started
