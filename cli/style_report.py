"""What ``python -m spades style`` prints: groups, divergences, frequencies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from analysis.style.compare import (
    ALPHA,
    PUBLISHED_KL,
    Sample,
    compute_divergences,
    compute_frequencies,
    compute_groups,
    draw_samples,
)
from analysis.style.counts import PlayFilter, classify, groups_of, has_simulated
from analysis.text_tables import text_table
from spades.core.errors import InvalidRecordError, Refusal
from spades.core.logs import Log, concatenate
from spades.human.features.abstract_moves import DEFINITIONS_NOTE, N_MOVES
from spades.notation.log_store import ENDING

MAX_GROUPS = 12
MAX_REASONS = 10  # of refused rounds, said


def style_document(paths: Sequence[Path], by: str = "kind", classes: int = N_MOVES) -> dict:
    """What ``style --json`` prints (spec 6): the files' plays as one set, by kind, agent or player.

    Numbers that can't be known (an interval from one game) are null. At most ``MAX_GROUPS``
    groups, those with the most rounds; ``groups_left_out`` counts the others. ``refused``: rounds
    that were left out, by file and line. Raises ``InvalidRecordError`` where no file has a
    play.
    """
    refused: list[dict[str, Any]] = []
    data = []
    for path in paths:
        log, refusals = read_log_and_refusals(path)
        data.append(classify(log, path.name))
        refused += refused_rows(path, refusals)
    groups = groups_of(data, by)
    samples = draw_samples(data, groups[:MAX_GROUPS], PlayFilter())
    samples = [sample for sample in samples if sample.n_decisions]
    if not samples:
        raise InvalidRecordError(f"no play to compare in {', '.join(path.name for path in paths)}")
    return {
        "files": [path.name for path in paths],
        "refused": refused,
        "by": by,
        "classes": classes,
        "alpha": ALPHA,
        "units": {"kl": "nats", "js": "bits"},
        "simulated_humans": has_simulated(data),
        "groups": _group_rows(samples, classes),
        "groups_left_out": max(0, len(groups) - MAX_GROUPS),
        "kl": _pair_rows(samples, classes),
        "frequencies": _frequency_rows(samples, classes),
        "published_kl": PUBLISHED_KL,
        "note": DEFINITIONS_NOTE,
    }


def read_log_and_refusals(path: Path) -> tuple[Log, list[Refusal]]:
    """The rounds of a file that are legal, as a log, and what was refused."""
    logs: list[Log] = []
    refused: list[Refusal] = []
    for log, refusals in _parts_of(path):
        logs.append(log)
        refused += refusals
    if not any(map(len, logs)):
        reason = refused[0].reason if refused else "empty"
        raise InvalidRecordError(f"{path.name}: no round to read: {reason}")
    return concatenate(logs), refused


def _parts_of(path: Path) -> Iterator[tuple[Log, Sequence[Refusal]]]:
    from spades.notation import read_parts

    if path.suffix == ENDING:  # as arrays: no record is made of a row
        from spades.notation.parquet import read_log_parts

        for log, reasons in read_log_parts(path):
            yield log, [Refusal(row, reason) for row, reason in reasons.items()]
    else:
        for reading in read_parts(path):
            yield Log.from_records(reading.records), reading.refused


def refused_rows(path: Path, refusals: Sequence[Refusal]) -> list[dict[str, Any]]:
    """Refusals as a command's JSON document has them."""
    return [{"file": path.name, "line": r.line, "reason": r.reason} for r in refusals]


def refused_text(rows: Sequence[dict[str, Any]]) -> str:
    """What a command says of rounds that it left out: how many, and why the first of them."""
    lines = [f"{len(rows):,} refused and left out:"]
    for row in rows[:MAX_REASONS]:
        lines.append(f"{row['file']}: {Refusal(row['line'], row['reason'])}")
    more = len(rows) - MAX_REASONS
    return "\n".join(lines + ([f"and {more:,} more"] if more > 0 else []))


def _group_rows(samples: Sequence[Sample], classes: int) -> list[dict[str, Any]]:
    rows = compute_groups(samples, classes).to_dict("records")
    return [
        {
            "name": sample.group.value,
            "label": row["group"],
            "games": row["games"],
            "decisions": row["decisions"],
            "kl_halves": _known(row["kl_halves"]),
        }
        for sample, row in zip(samples, rows, strict=True)
    ]


def _pair_rows(samples: Sequence[Sample], classes: int) -> list[dict[str, Any]]:
    names = {sample.group.label: sample.group.value for sample in samples}
    return [
        {
            "of": names[row["of"]],
            "to": names[row["to"]],
            "classes": row["classes"],
            "kl": row["kl"],
            "interval": [_known(row["kl_low"]), _known(row["kl_high"])],
            "chance": _known(row["chance"]),
            "js": row["js"],
            "js_interval": [_known(row["js_low"]), _known(row["js_high"])],
        }
        for row in compute_divergences(samples, classes).to_dict("records")
    ]


def _frequency_rows(samples: Sequence[Sample], classes: int) -> list[dict[str, Any]]:
    names = {sample.group.label: sample.group.value for sample in samples}
    rows = compute_frequencies(samples, classes).to_dict("records")
    return [
        {name: _known(value) for name, value in row.items()} | {"group": names[row["group"]]}
        for row in rows
    ]


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


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
        low, high = row["interval"]
        bounds = "-" if low is None else f"{low:.4f} to {high:.4f}"
        pairs.append(
            (
                "",
                between,
                _digits(row["kl"]),
                bounds,
                _digits(row["chance"]),
                _digits(row["js"]),
                "",
            )
        )
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


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
