"""The command ``style``: groups of players, divergences between them, frequencies of moves."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.style import compare
from analysis.style.counts import PlayFilter, classify, groups_of, has_simulated
from analysis.text_tables import shown, span, text_table
from cli.main import Answer, finish, refused_rows
from spades.core.errors import InvalidRecordError
from spades.human.features.abstract_moves import DEFINITIONS_NOTE, N_MOVES
from spades.notation import read_log

MAX_GROUPS = 12


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
        "groups": _rows(rows),
        "groups_left_out": max(0, len(groups) - MAX_GROUPS),
        "kl": [_pair_row(row) for row in _rows(pairs)],
        "frequencies": _rows(frequencies.replace({"group": names})),
        "published_kl": compare.PUBLISHED_KL,
        "note": DEFINITIONS_NOTE,
    }


def _pair_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("of", "to", "classes", "kl")},
        "interval": [row["kl_low"], row["kl_high"]],
        "chance": row["chance"],
        "js": row["js"],
        "js_interval": [row["js_low"], row["js_high"]],
    }


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """A table for JSON: what can't be known is null."""
    return [
        {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
        for row in table.to_dict("records")
    ]


def style_table(document: dict[str, Any]) -> str:
    """The document for people."""
    groups = [("", "group", "games", "decisions", "")]
    groups += [
        ("", row["label"], f"{row['games']:,}", f"{row['decisions']:,}", "")
        for row in document["groups"]
    ]
    labels = {row["name"]: row["label"] for row in document["groups"]}
    pairs = [("", "KL (nats)", "", "95 %", "chance", "JS (bits)", "")]
    for row in document["kl"]:
        between = f"{labels[row['of']]} || {labels[row['to']]}"
        kl, chance, js = (shown(row[name], ".4f") for name in ("kl", "chance", "js"))
        pairs.append(("", between, kl, span(row["interval"], ".4f"), chance, js, ""))
    published = ", ".join(f"{name} {kl:.4f}" for name, kl in document["published_kl"].items())
    lines = [
        *text_table(groups),
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
