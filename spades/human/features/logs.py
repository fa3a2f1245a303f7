"""The plays of whole logs, compiled: training examples, features, contexts.

Each function walks every round once and takes every play from the view of the seat that plays
(``spades.human.features.view``).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.kernel import Int, IntArray, inlined_kernel, kernel, popcount
from spades.core.logs import UNKNOWN_BAGS, UNKNOWN_SCORE, Log
from spades.core.records import BOT, KINDS, SIMULATED_HUMAN, aided_plies
from spades.core.rules import NIL_BID, NO_BID
from spades.core.step import Progress, tricks_of
from spades.human.features.abstract_moves import (
    MOVE_32_OF_68,
    MOVE_68_OF,
    beating_mask,
    boss_mask,
    classify_legal,
    move_of,
)
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
    DecisionFields,
    View,
    bid_and_tricks,
    decision_at,
    round_views,
    rules_table,
)

HUMANS = "humans"
ALL_SEATS = "all"
NEAR_BAGS = 3
"""Bags are near the limit if at most this many more cost the penalty."""
LEVEL_POINTS = 50
"""Scores are level if they differ by at most this many points."""

NIL_NONE, NIL_OWN, NIL_PARTNER, NIL_OPPONENT, NIL_UNKNOWN = range(5)
BAGS_FAR, BAGS_NEAR, BAGS_UNKNOWN = range(3)
CONTRACT_OPEN, CONTRACT_MET, CONTRACT_UNKNOWN = range(3)
SCORE_BEHIND, SCORE_LEVEL, SCORE_AHEAD, SCORE_UNKNOWN = range(4)

OTHER_PEOPLE = ("human:", "thoughtful")
"""How agents' texts begin that are simulated people, but not the simulated human without
options."""

FIELDS = (
    "move",
    "seat",
    "turn",
    "trick",
    "nil",
    "bags",
    "contract",
    "partner",
    "score",
    "legal",
)
MOVE, SEAT, TURN, TRICK, NIL, BAGS, CONTRACT, PARTNER, SCORE, LEGAL = range(len(FIELDS))
ABSENT = -1
_LEGAL_CARDS = DecisionFields._fields.index("legal")
_OWN_SIDE_FIRST = (0, 2, 1, 3)  # relative seats


class LogArrays(NamedTuple):
    """A log of n rounds for kernels: ``hands`` (n, 4), ``plays`` (n, 52), ``leaders`` (n,),
    ``bids`` (n, 4); ``rules_code`` (n,), rows of ``rules`` (``rules_table``)."""

    hands: IntArray
    plays: NDArray[np.int8]
    leaders: NDArray[np.int8]
    bids: NDArray[np.int8]
    rules_code: NDArray
    rules: IntArray


def _arrays_of(log: Log) -> LogArrays:
    return LogArrays(
        hands=np.ascontiguousarray(log.hands),
        plays=np.ascontiguousarray(log.plays),
        leaders=np.ascontiguousarray(log.leaders),
        bids=np.ascontiguousarray(log.bids),
        rules_code=np.ascontiguousarray(log.rules_code),
        rules=np.ascontiguousarray(rules_table(log)),
    )


class RoundViews(NamedTuple):
    """The views (52, 24) and seats (52,) of one round in the order played; ``scratch`` (3, 4)."""

    views: IntArray
    seats: IntArray
    scratch: IntArray


@kernel
def _empty_views() -> RoundViews:
    return RoundViews(
        np.empty((N_CARDS, N_VIEW), np.int64),
        np.empty(N_CARDS, np.int64),
        np.empty((3, N_SEATS), np.int64),
    )


@kernel
def _fill_views(log: LogArrays, i: Int, out: RoundViews) -> Progress:
    """Write the views and seats of round ``i``; returns the progress after its last card."""
    dealt = log.hands[i], log.plays[i], log.leaders[i], log.bids[i]
    rules = log.rules[log.rules_code[i]]
    return round_views(dealt, rules, out.scratch, out.views, out.seats)


@dataclass(frozen=True)
class Examples:
    """n decisions and the cards played.

    ``views`` int64 (n, 24); ``cards`` int8 (n,), codes of the cards played; ``games`` int32 (n,),
    a number for each game; ``is_simulated`` bool (n,): played by the simulated human without
    options, whose true probabilities are known. 1.22 million examples take 240 MB."""

    views: IntArray
    cards: NDArray[np.int8]
    games: NDArray[np.int32]
    is_simulated: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.cards)

    def take(self, rows: NDArray | slice) -> Self:
        return type(self)(
            views=self.views[rows],
            cards=self.cards[rows],
            games=self.games[rows],
            is_simulated=self.is_simulated[rows],
        )

    @property
    def unforced(self) -> Self:
        legal = self.views[:, _LEGAL_CARDS]
        return self.take(np.flatnonzero(legal & (legal - 1)))


@kernel
def _list_examples(
    log: LogArrays, wanted: NDArray, views: NDArray, cards: NDArray, rows: NDArray
) -> Int:
    """Write the view, card and round of every play by a wanted seat (``wanted``: (rounds, 4));
    returns their number."""
    of_round = _empty_views()
    n = 0
    for i in range(len(log.plays)):
        end = _fill_views(log, i, of_round)
        for ply in range(end.ply):
            if wanted[i, of_round.seats[ply]]:
                views[n] = of_round.views[ply]
                cards[n] = log.plays[i, ply]
                rows[n] = i
                n += 1
    return n


def examples_of_log(log: Log, seats: str = HUMANS) -> Examples:
    """Every decision of a log whose rounds passed the replay check, in order, forced plays
    included. ``seats``: ``humans`` (simulated ones too), without plays made with help, or ``all``.
    ``InvalidRecordError`` if no such seat plays."""
    examples = examples_of_kind(log, seats)
    if not len(examples):
        raise no_examples(seats)
    return examples


def examples_of_kind(log: Log, seats: str) -> Examples:
    """The same; may be none."""
    if seats not in (HUMANS, ALL_SEATS):
        raise SpadesError(f"seats {seats!r}; {HUMANS} and {ALL_SEATS} are legal")
    wanted = np.ones_like(log.kind, dtype=bool)
    if seats == HUMANS:
        wanted = log.kind != KINDS.index(BOT)
    return examples_of_seats(log, wanted, is_own=seats == HUMANS)


def no_examples(seats: str) -> InvalidRecordError:
    """The error for a log in which nobody of the ``seats`` plays a card."""
    if seats == HUMANS:
        return InvalidRecordError(
            "no human or simulated human plays a card here; bots' plays can be asked for"
        )
    return InvalidRecordError("no card is played here")


def examples_of_seats(log: Log, wanted: NDArray[np.bool_], *, is_own: bool = True) -> Examples:
    """The same of the seats that are ``wanted``, (n, 4), by round; may be none. ``is_own``: without
    what they were helped with."""
    room = int((wanted.sum(axis=1) * -(-log.n_plays // N_SEATS)).sum())
    views = np.empty((room, N_VIEW), np.int64)
    cards = np.empty(room, np.int8)
    rows = np.empty(room, np.int32)
    n = _list_examples(_arrays_of(log), np.ascontiguousarray(wanted), views, cards, rows)
    views = views[:n]
    cards = cards[:n]
    rows = rows[:n]
    unaided = _chosen_unaided(log, rows, views) if is_own else None
    if unaided is not None:
        views = views[unaided]
        cards = cards[unaided]
        rows = rows[unaided]
    movers = movers_of(log, rows, views)
    is_other = np.array([agent.startswith(OTHER_PEOPLE) for agent in log.agents], dtype=bool)
    is_plain = (log.kind == KINDS.index(SIMULATED_HUMAN)) & ~is_other[log.agent_code]
    return Examples(views, cards, log.game_code[rows], is_plain[rows, movers])


def _chosen_unaided(log: Log, rows: NDArray[np.int32], views: IntArray) -> NDArray[np.bool_] | None:
    """Whether each example was played without help; None if nobody was helped."""
    aided = [aided_plies(text) for text in log.sources]
    if not any(aided):
        return None
    plies = np.bitwise_count(views[:, PLAYED]).tolist()
    sources = log.source_code[rows].tolist()
    is_unaided = [ply not in aided[source] for source, ply in zip(sources, plies, strict=True)]
    return np.array(is_unaided, dtype=bool)


def movers_of(log: Log, rows: NDArray[np.int32], views: IntArray) -> IntArray:
    """The seat that played each example: the one that was dealt its hand."""
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
    games: NDArray[np.int32], shares: Sequence[float], seed: int | tuple[int, ...]
) -> list[IntArray]:
    """The rows of each part: whole games, drawn with a seed, in about these shares (they sum to 1).
    Every part has at least one game; ``SpadesError`` for fewer games than parts."""
    known = np.unique(games)
    if len(known) < len(shares):
        raise SpadesError(f"{len(known)} games can't be split in {len(shares)}; log more games")
    order = np.random.default_rng(seed).permutation(len(known))
    ends = np.cumsum(shares)[:-1] * len(known)
    cuts = np.round(ends).astype(int)
    for i in range(len(cuts)):  # no part is empty
        previous = cuts[i - 1] if i else 0
        last_possible = len(known) - len(cuts) + i
        cuts[i] = min(max(cuts[i], previous + 1), last_possible)
    return [np.flatnonzero(np.isin(games, known[part])) for part in np.split(order, cuts)]


@dataclass(frozen=True)
class Contexts:
    """Move and context of every play of n rounds, to compare styles of play.

    ``codes`` int8 (10, n, 52): a plane for each of ``FIELDS``, ``ABSENT`` (-1) after the last play
    of a round. ``taken`` int8 (n, 4): tricks taken by seat, as far as the round goes.

    - ``move``: the abstract move, of the 68; ``seat``: the seat that plays, N E S W = 0 to 3
    - ``turn``: place in the trick, 0 (leads) to 3 (last); ``trick``: 0 to 12
    - ``nil``: whose nil is alive, the first that applies of own, partner's, an opponent's, none. A
      nil is alive while its bidder has no trick. Unknown if none is known to be alive and a bid is
      unknown
    - ``bags``: whether the own partnership's bags, with this round's overtricks so far (and the
      tricks of a failed nil if the rules make them bags), are within ``NEAR_BAGS`` of the next
      penalty; far if bags cost nothing, unknown if the count or a bid is
    - ``contract``: whether the own partnership's contract is made; a nil adds 0 to it
    - ``partner``: 1 if the partner wins the trick so far; ``legal``: number of legal cards
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
def _contract_state(decision: DecisionFields) -> Int:
    if decision.own_bid == NO_BID or decision.partner_bid == NO_BID:
        return CONTRACT_UNKNOWN
    return CONTRACT_OPEN if tricks_needed(decision) > 0 else CONTRACT_MET


@inlined_kernel
def _bags_state(decision: DecisionFields, before: Int, limit: Int) -> Int:
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
    if abs(lead) <= LEVEL_POINTS:
        return SCORE_LEVEL
    return SCORE_AHEAD if lead > 0 else SCORE_BEHIND


@inlined_kernel
def _fill_context(view: View, card: Int, seat: Int, game: tuple, out: NDArray) -> None:
    """Write the context in which a seat plays a card into ``out`` int8 (10,). ``game``: score and
    bags before the round by partnership, (2,) each, and the bag limit."""
    score, bags, limit = game
    decision = decision_at(view)
    side = seat % 2
    place = decision.turn_in_trick
    beating = beating_mask(decision.best_card)
    bosses = boss_mask(decision.deck & ~decision.played)
    move = move_of(card, decision.legal, decision.led_suit, beating, bosses)
    out[MOVE] = MOVE_68_OF[move, card >> 4]
    out[SEAT] = seat
    out[TURN] = place
    out[TRICK] = popcount(decision.played) // N_SEATS
    out[NIL] = _nil_state(view, decision.nil_rule)
    out[BAGS] = _bags_state(decision, np.int64(bags[side]), limit)
    out[CONTRACT] = _contract_state(decision)
    out[PARTNER] = place > 0 and view[TABLE + 1] == np.int64(1) << decision.best_card
    out[SCORE] = _score_state(np.int64(score[side]), np.int64(score[1 - side]))
    out[LEGAL] = popcount(decision.legal)


@kernel
def _write_contexts(
    log: LogArrays,
    score: NDArray,
    bags: NDArray,
    limits: NDArray,
    codes: NDArray,
    taken: NDArray,
) -> None:
    of_round = _empty_views()
    for i in range(len(log.plays)):
        end = _fill_views(log, i, of_round)
        game = score[i], bags[i], limits[log.rules_code[i]]
        for ply in range(end.ply):
            card = np.int64(log.plays[i, ply])
            view = of_round.views[ply]
            _fill_context(view, card, of_round.seats[ply], game, codes[:, i, ply])
        for seat in range(N_SEATS):
            taken[i, seat] = tricks_of(seat, end.taken)


def contexts_of_log(log: Log) -> Contexts:
    """Abstract move and context of every play of a log whose rounds passed the replay check."""
    codes = np.full((len(FIELDS), len(log), N_CARDS), ABSENT, dtype=np.int8)
    taken = np.zeros((len(log), N_SEATS), dtype=np.int8)
    limits = np.array([rules.bag_limit for rules in log.rules], dtype=np.int64)
    score = np.ascontiguousarray(log.score_before)
    bags = np.ascontiguousarray(log.bags_before)
    _write_contexts(_arrays_of(log), score, bags, limits, codes, taken)
    return Contexts(codes, taken)


@kernel
def _write_offered(log: LogArrays, offered: NDArray) -> None:
    of_round = _empty_views()
    moves = np.empty(N_CARDS, np.int8)
    for i in range(len(log.plays)):
        end = _fill_views(log, i, of_round)
        for ply in range(end.ply):
            n_legal = classify_legal(of_round.views[ply], moves)
            for k in range(n_legal):
                offered[i, ply] |= np.int64(1) << np.int64(MOVE_32_OF_68[moves[k]])


def offered_moves_of_log(log: Log) -> IntArray:
    """The abstract moves, of the 32, that the legal cards of each play were, int64 (n, 52): a mask
    with bit m for move m; 0 after the last play of a round.

    >>> from spades.notation.log_store import open_log
    >>> offered = offered_moves_of_log(open_log("human-south"))
    >>> bool((np.bitwise_count(offered[:, 0]) > 1).all())  # the first lead is a choice
    True
    """
    offered = np.zeros((len(log), N_CARDS), dtype=np.int64)
    _write_offered(_arrays_of(log), offered)
    return offered


@kernel
def _write_features(log: LogArrays, moves: NDArray, features: NDArray) -> None:
    of_round = _empty_views()
    for i in range(len(log.plays)):
        end = _fill_views(log, i, of_round)
        for ply in range(end.ply):
            decision = decision_at(of_round.views[ply])
            card = np.int64(log.plays[i, ply])
            move, features[i, ply] = card_features(card, decision, context_of(decision))
            moves[i, ply] = MOVE_68_OF[move, card >> 4]


def features_of_log(log: Log) -> tuple[NDArray[np.int8], IntArray]:
    """Abstract move (of the 68) and feature mask of every card played, (n, 52) each. ``ABSENT`` and
    0 after the last play of a round."""
    moves = np.full((len(log), N_CARDS), ABSENT, dtype=np.int8)
    features = np.zeros((len(log), N_CARDS), dtype=np.int64)
    _write_features(_arrays_of(log), moves, features)
    return moves, features
