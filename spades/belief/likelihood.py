"""How likely hidden hands make the bids and plays that were seen.

A deal's likelihood is a product over the hidden seats, each a function of that seat's hand alone:
the probability of its bid and of every card it played. Among thousands of deals hands come again,
and so do a suit's cards: each hand is weighed once, and the strengths of a suit's cards in a
decision are summed once for all hands that agree in what these strengths depend on (the cards of
that suit, whether a boss is held, whether a trump could win, whether the suit is the shortest).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief.network import Seen
from spades.core.cards import HAND_SIZE, N_SEATS, SPADES_MASK
from spades.core.kernel import Int, kernel, lean_kernel, normal_below, popcount
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers, legal_mask
from spades.core.step import after_card, first_lead, tricks_of
from spades.human.bidder import Bidder, count_tricks, nil_danger, surplus_of
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

CARD, LATER, MAY_LEAD, N_PAST = range(N_FIELDS, N_FIELDS + 4)
N_BIDS = MAX_BID + 1
_SLOTS = 1 << 12
_FINE = 1 << 20  # parts of a trick in which hands are told apart
_SPREAD = np.int64(0x9E3779B97F4A7C15 - 2**64)  # an odd number, to spread keys over slots


class Past(NamedTuple):
    """What the hidden seats did, for the kernels; seats are relative, 1 to 3 to the left.

    ``plays`` int64 (n, 15): the twelve fields of a decision, of which hand and legal cards are
    filled in as hands are weighed, the card played, the cards that the seat played from then on,
    whether spades could be led. ``spans`` (4, 2): rows of each relative seat. ``seats`` (4,):
    absolute. ``auction`` int8 (4, 4): the bids before each relative seat's own, by absolute seat;
    ``bids`` (4,): its own, ``NO_BID`` unknown. ``blind`` (4,): bid without looking."""

    plays: NDArray[np.int64]
    spans: NDArray[np.int64]
    seats: NDArray[np.int64]
    auction: NDArray[np.int8]
    bids: NDArray[np.int64]
    blind: NDArray[np.bool_]


class Model(NamedTuple):
    """Whom the seats are taken for: ``Habits``, with ``bidder`` of the simulated human, the rules
    and ``answers`` (14, 14): P(the bid made | what BIS bids) of a seat that bids as BIS."""

    weights: NDArray[np.float64]
    bidder: Bidder
    human_bids: float
    answers: NDArray[np.float64]
    rules: RuleNumbers
    doubt: float


class Hands(NamedTuple):
    """The hands that the hidden seats hold in a number of deals, each once. ``held`` int64 (4, n)
    by relative seat, of which the first ``counts`` (4,) are there; ``which`` int64 (n, 4): the
    place there of the hand that a seat has in each deal."""

    held: NDArray[np.int64]
    counts: NDArray[np.int64]
    which: NDArray[np.int64]


@lean_kernel
def slot_of_key(key: Int, n_slots: Int) -> Int:
    """Where to look for a key; ``n_slots`` is a power of 2, at most 2**24."""
    return (key * _SPREAD) >> np.int64(40) & (n_slots - 1)


@kernel
def distinct_hands(deals: NDArray, seats: NDArray) -> Hands:
    """Of ``deals`` (n, 4); ``seats`` (4,): the absolute seat of each relative one."""
    n, size = len(deals), 4
    while size < 2 * n:
        size *= 2
    held, which = np.zeros((N_SEATS, n), np.int64), np.zeros((n, N_SEATS), np.int64)
    counts, places = np.zeros(N_SEATS, np.int64), np.empty(size, np.int64)
    for relative in range(1, N_SEATS):
        places[:] = -1
        for i in range(n):
            hand = deals[i, seats[relative]]
            slot = slot_of_key(hand, size)
            while places[slot] >= 0 and held[relative, places[slot]] != hand:
                slot = (slot + 1) & (size - 1)
            if places[slot] < 0:
                places[slot] = counts[relative]
                held[relative, counts[relative]] = hand
                counts[relative] += 1
            which[i, relative] = places[slot]
    return Hands(held, counts, which)


def past_of(observation: Observation, seen: Seen) -> Past:
    """Bids and plays of the three hidden seats, as an observation shows them."""
    table = observation.table
    seats = (observation.seat + np.arange(N_SEATS)) % N_SEATS
    turns = (np.arange(N_SEATS) - table.dealer - 1) % N_SEATS
    is_before = turns[None, :] < turns[seats][:, None]
    auction = np.where(is_before, seen.bids, np.int8(NO_BID))
    rows, spans = list_past(seen, np.int64(nil_rule_of(observation.rules)))
    return Past(rows, spans, seats, auction, seen.bids[seats].astype(np.int64), seen.blind[seats])


@kernel
def list_past(seen: Seen, nil_rule: Int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``plays`` and ``spans`` of ``Past``."""
    rows, spans, n = np.empty((seen.n, N_PAST), np.int64), np.zeros((N_SEATS, 2), np.int64), 0
    for relative in range(1, N_SEATS):
        spans[relative, 0] = n
        at, played = first_lead(seen.leader, seen.may_lead), np.int64(0)
        for i in range(seen.n):
            card = np.int64(seen.plays[i])
            if (at.turn - seen.seat) & 3 == relative:
                row, turn, partner = rows[n], at.turn, at.turn ^ 2
                row[LED_SUIT], row[BEST_CARD], row[PLAYED] = at.led, at.best, played
                row[DECK], row[PLACE], row[NIL_RULE] = seen.deck, at.ply & 3, nil_rule
                row[OWN_BID], row[PARTNER_BID] = seen.bids[turn], seen.bids[partner]
                row[OWN_TRICKS] = tricks_of(turn, at.taken)
                row[PARTNER_TRICKS] = tricks_of(partner, at.taken)
                row[CARD], row[MAY_LEAD] = card, at.may_lead
                n += 1
            played |= np.int64(1) << card
            at = after_card(at, card)
        spans[relative, 1], later = n, np.int64(0)
        for i in range(n - 1, spans[relative, 0] - 1, -1):
            later |= np.int64(1) << rows[i, CARD]
            rows[i, LATER] = later
    return rows[:n], spans


@lean_kernel
def bid_probability(
    hand: Int, bid: Int, auction: NDArray, seat: Int, rules: RuleNumbers, bidder: Bidder
) -> float:
    """Probability that the simulated human bids this with a full hand; ``auction``: bids before."""
    counts = count_tricks(hand, rules.deck), nil_danger(hand, rules.deck)
    return bid_by_counts(counts, bid, auction, seat, rules, bidder)


@lean_kernel
def bid_by_counts(
    counts: tuple, bid: Int, auction: NDArray, seat: Int, rules: RuleNumbers, bidder: Bidder
) -> float:
    """The same; ``counts``: the tricks of the hand and what endangers its nil."""
    tricks, danger = counts
    partner_bid = int(auction[(seat + 2) % N_SEATS])
    least = 0 if partner_bid == NO_BID else max(0, rules.min_bid - partner_bid)
    nil = 0.0
    if rules.has_nil and least == 0 and partner_bid != NIL_BID:
        nil = normal_below((bidder.nil_tolerance - danger) / bidder.nil_noise)
    if rules.has_nil and bid == NIL_BID:
        return nil
    lowest = max(least, rules.has_nil)
    mean = tricks + bidder.offset + bidder.previous * surplus_of(auction)
    above = 1.0 if bid >= MAX_BID else normal_below((bid + 0.5 - mean) / bidder.noise)
    below = 0.0 if bid <= lowest else normal_below((bid - 0.5 - mean) / bidder.noise)
    return (1.0 - nil) * max(0.0, above - below) if bid >= lowest else 0.0


@kernel
def weigh_bids(hands: Hands, past: Past, model: Model, bis: NDArray, out: NDArray) -> None:
    """Multiply ``out`` (4, n) by the probability of each seat's bid with each of its hands, with
    which BIS bids ``bis`` int8 (4, n)."""
    known, keys, deck = np.empty(_SLOTS), np.empty(_SLOTS, np.int64), model.rules.deck
    for relative in range(1, N_SEATS):
        keys[:] = -1
        seat, bid, first = past.seats[relative], past.bids[relative], past.spans[relative, 0]
        if bid == NO_BID or past.blind[relative]:
            continue
        played = past.plays[first, LATER] if past.spans[relative, 1] > first else np.int64(0)
        for i in range(hands.counts[relative]):
            full = hands.held[relative, i] | played
            tricks, danger = count_tricks(full, deck), nil_danger(full, deck)
            key = np.int64(tricks * _FINE) << 8 | np.int64(danger)
            slot = slot_of_key(key, _SLOTS)
            if keys[slot] != key:
                auction, counts = past.auction[relative], (tricks, danger)
                p = bid_by_counts(counts, bid, auction, seat, model.rules, model.bidder)
                keys[slot], known[slot] = key, p
            other = model.answers[bis[relative, i], bid]
            p = model.human_bids * known[slot] + (1.0 - model.human_bids) * other
            out[relative, i] *= (1.0 - model.doubt) * p + model.doubt / N_BIDS


@kernel
def weigh_plays(hands: Hands, past: Past, model: Model, out: NDArray) -> None:
    """Multiply ``out`` (4, n) by the probability of each seat's plays with each of its hands."""
    scratch, sums = np.empty(HAND_SIZE), np.empty((_SLOTS, 2))
    keys = np.full(_SLOTS, -1, np.int64)
    for relative in range(1, N_SEATS):
        n = hands.counts[relative]
        for i in range(past.spans[relative, 0], past.spans[relative, 1]):
            memo = keys, sums, scratch, np.int64(i)
            weigh_play(hands.held[relative, :n], past.plays[i], model, memo, out[relative, :n])


@lean_kernel
def weigh_play(held: NDArray, row: NDArray, model: Model, memo: tuple, out: NDArray) -> None:
    """One play: ``out`` (n,) times its probability with each of the hands ``held`` after it.

    ``memo``: keys (``_SLOTS``,), the sums (``_SLOTS``, 2) of exp(strength) of a suit's legal cards
    and of the played one that they stand for, scratch, and the number of the play."""
    keys, sums, scratch, play = memo
    led, may_lead = row[LED_SUIT], row[MAY_LEAD] != 0
    bosses = boss_mask(row[DECK] & ~row[PLAYED])
    trumps = beating_mask(row[BEST_CARD]) & SPADES_MASK
    for i in range(len(held)):
        hand = held[i] | row[LATER]
        legal = legal_mask(hand, led, may_lead)
        if legal & (legal - 1) == 0:
            continue
        first, end, least = np.int64(0), np.int64(4), np.int64(HAND_SIZE)
        if led >= 0 and suit_cards(legal, led) == legal:
            first, end, least = led, led + 1, np.int64(0)
        for suit in range(4 if led < 0 else 0):
            n = popcount(suit_cards(legal, suit))
            least = min(least, n) if n else least
        alike = play << 2 | np.int64(hand & bosses != 0) << 1 | np.int64(legal & trumps != 0)
        total, mine = 0.0, 0.0
        for suit in range(first, end):
            cards = suit_cards(legal, suit)
            if cards == 0:
                continue
            key = alike << 3 | np.int64(popcount(cards) == least) << 2 | suit
            key = key << 16 | cards >> (16 * suit)
            slot = slot_of_key(key, _SLOTS)
            if keys[slot] != key:
                keys[slot], row[HAND], row[LEGAL] = key, hand, legal
                sum_strengths(cards, row, model.weights, scratch, sums[slot])
            total += sums[slot, 0]
            mine += sums[slot, 1]
        out[i] *= (1.0 - model.doubt) * mine / total + model.doubt / popcount(legal)


@lean_kernel
def sum_strengths(
    cards: Int, row: NDArray, weights: NDArray, scratch: NDArray, out: NDArray
) -> None:
    """Sum of exp(strength) of some legal cards, and that of the card played where it is among
    them, into ``out`` (2,); ``row`` of ``Past.plays``, with hand and legal cards."""
    decision = decision_at(row)
    out[:] = 0.0
    for i in range(strengths_among(cards, decision, context_of(decision), weights, scratch)):
        out[0] += math.exp(scratch[i])
    if cards >> row[CARD] & 1:
        out[1] = math.exp(scratch[popcount(cards & ((np.int64(1) << row[CARD]) - 1))])


@kernel
def log_products(which: NDArray, likelihoods: NDArray) -> NDArray[np.float64]:
    """Log likelihood, nats, of deals of the hands ``which`` (n, 4) with ``likelihoods`` (4, n)."""
    found = np.empty(len(which))
    for i in range(len(which)):
        product = 1.0
        for relative in range(1, N_SEATS):
            product *= likelihoods[relative, which[i, relative]]
        found[i] = math.log(product)
    return found
