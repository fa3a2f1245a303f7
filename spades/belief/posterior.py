"""Posterior determinization: deals as likely as the bids and plays so far make them.

Deals are proposed by the belief network, weighted by the likelihood of what the hidden seats bid
and played over the chance that the network draws them, and resampled (importance sampling).
P(card, seat) is thereby probabilistically sound as far as the human model is; none of the papers
has it (spec 2, "Determinization"). The network has read everything up to a decision, so particles
kept from the decision before would add nothing to those that it proposes.

A deal's likelihood is a product over the hidden seats, each a function of that seat's hand alone:
the probability of its bid and of every card it played. Everybody is taken for the simulated human
(its bidder, in closed form; the log-linear model ``devlin2016-nil``) unless the posterior is told
who plays (``spades.belief.players``). Nobody plays quite like a model: each factor is
(1 - doubt) P + doubt / choices, so that one odd card rules no hand out.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import Deals
from spades.belief.network import KINDS
from spades.belief.owners import NetworkDeals
from spades.belief.players import N_BIDS, add_rule_plays, bis_bids, habits_of
from spades.bidding.auction import bidder_options
from spades.bidding.curves import bid_context
from spades.core.cards import HAND_SIZE, N_SEATS, partner_of
from spades.core.kernel import Int, below, kernel, normal_below, popcount, random_words, unit
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, NO_BID, RuleNumbers, legal_mask
from spades.core.step import progresses, tricks_of
from spades.human.bidder import Bidder, count_tricks, nil_danger, surplus_of
from spades.human.features.card_features import legal_probabilities
from spades.human.features.view import N_FIELDS, Decision, nil_rule_of
from spades.human.simulated import load_simulated_human
from spades.rule_based.sight import opened

PARTICLES = 2000
CARD, LATER, MAY_LEAD, N_PAST = range(N_FIELDS, N_FIELDS + 4)


class Past(NamedTuple):
    """What the hidden seats did, for the kernels; seats are relative, 1 to 3 to the left.

    ``plays`` int64 (n, 15): the twelve fields of a decision without hand and legal cards, the card
    played, the cards that the seat played from then on, whether spades could be led. ``spans``
    (4, 2): rows of each relative seat. ``seats`` (4,): absolute. ``auction`` int8 (4, 4): the bids
    before each relative seat's own, by absolute seat; ``bids`` (4,): its own, ``NO_BID`` unknown.
    ``blind`` (4,): bid without looking."""

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


def past_of(observation: Observation) -> Past:
    """Bids and plays of the three hidden seats, as an observation shows them."""
    table, nil_rule = observation.table, nil_rule_of(observation.rules)
    bids, deck, played = table.bids, table.rules.cards.mask, 0
    rows: list[list[list[Any]]] = [[] for _ in range(N_SEATS)]
    for at, card in zip(progresses(table), table.plays, strict=False):
        seat, partner = int(at.turn), partner_of(int(at.turn))
        row = [0, 0, at.led, at.best, played, deck, at.ply % N_SEATS, bids[seat], bids[partner]]
        row += [tricks_of.py_func(member, at.taken) for member in (seat, partner)]
        rows[(seat - observation.seat) % N_SEATS].append([*row, nil_rule, card, 0, at.may_lead])
        played |= 1 << card
    rows[0] = []
    for mine in rows:
        later = 0
        for row in reversed(mine):
            later |= 1 << row[CARD]
            row[LATER] = later
    ends = np.cumsum([len(mine) for mine in rows])
    seats = (observation.seat + np.arange(N_SEATS)) % N_SEATS
    turns = (np.arange(N_SEATS) - table.dealer - 1) % N_SEATS
    is_before = turns[None, :] < turns[seats][:, None]
    return Past(
        plays=np.array([row for mine in rows for row in mine], dtype=np.int64).reshape(-1, N_PAST),
        spans=np.stack([[0, *ends[:-1]], ends], axis=1),
        seats=seats,
        auction=np.where(is_before, bids, NO_BID).astype(np.int8),
        bids=np.array(bids)[seats],
        blind=np.array(table.blind)[seats],
    )


@kernel
def bid_probability(
    hand: Int, bid: Int, auction: NDArray, seat: Int, rules: RuleNumbers, bidder: Bidder
) -> float:
    """Probability that the simulated human bids this with a full hand; ``auction``: bids before."""
    partner_bid = int(auction[(seat + 2) % N_SEATS])
    least = 0 if partner_bid == NO_BID else max(0, rules.min_bid - partner_bid)
    nil = 0.0
    if rules.has_nil and least == 0 and partner_bid != NIL_BID:
        nil = normal_below((bidder.nil_tolerance - nil_danger(hand, rules.deck)) / bidder.nil_noise)
    if rules.has_nil and bid == NIL_BID:
        return nil
    lowest = max(least, rules.has_nil)
    mean = count_tricks(hand, rules.deck) + bidder.offset + bidder.previous * surplus_of(auction)
    above = 1.0 if bid >= MAX_BID else normal_below((bid + 0.5 - mean) / bidder.noise)
    below = 0.0 if bid <= lowest else normal_below((bid - 0.5 - mean) / bidder.noise)
    return (1.0 - nil) * max(0.0, above - below) if bid >= lowest else 0.0


@kernel
def seat_log_likelihood(
    hand: Int, relative: Int, past: Past, model: Model, bis: Int, scratch: NDArray
) -> float:
    """Log probability, nats, of a hidden seat's bid and plays if it now holds ``hand``, with which
    BIS bids ``bis``; of the bid alone where the model has no weights."""
    first, end = past.spans[relative, 0], past.spans[relative, 1]
    total = 0.0
    if past.bids[relative] != NO_BID and not past.blind[relative]:
        full = hand | past.plays[first, LATER] if end > first else hand
        seat, bid = past.seats[relative], past.bids[relative]
        p = bid_probability(full, bid, past.auction[relative], seat, model.rules, model.bidder)
        p = model.human_bids * p + (1.0 - model.human_bids) * model.answers[bis, bid]
        total += math.log((1.0 - model.doubt) * p + model.doubt / N_BIDS)
    for i in range(first, end if model.weights.size else first):
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
def log_likelihoods(deals: NDArray, past: Past, model: Model, bis: NDArray, out: NDArray) -> None:
    """Log likelihood by deal (n, 4) and relative seat into ``out`` (n, 4); column 0 stays 0.
    ``bis`` int8 (n, 4): what BIS bids."""
    scratch = np.empty(HAND_SIZE)
    for i in range(len(deals)):
        out[i, 0] = 0.0
        for relative in range(1, N_SEATS):
            hand = deals[i, past.seats[relative]]
            out[i, relative] = seat_log_likelihood(
                hand, relative, past, model, np.int64(bis[i, relative]), scratch
            )


class PosteriorDeals:
    """The posterior determinizer of one observation.

    ``particles``: deals that represent the posterior; ``players``: of ``KINDS``, as which everybody
    is taken to bid and play. ``effective_``: after the first sample, as how many deals of the same
    weight they count, (sum w)^2 / sum w^2; ``weighed_``: the deals (n, 4) and their weights."""

    effective_: float
    weighed_: tuple[Deals, NDArray[np.float64]]

    def __init__(
        self, observation: Observation, *, particles: int = PARTICLES, players: str = KINDS[0]
    ) -> None:
        self.habits = habits_of(players)
        self.proposals = NetworkDeals(observation, players=self.habits.told)
        self.observation, self.particles = observation, particles
        self._past = past_of(observation)
        self._deals: Deals | None = None

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4), drawn with replacement from the particles."""
        if self._deals is None:
            self._deals, state = self._settle(np.uint64(state))
        words, state = random_words(n, state)
        return self._deals[below.py_func(words, len(self._deals))], state

    def _settle(self, state: np.uint64) -> tuple[Deals, np.uint64]:
        """The particles: drawn, weighted, resampled."""
        deals, state = self.proposals.sample(self.particles, state)
        total = self._log_likelihoods(deals).sum(axis=1) - self.proposals.log_chances(deals)
        weights = np.exp(self.habits.trust * (total - total.max()))
        self.effective_ = float(weights.sum() ** 2 / np.square(weights).sum())
        self.weighed_ = deals, weights
        words, state = random_words(1, state)
        chosen = systematic(weights, self.particles, unit.py_func(words)[0])
        return deals[chosen], np.uint64(state)

    def _log_likelihoods(self, deals: Deals) -> NDArray[np.float64]:
        """By deal and relative seat, (n, 4)."""
        habits, past, seen = self.habits, self._past, self.observation
        human, rules = load_simulated_human(), seen.rules.numbers
        bis, found = np.zeros(deals.shape, dtype=np.int8), np.empty(deals.shape)
        played = np.array(seen.table.played, dtype=np.int64)
        if habits.human_bids < 1.0:
            standing = seen.score_before or (0, 0), seen.bags_before or (0, 0)
            auctions = past.auction, past.seats, np.array(standing), bidder_options()
            bis_bids(deals | played, auctions, bid_context(seen.rules), bis)
        bids = habits.human_bids, habits.answers
        model = Model(habits.weights, human.bidder, *bids, rules, habits.doubt)
        log_likelihoods(deals, past, model, bis, found)
        if not habits.weights.size:
            plays = np.array(seen.table.plays, dtype=np.int64)
            own = seen.seat, habits.doubt
            add_rule_plays(deals, plays, played, opened(seen), own, found)
        return found


def systematic(weights: NDArray[np.float64], n: int, start: float) -> NDArray[np.int64]:
    """Indices of ``n`` draws by weight, evenly spaced from ``start`` (0 to 1) on."""
    cumulative = np.cumsum(weights)
    at = (np.arange(n) + start) / n * cumulative[-1]
    return np.minimum(np.searchsorted(cumulative, at, side="right"), len(weights) - 1)
