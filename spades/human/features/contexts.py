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
from spades.core.rules import NIL_BID, NO_BID, Rules, beats
from spades.human.features.abstract_moves import MOVE_68_OF, beating_mask, boss_mask, move_of
from spades.human.features.card_features import tricks_needed
from spades.human.features.view import (
    N_FIELDS,
    NIL_TRICKS_ARE_BAGS,
    NO_NIL,
    Decision,
    decision_at,
    nil_rule_of,
    round_decisions,
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
def nil_state(seat: Int, bids: NDArray, tricks: NDArray, nil_rule: Int) -> Int:
    """Whose nil is alive for a seat to play; ``bids`` and ``tricks`` by seat, (4,)."""
    if nil_rule == NO_NIL:
        return NIL_NONE
    state, is_known = NIL_NONE, True
    for other in range(N_SEATS):
        is_known &= bids[other] != NO_BID
        if bids[other] == NIL_BID and tricks[other] == 0:
            if other == seat:
                return NIL_OWN
            if other == (seat + 2) % N_SEATS:
                state = NIL_PARTNER
            elif state == NIL_NONE:
                state = NIL_OPPONENT
    return state if is_known or state != NIL_NONE else NIL_UNKNOWN


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
def round_contexts(
    decisions: NDArray,
    plays: NDArray,
    n: Int,
    leader: Int,
    bids: NDArray,
    game: tuple[NDArray, NDArray, Int],
    tricks: NDArray,
    out: NDArray,
) -> None:
    """Context of each of the ``n`` decisions (52, 12) of one round.

    ``game``: score and bags before the round by partnership, (2,) each, and the bag limit.
    ``tricks`` (4,) is left with the tricks taken by seat; ``out`` int8 (10, 52).
    """
    score, bags, limit = game
    tricks[:] = 0
    turn, winner = np.int64(leader), np.int64(leader)
    for ply in range(n):
        card, place, decision = np.int64(plays[ply]), ply % N_SEATS, decision_at(decisions[ply])
        if place == 0:
            turn = winner
        side = turn % 2
        out[MOVE, ply] = chosen_move(card, decision)
        out[SEAT, ply], out[TURN, ply], out[TRICK, ply] = turn, place, ply // N_SEATS
        out[NIL, ply] = nil_state(turn, bids, tricks, decision.nil_rule)
        out[BAGS, ply] = bags_state(decision, np.int64(bags[side]), limit)
        out[CONTRACT, ply] = contract_state(decision)
        out[PARTNER, ply] = place > 0 and winner == (turn + 2) % N_SEATS
        out[SCORE, ply] = score_state(np.int64(score[side]), np.int64(score[1 - side]))
        out[LEGAL, ply] = popcount(decision.legal)
        if place == 0 or beats(card, decision.best_card):
            winner = turn
        tricks[winner] += place == N_SEATS - 1
        turn = (turn + 1) % N_SEATS


@kernel
def _log_contexts(
    rounds: tuple[NDArray, NDArray, NDArray, NDArray],
    games: tuple[NDArray, NDArray],
    rules: tuple[NDArray, NDArray],
    scratch: tuple[NDArray, NDArray],
    codes: NDArray,
    taken: NDArray,
) -> None:
    hands, plays, leaders, bids = rounds
    (score, bags), (rules_code, options) = games, rules
    held, decisions = scratch
    for i in range(len(hands)):
        row = options[rules_code[i]]
        n = round_decisions(
            hands[i], plays[i], leaders[i], bids[i], (row[0], row[1], row[2]), held, decisions
        )
        game = (score[i], bags[i], row[3])
        round_contexts(decisions, plays[i], n, leaders[i], bids[i], game, taken[i], codes[:, i, :])


def _options_of(rules: Rules) -> tuple[int, int, int, int]:
    may_lead_spades = int(rules.spades_lead == "any")
    return nil_rule_of(rules), may_lead_spades, rules.cards.mask, rules.bag_limit


def contexts_of_log(log: Log) -> Contexts:
    """Abstract move and context of every play of a log, whose rounds passed the replay check."""
    n = len(log)
    codes = np.full((len(FIELDS), n, N_CARDS), ABSENT, dtype=np.int8)
    taken = np.zeros((n, N_SEATS), dtype=np.int8)
    options = np.array([_options_of(rules) for rules in log.rules], dtype=np.int64).reshape(-1, 4)
    contiguous = np.ascontiguousarray
    _log_contexts(
        (contiguous(log.hands), contiguous(log.plays), log.leaders, contiguous(log.bids)),
        (contiguous(log.score_before), contiguous(log.bags_before)),
        (contiguous(log.rules_code), options),
        (np.empty((2, N_SEATS), dtype=np.int64), np.empty((N_CARDS, N_FIELDS), dtype=np.int64)),
        codes,
        taken,
    )
    return Contexts(codes, taken)
