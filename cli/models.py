"""The commands ``train`` and ``evaluate``: models of human play from logs (spec 3)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from spades.core.errors import InvalidRecordError, SpadesError

LOG_LINEAR = ("log-linear", "log-linear-nil")
MAX_SEED = 2**63 - 1  # the largest that PyTorch takes
DONE, REFUSED = 0, 1


class Console(NamedTuple):
    """Where results and messages go."""

    show: Callable[[str], None]
    say: Callable[[str], None]


def add_model_commands(commands: Any, console: Console) -> None:
    """Both commands on a parser's list of them."""
    train = commands.add_parser(
        "train",
        help="fit a model of human play to a log",
        description="Fit a model to the plays of humans and simulated humans in a log; a share of "
        "its games is held out for early stopping. Networks: 200, 200-100, t-200, t-200-100, "
        "t-200-150-100, t-c-200, t-c-200-100, t-cA-200, t-cA-200-100 (Baier 2018), abstract-200, "
        "h-160-96-128-96 (ours), or others named alike. log-linear: the 42 features of Devlin "
        "2016; log-linear-nil: three more. A file stored in data/models is known by its name. "
        "Stopped or killed, the same command goes on after the last pass that was done.",
    )
    train.add_argument("model", metavar="MODEL")
    train.add_argument("--data", type=Path, required=True, metavar="FILE", help="a log")
    train.add_argument("--out", type=Path, required=True, metavar="FILE.safetensors")
    train.add_argument("--seed", type=int, default=0, metavar="S")
    train.add_argument("--epochs", type=int, metavar="N", help="passes over the data, at most")
    train.add_argument("--batch", type=int, metavar="N", help="examples of a step")
    train.add_argument("--learning-rate", type=float, metavar="R")
    train.add_argument("--sparsity", type=float, metavar="X", help="price of active hidden units")
    train.add_argument("--permute-suits", action="store_true", help="rename side suits at random")
    train.add_argument("--polish", action="store_true", help="log-linear: Newton steps at the end")
    train.add_argument("--seats", choices=("humans", "all"), default="humans")
    train.add_argument("--json", action="store_true", help="one JSON document")
    train.set_defaults(command=lambda options: _train(options, console))

    evaluate = commands.add_parser(
        "evaluate",
        help="how well a model predicts the plays of a log",
        description="Accuracy on cards and abstract moves, log-loss, calibration, illegal first "
        "choices; and of simulated humans, whose probabilities are known, the share of the best "
        "possible accuracy and the divergence from the truth.",
    )
    evaluate.add_argument("model", metavar="MODEL", help="a model's name, or a .safetensors file")
    evaluate.add_argument("--data", type=Path, required=True, metavar="FILE", help="a log")
    evaluate.add_argument("--seats", choices=("humans", "all"), default="humans")
    evaluate.add_argument("--json", action="store_true", help="one JSON document")
    evaluate.set_defaults(command=lambda options: _evaluate(options, console))


def _train(options: argparse.Namespace, console: Console) -> int:
    from analysis.runs.parts import stoppable
    from cli.style_report import read_log_and_refusals, refused_rows, refused_text
    from spades.human.features.examples import examples_of_log
    from spades.human.files import checkpoint_of

    model = _new_model(options)
    if options.out.suffix != ".safetensors":
        raise SpadesError(f"{options.out.name}: models are stored as .safetensors files")
    log, refusals = read_log_and_refusals(options.data)
    refused = refused_rows(options.data, refusals)
    if refused:
        console.say(refused_text(refused))
    examples = examples_of_log(log, options.seats)
    console.say(f"{len(examples):,} plays of {options.data.name}")
    kept = checkpoint_of(options.out)
    with stoppable(console.say) as is_stopping:
        try:
            model.fit(
                examples,
                tell=lambda made: console.say(made.text()),
                is_cancelled=is_stopping,
                checkpoint=kept,
            )
        except SpadesError:
            if is_stopping():
                if kept.is_file():
                    console.say("what was trained is kept: the same command goes on with it")
                raise KeyboardInterrupt from None
            raise
    model.facts_["data"]["log"] = options.data.stem
    model.save(options.out)
    console.say(f"{model.name} written to {options.out}")
    if options.json:
        written = {"model": model.name, "written": str(options.out), "file": options.data.name}
        console.show(json.dumps({**written, "refused": refused, "metrics": model.facts_}))
    return REFUSED if refused else DONE


def _new_model(options: argparse.Namespace) -> Any:
    """The model to be fitted; options that it doesn't have are refused."""
    from spades.human.loglinear.fit import FitOptions
    from spades.human.loglinear.model import LogLinearModel
    from spades.human.networks.config import TrainingOptions
    from spades.human.networks.model import NetworkModel

    if not 0 <= options.seed <= MAX_SEED:
        raise SpadesError(f"--seed is {options.seed}; 0 to {MAX_SEED} are legal")
    said: dict[str, Any] = {
        name: value
        for name in ("epochs", "batch", "learning_rate", "sparsity", "permute_suits", "polish")
        if (value := getattr(options, name)) is not None and value is not False
    }
    is_log_linear = options.model in LOG_LINEAR
    for name in ("sparsity", "permute_suits") if is_log_linear else ("polish",):
        if name in said:
            raise SpadesError(f"{options.model} has no --{name.replace('_', '-')}")
    if is_log_linear:
        if "epochs" in said:
            said["passes"] = said.pop("epochs")
        fit = FitOptions(has_nil=options.model == "log-linear-nil", **said)
        return LogLinearModel(options.model, options=fit, seed=options.seed)
    model = NetworkModel(
        options.model, name=options.model, options=TrainingOptions(**said), seed=options.seed
    )
    _ = model.shape  # refuses a name that is no architecture before any work
    return model


def _evaluate(options: argparse.Namespace, console: Console) -> int:
    from cli.style_report import refused_text

    document = evaluation_document(options.model, options.data, options.seats)
    if document["refused"]:
        console.say(refused_text(document["refused"]))
    console.show(json.dumps(document) if options.json else evaluation_table(document))
    return REFUSED if document["refused"] else DONE


def evaluation_document(name: str, data: Path, seats: str = "humans") -> dict[str, Any]:
    """What ``evaluate --json`` prints. ``name``: of a stored model, or a path that ends in
    ``.safetensors``. ``refused``: rounds of the file that were left out, by line."""
    from analysis.models.measures import disagreement, model_measures
    from cli.style_report import read_log_and_refusals, refused_rows
    from spades.human.features.examples import data_hash, examples_of_log
    from spades.human.registry import ENDING, load_model, read_model

    model = read_model(Path(name)) if name.endswith(ENDING) else load_model(name)
    log, refusals = read_log_and_refusals(data)
    examples = examples_of_log(log, seats)
    if not len(examples):
        raise InvalidRecordError(f"{data.name}: no play to predict")
    return {
        "model": model.name,
        "file": data.name,
        "refused": refused_rows(data, refusals),
        "data_hash": data_hash(examples),
        **model_measures(model, examples),
        "equal_states": disagreement(examples),
    }


def evaluation_table(document: dict[str, Any]) -> str:
    """The document for people."""
    rows = [
        ("accuracy", "share of decisions in which the likeliest card was played"),
        ("accuracy_moves", "the same of abstract moves"),
        ("ceiling", "best possible accuracy, from the true probabilities"),
        ("share_of_ceiling", "accuracy over that"),
        ("illegal_first", "share of first choices that weren't legal"),
        ("log_loss", "nats"),
        ("ece", "expected calibration error"),
        ("kl_to_truth", "nats, from the true probabilities"),
    ]
    who = "simulated humans" if document["simulated_humans"] else "players"
    lines = [
        f"{document['model']} on {document['decisions']:,} decisions of {who} in "
        f"{document['games']:,} games of {document['file']}"
    ]
    for name, meaning in rows:
        value, interval = document[name], document["intervals"].get(name)
        shown = "-" if value is None else f"{value:.4f}"
        within = f"[{interval[0]:.4f}, {interval[1]:.4f}]" if interval else ""
        lines.append(f"{name:18} {shown:>8}  {within:18} {meaning}")
    return "\n".join(lines)
