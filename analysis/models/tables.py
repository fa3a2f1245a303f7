"""Human models as tables: features, moves, comparison, and how close simulated humans come."""

from pathlib import Path

import pandas as pd

from analysis.intervals import with_ends
from analysis.models.training import own_names
from analysis.runs.store import ResultStore
from spades.core.cards import N_SEATS
from spades.core.documents import Document, read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table
from spades.human import model_hash
from spades.human.features import abstract_moves as moves
from spades.human.features.card_features import CONTEXT_FEATURES
from spades.human.loglinear import DEVLIN_2016_WEIGHTS
from spades.human.simulated import COMMAND as FIGURES_COMMAND
from spades.human.simulated import TABLE as FIGURES
from spades.human.simulated import CalibrationError

TABLE = DATA / "tables" / "model_comparison.json"
COMMAND = "python -m experiments.train_models"
MEASURED = "model measures"
YOURS = " (yours)"

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
"""Accuracies on real humans: Baier 2018, table I and section III (abstract moves 67.8%)."""
PLAIN = ("ceiling", "ece", "accuracy_moves", "decisions", "parameters", "epochs", "seconds", "seed")
Z95 = 1.96
NILS_MADE = "Nils made"
LABELS = {
    "sum_of_bids": "Sum of the four bids",
    "nil_share": "Nil rate",
    "nil_made": NILS_MADE,
}


def feature_table() -> pd.DataFrame:
    """The 42 features of Devlin 2016: feature, weight (nats), and, for the ten context features,
    our reading of the paper."""
    readings = {feature.name: feature.reading for feature in CONTEXT_FEATURES}
    rows = [(name, weight, readings.get(name, "")) for name, weight in DEVLIN_2016_WEIGHTS.items()]
    return pd.DataFrame(rows, columns=["feature", "weight", "reading"])


def move_table() -> pd.DataFrame:
    """The 32 abstract moves: category, position, and the number of the 68 each splits into."""
    splits = pd.Series(moves.MOVE_32_OF_68).value_counts()
    return pd.DataFrame(
        {
            "abstract move": moves.MOVES_32,
            "category": [moves.CATEGORIES[i] for i in moves.CATEGORY_OF_32],
            "position": [moves.POSITIONS[i] for i in moves.POSITION_OF_32],
            "classes of 68": [int(splits[i]) for i in range(len(moves.MOVES_32))],
        }
    )


def read_comparison(path: Path = TABLE) -> Document:
    """The stored document. Raises ``SpadesError`` if it is missing or damaged."""
    with stored_table(path, COMMAND, SpadesError):
        document: Document = read_json(path)
        _ = [row["model"] for row in document["models"]]
    return document


def own_question(name: str, document: Document) -> Document:
    """The stored question for the measures of a user's own model."""
    fresh = document["fresh"]
    return {"model": model_hash(name), "rounds": fresh["rounds"], "seed": fresh["seed"]}


def own_rows(document: Document) -> list[Document]:
    """Rows of the comparison for the user's own models, as far as they are measured."""
    store = ResultStore()
    rows = []
    for name in own_names():
        row = store.get(MEASURED, own_question(name, document))
        if row:
            rows.append({**row, "model": name + YOURS})
    return rows


def comparison_table(document: Document) -> pd.DataFrame:
    """A row for each model: measures with their 95% intervals, published accuracy, how it was
    trained."""
    rows = []
    for model in document["models"]:
        row = {name: model.get(name) for name in ("model", *PLAIN)}
        for name in ("accuracy", "share_of_ceiling", "illegal_first", "log_loss", "kl_to_truth"):
            row |= with_ends(name, model.get(name), model["intervals"].get(name))
        row["published"] = PUBLISHED.get(model["model"])
        rows.append(row)
    return pd.DataFrame(rows)


def compute_achieved(path: Path = FIGURES) -> pd.DataFrame:
    """A row for each figure of play: published, achieved on fresh rounds of four simulated humans,
    half the width of its 95% interval, and of how many. Raises ``CalibrationError`` for a damaged
    table."""
    with stored_table(path, FIGURES_COMMAND, CalibrationError):
        table = read_json(path)
        achieved = table["achieved"]
        figures = achieved["figures"]
        errors = achieved["standard_errors"]
        n_bids = achieved["rounds"] * N_SEATS
        sizes = {
            "sum_of_bids": f"{achieved['rounds']:,} rounds",
            "nil_share": f"{n_bids:,} bids",
            "nil_made": f"{round(figures['nil_share'] * n_bids):,} nils",
        }
        rows = [
            (LABELS[name], table["published"][name], figures[name], Z95 * errors[name], size)
            for name, size in sizes.items()
        ]
    return pd.DataFrame(rows, columns=["figure", "published", "achieved", "margin", "of"])
