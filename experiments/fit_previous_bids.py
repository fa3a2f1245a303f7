"""Fit BIS's term in the previous bids: ``python -m experiments.fit_previous_bids``.

Cohensius et al. 2020 (section 4.1.4) add "a factor which is determined by the sum of previous bids"
to the tricks of a hand and give no formula. Here it is the shift that brings most: four BIS with
the strong rule-based player play rounds in which one seat bids its tricks plus a shift drawn at
random, and

    y = a + b s + controls + (c + d s) shift - e shift^2

is fitted by least squares for each number of previous bids, y being the score difference of the
round (points less the long-run cost of bags, as in a search's reward), s the sum of the previous
bids. The best shift is (c + d s) / 2e, a line in s. Standard errors are by jackknife over groups of
rounds. The other seats bid by a term too: that of a first fit, on rounds of seats without one.
They take the nil value for a nil's chance (the success curves are fitted after this). Also
measured: the shares of contracts made, by the partnership that tries nothing, without and with a
nil beside them.

Writes ``data/tables/previous_bids.json``."""

import numpy as np
from numpy.typing import NDArray

from experiments.command import make_table
from experiments.trials import MAX_SHIFT, STRONG, Trials, context_before_fits, simulate_trials
from spades.bidding.curves import PREVIOUS_COMMAND, PREVIOUS_TABLE, PREVIOUS_VERSION
from spades.core.cards import N_SEATS
from spades.core.documents import Document
from spades.core.kernel import FloatArray, kernel
from spades.core.rules import NIL_BID, RuleNumbers, Rules
from spades.core.scoring import partnership_score

FIRST_ROUNDS = 300_000
N_ROUNDS = 1_000_000
SEED = 30401
N_GROUPS = 20
# Columns of the regression.
_SHIFT = 0
_SHIFT_SUM = 1
_SQUARE = 2


@kernel
def score_differences(
    bids: NDArray, tricks: NDArray, seats: NDArray, rules: RuleNumbers, out: NDArray
) -> None:
    """Points less bag costs of the seat's partnership, minus the other's, into ``out`` (n,)."""
    for i in range(len(seats)):
        difference = 0
        for side in range(2):
            seat = (seats[i] + side) & 3
            blind = (False, False, False, False)
            points, bags = partnership_score(seat, bids[i], blind, tricks[i], rules)
            worth = points - rules.bag_cost * bags
            if side == 0:
                difference += worth
            else:
                difference -= worth
        out[i] = difference


def differences_of(trials: Trials, rules: Rules) -> FloatArray:
    """``score_differences`` of every round, points for the seat that tried a bid."""
    out = np.empty(len(trials.seat))
    score_differences(trials.bids, trials.tricks, trials.seat, rules.numbers, out)
    return out


def design(trials: Trials) -> FloatArray:
    """Columns of the regression: shift, shift x sum, shift squared; the controls follow."""
    shift = trials.shift
    total = trials.total.astype(np.float64)
    before = trials.before
    columns = (
        shift,
        shift * total,
        shift**2,
        np.ones_like(shift),
        total,
        total**2,
        before,
        before**2,
        before * total,
    )
    return np.column_stack(columns)


def best_line(x: NDArray, y: NDArray) -> tuple[float, float]:
    """Constant and slope, in the sum of the previous bids, of the shift that brings most."""
    is_first = not x[:, _SHIFT_SUM].any()
    n_columns = x.shape[1]
    kept = [_SHIFT, _SQUARE, 3, 6, 7] if is_first else list(range(n_columns))
    solution, *_ = np.linalg.lstsq(x[:, kept], y, rcond=None)
    effects = np.zeros(n_columns)
    effects[kept] = solution
    curvature = -2.0 * effects[_SQUARE]
    if curvature <= 0.0:
        raise ValueError("too few rounds: no shift is best")
    return float(effects[_SHIFT] / curvature), float(effects[_SHIFT_SUM] / curvature)


def fit_lines(trials: Trials, y: NDArray) -> tuple[NDArray, NDArray]:
    """The four lines and their standard errors, (4, 2) each, by the number of previous bids."""
    lines = np.zeros((N_SEATS, 2))
    errors = np.zeros((N_SEATS, 2))
    x = design(trials)
    for position in range(N_SEATS):
        rows = trials.position == position
        lines[position] = best_line(x[rows], y[rows])
        errors[position] = jackknife_errors(x[rows], y[rows])
    return lines, errors


def jackknife_errors(x: NDArray, y: NDArray) -> FloatArray:
    """Standard errors of ``best_line``, leaving out one of ``N_GROUPS`` groups at a time."""
    group = np.arange(len(y)) % N_GROUPS
    lines = []
    for left_out in range(N_GROUPS):
        kept = group != left_out
        lines.append(best_line(x[kept], y[kept]))
    squares = (np.array(lines) - np.mean(lines, axis=0)) ** 2
    return np.sqrt((N_GROUPS - 1) / N_GROUPS * squares.sum(axis=0))


def contracts_made(trials: Trials) -> tuple[list[float], list[int]]:
    """Shares of contracts made without and with one nil beside them, and their numbers. Those of
    the partnership that tries nothing."""
    seats = (trials.seat[:, None] + np.array([1, 3])) % N_SEATS
    bids = np.take_along_axis(trials.bids, seats, 1)
    tricks = np.take_along_axis(trials.tricks, seats, 1)
    is_made = tricks.sum(axis=1) >= bids.sum(axis=1)
    n_nils = (bids == NIL_BID).sum(axis=1)
    groups = [is_made[n_nils == n_beside] for n_beside in (0, 1)]
    return [float(group.mean()) for group in groups], [len(group) for group in groups]


def document(first_rounds: int = FIRST_ROUNDS, n_rounds: int = N_ROUNDS) -> Document:
    rules = Rules()
    lines = np.zeros((N_SEATS, 2))
    for n, seed in ((first_rounds, SEED + 1), (n_rounds, SEED)):
        context = context_before_fits(rules, previous=lines)
        trials = simulate_trials(n, seed, tries_nil=False, agent=STRONG, context=context)
        lines, errors = fit_lines(trials, differences_of(trials, rules))
    made, n_made = contracts_made(trials)
    return {
        "version": PREVIOUS_VERSION,
        "what": "BIS's term in the sum of the previous bids: constant and slope, in tricks, after "
        "0 to 3 previous bids; shares of contracts made without and with a nil beside them. "
        "Simulated rounds: BIS bids, the strong rule-based player plays.",
        "command": PREVIOUS_COMMAND,
        "agent": STRONG,
        "previous": lines.tolist(),
        "previous_standard_errors": errors.tolist(),
        "made": made,
        "made_n": n_made,
        "fit": {
            "rounds": n_rounds,
            "seed": SEED,
            "largest_shift": MAX_SHIFT,
            "first_rounds": first_rounds,
        },
        "mean_sum_by_position": [
            float(trials.total[trials.position == p].mean()) for p in range(N_SEATS)
        ],
    }


if __name__ == "__main__":
    make_table(__doc__, PREVIOUS_TABLE, lambda options: document())
