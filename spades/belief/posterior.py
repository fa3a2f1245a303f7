"""Posterior determinization: deals as likely as the bids and plays so far make them.

Deals are proposed by the belief network, weighted by the likelihood of what the hidden seats bid
and played over the chance that the network draws them, and resampled (importance sampling).
P(card, seat) is thereby probabilistically sound as far as the human model is; none of the papers
has it (spec 2, "Determinization"). The network has read everything up to a decision, so particles
kept from the decision before would add nothing to those that it proposes.

Everybody is taken for the simulated human (its bidder, in closed form; the log-linear model
``devlin2016-nil``) unless the posterior is told who plays (``spades.belief.players``). Nobody plays
quite like a model: the probability of each bid and card (``spades.belief.likelihood``) is
(1 - doubt) P + doubt / choices, so that one odd card rules no hand out.
"""

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import Deals
from spades.belief.likelihood import (
    Model,
    distinct_hands,
    log_products,
    past_of,
    weigh_bids,
    weigh_plays,
)
from spades.belief.network import KINDS
from spades.belief.owners import NetworkDeals
from spades.belief.players import bis_bids, habits_of, weigh_rule_plays
from spades.bidding.auction import bidder_options
from spades.bidding.curves import bid_context
from spades.core.kernel import below, kernel, random_words, unit
from spades.core.observation import Observation
from spades.human.simulated import load_simulated_human
from spades.rule_based.sight import opened

AS_PROPOSED = 0.2
"""Share of the deals that are as the network proposes them: the weights of so few particles say too
much. Chosen as ``trust`` was (``spades.belief.players``)."""


class PosteriorDeals:
    """The posterior determinizer of one observation.

    ``particles``: how many deals are weighed, those of ``Habits`` unless given; ``players``: of
    ``KINDS``, as which everybody is taken to bid and play. After the first sample: ``effective_``,
    as how many deals of the same weight they count, (sum w)^2 / sum w^2, and ``weighed_``, the
    deals (n, 4) and their weights."""

    effective_: float
    weighed_: tuple[Deals, NDArray[np.float64]]

    def __init__(
        self, observation: Observation, *, particles: int | None = None, players: str = KINDS[0]
    ) -> None:
        self.habits = habits_of(players)
        self.proposals = NetworkDeals(observation, players=self.habits.told)
        self.observation = observation
        self.particles = particles or self.habits.particles
        self._past = past_of(observation, self.proposals.seen)
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
        total = self._log_likelihoods(deals) - self.proposals.log_chances(deals)
        weights = np.exp(self.habits.trust * (total - total.max()))
        weights = (1.0 - AS_PROPOSED) * weights + AS_PROPOSED * weights.mean()
        self.effective_ = float(weights.sum() ** 2 / np.square(weights).sum())
        self.weighed_ = deals, weights
        words, state = random_words(1, state)
        chosen = systematic(weights, self.particles, unit.py_func(words)[0])
        return deals[chosen], np.uint64(state)

    def _log_likelihoods(self, deals: Deals) -> NDArray[np.float64]:
        """Log likelihood of each deal, nats, (n,)."""
        habits, past, seen = self.habits, self._past, self.observation
        human, rules = load_simulated_human(), seen.rules.numbers
        hands = distinct_hands(deals, past.seats)
        found = np.ones(hands.held.shape)
        bis = np.zeros(found.shape, dtype=np.int8)
        played = np.array(seen.table.played, dtype=np.int64)
        if habits.human_bids < 1.0:
            standing = seen.score_before or (0, 0), seen.bags_before or (0, 0)
            auctions = past.auction, past.seats, np.array(standing), bidder_options()
            bis_bids(hands, played, auctions, bid_context(seen.rules), bis)
        bids = habits.human_bids, habits.answers
        model = Model(habits.weights, human.bidder, *bids, rules, habits.doubt)
        weigh_bids(hands, past, model, bis, found)
        if habits.weights.size:
            weigh_plays(hands, past, model, found)
        else:
            plays = np.array(seen.table.plays, dtype=np.int64)
            own = seen.seat, habits.doubt
            weigh_rule_plays(hands, plays, played, opened(seen), own, found)
        return log_products(hands.which, found)


@kernel
def systematic(weights: NDArray, n: int, start: float) -> NDArray[np.int64]:
    """Indices of ``n`` draws by weight, evenly spaced from ``start`` (0 to 1) on."""
    found, step = np.empty(n, np.int64), weights.sum() / n
    at, up_to = 0, weights[0]
    for i in range(n):
        while up_to <= (i + start) * step and at < len(weights) - 1:
            at += 1
            up_to += weights[at]
        found[i] = at
    return found
