"""Abstract moves and features of the cards played in whole rounds, as arrays.

Millions of plays are classified in one pass: the walk through a round fills its 52 decisions, and
whatever is asked of them (here the card chosen; for fitting, every legal card) reads those.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.errors import InvalidRecordError
from spades.core.kernel import Int, kernel
from spades.core.rules import Rules
from spades.human.features.abstract_moves import MOVE_68_OF, NO_MOVE
from spades.human.features.card_features import card_features, context_of
from spades.human.features.view import N_FIELDS, decision_at, nil_rule_of, round_decisions


@kernel
def chosen_features(
    decisions: NDArray, plays: NDArray, n: Int, moves: NDArray, features: NDArray
) -> None:
    """Move (of the 68) and feature mask of the card played in each of ``n`` decisions (52, 12)."""
    for ply in range(n):
        decision = decision_at(decisions[ply])
        card = np.int64(plays[ply])
        move, features[ply] = card_features(card, decision, context_of(decision))
        moves[ply] = MOVE_68_OF[move, card >> 4]


@kernel
def _features_of_rounds(
    hands: NDArray,
    plays: NDArray,
    leaders: NDArray,
    bids: NDArray,
    options: tuple[Int, Int, Int],
    scratch: tuple[NDArray, NDArray],
    moves: NDArray,
    features: NDArray,
) -> None:
    held, decisions = scratch
    for i in range(len(hands)):
        n = round_decisions(hands[i], plays[i], leaders[i], bids[i], options, held, decisions)
        chosen_features(decisions, plays[i], n, moves[i], features[i])


def features_of_rounds(
    rules: Rules,
    hands: NDArray[np.int64],
    plays: NDArray[np.int8],
    leaders: NDArray[np.int8],
    bids: NDArray[np.int8],
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Abstract move (of the 68) and feature mask of every card played, shapes (rounds, 52).

    ``hands`` (rounds, 4) masks by seat as dealt, ``plays`` (rounds, 52) card codes in the order
    played, ``leaders`` (rounds,) the seat that led first, ``bids`` (rounds, 4) by seat, -1 unknown.
    A round cut short has -1 after its last card, in ``plays`` and in the moves, and features 0.
    The rounds must have passed the replay check. Raises ``InvalidRecordError`` where the
    shapes don't agree.
    """
    n = len(hands)
    shapes = (np.shape(hands), np.shape(plays), np.shape(leaders), np.shape(bids))
    if shapes != ((n, N_SEATS), (n, N_CARDS), (n,), (n, N_SEATS)):
        raise InvalidRecordError(
            f"hands, plays, leaders and bids of {n} rounds have shapes {shapes}; "
            f"they should be ({n}, 4), ({n}, 52), ({n},) and ({n}, 4)"
        )
    moves = np.full((n, N_CARDS), NO_MOVE, dtype=np.int8)
    features = np.zeros((n, N_CARDS), dtype=np.int64)
    _features_of_rounds(
        np.ascontiguousarray(hands, dtype=np.int64),
        np.ascontiguousarray(plays, dtype=np.int8),
        np.ascontiguousarray(leaders, dtype=np.int8),
        np.ascontiguousarray(bids, dtype=np.int8),
        (nil_rule_of(rules), int(rules.spades_lead == "any"), rules.cards.mask),
        (np.empty((2, N_SEATS), dtype=np.int64), np.empty((N_CARDS, N_FIELDS), dtype=np.int64)),
        moves,
        features,
    )
    return moves, features
