"""Models of the kinds of players, by which the posterior weighs deals.

Simulated humans: their own bidder and card model. ISMCTS: a log-linear model fitted to its plays
(``experiments.fit_search_plays``), with the bids of the simulated human or of BIS. Strong rules:
the card that they play, which is certain, with the bids of BIS, exact or noisy.

A model that isn't the players' own is overconfident, as its errors multiply over a seat's plays.
``trust`` is the exponent of the weights: deals are drawn from a geometric mean of the belief
network's distribution and the posterior. It was tuned on simulated rounds, none of which
``experiments.score_beliefs`` scores.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief.likelihood import N_BIDS, Hands
from spades.belief.network import PLAYER_KINDS
from spades.bidding.auction import Auction, BidContext, BidderOptions
from spades.bidding.bis import bis_bid
from spades.core.cards import N_SEATS
from spades.core.kernel import FloatArray, Int, IntArray, kernel, normal_below, popcount
from spades.core.paths import DATA
from spades.core.rules import MAX_BID, NIL_BID
from spades.core.step import legal_cards
from spades.human.loglinear import LogLinearModel
from spades.human.simulated import load_simulated_human
from spades.rule_based import Public, strong_card
from spades.rule_based.sight import progress_in, record_play, turn_of

FILE = DATA / "beliefs" / "search-plays.safetensors"
UNKNOWN, HUMAN, SEARCH, STRONG_RULES = PLAYER_KINDS
NIL_RATE = 0.1  # of the noisy BIS, whose noise is one trick
DOUBT = 0.05


class Habits(NamedTuple):
    """The model of one kind of player.

    ``network_kind``: the kind that the belief network assumes. ``weights``: of the log-linear model
    of its plays; (0,) for the strong rules. ``human_bids``: share of seats that bid as the
    simulated human; the others bid by ``bid_given_bis`` (14, 14): P(bid made | bid of BIS).
    ``trust``: see above. ``particles``: number of deals weighed, chosen so that each kind takes
    about as long. ``doubt``: probability that a seat acts at random."""

    network_kind: str
    weights: FloatArray
    human_bids: float
    bid_given_bis: FloatArray
    trust: float
    particles: int
    doubt: float = DOUBT


@lru_cache
def habits_of(players: str) -> Habits:
    """The model of one of ``PLAYER_KINDS``; unknown players are assumed to be simulated humans."""
    exact = np.eye(N_BIDS)
    if players == SEARCH:
        return Habits(
            network_kind=SEARCH,
            weights=LogLinearModel.load(FILE).weights_,
            human_bids=0.5,
            bid_given_bis=exact,
            trust=0.5,
            particles=800,
        )
    if players == STRONG_RULES:
        return Habits(
            network_kind=STRONG_RULES,
            weights=np.zeros(0),
            human_bids=0.0,
            bid_given_bis=0.5 * exact + 0.5 * noisy_bids(),
            trust=0.7,
            particles=600,
        )
    return Habits(
        network_kind=HUMAN,
        weights=np.array(load_simulated_human().weights),
        human_bids=1.0,
        bid_given_bis=exact,
        trust=1.0,
        particles=1600,
    )


def noisy_bids() -> FloatArray:
    """P(bid made | bid of BIS) of the noisy BIS, (14, 14); a nil stays a nil."""
    bids = range(N_BIDS)
    p_up_to = np.array([[normal_below.py_func(bid + 0.5 - bis) for bid in bids] for bis in bids])
    p_up_to[:, NIL_BID] = 0.0
    p_up_to[:, MAX_BID] = 1.0
    p = (1.0 - NIL_RATE) * np.diff(p_up_to, axis=1, prepend=0.0)
    p[:, NIL_BID] = NIL_RATE
    p[NIL_BID] = np.eye(N_BIDS)[NIL_BID]
    return p


class AuctionArrays(NamedTuple):
    """What BIS looks at beside the hand. ``before`` int8 (4, 4): the bids before each relative
    seat's own, by absolute seat; ``seats`` (4,): absolute; ``score`` and ``bags`` (2,) by
    partnership when the round began; ``options`` of BIS."""

    before: NDArray[np.int8]
    seats: IntArray
    score: IntArray
    bags: IntArray
    options: BidderOptions


@kernel
def bis_bids(
    hands: Hands, played: NDArray, auctions: AuctionArrays, context: BidContext, out: NDArray
) -> None:
    """Write what BIS bids with each of ``hands`` and the cards ``played`` (4,) by absolute seat
    into ``out`` int8 (4, n), laid out as ``hands.held``."""
    score = auctions.score
    bags = auctions.bags
    for relative in range(1, N_SEATS):
        seat = auctions.seats[relative]
        us = seat & 1
        them = ~seat & 1
        auction = Auction(
            seat, auctions.before[relative], score[us], score[them], bags[us], bags[them]
        )
        for i in range(hands.counts[relative]):
            full_hand = hands.held[relative, i] | played[seat]
            bid, _ = bis_bid(full_hand, auction, auctions.options, context, np.uint64(0))
            out[relative, i] = bid


@kernel
def weigh_rule_plays(
    hands: Hands,
    plays: NDArray,
    played: NDArray,
    public: Public,
    observer: tuple[Int, float],
    out: NDArray,
) -> None:
    """Multiply ``out`` (4, n) by the probability that the strong rules make each hidden seat's
    ``plays`` with each of its hands.

    ``played`` (4,): masks of the cards that each seat played; ``public``: the record before the
    first card. Both are consumed. ``observer``: its seat, and the ``doubt`` of ``Habits``."""
    observer_seat, doubt = observer
    for card in plays:
        turn = turn_of(public)
        progress = progress_in(public)
        relative = (turn - observer_seat) & 3
        for i in range(hands.counts[relative]):
            hand = hands.held[relative, i] | played[turn]
            legal = legal_cards(hand, progress)
            if legal & (legal - 1):  # at least two
                p = 1.0 if strong_card(hand, public) == card else 0.0
                out[relative, i] *= (1.0 - doubt) * p + doubt / popcount(legal)
        played[turn] ^= np.int64(1) << card
        record_play(public, card)
