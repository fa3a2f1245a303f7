"""The commands ``train`` and ``evaluate``: models of human play, fitted and measured."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.models.measures import disagreement, model_measures
from analysis.models.training import LOG_LINEAR, new_model
from analysis.people.fitting import fit_player
from analysis.people.held_out import POPULATION
from analysis.people.unusual import compare_weights
from analysis.runs.command import interruptible, say
from analysis.text_tables import shown, span, text_table, with_interval
from spades.cli.answer import Answer, refused_rows, report_refused
from spades.cli.arguments import add_data, add_number, add_seats, add_seed
from spades.cli.own import admitted_models
from spades.core.documents import Document
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log
from spades.human import load_model
from spades.human.features.folders import ExampleParts
from spades.human.features.logs import Examples, data_hash, examples_of_log
from spades.human.files import ENDING, checkpoint_of
from spades.human.model import CancelledError
from spades.notation import read_log
from spades.notation.log_folder import is_folder, open_folder
from spades.notation.sources import find_source

PERSON = "person"
TRAINING = ("epochs", "batch", "learning_rate", "sparsity", "permute_suits", "polish")


def add_train(parser: argparse.ArgumentParser) -> None:
    """Fit a model to the plays of humans and simulated humans in a log; a share of its games is
    held out for early stopping. Networks: 200, 200-100, t-200, t-200-100, t-200-150-100, t-c-200,
    t-c-200-100, t-cA-200, t-cA-200-100 (Baier 2018), abstract-200, h-160-96-128-96 (ours), or
    others named alike. log-linear: the 42 features of Devlin 2016; log-linear-nil: three more.
    person: one player of the log, --player NAME, as deviations from the population's weights; it
    takes no options of training. Networks learn from a folder of any size, part by part. A file in
    data/models is known by its name. Resumable: stopped or killed, the same command continues after
    the last pass that was completed."""
    parser.add_argument("model", metavar="MODEL")
    add_data(parser)
    add_seats(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE.safetensors",
        help="where to write the model",
    )
    add_seed(parser)
    parser.add_argument("--player", metavar="NAME", help="for person: whose model")
    add_number(parser, "--epochs", "passes over the data, at most")
    add_number(parser, "--batch", "examples a step")
    add_number(parser, "--learning-rate", "of the first step", unit="R", kind=float)
    add_number(parser, "--sparsity", "penalty on active hidden units", unit="X", kind=float)
    for name, meaning in (
        ("--permute-suits", "swap side suits at random"),
        ("--polish", "for log-linear: Newton steps at the end"),
    ):
        parser.add_argument(name, action="store_true", default=None, help=meaning)


def run_train(options: argparse.Namespace) -> Answer:
    is_person = options.model == PERSON
    if is_person and options.player is None:
        raise SpadesError(f"{PERSON} needs --player NAME: whose model it is")
    if options.player is not None and not is_person:
        raise SpadesError(f"{options.model} has no --player; {PERSON} has")
    if is_person:
        _refuse_given(options, TRAINING)
        model = None
    else:
        model = _new_model(options)
    if options.out.suffix != ENDING:
        raise SpadesError(f"{options.out.name}: models are stored as {ENDING} files")

    if model is not None and model.learns_from_parts and is_folder(options.data):
        parts = ExampleParts(open_folder(find_source(options.data)), options.seats)
        refusals = parts.refused
        fitted = _fit(model, parts, f"{parts.n_rounds:,} rounds", options)
    else:
        whole_log, refusals = read_log(options.data)
        log = whole_log.distinct()
        if model is None:
            fitted = _fit_person(log, options)
        else:
            examples = examples_of_log(log, options.seats)
            fitted = _fit(model, examples, f"{len(examples):,} plays", options)
    refused = refused_rows(options.data, refusals)
    status = report_refused(refused)
    fitted.facts_["data"]["log"] = options.data.stem
    fitted.save(options.out)
    say(f"{fitted.name} written to {options.out}")

    document = {
        "model": fitted.name,
        "written": str(options.out),
        "file": options.data.name,
        "refused": refused,
    }
    if not is_person:
        return Answer({**document, "metrics": fitted.facts_}, status=status)
    document |= {"weights": fitted.weights_.tolist(), **fitted.facts_}
    document["games"] = fitted.facts_["data"]["games"]
    document["decisions"] = fitted.facts_["data"]["examples"]
    return Answer(document, person_table, status)


def _fit_person(log: Log, options: argparse.Namespace) -> Any:
    with interruptible(say) as is_cancelled:
        fitted = fit_player(
            log,
            options.player,
            options.out.stem,
            tell=lambda progress: None,
            is_cancelled=is_cancelled,
        )
    if fitted is None:
        raise KeyboardInterrupt
    return fitted


def person_table(document: Document) -> str:
    """Losses on held-out choices, and what is unusual about the player."""
    lines = [
        f"{document['player']}: {document['decisions']:,} choices in {document['games']:,} games"
    ]
    lines += text_table(_held_out_rows(document["held_out"]))
    weights = compare_weights(document["weights"], document["standard_errors"])
    lines += weights["words"][weights["is_unusual"]].tolist()
    bids = document["bids"]
    if bids:
        gain = shown(bids["gain"], "+.4f")
        interval = span(bids["gain_within"], "+.4f")
        lines.append(f"{bids['bids']:,} bids, as the bidder +{bids['agent']}")
        lines.append(f"{gain} nats a bid below the population on held-out games (95%: {interval})")
    return "\n".join(lines)


def _held_out_rows(measured: Sequence[Document]) -> list[list[str]]:
    """Rows of a table: every model's losses, those that can't be known as dashes."""
    rows = [["model", "games seen", "log-loss", "95%", "top 1", "nats below population", "95%"]]
    for row in measured:
        rows.append(
            [
                row["model"],
                shown(row.get("fitted_games"), "d"),
                shown(row.get("log_loss"), ".4f"),
                _interval_text(row, "log_loss", ".4f"),
                shown(row.get("accuracy"), ".1%"),
                shown(row.get(POPULATION), "+.4f"),
                _interval_text(row, POPULATION, "+.4f"),
            ]
        )
    return rows


def _interval_text(row: Document, name: str, form: str) -> str:
    return span((row.get(f"{name}_low"), row.get(f"{name}_high")), form)


def _new_model(options: argparse.Namespace) -> Any:
    """The model to be fitted; options that it doesn't have are refused."""
    is_log_linear = options.model in LOG_LINEAR
    _refuse_given(options, ("sparsity", "permute_suits") if is_log_linear else ("polish",))
    training = _given(options, TRAINING)
    if is_log_linear and "epochs" in training:
        training["passes"] = training.pop("epochs")
    model = new_model(options.model, options.model, options.seed, **training)
    if not is_log_linear:
        _ = model.shape  # refuses a name that is no architecture before any work
    return model


def _given(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Those of the options that were given."""
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _refuse_given(options: argparse.Namespace, names: Sequence[str]) -> None:
    for name in _given(options, names):
        raise SpadesError(f"{options.model} has no --{name.replace('_', '-')}")


def _fit(
    model: Any, examples: Examples | ExampleParts, amount: str, options: argparse.Namespace
) -> Any:
    checkpoint = checkpoint_of(options.out)
    say(f"{amount} of {options.data.name}")
    with interruptible(say) as is_cancelled:
        try:
            return model.fit(
                examples,
                tell=lambda progress: say(progress.text()),
                is_cancelled=is_cancelled,
                checkpoint=checkpoint,
            )
        except CancelledError:
            if checkpoint.is_file():
                say("the training so far is kept: run the same command again to resume")
            raise KeyboardInterrupt from None


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Accuracy on cards and abstract moves, log-loss, calibration, illegal first choices. For
    simulated humans, whose probabilities are known, also the share of the best possible accuracy
    and the divergence from the truth."""
    parser.add_argument("model", metavar="MODEL", help="a model's name, or a .safetensors file")
    add_data(parser)
    add_seats(parser)


def run_evaluate(options: argparse.Namespace) -> Answer:
    (name,) = admitted_models([options.model])
    model = load_model(name)
    log, refusals = read_log(options.data)
    examples = examples_of_log(log.distinct(), options.seats)
    if not len(examples):
        raise InvalidRecordError(f"{options.data.name}: no play to predict")
    document = {
        "model": model.name,
        "file": options.data.name,
        "refused": refused_rows(options.data, refusals),
        "data_hash": data_hash(examples),
        **model_measures(model, examples),
        "equal_states": disagreement(examples),
    }
    return Answer(document, _evaluation_table, report_refused(document["refused"]))


MEASURES = {
    "accuracy": "share of decisions in which the likeliest card was played",
    "accuracy_moves": "share in which the likeliest abstract move was made",
    "ceiling": "best possible accuracy, from the true probabilities",
    "share_of_ceiling": "accuracy as a share of the best possible",
    "illegal_first": "share of decisions in which the likeliest card was illegal",
    "log_loss": "nats",
    "ece": "expected calibration error",
    "kl_to_truth": "nats, from the true probabilities",
}


def _evaluation_table(document: Document) -> str:
    players = "simulated humans" if document["simulated_humans"] else "players"
    lines = [
        f"{document['model']} on {document['decisions']:,} decisions of {players} in "
        f"{document['games']:,} games of {document['file']}"
    ]
    for name, meaning in MEASURES.items():
        value = shown(document[name], ".4f")
        interval = with_interval("", document["intervals"].get(name) or None, ".4f").strip()
        lines.append(f"{name:18} {value:>8}  {interval:18}  {meaning}")
    return "\n".join(lines)
