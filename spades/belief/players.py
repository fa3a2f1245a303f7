"""How the posterior takes each kind of player to bid and play: what it weighs deals by.

Simulated humans: their own bidder and card model. ISMCTS: a log-linear model fitted to its plays
(``experiments/fit_search_plays.py``), bids of the simulated human or of BIS. Strong rules: the very
card that they play, bids of BIS, exact or made noisy.

A model that isn't the players' own says too much, as its errors add up over a seat's plays.
``trust`` is the exponent of the weights, so that deals are drawn from a geometric mean of what the
belief network and the model say. It was chosen on simulated rounds, none of which
``experiments/score_beliefs.py`` scores.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief.likelihood import N_BIDS, Hands
from spades.belief.network import KINDS
from spades.bidding.auction import Auction, BidContext
from spades.bidding.bis import bis_bid
from spades.core.cards import N_SEATS
from spades.core.kernel import kernel, normal_below, popcount
from spades.core.paths import DATA
from spades.core.rules import MAX_BID, NIL_BID
from spades.core.step import legal_cards
from spades.human.loglinear import LogLinearModel
from spades.human.simulated import load_simulated_human
from spades.rule_based import Public, strong_card
from spades.rule_based.sight import progress_in, record_play, turn_of

FILE = DATA / "beliefs" / "search-plays.safetensors"
_, HUMAN, SEARCH, RULES = KINDS
NIL_RATE = 0.1  # of BIS made noisy, whose noise is one trick
DOUBT = 0.05


class Habits(NamedTuple):
    """How a kind of player acts. ``told``: what the network is told of it. ``weights``: of the
    log-linear model of its plays, (0,) where they are those of the strong rules. ``human_bids``:
    share of seats that bid as the simulated human; ``answers`` (14, 14): P(the bid made | what BIS
    bids) of the others. ``trust``: see above. ``particles``: how many deals are weighed, of each
    kind as many as take about as long. ``doubt``: how often a seat acts at random."""

    told: str
    weights: NDArray[np.float64]
    human_bids: float
    answers: NDArray[np.float64]
    trust: float
    particles: int
    doubt: float = DOUBT


@lru_cache
def habits_of(players: str) -> Habits:
    """Of a kind of ``KINDS``; those of whom nothing is known are taken for simulated humans."""
    exact = np.eye(N_BIDS)
    if players == SEARCH:
        weights = LogLinearModel.load(FILE).weights_
        return Habits(SEARCH, weights, 0.5, exact, 0.5, 800)
    if players == RULES:
        answers = 0.5 * exact + 0.5 * noisy_answers()
        return Habits(RULES, np.zeros(0), 0.0, answers, 0.7, 600)
    return Habits(HUMAN, np.array(load_simulated_human().weights), 1.0, exact, 1.0, 1600)


def noisy_answers() -> NDArray[np.float64]:
    """P(the bid made | what BIS bids), (14, 14), of BIS made noisy; a nil stays."""
    bids = range(N_BIDS)
    up_to = np.array([[normal_below.py_func(bid + 0.5 - own) for bid in bids] for own in bids])
    up_to[:, NIL_BID], up_to[:, MAX_BID] = 0.0, 1.0
    found = (1.0 - NIL_RATE) * np.diff(up_to, axis=1, prepend=0.0)
    found[:, NIL_BID] = NIL_RATE
    found[NIL_BID] = np.eye(N_BIDS)[NIL_BID]
    return found


@kernel
def bis_bids(
    hands: Hands, played: NDArray, auctions: tuple, context: BidContext, out: NDArray
) -> None:
    """What BIS bids with ``hands`` and the cards ``played`` (4,), by absolute seat, into ``out``
    int8 (4, n), as ``hands`` are. ``auctions``: the bids before each relative seat's own, int8
    (4, 4), the seats, int64 (4,), score and bags before the round, int64 (2, 2), and the options
    of BIS."""
    bids, seats, standing, options = auctions
    score, bags = standing[0], standing[1]
    for relative in range(1, N_SEATS):
        seat = seats[relative]
        us, them = seat & 1, ~seat & 1
        auction = Auction(seat, bids[relative], score[us], score[them], bags[us], bags[them])
        for i in range(hands.counts[relative]):
            dealt = hands.held[relative, i] | played[seat]
            out[relative, i] = bis_bid(dealt, auction, options, context, np.uint64(0))[0]


@kernel
def weigh_rule_plays(
    hands: Hands, plays: NDArray, played: NDArray, public: Public, own: tuple, out: NDArray
) -> None:
    """Multiply ``out`` (4, n) by the probability of the hidden seats' plays, with each of their
    hands, if they are those of the strong rules. ``played`` (4,): the cards that each seat played,
    used up as ``public``, the record before the first card, is; ``own``: the own seat and the
    doubt."""
    seat, doubt = own
    for card in plays:
        turn, at = turn_of(public), progress_in(public)
        relative = (turn - seat) & 3
        for i in range(hands.counts[relative]):
            held = hands.held[relative, i] | played[turn]
            legal = legal_cards(held, at)
            if legal & (legal - 1):
                p = 1.0 if strong_card(held, public) == card else 0.0
                out[relative, i] *= (1.0 - doubt) * p + doubt / popcount(legal)
        played[turn] ^= np.int64(1) << card
        record_play(public, card)
