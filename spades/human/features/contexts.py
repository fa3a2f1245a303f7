"""In which context each card of a log was played: compiled, for comparing styles of play.

One walk through a round says, of each of its 52 plays, which abstract move it was and what the
seat to play could see around it: its place in the trick, whose nil is alive, whether bags are near
the limit, and so on. Everything is seen from the seat that plays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import Int, kernel, popcount
from spades.core.logs import UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.rules import NIL_BID, NO_BID
from spades.core.step import tricks_of
from spades.human.features.abstract_moves import MOVE_68_OF, beating_mask, boss_mask, move_of
from spades.human.features.card_features import card_features, context_of, tricks_needed
from spades.human.features.view import (
    N_VIEW,
    NIL_RULE,
    NIL_TRICKS_ARE_BAGS,
    NO_NIL,
    OTHER_BIDS,
    OTHER_TRICKS,
    OWN_BID,
    OWN_TRICKS,
    PARTNER_BID,
    PARTNER_TRICKS,
    TABLE,
    Decision,
    View,
    decision_at,
    round_views,
    rounds_of,
    rules_table,
)

NEAR_BAGS = 3
"""Bags are near the limit while at most this many more cost the penalty."""
LEVEL_POINTS = 50
"""Scores are level while at most this many points lie between them."""

NIL_NONE, NIL_OWN, NIL_PARTNER, NIL_OPPONENT, NIL_UNKNOWN = range(5)
BAGS_FAR, BAGS_NEAR, BAGS_UNKNOWN = range(3)
CONTRACT_OPEN, CONTRACT_MET, CONTRACT_UNKNOWN = range(3)
SCORE_BEHIND, SCORE_LEVEL, SCORE_AHEAD, SCORE_UNKNOWN = range(4)

FIELDS = ("move", "seat", "turn", "trick", "nil", "bags", "contract", "partner", "score", "legal")
MOVE, SEAT, TURN, TRICK, NIL, BAGS, CONTRACT, PARTNER, SCORE, LEGAL = range(len(FIELDS))
ABSENT = -1


@dataclass(frozen=True)
class Contexts:
    """What there is to say of every play of n rounds.

    ``codes`` int8 (10, n, 52): a plane a field of ``FIELDS``, ``ABSENT`` (-1) after the last
    play of a round. ``taken`` int8 (n, 4): tricks taken by seat, as far as the round goes.

    - ``move``: the abstract move, of the 68
    - ``seat``: who plays, N E S W = 0 to 3
    - ``turn``: place in the trick, 0 (leads) to 3 (last)
    - ``trick``: 0 to 12
    - ``nil``: whose nil is alive, the first that applies of own, partner's, an opponent's, none;
      a nil is alive while the rules have nils and its bidder has no trick. Unknown where none is
      known to be alive and a bid is unknown
    - ``bags``: whether the own partnership's count, with this round's overtricks so far (and the
      tricks of a failed nil where the rules make them bags), is within ``NEAR_BAGS`` of the next
      penalty; far where no bags are counted, unknown where the count or a bid is
    - ``contract``: whether the own partnership has the tricks of its two bids; a nil adds none
    - ``partner``: 1 where the partner wins the trick so far; 0 for a leader
    - ``score``: own score before the round against theirs, level within ``LEVEL_POINTS``
    - ``legal``: number of legal cards, 1 where the play was forced
    """

    codes: NDArray[np.int8]
    taken: NDArray[np.int8]

    def __getattr__(self, name: str) -> NDArray[np.int8]:
        """A field's plane, shape (n, 52)."""
        if name not in FIELDS:
            raise AttributeError(name)
        return self.codes[FIELDS.index(name)]


@kernel
def nil_state(view: View) -> Int:
    """Whose nil is alive for the seat to play."""
    if view[NIL_RULE] == NO_NIL:
        return NIL_NONE
    if view[OWN_BID] == NIL_BID and view[OWN_TRICKS] == 0:
        return NIL_OWN
    if view[PARTNER_BID] == NIL_BID and view[PARTNER_TRICKS] == 0:
        return NIL_PARTNER
    is_known = view[OWN_BID] != NO_BID and view[PARTNER_BID] != NO_BID
    for i in range(2):
        if view[OTHER_BIDS + i] == NIL_BID and view[OTHER_TRICKS + i] == 0:
            return NIL_OPPONENT
        is_known &= view[OTHER_BIDS + i] != NO_BID
    return NIL_NONE if is_known else NIL_UNKNOWN


@kernel
def contract_state(decision: Decision) -> Int:
    """Whether the partnership has the tricks it bid."""
    if decision.own_bid == NO_BID or decision.partner_bid == NO_BID:
        return CONTRACT_UNKNOWN
    return CONTRACT_OPEN if tricks_needed(decision) > 0 else CONTRACT_MET


@kernel
def bags_this_round(decision: Decision) -> Int:
    """Bags the partnership has so far if it takes no more tricks; both bids are known."""
    bags = np.int64(0)
    if decision.nil_rule == NIL_TRICKS_ARE_BAGS:
        if decision.own_bid == NIL_BID:
            bags += decision.own_tricks
        if decision.partner_bid == NIL_BID:
            bags += decision.partner_tricks
    needed = tricks_needed(decision)
    return bags - needed if needed < 0 else bags


@kernel
def bags_state(decision: Decision, before: Int, limit: Int) -> Int:
    """How near the next bag penalty is; ``before`` the count at the round's start."""
    if limit <= 0:
        return BAGS_FAR
    if before == UNKNOWN_BAGS or contract_state(decision) == CONTRACT_UNKNOWN:
        return BAGS_UNKNOWN
    left = limit - (before + bags_this_round(decision)) % limit
    return BAGS_NEAR if left <= NEAR_BAGS else BAGS_FAR


@kernel
def score_state(own: Int, other: Int) -> Int:
    """Where a partnership stands in the game before the round."""
    if own == UNKNOWN_SCORE or other == UNKNOWN_SCORE:
        return SCORE_UNKNOWN
    lead = own - other
    return SCORE_LEVEL if abs(lead) <= LEVEL_POINTS else SCORE_AHEAD if lead > 0 else SCORE_BEHIND


@kernel
def chosen_move(card: Int, decision: Decision) -> Int:
    """Abstract move, of the 68, of the card played."""
    bosses = boss_mask(decision.deck & ~decision.played)
    beating = beating_mask(decision.best_card)
    return MOVE_68_OF[move_of(card, decision.legal, decision.led_suit, beating, bosses), card >> 4]


@kernel
def fill_context(view: View, card: Int, seat: Int, game: tuple, out: NDArray) -> None:
    """Context in which a seat plays a card, into ``out`` int8 (10,).

    ``game``: score and bags before the round by partnership, (2,) each, and the bag limit.
    """
    score, bags, limit = game
    decision, side = decision_at(view), seat % 2
    place = decision.turn_in_trick
    out[MOVE] = chosen_move(card, decision)
    out[SEAT], out[TURN], out[TRICK] = seat, place, popcount(decision.played) // N_SEATS
    out[NIL] = nil_state(view)
    out[BAGS] = bags_state(decision, np.int64(bags[side]), limit)
    out[CONTRACT] = contract_state(decision)
    out[PARTNER] = place > 0 and view[TABLE + 1] == np.int64(1) << decision.best_card
    out[SCORE] = score_state(np.int64(score[side]), np.int64(score[1 - side]))
    out[LEGAL] = popcount(decision.legal)


@kernel
def _log_contexts(
    rounds: tuple, games: tuple, rules: tuple, codes: NDArray, taken: NDArray
) -> None:
    hands, plays, leaders, bids = rounds
    (score, bags), (rules_code, table, limits) = games, rules
    scratch, seats = np.empty((3, N_SEATS), np.int64), np.empty(N_CARDS, np.int64)
    views = np.empty((N_CARDS, N_VIEW), np.int64)
    for i in range(len(hands)):
        dealt, code = (hands[i], plays[i], leaders[i], bids[i]), rules_code[i]
        at = round_views(dealt, table[code], scratch, views, seats)
        game = score[i], bags[i], limits[code]
        for ply in range(at.ply):
            fill_context(views[ply], np.int64(plays[i, ply]), seats[ply], game, codes[:, i, ply])
        for seat in range(N_SEATS):
            taken[i, seat] = tricks_of(seat, at.taken)


def contexts_of_log(log: Log) -> Contexts:
    """Abstract move and context of every play of a log, whose rounds passed the replay check."""
    n = len(log)
    codes = np.full((len(FIELDS), n, N_CARDS), ABSENT, dtype=np.int8)
    taken = np.zeros((n, N_SEATS), dtype=np.int8)
    limits = np.array([rules.bag_limit for rules in log.rules], dtype=np.int64)
    contiguous = np.ascontiguousarray
    _log_contexts(
        rounds_of(log),
        (contiguous(log.score_before), contiguous(log.bags_before)),
        (contiguous(log.rules_code), rules_table(log), limits),
        codes,
        taken,
    )
    return Contexts(codes, taken)


@kernel
def _log_features(rounds: tuple, rules: tuple, moves: NDArray, features: NDArray) -> None:
    hands, plays, leaders, bids = rounds
    rules_code, table = rules
    scratch, seats = np.empty((3, N_SEATS), np.int64), np.empty(N_CARDS, np.int64)
    views = np.empty((N_CARDS, N_VIEW), np.int64)
    for i in range(len(hands)):
        dealt = hands[i], plays[i], leaders[i], bids[i]
        at = round_views(dealt, table[rules_code[i]], scratch, views, seats)
        for ply in range(at.ply):
            decision, card = decision_at(views[ply]), np.int64(plays[i, ply])
            move, features[i, ply] = card_features(card, decision, context_of(decision))
            moves[i, ply] = MOVE_68_OF[move, card >> 4]


def features_of_log(log: Log) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Abstract move (of the 68) and feature mask of every card played, (n, 52) each.

    ``ABSENT`` and 0 after the last play of a round.
    """
    moves = np.full((len(log), N_CARDS), ABSENT, dtype=np.int8)
    features = np.zeros((len(log), N_CARDS), dtype=np.int64)
    rules = np.ascontiguousarray(log.rules_code), rules_table(log)
    _log_features(rounds_of(log), rules, moves, features)
    return moves, features
