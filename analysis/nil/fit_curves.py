"""Fit the success curves of nil: ``python -m analysis.nil.fit_curves``.

Source: Cohensius et al. 2020, section 4.3: logistic regression of a nil's success on its value and
the bids before it (``analysis.nil.fit``). Rounds: one seat tries a nil
(``analysis.bidding.trials``), the others bid and all play as BIS with the strong rule-based
player, or as simulated humans. BIS's own bids hang on the curves: a first fit, on rounds of BIS
without any, gives those that it bids by in the second.

Writes ``data/tables/nil_curves.npz``, ``nil_curves_human.npz`` and, from rounds held out,
``nil_curve_scores.json`` (``analysis.nil.scores``).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analysis.bidding.trials import HUMANS, STRONG, Trials, context_before_fits, try_bids
from analysis.nil.fit import fit_curves
from analysis.nil.scores import scores_document
from analysis.runs.command import write_table
from spades.bidding.auction import BidContext, context_with
from spades.bidding.curves import (
    COMMAND,
    HUMAN_TABLE,
    TABLE,
    SuccessCurves,
    load_regular_fit,
    save_curves,
)
from spades.core.rules import Rules

SCORES = TABLE.with_name("nil_curve_scores.json")
FIRST_ROUNDS, N_ROUNDS, N_HELD_OUT, SEED = 200_000, 2_000_000, 400_000, 30403
WHO = {STRONG: "BIS bids, the strong rule-based player plays", HUMANS: "simulated humans"}


def bis_context(rules: Rules, lines: NDArray[np.float64] | None = None) -> BidContext:
    """BIS's tables, the stored term in the previous bids among them, with these curves or none."""
    bare, fit = context_before_fits(rules), load_regular_fit()
    curves = bare.tables.curves if lines is None else lines
    return context_with(rules, curves, fit.previous, fit.made)


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
