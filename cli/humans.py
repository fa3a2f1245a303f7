"""The commands ``train``, ``evaluate``, ``corpus``, ``style``: what logs say of human play."""

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.models.measures import disagreement, model_measures
from analysis.models.training import LOG_LINEAR, new_model
from analysis.people.fitting import fit_player
from analysis.people.held_out import POPULATION
from analysis.people.unusual import compare_weights
from analysis.runs.command import interruptible, say
from analysis.style import compare
from analysis.style.counts import PlayFilter, classify, groups_of, has_simulated, pool
from analysis.text_tables import shown, span, text_table
from cli.main import Answer, add_seed, finish, refused_rows
from spades.core.documents import without_nan
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log
from spades.human import corpus as corpora
from spades.human import find_model
from spades.human.features.abstract_moves import DEFINITIONS_NOTE, N_MOVES
from spades.human.features.logs import ALL_SEATS, HUMANS, data_hash, examples_of_log
from spades.human.files import ENDING, checkpoint_of
from spades.human.model import CancelledError
from spades.notation import read_log
from spades.notation.log_store import open_log, safe_name

MAX_GROUPS = 12
PERSON = "person"
TRAINING = ("epochs", "batch", "learning_rate", "sparsity", "permute_suits", "polish")


def add_train(parser: argparse.ArgumentParser) -> None:
    """Fit a model to the plays of humans and simulated humans in a log; a share of its games is
    held out for early stopping. Networks: 200, 200-100, t-200, t-200-100, t-200-150-100, t-c-200,
    t-c-200-100, t-cA-200, t-cA-200-100 (Baier 2018), abstract-200, h-160-96-128-96 (ours), or
    others named alike. log-linear: the 42 features of Devlin 2016; log-linear-nil: three more.
    person: one player of the log, --player NAME, whose weights are those of the population but for
    what the player's choices say; no options of a training. A
    file stored in data/models is known by its name. Resumable: interrupted or
    killed, the same command goes on after the last pass that was done."""
    parser.add_argument("model", metavar="MODEL")
    _add_log(parser)
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.safetensors")
    add_seed(parser)
    parser.add_argument("--player", metavar="NAME", help="person: whose model")
    parser.add_argument("--epochs", type=int, metavar="N", help="passes over the data, at most")
    parser.add_argument("--batch", type=int, metavar="N", help="examples of a step")
    parser.add_argument("--learning-rate", type=float, metavar="R")
    parser.add_argument("--sparsity", type=float, metavar="X", help="price of active hidden units")
    switch: dict[str, Any] = {"action": "store_true", "default": None}
    parser.add_argument("--permute-suits", help="rename side suits at random", **switch)
    parser.add_argument("--polish", help="log-linear: Newton steps at the end", **switch)


def _add_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="a log")
    parser.add_argument("--seats", choices=(HUMANS, ALL_SEATS), default=HUMANS)


def run_train(options: argparse.Namespace) -> Answer:
    is_person = options.model == PERSON
    if is_person == (options.player is None):
        raise SpadesError(f"--player NAME says whose model {PERSON} is; no other has it")
    model = _new_model(options)
    if options.out.suffix != ENDING:
        raise SpadesError(f"{options.out.name}: models are stored as {ENDING} files")
    whole, refusals = read_log(options.data)
    log, refused = whole.distinct(), refused_rows(options.data, refusals)
    status = finish(refused)
    model = _fit_person(log, options) if is_person else _fit(model, log, options)
    model.facts_["data"]["log"] = options.data.stem
    model.save(options.out)
    say(f"{model.name} written to {options.out}")
    document = {"model": model.name, "written": str(options.out), "file": options.data.name}
    document |= {"refused": refused}
    if not is_person:
        return Answer({**document, "metrics": model.facts_}, status=status)
    data = model.facts_["data"]
    found = {"weights": model.weights_.tolist(), **model.facts_, "games": data["games"]}
    return Answer({**document, **found, "decisions": data["examples"]}, person_table, status)


def _fit_person(log: Log, options: argparse.Namespace) -> Any:
    player, name = options.player, options.out.stem
    with interruptible(say) as is_cancelled:
        fitted = fit_player(log, player, name, tell=lambda _: None, is_cancelled=is_cancelled)
    if fitted is None:
        raise KeyboardInterrupt
    return fitted


def person_table(document: dict[str, Any]) -> str:
    """Losses on choices held out, and what is unusual about the player."""
    rows = [["model", "games seen", "log-loss", "95%", "top 1", "nats below population", "95%"]]
    for row in document["held_out"]:
        cells = [row["model"], shown(row.get("fitted_games"), "d")]
        for name, form in (("log_loss", ".4f"), ("accuracy", ".1%"), (POPULATION, "+.4f")):
            low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
            cells.append(shown(row.get(name), form))
            cells += [span(low and (low, high), form)] * (name != "accuracy")
        rows.append(cells)
    weights = compare_weights(document["weights"], document["standard_errors"])
    n = f"{document['decisions']:,} choices in {document['games']:,} games"
    words = weights["words"][weights["is_unusual"]].tolist()
    if bids := document["bids"]:
        words.append(f"{bids['bids']:,} bids, as the bidder +{bids['agent']}")
        gain = f"{shown(bids['gain'], '+.4f')} nats a bid", span(bids["gain_within"], "+.4f")
        words.append(f"below the population on games held out: {gain[0]} (95%: {gain[1]})")
    return "\n".join([f"{document['player']}: {n}", *text_table(rows), *words])


def _fit(model: Any, log: Log, options: argparse.Namespace) -> Any:
    examples, checkpoint = examples_of_log(log, options.seats), checkpoint_of(options.out)
    say(f"{len(examples):,} plays of {options.data.name}")
    with interruptible(say) as is_cancelled:
        try:
            return model.fit(
                examples,
                tell=lambda made: say(made.text()),
                is_cancelled=is_cancelled,
                checkpoint=checkpoint,
            )
        except CancelledError:
            if checkpoint.is_file():
                say("what was trained is kept: run the same command again to resume")
            raise KeyboardInterrupt from None


def _new_model(options: argparse.Namespace) -> Any:
    """The model to be fitted, None of a person; options that it doesn't have are refused."""
    if options.model == PERSON:
        _refuse_given(options, TRAINING)
        return None
    given = {k: v for k in TRAINING if (v := getattr(options, k)) is not None}
    is_log_linear = options.model in LOG_LINEAR
    lacking = ("sparsity", "permute_suits") if is_log_linear else ("polish",)
    _refuse_given(options, lacking)
    if is_log_linear and "epochs" in given:
        given["passes"] = given.pop("epochs")
    model = new_model(options.model, options.model, options.seed, **given)
    if not is_log_linear:
        _ = model.shape  # refuses a name that is no architecture before any work
    return model


def _refuse_given(options: argparse.Namespace, names: Sequence[str]) -> None:
    for name in names:
        if getattr(options, name) is not None:
            raise SpadesError(f"{options.model} has no --{name.replace('_', '-')}")


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Accuracy on cards and abstract moves, log-loss, calibration, illegal first choices; and of
    simulated humans, whose probabilities are known, the share of the best possible accuracy and the
    divergence from the truth."""
    parser.add_argument("model", metavar="MODEL", help="a model's name, or a .safetensors file")
    _add_log(parser)


def run_evaluate(options: argparse.Namespace) -> Answer:
    name, data = options.model, options.data
    model = find_model(name)
    log, refusals = read_log(data)
    examples = examples_of_log(log.distinct(), options.seats)
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
        interval = document["intervals"].get(name)
        within = f"[{interval[0]:.4f}, {interval[1]:.4f}]" if interval else ""
        lines.append(f"{name:18} {shown(document[name], '.4f'):>8}  {within:18} {meaning}")
    return "\n".join(lines)


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Make a corpus of a log's unforced plays: feature vectors of the states and of the actions
    taken (Dobre and Lascarides 2015), computed once and stored. Agents know one that lies in
    data/corpora by its name: flat-ucb:seed=corpus,corpus=NAME. Without --data: list the corpora
    that there are."""
    parser.add_argument("--data", metavar="LOG", help="a file, or a log's name in the store")
    parser.add_argument("--name", metavar="NAME", help="of the corpus; by default like the log")
    parser.add_argument("--games", type=int, metavar="N", help="the log's first N games, else all")
    parser.add_argument("--pairs", type=int, metavar="N", help="N plays, drawn at random, else all")
    parser.add_argument("--seats", choices=(HUMANS, ALL_SEATS), default=HUMANS)
    add_seed(parser)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="data/corpora by default")


def run_corpus(options: argparse.Namespace) -> Answer:
    if options.data is None:
        return Answer(_corpora_document(), _corpora_table)
    path = Path(options.data)
    # A log by its file, or by its name in the store.
    log, refusals = read_log(path) if path.is_file() else (open_log(options.data), [])
    source, refused = path.name if path.is_file() else options.data, refused_rows(path, refusals)
    status = finish(refused)
    document = {"corpora": [_row_of(_built(log, source, options))], "refused": refused}
    return Answer(document, lambda made: _corpora_table({**made, "refused": []}), status)


def _built(log: Log, source: str, options: argparse.Namespace) -> corpora.Corpus:
    name = corpora.CORPORA.safe_name(options.name or safe_name(source))
    choice = {key: getattr(options, key) for key in ("seats", "games", "pairs", "seed")}
    corpus = corpora.build_corpus(log.distinct(), name, source=source, **choice)
    path = (options.out or corpora.CORPORA.folder()) / f"{name}{ENDING}"
    corpora.write_corpus(path, corpus, command=command_of(name, source, choice))
    say(f"{len(corpus):,} pairs written to {path}")
    return corpora.read_corpus(path)


def command_of(name: str, source: str, choice: dict[str, Any]) -> str:
    words = " ".join(f"--{key} {value}" for key, value in choice.items() if value is not None)
    return f"python -m spades corpus --data {shlex.quote(source)} --name {name} {words}"


def _row_of(corpus: corpora.Corpus) -> dict[str, Any]:
    return {"name": corpus.name, **corpus.facts, "hash": corpus.hash}


def _corpora_document() -> dict[str, Any]:
    """What ``corpus --json`` prints: every corpus of the folder, and files that can't be read."""
    rows: list[dict[str, Any]] = []
    refused: list[str] = []
    for name in corpora.CORPORA.names():
        try:
            rows.append(_row_of(corpora.load_corpus(name)))
        except corpora.CorpusError as error:
            refused.append(str(error))
    return {"corpora": rows, "refused": refused}


def _corpora_table(document: dict[str, Any]) -> str:
    rows = [["corpus", "log", "games", "pairs", "hash", "pairs by player"]]
    for row in document["corpora"]:
        players = ", ".join(f"{kind} {n:,}" for kind, n in row["players"].items())
        counts = f"{row['games']:,}", f"{row['pairs']:,}"
        rows.append([row["name"], row["log"], *counts, row["hash"], players])
    lines = text_table(rows) if document["corpora"] else ["no corpus"]
    return "\n".join([*lines, *(f"refused: {reason}" for reason in document["refused"])])


def add_style(parser: argparse.ArgumentParser) -> None:
    """How groups of players differ: frequencies of abstract moves and Kullback-Leibler divergences
    with bootstrap intervals over games."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--by", choices=("kind", "agent", "player"), default="kind")
    parser.add_argument("--classes", type=int, choices=(32, 68), default=32)


def run_style(options: argparse.Namespace) -> Answer:
    document = style_document(options.files, options.by, options.classes)
    return Answer(document, style_table, finish(document["refused"]))


def style_document(paths: Sequence[Path], by: str = "kind", classes: int = N_MOVES) -> dict:
    """What ``style --json`` prints (spec 6): the files' plays as one set, by kind, agent or player.

    Numbers that can't be known (an interval from one game) are null. At most ``MAX_GROUPS`` groups,
    those with the most rounds; ``groups_left_out`` counts the others. ``refused``: rounds that were
    left out, by file and line. Raises ``InvalidRecordError`` where no file has a play."""
    refused: list[dict[str, Any]] = []
    data = []
    for path in paths:
        log, refusals = read_log(path)
        data.append(classify(log, path.name))
        refused += refused_rows(path, refusals)
    data = pool(data)
    groups = groups_of(data, by)
    samples = compare.draw_samples(data, groups[:MAX_GROUPS], PlayFilter())
    samples = [sample for sample in samples if sample.n_decisions]
    if not samples:
        raise InvalidRecordError(f"no play to compare in {', '.join(path.name for path in paths)}")
    names = {sample.group.label: sample.group.value for sample in samples}
    rows = compare.compute_groups(samples, classes).rename(columns={"group": "label"})
    rows.insert(0, "name", rows["label"].map(names))
    pairs = compare.compute_divergences(samples, classes).replace({"of": names, "to": names})
    frequencies = compare.compute_frequencies(samples, classes)
    return {
        "files": [path.name for path in paths],
        "refused": refused,
        "by": by,
        "classes": classes,
        "alpha": compare.ALPHA,
        "units": {"kl": "nats", "js": "bits"},
        "simulated_humans": has_simulated(data),
        "rounds_repeated": sum(int(plays.repeated.sum()) for plays in data),
        "groups": _rows(rows),
        "groups_left_out": max(0, len(groups) - MAX_GROUPS),
        "kl": [_pair_row(row) for row in _rows(pairs)],
        "frequencies": _rows(frequencies.replace({"group": names})),
        "published_kl": compare.PUBLISHED_KL,
        "note": DEFINITIONS_NOTE,
    }


def _pair_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("of", "to", "classes", "kl", "chance", "js")},
        "interval": [row["kl_low"], row["kl_high"]],
        "js_interval": [row["js_low"], row["js_high"]],
    }


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table for JSON: what can't be known is null."""
    return [without_nan(row) for row in table.to_dict("records")]


def style_table(document: dict[str, Any]) -> str:
    groups = [("", "group", "games", "decisions", "")]
    groups += [
        ("", row["label"], f"{row['games']:,}", f"{row['decisions']:,}", "")
        for row in document["groups"]
    ]
    labels = {row["name"]: row["label"] for row in document["groups"]}
    pairs = [("", "KL (nats)", "", "95%", "chance", "JS (bits)", "")]
    for row in document["kl"]:
        between = f"{labels[row['of']]} || {labels[row['to']]}"
        kl, chance, js = (shown(row[name], ".4f") for name in ("kl", "chance", "js"))
        pairs.append(("", between, kl, span(row["interval"], ".4f"), chance, js, ""))
    published = ", ".join(f"{name} {kl:.4f}" for name, kl in document["published_kl"].items())
    repeated = document["rounds_repeated"]
    lines = [
        *text_table(groups),
        *([f"  {repeated:,} rounds repeat another and count once"] if repeated else []),
        *([f"  and {document['groups_left_out']} more"] if document["groups_left_out"] else []),
        "",
        *text_table(pairs),
        f"published (Devlin 2016, agents against real humans): {published}",
        *(["the humans here are simulated"] if document["simulated_humans"] else []),
        "",
        *text_table(_frequency_table(document, labels)),
    ]
    return "\n".join(line.rstrip() for line in lines)


def _frequency_table(document: dict[str, Any], labels: dict[str, str]) -> list[tuple[str, ...]]:
    """A row an abstract move, a column a group: share of all plays."""
    shares: dict[str, dict[str, float]] = {}
    for row in document["frequencies"]:
        shares.setdefault(row["move"], {})[row["group"]] = row["share"]
    head = ("", f"share of plays, {document['classes']} classes", *labels.values(), "")
    return [
        head,
        *(("", move, *(f"{row[name]:.2%}" for name in labels), "") for move, row in shares.items()),
    ]
