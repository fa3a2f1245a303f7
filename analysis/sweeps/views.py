"""A sweep's settings as the Tuning page draws them: series of a chart, families of a heat map."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.sweeps.published import published_in
from analysis.sweeps.report import setting_table
from analysis.sweeps.sweep import DIRECT, EXPERIENCE, KNOWLEDGE, NONE, Setting, plain


@dataclass(frozen=True)
class Measure:
    """A column of the settings' table: its names for people, its format, and its direction."""

    name: str
    label: str
    axis: str
    form: str
    more_is_better: bool = True


ACCURACY_ALL = Measure(
    "accuracy_all", "Accuracy, all plays", "human's card predicted, all plays", ".1%"
)
ACCURACY = Measure("accuracy", "Accuracy, choices", "human's card predicted, choices only", ".1%")
KL = Measure("kl", "KL divergence", "KL(humans ‖ agent), nats, 32 moves", ".3f", False)
KL_68 = Measure("kl_68", "KL by suit", "KL(humans ‖ agent), nats, 68 moves", ".3f", False)
WIN_RATE = Measure("win_rate", "Win rate", "games won against the unbiased search", ".1%")
TIME = Measure("time_ratio", "Time", "time a move, in times of the unbiased search's", ".2f", False)
CLOSENESS = {one.name: one for one in (ACCURACY_ALL, ACCURACY, KL, KL_68)}
"""What says how human a setting plays."""
HEAT = {one.name: one for one in (WIN_RATE, ACCURACY_ALL, ACCURACY, KL, KL_68, TIME)}

UNBIASED_NAME, DIRECT_NAME = "unbiased search", "direct imitation"
_DELAYS = {"root": math.inf, "inf": math.inf}


def view_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """The settings with what a chart needs: ``series``, its ``order`` in it, ``note`` at the point.

    ``paper``: the one that recommends this strength of bias, empty if none does. ``family``: what
    the settings of one heat map have in common. The unbiased search wins 50 % by definition.
    """
    table = setting_table(document)
    settings = [Setting.from_document(one["setting"]) for one in document["settings"]]
    series = _series(settings)
    is_unbiased = table["technique"] == NONE
    return table.assign(
        series=[name for name, _, _ in series],
        order=[order for _, order, _ in series],
        note=[note for _, _, note in series],
        family=[_family(one) for one in settings],
        paper=[published_in(one) or "" for one in settings],
        win_rate=table["win_rate"].mask(is_unbiased & (table.index == 0), 0.5),
    )


def _family(setting: Setting) -> str:
    if setting.technique not in (KNOWLEDGE, EXPERIENCE):
        return ""
    return f"{setting.technique}, {_rest(setting)}"


def _rest(setting: Setting) -> str:
    delay = "root only" if setting.delay == "root" else f"delay {setting.delay}"
    return f"{delay}, {setting.model}, {setting.thinks}"


def _series(settings: list[Setting]) -> list[tuple[str, float, str]]:
    """Of each setting the line it lies on, its place there, and the value that changes along it.

    Settings that differ in K only lie on one line, else those that differ in w or C_BT only, else
    in the delay only.
    """
    found: dict[Setting, tuple[str, float, str]] = {}
    for axis in ("k", "w", "c_bt", "delay"):
        groups: dict[tuple, list[Setting]] = {}
        for setting in settings:
            if setting not in found and getattr(setting, axis) is not None:
                groups.setdefault(_but(setting, axis), []).append(setting)
        for members in groups.values():
            if len(members) > 1:
                for setting in members:
                    found[setting] = (_line_name(setting, axis), *_place(setting, axis))
    return [found.get(setting) or (_name(setting), 0.0, "") for setting in settings]


def _but(setting: Setting, axis: str) -> tuple:
    return tuple(value for name, value in setting.document().items() if name != axis)


def _line_name(setting: Setting, axis: str) -> str:
    fixed = {
        "k": f"C_BT {plain(setting.c_bt)}, by K",
        "w": "experience, by w",
        "c_bt": f"K {plain(setting.k)}, by C_BT",
        "delay": f"{setting.strength}, by delay",
    }
    rest = _rest(setting)
    return f"{fixed[axis]}, {rest.partition(', ')[2] if axis == 'delay' else rest}"


def _place(setting: Setting, axis: str) -> tuple[float, str]:
    value = getattr(setting, axis)
    order = _DELAYS.get(str(value))
    return (float(value) if order is None else order), plain(value)


def _name(setting: Setting) -> str:
    if setting.technique == NONE:
        return UNBIASED_NAME
    if setting.technique == DIRECT:
        return f"{DIRECT_NAME}, {setting.model}"
    return f"{setting.strength}, {_rest(setting)}"


def shorter(names: list[str]) -> dict[str, str]:
    """Names of series without what all of a technique's have in common: model, delay, budget."""
    lines = [
        name.split(", ") for name in names if not name.startswith((UNBIASED_NAME, DIRECT_NAME))
    ]
    shared = set.intersection(*map(set, lines)) if lines else set()
    common = {part for part in shared if not part.startswith("by ")}
    short = {name: [part for part in name.split(", ") if part not in common] for name in names}
    return {name: ", ".join(parts) or name for name, parts in short.items()}


def families(table: pd.DataFrame) -> list[str]:
    """Families of two biased settings or more, the largest first."""
    sizes = table.loc[table["family"] != "", "family"].value_counts(sort=True)
    return sizes[sizes > 1].index.tolist()


def of_family(table: pd.DataFrame, family: str) -> pd.DataFrame:
    return table[table["family"] == family]
