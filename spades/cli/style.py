"""The command ``style``: how groups of players differ in their abstract moves."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.style import compare
from analysis.style.counts import PlayFilter, classify, groups_of, has_simulated, pool
from analysis.text_tables import shown, span, text_table
from spades.cli.answer import Answer, refused_rows, report_refused
from spades.core.documents import without_nan
from spades.core.errors import InvalidRecordError
from spades.human.features.abstract_moves import DEFINITIONS_NOTE, N_MOVES
from spades.notation import read_log

MAX_GROUPS = 12


def add_style(parser: argparse.ArgumentParser) -> None:
    """How groups of players differ: frequencies of abstract moves, and Kullback-Leibler divergences
    with bootstrap intervals over games."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="logs, taken together")
    parser.add_argument(
        "--by",
        choices=("kind", "agent", "player"),
        default="kind",
        help="what makes a group: humans and agents (default), agents by text, players by name",
    )
    parser.add_argument(
        "--classes",
        type=int,
        choices=(32, 68),
        default=32,
        help="abstract moves told apart, 32 by default",
    )


def run_style(options: argparse.Namespace) -> Answer:
    document = style_document(options.files, options.by, options.classes)
    return Answer(document, style_table, report_refused(document["refused"]))


def style_document(
    paths: Sequence[Path], by: str = "kind", classes: int = N_MOVES
) -> dict[str, Any]:
    """What ``style --json`` prints: the plays of all files as one set, by kind, agent or player.

    Numbers that can't be known (an interval from one game) are null. At most ``MAX_GROUPS`` groups,
    those with the most rounds; ``groups_left_out`` counts the others. ``refused``: rounds that were
    left out, by file and line. Raises ``InvalidRecordError`` where no file has a play."""
    refused: list[dict[str, Any]] = []
    logs = []
    for path in paths:
        log, refusals = read_log(path)
        logs.append(classify(log, path.name))
        refused += refused_rows(path, refusals)
    logs = pool(logs)
    groups = groups_of(logs, by)
    samples = [
        sample
        for sample in compare.draw_samples(logs, groups[:MAX_GROUPS], PlayFilter())
        if sample.n_decisions
    ]
    if not samples:
        raise InvalidRecordError(f"no play to compare in {', '.join(path.name for path in paths)}")
    names = {sample.group.label: sample.group.value for sample in samples}
    group_table = compare.compute_groups(samples, classes).rename(columns={"group": "label"})
    group_table.insert(0, "name", group_table["label"].map(names))
    divergences = compare.compute_divergences(samples, classes).replace({"of": names, "to": names})
    frequencies = compare.compute_frequencies(samples, classes).replace({"group": names})
    return {
        "files": [path.name for path in paths],
        "refused": refused,
        "by": by,
        "classes": classes,
        "alpha": compare.ALPHA,
        "units": {"kl": "nats", "js": "bits"},
        "simulated_humans": has_simulated(logs),
        "rounds_repeated": sum(int(plays.repeated.sum()) for plays in logs),
        "groups": _rows_of(group_table),
        "groups_left_out": max(0, len(groups) - MAX_GROUPS),
        "kl": [_divergence_row(row) for row in _rows_of(divergences)],
        "frequencies": _rows_of(frequencies),
        "published_kl": compare.PUBLISHED_KL,
        "note": DEFINITIONS_NOTE,
    }


def _divergence_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "of": row["of"],
        "to": row["to"],
        "classes": row["classes"],
        "kl": row["kl"],
        "chance": row["chance"],
        "js": row["js"],
        "interval": [row["kl_low"], row["kl_high"]],
        "js_interval": [row["js_low"], row["js_high"]],
    }


def _rows_of(table: Any) -> list[dict[str, Any]]:
    """The rows of a data frame for JSON: NaN is null."""
    return [without_nan(row) for row in table.to_dict("records")]


def style_table(document: dict[str, Any]) -> str:
    """The document as text: groups, divergences between them, frequencies of abstract moves."""
    labels = {row["name"]: row["label"] for row in document["groups"]}
    lines = text_table(_group_rows(document))
    if document["rounds_repeated"]:
        lines.append(f"  {document['rounds_repeated']:,} rounds repeat another and count once")
    if document["groups_left_out"]:
        lines.append(f"  and {document['groups_left_out']} more")
    lines += ["", *text_table(_divergence_rows(document, labels))]
    published = ", ".join(f"{name} {kl:.4f}" for name, kl in document["published_kl"].items())
    lines.append(f"published (Devlin 2016, agents against real humans): {published}")
    if document["simulated_humans"]:
        lines.append("the humans here are simulated")
    lines += ["", *text_table(_frequency_rows(document, labels))]
    return "\n".join(line.rstrip() for line in lines)


def _group_rows(document: dict[str, Any]) -> list[list[str]]:
    rows = [["", "group", "games", "decisions", ""]]
    for group in document["groups"]:
        rows.append(["", group["label"], f"{group['games']:,}", f"{group['decisions']:,}", ""])
    return rows


def _divergence_rows(document: dict[str, Any], labels: dict[str, str]) -> list[list[str]]:
    rows = [["", "KL (nats)", "", "95%", "chance", "JS (bits)", ""]]
    for row in document["kl"]:
        rows.append(
            [
                "",
                f"{labels[row['of']]} || {labels[row['to']]}",
                shown(row["kl"], ".4f"),
                span(row["interval"], ".4f"),
                shown(row["chance"], ".4f"),
                shown(row["js"], ".4f"),
                "",
            ]
        )
    return rows


def _frequency_rows(document: dict[str, Any], labels: dict[str, str]) -> list[list[str]]:
    """A row an abstract move, a column a group: share of all plays."""
    shares: dict[str, dict[str, float]] = {}
    for row in document["frequencies"]:
        shares.setdefault(row["move"], {})[row["group"]] = row["share"]
    rows = [["", f"share of plays, {document['classes']} classes", *labels.values(), ""]]
    for move, by_group in shares.items():
        rows.append(["", move, *(f"{by_group[name]:.2%}" for name in labels), ""])
    return rows
