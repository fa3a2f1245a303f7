"""Measures of how well a model predicts human play: accuracy, log-loss, divergence, calibration.

In logs of simulated humans the true probabilities are known, and so is the best possible accuracy,
the ceiling: the mean of the largest of them. Every decision counts, forced ones too, as in the
papers; ``unforced`` has those with a choice. Intervals are at 95%, a game counting once."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from spades.core.cards import HAND_SIZE
from spades.core.documents import Document
from spades.core.kernel import BoolArray, FloatArray, IntArray, kernel
from spades.human.features.abstract_moves import (
    CATEGORIES,
    CATEGORY_OF_32,
    MOVE_32_OF_68,
    MOVES_32,
    N_MOVES,
    classify_legal,
)
from spades.human.features.logs import Examples
from spades.human.features.view import HAND, LEGAL, OTHER_BIDS, OTHER_TRICKS, TABLE
from spades.human.model import HumanModel, Prior, own_copy, predict, predict_views
from spades.human.networks.model import NetworkModel
from spades.human.simulated import devlin2016_nil

N_BINS = 15
LEAST_PROBABILITY = 1e-12
"""In the log-loss and the divergence a probability counts as at least this."""
_BATCH = 65_536
_BIDS_AND_TRICKS = (7, 8, 9, 10, OTHER_BIDS, OTHER_BIDS + 1, OTHER_TRICKS, OTHER_TRICKS + 1)
_STATE = (HAND, TABLE, TABLE + 1, TABLE + 2)

_TRUTHS = ("ceiling", "expected_accuracy", "kl_to_truth")  # known for simulated humans only
_MEASURES = ("accuracy", "accuracy_moves", "accuracy_sampled", "log_loss", *_TRUTHS)


@kernel
def _fill_moves(views: NDArray, out: NDArray) -> None:
    for i in range(len(views)):
        classify_legal(views[i], out[i])


def compute_answers(prior: Prior, examples: Examples) -> pd.DataFrame:
    """A model's prediction of every example, a row each; the means of the columns are the measures.

    ``accuracy`` and ``accuracy_moves``: whether the likeliest card, or abstract move of the 68, was
    played; ``accuracy_sampled``: the probability of the card played, ``log_loss`` -log of it, nats;
    ``confidence``: the largest probability; ``legal_first``: whether the model's first choice among
    all cards is legal (True for a model that is given the legal ones). For simulated humans, else
    NaN: ``ceiling``, the largest true probability; ``expected_accuracy``, that of the model's card;
    ``kl_to_truth``, nats, from the true probabilities to the model's."""
    truth = devlin2016_nil().prior()
    prior = own_copy(prior)
    batches = [
        _answers(prior, truth, examples.take(slice(start, start + _BATCH)))
        for start in range(0, len(examples), _BATCH)
    ]
    return pd.concat(batches, ignore_index=True)


def _answers(prior: Prior, truth: Prior, examples: Examples) -> pd.DataFrame:
    n = len(examples)
    rows = np.arange(n)
    views = np.ascontiguousarray(examples.views)
    p = np.zeros((n, HAND_SIZE))
    is_first_legal = np.ones(n, dtype=bool)
    predict_views(prior, views, p, is_first_legal)
    true_p = predict(truth, views)
    true_p[~examples.is_simulated] = np.nan
    played, moves = played_and_moves(views, examples.cards)
    is_same_move = moves[:, :, None] == moves[:, None, :]
    p_move = np.einsum("nb,nab->na", p, is_same_move)
    best = p.argmax(axis=1)
    best_move = p_move.argmax(axis=1)
    log_p = np.log(np.maximum(p, LEAST_PROBABILITY))
    log_true_p = np.log(np.maximum(true_p, LEAST_PROBABILITY))
    return pd.DataFrame(
        {
            "accuracy": best == played,
            "accuracy_moves": moves[rows, best_move] == moves[rows, played],
            "accuracy_sampled": np.exp(log_p[rows, played]),
            "log_loss": -log_p[rows, played],
            "ceiling": true_p.max(axis=1),
            "expected_accuracy": true_p[rows, best],
            "kl_to_truth": (true_p * (log_true_p - log_p)).sum(axis=1),
            "confidence": p[rows, best],
            "legal_first": is_first_legal,
        }
    )


def played_and_moves(views: NDArray, cards: NDArray) -> tuple[NDArray, NDArray]:
    """The place of the card played among the legal ones, (n,), and their moves of the 68 (n, 13),
    -1 after them."""
    below = (np.int64(1) << cards.astype(np.int64)) - 1
    moves = np.full((len(views), HAND_SIZE), -1, dtype=np.int8)
    _fill_moves(views, moves)
    return np.bitwise_count(views[:, LEGAL] & below).astype(np.int64), moves


def model_measures(model: HumanModel, examples: Examples) -> Document:
    """The measures that ``evaluate --json`` prints, beside the names of model and data.

    ``intervals`` has those of the other measures; ``accuracy_sampled`` is that of cards drawn by
    the model's probabilities. Measures that need the truth are null unless every decision is a
    simulated human's; ``illegal_first`` is null for models that are given the legal cards."""
    answers = compute_answers(model.prior(), examples)
    _, games = np.unique(examples.games, return_inverse=True)
    decisions_by_game = np.bincount(games)
    has_truth = bool(examples.is_simulated.all())
    columns = {
        name: answers[name].to_numpy() for name in _MEASURES if has_truth or name not in _TRUTHS
    }
    means = {name: float(values.mean()) for name, values in columns.items()}
    intervals = {
        name: ratio_interval(np.bincount(games, values), decisions_by_game)
        for name, values in columns.items()
    }
    share_of_ceiling = None
    if has_truth:
        share_of_ceiling = means["accuracy"] / means["ceiling"]
        hits_by_game = np.bincount(games, columns["accuracy"])
        ceiling_by_game = np.bincount(games, columns["ceiling"])
        intervals["share_of_ceiling"] = ratio_interval(hits_by_game, ceiling_by_game)
    illegal_first = None
    if isinstance(model, NetworkModel):
        n_illegal = int((~answers["legal_first"]).sum())
        illegal_first = n_illegal / len(examples)
        intervals["illegal_first"] = share_interval(n_illegal, len(examples))
    legal = examples.views[:, LEGAL]
    has_choice = (legal & (legal - 1)) != 0
    unforced = {
        name: float(values[has_choice].mean()) if has_choice.any() else None
        for name, values in columns.items()
    }
    confidence = answers["confidence"].to_numpy()
    is_right = columns["accuracy"]
    return {
        "decisions": len(examples),
        "games": int(games.max()) + 1,
        "simulated_humans": has_truth,
        **{name: means.get(name) for name in _MEASURES},
        "share_of_ceiling": share_of_ceiling,
        "illegal_first": illegal_first,
        "ece": calibration_error(confidence, is_right),
        "unforced": {"decisions": int(has_choice.sum()), **unforced},
        "intervals": intervals,
        "reliability": reliability(confidence, is_right),
    }


def reliability(
    confidence: FloatArray,
    is_right: BoolArray,
    n_bins: int = N_BINS,
) -> list[Document]:
    """How often the model's card is played, by its probability: bins of equal width that aren't
    empty."""
    bin_of_decision = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    rows = []
    for i in np.unique(bin_of_decision).tolist():
        in_bin = bin_of_decision == i
        n = int(in_bin.sum())
        hits = int(is_right[in_bin].sum())
        row = {
            "from": i / n_bins,
            "to": (i + 1) / n_bins,
            "n": n,
            "confidence": float(confidence[in_bin].mean()),
            "accuracy": hits / n,
            "interval": share_interval(hits, n),
        }
        rows.append(row)
    return rows


def calibration_error(confidence: FloatArray, is_right: BoolArray) -> float:
    """Expected calibration error: mean over decisions of |accuracy - confidence| of their bin."""
    total = 0.0
    for row in reliability(confidence, is_right):
        total += row["n"] * abs(row["accuracy"] - row["confidence"])
    return total / len(is_right)


def disagreement(examples: Examples, *, with_tricks: bool = False) -> Document:
    """Equal states that were played differently (Baier 2018, section III).

    A state is the hand and the table, with ``with_tricks`` also all bids and tricks. ``duplicated``
    is the share of decisions whose state occurs more than once (published: under 10%), ``disagree``
    the mean over those states of the share that didn't play the commonest card (published:
    20%)."""
    states = equal_states(examples, with_tricks=with_tricks)
    return {
        "states": states.n,
        "repeated_states": len(states.plays),
        "duplicated": float(states.plays.sum() / len(examples)),
        "disagree": float(states.disagree.mean()) if len(states.plays) else None,
    }


class EqualStates(NamedTuple):
    """``n`` different states. Of those that occur more than once: ``plays`` int64 (k,), how often,
    and ``disagree`` float64 (k,), the share of these that didn't play the commonest card."""

    n: int
    plays: IntArray
    disagree: FloatArray


def equal_states(examples: Examples, *, with_tricks: bool = False) -> EqualStates:
    """The states of ``disagreement``."""
    columns = _STATE + _BIDS_AND_TRICKS if with_tricks else _STATE
    _, state = np.unique(examples.views[:, columns], axis=0, return_inverse=True)
    counts = np.bincount(state)
    pairs, pair_counts = np.unique(state.astype(np.int64) * 64 + examples.cards, return_counts=True)
    commonest = np.zeros(len(counts), dtype=np.int64)
    np.maximum.at(commonest, pairs // 64, pair_counts)
    repeated = counts > 1
    plays = counts[repeated]
    return EqualStates(len(counts), plays, 1 - commonest[repeated] / plays)


def move_confusion(prior: Prior, examples: Examples) -> pd.DataFrame:
    """A row for every pair of abstract moves, played and expected, over decisions with a choice.
    Columns: played, expected, their categories, n (decisions whose likeliest card is of the
    expected move), p (sum of probabilities), of (decisions in which the move was played), share."""
    choices = examples.unforced
    p = predict(prior, choices.views)
    rows = np.arange(len(choices))
    played, moves_of_68 = played_and_moves(choices.views, choices.cards)
    is_card = moves_of_68 >= 0
    moves = np.where(is_card, MOVE_32_OF_68[moves_of_68].astype(np.int64), -1)
    n_pairs = N_MOVES * N_MOVES
    played_row = moves[rows, played] * N_MOVES  # of the flattened matrix of pairs
    n = np.bincount(played_row + moves[rows, p.argmax(axis=1)], minlength=n_pairs)
    p_sums = np.bincount((played_row[:, None] + moves)[is_card], p[is_card], n_pairs)
    played_move, expected_move = np.divmod(np.arange(n_pairs), N_MOVES)
    n_played = n.reshape(N_MOVES, N_MOVES).sum(axis=1)[played_move]
    names = np.array(MOVES_32)
    categories = np.array(CATEGORIES)[np.array(CATEGORY_OF_32)]
    return pd.DataFrame(
        {
            "played": names[played_move],
            "expected": names[expected_move],
            "played_category": categories[played_move],
            "expected_category": categories[expected_move],
            "n": n,
            "p": p_sums,
            "of": n_played,
            "share": np.divide(n, n_played, out=np.zeros(n_pairs), where=n_played > 0),
        }
    )
