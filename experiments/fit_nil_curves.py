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

A column multiplied by s has weights with prior deviation s: wide for what all sequences share,
narrow for bids and sequences, where it is that of the lowest log-loss on a fifth of the rounds. A
sequence seen often moves to its own rate, one seen seldom stays where its bids put it.

Writes ``data/tables/nil_curves.npz``, ``nil_curves_human.npz`` and, from rounds held out,
``nil_curve_scores.json`` (``experiments.nil_scores``); by the other reading of the nil value
``nil_curves_pattern.npz`` and, on the same hands for both, ``nil_readings.json``
(``experiments.nil_readings``)."""

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from analysis.nil.rates import bin_of, logits
from analysis.nil.rounds import value_counts
from analysis.nil.scores import SCORES
from analysis.runs.command import write_table
from experiments.nil_readings import AGENTS, READINGS, readings_document, term_context
from experiments.nil_scores import previous_bids, scores_document
from experiments.trials import HUMANS, STRONG, Trials, simulate_trials
from spades.bidding.auction import N_BIDS, N_SEQUENCES
from spades.bidding.curves import (
    COMMAND,
    HUMAN_TABLE,
    PATTERN_TABLE,
    TABLE,
    VERSION,
    SuccessCurves,
)
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray, IntArray
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
WIDE = 3.0  # prior deviation of shared weights, logits a standard deviation of the feature
WIDE_SLOPE = 1.0  # the same of the slope's logarithm
NARROW = (0.05, 0.1, 0.2)  # those of bids and sequences that are tried
FLAT = 1e-3  # nils a unit of weight: a gradient so small is none
MAX_STEPS = 200


class Cells(NamedTuple):
    """Rounds of one sequence and nearly one nil value, each cell (n,). ``sequence``; ``x``, mean
    logit of their nil values; ``seen`` and ``made``, how many."""

    sequence: IntArray
    x: FloatArray
    seen: IntArray
    made: IntArray


def cells_of(trials: Trials) -> Cells:
    """The rounds gathered by sequence and fine bin of the nil value; empty cells left out."""
    key = trials.sequence * FINE_BINS + bin_of(trials.value, FINE_BINS)
    counts = np.bincount(key)
    kept = np.flatnonzero(counts)
    seen = counts[kept]
    x = np.bincount(key, logits(trials.value))[kept] / seen
    made = np.bincount(key, trials.made)[kept].astype(np.int64)
    return Cells(kept // FINE_BINS, x, seen, made)


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


def choose_narrow(trials: Trials) -> float:
    """The prior deviation whose fit to four fifths of the rounds foretells the fifth best."""
    is_held_out = np.arange(len(trials.seat)) // 16 % 5 == 0  # 16: every position with every dealer
    fitted = cells_of(trials.rows(~is_held_out))
    held_out = cells_of(trials.rows(is_held_out))
    losses = []
    for narrow in NARROW:
        fit = Regression(design_of(fitted, narrow), fitted)
        forecasts = logits_of(fit.lines, held_out)
        losses.append(log_loss(forecasts, held_out))
    return NARROW[int(np.argmin(losses))]


def fit_curves(trials: Trials) -> SuccessCurves:
    """Curves from rounds in which a nil was tried."""
    cells = cells_of(trials)
    narrow = choose_narrow(trials)
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


def curves_of(agent: str, fitted: Trials) -> SuccessCurves:
    """Curves of an agent's rounds, with what they were fitted on."""
    curves = fit_curves(fitted)
    curves.metadata.update(
        what=f"success curves of nil; {WHO[agent]}; simulated rounds",
        agent=agent,
        command=COMMAND,
        rounds=len(fitted.seat),
        seed=SEED,
    )
    return curves


def curves_and_scores(
    agent: str, first_rounds: int, n: int, n_held_out: int
) -> tuple[SuccessCurves, dict]:
    """Curves of an agent's rounds, and how well they foretell the last ``n_held_out`` more."""
    trials = trials_of(agent, first_rounds, n + n_held_out)
    fitted = trials.rows(slice(n))
    held_out = trials.rows(slice(n, None))
    curves = curves_of(agent, fitted)
    return curves, scores_document(curves, fitted, held_out)


def save_curves(curves: SuccessCurves, path: Path) -> None:
    """Write a table of curves; an interrupted write leaves the old file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = dict(vars(curves))
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
    curves = {}
    scores = {}
    for agent in (STRONG, HUMANS):
        curves[agent], scores[agent] = curves_and_scores(agent, n_first, n_rounds, n_held_out)
    by_pattern = AGENTS["pattern"]
    curves[by_pattern] = curves_of(by_pattern, trials_of(by_pattern, n_first, n_rounds))
    tables = {STRONG: TABLE, HUMANS: HUMAN_TABLE, by_pattern: PATTERN_TABLE}
    for agent, table in tables.items():
        save_curves(curves[agent], options.out / table.name)
    scores_of_agents = {"version": 1, "command": COMMAND, "agents": scores}
    write_table(scores_of_agents, options.out / SCORES.name)
    both = {reading: curves[agent] for reading, agent in AGENTS.items()}
    readings = readings_document(both, round(N_SCORED * share))
    write_table(readings, options.out / READINGS.name)


if __name__ == "__main__":
    main()
