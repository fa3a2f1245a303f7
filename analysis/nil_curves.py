"""Fit the success curves of nil: ``python -m analysis.nil_curves`` (a few minutes).

Source: Cohensius et al. 2020, section 4.3: logistic regression of a nil's success on its value and
the bids before it. Every curve shares one ridge-penalised regression: the intercept and the slope
of a sequence are linear in features of its bids by who made them, so that a sequence never seen
has a curve too. Rounds: simulated humans, with a nil tried on hands of every nil value
(:mod:`analysis.bidding_trials`). Slopes are never negative: one that would be is set to 0 and the
curve keeps its level at the mean nil value.

Writes ``data/tables/nil_curves.npz``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from analysis.bidding_trials import Trials, try_bids
from spades.bidding.auction import N_SEQUENCES, sequence_at
from spades.bidding.curves import COMMAND, TABLE, SuccessCurves, save_curves
from spades.rules import NIL_BID

N_ROUNDS, SEED = 2_000_000, 30403
RIDGE = 1.0  # variance of the prior of every weight
TYPICAL_BID = 3.0


def sequence_features() -> NDArray[np.float64]:
    """Features of every sequence of previous bids, float64 (2955, 13); the first is 1.

    For the right opponent, the partner, the left opponent (who bid last, before, before that):
    has it bid, tricks above three, its square, is it nil; last, the bids' sum squared.
    """
    features = np.zeros((N_SEQUENCES, 14))
    features[:, 0] = 1.0
    for index in range(N_SEQUENCES):
        previous = sequence_at(index)
        for i, bid in enumerate(reversed(previous)):
            above = 0.0 if bid == NIL_BID else bid - TYPICAL_BID
            features[index, 1 + 4 * i : 5 + 4 * i] = 1.0, above, above**2, bid == NIL_BID
        features[index, 13] = (sum(previous) - TYPICAL_BID * len(previous)) ** 2
    return features


def fit_curves(index: NDArray, value: NDArray, made: NDArray) -> SuccessCurves:
    """Curves from n nils: index of the previous bids, nil value, and whether each succeeded."""
    features = sequence_features()
    scale = np.maximum(1.0, features[index].std(axis=0))
    scaled = features / scale
    x = np.hstack([scaled[index], scaled[index] * value[:, None]])
    weights = fit_logistic(x, made)
    sequence_weights = weights.reshape(2, -1)
    lines = rising((sequence_weights @ scaled.T).T, float(value.mean()))
    single = fit_logistic(np.column_stack([np.ones_like(value), value]), made)
    counts = np.bincount(index, minlength=N_SEQUENCES)
    return SuccessCurves(
        lines=lines,
        covariance=_covariances(scaled, x, expit(x @ weights)),
        n=counts,
        made=np.bincount(index[made], minlength=N_SEQUENCES),
        single=rising(single[None], float(value.mean()))[0],
        metadata={"flat_curves": int((lines[:, 1] == 0.0).sum())},
    )


def fit_logistic(x: NDArray, made: NDArray) -> NDArray[np.float64]:
    """Weights of the logistic regression of ``made`` on the columns of ``x``, with the ridge."""
    sign = np.where(made, 1.0, -1.0)

    def loss(weights: NDArray) -> tuple[float, NDArray]:
        margin = sign * (x @ weights)
        value = np.logaddexp(0.0, -margin).sum() + weights @ weights / (2.0 * RIDGE)
        return value / len(x), (weights / RIDGE - x.T @ (sign * expit(-margin))) / len(x)

    options = {"maxiter": 1000, "gtol": 1e-7, "ftol": 1e-13}
    start = np.zeros(x.shape[1])
    return minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x


def rising(lines: NDArray[np.float64], level_at: float) -> NDArray[np.float64]:
    """The lines, those that fall made flat at their height at a nil value."""
    falls = lines[:, 1] < 0.0
    risen = lines.copy()
    risen[falls, 0] += level_at * lines[falls, 1]
    risen[falls, 1] = 0.0
    return risen


def _covariances(scaled: NDArray, x: NDArray, p: NDArray) -> NDArray[np.float64]:
    """Variances and covariance of every sequence's intercept and slope (Laplace), (2955, 3)."""
    hessian = x.T @ (x * (p * (1.0 - p))[:, None]) + np.eye(x.shape[1]) / RIDGE
    covariance = np.linalg.inv(hessian)
    n = scaled.shape[1]
    blocks = (covariance[:n, :n], covariance[:n, n:], covariance[n:, n:])
    return np.column_stack([np.einsum("si,ij,sj->s", scaled, block, scaled) for block in blocks])


def curves_of_trials(trials: Trials) -> SuccessCurves:
    """Curves from rounds in which a nil was tried."""
    rows = np.arange(len(trials.seat))
    made = trials.tricks[rows, trials.seat] == 0
    return fit_curves(trials.sequence, trials.value, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=TABLE, help="where to write (default: shipped)")
    out = parser.parse_args().out
    curves = curves_of_trials(try_bids(N_ROUNDS, SEED, tries_nil=True))
    curves.metadata.update(
        what="success curves of nil; simulated humans bid and play",
        command=COMMAND,
        rounds=N_ROUNDS,
        seed=SEED,
    )
    save_curves(curves, out)


if __name__ == "__main__":
    main()
