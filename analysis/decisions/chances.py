"""Chances as they come true: those of the network's rounds, calibrated on games.

Those at a table play otherwise than the network, so that a contract or a nil comes off more or less
often than in its rounds. The log-odds of a chance are a line in those of the rounds
(``Calibration``), by who is at the table, whether a nil is alive and the phase, for the own
contract, the opponents' and any nil. Fitted, and held against other games, by
``python -m experiments.fit_chances``. What the tricks taken so far have decided stays certain.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from analysis.decisions.trust import stratum_of
from spades.core.cards import partnership_of
from spades.core.documents import load_object, read_text
from spades.core.kernel import BoolArray, FloatArray
from spades.core.observation import Observation
from spades.core.paths import DATA
from spades.search.outcomes import N_MADE, NILS, outcome_table, seats_with_nil

PATH = DATA / "tables" / "chances.json"
OWN, THEIR, NIL = QUANTITIES = ("own contract", "their contract", "nil")
LEAST = 0.0005  # no chance from a thousand rounds is nearer to 0 or 1


class Calibration(NamedTuple):
    """A chance p becomes one with the log-odds ``offset + slope * log-odds(p)``."""

    offset: float
    slope: float

    def of(self, p: FloatArray) -> FloatArray:
        odds = self.offset + self.slope * log_odds(p)
        return 1 / (1 + np.exp(-odds))


def log_odds(p: FloatArray) -> FloatArray:
    kept = np.clip(p, LEAST, 1 - LEAST)
    return np.log(kept / (1 - kept))


def columns_by_quantity(seen: Observation) -> dict[str, list[int]]:
    """The columns of ``outcome_table`` that a quantity has for a seat to play."""
    own = partnership_of(seen.seat)
    nils = [NILS + seat for seat in seats_with_nil(seen)]
    return {OWN: [N_MADE + own], THEIR: [N_MADE + 1 - own], NIL: nils}


def decided_columns(seen: Observation) -> BoolArray:
    """Which outcomes, (8,), are the same however the round ends."""
    table = outcome_table(seen.rules, tuple(seen.table.bids), tuple(seen.table.tricks_taken))
    return np.ptp(table, axis=0) == 0


def calibrated(means: FloatArray, seen: Observation, players: str) -> FloatArray:
    """Mean outcomes (k, 8), columns as in ``outcome_table``, with their chances calibrated for
    tables of these ``players``, as the judge's deals name them."""
    calibrations = table_of_chances()[chance_stratum(seen, players)]
    is_open = ~decided_columns(seen)
    found = means.copy()
    for quantity, columns in columns_by_quantity(seen).items():
        for column in columns:
            if is_open[column]:
                found[:, column] = calibrations[quantity].of(means[:, column])
    return found


def chance_stratum(seen: Observation, players: str) -> str:
    """``human, late, nil``."""
    return f"{players}, {stratum_of(seen)}"


@lru_cache(maxsize=1)
def table_of_chances() -> dict[str, dict[str, Calibration]]:
    """By ``chance_stratum`` and quantity."""
    strata = load_object(read_text(PATH))["strata"]
    return {
        name: {quantity: Calibration(**row) for quantity, row in rows.items()}
        for name, rows in strata.items()
    }
