"""How likely a hidden hand is to have bid and played as its seat did, under the human model.

A deal's likelihood is a product over the hidden seats, each a function of that seat's hand alone:
the probability of its bid (the simulated human's bidder, in closed form) and of every card it
played (the log-linear model ``devlin2016-nil``). Bots and real people play otherwise: each factor
is (1 - doubt) P + doubt / choices, so that one odd card rules no hand out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_SEATS, SPADES_MASK
from spades.core.kernel import Int, kernel, popcount
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, NO_SUIT, beats, legal_mask
from spades.human.bidder import (
    Bidder,
    TableOptions,
    count_tricks,
    nil_danger,
    options_of,
    surplus_of,
)
from spades.human.features.card_features import legal_probabilities
from spades.human.features.view import N_FIELDS, NO_NIL, Decision, nil_rule_of
from spades.human.simulated import SimulatedHuman

N_BIDS = MAX_BID + 1
CARD, LATER, MAY_LEAD = N_FIELDS, N_FIELDS + 1, N_FIELDS + 2
N_PAST = N_FIELDS + 3


class Past(NamedTuple):
    """What the hidden seats did, for the kernels; seats are relative, 1 to 3 to the left.

    ``plays`` int64 (n, 15): the twelve fields of a decision without hand and legal cards, the card
    played, the cards that the seat played from then on, whether spades could be led. ``spans``
    (4, 2): rows of each relative seat. ``seats`` (4,): absolute. ``auction`` int8 (4, 4): the bids
    before each relative seat's own, by absolute seat; ``bids`` (4,): its own, ``NO_BID`` unknown.
    ``blind`` (4,): bid without looking.
    """

    plays: NDArray[np.int64]
    spans: NDArray[np.int64]
    seats: NDArray[np.int64]
    auction: NDArray[np.int8]
    bids: NDArray[np.int64]
    blind: NDArray[np.bool_]


class Model(NamedTuple):
    """The human that the seats are taken for; ``doubt``: how often one acts at random."""

    weights: NDArray[np.float64]
    bidder: Bidder
    options: TableOptions
    doubt: float


def model_of(human: SimulatedHuman, observation: Observation, doubt: float) -> Model:
    return Model(np.array(human.weights), human.bidder, options_of(observation.rules), doubt)


def past_of(observation: Observation) -> Past:
    """Bids and plays of the three hidden seats, as an observation shows them."""
    seat, table = observation.seat, observation.table
    rows: list[list[list[int]]] = [[] for _ in range(N_SEATS)]
    for row, relative in _plays(observation):
        rows[relative].append(row)
    for listed in rows:
        later = 0
        for row in reversed(listed):
            later |= 1 << row[CARD]
            row[LATER] = later
    spans = np.zeros((N_SEATS, 2), dtype=np.int64)
    flat: list[list[int]] = []
    for relative in range(1, N_SEATS):
        spans[relative] = len(flat), len(flat) + len(rows[relative])
        flat += rows[relative]
    seats = np.array([(seat + i) % N_SEATS for i in range(N_SEATS)])
    auction = np.full((N_SEATS, N_SEATS), NO_BID, dtype=np.int8)
    for relative in range(N_SEATS):
        for turn in range(1, N_SEATS + 1):
            other = (table.dealer + turn) % N_SEATS
            if other == seats[relative]:
                break
            auction[relative, other] = table.bids[other]
    return Past(
        plays=np.array(flat, dtype=np.int64).reshape(-1, N_PAST),
        spans=spans,
        seats=seats,
        auction=auction,
        bids=np.array([table.bids[other] for other in seats]),
        blind=np.array([table.blind[other] for other in seats]),
    )


def _plays(observation: Observation) -> list[tuple[list[int], int]]:
    """Every play so far as a row of ``Past.plays``, and the relative seat that made it."""
    table, found = observation.table, []
    bids, nil_rule, deck = table.bids, nil_rule_of(table.rules), table.rules.cards.mask
    tricks, played, led, best, winner = [0] * N_SEATS, 0, NO_SUIT, -1, -1
    any_lead = table.rules.spades_lead == "any"
    for ply, (seat, card) in enumerate(zip(table.seats, table.plays, strict=True)):
        if ply % N_SEATS == 0:
            led, best = NO_SUIT, -1
        partner = (seat + 2) % N_SEATS
        row = [0, 0, led, best, played, deck, ply % N_SEATS, bids[seat], bids[partner]]
        row += [tricks[seat], tricks[partner], nil_rule, card, 0]
        row.append(int(any_lead or bool(played & SPADES_MASK)))
        found.append((row, (seat - observation.seat) % N_SEATS))
        played |= 1 << card
        if best < 0 or beats(card, best):
            best, winner = card, seat
        led = card >> 4 if ply % N_SEATS == 0 else led
        if ply % N_SEATS == N_SEATS - 1:
            tricks[winner] += 1
    return found


@kernel
def normal_below(x: float) -> float:
    """Standard normal distribution function."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@kernel
def bid_probability(
    hand: Int, bid: Int, auction: NDArray, seat: Int, options: TableOptions, bidder: Bidder
) -> float:
    """Probability that the simulated human bids this with a full hand; ``auction``: bids before."""
    has_nil = options.nil_rule != NO_NIL
    partner_bid = int(auction[(seat + 2) % N_SEATS])
    least = 0 if partner_bid == NO_BID else max(0, options.min_bid - partner_bid)
    nil = 0.0
    if has_nil and least == 0 and partner_bid != NIL_BID:
        nil = normal_below(
            (bidder.nil_tolerance - nil_danger(hand, options.deck)) / bidder.nil_noise
        )
    if has_nil and bid == NIL_BID:
        return nil
    lowest = max(least, int(has_nil))
    mean = count_tricks(hand, options.deck) + bidder.offset + bidder.previous * surplus_of(auction)
    above = 1.0 if bid >= MAX_BID else normal_below((bid + 0.5 - mean) / bidder.noise)
    below = 0.0 if bid <= lowest else normal_below((bid - 0.5 - mean) / bidder.noise)
    return (1.0 - nil) * max(0.0, above - below) if bid >= lowest else 0.0


@kernel
def seat_log_likelihood(
    hand: Int, relative: Int, past: Past, model: Model, scratch: NDArray
) -> float:
    """Log probability, nats, of a hidden seat's bid and plays if it now holds ``hand``."""
    first, end = past.spans[relative, 0], past.spans[relative, 1]
    total = 0.0
    if past.bids[relative] != NO_BID and not past.blind[relative]:
        full = hand | past.plays[first, LATER] if end > first else hand
        seat, options = past.seats[relative], model.options
        bid = past.bids[relative]
        p = bid_probability(full, bid, past.auction[relative], seat, options, model.bidder)
        total += math.log((1.0 - model.doubt) * p + model.doubt / N_BIDS)
    for i in range(first, end):
        row = past.plays[i]
        held = hand | row[LATER]
        legal = legal_mask(held, row[2], bool(row[MAY_LEAD]))
        if legal & (legal - 1) == 0:
            continue
        decision = Decision(
            held, legal, row[2], row[3], row[4], row[5],
            row[6], row[7], row[8], row[9], row[10], row[11],
        )  # fmt: skip
        n = legal_probabilities(decision, model.weights, scratch)
        p = scratch[popcount(legal & ((np.int64(1) << row[CARD]) - 1))]
        total += math.log((1.0 - model.doubt) * p + model.doubt / n)
    return total


@kernel
def log_likelihoods(deals: NDArray, past: Past, model: Model, out: NDArray) -> None:
    """Log likelihood by deal (n, 4) and relative seat into ``out`` (n, 4); column 0 stays 0."""
    scratch = np.empty(HAND_SIZE)
    for i in range(len(deals)):
        out[i, 0] = 0.0
        for relative in range(1, N_SEATS):
            hand = deals[i, past.seats[relative]]
            out[i, relative] = seat_log_likelihood(hand, relative, past, model, scratch)
