"""Whether a classifier can tell one group's plays from another's: the AUC of a discriminator.

A play counts where it was a choice: legal cards were of more than one abstract move. Its score is
by how much likelier the first group makes that choice than the second, the log of the ratio of two
probabilities, those of the move given the situation and the moves offered: what was met tells
nothing by itself. The two groups are to play the same deals; one that met other situations could
still be told by where such scores are larger.

**Models.** Both probabilities are those of a conditional logit model (McFadden 1974) with a weight
for each of the 32 abstract moves in each situation of ``analysis.style.habits``. The weights have
the greatest likelihood less a quadratic penalty. The second group's are drawn towards 0, the first
group's towards the second's: as long as nothing tells them apart, all scores are 0.

**AUC.** Of a play of each group, how often the first group's has the higher score, ties being half:
0.5 where no classifier does better than chance, 1 where every play gives its group away. Games are
split in ``FOLDS``; plays are scored by models of the other folds' games and compared with those of
their own fold. The interval is over games, by the pseudo-values of Obuchowski (1997) for clustered
data, with the models taken as given, as by LeDell, Petersen and van der Laan (2015).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from analysis.intervals import Interval, mean_interval
from analysis.style.habits import SITUATIONS, Choices
from spades.core.kernel import FloatArray, IntArray, kernel, lowest
from spades.human.features.abstract_moves import N_MOVES

FOLDS = 5
PENALTY = 10.0
"""Of the squared distance of the weights from what they are drawn towards, half of which is taken
from the log-likelihood; found best among 1, 3, 10 and 30 for searches, biased and unbiased."""
TOLERANCE = 1e-6  # of the log-likelihood, relative
MOST_STEPS = 200


class Discrimination(NamedTuple):
    """``auc`` from 0 to 1, ``interval`` of 95% over ``n_games``; the numbers of choices of the
    first group, ``n_one``, and of the second, ``n_other``."""

    auc: float
    interval: Interval
    n_one: int
    n_other: int
    n_games: int


@dataclass(frozen=True)
class Discriminator:
    """Tells other groups' plays from those of ``group``, whose model is fitted once for each fold.
    Games of one number are the same game in all groups."""

    group: Choices

    def tell(self, one: Choices) -> Discrimination | None:
        """How well a group's plays are told from this one's; None if either has fewer games than
        there are folds."""
        one = _real_choices(one)
        other = self._choices
        if min(len(np.unique(one.games)), len(np.unique(other.games))) < FOLDS:
            return None
        n_games = int(max(one.games.max(), other.games.max())) + 1
        right = np.zeros(n_games)
        pairs = np.zeros(n_games)
        for fold, theirs in enumerate(self._models):
            is_held_out = _is_in_fold(one, fold)
            held_out = one.take(is_held_out)
            others = other.take(_is_in_fold(other, fold))
            own = _fit(one.take(~is_held_out), theirs)
            scores = _scores(held_out, own, theirs)
            other_scores = _scores(others, own, theirs)
            n_below = _n_lower(scores, other_scores)
            n_above = len(scores) - _n_lower(other_scores, scores)
            right += np.bincount(held_out.games, n_below, n_games)
            right += np.bincount(others.games, n_above, n_games)
            pairs += np.bincount(held_out.games, minlength=n_games) * len(others)
            pairs += np.bincount(others.games, minlength=n_games) * len(held_out)
        is_compared = pairs > 0
        auc, interval = _over_games(right[is_compared], pairs[is_compared])
        return Discrimination(auc, interval, len(one), len(other), int(is_compared.sum()))

    @cached_property
    def _choices(self) -> Choices:
        return _real_choices(self.group)

    @cached_property
    def _models(self) -> list[FloatArray]:
        """Weights of the group's model for each fold."""
        choices = self._choices
        nothing = np.zeros((len(SITUATIONS), N_MOVES))
        return [_fit(choices.take(~_is_in_fold(choices, fold)), nothing) for fold in range(FOLDS)]


def _real_choices(choices: Choices) -> Choices:
    """Those with more than one move offered."""
    offered = choices.offered
    return choices.take((offered & (offered - 1)) != 0)


def _is_in_fold(choices: Choices, fold: int) -> NDArray[np.bool_]:
    return choices.games % FOLDS == fold


def _over_games(right: FloatArray, pairs: FloatArray) -> tuple[float, Interval]:
    """The AUC and its interval. Of each game: the pairs with a play of it, and those of them that
    were told right; every pair is in the counts of both its plays."""
    auc = float(right.sum() / pairs.sum())
    pseudo_values = auc + 2 * len(pairs) * (right - auc * pairs) / pairs.sum()
    return auc, mean_interval(pseudo_values)


def _n_lower(values: FloatArray, others: FloatArray) -> FloatArray:
    """For each value, how many of the others are lower, equal ones being half."""
    ordered = np.sort(others)
    lower = np.searchsorted(ordered, values, "left")
    lower_or_equal = np.searchsorted(ordered, values, "right")
    return (lower + lower_or_equal) / 2


def _fit(choices: Choices, towards: FloatArray) -> FloatArray:
    """Weights (situations, moves) of a model of these choices, drawn ``towards`` others."""

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        weights = flat.reshape(towards.shape)
        log_p, gradient = _log_probabilities(choices, weights)
        distance = weights - towards
        penalty = PENALTY / 2 * float((distance**2).sum())
        return penalty - float(log_p.sum()), (PENALTY * distance - gradient).ravel()

    options = {"ftol": TOLERANCE, "maxiter": MOST_STEPS}
    fitted = minimize(loss, towards.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(fitted.x).reshape(towards.shape)


def _scores(choices: Choices, own: FloatArray, theirs: FloatArray) -> FloatArray:
    """Log of how much likelier the weights ``own`` make each choice than ``theirs``, (n,)."""
    log_p, _ = _log_probabilities(choices, own)
    log_q, _ = _log_probabilities(choices, theirs)
    return log_p - log_q


def _log_probabilities(choices: Choices, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of each choice, (n,), and the gradient of their sum by the weights."""
    log_p = np.empty(len(choices))
    gradient = np.zeros_like(weights)
    moves = choices.moves_32.astype(np.int64)
    _rate_choices(weights, choices.situations, choices.offered, moves, log_p, gradient)
    return log_p, gradient


@kernel
def _rate_choices(
    weights: FloatArray,
    situations: IntArray,
    offered: IntArray,
    moves: IntArray,
    log_p: FloatArray,
    gradient: FloatArray,
) -> None:
    """Write how likely each choice is, and add to the gradient of the sum; masks as of
    ``Choices``."""
    places = np.empty(weights.shape[0], np.int64)
    options = np.empty(weights.shape[1], np.int64)
    values = np.empty(weights.shape[1])
    for i in range(len(moves)):
        n_places = 0
        left = situations[i]
        while left:
            places[n_places] = lowest(left)
            left &= left - 1
            n_places += 1
        n_options = 0
        highest = -np.inf
        own = 0.0
        left = offered[i]
        while left:
            move = lowest(left)
            left &= left - 1
            value = 0.0
            for k in range(n_places):
                value += weights[places[k], move]
            if move == moves[i]:
                own = value
            options[n_options] = move
            values[n_options] = value
            n_options += 1
            highest = max(highest, value)
        total = 0.0
        for j in range(n_options):
            values[j] = np.exp(values[j] - highest)
            total += values[j]
        log_p[i] = own - highest - np.log(total)
        for k in range(n_places):
            gradient[places[k], moves[i]] += 1
            for j in range(n_options):
                gradient[places[k], options[j]] -= values[j] / total
