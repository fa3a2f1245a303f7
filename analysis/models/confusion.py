"""Which abstract move a model expects where another is played."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS
from spades.core.kernel import kernel, lowest
from spades.human.features.abstract_moves import CATEGORIES, CATEGORY_OF_32, MOVES_32, N_MOVES
from spades.human.features.card_features import card_features, context_of
from spades.human.features.logs import Examples
from spades.human.features.view import decision_at
from spades.human.model import Prior, own_copy, prior_probabilities


@kernel
def count_moves(
    views: NDArray, cards: NDArray, prior: Prior, chosen: NDArray, expected: NDArray
) -> None:
    """Add every decision to ``chosen`` (32, 32): move played by the likeliest card's move; and to
    ``expected`` (32, 32): move played by the probability of every move."""
    out, moves = np.empty(HAND_SIZE), np.empty(N_CARDS, dtype=np.int64)
    for row in range(len(views)):
        decision = decision_at(views[row])
        n = prior_probabilities(prior, views[row], out)
        if n < 2:
            continue
        context = context_of(decision)
        left, played, best = decision.legal, 0, 0
        for i in range(n):
            card = lowest(left)
            moves[i] = card_features(card, decision, context)[0]
            if card == cards[row]:
                played = moves[i]
            if out[i] > out[best]:
                best = i
            left &= left - 1
        chosen[played, moves[best]] += 1
        for i in range(n):
            expected[played, moves[i]] += out[i]


def move_confusion(prior: Prior, examples: Examples) -> pd.DataFrame:
    """A row for every abstract move played and move expected, over decisions with a choice.

    Columns: played, expected, their categories, n (decisions in which the likeliest card is of the
    move expected), p (sum of probabilities), of (decisions in which the move was played), share.
    """
    chosen, expected = np.zeros((N_MOVES, N_MOVES)), np.zeros((N_MOVES, N_MOVES))
    views = np.ascontiguousarray(examples.views)
    count_moves(views, examples.cards.astype(np.int64), own_copy(prior), chosen, expected)
    played, other = np.divmod(np.arange(N_MOVES * N_MOVES), N_MOVES)
    of = chosen.sum(axis=1)[played]
    category = np.array(CATEGORY_OF_32)
    return pd.DataFrame(
        {
            "played": [MOVES_32[i] for i in played],
            "expected": [MOVES_32[i] for i in other],
            "played_category": [CATEGORIES[i] for i in category[played]],
            "expected_category": [CATEGORIES[i] for i in category[other]],
            "n": chosen.ravel().astype(int),
            "p": expected.ravel(),
            "of": of.astype(int),
            "share": np.divide(chosen.ravel(), of, out=np.zeros(len(of)), where=of > 0),
        }
    )
