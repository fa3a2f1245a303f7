"""The two readings of a nil's third card (``spades.bidding.hands.nil_table``) on the same hands.

Nils are tried on hands as they are dealt, because the readings would bid nil on different hands. In
half of the rounds the other seats bid as BIS by one reading, in the rest by the other. Scored, in
the measures of ``experiments.nil_scores``, are the hands to which neither reading denies nil: all
of them, and those worth a nil by the curve of either. The nils made are counted by tenth of the nil
value. ``python -m experiments.fit_nil_curves`` stores this."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.nil.rates import bin_of, values_of
from analysis.nil.scores import NilScoresError
from experiments.nil_scores import by_curves, by_value, compared
from experiments.trials import STRONG, Trials, context_before_fits, simulate_trials
from spades.bidding.auction import BidContext, bidder_options
from spades.bidding.curves import COMMAND, TABLE, SuccessCurves, load_regular_fit
from spades.bidding.hands import THIRD_CARD, nil_tables
from spades.core.cards import STANDARD
from spades.core.documents import Document, read_json
from spades.core.kernel import BoolArray, FloatArray
from spades.core.paths import stored_table
from spades.core.rules import Rules

READINGS = TABLE.with_name("nil_readings.json")
AGENTS = {"printed": STRONG, "pattern": f"{STRONG}:third_card=pattern"}
N_TENTHS = 10
SEED = 30408
DENIED = 1e-9  # a nil value up to this is 0 but for rounding
ALL = "all"
WORTH_A_NIL = "worth a nil by either"
NIL_CHANCE = (1.0 + bidder_options().threshold / Rules().numbers.nil) / 2.0  # at the threshold


def term_context(curves: FloatArray | None = None) -> BidContext:
    """Bidding with the fitted term of the previous bids and these curves; without curves, with the
    nil value."""
    return context_before_fits(Rules(), curves=curves, **load_regular_fit()._asdict())


def readings_document(curves: Mapping[str, SuccessCurves], n: int) -> Document:
    """Scores of both readings on n rounds. ``curves`` by reading, those of the bidders too."""
    trials = by_reading(curves, n)
    made = trials["printed"].made
    of_value = {name: by_value(reading) for name, reading in trials.items()}
    of_curves = {name: by_curves(curves[name], reading) for name, reading in trials.items()}
    groups = {
        ALL: np.ones(len(made), np.bool_),
        WORTH_A_NIL: np.maximum(*of_curves.values()) > NIL_CHANCE,
    }
    scores = {
        group: {
            "value": scores_of_group(of_value, made, rows),
            "curves": scores_of_group(of_curves, made, rows),
        }
        for group, rows in groups.items()
    }
    return {
        "version": 1,
        "command": COMMAND,
        "what": "nils tried on hands as dealt to which neither reading of the third card denies "
        "it; BIS bids, the strong rule-based player plays; simulated rounds",
        "rounds": n,
        "nils": len(made),
        "scores": scores,
        "tenths": {name: count_tenths(reading) for name, reading in trials.items()},
    }


def scores_of_group(forecasts: Mapping[str, NDArray], made: BoolArray, rows: BoolArray) -> Document:
    """Scores of the forecasts by each reading in some rounds, and the first's less the second's."""
    of_group = {name: p[rows] for name, p in forecasts.items()}
    scored, less = compared(of_group, made[rows])
    return {**scored, "printed_less": less["pattern"]}


def by_reading(curves: Mapping[str, SuccessCurves], n: int) -> dict[str, Trials]:
    """The same rounds with the nil values of each reading, ``printed`` first."""
    context = term_context(np.stack([curves[name].kernel_table() for name in THIRD_CARD]))
    halves = [
        simulate_trials(n // 2, SEED + i, tries_nil=True, agent=agent, context=context, asked=0.0)
        for i, agent in enumerate(AGENTS.values())
    ]
    trials = Trials._make(map(np.concatenate, zip(*halves, strict=True)))
    values = {name: values_of(trials.hand, nil_tables(STANDARD, name)) for name in AGENTS}
    is_open = np.minimum(*values.values()) > DENIED
    return {name: trials._replace(value=value).rows(is_open) for name, value in values.items()}


def count_tenths(trials: Trials) -> dict[str, list[int]]:
    """Nils, and nils made, by tenth of the nil value; the last tenth holds 1 too."""
    tenth = bin_of(trials.value, N_TENTHS)
    return {
        "n": np.bincount(tenth, minlength=N_TENTHS).tolist(),
        "made": np.bincount(tenth[trials.made], minlength=N_TENTHS).tolist(),
    }


def load_readings(path: Path = READINGS) -> Document:
    """The stored document; ``NilScoresError`` if it can't be read."""
    with stored_table(path, COMMAND, NilScoresError):
        return dict(read_json(path))
