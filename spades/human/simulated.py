"""The simulated human: its parameters, read from the table that the calibration stored.

A stand-in: no log of human Spades is public. Cards are sampled from the log-linear model that
Devlin 2016 published plus three nil features (``devlin2016-nil``), bids from
``spades.human.bidder``. Free parameters are calibrated to three published marginals, and to
nothing else, by ``python -m analysis.models.calibrate_humans``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.human.bidder import Bidder
from spades.human.loglinear import DEVLIN_2016_WEIGHTS, LogLinearModel
from spades.human.nil_features import NIL_FEATURE_NAMES

TABLE = DATA / "tables" / "simulated_human.json"
COMMAND = "python -m analysis.models.calibrate_humans"
MODEL_NAME, AGENT = "devlin2016-nil", "human"
VERSION = 1
_LARGEST = 100.0


class CalibrationError(SpadesError):
    """The stored parameters of the simulated human are missing or can't be read."""


class SimulatedHuman(NamedTuple):
    """Bidder and weights of the card model, float64 (45,), in nats."""

    bidder: Bidder
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, bidder: Bidder, nil_weights: Mapping[str, float]) -> SimulatedHuman:
        """One whose cards follow Devlin 2016 with these weights for the nil features, by name."""
        model = LogLinearModel.from_weights(DEVLIN_2016_WEIGHTS | dict(nil_weights))
        return cls(bidder, model.weights_)


@lru_cache(maxsize=4)
def load_simulated_human(path: Path = TABLE) -> SimulatedHuman:
    """The calibrated simulated human; ``CalibrationError`` if the table isn't sound."""
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CalibrationError(f"{path} is missing; {COMMAND} makes it") from None
    except (OSError, ValueError) as error:
        raise CalibrationError(f"{path} can't be read ({error}); {COMMAND} makes it anew") from None
    if not isinstance(table, dict) or table.get("version") != VERSION:
        raise CalibrationError(f"{path} is no calibration of version {VERSION}; run {COMMAND}")
    bidder = _numbers(path, table, "bidder", Bidder._fields)
    nil_weights = _numbers(path, table, "nil_weights", NIL_FEATURE_NAMES)
    human = SimulatedHuman.of(Bidder(**bidder), nil_weights)
    human.weights.setflags(write=False)
    return human


def _numbers(path: Path, table: dict[str, Any], key: str, names: tuple[str, ...]) -> dict:
    """The part ``key`` of the table: exactly these names, each with a plausible number."""
    part = table.get(key)
    if not isinstance(part, dict) or set(part) != set(names):
        raise CalibrationError(f"{path}: {key} should give {', '.join(names)}; run {COMMAND}")
    for name, value in part.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and math.isfinite(value) and abs(value) <= _LARGEST):
            raise CalibrationError(f"{path}: {key}, {name} is {value!r}, not a number to play by")
    return {name: float(part[name]) for name in names}


def devlin2016_nil() -> LogLinearModel:
    """Devlin 2016 with three nil features; what simulated humans play by."""
    model = LogLinearModel(MODEL_NAME)
    model.weights_ = load_simulated_human().weights
    return model
