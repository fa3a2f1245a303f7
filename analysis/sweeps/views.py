"""A sweep's settings as tables: numbers, series of a chart, families of a heat map; and what Devlin
2016 and Baier 2018 print of their settings, measured on real humans' play.

The papers' accuracies are over all plays, forced ones too (a random legal card is right in 44% of
them in Baier 2018, as in ours). Win rates are against each paper's own unbiased search of 2,500
iterations; that search's own, 50%, holds by definition.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from analysis.sweeps import sweep
from spades.core.options import plain
from spades.search import TECHNIQUES, Experience, Knowledge, Technique

DEVLIN = "Devlin 2016"
BAIER = "Baier 2018"
UNBIASED_NAME = "unbiased search"
DIRECT_NAME = "direct imitation"
_FIELDS = ("technique", *sweep.BIAS_OPTIONS, sweep.REWARD_SCALE)
_SECONDS = tuple(technique.second for technique in TECHNIQUES.values() if technique.second)
_NUMBERED_MODES = tuple(name for name in sweep.MODES if not sweep.AGENT_OPTIONS[name].choices)
_AXES = (*_SECONDS, *sweep.STRENGTHS, *_NUMBERED_MODES, sweep.REWARD_SCALE)
"""What may change along a line of a chart, the first that does on a setting's."""
_TEXTS = ("label", "technique", "model", "delay", "asked", "play", "budget", "agent", "key")
_NUMBERS = (
    ("accuracy", "accuracy.share", "accuracy.interval"),
    ("decisions", "accuracy.n", ""),
    ("gain", "accuracy.gain.value", "accuracy.gain.interval"),
    ("accuracy_all", "accuracy.all_plays.share", "accuracy.all_plays.interval"),
    ("plays", "accuracy.all_plays.n", ""),
    ("log_loss", "probabilities.log_loss.value", "probabilities.log_loss.interval"),
    ("ece", "probabilities.ece", "probabilities.ece_interval"),  # none yet: charts leave it out
    ("kl", "kl.value", "kl.interval"),
    ("kl_chance", "kl.chance", ""),
    ("auc", "auc.value", "auc.interval"),
    ("auc_choices", "auc.choices", ""),
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


class Measure(NamedTuple):
    """A column of the settings' table: its names for people, its format, and its direction."""

    name: str
    label: str
    axis: str
    form: str
    more_is_better: bool = True


_PREDICTED = "human's card predicted, "
ACCURACY_ALL = Measure("accuracy_all", "Accuracy, all plays", f"{_PREDICTED}all plays", ".1%")
ACCURACY = Measure("accuracy", "Accuracy, choices", f"{_PREDICTED}choices only", ".1%")
LOG_LOSS = Measure("log_loss", "Log-loss", "log-loss of the human's card, nats", ".3f", False)
ECE = Measure("ece", "Calibration error", "expected calibration error", ".1%", False)
KL = Measure("kl", "KL divergence", "KL(humans ‖ agent), nats, 32 moves", ".3f", False)
AUC = Measure("auc", "Told apart (AUC)", "AUC of telling the agent from humans", ".3f", False)
KL_68 = Measure("kl_68", "KL by suit", "KL(humans ‖ agent), nats, 68 moves", ".3f", False)
WIN_RATE = Measure("win_rate", "Win rate", "games won against the unbiased search", ".1%")
TIME = Measure("time_ratio", "Time", "time a move, in times of the unbiased search's", ".2f", False)
CHANCE_OF_AUC = 0.5
CLOSENESS = {one.name: one for one in (KL, AUC, ACCURACY_ALL, ACCURACY, LOG_LOSS, ECE, KL_68)}
"""What says how human a setting plays."""
OF_CARDS = (ACCURACY_ALL, ACCURACY, LOG_LOSS, ECE)
"""Those that ask for the human's very card; the others ask for a human's style."""


def other_view(measure: Measure) -> Measure:
    """What to show beside a measure of closeness, since the two may disagree: KL beside one of
    cards, accuracy beside one of style."""
    return KL if measure in OF_CARDS else ACCURACY


HEAT = {WIN_RATE.name: WIN_RATE, **CLOSENESS, TIME.name: TIME}


def setting_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """A row a setting, in the order of the sweep; what wasn't measured is missing.

    ``label``, the settings' fields, ``iterations`` as they were and ``budget`` (``iterations`` or
    ``equal time``); ``accuracy`` of ``decisions`` with more than one legal card, ``accuracy_all``
    of ``plays``; ``log_loss`` (nats) and ``ece`` of how likely it holds cards, on those decisions;
    ``kl`` over 32 classes, ``kl_68``, their ``kl_chance`` levels, ``style_plays`` of ``rounds``;
    ``auc`` of a discriminator of ``auc_choices`` of those plays (0.5 by chance, ``auc_chance``);
    ``win_rate`` of ``games``, with Clopper and Pearson's interval and ``_pairs``, over pairs;
    ``ms`` and ``unbiased_ms`` a move, ``time_ratio`` of them, ``model_calls``. Intervals are
    ``_low`` and ``_high``, 95%."""
    table = pd.DataFrame([_row(measured) for measured in document["settings"]])
    for name in table:
        if name not in _TEXTS:
            table[name] = pd.to_numeric(table[name])
    return table.assign(auc_chance=table["auc"].where(table["auc"].isna(), CHANCE_OF_AUC))


def _row(measured: Mapping[str, Any]) -> dict[str, Any]:
    setting = sweep.Setting.from_document(measured["setting"])
    row = {
        "label": setting.label,
        **{name: setting.values.get(name) for name in _FIELDS},
        "budget": setting.thinks if setting.is_equal_time else "iterations",
        "iterations": _iterations(measured["agent"]),
    }
    for name, value, interval in _NUMBERS:
        if value:
            row[name] = _at(measured, value)
        if interval:
            low, high = _at(measured, interval) or (None, None)
            row[f"{name}_low"] = low
            row[f"{name}_high"] = high
    return row | {"agent": measured["agent"], "key": measured["key"]}


def _at(measured: Mapping[str, Any], path: str) -> Any:
    """What lies under names joined by dots; None where it wasn't measured."""
    value: Any = measured
    for name in path.split("."):
        value = None if value is None else value.get(name)
    return value


def _iterations(agent: str) -> int | None:
    """Of an agent's text, which may be one that this code doesn't know."""
    written = re.search(r"[:,]iterations=(\d+)", agent)
    return int(written[1]) if written else None


def view_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """The settings with what a chart needs: ``series``, its ``order`` in it, ``note`` at the point.
    ``paper``: the one that recommends this strength of bias, empty if none does. ``family``: what
    the settings of one heat map have in common. The unbiased search wins 50% by definition."""
    table = setting_table(document)
    settings = [sweep.Setting.from_document(row["setting"]) for row in document["settings"]]
    series = pd.DataFrame(_series(settings), columns=["series", "order", "note"])
    is_unbiased = (table["technique"] == sweep.NONE) & (table.index == 0)
    return pd.concat([table, series], axis=1).assign(
        family=[f"{one.technique}, {one.rest}" if one.bias else "" for one in settings],
        paper=[published_in(one) or "" for one in settings],
        win_rate=table["win_rate"].mask(is_unbiased, 0.5),
    )


def _series(settings: list[sweep.Setting]) -> list[tuple[str, float, str]]:
    """Of each setting the line it lies on, its place there, and the value that changes along it.
    Settings of which only one of ``_AXES`` differs lie on one line."""
    lines: dict[sweep.Setting, tuple[str, float, str]] = {}
    for axis in _AXES:
        groups: dict[tuple, list[sweep.Setting]] = {}
        for setting in settings:
            values = setting.values
            if setting not in lines and values.pop(axis, None) is not None:
                groups.setdefault(tuple(values.items()), []).append(setting)
        for members in groups.values():
            if len(members) > 1:
                lines |= {setting: _on_line(setting, axis) for setting in members}
    return [lines.get(setting) or (_name(setting), 0.0, "") for setting in settings]


def _on_line(setting: sweep.Setting, axis: str) -> tuple[str, float, str]:
    """A line's name, the setting's place on it, and the value that changes along it."""
    value = setting.values[axis]
    place = math.inf if isinstance(value, str) else float(value)
    bias = setting.bias
    by = axis.replace("_", " ")
    first = setting.strength or UNBIASED_NAME
    if bias and axis in (bias.strength, bias.second):
        by = sweep.AGENT_OPTIONS[axis].label
        other = bias.strength if axis == bias.second else bias.second
        first = _option_text(setting, other) if other else bias.label
        rest = setting.rest
    elif axis == sweep.REWARD_SCALE:
        rest = replace(setting, reward_scale=None).rest
    else:
        parts = setting.rest.split(", ")
        rest = ", ".join(parts[1:])  # the first is the delay, which changes
    return f"{first}, by {by}, {rest}", place, plain(value)


def _option_text(setting: sweep.Setting, name: str) -> str:
    return f"{sweep.AGENT_OPTIONS[name].label} {plain(setting.values[name])}"


def _name(setting: sweep.Setting) -> str:
    if setting.imitated:
        return f"{DIRECT_NAME}, {setting.imitated}"
    if setting.bias is None:
        return UNBIASED_NAME
    return f"{setting.strength}, {setting.rest}"


def shorter(names: list[str]) -> dict[str, str]:
    """Names of series without what all of a technique's have in common: model, delay, budget."""
    parts = {name: name.split(", ") for name in names}
    special = (UNBIASED_NAME, DIRECT_NAME)
    lines = [set(parts[name]) for name in names if not name.startswith(special)]
    shared = set.intersection(*lines) if lines else set()
    common = {part for part in shared if not part.startswith("by ")}
    short = {}
    for name in names:
        own = [part for part in parts[name] if part not in common]
        short[name] = ", ".join(own) or name
    return short


def pareto(table: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """The settings that no other beats both in this measure and in wins, by their values alone, the
    most human one last."""
    sign = 1 if measure.more_is_better else -1
    rows = table.assign(close=sign * table[measure.name])
    rows = rows.dropna(subset=["close", "win_rate"])
    rows = rows.sort_values(["close", "win_rate"], ascending=False)
    best_before = rows["win_rate"].cummax().shift(fill_value=-math.inf)
    return rows[rows["win_rate"] > best_before].drop(columns="close").iloc[::-1]


def is_far_from_even(row: Mapping[str, Any]) -> bool:
    """Whether the 95% interval of a setting's win rate leaves out 50%: over pairs of games, where
    there is one."""
    name = "win_rate" if math.isnan(row["pairs_low"]) else "pairs"
    low = row[f"{name}_low"]
    high = row[f"{name}_high"]
    return bool(high < 0.5 or low > 0.5)  # false where missing


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """In what two sweeps' documents were measured otherwise, for people."""
    labels = {"log": "humans of", "iterations": "unbiased iterations"}
    texts = []
    for name in ("log", "iterations", "decisions", "rounds", "games", "seed"):
        value = first["plan"][name]
        other = second["plan"][name]
        if value != other:
            texts.append(f"{labels.get(name, name)} {value} and {other}")
    return "; ".join(texts)


def families(table: pd.DataFrame) -> list[str]:
    """Families of two biased settings or more, the largest first."""
    named = table.loc[table["family"] != "", "family"]
    sizes = named.value_counts(sort=True)
    return sizes[sizes > 1].index.tolist()


class PublishedPoint(NamedTuple):
    """A published agent: shares of 1, KL in nats; None where the paper doesn't say."""

    label: str
    source: str
    win_rate: float
    accuracy_all: float | None = None
    kl: float | None = None
    half_width: float | None = None  # of the win rate's 95% interval

    @property
    def text(self) -> str:
        return f"{self.source}: {self.label}"


POINTS = (
    PublishedPoint("unbiased", f"{DEVLIN}, table 1", 0.5, kl=0.1142),
    PublishedPoint("C_BT 0.03, K 1000", f"{DEVLIN}, table 1", 0.496, kl=0.0291, half_width=0.034),
    PublishedPoint("unbiased", f"{BAIER}, table I", 0.5, accuracy_all=0.582),
    PublishedPoint("direct imitation", f"{BAIER}, table I", 0.220, accuracy_all=0.711),
    PublishedPoint("C_BT 0.2, K 1000, root only", f"{BAIER}, IV-C", 0.452, accuracy_all=0.703),
    PublishedPoint("C_BT 0.5, K 100, root only", f"{BAIER}, IV-C", 0.475, accuracy_all=0.705),
    PublishedPoint("C_BT 1, K 10, root only", f"{BAIER}, IV-C", 0.465, accuracy_all=0.696),
    PublishedPoint("w 10, root only", f"{BAIER}, IV-C", 0.465, accuracy_all=0.696),
)


class PublishedTime(NamedTuple):
    """A row of Baier 2018, table II: ``delay`` of visits, time of a move relative to unbiased."""

    bias: Technique
    delay: int
    ratio: float
    model_calls: float
    iterations: int  # that take the unbiased search's time for 2,500


_UNBIASED_MS = 33.84
# delay, ms a move, calls of the model, iterations
_TABLE_2 = {
    Knowledge(c_bt=0.2, k=1000.0): (
        (1, 85.56, 343.17, 989),
        (5, 63.66, 173.70, 1329),
        (20, 45.88, 59.25, 1844),
        (100, 38.71, 13.53, 2185),
        (500, 35.68, 3.36, 2371),
        (2000, 35.46, 1.64, 2386),
    ),
    Experience(w=10): (
        (1, 83.71, 339.69, 1031),
        (5, 79.44, 305.27, 1086),
        (20, 49.97, 88.86, 1727),
        (100, 38.81, 13.64, 2223),
        (500, 36.53, 3.17, 2362),
        (2000, 35.37, 1.52, 2439),
    ),
}
TIMES = tuple(
    PublishedTime(bias, delay, ms / _UNBIASED_MS, calls, iterations)
    for bias, rows in _TABLE_2.items()
    for delay, ms, calls, iterations in rows
)


def published_in(setting: sweep.Setting) -> str | None:
    """The paper that recommends a bias of this strength, whatever model and delay."""
    if setting.bias is None:
        return None
    return next((row.paper for row in setting.bias.published if setting.bias.matches(row)), None)
