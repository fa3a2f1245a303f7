"""Decisions as tables, for pages and spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from analysis.decisions.decision import CardRow, Decision
from spades.core.cards import SEATS


def decisions_table(decisions: Iterable[Decision]) -> pd.DataFrame:
    """One row a legal card of each decision; ``p_human_*`` by model, values in points."""
    rows = []
    for decision in decisions:
        for row in decision.cards:
            rows.append(
                {
                    "ply": decision.ply,
                    "trick": decision.trick,
                    "seat": SEATS[decision.seat],
                    "card": row.card,
                    "is_played": row.card == decision.played,
                    **{f"p_human_{name}": p for name, p in row.human.items()},
                    "visits": row.visits,
                    "visit_share": row.share,
                    "availability": row.availability,
                    "value": row.value,
                    "value_se": row.value_se,
                    "log2_ratio": row.log_ratio,
                    "abstract_move": row.abstract_move,
                    **_bias_columns(decision, row),
                    "divergence": decision.divergence,
                    "iterations": decision.search.iterations,
                    "seed": decision.search.seed,
                }
            )
    return pd.DataFrame(rows)


def _bias_columns(decision: Decision, row: CardRow) -> dict[str, float | int | str]:
    """What a biased search says of a card, where there is one."""
    columns: dict[str, float | int | str] = {}
    if decision.search.settings.bias:
        columns |= {"prior": row.prior, "bias": row.bias}
    if row.beside and decision.beside:
        columns |= {f"beside_{name}": value for name, value in asdict(row.beside).items()}
        columns["beside_settings"] = repr(decision.beside.settings.bias)
    return columns
