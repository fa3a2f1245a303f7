"""Fit BIS's term in the previous bids: ``python -m analysis.fit_previous_bids`` (a minute or two).

Cohensius et al. 2020 (section 4.1.4) add "a factor which is determined by the sum of previous bids"
to the tricks of a hand and give no formula. Here it is the shift that brings most: simulated
humans play rounds in which one seat bids its tricks plus a shift drawn at random, and

    y = a + b s + controls + (c + d s) shift - e shift^2

is fitted by least squares for each number of previous bids, y being the score difference of the
round (points less the long-run cost of bags, as in a search's reward), s the sum of the previous
bids. The best shift is (c + d s) / 2e, a line in s. Standard errors are by jackknife over groups of
rounds. Also measured: the shares of contracts made without and with a nil beside them.

Writes ``data/tables/previous_bids.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.bidding_trials import MAX_SHIFT, Trials, try_bids
from analysis.calibrate_humans import write_table
from spades.bidding.context import PREVIOUS_COMMAND, PREVIOUS_TABLE, VERSION
from spades.cards import N_SEATS
from spades.human.simulate import simulate_rounds
from spades.human.simulated import load_simulated_human
from spades.kernel import kernel
from spades.rules import NIL_BID, Rules
from spades.scoring import partnership_score, scoring_options

N_ROUNDS, SEED = 2_000_000, 30401
N_CONTRACTS, CONTRACT_SEED = 200_000, 30402
N_GROUPS = 20
_SHIFT, _SHIFT_SUM, _SQUARE = range(3)


@kernel
def score_differences(
    bids: NDArray, tricks: NDArray, seats: NDArray, options: tuple, bag_cost: int, out: NDArray
) -> None:
    """Points less bag costs of the seat's partnership, minus the other's, into ``out`` (n,)."""
    for i in range(len(seats)):
        difference = 0
        for side in range(2):
            a, b = (seats[i] + side) & 3, (seats[i] + side + 2) & 3
            points, bags = partnership_score(
                int(bids[i, a]), int(bids[i, b]), False, False,
                int(tricks[i, a]), int(tricks[i, b]), options,
            )  # fmt: skip
            worth = points - bag_cost * bags
            difference += worth if side == 0 else -worth
        out[i] = difference


def differences_of(trials: Trials, rules: Rules) -> NDArray[np.float64]:
    """:func:`score_differences` of every round, points for the seat that tried a bid."""
    out = np.empty(len(trials.seat))
    score_differences(
        trials.bids, trials.tricks, trials.seat, scoring_options(rules), rules.bag_cost, out
    )
    return out


def design(trials: Trials) -> NDArray[np.float64]:
    """Columns of the regression: shift, shift x sum, shift squared; the controls follow."""
    shift, total, before = trials.shift, trials.total.astype(np.float64), trials.before
    columns = (
        shift, shift * total, shift**2,
        np.ones_like(shift), total, total**2, before, before**2, before * total,
    )  # fmt: skip
    return np.column_stack(columns)


def best_line(x: NDArray, y: NDArray) -> tuple[float, float]:
    """Constant and slope, in the sum of the previous bids, of the shift that brings most."""
    is_first = not x[:, _SHIFT_SUM].any()
    keep = [_SHIFT, _SQUARE, 3, 6, 7] if is_first else list(range(x.shape[1]))
    effects = np.zeros(x.shape[1])
    effects[keep] = np.linalg.lstsq(x[:, keep], y, rcond=None)[0]
    curvature = -2.0 * effects[_SQUARE]
    if curvature <= 0.0:
        raise ValueError("too few rounds: no shift is best")
    return float(effects[_SHIFT] / curvature), float(effects[_SHIFT_SUM] / curvature)


def fit_lines(trials: Trials, y: NDArray) -> tuple[NDArray, NDArray]:
    """The four lines and their standard errors, (4, 2) each, by the number of previous bids."""
    lines, errors = np.zeros((N_SEATS, 2)), np.zeros((N_SEATS, 2))
    x = design(trials)
    for position in range(N_SEATS):
        rows = trials.position == position
        xs, ys = x[rows], y[rows]
        lines[position] = best_line(xs, ys)
        group = np.arange(len(ys)) % N_GROUPS
        left_out = np.array([best_line(xs[group != g], ys[group != g]) for g in range(N_GROUPS)])
        spread = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
        errors[position] = np.sqrt((N_GROUPS - 1) / N_GROUPS * spread)
    return lines, errors


def contracts_made(rules: Rules, n: int) -> tuple[list[float], list[int]]:
    """Shares of contracts that simulated humans made without and with one nil; their numbers."""
    human = load_simulated_human()
    rounds = simulate_rounds(n, CONTRACT_SEED, rules=rules, human=human)
    contract = rounds.bids.reshape(-1, 2, 2).sum(axis=1).ravel()
    tricks = rounds.tricks.reshape(-1, 2, 2).sum(axis=1).ravel()
    nils = (rounds.bids == NIL_BID).reshape(-1, 2, 2).sum(axis=1).ravel()
    made = tricks >= contract
    shares = [float(made[nils == beside].mean()) for beside in (0, 1)]
    return shares, [int((nils == beside).sum()) for beside in (0, 1)]


def document(n_rounds: int = N_ROUNDS, n_contracts: int = N_CONTRACTS) -> dict[str, Any]:
    """What is stored."""
    rules = Rules()
    trials = try_bids(n_rounds, SEED, tries_nil=False, rules=rules)
    lines, errors = fit_lines(trials, differences_of(trials, rules))
    made, n_made = contracts_made(rules, n_contracts)
    return {
        "version": VERSION,
        "what": "BIS's term in the sum of the previous bids: constant and slope, in tricks, after "
        "0 to 3 previous bids; shares of contracts made without and with a nil beside them. "
        "Simulated humans bid and play.",
        "command": PREVIOUS_COMMAND,
        "previous": lines.tolist(),
        "previous_standard_errors": errors.tolist(),
        "made": made,
        "made_n": n_made,
        "fit": {"rounds": n_rounds, "seed": SEED, "largest_shift": MAX_SHIFT},
        "mean_sum_by_position": [
            float(trials.total[trials.position == p].mean()) for p in range(N_SEATS)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=PREVIOUS_TABLE, help="default: shipped")
    write_table(document(), parser.parse_args().out)


if __name__ == "__main__":
    main()
