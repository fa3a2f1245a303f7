"""Fit the success curves of nil: ``python -m analysis.nil_curves`` (ten minutes on two cores).

Source: Cohensius et al. 2020, section 4.3: logistic regression of a nil's success on its value and
the bids before it. Rounds: one seat tries a nil (:mod:`analysis.bidding_trials`), the others bid
and all play as BIS with the strong rule-based player, or as simulated humans. BIS's own bids hang
on the curves: a first fit, on rounds of BIS without any, gives those that it bids by in the second.

Hierarchical: scikit-learn's ridge-penalised ``LogisticRegression`` over all rounds at once, in
which the curve of a sequence of previous bids is

    intercept = shared weights . features of the bids + one weight for each bid by who made it
                + one weight of the sequence's own
    slope     = shared weights . features of the bids

in the logit of the nil value. A column multiplied by s has weights with prior deviation s: wide for
what all sequences share, narrow for bids and sequences. A sequence seen often moves to its own
rate, one seen seldom stays where its bids put it, and one never seen has a curve, and a wide
interval, too. The narrow deviation is that of the lowest log-loss on a fifth of the rounds fitted.
Slopes are never negative: one that would be is set to 0 and the curve keeps its level at the mean.

Writes ``data/tables/nil_curves.npz``, ``nil_curves_human.npz`` and, from rounds held out,
``nil_curve_scores.json`` (:mod:`analysis.nil_scores`).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from analysis.bidding_trials import HUMANS, STRONG, Trials, context_before_fits, try_bids
from analysis.calibrate_humans import write_table
from analysis.nil_scores import scores_document
from spades.bidding.auction import N_BIDS, N_SEQUENCES, BidContext, bid_tables, sequence_at
from spades.bidding.context import load_regular_fit
from spades.bidding.curves import (
    COMMAND,
    HUMAN_TABLE,
    N_VALUE_BINS,
    TABLE,
    SuccessCurves,
    nil_logit,
    save_curves,
)
from spades.rules import NIL_BID, Rules

SCORES = TABLE.with_name("nil_curve_scores.json")
FIRST_ROUNDS, N_ROUNDS, N_HELD_OUT, SEED = 200_000, 2_000_000, 400_000, 30403
WHO = {STRONG: "BIS bids, the strong rule-based player plays", HUMANS: "simulated humans"}
TYPICAL_BID, HIGH_BID = 3.0, 8.0  # a higher bid, next to never made, counts as that high
FINE_BINS = 40  # of the nil value, within which rounds of a sequence are fitted as one
WIDE = 3.0  # prior deviation of shared weights, logits a standard deviation of the feature
NARROW = (0.05, 0.1, 0.2)  # those of bids and sequences that are tried
N_SHARED = 14


class Cells(NamedTuple):
    """Rounds of one sequence and nearly one nil value, each cell (n,).

    ``sequence``; ``x``, mean logit of their nil values; ``seen`` and ``made``, how many.
    """

    sequence: NDArray[np.int64]
    x: NDArray[np.float64]
    seen: NDArray[np.int64]
    made: NDArray[np.int64]


def cells_of(trials: Trials) -> Cells:
    """The rounds gathered by sequence and fine bin of the nil value; empty cells left out."""
    fine = np.minimum((trials.value * FINE_BINS).astype(np.int64), FINE_BINS - 1)
    key = trials.sequence * FINE_BINS + fine
    seen = np.bincount(key)
    kept = np.flatnonzero(seen)
    x = np.bincount(key, logits(trials.value))[kept] / seen[kept]
    made = np.bincount(key, trials.made)[kept].astype(np.int64)
    return Cells(kept // FINE_BINS, x, seen[kept], made)


def logits(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """:func:`~spades.bidding.curves.nil_logit` of every value."""
    return np.array([nil_logit(v) for v in value])


def sequence_features() -> NDArray[np.float64]:
    """Shared features of every sequence of previous bids, float64 (2955, 14); the first is 1.

    For the right opponent, the partner, the left opponent (who bid last, before, before that):
    has it bid, tricks above three, its square, is it nil; last, the bids' sum squared.
    """
    features = np.zeros((N_SEQUENCES, N_SHARED))
    features[:, 0] = 1.0
    for index in range(N_SEQUENCES):
        previous = [min(float(bid), HIGH_BID) for bid in sequence_at(index)]
        for i, bid in enumerate(reversed(previous)):
            above = 0.0 if bid == NIL_BID else bid - TYPICAL_BID
            features[index, 1 + 4 * i : 5 + 4 * i] = 1.0, above, above**2, bid == NIL_BID
        features[index, -1] = (sum(previous) - TYPICAL_BID * len(previous)) ** 2
    return features


def bid_columns() -> sparse.csr_array:
    """Which bid who made, and which sequence it is: one column each, (2955, 3 * 14 + 2955)."""
    who_bid = np.zeros((N_SEQUENCES, 3 * N_BIDS))
    for index in range(N_SEQUENCES):
        for i, bid in enumerate(reversed(sequence_at(index))):
            who_bid[index, i * N_BIDS + bid] = 1.0
    return sparse.hstack([sparse.csr_array(who_bid), sparse.eye_array(N_SEQUENCES)], format="csr")


class Design(NamedTuple):
    """Rows of the regression of every sequence: ``of_intercept`` and ``of_slope``, both (2955, w).

    A nil's row is the one plus its logit times the other; columns bear their prior deviations.
    """

    of_intercept: sparse.csr_array
    of_slope: sparse.csr_array

    def rows(self, cells: Cells) -> sparse.csr_array:
        slopes = sparse.diags_array(cells.x) @ self.of_slope[cells.sequence]
        return sparse.csr_array(self.of_intercept[cells.sequence] + slopes)


def design_of(cells: Cells, narrow: float) -> Design:
    """The design scaled to the sequences seen; ``narrow``: prior deviation of their own weights."""
    features = sequence_features()
    mean = np.average(features[cells.sequence], axis=0, weights=cells.seen)
    square = np.average((features[cells.sequence] - mean) ** 2, axis=0, weights=cells.seen)
    shared = sparse.csr_array(WIDE * features / np.maximum(1.0, np.sqrt(square)))
    own = narrow * bid_columns()
    none, none_own = sparse.csr_array(shared.shape), sparse.csr_array(own.shape)
    return Design(
        of_intercept=sparse.hstack([shared, none, own], format="csr"),
        of_slope=sparse.hstack([none, shared, none_own], format="csr"),
    )


def fit_weights(x: sparse.csr_array | NDArray, cells: Cells, penalty: float) -> NDArray[np.float64]:
    """Weights of the logistic regression of the cells' nils on the rows of ``x``."""
    model = LogisticRegression(C=1.0 / penalty, fit_intercept=False, max_iter=1000, tol=1e-4)
    n = len(cells.seen)
    both = sparse.vstack([x, x], format="csr") if sparse.issparse(x) else np.vstack([x, x])
    weights = np.concatenate([cells.made, cells.seen - cells.made]).astype(np.float64)
    return model.fit(both, np.repeat([1, 0], n), sample_weight=weights).coef_[0]


def choose_narrow(trials: Trials) -> float:
    """The prior deviation whose fit to four fifths of the rounds foretells the fifth best."""
    is_asked = np.arange(len(trials.seat)) // 16 % 5 == 0  # 16: every position with every dealer
    fitted, asked = cells_of(trials.rows(~is_asked)), cells_of(trials.rows(is_asked))
    losses = []
    for narrow in NARROW:
        design = design_of(fitted, narrow)
        logit = design.rows(asked) @ fit_weights(design.rows(fitted), fitted, 1.0)
        made = np.logaddexp(0.0, -logit) @ asked.made
        losses.append(made + np.logaddexp(0.0, logit) @ (asked.seen - asked.made))
    return NARROW[int(np.argmin(losses))]


def fit_curves(trials: Trials) -> SuccessCurves:
    """Curves from rounds in which a nil was tried."""
    cells, narrow = cells_of(trials), choose_narrow(trials)
    design = design_of(cells, narrow)
    x = design.rows(cells)
    weights = fit_weights(x, cells, 1.0)
    lines = np.column_stack([design.of_intercept @ weights, design.of_slope @ weights])
    level = float(np.average(cells.x, weights=cells.seen))
    single = fit_weights(np.column_stack([np.ones_like(cells.x), cells.x]), cells, 1e-6)
    counts = value_counts(trials)
    return SuccessCurves(
        lines=rising(lines, level),
        covariance=covariances(design, x, cells.seen, expit(x @ weights)),
        n=counts[..., 0].sum(axis=1, dtype=np.int64),
        made=counts[..., 1].sum(axis=1, dtype=np.int64),
        single=rising(single[None], level)[0],
        counts=counts,
        metadata={"prior_deviation": narrow, "flat_curves": int((lines[:, 1] < 0.0).sum())},
    )


def value_counts(trials: Trials) -> NDArray[np.int32]:
    """Nils seen and made by sequence and bin of the nil value, int32 (2955, 20, 2)."""
    bins = np.minimum((trials.value * N_VALUE_BINS).astype(np.int64), N_VALUE_BINS - 1)
    key, size = trials.sequence * N_VALUE_BINS + bins, N_SEQUENCES * N_VALUE_BINS
    both = [np.bincount(which, minlength=size) for which in (key, key[trials.made])]
    return np.stack(both, axis=1).reshape(N_SEQUENCES, N_VALUE_BINS, 2).astype(np.int32)


def rising(lines: NDArray[np.float64], level_at: float) -> NDArray[np.float64]:
    """The lines, those that fall made flat at their height at a logit."""
    falls = lines[:, 1] < 0.0
    risen = lines.copy()
    risen[falls, 0] += level_at * lines[falls, 1]
    risen[falls, 1] = 0.0
    return risen


def covariances(
    design: Design, x: sparse.csr_array, seen: NDArray, p: NDArray
) -> NDArray[np.float64]:
    """Variances and covariance of every sequence's intercept and slope (Laplace), (2955, 3)."""
    hessian = (x.T @ sparse.diags_array(seen * p * (1.0 - p)) @ x).toarray()
    covariance = np.linalg.inv(hessian + np.eye(len(hessian)))
    pairs = (design.of_intercept, design.of_intercept, design.of_slope)
    others = (design.of_intercept, design.of_slope, design.of_slope)
    return np.column_stack(
        [(a @ covariance * b.toarray()).sum(axis=1) for a, b in zip(pairs, others, strict=True)]
    )


def bis_context(rules: Rules, lines: NDArray[np.float64] | None = None) -> BidContext:
    """BIS's tables, the stored term in the previous bids among them, with these curves or none."""
    bare, fit = context_before_fits(rules), load_regular_fit()
    curves = bare.tables.curves if lines is None else lines
    return bare._replace(tables=bid_tables(rules.cards, curves, fit.previous, fit.made))


def trials_of(agent: str, first_rounds: int, n: int) -> Trials:
    """Rounds of an agent that bids, if it is BIS, by curves of its own rounds."""
    rules = Rules()
    if agent == HUMANS:
        return try_bids(n, SEED, tries_nil=True, agent=agent, rules=rules)
    context = bis_context(rules)
    first = try_bids(first_rounds, SEED + 1, tries_nil=True, agent=agent, context=context)
    context = bis_context(rules, fit_curves(first).kernel_table())
    return try_bids(n, SEED, tries_nil=True, agent=agent, context=context)


def curves_and_scores(
    agent: str, first_rounds: int, n: int, n_held_out: int
) -> tuple[SuccessCurves, dict]:
    """Curves of an agent's rounds, and how well they foretell the last ``n_held_out`` more."""
    trials = trials_of(agent, first_rounds, n + n_held_out)
    fitted, held_out = trials.rows(slice(n)), trials.rows(slice(n, None))
    curves = fit_curves(fitted)
    about = f"success curves of nil; {WHO[agent]}; simulated rounds"
    curves.metadata.update(what=about, agent=agent, command=COMMAND, rounds=n, seed=SEED)
    return curves, scores_document(curves, fitted, held_out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=TABLE.parent, help="folder (default: shipped)")
    parser.add_argument("--rounds", type=int, default=N_ROUNDS, help="to fit, of each agent")
    options = parser.parse_args()
    scores = {}
    share = options.rounds / N_ROUNDS
    for agent, table in ((STRONG, TABLE), (HUMANS, HUMAN_TABLE)):
        curves, scores[agent] = curves_and_scores(
            agent, round(FIRST_ROUNDS * share), options.rounds, round(N_HELD_OUT * share)
        )
        save_curves(curves, options.out / table.name)
    document = {"version": 1, "command": COMMAND, "agents": scores}
    write_table(document, options.out / SCORES.name)


if __name__ == "__main__":
    main()
