"""What a corpus suggests for a decision: the value of every legal card from similar pairs.

Source: Dobre and Lascarides 2015, sections IV-C and IV-D, equations 2 to 5. The relevance of a pair
(s', a') to an option (s, a) is the mean of the cosine of the states and the cosine of the actions,
from -1 to 1. Each pair speaks once, for the option it fits best; Q of an option is the mean over
the pairs that speak for it of relevance times utility. As in the paper the utility of every pair is
1: whoever played it is trusted, and Q is a mean relevance.

Where the paper is silent: among options that a pair fits equally well it speaks for the lowest card
code; every pair speaks, however little it is like the decision, as no threshold is given; an option
for which no pair speaks has no value. The state's cosine is the same for all options of a decision,
so which one a pair fits best is up to the actions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import cards_in
from spades.core.kernel import kernel, lean_sum_kernel
from spades.core.observation import Observation
from spades.human.corpus.features import N_FEATURES, decision_features
from spades.human.corpus.pairs import Corpus, inverse_norms


class Suggestions(NamedTuple):
    """What a corpus says of k legal cards. ``cards`` int64 (k,) codes, lowest first; ``values``
    float64 (k,) Q, nan where no pair speaks; ``n_pairs`` int64 (k,). Of each of the n pairs:
    ``options`` int8 (n,) the card it speaks for, an index into ``cards``, and ``relevances``
    float64 (n,)."""

    cards: NDArray[np.int64]
    values: NDArray[np.float64]
    n_pairs: NDArray[np.int64]
    options: NDArray[np.int8]
    relevances: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The card with the highest Q, the lowest code among equals."""
        return int(self.cards[np.nanargmax(self.values)])


def suggest(corpus: Corpus, observation: Observation) -> Suggestions:
    """What a corpus suggests to the seat to play, from what that seat sees.

    Raises ``IllegalPlayError`` for a seat that isn't to play.
    """
    found = decision_features(observation).astype(np.int64)
    cards = np.array(list(cards_in(observation.legal_mask)), dtype=np.int64)
    return suggestions_of(corpus, cards, found[0], found[1:] - found[0])


def suggestions_of(
    corpus: Corpus, cards: NDArray[np.int64], state: NDArray, actions: NDArray
) -> Suggestions:
    """Suggestions for one state (64,) and k actions (k, 64), whole numbers from -120 to 120."""
    n, k = len(corpus), len(actions)
    options, relevances = np.empty(n, dtype=np.int8), np.empty(n)
    sums, counts = np.zeros(k), np.zeros(k, dtype=np.int64)
    norms = np.append(inverse_norms(state), inverse_norms(actions))
    assign_pairs(
        (corpus.states, corpus.actions, corpus.inverse_norms),
        (state.astype(np.float32), np.ascontiguousarray(actions, dtype=np.float32), norms),
        (options, relevances),
        (sums, counts),
    )
    values = np.where(counts > 0, sums / np.maximum(counts, 1), math.nan)
    return Suggestions(cards, values, counts, options, relevances)


@lean_sum_kernel
def dot(vector: NDArray, other: NDArray) -> np.float32:
    """Product of two vectors of 64 small whole numbers, exact in float32; ``other`` float32."""
    total = np.float32(0)
    for i in range(N_FEATURES):
        total += np.float32(vector[i]) * other[i]
    return total


@kernel
def assign_pairs(
    pairs: tuple[NDArray, NDArray, NDArray],
    decision: tuple[NDArray, NDArray, NDArray],
    out: tuple[NDArray, NDArray],
    totals: tuple[NDArray, NDArray],
) -> None:
    """Each pair to the option it fits best; sums of relevance and counts by option.

    ``pairs``: states and actions int8 (n, 64), inverse norms (2, n). ``decision``: state float32
    (64,), actions float32 (k, 64), inverse norms (1 + k,).
    """
    states, actions, pair_norms = pairs
    state, options, norms = decision
    option_of, relevances = out
    sums, counts = totals
    action = np.empty(N_FEATURES, dtype=np.float32)
    for p in range(len(states)):
        for i in range(N_FEATURES):
            action[i] = actions[p, i]
        best, found = -np.inf, 0
        for j in range(len(options)):
            cosine = dot(action, options[j]) * norms[1 + j]
            if cosine > best:
                best, found = cosine, j
        alike = dot(states[p], state) * norms[0] * pair_norms[0, p]
        relevance = (alike + best * pair_norms[1, p]) / 2
        option_of[p], relevances[p] = found, relevance
        sums[found] += relevance
        counts[found] += 1
