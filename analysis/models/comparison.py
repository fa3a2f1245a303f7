"""The comparison of all human models, as stored by ``python -m analysis.models.train_models``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from spades.core.errors import SpadesError
from spades.core.paths import DATA

TABLE = DATA / "tables" / "model_comparison.json"
COMMAND = "python -m analysis.models.train_models"

PUBLISHED = {
    "200": 0.683,
    "200-100": 0.682,
    "t-200": 0.705,
    "t-200-100": 0.713,
    "t-200-150-100": 0.711,
    "t-c-200": 0.705,
    "t-c-200-100": 0.710,
    "t-cA-200": 0.711,
    "t-cA-200-100": 0.709,
    "abstract-200": 0.678,
    "random legal card": 0.440,
}
"""Accuracies on real humans: Baier 2018, table I and section III (abstract moves 67.8 %)."""


def read_comparison(path: Path = TABLE) -> dict[str, Any]:
    """The stored document; ``SpadesError`` where it is missing or damaged."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        _ = [row["model"] for row in document["models"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpadesError(f"{path.name} can't be read ({error}); {COMMAND} makes it") from None
    return document


def comparison_table(document: dict[str, Any]) -> pd.DataFrame:
    """A row a model: measures with their 95 % intervals, published accuracy, how it was made."""
    rows = []
    for row in document["models"]:
        found = {"model": row["model"]}
        for name in ("accuracy", "share_of_ceiling", "illegal_first", "log_loss", "kl_to_truth"):
            found[name] = row.get(name)
            low, high = row["intervals"].get(name) or (None, None)
            found[f"{name}_low"], found[f"{name}_high"] = low, high
        found |= {name: row.get(name) for name in ("ceiling", "ece", "accuracy_moves", "decisions")}
        found |= {name: row.get(name) for name in ("parameters", "epochs", "seconds", "seed")}
        found["published"] = PUBLISHED.get(row["model"])
        rows.append(found)
    return pd.DataFrame(rows)
