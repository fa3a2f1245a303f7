"""The likelihood of hidden hands, given the bids and plays seen.

A deal's likelihood is a product over the hidden seats; each factor depends on that seat's hand
alone: the probability of its bid and of every card it played. Two caches make thousands of deals
affordable. A hand that occurs in several deals is weighed once. And the strengths of a suit's cards
in a decision are summed once for all hands that agree in what these strengths depend on: the cards
of that suit, whether a boss is held, whether a trump could win, whether the suit is the shortest.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief.network import ObservationArrays
from spades.core.cards import HAND_SIZE, N_SEATS, SPADES_MASK
from spades.core.kernel import (
    FloatArray,
    Int,
    IntArray,
    kernel,
    lean_kernel,
    normal_below,
    popcount,
)
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers, legal_mask
from spades.core.step import after_card, first_lead, tricks_of
from spades.human.bidder import BidderParameters, count_tricks, nil_danger, surplus_of
from spades.human.features.abstract_moves import beating_mask, boss_mask, suit_cards
from spades.human.features.card_features import context_of, strengths_among
from spades.human.features.view import (
    BEST_CARD,
    DECK,
    HAND,
    LED_SUIT,
    LEGAL,
    N_FIELDS,
    NIL_RULE,
    OWN_BID,
    OWN_TRICKS,
    PARTNER_BID,
    PARTNER_TRICKS,
    PLACE,
    PLAYED,
    decision_at,
    nil_rule_of,
)

# Columns of ``PastActions.plays`` behind those of the decision.
CARD = N_FIELDS  # the card played
LATER = N_FIELDS + 1  # mask of the cards that the seat played from this one on
MAY_LEAD = N_FIELDS + 2  # whether spades could be led
N_COLUMNS = N_FIELDS + 3
N_BIDS = MAX_BID + 1
_SLOTS = 1 << 12  # of a cache
_TRICK_PARTS = 1 << 20  # hands whose tricks differ by less than one part share a bid probability
_SPREAD = np.int64(0x9E3779B97F4A7C15 - 2**64)  # an odd factor that spreads keys over slots


class PastActions(NamedTuple):
    """What the hidden seats did, for kernels; relative seats are 1 to 3 steps clockwise.

    ``plays`` int64 (n, ``N_COLUMNS``): the twelve fields of a decision, of which hand and legal
    cards are filled in for each hand weighed, then the columns above. ``spans`` (4, 2): the rows of
    each relative seat. ``seats`` (4,): its absolute seat. ``auction`` int8 (4, 4): the bids before
    each relative seat's own, by absolute seat. ``bids`` (4,): its own bid, ``NO_BID`` if unknown;
    ``blind`` (4,): whether it was made blind."""

    plays: IntArray
    spans: IntArray
    seats: IntArray
    auction: NDArray[np.int8]
    bids: IntArray
    blind: NDArray[np.bool_]


class PlayerModel(NamedTuple):
    """The model of the players, for kernels. ``weights``, ``human_bids``, ``bid_given_bis`` and
    ``doubt`` as in ``spades.belief.players.Habits``; ``bidder`` of the simulated human."""

    weights: FloatArray
    bidder: BidderParameters
    human_bids: float
    bid_given_bis: FloatArray
    rules: RuleNumbers
    doubt: float


class Hands(NamedTuple):
    """The distinct hands of the hidden seats in n deals. ``held`` int64 (4, n) by relative seat, of
    which the first ``counts`` (4,) are there; ``which`` int64 (n, 4): the column of each deal's
    hand."""

    held: IntArray
    counts: IntArray
    which: IntArray


@lean_kernel
def slot_of_key(key: Int, n_slots: Int) -> Int:
    """The hash slot of a key; ``n_slots`` is a power of 2, at most 2**24."""
    return (key * _SPREAD) >> np.int64(40) & (n_slots - 1)


@kernel
def distinct_hands(deals: NDArray, seats: NDArray) -> Hands:
    """The distinct hands of ``deals`` (n, 4); ``seats`` (4,): the absolute seats."""
    n = len(deals)
    size = 4
    while size < 2 * n:
        size *= 2
    held = np.zeros((N_SEATS, n), np.int64)
    which = np.zeros((n, N_SEATS), np.int64)
    counts = np.zeros(N_SEATS, np.int64)
    columns = np.empty(size, np.int64)  # hash table: the column of a hand, -1 for a free slot
    for relative in range(1, N_SEATS):
        columns[:] = -1
        for i in range(n):
            hand = deals[i, seats[relative]]
            slot = slot_of_key(hand, size)
            while columns[slot] >= 0 and held[relative, columns[slot]] != hand:
                slot = (slot + 1) & (size - 1)
            if columns[slot] < 0:
                columns[slot] = counts[relative]
                held[relative, counts[relative]] = hand
                counts[relative] += 1
            which[i, relative] = columns[slot]
    return Hands(held, counts, which)


def past_actions(observation: Observation, seen: ObservationArrays) -> PastActions:
    """Bids and plays of the three hidden seats in an observation; ``seen``: its arrays."""
    seats = (observation.seat + np.arange(N_SEATS)) % N_SEATS
    turns = (np.arange(N_SEATS) - observation.table.dealer - 1) % N_SEATS  # in the auction, by seat
    is_before = turns[None, :] < turns[seats][:, None]
    plays, spans = list_plays(seen, np.int64(nil_rule_of(observation.rules)))
    return PastActions(
        plays=plays,
        spans=spans,
        seats=seats,
        auction=np.where(is_before, seen.bids, np.int8(NO_BID)),
        bids=seen.bids[seats].astype(np.int64),
        blind=seen.blind[seats],
    )


@kernel
def list_plays(seen: ObservationArrays, nil_rule: Int) -> tuple[IntArray, IntArray]:
    """``plays`` and ``spans`` of ``PastActions``."""
    rows = np.empty((seen.n, N_COLUMNS), np.int64)
    spans = np.zeros((N_SEATS, 2), np.int64)
    n = 0
    for relative in range(1, N_SEATS):
        spans[relative, 0] = n
        progress = first_lead(seen.leader, seen.may_lead)
        played = np.int64(0)
        for i in range(seen.n):
            card = np.int64(seen.plays[i])
            if (progress.turn - seen.seat) & 3 == relative:
                row = rows[n]
                turn = progress.turn
                partner = turn ^ 2
                row[LED_SUIT] = progress.led
                row[BEST_CARD] = progress.best
                row[PLAYED] = played
                row[DECK] = seen.deck
                row[PLACE] = progress.ply & 3
                row[NIL_RULE] = nil_rule
                row[OWN_BID] = seen.bids[turn]
                row[PARTNER_BID] = seen.bids[partner]
                row[OWN_TRICKS] = tricks_of(turn, progress.taken)
                row[PARTNER_TRICKS] = tricks_of(partner, progress.taken)
                row[CARD] = card
                row[MAY_LEAD] = progress.may_lead
                n += 1
            played |= np.int64(1) << card
            progress = after_card(progress, card)
        spans[relative, 1] = n
        later = np.int64(0)
        for i in range(n - 1, spans[relative, 0] - 1, -1):
            later |= np.int64(1) << rows[i, CARD]
            rows[i, LATER] = later
    return rows[:n], spans


@lean_kernel
def bid_probability(
    hand: Int, bid: Int, auction: NDArray, seat: Int, rules: RuleNumbers, bidder: BidderParameters
) -> float:
    """P(bid | full hand) of the simulated human; ``auction``: the bids before, by seat."""
    counts = count_tricks(hand, rules.deck), nil_danger(hand, rules.deck)
    return bid_probability_of_counts(counts, bid, auction, seat, rules, bidder)


@lean_kernel
def bid_probability_of_counts(
    counts: tuple[float, float],
    bid: Int,
    auction: NDArray,
    seat: Int,
    rules: RuleNumbers,
    bidder: BidderParameters,
) -> float:
    """``bid_probability`` of a hand given by its trick count and nil danger."""
    tricks, danger = counts
    partner_bid = int(auction[(seat + 2) % N_SEATS])
    least = 0 if partner_bid == NO_BID else max(0, rules.min_bid - partner_bid)
    p_nil = 0.0
    if rules.has_nil and least == 0 and partner_bid != NIL_BID:
        p_nil = normal_below((bidder.nil_tolerance - danger) / bidder.nil_noise)
    if rules.has_nil and bid == NIL_BID:
        return p_nil
    lowest = max(least, rules.has_nil)
    if bid < lowest:
        return 0.0
    mean = tricks + bidder.offset + bidder.previous * surplus_of(auction)
    p_up_to_bid = 1.0 if bid >= MAX_BID else normal_below((bid + 0.5 - mean) / bidder.noise)
    p_below_bid = 0.0 if bid <= lowest else normal_below((bid - 0.5 - mean) / bidder.noise)
    return (1.0 - p_nil) * max(0.0, p_up_to_bid - p_below_bid)


@kernel
def weigh_bids(
    hands: Hands, past: PastActions, model: PlayerModel, bis: NDArray, out: NDArray
) -> None:
    """Multiply ``out`` (4, n) by the probability of each seat's bid with each of its hands.
    ``bis`` int8 (4, n): what BIS bids with them."""
    cached = np.empty(_SLOTS)
    keys = np.empty(_SLOTS, np.int64)
    deck = model.rules.deck
    for relative in range(1, N_SEATS):
        keys[:] = -1
        seat = past.seats[relative]
        bid = past.bids[relative]
        auction = past.auction[relative]
        first = past.spans[relative, 0]
        if bid == NO_BID or past.blind[relative]:
            continue
        played = past.plays[first, LATER] if past.spans[relative, 1] > first else np.int64(0)
        for i in range(hands.counts[relative]):
            full_hand = hands.held[relative, i] | played
            counts = count_tricks(full_hand, deck), nil_danger(full_hand, deck)
            key = np.int64(counts[0] * _TRICK_PARTS) << 8 | np.int64(counts[1])
            slot = slot_of_key(key, _SLOTS)
            if keys[slot] != key:
                keys[slot] = key
                cached[slot] = bid_probability_of_counts(
                    counts, bid, auction, seat, model.rules, model.bidder
                )
            p_bis = model.bid_given_bis[bis[relative, i], bid]
            p = model.human_bids * cached[slot] + (1.0 - model.human_bids) * p_bis
            out[relative, i] *= (1.0 - model.doubt) * p + model.doubt / N_BIDS


class StrengthCache(NamedTuple):
    """Sums of strengths by what they depend on. ``keys`` (``_SLOTS``,); ``sums`` (``_SLOTS``, 2):
    the sum of exp(strength) over a suit's legal cards, and exp(strength) of the card played if it
    is one of them; ``scratch`` (13,)."""

    keys: IntArray
    sums: FloatArray
    scratch: FloatArray


@kernel
def weigh_plays(hands: Hands, past: PastActions, model: PlayerModel, out: NDArray) -> None:
    """Multiply ``out`` (4, n) by the probability of each seat's plays with each of its hands."""
    keys = np.full(_SLOTS, -1, np.int64)
    cache = StrengthCache(keys, np.empty((_SLOTS, 2)), np.empty(HAND_SIZE))
    for relative in range(1, N_SEATS):
        n = hands.counts[relative]
        for i in range(past.spans[relative, 0], past.spans[relative, 1]):
            play = past.plays[i]
            held = hands.held[relative, :n]
            weigh_play(np.int64(i), play, held, model, cache, out[relative, :n])


@lean_kernel
def weigh_play(
    number: Int,
    row: NDArray,
    held: NDArray,
    model: PlayerModel,
    cache: StrengthCache,
    out: NDArray,
) -> None:
    """Multiply ``out`` (n,) by the probability of one play with each of the hands ``held`` after
    the last card seen. ``row`` of ``PastActions.plays``; ``number``: its place there."""
    led = row[LED_SUIT]
    may_lead = row[MAY_LEAD] != 0
    bosses = boss_mask(row[DECK] & ~row[PLAYED])
    trumps = beating_mask(row[BEST_CARD]) & SPADES_MASK
    for i in range(len(held)):
        hand = held[i] | row[LATER]
        legal = legal_mask(hand, led, may_lead)
        if legal & (legal - 1) == 0:  # one legal card: no decision
            continue
        first = np.int64(0)
        end = np.int64(4)
        shortest = np.int64(HAND_SIZE)
        if led >= 0 and suit_cards(legal, led) == legal:
            first = led
            end = led + 1
            shortest = np.int64(0)
        for suit in range(4 if led < 0 else 0):
            n = popcount(suit_cards(legal, suit))
            shortest = min(shortest, n) if n else shortest
        has_boss = np.int64(hand & bosses != 0)
        may_trump = np.int64(legal & trumps != 0)
        situation = number << 2 | has_boss << 1 | may_trump
        total = 0.0
        of_played = 0.0
        for suit in range(first, end):
            cards = suit_cards(legal, suit)
            if cards == 0:
                continue
            is_shortest = np.int64(popcount(cards) == shortest)
            key = situation << 3 | is_shortest << 2 | suit
            key = key << 16 | cards >> (16 * suit)
            slot = slot_of_key(key, _SLOTS)
            if cache.keys[slot] != key:
                cache.keys[slot] = key
                row[HAND] = hand
                row[LEGAL] = legal
                sum_strengths(cards, row, model.weights, cache.scratch, cache.sums[slot])
            total += cache.sums[slot, 0]
            of_played += cache.sums[slot, 1]
        p = of_played / total
        out[i] *= (1.0 - model.doubt) * p + model.doubt / popcount(legal)


@lean_kernel
def sum_strengths(
    cards: Int, row: NDArray, weights: NDArray, scratch: NDArray, out: NDArray
) -> None:
    """Write the sum of exp(strength) of some legal cards into ``out`` (2,), and exp(strength) of
    the card played if it is one of them; ``row`` of ``PastActions.plays``, hand and legal cards
    filled in."""
    decision = decision_at(row)
    out[:] = 0.0
    for i in range(strengths_among(cards, decision, context_of(decision), weights, scratch)):
        out[0] += math.exp(scratch[i])
    card = row[CARD]
    if cards >> card & 1:
        n_lower = popcount(cards & ((np.int64(1) << card) - 1))
        out[1] = math.exp(scratch[n_lower])


@kernel
def log_products(which: NDArray, likelihoods: NDArray) -> FloatArray:
    """Log likelihood of each deal, nats, (n,). ``which`` (n, 4) as in ``Hands``; ``likelihoods``
    (4, n) of its hands."""
    totals = np.empty(len(which))
    for i in range(len(which)):
        product = 1.0
        for relative in range(1, N_SEATS):
            product *= likelihoods[relative, which[i, relative]]
        totals[i] = math.log(product)
    return totals
