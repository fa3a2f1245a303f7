"""Fit the simulated human's three free parameters to three published marginals, nothing else.

Each parameter moves one figure once those before it are set, so that three searches by halving, on
the same random rounds throughout, are the whole fit: ``nil_tolerance`` the share of nils,
``offset`` the sum of the bids, one ``scale`` of the three nil weights the share of nils made. The
rest is set by hand and isn't fitted: the weights' ratio -3 : 2 : 1.5 (spec 3), the noise, how
previous bids count. Of three forms of the nil classifier (worst card, worst cards of the suits
summed, all low cards summed) the last was taken: with it the scale comes out near 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.rules import NIL_BID, Rules
from spades.human.bidder import Bidder
from spades.human.features.card_features import NIL_FEATURE_NAMES
from spades.human.simulated import Rounds, SimulatedHuman, simulate_rounds

SOURCES = {
    "sum_of_bids": "Cohensius 2020, appendix, figure 5: millions of games of a mobile application",
    "nil_share": "Cohensius 2020, introduction: humans' rounds with a nil",
    "nil_made": "Cohensius 2020, introduction: humans' nils that succeed",
}
UNIT_WEIGHTS = (-3.0, 2.0, 1.5)
START = Bidder(offset=0.0, noise=0.7, previous=-0.1, nil_tolerance=0.0, nil_noise=1.0)
OFFSETS, TOLERANCES, SCALES = (-2.0, 2.0), (-3.0, 15.0), (0.0, 4.0)
HALVINGS = 16


class Figures(NamedTuple):
    """The three marginals: mean sum of four bids (tricks), share of nils, share of nils made."""

    sum_of_bids: float
    nil_share: float
    nil_made: float


PUBLISHED = Figures(sum_of_bids=10.55, nil_share=0.126, nil_made=0.632)


class Fit(NamedTuple):
    """What a calibration found."""

    bidder: Bidder
    scale: float

    @property
    def nil_weights(self) -> dict[str, float]:
        scaled = (self.scale * weight for weight in UNIT_WEIGHTS)
        return dict(zip(NIL_FEATURE_NAMES, scaled, strict=True))

    @property
    def human(self) -> SimulatedHuman:
        return SimulatedHuman.of(self.bidder, self.nil_weights)


def figures_of(rounds: Rounds) -> Figures:
    """The marginals of simulated rounds."""
    is_nil = rounds.bids == NIL_BID
    samples = (rounds.bids.sum(axis=1, dtype=np.int64), is_nil, rounds.tricks[is_nil] == 0)
    return Figures(*(float(sample.mean()) for sample in samples))


def standard_errors(rounds: Rounds) -> Figures:
    """Standard errors of ``figures_of``; rounds, not seats, count as independent."""
    is_nil = rounds.bids == NIL_BID
    made, nils = (is_nil & (rounds.tricks == 0)).sum(axis=1), is_nil.sum(axis=1)
    residual = made - nils * made.sum() / max(1, nils.sum())  # ratio estimator
    n = len(nils)
    return Figures(
        float(rounds.bids.sum(axis=1, dtype=np.int64).std() / np.sqrt(n)),
        float(is_nil.mean(axis=1).std() / np.sqrt(n)),
        float(residual.std() / np.sqrt(n) / max(1 / n, nils.mean())),
    )


def halve(figure: Callable[[float], float], target: float, span: tuple[float, float]) -> float:
    """Where in ``span`` a rising figure meets ``target``."""
    low, high = span
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if figure(middle) < target else (low, middle)
    return (low + high) / 2


def calibrate(n: int, seed: int, published: Figures = PUBLISHED) -> Fit:
    """Fit the free parameters on n rounds of standard rules; same n and seed, same fit."""

    def bids(bidder: Bidder) -> NDArray[np.int8]:
        human = Fit(bidder, 1.0).human
        return simulate_rounds(n, seed, rules=Rules(), human=human, plays=False).bids

    def nil_share(tolerance: float) -> float:
        return float((bids(START._replace(nil_tolerance=tolerance)) == NIL_BID).mean())

    bidder = START._replace(nil_tolerance=halve(nil_share, published.nil_share, TOLERANCES))

    def sum_of_bids(offset: float) -> float:
        return float(bids(bidder._replace(offset=offset)).sum(axis=1, dtype=np.int64).mean())

    bidder = bidder._replace(offset=halve(sum_of_bids, published.sum_of_bids, OFFSETS))

    def nil_made(scale: float) -> float:
        rounds = simulate_rounds(n, seed, rules=Rules(), human=Fit(bidder, scale).human)
        return figures_of(rounds).nil_made

    return Fit(bidder, halve(nil_made, published.nil_made, SCALES))


def sanity_of(rounds: Rounds) -> dict[str, Any]:
    """Figures nothing is fitted to: bids, contracts made, nils by turn to bid, highest sums."""
    n, bids, tricks = len(rounds.bids), rounds.bids, rounds.tricks
    made = tricks[:, :2] + tricks[:, 2:] >= bids[:, :2] + bids[:, 2:]
    sums, is_nil = bids.sum(axis=1, dtype=np.int64), bids == NIL_BID
    turns = (rounds.dealers[:, None] + np.arange(1, 5)) % 4
    by_turn = np.take_along_axis(is_nil, turns.astype(np.int64), axis=1)
    shares = np.bincount(bids.ravel(), minlength=14) / bids.size
    return {
        "rounds": n,
        "bid_shares": {str(bid): round(share, 4) for bid, share in enumerate(shares.tolist())},
        "contracts_made": round(float(made.mean()), 4),
        "nil_share_by_turn": [round(share, 4) for share in by_turn.mean(axis=0).tolist()],
        "sum_of_bids_sd": round(float(sums.std()), 4),
        "sum_of_bids_above_13": round(float((sums > 13).mean()), 4),
        "rounds_with_nil": round(float(is_nil.any(axis=1).mean()), 4),
    }
