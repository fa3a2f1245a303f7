"""Decisions as the fit of the log-linear model sees them: features of the legal cards, in rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.kernel import Int, kernel, lowest, popcount
from spades.human.features.abstract_moves import beating_mask
from spades.human.features.card_features import (
    COVERING,
    N_FEATURES,
    NIL_FEATURE_NAMES,
    RANK,
    TAKING,
    card_features,
    context_of,
    nil_strength,
)
from spades.human.features.examples import Examples
from spades.human.features.view import decision_at

N_NIL = len(NIL_FEATURE_NAMES)


class Competitions(NamedTuple):
    """n decisions; the legal cards of decision i are rows ``starts[i]`` to ``starts[i + 1]``.

    ``features`` int64 (rows,) masks of the 42, ``nil`` float32 (rows, 3), ``chosen`` int64 (n,)
    the row of the card played, ``starts`` int64 (n + 1,).
    """

    features: NDArray[np.int64]
    nil: NDArray[np.float32]
    chosen: NDArray[np.int64]
    starts: NDArray[np.int64]

    @property
    def n(self) -> int:
        return len(self.chosen)


@kernel
def _fill(views: NDArray, cards: NDArray, units: NDArray, out: tuple) -> None:
    features, nil, chosen, starts = out
    row = starts[0] = 0
    for i in range(len(views)):
        decision = decision_at(views[i])
        context = context_of(decision)
        beating = beating_mask(decision.best_card)
        left = decision.legal
        while left:
            card = lowest(left)
            features[row] = card_features(card, decision, context)[1]
            for k in range(N_NIL):
                nil[row, k] = nil_strength(card, decision, beating, units[k])
            if card == cards[i]:
                chosen[i] = row
            left &= left - 1
            row += 1
        starts[i + 1] = row


@kernel
def _count_legal(views: NDArray) -> Int:
    n = 0
    for i in range(len(views)):
        n += popcount(decision_at(views[i]).legal)
    return n


def competitions_of(examples: Examples) -> Competitions:
    """The competitions of examples, which have two legal cards or more each."""
    n, rows = len(examples), _count_legal(examples.views)
    units = np.zeros((N_NIL, N_FEATURES + N_NIL))
    for k, feature in enumerate((TAKING, RANK, COVERING)):
        units[k, feature] = 1.0
    out = Competitions(
        np.empty(rows, np.int64),
        np.zeros((rows, N_NIL), np.float32),
        np.empty(n, np.int64),
        np.empty(n + 1, np.int64),
    )
    _fill(examples.views, examples.cards, units, tuple(out))
    return out
