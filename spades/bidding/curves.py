"""The fitted tables of bidders: success curves of nil, and the term in the previous bids.

Source: Cohensius et al. 2020, section 4.3. For each of the 2,955 sequences of 0 to 3 previous bids
there is a curve: p = 1 / (1 + exp(-(intercept + slope * x))), slope >= 0. Two families differ in x:

- *Logistic curves*, by which BIS bids: x is the logit of the nil value (``nil_logit``). The paper
  doesn't say which function of the nil value its regression takes; on simulated rounds the value
  itself fits badly at both ends, its logit better. Agents play by these, so they stay as they are.
- *Nil curves*, for readers who ask how often nils are made: x is a monotone piecewise-linear
  function of the nil value, fitted by what was ``HEARD`` (``SuccessCurves.shape``). Where many nils
  were seen, a logit misses their share by up to five points, the nil curves by chance alone.

Stored as ``.npz`` of plain arrays (read without pickle). Logistic: one table for BIS with the
strong rule-based player, one for the same with the other reading of a nil's third card, one for
simulated humans. Nil curves: one for the first and one for the last, of the same rounds.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.bidding.auction import (
    INDEX_OF,
    MAX_PREVIOUS,
    N_SEQUENCES,
    SEQUENCES,
    BidContext,
    context_with,
)
from spades.bidding.hands import THIRD_CARD
from spades.core.arrays import read_arrays
from spades.core.documents import load_json, read_json
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.kernel import FloatArray, IntArray, lean_kernel
from spades.core.paths import DATA, stored_table
from spades.core.rules import MAX_BID, NIL_BID, Rules

TABLE = DATA / "tables" / "nil_curves.npz"
HUMAN_TABLE = TABLE.with_name("nil_curves_human.npz")
PATTERN_TABLE = TABLE.with_name("nil_curves_pattern.npz")
READING_TABLES = dict(zip(THIRD_CARD, (TABLE, PATTERN_TABLE), strict=True))
"""The curves of BIS by reading of a nil's third card."""
NIL_TABLE = TABLE.with_name("nil_curves_shaped.npz")
HUMAN_NIL_TABLE = TABLE.with_name("nil_curves_human_shaped.npz")
COMMAND = "python -m experiments.fit_nil_curves"
VERSION = 2
PREVIOUS_TABLE = TABLE.with_name("previous_bids.json")
PREVIOUS_COMMAND = "python -m experiments.fit_previous_bids"
PREVIOUS_VERSION = 1
Z_95 = 1.959964
VALUE_MARGIN = 0.05  # keeps the logit of nil values 0 and 1 finite
N_VALUE_BINS = 20
KNOTS = np.linspace(0.0, 1.0, N_VALUE_BINS + 1)
"""Nil values between which a shape is linear."""
HEARD = ("no bid", "one bid", "two bids", "three bids", "a partner's nil", "an opponent's nil")
"""What was heard before a bid: a nil, the partner's first, else the number of bids."""
_LARGEST = 100.0
_SHAPES = {
    "lines": (N_SEQUENCES, 2),
    "covariance": (N_SEQUENCES, 3),
    "n": (N_SEQUENCES,),
    "made": (N_SEQUENCES,),
    "single": (2,),
    "counts": (N_SEQUENCES, N_VALUE_BINS, 2),
}
_COUNTED = ("n", "made", "counts")
_OF_SHAPE = {
    "shape": (len(HEARD), len(KNOTS)),
    "shape_error": (len(HEARD), len(KNOTS)),
}


class BidTableError(SpadesError):
    """A stored table that bidders need is missing or can't be read."""


def _heard(bids: tuple[int, ...]) -> int:
    """What was heard, an index into ``HEARD``."""
    if bids[-2:-1] == (NIL_BID,):
        return HEARD.index("a partner's nil")
    if NIL_BID in bids:
        return HEARD.index("an opponent's nil")
    return len(bids)


HEARD_OF = np.array([_heard(bids) for bids in SEQUENCES])
"""What was heard in every sequence, (2955,)."""


@dataclass(frozen=True)
class SuccessCurves:
    """A success curve for every sequence of previous bids, by ``INDEX_OF``.

    ``lines`` float64 (2955, 2): intercept and slope, logits. ``covariance`` float64 (2955, 3) of
    the fit: var(intercept), cov, var(slope). ``n`` and ``made`` int64 (2955,): nils observed after
    the sequence, and those that succeeded; a rare sequence's curve is pooled with others'.
    ``single`` (2,): one curve for all sequences. ``counts`` int32 (2955, 20, 2): the same nils by
    nil value, from i/20 to (i+1)/20 (1 in the last bin), and those that succeeded. ``shape`` and
    ``shape_error`` float64 (6, 21), None for logistic curves: what stands for the logit of the nil
    value, and its standard errors, by what was ``HEARD`` and at the ``KNOTS``.
    ``metadata``: the data they were fitted on, and the command."""

    lines: FloatArray
    covariance: FloatArray
    n: IntArray
    made: IntArray
    single: FloatArray
    counts: NDArray[np.int32]
    metadata: dict[str, Any]
    shape: FloatArray | None = None
    shape_error: FloatArray | None = None

    def probability(self, previous: tuple[int, ...], value: float) -> float:
        """Probability that a nil of this value succeeds after these bids; 0 for a value of 0.
        ``IllegalBidError`` for impossible bids."""
        return self._band(previous, value, 0.0)[0]

    def interval(self, previous: tuple[int, ...], value: float) -> tuple[float, float]:
        """95% interval of ``probability`` (normal on the logits)."""
        return self._band(previous, value, Z_95)

    def _band(self, previous: tuple[int, ...], value: float, z: float) -> tuple[float, float]:
        """Probabilities ``z`` standard errors below and above the curve."""
        sequences = np.array([_checked_index(previous)])
        if value <= 0.0:
            return 0.0, 0.0
        logits, errors = self.logits(sequences, np.array(value))
        logit = logits.item()
        half = z * errors.item()
        low = 1.0 / (1.0 + math.exp(half - logit))
        high = 1.0 / (1.0 + math.exp(-half - logit))
        return low, high

    def logits(self, sequences: IntArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The curves of ``sequences`` (indices) at nil values above 0, and their standard errors by
        the covariance of the fit and the errors of the shape. The arguments are broadcast."""
        x, x_error = self._abscissae(sequences, values)
        intercept = self.lines[sequences, 0]
        slope = self.lines[sequences, 1]
        var_intercept, cov, var_slope = np.moveaxis(self.covariance[sequences], -1, 0)
        variance = var_intercept + 2.0 * x * cov + x * x * var_slope + (slope * x_error) ** 2
        return intercept + slope * x, np.sqrt(np.maximum(0.0, variance))

    def _abscissae(self, sequences: IntArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What the curves are linear in, and its standard errors."""
        if self.shape is None or self.shape_error is None:
            x = nil_logits(values)
            return x, np.zeros_like(x)
        return shaped(self.shape, sequences, values), shaped(self.shape_error, sequences, values)

    def kernel_table(self) -> FloatArray:
        """Intercepts and slopes, the single curve last, shape (2956, 2). Of logistic curves: the
        kernels take the logit of the nil value."""
        if self.shape is not None:
            raise ValueError("kernels know logistic curves only")
        return np.vstack([self.lines, self.single])


@lean_kernel
def nil_logit(value: float) -> float:
    """The logit of a nil value, in which a curve is linear; the margin keeps it finite."""
    return math.log((value + VALUE_MARGIN) / (1.0 + VALUE_MARGIN - value))


def nil_logits(values: FloatArray) -> FloatArray:
    """``nil_logit`` of every value."""
    return np.asarray(np.vectorize(nil_logit.py_func, otypes=[np.float64])(values))


def shaped(by_heard: FloatArray, sequences: IntArray, values: FloatArray) -> FloatArray:
    """Of nil values after sequences (indices), broadcast: what ``by_heard`` (6, 21) has at the
    ``KNOTS`` by what was ``HEARD``, linear between them."""
    interpolated = [np.interp(values, KNOTS, at_knots) for at_knots in by_heard]
    return np.choose(HEARD_OF[sequences], interpolated)


def _checked_index(previous: tuple[int, ...]) -> int:
    """Index of a sequence of previous bids; ``IllegalBidError`` if it can't have been bid."""
    if len(previous) > MAX_PREVIOUS:
        raise IllegalBidError(f"{len(previous)} previous bids; 0 to {MAX_PREVIOUS} are legal")
    for bid in previous:
        if not 0 <= bid <= MAX_BID:
            raise IllegalBidError(f"a previous bid of {bid}; 0 (nil) to {MAX_BID} are legal")
    return INDEX_OF[previous]


@lru_cache(maxsize=4)
def load_curves(path: Path = TABLE) -> SuccessCurves:
    """The success curves of one of the tables; ``BidTableError`` if it is missing or malformed."""
    with stored_table(path, COMMAND, BidTableError):
        stored = read_arrays(path)
        forms = _SHAPES | _OF_SHAPE if "shape" in stored else _SHAPES
        arrays = {name: stored[name] for name in forms}
        metadata = load_json(str(stored["metadata"]))
        if not isinstance(metadata, dict) or metadata.get("version") != VERSION:
            raise ValueError(f"no table of curves of version {VERSION}")
        _check_arrays(arrays, forms)
    return SuccessCurves(**arrays, metadata=metadata)


def _check_arrays(arrays: dict[str, NDArray], forms: dict[str, tuple[int, ...]]) -> None:
    """Refuse arrays of another form or type, absurd numbers, and curves that fall."""
    for name, array in arrays.items():
        kind = "i" if name in _COUNTED else "f"
        has_right_form = array.shape == forms[name] and array.dtype.kind == kind
        is_sound = has_right_form and np.abs(array).max() < _LARGEST**4  # false for nan
        if not is_sound:
            raise ValueError(f"{name} should be {forms[name]} numbers")
        array.setflags(write=False)
    slopes = np.append(arrays["lines"][:, 1], arrays["single"][1])
    steps = np.diff(arrays.get("shape", np.zeros((1, 1))))
    if min(slopes.min(), steps.min(initial=0.0)) < 0.0 or np.abs(arrays["lines"]).max() > _LARGEST:
        raise ValueError("a curve falls with the nil value or is too steep")


class RegularFit(NamedTuple):
    """The numbers for regular bids that the paper leaves open, fitted to simulated rounds.

    ``previous`` (4, 2): constant and slope of the tricks added to a regular bid after 0 to 3
    previous bids, linear in their sum. ``made`` (2,): share of contracts made without and with a
    nil in the partnership."""

    previous: FloatArray
    made: FloatArray


@lru_cache(maxsize=4)
def load_regular_fit(path: Path = PREVIOUS_TABLE) -> RegularFit:
    """The stored fit; ``BidTableError`` if the table is missing or malformed."""
    with stored_table(path, PREVIOUS_COMMAND, BidTableError):
        table = read_json(path)
        if not isinstance(table, dict) or table.get("version") != PREVIOUS_VERSION:
            raise ValueError(f"no fit of version {PREVIOUS_VERSION}")
        previous = _numbers(table, "previous", (MAX_PREVIOUS + 1, 2))
        made = _numbers(table, "made", (2,))
        if made.min() < 0.0 or made.max() > 1.0:
            raise ValueError("made should be two shares")
    return RegularFit(previous, made)


def _numbers(table: dict[str, Any], key: str, shape: tuple[int, ...]) -> FloatArray:
    """``table[key]`` as an array of this shape, each number at most 13; else ``ValueError``."""
    try:
        array = np.array(table.get(key), dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != shape or not np.all(np.abs(array) <= MAX_BID):
        raise ValueError(f"{key} should be {shape} numbers")
    return array


@lru_cache(maxsize=32)
def bid_context(rules: Rules) -> BidContext:
    """Rules and tables for the bidders' kernels; cached by rules."""
    fit = load_regular_fit()
    curves = np.stack([load_curves(path).kernel_table() for path in READING_TABLES.values()])
    return context_with(rules, curves, fit.previous, fit.made)
