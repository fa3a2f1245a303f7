"""How the visits of a decision grow with iterations."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from spades.core.cards import Deck
from spades.search import SearchResult


def compute_visit_curves(results: Sequence[SearchResult], deck: Deck) -> pd.DataFrame:
    """Visit shares at the checkpoints: columns seed, iterations, card, visits, share. ``share`` is
    visits over iterations so far, 0 to 1. One result a seed."""
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


def sum_by_class(curves: pd.DataFrame, class_of: Mapping[str, str]) -> pd.DataFrame:
    """The curves of classes of cards: ``class_of`` each card, by its highest card, whose name the
    class has. Equal cards lead together."""
    classes = curves.assign(card=curves["card"].map(class_of))
    grouped = classes.groupby(["seed", "iterations", "card"], sort=False)
    return grouped[["visits", "share"]].sum().reset_index()


def compute_band(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean, least and greatest share over the seeds, by card and number of iterations, as far as
    all seeds have got."""
    n_seeds = curves["seed"].nunique()
    grouped = curves.groupby(["card", "iterations"], sort=False)["share"]
    band = grouped.agg(["mean", "min", "max", "count"]).reset_index()
    return band[band["count"] == n_seeds].drop(columns="count")


class Overtaking(NamedTuple):
    """When ``card`` lost the lead in visits for good, and to which card (``by``). ``iterations`` is
    None if it still leads (then ``by`` is None) or never led (``by`` is the leader)."""

    card: str
    iterations: int | None
    by: str | None


def find_overtaking(curves: pd.DataFrame, card: str) -> Overtaking:
    """When ``card`` was overtaken for good in the curves of one seed; a tie loses no lead."""
    visits = curves.pivot(index="iterations", columns="card", values="visits")
    leads = visits[card] >= visits.max(axis=1)
    if leads.iloc[-1]:
        return Overtaking(card, None, None)
    if not leads.any():
        return Overtaking(card, None, str(visits.iloc[-1].idxmax()))
    last_lead = leads.to_numpy().nonzero()[0][-1]
    overtaken = leads.index[last_lead + 1]
    return Overtaking(card, int(overtaken), str(visits.loc[overtaken].idxmax()))
