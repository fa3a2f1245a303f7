"""How one player bids: the simulated human's bidder, fitted to the player's bids.

The three options of the bidder ``human`` are fitted, maximum a posteriori; the priors are normal
around the population's values. Their standard deviations are chosen by hand, for want of bids of
real players. Intervals are Laplace's. Blind bids and bids made with help are left out.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from analysis.decisions.conclusion import INTERVAL_SE
from analysis.intervals import ratio_interval, with_ends
from analysis.people.held_out import FOLDS, MAX_GAMES
from analysis.people.players import seats_of_player
from spades.agents import parse_bidder
from spades.agents.bidders import HumanBidder
from spades.belief.likelihood import bid_probability
from spades.core.cards import N_SEATS
from spades.core.kernel import BoolArray, FloatArray, IntArray, kernel
from spades.core.logs import Log
from spades.core.records import aided_plies
from spades.core.rules import MAX_BID, NO_BID, RuleNumbers
from spades.human.bidder import BidderParameters

LABELS = {"tricks": "Tricks more", "nil": "Ranks more for nil", "noise": "Times the scatter"}
PRIOR = np.array([0.5, 3.0, np.log(1.5)])  # standard deviations; of the noise's logarithm
DOUBT = 0.01  # probability that a bid isn't the bidder's, so that one odd bid doesn't decide
# In the priors' standard deviations.
STEP = 1e-3  # of the second differences
MAX_ESTIMATE = 6.0


class Bids(NamedTuple):
    """A player's bids under one set of rules. ``rows`` int64 (n, 7): hand, bid, seat, the bids
    before by seat; ``games`` (n,): numbers of the games."""

    rules: RuleNumbers
    rows: IntArray
    games: IntArray

    def of(self, chosen: BoolArray) -> "Bids":
        """Those of some games, by number."""
        kept = chosen[self.games]
        return Bids(self.rules, self.rows[kept], self.games[kept])


def bids_of_player(log: Log, player: str) -> list[Bids]:
    """A player's bids in the first ``MAX_GAMES`` games, by rules. Raises ``UnknownPlayerError``."""
    turns = (np.arange(N_SEATS) - log.dealer[:, None] - 1) % N_SEATS
    is_own = seats_of_player(log, player)
    rounds, seats = np.nonzero(is_own & (log.bids != NO_BID) & ~log.blind)
    is_unaided = _is_unaided(log, rounds, turns[rounds, seats])
    rounds = rounds[is_unaided]
    seats = seats[is_unaided]
    own_turns = turns[rounds, seats]
    is_before = turns[rounds] < own_turns[:, None]
    bids_before = np.where(is_before, log.bids[rounds], NO_BID)
    hands = log.hands[rounds, seats]
    own_bids = log.bids[rounds, seats]
    rows = np.column_stack([hands, own_bids, seats, bids_before])
    _, games = np.unique(log.game_code[rounds], return_inverse=True)
    rules_codes = log.rules_code[rounds]
    by_rules = []
    for code, rules in enumerate(log.rules):
        is_used = (games < MAX_GAMES) & (rules_codes == code)
        if is_used.any():
            by_rules.append(Bids(rules.numbers, rows[is_used], games[is_used]))
    return by_rules


def _is_unaided(log: Log, rounds: NDArray, turns: NDArray) -> BoolArray:
    """Whether the bid at each turn, 0 to 3, of each round was made without help."""
    aided = [aided_plies(source) for source in log.sources]
    sources = log.source_code[rounds].tolist()
    is_unaided = np.empty(len(rounds), dtype=bool)
    for i, (source, turn) in enumerate(zip(sources, turns.tolist(), strict=True)):
        is_unaided[i] = turn - N_SEATS not in aided[source]
    return is_unaided


@kernel
def bid_losses(rows: NDArray, rules: RuleNumbers, bidder: BidderParameters) -> FloatArray:
    """Nats of each bid."""
    nats = np.empty(len(rows))
    for i in range(len(rows)):
        hand = rows[i, 0]
        bid = rows[i, 1]
        seat = rows[i, 2]
        p = bid_probability(hand, bid, rows[i, 3:], seat, rules, bidder)
        nats[i] = -np.log((1 - DOUBT) * p + DOUBT / (MAX_BID + 1))
    return nats


def _bidder(point: FloatArray) -> HumanBidder:
    """The bidder at a point, in standard deviations of the priors; 0 is the population's."""
    tricks, nil, log_noise = (point * PRIOR).tolist()
    return HumanBidder(tricks=tricks, nil=nil, noise=math.exp(log_noise))


def losses(bids: Sequence[Bids], bidder: HumanBidder) -> FloatArray:
    """Nats of each bid, (n,)."""
    parts = [bid_losses(part.rows, part.rules, bidder.numbers) for part in bids]
    return np.concatenate(parts) if parts else np.empty(0)


def fit(bids: Sequence[Bids]) -> tuple[FloatArray, FloatArray]:
    """The maximum of the posterior (3,) and the covariance there (3, 3), in standard deviations of
    the priors."""

    def loss(point: FloatArray) -> float:
        nats = losses(bids, _bidder(point)).sum()
        return float(nats + 0.5 * point @ point)

    n = len(PRIOR)
    bounds = [(-MAX_ESTIMATE, MAX_ESTIMATE)] * n
    minimum = minimize(loss, np.zeros(n), method="L-BFGS-B", bounds=bounds)
    best = np.asarray(minimum.x, dtype=np.float64)
    information = np.empty((n, n))
    steps = STEP * np.eye(n)
    for i, b in enumerate(steps):
        for j, a in enumerate(steps):
            difference = loss(best + a + b) - loss(best + a - b)
            difference -= loss(best - a + b)
            difference += loss(best - a - b)
            information[i, j] = difference / (4 * STEP**2)
    return best, np.linalg.inv(information).astype(np.float64)


def fit_bids(log: Log, player: str) -> dict[str, Any] | None:
    """How a player bids; None for one without a bid of known rules.

    ``agent``: the bidder as text; ``estimates``: a row for each option, ``value`` with ``_low`` and
    ``_high``; ``gain``: by how many nats a bid it predicts games that it wasn't fitted to better
    than the population does, with an interval in which a game counts once, None for one game;
    ``bids`` and ``games`` are how many."""
    bids = bids_of_player(log, player)
    if not bids:
        return None
    best, covariance = fit(bids)
    bidder = _bidder(best)
    width = INTERVAL_SE * np.sqrt(np.diag(covariance))
    low = _bidder(best - width)
    high = _bidder(best + width)
    estimates = []
    for name, label in LABELS.items():
        value = getattr(bidder, name)
        interval = (getattr(low, name), getattr(high, name))
        estimates.append({"what": label, **with_ends("value", value, interval)})
    options = ",".join(f"{name}={getattr(bidder, name):.2f}" for name in LABELS)
    games = np.concatenate([part.games for part in bids])
    bids_by_game = np.bincount(games)
    gain = None
    gain_within = None
    if len(bids_by_game) > 1:
        gains = _held_out_gains(bids, games)
        gain = float(gains.mean())
        gain_within = ratio_interval(np.bincount(games, gains), bids_by_game)
    return {
        "agent": parse_bidder(f"human:{options}").text,
        "estimates": estimates,
        "gain": gain,
        "gain_within": gain_within,
        "bids": len(games),
        "games": len(bids_by_game),
    }


def _held_out_gains(bids: Sequence[Bids], games: IntArray) -> FloatArray:
    """Nats by which each bid is predicted better by a fit to the other folds than by the
    population, (n,)."""
    fold_of_game = np.arange(games.max() + 1) % FOLDS
    gains = np.zeros(len(games))
    for fold in range(FOLDS):
        is_tested = fold_of_game == fold
        others = [part.of(~is_tested) for part in bids]
        tested = [part.of(is_tested) for part in bids]
        fitted, _ = fit(others)
        own_losses = losses(tested, _bidder(fitted))
        gains[is_tested[games]] = losses(tested, HumanBidder()) - own_losses
    return gains
