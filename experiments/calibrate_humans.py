"""Calibrate the simulated humans: ``python -m experiments.calibrate_humans`` (about a minute).

Writes ``data/tables/simulated_human.json``: parameters, the figures they reach on fresh rounds with
their standard errors, sizes, seeds and this command."""

from experiments.command import make_table
from spades.core.documents import Document
from spades.core.rules import Rules
from spades.human import simulated
from spades.human.simulated import MODEL_NAME, TABLE, calibrate

N_FIT = 100_000
FIT_SEED = 20201
N_CHECK = 200_000
CHECK_SEED = 20202


def document(fit: simulated.Fit) -> Document:
    """What is stored: the fit, and the figures it reaches on rounds that it wasn't fitted to."""
    rounds = simulated.simulate_rounds(N_CHECK, CHECK_SEED, rules=Rules(), human=fit.human)
    return {
        "version": simulated.VERSION,
        "what": f"Simulated humans (no human data): noisy bidder and card model {MODEL_NAME}",
        "command": simulated.COMMAND,
        "bidder": fit.bidder._asdict(),
        "nil_weights": fit.nil_weights,
        "nil_weight_scale": fit.scale,
        "fit": {"rounds": N_FIT, "seed": FIT_SEED},
        "published": simulated.PUBLISHED._asdict(),
        "sources": simulated.SOURCES,
        "achieved": {
            "rounds": N_CHECK,
            "seed": CHECK_SEED,
            "figures": simulated.figures_of(rounds)._asdict(),
            "standard_errors": simulated.standard_errors(rounds)._asdict(),
        },
        "not_fitted": simulated.sanity_of(rounds),
    }


if __name__ == "__main__":
    make_table(__doc__, TABLE, lambda options: document(calibrate(N_FIT, FIT_SEED)))
