"""The trials of a bid for the command line: a JSON document, and lines of text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from analysis.bidding.outcomes import (
    BIN_WIDTH,
    PLAYER,
    BidTrials,
    histogram_table,
    outcome_table,
)

TEXT_WIDTH = 50  # points of a range in the text, a multiple of the bins'


def trials_document(trials: BidTrials) -> dict[str, Any]:
    """The trials for JSON: settings, how the deals were drawn, means and distributions by bid.

    ``bins``: the points of the round, from ``low`` up to ``low`` + ``width`` - 1 each, the same
    bins for every bid without a gap between them; ``counts`` of a bid: its rounds in each.
    """
    rows, spread = outcome_table(trials), histogram_table(trials)
    lows = range(int(spread["low"].min()), int(spread["low"].max()) + 1, BIN_WIDTH)
    counts = spread.pivot_table(index="bid", columns="low", values="count", fill_value=0)
    counts = counts.reindex(columns=list(lows), fill_value=0).astype(np.int64)
    return {
        "n": trials.n,
        "seed": trials.settings.seed,
        "bidder": trials.settings.bidder,
        "player": PLAYER,
        "deals_drawn": trials.n_drawn,
        "previous_bids_within": trials.tolerance,
        "bins": {"width": BIN_WIDTH, "low": list(lows)},
        "bids": [
            {
                "bid": int(row.bid),
                "name": row.name,
                "n": int(row.n),
                "mean": row.points,
                "interval": _listed(row.points_low, row.points_high),
                "sd": None if math.isnan(row.sd) else row.sd,
                "counts": counts.loc[row.bid].tolist(),
                "difference": row.difference,
                "difference_interval": _listed(row.difference_low, row.difference_high),
                "made": row.made_share,
                "made_interval": _listed(row.made_share_low, row.made_share_high),
            }
            for row in rows.itertuples(index=False)
        ],
    }


def _listed(low: float, high: float) -> list[float] | None:
    return None if math.isnan(low) else [low, high]


def trials_lines(document: dict[str, Any]) -> list[str]:
    """The document as text: mean, interval and share made of each bid, shares by range below."""
    bids = document["bids"]
    lines = [f"Points of the round, {document['n']:,} simulated rounds each:"]
    lines += [_mean_line(row) for row in bids]
    lines += ["", "  share of rounds  " + "".join(f"{row['name']:>8}" for row in bids)]
    return lines + range_lines(document)


def _mean_line(row: dict[str, Any]) -> str:
    between = ""
    if row["interval"]:
        low, high = row["interval"]
        between = f" (95 %: {low:+.1f} to {high:+.1f})"
    made = f"{row['made']:.1%}"
    if row["made_interval"]:
        low, high = row["made_interval"]
        made += f" (95 %: {low:.1%} to {high:.1%})"
    return f"  {row['name']:>3}  {row['mean']:+.1f}{between}, made {made}"


def range_lines(document: dict[str, Any]) -> list[str]:
    """Shares of rounds by ranges of points, each bid's in a column; the ranges without any round
    are left out."""
    ranges = [low // TEXT_WIDTH * TEXT_WIDTH for low in document["bins"]["low"]]
    lines = []
    for start in dict.fromkeys(ranges):
        here = [i for i, other in enumerate(ranges) if other == start]
        found = [sum(row["counts"][i] for i in here) for row in document["bids"]]
        if any(found):
            shares = [k / row["n"] for k, row in zip(found, document["bids"], strict=True)]
            name = f"{start:+d} to {start + TEXT_WIDTH - 1:+d}"
            lines.append(f"  {name:15}  " + "".join(f"{share:8.1%}" for share in shares))
    return lines
