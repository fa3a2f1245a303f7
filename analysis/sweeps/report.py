"""Sweeps as text, as tables, and as files of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.sweeps.config import results_file
from analysis.sweeps.sweep import Setting, SweepError, SweepPlan
from analysis.text_tables import text_table

MAX_BYTES = 20_000_000
_FIELDS = ("technique", "model", "c_bt", "k", "w", "delay")
_TEXTS = ("label", "technique", "model", "delay", "budget", "agent", "key")
_NUMBERS = (
    ("accuracy", "accuracy.share", "accuracy.interval"),
    ("decisions", "accuracy.n", ""),
    ("gain", "accuracy.gain.value", "accuracy.gain.interval"),
    ("accuracy_all", "accuracy.all_plays.share", "accuracy.all_plays.interval"),
    ("plays", "accuracy.all_plays.n", ""),
    ("kl", "kl.value", "kl.interval"),
    ("kl_chance", "kl.chance", ""),
    ("kl_68", "kl.suits.value", "kl.suits.interval"),
    ("kl_68_chance", "kl.suits.chance", ""),
    ("rounds", "kl.rounds", ""),
    ("style_plays", "kl.plays", ""),
    ("win_rate", "match.win_rate", "match.interval"),
    ("pairs", "", "match.interval_pairs"),
    ("games", "match.games", ""),
    ("points", "match.points_difference.value", "match.points_difference.interval"),
    ("ms", "time.ms", ""),
    ("unbiased_ms", "time.unbiased_ms", ""),
    ("time_ratio", "time.ratio", "time.interval"),
    ("model_calls", "time.model_calls", ""),
)
"""Columns: where a setting's document has their value, and their interval."""
_HEAD = (
    *("", "setting", "cards predicted", "of all plays", "KL (nats)", "chance"),
    *("win rate", "games", "ms a move", "calls", ""),
)


def read_document(path: Path) -> dict[str, Any]:
    """A sweep's document; ``SweepError`` for a file that isn't one."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SweepError(f"{path.name} has more than {MAX_BYTES:,} bytes: no sweep has")
        document = json.loads(path.read_text("utf-8"))
        SweepPlan.from_document(document["plan"])
        setting_table(document)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise SweepError(f"{path.name} holds no results of a sweep ({error})") from None
    return dict(document)


def shipped_document(name: str) -> dict[str, Any] | None:
    """The results shipped with a sweep of ``data/sweeps``; None where there are none."""
    path = results_file(name)
    return read_document(path) if path.exists() else None


def setting_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a setting, in the order of the sweep; what wasn't measured is missing.

    ``label``, the settings' fields, ``iterations`` as they were and ``budget`` (``iterations`` or
    ``equal-time``); ``accuracy`` of ``decisions`` with more than one legal card, ``accuracy_all``
    of ``plays``; ``kl`` over 32 classes, ``kl_68``, their ``kl_chance`` levels, ``style_plays`` of
    ``rounds``; ``win_rate`` of ``games``, with Clopper and Pearson's interval and ``_pairs``, over
    pairs; ``ms`` and ``unbiased_ms`` a move, ``time_ratio`` of them, ``model_calls``. Intervals are
    ``_low`` and ``_high``, 95 %.
    """
    table = pd.DataFrame([_row(one) for one in document["settings"]])
    numbers = {name: pd.to_numeric(table[name]) for name in table if name not in _TEXTS}
    return table.assign(**numbers)


def _row(found: Mapping[str, Any]) -> dict[str, Any]:
    setting = Setting.from_document(found["setting"])
    row = {
        "label": setting.label,
        **{name: getattr(setting, name) for name in _FIELDS},
        "budget": setting.thinks if setting.is_equal_time else "iterations",
        "iterations": _iterations(found["agent"]),
    }
    for name, value, interval in _NUMBERS:
        if value:
            row[name] = _at(found, value)
        if interval:
            row[f"{name}_low"], row[f"{name}_high"] = _at(found, interval) or (None, None)
    return {**row, "agent": found["agent"], "key": found["key"]}


def _at(found: Mapping[str, Any], path: str) -> Any:
    """What lies under names joined by dots; None where it wasn't measured."""
    first, *rest = path.split(".")
    value = found[first]
    for name in rest:
        value = None if value is None else value.get(name)
    return value


def _iterations(agent: str) -> int | None:
    _, _, options = agent.partition(":")
    said = dict(item.partition("=")[::2] for item in options.partition("+")[0].split(","))
    return int(said["iterations"]) if "iterations" in said else None


def sweep_table(document: Mapping[str, Any]) -> str:
    """A sweep for people: a line a setting, 95 % intervals in brackets."""
    plan = document["plan"]
    rows = setting_table(document).astype(object).to_dict("records")
    humans = "simulated humans" if document["humans"] == "simulated-human" else "humans"
    return "\n".join(
        [
            f"{document['title']}: {len(rows)} settings, seed {plan['seed']}; {humans} of the log "
            f"{plan['log']}, held out",
            "",
            *text_table([_HEAD, *(_text_row(row) for row in rows)]),
            "",
            f"key {document['key']}  behaviour {document['code']}  {document['machine']}",
        ]
    )


def _text_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        "",
        row["label"],
        _value(row, "accuracy", ".1%"),
        _value(row, "accuracy_all", ".1%"),
        _value(row, "kl", ".4f"),
        _number(row["kl_chance"], ".4f"),
        _value(row, "win_rate", ".1%"),
        _number(row["games"], ",.0f"),
        _number(row["ms"], ".2f") + f" ({_number(row['time_ratio'], '.2f')} x)",
        _number(row["model_calls"], ".1f"),
        "",
    )


def _value(row: Mapping[str, Any], name: str, form: str) -> str:
    value, low, high = (row[key] for key in (name, f"{name}_low", f"{name}_high"))
    if _number(value, form) == "-":
        return "-"
    ends = f" [{low:{form}}, {high:{form}}]" if _number(low, form) != "-" else ""
    return f"{value:{form}}{ends}"


def _number(value: Any, form: str) -> str:
    return "-" if value is None or value != value else format(value, form)
