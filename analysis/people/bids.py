"""How one player bids: the simulated human's bidder, moved by what the player's bids say.

Three numbers are fitted, the options of the bidder ``human``, maximum a posteriori around the
population's. The widths of their normal priors are chosen by hand: no bids of real players are at
hand. Intervals are Laplace's. Blind bids and bids made with help are left out.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from analysis.decisions.decision import INTERVAL_SE
from analysis.intervals import ratio_interval, with_ends
from analysis.people.held_out import FOLDS, MAX_GAMES
from analysis.people.players import seats_of_player
from spades.agents.spec import HumanBidder, parse_bidder
from spades.belief.likelihood import bid_probability
from spades.core.cards import N_SEATS
from spades.core.kernel import kernel
from spades.core.logs import Log
from spades.core.records import aided_plies
from spades.core.rules import MAX_BID, NO_BID, RuleNumbers
from spades.human.bidder import BidderParameters

LABELS = {"tricks": "Tricks more", "nil": "Ranks more for nil", "noise": "Times the scatter"}
PRIOR = np.array([0.5, 3.0, np.log(1.5)])  # standard deviations; of the noise's logarithm
DOUBT = 0.01  # of a bid that is none of the bidder's: one odd bid doesn't decide
STEP, MOST = 1e-3, 6.0  # of the second differences, and of an estimate, in the priors' widths


class Bids(NamedTuple):
    """A player's bids under one set of rules. ``rows`` int64 (n, 7): hand, bid, seat, the bids
    before by seat; ``games`` (n,): numbers of the games."""

    rules: RuleNumbers
    rows: NDArray[np.int64]
    games: NDArray[np.int64]

    def of(self, chosen: NDArray[np.bool_]) -> "Bids":
        """Those of some games, by number."""
        kept = chosen[self.games]
        return Bids(self.rules, self.rows[kept], self.games[kept])


def bids_of_player(log: Log, player: str) -> list[Bids]:
    """By rules, of the first games; ``UnknownPlayerError``."""
    turns = (np.arange(N_SEATS) - log.dealer[:, None] - 1) % N_SEATS
    rounds, seats = np.nonzero(seats_of_player(log, player) & (log.bids != NO_BID) & ~log.blind)
    helped = [aided_plies(source) for source in log.sources]
    pairs = zip(log.source_code[rounds].tolist(), turns[rounds, seats].tolist(), strict=True)
    is_own = np.array([turn - N_SEATS not in helped[code] for code, turn in pairs], dtype=bool)
    rounds, seats = rounds[is_own], seats[is_own]
    is_before = turns[rounds] < turns[rounds, seats][:, None]
    before = np.where(is_before, log.bids[rounds], NO_BID)
    columns = log.hands[rounds, seats], log.bids[rounds, seats], seats, before
    rows, games = np.column_stack(columns), np.unique(log.game_code[rounds], return_inverse=True)[1]
    codes = np.where(games < MAX_GAMES, log.rules_code[rounds], -1)
    return [
        Bids(rules.numbers, rows[codes == code], games[codes == code])
        for code, rules in enumerate(log.rules)
        if (codes == code).any()
    ]


@kernel
def bid_losses(rows: NDArray, rules: RuleNumbers, bidder: BidderParameters) -> NDArray[np.float64]:
    """Nats of each bid."""
    found = np.empty(len(rows))
    for i in range(len(rows)):
        hand, bid, seat = rows[i, 0], rows[i, 1], rows[i, 2]
        p = bid_probability(hand, bid, rows[i, 3:], seat, rules, bidder)
        found[i] = -np.log((1 - DOUBT) * p + DOUBT / (MAX_BID + 1))
    return found


def _bidder(at: NDArray[np.float64]) -> HumanBidder:
    """The bidder, the population's at 0, by steps of the priors' widths."""
    tricks, nil, noise = (at * PRIOR).tolist()
    return HumanBidder(tricks=tricks, nil=nil, noise=math.exp(noise))


def losses(bids: Sequence[Bids], bidder: HumanBidder) -> NDArray[np.float64]:
    """Nats of each bid, (n,)."""
    parts = [bid_losses(one.rows, one.rules, bidder.numbers) for one in bids]
    return np.concatenate(parts) if parts else np.empty(0)


def fit(bids: Sequence[Bids]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the posterior is highest and the covariance there, (3,) and (3, 3), in widths of the
    priors."""

    def loss(at: NDArray[np.float64]) -> float:
        return float(losses(bids, _bidder(at)).sum() + 0.5 * at @ at)

    n, steps = len(PRIOR), STEP * np.eye(len(PRIOR))
    found = minimize(loss, np.zeros(n), method="L-BFGS-B", bounds=[(-MOST, MOST)] * n)
    best = np.asarray(found.x, dtype=np.float64)
    information = [
        [
            loss(best + a + b) - loss(best + a - b) - loss(best - a + b) + loss(best - a - b)
            for a in steps
        ]
        for b in steps
    ]
    covariance = np.linalg.inv(np.array(information) / (4 * STEP**2)).astype(np.float64)
    return best, covariance


def fit_bids(log: Log, player: str) -> dict[str, Any] | None:
    """How a player bids; None for one without a bid of known rules. ``agent``: the bidder as text;
    ``estimates``: a row an option, ``value`` with ``_low`` and ``_high``; ``gain``: nats a bid by
    which it predicts games better that it wasn't fitted to than the population does, with an
    interval in which a game counts once, None of one game; ``bids`` and ``games`` are how many."""
    bids = bids_of_player(log, player)
    if not bids:
        return None
    best, covariance = fit(bids)
    width = INTERVAL_SE * np.sqrt(np.diag(covariance))
    ends = [_bidder(at) for at in (best, best - width, best + width)]
    games = np.concatenate([one.games for one in bids])
    gains, fold = np.zeros(len(games)), np.arange(games.max() + 1) % FOLDS
    for i in range(FOLDS if fold.max() else 0):
        own = _bidder(fit([one.of(fold != i) for one in bids])[0])
        tested = [one.of(fold == i) for one in bids]
        gains[fold[games] == i] = losses(tested, HumanBidder()) - losses(tested, own)
    n = np.bincount(games)
    rounded = ",".join(f"{name}={getattr(ends[0], name):.2f}" for name in LABELS)
    estimates = []
    for name, label in LABELS.items():
        value, *interval = (getattr(at, name) for at in ends)
        estimates.append({"what": label, **with_ends("value", value, tuple(interval))})
    return {
        "agent": parse_bidder(f"human:{rounded}")[0],
        "estimates": estimates,
        "gain": float(gains.mean()) if fold.max() else None,
        "gain_within": ratio_interval(np.bincount(games, gains), n),
        "bids": len(games),
        "games": len(n),
    }
