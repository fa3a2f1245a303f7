"""How a decision's visits grew: a tidy table of visit shares by iteration, card and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from spades.core.cards import Deck
from spades.search import SearchResult


def compute_visit_curves(results: Sequence[SearchResult], deck: Deck) -> pd.DataFrame:
    """Visit shares at the checkpoints: columns seed, iterations, card, visits, share.

    ``share`` is visits over iterations so far, 0 to 1. One result a seed.
    """
    parts = [
        pd.DataFrame(
            {
                "seed": result.seed,
                "iterations": result.checkpoints,
                "card": deck.format_card(row.card),
                "visits": result.visit_curves[:, i],
                "share": result.visit_curves[:, i] / np.maximum(result.checkpoints, 1),
            }
        )
        for result in results
        for i, row in enumerate(result.cards)
    ]
    return pd.concat(parts, ignore_index=True)


def compute_band(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean, least and greatest share over the seeds, by card and iterations that all reached."""
    n_seeds = curves["seed"].nunique()
    grouped = curves.groupby(["card", "iterations"], sort=False)["share"]
    band = grouped.agg(["mean", "min", "max", "count"]).reset_index()
    return band[band["count"] == n_seeds].drop(columns="count")


@dataclass(frozen=True)
class Overtaking:
    """When a card last lost the lead in visits: at how many iterations, and to which card.

    ``iterations`` is None if it still leads (``by`` None too) or never led (``by`` the leader).
    """

    card: str
    iterations: int | None
    by: str | None


def find_overtaking(curves: pd.DataFrame, card: str) -> Overtaking:
    """Where ``card`` was overtaken for good, in one seed's curves (equal visits: no lead lost)."""
    wide = curves.pivot_table(index="iterations", columns="card", values="visits", sort=False)
    wide = wide.sort_index()
    leads = wide[card] >= wide.max(axis=1)
    leader = str(wide.iloc[-1].idxmax())
    if leads.iloc[-1]:
        return Overtaking(card, None, None)
    if not leads.any():
        return Overtaking(card, None, leader)
    after = leads.index[leads.to_numpy().nonzero()[0][-1] + 1]
    return Overtaking(card, int(after), str(wide.loc[after].idxmax()))
