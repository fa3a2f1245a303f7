"""How well a model predicts human play (spec 3, "Measures").

Where a log is of simulated humans the true probabilities are known, so the best possible accuracy
is too: the mean of the largest of them, the ceiling. Every decision counts, forced ones too, as in
the papers; ``unforced`` has those with a choice. Intervals are at 95 %, a game counting once.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from spades.core.cards import HAND_SIZE, N_CARDS
from spades.core.kernel import kernel, lowest
from spades.human.features.abstract_moves import (
    CATEGORIES,
    CATEGORY_OF_32,
    MOVES_32,
    N_MOVES,
    classify_legal,
)
from spades.human.features.card_features import card_features, context_of
from spades.human.features.logs import Examples
from spades.human.features.view import HAND, LEGAL, OTHER_BIDS, OTHER_TRICKS, TABLE, decision_at
from spades.human.model import HumanModel, Prior, own_copy, predict_views, prior_probabilities
from spades.human.networks.model import NetworkModel
from spades.human.simulated import devlin2016_nil

N_BINS = 15
LEAST_PROBABILITY = 1e-12
"""In the log-loss and the divergence a probability counts as at least this."""
_AT_ONCE = 65_536
_BIDS_AND_TRICKS = (7, 8, 9, 10, OTHER_BIDS, OTHER_BIDS + 1, OTHER_TRICKS, OTHER_TRICKS + 1)
_STATE = (HAND, TABLE, TABLE + 1, TABLE + 2)


# Each measure's column of the answers.
_MEASURES = {
    "accuracy": "right",
    "accuracy_moves": "right_move",
    "accuracy_sampled": "p_played",
    "log_loss": "loss",
    "ceiling": "ceiling",
    "expected_accuracy": "expected",
    "kl_to_truth": "kl",
}


@kernel
def _fill_moves(views: NDArray, out: NDArray) -> None:
    for i in range(len(views)):
        classify_legal(views[i], out[i])


def compute_answers(prior: Prior, examples: Examples) -> pd.DataFrame:
    """What a model says of every example, a row each.

    ``right`` and ``right_move``: whether the likeliest card, or abstract move of the 68, was
    played; ``loss``: -log of the probability of the card played, nats, ``p_played``: itself;
    ``confidence``: the largest probability; ``legal_first``: whether the first choice before the
    legal cards are looked at is legal (all True for a model that is given them). Of simulated
    humans, else NaN: ``ceiling``, the largest true probability; ``expected``, that of the model's
    card; ``kl``, nats, from the true probabilities to the model's."""
    truth, prior = devlin2016_nil().prior(), own_copy(prior)
    parts = [
        _answers(prior, truth, examples.take(slice(start, start + _AT_ONCE)))
        for start in range(0, len(examples), _AT_ONCE)
    ]
    return pd.concat(parts, ignore_index=True)


def _answers(prior: Prior, truth: Prior, examples: Examples) -> pd.DataFrame:
    n, views = len(examples), np.ascontiguousarray(examples.views)
    p, true_p = np.zeros((2, n, HAND_SIZE))
    picks, rows = np.ones(n, dtype=bool), np.arange(n)
    predict_views(prior, views, p, picks)
    predict_views(truth, views, true_p, np.empty(0, dtype=bool))
    true_p[~examples.is_simulated] = np.nan
    below = (np.int64(1) << examples.cards.astype(np.int64)) - 1
    played = np.bitwise_count(views[:, LEGAL] & below).astype(np.int64)
    moves = np.full((n, HAND_SIZE), -1, dtype=np.int8)
    _fill_moves(views, moves)
    p_move = np.einsum("nb,nab->na", p, moves[:, :, None] == moves[:, None, :])
    best, best_move = p.argmax(1), p_move.argmax(1)
    logs = np.log(np.maximum(p, LEAST_PROBABILITY))
    true_logs = np.log(np.maximum(true_p, LEAST_PROBABILITY))
    columns = {
        "right": best == played,
        "right_move": moves[rows, best_move] == moves[rows, played],
        "loss": -logs[rows, played],
        "p_played": np.exp(logs[rows, played]),
        "confidence": p[rows, best],
        "legal_first": picks,
        "ceiling": true_p.max(1),
        "expected": true_p[rows, best],
        "kl": (true_p * (true_logs - logs)).sum(1),
    }
    return pd.DataFrame(columns)


def model_measures(model: HumanModel, examples: Examples) -> dict[str, Any]:
    """What ``evaluate --json`` prints (spec 6), beside the names of model and data.

    ``intervals`` has those of the other measures; ``accuracy_sampled`` is that of cards drawn by
    the model's probabilities. Truth is null unless every decision is a simulated human's;
    ``illegal_first`` is null for models that are given the legal cards."""
    answers = compute_answers(model.prior(), examples)
    _, games = np.unique(examples.games, return_inverse=True)
    is_true = bool(examples.is_simulated.all())  # the last three only of simulated humans
    names = list(_MEASURES) if is_true else list(_MEASURES)[:4]
    columns = {name: answers[_MEASURES[name]].to_numpy() for name in names}
    confidence, right = answers["confidence"].to_numpy(), answers["right"].to_numpy()
    means = {name: float(values.mean()) for name, values in columns.items()}
    intervals = {name: game_interval(values, games) for name, values in columns.items()}
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
    return {
        "decisions": len(examples),
        "games": int(games.max()) + 1,
        "simulated_humans": "ceiling" in means,
        **{name: means.get(name) for name in _MEASURES},
        "share_of_ceiling": share,
        "illegal_first": illegal,
        "ece": calibration_error(confidence, right),
        "unforced": _unforced(columns, (legal & (legal - 1)) != 0),
        "intervals": intervals,
        "reliability": reliability(confidence, right),
    }


def _unforced(columns: dict[str, NDArray], has_choice: NDArray[np.bool_]) -> dict[str, Any]:
    """The means over decisions with more than one legal card."""
    n = int(has_choice.sum())
    means = {name: float(v[has_choice].mean()) if n else None for name, v in columns.items()}
    return {"decisions": n, **means}


def game_interval(values: NDArray, games: NDArray[np.int64]) -> tuple[float, float] | None:
    """Interval of the mean over decisions, games being independent; None of a single one."""
    return ratio_interval(np.bincount(games, values), np.bincount(games))


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
    is the share of decisions whose state comes more than once (published: under 10 %), ``disagree``
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
    move expected), p (sum of probabilities), of (decisions in which the move was played), share."""
    chosen, expected = np.zeros((2, N_MOVES, N_MOVES))
    views = np.ascontiguousarray(examples.views)
    count_moves(views, examples.cards.astype(np.int64), own_copy(prior), chosen, expected)
    played, other = np.divmod(np.arange(N_MOVES * N_MOVES), N_MOVES)
    of = chosen.sum(axis=1)[played]
    names, kinds = np.array(MOVES_32), np.array(CATEGORIES)[np.array(CATEGORY_OF_32)]
    return pd.DataFrame(
        {
            "played": names[played],
            "expected": names[other],
            "played_category": kinds[played],
            "expected_category": kinds[other],
            "n": chosen.ravel().astype(int),
            "p": expected.ravel(),
            "of": of.astype(int),
            "share": np.divide(chosen.ravel(), of, out=np.zeros(len(of)), where=of > 0),
        }
    )
