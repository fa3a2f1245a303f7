"""Fit the success curves of nil: ``python -m experiments.fit_nil_curves``.

Source: Cohensius et al. 2020, section 4.3. One seat tries a nil (``experiments.trials``), the
others bid and all play as BIS with the strong rule-based player, or as simulated humans. BIS's bids
depend on the curves: a first fit, on rounds of BIS without any, gives those of the second.

One logistic regression for all sequences, hierarchical and ridge-penalised; the curve of a sequence
of previous bids is, in the logit of the nil value,

    intercept     = shared weights . features of the bids + one weight for each bid by who made it
                    + one weight of the sequence's own
    log of slope  = shared weights . features of the bids

so that a curve can only rise. (In plain logistic regression, linear in the slope too, slopes cross
zero where high bids were never seen.) The maximum is found by Newton's steps within a trust region,
the intervals come from the curvature there (Laplace).

The nil curves, which readers see, bend: for the logit of the nil value stands a shape, piecewise
linear between nil values a twentieth apart, one for each kind of bids heard (``HEARD``). Where a
logit is wrong, it is wrong alike after all bids of a kind, so that a shape is known well even where
a single sequence was seen seldom. With the lines above given, a shape is a logistic regression in
its steps, each at least ``LEAST_STEP``, ridge-penalised towards the logit; then the lines are
fitted anew on it.

A column multiplied by s has weights with prior deviation s: wide for what all sequences share,
narrow for bids and sequences, where it is that of the lowest log-loss on a fifth of the rounds. A
sequence seen often moves to its own rate, one seen seldom stays where its bids put it.

Writes ``data/tables/nil_curves.npz``, ``nil_curves_human.npz``, the nil curves of both
(``_shaped``) and, from rounds held out, ``nil_curve_scores.json`` (``experiments.nil_scores``); by
the other reading of the nil value ``nil_curves_pattern.npz`` and, on the same hands for both,
``nil_readings.json`` (``experiments.nil_readings``). Some 20 minutes of a core."""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from analysis.nil.rates import bin_of
from analysis.nil.rounds import value_counts
from analysis.nil.scores import SCORES
from analysis.runs.command import write_table
from experiments.nil_readings import AGENTS, READINGS, readings_document, term_context
from experiments.nil_scores import previous_bids, scores_document
from experiments.trials import HUMANS, STRONG, Trials, simulate_trials
from spades.bidding.auction import N_BIDS, N_SEQUENCES
from spades.bidding.curves import (
    COMMAND,
    HEARD,
    HEARD_OF,
    HUMAN_NIL_TABLE,
    HUMAN_TABLE,
    KNOTS,
    NIL_TABLE,
    PATTERN_TABLE,
    TABLE,
    VERSION,
    SuccessCurves,
    nil_logits,
    shaped,
)
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.kernel import BoolArray, FloatArray, IntArray
from spades.core.paths import replacing
from spades.core.rules import NIL_BID

FIRST_ROUNDS = 200_000
N_ROUNDS = 2_000_000
N_HELD_OUT = 400_000
N_SCORED = 1_000_000  # for both readings of the third card
SEED = 30403
WHO = {
    STRONG: "BIS bids, the strong rule-based player plays",
    AGENTS["pattern"]: "BIS bids by the third card's pattern, the strong rule-based player plays",
    HUMANS: "simulated humans",
}
TYPICAL_BID = 3.0
HIGH_BID = 8.0  # a higher bid, next to never made, counts as that high
FINE_BINS = 40  # of the nil value, within which rounds of a sequence are fitted as one
BINS_OF_SHAPE = 200  # the same where the shape is fitted
LEAST_STEP = 1e-4  # logits from one knot to the next
WIDE = 3.0  # prior deviation of shared weights, logits a standard deviation of the feature
WIDE_SLOPE = 1.0  # the same of the slope's logarithm
NARROW = (0.05, 0.1, 0.2)  # those of bids and sequences that are tried
FLAT = 1e-3  # nils a unit of weight: a gradient so small is none
MAX_STEPS = 200


class Cells(NamedTuple):
    """Rounds of one sequence and nearly one nil value, each cell (n,). ``sequence``; ``x``, what
    the curve is linear in there, mean; ``seen`` and ``made``, how many."""

    sequence: IntArray
    x: FloatArray
    seen: IntArray
    made: IntArray

    def rows(self, which: BoolArray) -> "Cells":
        return Cells._make(column[which] for column in self)


class Shapes(NamedTuple):
    """What stands for the logit of the nil value, by what was heard and at the ``KNOTS``, (6, 21),
    and its standard errors where the lines are given."""

    values: FloatArray
    errors: FloatArray

    def at(self, trials: Trials) -> FloatArray:
        """Of every round's nil value, (n,)."""
        return shaped(self.values, trials.sequence, trials.value)


def cells_of(trials: Trials, x: FloatArray, n_bins: int = FINE_BINS) -> Cells:
    """The rounds gathered by sequence and fine bin of the nil value; empty cells left out. ``x``:
    of every round, (n,)."""
    key = trials.sequence * n_bins + bin_of(trials.value, n_bins)
    counts = np.bincount(key)
    kept = np.flatnonzero(counts)
    seen = counts[kept]
    mean_x = np.bincount(key, x)[kept] / seen
    made = np.bincount(key, trials.made)[kept].astype(np.int64)
    return Cells(kept // n_bins, mean_x, seen, made)


def sequence_features() -> FloatArray:
    """Shared features of every sequence of previous bids, float64 (2955, 14); the first is 1. For
    the right opponent, the partner, the left opponent (who bid last, before, before that): has it
    bid, tricks above three, its square, is it nil; last, the bids' sum squared."""
    bids = np.minimum(previous_bids(), HIGH_BID)
    is_nil = bids == NIL_BID
    has_bid = bids >= 0
    above = np.where(has_bid & ~is_nil, bids - TYPICAL_BID, 0.0)
    by_seat = np.stack([has_bid, above, above**2, is_nil], axis=2)
    total = np.nansum(bids, axis=1) - TYPICAL_BID * has_bid.sum(axis=1)
    constant = np.ones(N_SEQUENCES)
    return np.column_stack([constant, by_seat.reshape(N_SEQUENCES, -1), total**2])


def bid_columns() -> sparse.csr_array:
    """Which bid who made, and which sequence it is: one column each, (2955, 3 * 14 + 2955)."""
    who_bid = previous_bids()[:, :, None] == np.arange(N_BIDS)
    of_bids = sparse.csr_array(who_bid.reshape(N_SEQUENCES, -1).astype(float))
    of_sequences = sparse.eye_array(N_SEQUENCES)
    return sparse.hstack([of_bids, of_sequences], format="csr")


class Design(NamedTuple):
    """What weights make of every sequence: rows of ``intercept`` (2955, a) and ``log_slope``
    (2955, b); the columns bear their prior deviations. The weights are (a + b,)."""

    intercept: sparse.csr_array
    log_slope: sparse.csr_array

    def lines(self, weights: FloatArray) -> FloatArray:
        """Intercept and slope of every sequence, (2955, 2)."""
        a = self.intercept.shape[1]
        slope = np.exp(self.log_slope @ weights[a:])
        return np.column_stack([self.intercept @ weights[:a], slope])

    def directions(self, lines: FloatArray) -> tuple[sparse.csr_array, sparse.csr_array]:
        """How intercepts and slopes move with the weights where the lines are these."""
        n = len(lines)
        a = self.intercept.shape[1]
        b = self.log_slope.shape[1]
        no_intercept = sparse.csr_array((n, a))
        no_slope = sparse.csr_array((n, b))
        of_slope = sparse.diags_array(lines[:, 1]) @ self.log_slope
        return (
            sparse.hstack([self.intercept, no_slope], format="csr"),
            sparse.hstack([no_intercept, of_slope], format="csr"),
        )


def design_of(cells: Cells, narrow: float) -> Design:
    """The design scaled to the sequences seen; ``narrow``: prior deviation of their own weights."""
    features = sequence_features()
    seen_features = features[cells.sequence]
    mean = np.average(seen_features, axis=0, weights=cells.seen)
    variance = np.average((seen_features - mean) ** 2, axis=0, weights=cells.seen)
    shared = features / np.maximum(1.0, np.sqrt(variance))
    slopes = WIDE_SLOPE * shared
    slopes[:, 0] = WIDE
    wide_columns = WIDE * sparse.csr_array(shared)
    narrow_columns = narrow * bid_columns()
    intercepts = sparse.hstack([wide_columns, narrow_columns], format="csr")
    return Design(intercepts, sparse.csr_array(slopes))


class Regression:
    """The penalised likelihood of cells, for scipy; ``weights``: where its maximum is. ``lines``
    (2955, 2) there; ``hessian``: the Fisher information, (w, w), the priors' included."""

    def __init__(self, design: Design, cells: Cells) -> None:
        self.design = design
        self.cells = cells
        self._weights: FloatArray | None = None
        n_weights = design.intercept.shape[1] + design.log_slope.shape[1]
        optimum = minimize(
            self._loss,
            np.zeros(n_weights),
            jac=True,
            hessp=lambda weights, along: self._information(weights) @ along,
            method="trust-krylov",
            options={"gtol": FLAT, "maxiter": MAX_STEPS},
        )
        if np.abs(optimum.jac).max() > 1.0:
            raise SpadesError(f"the curves' regression did not converge: {optimum.message}")
        self.lines = design.lines(optimum.x)
        self.hessian = self._information(optimum.x)

    def _loss(self, weights: NDArray) -> tuple[float, NDArray]:
        """Negative log-likelihood less that of the priors, nats, and its gradient."""
        design = self.design
        cells = self.cells
        lines = design.lines(weights)
        logit = logits_of(lines, cells)
        residual = cells.seen * expit(logit) - cells.made
        by_intercept = np.bincount(cells.sequence, residual, N_SEQUENCES)
        by_slope = np.bincount(cells.sequence, residual * cells.x, N_SEQUENCES)
        by_log_slope = by_slope * lines[:, 1]
        gradient = [design.intercept.T @ by_intercept, design.log_slope.T @ by_log_slope]
        loss = log_loss(logit, cells) + weights @ weights / 2.0
        return loss, np.concatenate(gradient) + weights

    def _information(self, weights: NDArray) -> sparse.csr_array:
        """Fisher information; scipy asks for its product again and again at the same weights."""
        if self._weights is None or not np.array_equal(weights, self._weights):
            self._last_information = self._information_at(weights)
            self._weights = weights.copy()
        return self._last_information

    def _information_at(self, weights: NDArray) -> sparse.csr_array:
        cells = self.cells
        lines = self.design.lines(weights)
        p = expit(logits_of(lines, cells))
        by_intercept, by_slope = self.design.directions(lines)
        slope_rows = sparse.diags_array(cells.x) @ by_slope[cells.sequence]
        rows = by_intercept[cells.sequence] + slope_rows
        variance = sparse.diags_array(cells.seen * p * (1.0 - p))
        curvature = rows.T @ variance @ rows
        return sparse.csr_array(curvature + sparse.eye_array(len(weights)))


def logits_of(lines: FloatArray, cells: Cells) -> FloatArray:
    """What the lines (2955, 2) forecast of every cell, logits (n,)."""
    return lines[cells.sequence, 0] + lines[cells.sequence, 1] * cells.x


def log_loss(logit: FloatArray, cells: Cells) -> float:
    """Of all nils in the cells together, nats."""
    n_missed = cells.seen - cells.made
    loss_of_made = np.logaddexp(0.0, -logit)
    loss_of_missed = np.logaddexp(0.0, logit)
    return float(loss_of_made @ cells.made + loss_of_missed @ n_missed)


def fit_shapes(lines: FloatArray, trials: Trials) -> Shapes:
    """The shapes on which these lines (2955, 2) fit the rounds best."""
    cells = cells_of(trials, trials.value, BINS_OF_SHAPE)
    heard = HEARD_OF[cells.sequence]
    shapes = [_fit_shape(lines, cells.rows(heard == i)) for i in range(len(HEARD))]
    values, errors = zip(*shapes, strict=True)
    return Shapes(np.array(values), np.array(errors))


def _fit_shape(lines: FloatArray, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """One shape, from cells whose ``x`` is the nil value. The weights are its value at 0 and its
    steps."""
    width = KNOTS[1]
    intercept, slope = lines[cells.sequence].T
    ways = np.clip((cells.x[:, None] - KNOTS[:-1]) / width, 0.0, 1.0)  # gone of each step
    columns = slope[:, None] * np.column_stack([np.ones(len(ways)), ways])
    logits = nil_logits(KNOTS)
    prior = np.append(logits[0], np.diff(logits))

    def loss(weights: NDArray) -> tuple[float, NDArray]:
        logit = intercept + columns @ weights
        residual = cells.seen * expit(logit) - cells.made
        off = weights - prior
        return log_loss(logit, cells) + off @ off / 2.0, columns.T @ residual + off

    bounds = [(None, None), *[(LEAST_STEP, None)] * len(ways.T)]
    optimum = minimize(
        loss, prior, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 10_000}
    )
    if not optimum.success:
        raise SpadesError(f"the shape's regression did not converge: {optimum.message}")
    p = expit(intercept + columns @ optimum.x)
    information = (columns.T * (cells.seen * p * (1.0 - p))) @ columns + np.eye(len(prior))
    sums = np.tril(np.ones(information.shape))  # a shape is the running sum of its weights
    variances = np.diag(sums @ np.linalg.inv(information) @ sums.T)
    return np.cumsum(optimum.x), np.sqrt(variances)


def choose_narrow(trials: Trials, x: FloatArray) -> float:
    """The prior deviation whose fit to four fifths of the rounds foretells the fifth best."""
    is_held_out = np.arange(len(trials.seat)) // 16 % 5 == 0  # 16: every position with every dealer
    fitted = cells_of(trials.rows(~is_held_out), x[~is_held_out])
    held_out = cells_of(trials.rows(is_held_out), x[is_held_out])
    losses = []
    for narrow in NARROW:
        fit = Regression(design_of(fitted, narrow), fitted)
        forecasts = logits_of(fit.lines, held_out)
        losses.append(log_loss(forecasts, held_out))
    return NARROW[int(np.argmin(losses))]


def fit_curves(trials: Trials, shapes: Shapes | None = None) -> SuccessCurves:
    """Curves from rounds in which a nil was tried: logistic ones, or of these shapes."""
    x = shapes.at(trials) if shapes else nil_logits(trials.value)
    cells = cells_of(trials, x)
    narrow = choose_narrow(trials, x)
    fit = Regression(design_of(cells, narrow), cells)
    ones = sparse.csr_array(np.full((N_SEQUENCES, 1), WIDE))
    counts = value_counts(trials.sequence, trials.value, trials.made)
    totals = counts.sum(axis=1, dtype=np.int64)
    n, made = totals.T
    return SuccessCurves(
        lines=fit.lines,
        covariance=covariances(fit),
        n=n,
        made=made,
        single=Regression(Design(ones, ones), cells).lines[0],
        counts=counts,
        metadata={"prior_deviation": narrow},
        shape=shapes.values if shapes else None,
        shape_error=shapes.errors if shapes else None,
    )


def covariances(fit: Regression) -> FloatArray:
    """Variances and covariance of every sequence's intercept and slope (Laplace), (2955, 3)."""
    covariance = np.linalg.inv(fit.hessian.toarray())
    intercept, slope = fit.design.directions(fit.lines)

    def covary(a: sparse.csr_array, b: sparse.csr_array) -> FloatArray:
        return (a @ covariance * b.toarray()).sum(axis=1)

    columns = [covary(intercept, intercept), covary(intercept, slope), covary(slope, slope)]
    return np.column_stack(columns)


def trials_of(agent: str, first_rounds: int, n: int) -> Trials:
    """Rounds of an agent that bids, if it is BIS, by curves of its own rounds."""
    if agent == HUMANS:
        return simulate_trials(n, SEED, tries_nil=True, agent=agent)
    without_curves = term_context()
    first = simulate_trials(
        first_rounds, SEED + 1, tries_nil=True, agent=agent, context=without_curves
    )
    by_first_fit = term_context(fit_curves(first).kernel_table())
    return simulate_trials(n, SEED, tries_nil=True, agent=agent, context=by_first_fit)


def curves_of(agent: str, fitted: Trials, shapes: Shapes | None = None) -> SuccessCurves:
    """Curves of an agent's rounds, with what they were fitted on."""
    curves = fit_curves(fitted, shapes)
    curves.metadata.update(
        what=f"success curves of nil; {WHO[agent]}; simulated rounds",
        agent=agent,
        command=COMMAND,
        rounds=len(fitted.seat),
        seed=SEED,
    )
    return curves


class Fit(NamedTuple):
    """Logistic curves and nil curves of an agent's rounds, and how well they foretell others."""

    logistic: SuccessCurves
    bent: SuccessCurves
    scores: Document


def fit_and_score(agent: str, first_rounds: int, n: int, n_held_out: int) -> Fit:
    """Curves of an agent's rounds, scored on ``n_held_out`` more."""
    trials = trials_of(agent, first_rounds, n + n_held_out)
    fitted = trials.rows(slice(n))
    held_out = trials.rows(slice(n, None))
    logistic = curves_of(agent, fitted)
    bent = curves_of(agent, fitted, fit_shapes(logistic.lines, fitted))
    return Fit(logistic, bent, scores_document(bent, logistic, fitted, held_out))


def save_curves(curves: SuccessCurves, path: Path) -> None:
    """Write a table of curves; an interrupted write leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: array for name, array in vars(curves).items() if array is not None}
    metadata = json.dumps({"version": VERSION, **arrays.pop("metadata")})
    with replacing(path) as new, new.open("wb") as file:
        np.savez_compressed(file, metadata=np.array(metadata), **arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=TABLE.parent, help="folder (default: shipped)")
    parser.add_argument("--rounds", type=int, default=N_ROUNDS, help="to fit, of each agent")
    options = parser.parse_args()
    n_rounds = options.rounds
    share = n_rounds / N_ROUNDS
    n_first = round(FIRST_ROUNDS * share)
    n_held_out = round(N_HELD_OUT * share)
    fits = {
        agent: fit_and_score(agent, n_first, n_rounds, n_held_out) for agent in (STRONG, HUMANS)
    }
    by_pattern = AGENTS["pattern"]
    pattern_curves = curves_of(by_pattern, trials_of(by_pattern, n_first, n_rounds))
    tables = {
        TABLE: fits[STRONG].logistic,
        NIL_TABLE: fits[STRONG].bent,
        HUMAN_TABLE: fits[HUMANS].logistic,
        HUMAN_NIL_TABLE: fits[HUMANS].bent,
        PATTERN_TABLE: pattern_curves,
    }
    for table, curves in tables.items():
        save_curves(curves, options.out / table.name)
    scores = {agent: fit.scores for agent, fit in fits.items()}
    document = {"version": 2, "command": COMMAND, "agents": scores}
    write_table(document, options.out / SCORES.name)
    both = {"printed": fits[STRONG].logistic, "pattern": pattern_curves}
    readings = readings_document(both, round(N_SCORED * share))
    write_table(readings, options.out / READINGS.name)


if __name__ == "__main__":
    main()
