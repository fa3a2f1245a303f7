"""Estimates for settings that nobody measured, interpolated from those that were.

A Gaussian process over the settings of all sweeps that were measured alike, by scikit-learn, with
the kernel of Matern (nu 5/2) and a length for each axis. **Axes.** An option lies at its place
among its usual values, the stops of its slider: C_BT 0.03 is the fourth. Each technique with each
model, and each reading of when that is asked, has axes of its own: its strength and, multiplied
with that, its other options. At strength 0 all of them are the unbiased search, one point for all.
Iterations and points a reward are further axes, in doublings, on which one doubling is the length:
few were measured there, so that an estimate soon says that it doesn't know. **Values.** KL is
estimated by its logarithm and shares by their log-odds, each measured value with its own sampling
error. The human's card is estimated by its gain over the unbiased search on the same decisions,
which is surer than the share itself.

The interval of an estimate is of what many games would show. ``leave_one_out`` says how often it
holds what was measured, ``python -m experiments.check_estimate`` for the shipped sweeps.
"""

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit

from analysis.decisions.conclusion import INTERVAL_SE
from analysis.sweeps import views
from analysis.sweeps.sweep import AGENT_OPTIONS, DIRECT, NONE, REWARD_SCALE, Setting
from spades.core.kernel import FloatArray
from spades.core.options import Option
from spades.search.techniques.technique import NEVER

MEASURES = (views.KL, views.ACCURACY, views.WIN_RATE)
LENGTHS = (1.0, 12.0)  # stops over which a measure may change
NOISE = (1e-4, 0.3)  # of the variance of all settings, beside each one's sampling error
LEAST = 1e-3  # of a share, and of nats
LEAST_ERROR = 1e-3  # of what is known by definition
FAR = 0.5
"""An estimate that is so uncertain, of how far the settings lie apart, has no neighbours."""
NEIGHBOURS = 4


class Scale(NamedTuple):
    """On which a measure is estimated: from a value to it, and back."""

    of: Callable[[Any], Any]
    back: Callable[[Any], Any]


def _scale_of(measure: views.Measure) -> Scale:
    """Values at an end, such as no game won of a few, count as ``LEAST`` from it."""
    if measure.form.endswith("%"):
        return Scale(lambda share: logit(np.clip(share, LEAST, 1 - LEAST)), expit)
    return Scale(lambda nats: np.log(np.maximum(nats, LEAST)), np.exp)


class Estimate(NamedTuple):
    """Of a measure of a setting, with its 95% interval. ``is_far``: no setting near was measured,
    the interval is hardly narrower than over all settings."""

    value: float
    low: float
    high: float
    is_far: bool


@dataclass(frozen=True, eq=False)
class Measured:
    """Settings that were measured alike: the humans of one log, one unbiased search.

    ``settings``: those of all sweeps, one after another, of equal time with the iterations that it
    took; ``table``: their rows of ``views.view_table`` with ``sweep``, which of them it is."""

    settings: Sequence[Setting]
    table: pd.DataFrame

    @property
    def n_searches(self) -> int:
        """How many different agents that search there are."""
        return self.table.loc[self.table["technique"] != DIRECT, "agent"].nunique()

    def unbiased(self) -> pd.Series:
        """The unbiased search's row, of the sweep that played most rounds."""
        rows = self.table[self.table["technique"] == NONE]
        return rows.sort_values("rounds", kind="stable").iloc[-1]

    def unbiased_beside(self, row: pd.Series | None) -> pd.Series:
        """The unbiased search of the sweep that a row is of; without one, ``unbiased``."""
        if row is None or "sweep" not in row:
            return self.unbiased()
        is_beside = (self.table["technique"] == NONE) & (self.table["sweep"] == row["sweep"])
        return self.table[is_beside].iloc[0] if is_beside.any() else self.unbiased()

    def find(self, setting: Setting) -> pd.Series | None:
        """The row of a setting, of those with most games; None if it wasn't measured."""
        same = [i for i, one in enumerate(self.settings) if one == setting]
        rows = self.table.iloc[same].dropna(subset=["games"])
        if rows.empty:
            return None
        return rows.sort_values("games", kind="stable").iloc[-1]

    def once(self) -> pd.DataFrame:
        """The table with each agent once: its row of most games, then of most rounds. An agent of
        two sweeps plays the same deals in both."""
        by_size = self.table.sort_values(["games", "rounds"], kind="stable", na_position="first")
        return by_size.drop_duplicates("agent", keep="last").sort_index()


def measured_settings(
    documents: Iterable[Mapping[str, Any]], log: str, iterations: int
) -> Measured | None:
    """The settings of those sweeps that asked about the humans of a log, against the unbiased
    search of so many ``iterations``; None where that search itself wasn't measured."""
    tables: list[pd.DataFrame] = []
    settings: list[Setting] = []
    for document in documents:
        plan = document["plan"]
        if (plan["log"], plan["iterations"]) != (log, iterations):
            continue
        table = views.view_table(document)
        tables.append(table.assign(sweep=len(tables)))
        for row, n_iterations in zip(document["settings"], table["iterations"], strict=True):
            setting = Setting.from_document(row["setting"])
            if setting.is_equal_time:
                setting = replace(setting, iterations=int(n_iterations))
            settings.append(setting)
    if not any((table["technique"] == NONE).any() for table in tables):
        return None
    return Measured(settings, pd.concat(tables, ignore_index=True))


def stop_of(option: Option, value: Any) -> float:
    """The place of an option's value among its usual ones, from 0, between them by its logarithm;
    a number beyond them lies as far as the last two are apart."""
    usual = [stop for stop in option.usual if stop not in option.words]
    if str(value) in option.words:
        return float(option.usual.index(str(value)))
    places = [math.log1p(_number(stop, option)) for stop in usual]
    place = math.log1p(_number(value, option))
    after = min(max(1, int(np.searchsorted(places, place))), len(places) - 1)
    before = after - 1
    return before + (place - places[before]) / (places[after] - places[before])


def _number(value: Any, option: Option) -> float:
    """In units of the least usual value above 0, so that stops are spread evenly."""
    numbers = [float(stop) for stop in option.usual if stop not in option.words]
    return float(value) / min(number for number in numbers if number > 0)


class Axes:
    """Where settings lie: an array (settings, axes) of stops and doublings."""

    def __init__(self, settings: Iterable[Setting], iterations: int) -> None:
        self.iterations = iterations
        self._first: dict[tuple[str, ...], int] = {}  # axis of a kind of settings
        self.n = 2  # iterations, points a reward
        for setting in settings:
            kind = self._kind(setting)
            if setting.bias is not None and kind not in self._first:
                self._first[kind] = self.n
                self.n += len(self._options(setting))

    @staticmethod
    def _kind(setting: Setting) -> tuple[str, ...]:
        """What settings on the same axes share."""
        return setting.technique, setting.model, setting.asked

    @staticmethod
    def _options(setting: Setting) -> list[str]:
        """The strength, and what else a technique's settings differ in."""
        bias = setting.bias
        assert bias is not None
        others = [name for name in setting.values if name in AGENT_OPTIONS]
        plain = [name for name in others if AGENT_OPTIONS[name].usual and name != "iterations"]
        return [bias.strength, *(name for name in plain if name != bias.strength)]

    def has(self, setting: Setting) -> bool:
        """Whether any setting of its technique and model was measured."""
        return setting.bias is None or self._kind(setting) in self._first

    def lengths(self) -> list[tuple[float, float]]:
        """Limits of the length of every axis."""
        return [(1.0, 1.0)] * 2 + [LENGTHS] * (self.n - 2)

    def place(self, setting: Setting) -> FloatArray:
        place = np.zeros(self.n)
        assert isinstance(setting.iterations, int)
        place[0] = math.log2(setting.iterations / self.iterations)
        scale = setting.reward_scale or AGENT_OPTIONS[REWARD_SCALE].default
        place[1] = math.log2(scale / AGENT_OPTIONS[REWARD_SCALE].default)
        if setting.bias is None or setting.values.get("delay") == NEVER:
            return place
        first = self._first[self._kind(setting)]
        strength, *others = self._options(setting)
        values = setting.values
        strength_stop = stop_of(AGENT_OPTIONS[strength], values[strength])
        place[first] = strength_stop
        for i, name in enumerate(others, 1):
            option = AGENT_OPTIONS[name]
            share = stop_of(option, values[name]) / (len(option.usual) - 1)
            place[first + i] = strength_stop * share
        return place


@dataclass(frozen=True, eq=False)
class _Data:
    """A measure of the settings that have it, on its scale: ``values`` (n,), their sampling
    ``errors`` (n,), ``places`` (n, axes), ``rows`` (n,) of the table."""

    values: FloatArray
    errors: FloatArray
    places: FloatArray
    rows: NDArray[np.int64]

    def without(self, i: int) -> Self:
        kept = np.arange(len(self.values)) != i
        return type(self)(self.values[kept], self.errors[kept], self.places[kept], self.rows[kept])


def _data_of(measured: Measured, measure: views.Measure, axes: Axes) -> _Data:
    table = measured.table
    values = table[measure.name].to_numpy(float).copy()
    ends = [table[f"{measure.name}_{end}"].to_numpy(float) for end in ("low", "high")]
    if measure is views.ACCURACY:  # the unbiased search's own, and the gain over it
        usual = float(measured.unbiased()[measure.name])
        values = usual + table["gain"].to_numpy(float)
        ends = [usual + table[f"gain_{end}"].to_numpy(float) for end in ("low", "high")]
    is_counted = (table["technique"] != DIRECT).to_numpy() & table.index.isin(measured.once().index)
    rows = np.flatnonzero(is_counted & ~np.isnan(values))
    scale = _scale_of(measure)
    values = values[rows]
    low, high = (np.where(np.isnan(end[rows]), values, end[rows]) for end in ends)
    errors = (scale.of(high) - scale.of(low)) / (2 * INTERVAL_SE)
    places = np.array([axes.place(measured.settings[row]) for row in rows.tolist()])
    return _Data(scale.of(values), np.maximum(errors, LEAST_ERROR), places, rows)


class _Process:
    """A Gaussian process through the values of a measure."""

    def __init__(self, data: _Data, lengths: Sequence[tuple[float, float]]) -> None:
        # A second to import: pages that estimate nothing don't wait for it.
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

        self.mean = float(data.values.mean())
        self.spread = float(data.values.std()) or 1.0
        middle = [math.sqrt(low * high) for low, high in lengths]
        bounds = [(low, high * (1 + 1e-9)) for low, high in lengths]
        smooth = ConstantKernel(4.0, (0.3, 100.0)) * Matern(middle, bounds, nu=2.5)
        kernel = smooth + WhiteKernel(0.01, NOISE)
        errors = (data.errors / self.spread) ** 2
        self._process = GaussianProcessRegressor(kernel, alpha=errors)
        with warnings.catch_warnings():  # a length at its limit is no fault
            warnings.simplefilter("ignore")
            self._process.fit(data.places, (data.values - self.mean) / self.spread)
        fitted = self._process.kernel_
        self._noise = float(fitted.k2.noise_level)
        self._prior = math.sqrt(float(fitted.k1.k1.constant_value))

    def at(self, place: FloatArray) -> tuple[float, float, bool]:
        """Mean and standard deviation of a setting's value on the scale, and whether it is far."""
        mean, deviation = self._process.predict(place[None], return_std=True)
        smooth = math.sqrt(max(float(deviation[0]) ** 2 - self._noise, 0.0))
        is_far = smooth > FAR * min(self._prior, 1.0)
        return (
            self.mean + self.spread * float(mean[0]),
            self.spread * float(deviation[0]),
            is_far,
        )


class Estimator:
    """Estimates of settings by the measured ones."""

    def __init__(self, measured: Measured, iterations: int) -> None:
        self.axes = Axes(measured.settings, iterations)
        self._unbiased = measured.unbiased()
        self._processes = {}
        for measure in MEASURES:
            data = _data_of(measured, measure, self.axes)
            if len(data.values) > 1:
                self._processes[measure.name] = _Process(data, self.axes.lengths())

    def estimate(self, setting: Setting) -> dict[str, Estimate]:
        """Estimates by the measures' names; empty where nothing of the setting's technique and
        model was measured. A bias of strength 0 is the unbiased search, which was."""
        if not self.axes.has(setting):
            return {}
        place = self.axes.place(setting)
        if not place.any():
            return {measure.name: _measured(self._unbiased, measure) for measure in MEASURES}
        found = {}
        for measure in MEASURES:
            process = self._processes.get(measure.name)
            if process is not None:
                found[measure.name] = _estimate(measure, *process.at(place))
        return found


def _measured(row: pd.Series, measure: views.Measure) -> Estimate:
    """What a row says of a measure; a value by definition has no interval."""
    value = float(row[measure.name])
    low = float(row[f"{measure.name}_low"])
    high = float(row[f"{measure.name}_high"])
    if math.isnan(low):
        return Estimate(value, value, value, is_far=False)
    return Estimate(value, low, high, is_far=False)


def _estimate(
    measure: views.Measure, mean: float, deviation: float, is_far: bool = False
) -> Estimate:
    back = _scale_of(measure).back
    ends = (mean, mean - INTERVAL_SE * deviation, mean + INTERVAL_SE * deviation)
    value, low, high = (float(back(end)) for end in ends)
    return Estimate(value, low, high, is_far)


def leave_one_out(measured: Measured, iterations: int) -> pd.DataFrame:
    """Every measured setting of a bias estimated by all others, the process fitted anew without it.
    The unbiased search isn't left out: every sweep has it, and its win rate is 50% by definition.

    Columns: ``label``, ``measure``, ``measured``, ``estimate``, ``low`` and ``high`` of what a
    measurement of the same size shows, ``holds``, ``error`` (absolute) and ``spread``, how far the
    setting and its four nearest neighbours lie apart."""
    axes = Axes(measured.settings, iterations)
    rows = []
    for measure in MEASURES:
        data = _data_of(measured, measure, axes)
        back = _scale_of(measure).back
        values = back(data.values)
        for i, row in enumerate(data.rows.tolist()):
            if measured.settings[row].bias is None:
                continue
            mean, deviation, is_far = _Process(data.without(i), axes.lengths()).at(data.places[i])
            own = math.hypot(deviation, data.errors[i])
            found = _estimate(measure, mean, own, is_far)
            distances = np.abs(data.places - data.places[i]).sum(axis=1)
            near = values[np.argsort(distances, kind="stable")[: NEIGHBOURS + 1]]
            rows.append(
                {
                    "label": measured.table["label"].iloc[row],
                    "measure": measure.name,
                    "measured": values[i],
                    "estimate": found.value,
                    "low": found.low,
                    "high": found.high,
                    "holds": found.low <= values[i] <= found.high,
                    "error": abs(found.value - values[i]),
                    "spread": near.max() - near.min(),
                    "is_far": is_far,
                }
            )
    return pd.DataFrame(rows)
