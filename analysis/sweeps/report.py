"""Sweeps as text, as tables, and as files of JSON."""

from __future__ import annotations

import json
import secrets
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
_HEAD = (
    *("", "setting", "cards predicted", "of all plays", "KL (nats)", "chance"),
    *("win rate", "games", "ms a move", "calls", ""),
)


def json_text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, allow_nan=False)


def write_document(document: Mapping[str, Any], path: Path) -> None:
    """Write a sweep's document, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        temporary.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", "utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


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
    return {
        "label": setting.label,
        **{name: getattr(setting, name) for name in _FIELDS},
        "budget": setting.thinks if setting.is_equal_time else "iterations",
        "iterations": _iterations(found["agent"]),
        **_accuracy_columns(found["accuracy"]),
        **_style_columns(found["kl"]),
        **_match_columns(found["match"]),
        **_time_columns(found["time"]),
        "agent": found["agent"],
        "key": found["key"],
    }


def _iterations(agent: str) -> int | None:
    _, _, options = agent.partition(":")
    said = dict(item.partition("=")[::2] for item in options.partition("+")[0].split(","))
    return int(said["iterations"]) if "iterations" in said else None


def _ends(name: str, interval: Any) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _accuracy_columns(found: Mapping[str, Any] | None) -> dict[str, Any]:
    found = found or _NO_ACCURACY
    gain, whole = found["gain"] or _NO_VALUE, found["all_plays"]
    return {
        "accuracy": found["share"],
        **_ends("accuracy", found["interval"]),
        "decisions": found["n"],
        "gain": gain["value"],
        **_ends("gain", gain["interval"]),
        "accuracy_all": whole["share"],
        **_ends("accuracy_all", whole["interval"]),
        "plays": whole["n"],
    }


def _style_columns(found: Mapping[str, Any] | None) -> dict[str, Any]:
    found = found or _NO_STYLE
    suits = found["suits"]
    return {
        "kl": found["value"],
        **_ends("kl", found["interval"]),
        "kl_chance": found["chance"],
        "kl_68": suits["value"],
        **_ends("kl_68", suits["interval"]),
        "kl_68_chance": suits["chance"],
        "rounds": found["rounds"],
        "style_plays": found["plays"],
    }


def _match_columns(found: Mapping[str, Any] | None) -> dict[str, Any]:
    found = found or _NO_MATCH
    return {
        "win_rate": found["win_rate"],
        **_ends("win_rate", found["interval"]),
        **_ends("pairs", found["interval_pairs"]),
        "games": found["games"],
        "points": found["points_difference"]["value"],
        **_ends("points", found["points_difference"]["interval"]),
    }


def _time_columns(found: Mapping[str, Any] | None) -> dict[str, Any]:
    found = found or dict.fromkeys(("ms", "unbiased_ms", "ratio", "model_calls"))
    interval = found.get("interval")  # sweeps of before it was measured have none
    return {
        "ms": found["ms"],
        "unbiased_ms": found["unbiased_ms"],
        "time_ratio": found["ratio"],
        **_ends("time_ratio", interval),
        "model_calls": found["model_calls"],
    }


_NO_VALUE: dict[str, Any] = {"value": None, "interval": None}
_NO_SHARE: dict[str, Any] = {"share": None, "interval": None, "n": None}
_NO_ACCURACY: dict[str, Any] = {**_NO_SHARE, "all_plays": _NO_SHARE, "gain": None}
_NO_SUITS: dict[str, Any] = {**_NO_VALUE, "chance": None}
_NO_STYLE: dict[str, Any] = {**_NO_SUITS, "suits": _NO_SUITS, "rounds": None, "plays": None}
_NO_MATCH: dict[str, Any] = {
    "win_rate": None,
    "interval": None,
    "interval_pairs": None,
    "games": None,
    "points_difference": _NO_VALUE,
}


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
            f"key {document['key']}  code {document['code']}  tables {document['tables']}  "
            f"{document['machine']}",
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
