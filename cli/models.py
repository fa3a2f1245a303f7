"""The commands ``train`` and ``evaluate``: models of human play from logs (spec 3)."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from analysis.models.measures import disagreement, model_measures
from analysis.runs.command import stoppable
from cli.console import Answer, add_seed, finish, refused_rows, say
from spades.core.errors import InvalidRecordError, SpadesError
from spades.human.features.logs import ALL_SEATS, HUMANS, Examples, data_hash, examples_of_log
from spades.human.files import ENDING, checkpoint_of
from spades.human.loglinear import FitOptions, LogLinearModel
from spades.human.networks.config import TrainingOptions
from spades.human.networks.model import NetworkModel
from spades.human.registry import load_model, read_model
from spades.notation import read_log

LOG_LINEAR = ("log-linear", "log-linear-nil")
MAX_SEED = 2**63 - 1  # the largest that PyTorch takes


def add_train(parser: argparse.ArgumentParser) -> None:
    """Fit a model to the plays of humans and simulated humans in a log; a share of its games is
    held out for early stopping. Networks: 200, 200-100, t-200, t-200-100, t-200-150-100, t-c-200,
    t-c-200-100, t-cA-200, t-cA-200-100 (Baier 2018), abstract-200, h-160-96-128-96 (ours), or
    others named alike. log-linear: the 42 features of Devlin 2016; log-linear-nil: three more. A
    file stored in data/models is known by its name. Stopped or killed, the same command goes on
    after the last pass that was done.
    """
    parser.add_argument("model", metavar="MODEL")
    _add_log(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.safetensors")
    add_seed(parser)
    parser.add_argument("--epochs", type=int, metavar="N", help="passes over the data, at most")
    parser.add_argument("--batch", type=int, metavar="N", help="examples of a step")
    parser.add_argument("--learning-rate", type=float, metavar="R")
    parser.add_argument("--sparsity", type=float, metavar="X", help="price of active hidden units")
    parser.add_argument("--permute-suits", action="store_true", help="rename side suits at random")
    parser.add_argument("--polish", action="store_true", help="log-linear: Newton steps at the end")


def _add_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="a log")
    parser.add_argument("--seats", choices=(HUMANS, ALL_SEATS), default=HUMANS)


def run_train(options: argparse.Namespace) -> Answer:
    model = _new_model(options)
    if options.out.suffix != ENDING:
        raise SpadesError(f"{options.out.name}: models are stored as {ENDING} files")
    log, refusals = read_log(options.data)
    refused = refused_rows(options.data, refusals)
    status = finish(refused)
    examples = examples_of_log(log, options.seats)
    say(f"{len(examples):,} plays of {options.data.name}")
    _fit(model, examples, checkpoint_of(options.out))
    model.facts_["data"]["log"] = options.data.stem
    model.save(options.out)
    say(f"{model.name} written to {options.out}")
    written = {"model": model.name, "written": str(options.out), "file": options.data.name}
    return Answer({**written, "refused": refused, "metrics": model.facts_}, status=status)


def _fit(model: Any, examples: Examples, checkpoint: Path) -> None:
    with stoppable(say) as is_stopping:
        try:
            model.fit(
                examples,
                tell=lambda made: say(made.text()),
                is_cancelled=is_stopping,
                checkpoint=checkpoint,
            )
        except SpadesError:
            if not is_stopping():
                raise
            if checkpoint.is_file():
                say("what was trained is kept: the same command goes on with it")
            raise KeyboardInterrupt from None


def _new_model(options: argparse.Namespace) -> Any:
    """The model to be fitted; options that it doesn't have are refused."""
    if not 0 <= options.seed <= MAX_SEED:
        raise SpadesError(f"--seed is {options.seed}; 0 to {MAX_SEED} are legal")
    names = ("epochs", "batch", "learning_rate", "sparsity", "permute_suits", "polish")
    given: dict[str, Any] = {name: getattr(options, name) for name in names}
    given = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    is_log_linear = options.model in LOG_LINEAR
    for name in ("sparsity", "permute_suits") if is_log_linear else ("polish",):
        if name in given:
            raise SpadesError(f"{options.model} has no --{name.replace('_', '-')}")
    if is_log_linear:
        if "epochs" in given:
            given["passes"] = given.pop("epochs")
        fit = FitOptions(has_nil=options.model == "log-linear-nil", **given)
        return LogLinearModel(options.model, options=fit, seed=options.seed)
    training = TrainingOptions(**given)
    model = NetworkModel(options.model, name=options.model, options=training, seed=options.seed)
    _ = model.shape  # refuses a name that is no architecture before any work
    return model


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Accuracy on cards and abstract moves, log-loss, calibration, illegal first choices; and of
    simulated humans, whose probabilities are known, the share of the best possible accuracy and the
    divergence from the truth.
    """
    parser.add_argument("model", metavar="MODEL", help="a model's name, or a .safetensors file")
    _add_log(parser)


def run_evaluate(options: argparse.Namespace) -> Answer:
    name, data = options.model, options.data
    model = read_model(Path(name)) if name.endswith(ENDING) else load_model(name)
    log, refusals = read_log(data)
    examples = examples_of_log(log, options.seats)
    if not len(examples):
        raise InvalidRecordError(f"{data.name}: no play to predict")
    document = {
        "model": model.name,
        "file": data.name,
        "refused": refused_rows(data, refusals),
        "data_hash": data_hash(examples),
        **model_measures(model, examples),
        "equal_states": disagreement(examples),
    }
    return Answer(document, _evaluation_table, finish(document["refused"]))


_MEASURES = {
    "accuracy": "share of decisions in which the likeliest card was played",
    "accuracy_moves": "the same of abstract moves",
    "ceiling": "best possible accuracy, from the true probabilities",
    "share_of_ceiling": "accuracy over that",
    "illegal_first": "share of first choices that weren't legal",
    "log_loss": "nats",
    "ece": "expected calibration error",
    "kl_to_truth": "nats, from the true probabilities",
}


def _evaluation_table(document: dict[str, Any]) -> str:
    who = "simulated humans" if document["simulated_humans"] else "players"
    lines = [
        f"{document['model']} on {document['decisions']:,} decisions of {who} in "
        f"{document['games']:,} games of {document['file']}"
    ]
    for name, meaning in _MEASURES.items():
        value, interval = document[name], document["intervals"].get(name)
        shown = "-" if value is None else f"{value:.4f}"
        within = f"[{interval[0]:.4f}, {interval[1]:.4f}]" if interval else ""
        lines.append(f"{name:18} {shown:>8}  {within:18} {meaning}")
    return "\n".join(lines)
