"""How well a model predicts human play (spec 3, "Measures").

Where a log is of simulated humans the true probabilities are known, so the best possible accuracy
is too: the mean of the largest of them, the ceiling. Every decision counts, forced ones too, as in
the papers; ``unforced`` has those with a choice. Intervals are at 95%, a game counting once."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from spades.core.cards import HAND_SIZE
from spades.core.kernel import kernel
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
_AT_ONCE = 65_536
_BIDS_AND_TRICKS = (7, 8, 9, 10, OTHER_BIDS, OTHER_BIDS + 1, OTHER_TRICKS, OTHER_TRICKS + 1)
_STATE = (HAND, TABLE, TABLE + 1, TABLE + 2)

_TRUTHS = ("ceiling", "expected_accuracy", "kl_to_truth")  # known of simulated humans only
_MEASURES = ("accuracy", "accuracy_moves", "accuracy_sampled", "log_loss", *_TRUTHS)


@kernel
def _fill_moves(views: NDArray, out: NDArray) -> None:
    for i in range(len(views)):
        classify_legal(views[i], out[i])


def compute_answers(prior: Prior, examples: Examples) -> pd.DataFrame:
    """What a model says of every example, a row each, whose means are the measures.

    ``accuracy`` and ``accuracy_moves``: whether the likeliest card, or abstract move of the 68, was
    played; ``accuracy_sampled``: the probability of the card played, ``log_loss`` -log of it, nats;
    ``confidence``: the largest probability; ``legal_first``: whether the first choice before the
    legal cards are looked at is legal (all True for a model that is given them). Of simulated
    humans, else NaN: ``ceiling``, the largest true probability; ``expected_accuracy``, that of the
    model's card; ``kl_to_truth``, nats, from the true probabilities to the model's."""
    truth, prior = devlin2016_nil().prior(), own_copy(prior)
    parts = [
        _answers(prior, truth, examples.take(slice(start, start + _AT_ONCE)))
        for start in range(0, len(examples), _AT_ONCE)
    ]
    return pd.concat(parts, ignore_index=True)


def _answers(prior: Prior, truth: Prior, examples: Examples) -> pd.DataFrame:
    n, views = len(examples), np.ascontiguousarray(examples.views)
    p, picks, rows = np.zeros((n, HAND_SIZE)), np.ones(n, dtype=bool), np.arange(n)
    predict_views(prior, views, p, picks)
    true_p = predict(truth, views)
    true_p[~examples.is_simulated] = np.nan
    played, moves = _played_and_moves(views, examples.cards)
    p_move = np.einsum("nb,nab->na", p, moves[:, :, None] == moves[:, None, :])
    best, best_move = p.argmax(1), p_move.argmax(1)
    logs = np.log(np.maximum(p, LEAST_PROBABILITY))
    true_logs = np.log(np.maximum(true_p, LEAST_PROBABILITY))
    columns = {
        "accuracy": best == played,
        "accuracy_moves": moves[rows, best_move] == moves[rows, played],
        "accuracy_sampled": np.exp(logs[rows, played]),
        "log_loss": -logs[rows, played],
        "ceiling": true_p.max(1),
        "expected_accuracy": true_p[rows, best],
        "kl_to_truth": (true_p * (true_logs - logs)).sum(1),
        "confidence": p[rows, best],
        "legal_first": picks,
    }
    return pd.DataFrame(columns)


def _played_and_moves(views: NDArray, cards: NDArray) -> tuple[NDArray, NDArray]:
    """The place of the card played among the legal ones, (n,), and their moves of the 68 (n, 13),
    -1 after them."""
    below = (np.int64(1) << cards.astype(np.int64)) - 1
    moves = np.full((len(views), HAND_SIZE), -1, dtype=np.int8)
    _fill_moves(views, moves)
    return np.bitwise_count(views[:, LEGAL] & below).astype(np.int64), moves


def model_measures(model: HumanModel, examples: Examples) -> dict[str, Any]:
    """What ``evaluate --json`` prints (spec 6), beside the names of model and data.

    ``intervals`` has those of the other measures; ``accuracy_sampled`` is that of cards drawn by
    the model's probabilities. Truth is null unless every decision is a simulated human's;
    ``illegal_first`` is null for models that are given the legal cards."""
    answers = compute_answers(model.prior(), examples)
    _, games = np.unique(examples.games, return_inverse=True)
    names = [name for name in _MEASURES if examples.is_simulated.all() or name not in _TRUTHS]
    columns = {name: answers[name].to_numpy() for name in names}
    confidence, right = answers["confidence"].to_numpy(), columns["accuracy"]
    means = {name: float(values.mean()) for name, values in columns.items()}
    of_game = np.bincount(games)
    intervals = {k: ratio_interval(np.bincount(games, v), of_game) for k, v in columns.items()}
    illegal = share = None
    if "ceiling" in means:
        share = means["accuracy"] / means["ceiling"]
        hits, best = (np.bincount(games, columns[name]) for name in ("accuracy", "ceiling"))
        intervals["share_of_ceiling"] = ratio_interval(hits, best)
    if isinstance(model, NetworkModel):
        n_illegal = int((~answers["legal_first"]).sum())
        illegal = n_illegal / len(examples)
        intervals["illegal_first"] = share_interval(n_illegal, len(examples))
    legal = examples.views[:, LEGAL]
    has_choice = (legal & (legal - 1)) != 0
    unforced = {k: float(v[has_choice].mean()) for k, v in columns.items() if has_choice.any()}
    return {
        "decisions": len(examples),
        "games": int(games.max()) + 1,
        "simulated_humans": "ceiling" in means,
        **{name: means.get(name) for name in _MEASURES},
        "share_of_ceiling": share,
        "illegal_first": illegal,
        "ece": calibration_error(confidence, right),
        "unforced": {"decisions": int(has_choice.sum()), **dict.fromkeys(columns), **unforced},
        "intervals": intervals,
        "reliability": reliability(confidence, right),
    }


def reliability(
    confidence: NDArray[np.float64], right: NDArray[np.bool_], n_bins: int = N_BINS
) -> list[dict[str, Any]]:
    """How often the model's card is played, by how sure it is: bins of equal width with any."""
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    rows = []
    for i in np.unique(bins).tolist():
        members = bins == i
        n, hits = int(members.sum()), int(right[members].sum())
        row = {"from": i / n_bins, "to": (i + 1) / n_bins, "n": n}
        row |= {"confidence": float(confidence[members].mean()), "accuracy": hits / n}
        rows.append(row | {"interval": share_interval(hits, n)})
    return rows


def calibration_error(confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Expected calibration error: mean over decisions of |accuracy - confidence| of their bin."""
    rows = reliability(confidence, right)
    return sum(r["n"] * abs(r["accuracy"] - r["confidence"]) for r in rows) / len(right)


def disagreement(examples: Examples, *, with_tricks: bool = False) -> dict[str, Any]:
    """Equal states that were played differently (Baier 2018, section III).

    A state is the hand and the table, with ``with_tricks`` also all bids and tricks. ``duplicated``
    is the share of decisions whose state comes more than once (published: under 10%), ``disagree``
    the mean over those states of the share that didn't play the commonest card (published: 20
    %)."""
    columns = _STATE + (_BIDS_AND_TRICKS if with_tricks else ())
    _, state = np.unique(examples.views[:, columns], axis=0, return_inverse=True)
    counts = np.bincount(state)
    pairs, pair_counts = np.unique(state.astype(np.int64) * 64 + examples.cards, return_counts=True)
    commonest = np.zeros(len(counts), dtype=np.int64)
    np.maximum.at(commonest, pairs // 64, pair_counts)
    repeated = counts > 1
    shares = 1 - commonest[repeated] / counts[repeated]
    return {
        "states": len(counts),
        "repeated_states": int(repeated.sum()),
        "duplicated": float(counts[repeated].sum() / len(state)),
        "disagree": float(shares.mean()) if repeated.any() else None,
    }


def move_confusion(prior: Prior, examples: Examples) -> pd.DataFrame:
    """A row for every abstract move played and move expected, over decisions with a choice.
    Columns: played, expected, their categories, n (decisions in which the likeliest card is of the
    move expected), p (sum of probabilities), of (decisions in which the move was played), share."""
    some = examples.unforced
    p, rows = predict(prior, some.views), np.arange(len(some))
    at, moves = _played_and_moves(some.views, some.cards)
    keys = np.where(moves < 0, -1, MOVE_32_OF_68[moves].astype(np.int64))
    key = keys[rows, at] * N_MOVES
    chosen = np.bincount(key + keys[rows, p.argmax(1)], minlength=N_MOVES * N_MOVES)
    expected = np.bincount((key[:, None] + keys)[keys >= 0], p[keys >= 0], N_MOVES * N_MOVES)
    played, other = np.divmod(np.arange(N_MOVES * N_MOVES), N_MOVES)
    of = chosen.reshape(N_MOVES, N_MOVES).sum(axis=1)[played]
    names, kinds = np.array(MOVES_32), np.array(CATEGORIES)[np.array(CATEGORY_OF_32)]
    return pd.DataFrame(
        {
            "played": names[played],
            "expected": names[other],
            "played_category": kinds[played],
            "expected_category": kinds[other],
            "n": chosen,
            "p": expected,
            "of": of,
            "share": np.divide(chosen, of, out=np.zeros(len(of)), where=of > 0),
        }
    )
