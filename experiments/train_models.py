"""Train the shipped models and compare them all: ``python -m experiments.train_models``.

Takes some 75 minutes. 100,000 rounds of four simulated humans (5.2 million plays) are made anew,
every model is trained on them, and all are measured on 5,000 fresh rounds of another seed.
``data/models`` gets the fitted log-linear model, two networks of Baier 2018 and the ``h-`` network,
``data/tables/model_comparison.json`` a row a model. ``--only NAME ...`` trains and measures some
and leaves the other rows as they are.
"""

import argparse
import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

from analysis.models.comparison import comparison_row
from analysis.models.measures import disagreement
from analysis.models.tables import COMMAND, TABLE
from analysis.models.training import FIT, SHIPPED
from analysis.runs.command import say, write_table
from spades.core.behaviour import source_hash
from spades.core.cards import N_CARDS
from spades.core.documents import Document, read_json
from spades.core.paths import DATA
from spades.human import load_model, simulate_humans
from spades.human.features.logs import Examples, data_hash, examples_of_log
from spades.human.files import ENDING
from spades.human.loglinear import FitOptions, LogLinearModel
from spades.human.model import HumanModel
from spades.human.networks.config import ABSTRACT, BAIER_2018, OURS, TrainingOptions
from spades.human.networks.model import NetworkModel

VERSION = 1
N_ROUNDS = 100_000
SEED = 101
N_FRESH = 5_000
FRESH_SEED = 202
RANDOM = "random legal card"

LEAST = TrainingOptions(epochs=1, permute_suits=True)
RECIPES = {
    **dict.fromkeys(BAIER_2018, LEAST),
    # The price of active units makes the compiled forward pass quick; see TrainingOptions.
    "t-200-150-100": dataclasses.replace(LEAST, epochs=10, sparsity=4e-3),
    ABSTRACT: dataclasses.replace(LEAST, permute_suits=False),
    OURS: dataclasses.replace(LEAST, epochs=3, permute_suits=False),
}
# Published data were fewer still; the polish is ours, see FitOptions.
FIT_RECIPE = FitOptions(has_nil=True, passes=20, polish=True)
N_FIT_ROUNDS = 24_100
NAMES = (RANDOM, "devlin2016", "devlin2016-nil", FIT, *BAIER_2018, ABSTRACT, OURS)
METRICS = ("decisions", "accuracy", "ceiling", "log_loss", "ece", "kl_to_truth")  # in its file
Say = Callable[[str], None]


def train(name: str, examples: Examples, say: Say) -> HumanModel:
    if name == RANDOM:
        return LogLinearModel.from_weights({}, name=RANDOM)
    if name == FIT:
        model: HumanModel = LogLinearModel(FIT, options=FIT_RECIPE)
        n_plays = N_FIT_ROUNDS * N_CARDS
        examples = examples.take(slice(0, n_plays))
    elif name in RECIPES:
        model = NetworkModel(name, name=name, options=RECIPES[name])
    else:
        return load_model(name)
    return model.fit(examples, tell=lambda progress: say(f"{name}: {progress.text()}"))


def random_row(model: HumanModel, fresh: Examples) -> Document:
    """The row of a random legal card: the likeliest of equally likely cards is none of them, so
    that what is measured of the likeliest card is that of a drawn one, or nothing."""
    row = comparison_row(RANDOM, model, fresh)
    row["accuracy"] = row["accuracy_sampled"]
    row["expected_accuracy"] = row["accuracy_sampled"]
    row["share_of_ceiling"] = row["accuracy"] / row["ceiling"]
    row["intervals"]["accuracy"] = row["intervals"].pop("accuracy_sampled")
    for key in ("share_of_ceiling", "expected_accuracy"):
        row["intervals"].pop(key, None)
    for key in ("ece", "accuracy_moves", "reliability", "unforced"):
        row[key] = None
    return row


def compare(
    names: Sequence[str], *, table: Path = TABLE, models: Path = DATA / "models", say: Say
) -> Document:
    """Train and measure models; the table is written after each, so that none is lost."""
    examples = examples_of_log(simulate_humans(N_ROUNDS, SEED))
    fresh = examples_of_log(simulate_humans(N_FRESH, FRESH_SEED))
    document: Document = {
        "version": VERSION,
        "made_by": COMMAND,
        "code": source_hash(),
        "training": _origin(examples, N_ROUNDS, SEED),
        "fresh": _origin(fresh, N_FRESH, FRESH_SEED),
        "equal_states": {
            "hand_and_table": disagreement(fresh),
            "with_bids_and_tricks": disagreement(fresh, with_tricks=True),
        },
        "models": _rows_of(table),
    }
    for name in names:
        model = train(name, examples, say)
        row = random_row(model, fresh) if name == RANDOM else comparison_row(name, model, fresh)
        if name in SHIPPED:
            model.facts_["metrics"] = {key: row[key] for key in METRICS}
            model.save(models / (name + ENDING))
        say(f"{name}: accuracy {row['accuracy']:.4f} of at most {row['ceiling']:.4f}")
        rows = [other for other in document["models"] if other["model"] != name]
        rows.append(row)
        document["models"] = sorted(rows, key=lambda row: NAMES.index(row["model"]))
        write_table(document, table)
    return document


def _origin(examples: Examples, n_rounds: int, seed: int) -> Document:
    return {
        "what": "four simulated humans",
        "rounds": n_rounds,
        "plays": len(examples),
        "seed": seed,
        "hash": data_hash(examples),
    }


def _rows_of(table: Path) -> list[Document]:
    """The rows of an earlier run on the same models."""
    try:
        rows = read_json(table)["models"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [row for row in rows if row.get("model") in NAMES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--models", type=Path, default=DATA / "models")
    options = parser.parse_args()
    compare(options.only, table=options.table, models=options.models, say=say)


if __name__ == "__main__":
    main()
