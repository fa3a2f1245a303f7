"""The plays of whole logs, compiled: examples to learn from, features, contexts.

All walk each round once and see every play from the seat that plays: ``features.view``.
"""

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.kernel import Int, inlined_kernel, kernel, popcount
from spades.core.logs import UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.records import BOT, KINDS, SIMULATED_HUMAN, aided_plies
from spades.core.rules import NIL_BID, NO_BID
from spades.core.step import Progress, tricks_of
from spades.human.features.abstract_moves import MOVE_68_OF, beating_mask, boss_mask, move_of
from spades.human.features.card_features import (
    card_features,
    context_of,
    is_nil_alive,
    tricks_needed,
)
from spades.human.features.view import (
    N_VIEW,
    NIL_TRICKS_ARE_BAGS,
    NO_NIL,
    PLAYED,
    TABLE,
    Decision,
    View,
    bid_and_tricks,
    decision_at,
    round_views,
    rules_table,
)

HUMANS, ALL_SEATS = "humans", "all"
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
_LEGAL_CARDS = Decision._fields.index("legal")
_OWN_SIDE_FIRST = (0, 2, 1, 3)  # relative seats


def _rounds_of(log: Log) -> tuple[NDArray, ...]:
    """A log as ``_views_of_round`` takes it: hands, plays, leaders, bids, rules by round; rules."""
    arrays = (log.hands, log.plays, log.leaders, log.bids, log.rules_code, rules_table(log))
    return tuple(map(np.ascontiguousarray, arrays))


@kernel
def _scratch() -> tuple[NDArray, NDArray, NDArray]:
    """Views and seats of one round, and memory to walk it."""
    views, seats = np.empty((N_CARDS, N_VIEW), np.int64), np.empty(N_CARDS, np.int64)
    return views, seats, np.empty((3, N_SEATS), np.int64)


@kernel
def _views_of_round(rounds: tuple, i: Int, scratch: tuple) -> Progress:
    """Fill the views and seats of ``_scratch`` with those of round ``i``."""
    hands, plays, leaders, bids, code, rules = rounds
    dealt = hands[i], plays[i], leaders[i], bids[i]
    return round_views(dealt, rules[code[i]], scratch[2], scratch[0], scratch[1])


@dataclass(frozen=True)
class Examples:
    """n decisions and what was played.

    ``views`` int64 (n, 24); ``cards`` int8 (n,) codes of the cards played; ``games`` int32 (n,)
    tells games apart; ``is_simulated`` bool (n,): played by the simulated human, whose true
    probabilities are known, not by one that differs from it. 1.22 million take 240 MB."""

    views: NDArray[np.int64]
    cards: NDArray[np.int8]
    games: NDArray[np.int32]
    is_simulated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cards)

    def take(self, rows: NDArray | slice) -> Self:
        return type(self)(*(getattr(self, f.name)[rows] for f in dataclasses.fields(self)))

    @property
    def unforced(self) -> Self:
        legal = self.views[:, _LEGAL_CARDS]
        return self.take(np.flatnonzero(legal & (legal - 1)))


@kernel
def _log_examples(rounds: tuple, wanted: NDArray, out: tuple) -> Int:
    """View, card and round of every play by a seat that is wanted, (rounds, 4); how many."""
    plays, (views, cards, rows) = rounds[1], out
    scratch, n = _scratch(), 0
    for i in range(len(plays)):
        at = _views_of_round(rounds, i, scratch)
        for ply in range(at.ply):
            if wanted[i, scratch[1][ply]]:
                views[n], cards[n], rows[n] = scratch[0][ply], plays[i, ply], i
                n += 1
    return n


def examples_of_log(log: Log, seats: str = HUMANS) -> Examples:
    """Every decision of a log whose rounds passed the replay check, in order, forced ones too.
    ``seats``: ``humans`` (also simulated), without what they were helped with, or ``all``.
    ``InvalidRecordError``: no such seat plays."""
    if seats not in (HUMANS, ALL_SEATS):
        raise SpadesError(f"seats {seats!r}; {HUMANS} and {ALL_SEATS} are legal")
    wanted = log.kind != KINDS.index(BOT) if seats == HUMANS else np.ones_like(log.kind, bool)
    examples = examples_of_seats(log, wanted, is_own=seats == HUMANS)
    if not len(examples):
        who = "human or simulated human plays a card here; bots' plays can be asked for"
        raise InvalidRecordError(f"no {who if seats == HUMANS else 'card is played here'}")
    return examples


def examples_of_seats(log: Log, wanted: NDArray[np.bool_], *, is_own: bool = True) -> Examples:
    """The same of the seats that are ``wanted``, (n, 4), by round; may be none. ``is_own``: without
    what they were helped with."""
    room = int((wanted.sum(axis=1) * -(-log.n_plays // N_SEATS)).sum())
    views, cards = np.empty((room, N_VIEW), np.int64), np.empty(room, np.int8)
    rows = np.empty(room, np.int32)
    n = _log_examples(_rounds_of(log), np.ascontiguousarray(wanted), (views, cards, rows))
    views, cards, rows = views[:n], cards[:n], rows[:n]
    if is_own and (unaided := _chosen_unaided(log, rows, views)) is not None:
        views, cards, rows = views[unaided], cards[unaided], rows[unaided]
    movers = movers_of(log, rows, views)
    has_options = np.array([agent.startswith("human:") for agent in log.agents], dtype=bool)
    is_the_one = (log.kind == KINDS.index(SIMULATED_HUMAN)) & ~has_options[log.agent_code]
    return Examples(views, cards, log.game_code[rows], is_the_one[rows, movers])


def _chosen_unaided(
    log: Log, rows: NDArray[np.int32], views: NDArray[np.int64]
) -> NDArray[np.bool_] | None:
    """Which examples were chosen without help; None where nobody was helped."""
    aided = {code: plies for code, text in enumerate(log.sources) if (plies := aided_plies(text))}
    if not aided:
        return None
    plies = np.bitwise_count(views[:, PLAYED]).tolist()
    sources = log.source_code[rows].tolist()
    pairs = zip(sources, plies, strict=True)
    return np.array([ply not in aided.get(source, ()) for source, ply in pairs], bool)


def movers_of(log: Log, rows: NDArray[np.int32], views: NDArray[np.int64]) -> NDArray[np.int64]:
    """The seat that played each example: the one that was dealt the hand."""
    return (log.hands[rows] & views[:, :1]).argmax(axis=1)


def data_hash(examples: Examples) -> str:
    """SHA-256 of the examples (views, cards, games), the first 16 hex digits."""
    return hash_of(examples.views, examples.cards, examples.games)


def hash_of(*arrays: NDArray, digits: int = 16) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:digits]


def split_by_game(
    games: NDArray[np.int32], shares: Sequence[float], seed: int
) -> list[NDArray[np.int64]]:
    """Rows of each part: whole games, drawn with a seed, in about these shares (they sum to 1). A
    part whose share is above 0 has at least one game; refused for fewer games than parts."""
    known = np.unique(games)
    if len(known) < len(shares):
        raise SpadesError(f"{len(known)} games can't be split in {len(shares)}; log more games")
    order = np.random.default_rng(seed).permutation(len(known))
    cuts = np.round(np.cumsum(shares)[:-1] * len(known)).astype(int)
    for i in range(len(cuts)):  # no part is empty
        cuts[i] = min(max(cuts[i], (cuts[i - 1] if i else 0) + 1), len(known) - len(cuts) + i)
    return [np.flatnonzero(np.isin(games, known[part])) for part in np.split(order, cuts)]


@dataclass(frozen=True)
class Contexts:
    """Move and context of every play of n rounds, for comparing styles of play.

    ``codes`` int8 (10, n, 52): a plane a field of ``FIELDS``, ``ABSENT`` (-1) after the last
    play of a round. ``taken`` int8 (n, 4): tricks taken by seat, as far as the round goes.

    - ``move``: the abstract move, of the 68; ``seat``: who plays, N E S W = 0 to 3
    - ``turn``: place in the trick, 0 (leads) to 3 (last); ``trick``: 0 to 12
    - ``nil``: whose nil is alive, the first that applies of own, partner's, an opponent's, none;
      a nil is alive while the rules have nils and its bidder has no trick. Unknown where none is
      known to be alive and a bid is unknown
    - ``bags``: whether the own partnership's count, with this round's overtricks so far (and the
      tricks of a failed nil where the rules make them bags), is within ``NEAR_BAGS`` of the next
      penalty; far where no bags are counted, unknown where the count or a bid is
    - ``contract``: whether the own partnership has the tricks of its two bids; a nil adds none
    - ``partner``: 1 where the partner wins the trick so far; ``legal``: number of legal cards
    - ``score``: own score before the round against theirs, level within ``LEVEL_POINTS``"""

    codes: NDArray[np.int8]
    taken: NDArray[np.int8]


@inlined_kernel
def _nil_state(view: View, nil_rule: Int) -> Int:
    is_known = True
    for i in range(N_SEATS):
        bid, tricks = bid_and_tricks(view, _OWN_SIDE_FIRST[i])
        if is_nil_alive(bid, tricks, nil_rule):
            return min(NIL_OWN + i, NIL_OPPONENT)
        is_known &= bid != NO_BID
    return NIL_NONE if is_known or nil_rule == NO_NIL else NIL_UNKNOWN


@inlined_kernel
def _contract_state(decision: Decision) -> Int:
    if decision.own_bid == NO_BID or decision.partner_bid == NO_BID:
        return CONTRACT_UNKNOWN
    return CONTRACT_OPEN if tricks_needed(decision) > 0 else CONTRACT_MET


@inlined_kernel
def _bags_state(decision: Decision, before: Int, limit: Int) -> Int:
    if limit <= 0:
        return BAGS_FAR
    if before == UNKNOWN_BAGS or _contract_state(decision) == CONTRACT_UNKNOWN:
        return BAGS_UNKNOWN
    bags = before - min(tricks_needed(decision), 0)
    if decision.nil_rule == NIL_TRICKS_ARE_BAGS:
        if decision.own_bid == NIL_BID:
            bags += decision.own_tricks
        if decision.partner_bid == NIL_BID:
            bags += decision.partner_tricks
    return BAGS_NEAR if limit - bags % limit <= NEAR_BAGS else BAGS_FAR


@inlined_kernel
def _score_state(own: Int, other: Int) -> Int:
    if own == UNKNOWN_SCORE or other == UNKNOWN_SCORE:
        return SCORE_UNKNOWN
    lead = own - other
    return SCORE_LEVEL if abs(lead) <= LEVEL_POINTS else SCORE_AHEAD if lead > 0 else SCORE_BEHIND


@inlined_kernel
def _fill_context(view: View, card: Int, seat: Int, game: tuple, out: NDArray) -> None:
    """Context in which a seat plays a card, into ``out`` int8 (10,). ``game``: score and bags
    before the round by partnership, (2,) each, and the bag limit."""
    score, bags, limit = game
    decision, side = decision_at(view), seat % 2
    place = decision.turn_in_trick
    beating = beating_mask(decision.best_card)
    bosses = boss_mask(decision.deck & ~decision.played)
    move = move_of(card, decision.legal, decision.led_suit, beating, bosses)
    out[MOVE] = MOVE_68_OF[move, card >> 4]
    out[SEAT], out[TURN], out[TRICK] = seat, place, popcount(decision.played) // N_SEATS
    out[NIL] = _nil_state(view, decision.nil_rule)
    out[BAGS] = _bags_state(decision, np.int64(bags[side]), limit)
    out[CONTRACT] = _contract_state(decision)
    out[PARTNER] = place > 0 and view[TABLE + 1] == np.int64(1) << decision.best_card
    out[SCORE] = _score_state(np.int64(score[side]), np.int64(score[1 - side]))
    out[LEGAL] = popcount(decision.legal)


@kernel
def _log_contexts(rounds: tuple, games: tuple, codes: NDArray, taken: NDArray) -> None:
    (score, bags, limits), plays, code = games, rounds[1], rounds[4]
    scratch = _scratch()
    for i in range(len(plays)):
        at = _views_of_round(rounds, i, scratch)
        game = score[i], bags[i], limits[code[i]]
        for ply in range(at.ply):
            view, seat = scratch[0][ply], scratch[1][ply]
            _fill_context(view, np.int64(plays[i, ply]), seat, game, codes[:, i, ply])
        for seat in range(N_SEATS):
            taken[i, seat] = tricks_of(seat, at.taken)


def contexts_of_log(log: Log) -> Contexts:
    """Abstract move and context of every play of a log, whose rounds passed the replay check."""
    codes = np.full((len(FIELDS), len(log), N_CARDS), ABSENT, dtype=np.int8)
    taken = np.zeros((len(log), N_SEATS), dtype=np.int8)
    limits = np.array([rules.bag_limit for rules in log.rules], dtype=np.int64)
    games = tuple(map(np.ascontiguousarray, (log.score_before, log.bags_before, limits)))
    _log_contexts(_rounds_of(log), games, codes, taken)
    return Contexts(codes, taken)


@kernel
def _log_features(rounds: tuple, moves: NDArray, features: NDArray) -> None:
    plays, scratch = rounds[1], _scratch()
    for i in range(len(plays)):
        at = _views_of_round(rounds, i, scratch)
        for ply in range(at.ply):
            decision, card = decision_at(scratch[0][ply]), np.int64(plays[i, ply])
            move, features[i, ply] = card_features(card, decision, context_of(decision))
            moves[i, ply] = MOVE_68_OF[move, card >> 4]


def features_of_log(log: Log) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Abstract move (of the 68) and feature mask of every card played, (n, 52) each. ``ABSENT`` and
    0 after the last play of a round."""
    moves = np.full((len(log), N_CARDS), ABSENT, dtype=np.int8)
    features = np.zeros((len(log), N_CARDS), dtype=np.int64)
    _log_features(_rounds_of(log), moves, features)
    return moves, features
