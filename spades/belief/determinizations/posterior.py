"""Posterior determinization: deals in proportion to their likelihood given the bids and plays.

The belief network proposes deals; each is weighted by the likelihood of the hidden seats' bids and
plays (``spades.belief.likelihood``), divided by the probability with which the network draws it;
deals are then resampled by weight (sampling importance resampling). P(seat holds card) is thus
correct as far as the model of the players is; none of the papers has it. The network has read all
plays up to the decision, so particles kept from the previous decision would add nothing.

Where the network is surer than it should be, deals that it holds for all but impossible are the
likely ones: the few of them that are drawn have nearly all of the weight, and other draws have
others. More draws don't help, as the weights have no bound. Half of the deals are then drawn
uniformly, and all are weighed by the mixture's density, which bounds the weights (a *defensive
mixture*: Hesterberg 1995, Technometrics 37, 185-194).

The players are assumed to be simulated humans (their bidder, in closed form; the log-linear model
``devlin2016-nil``) unless another kind is given (``spades.belief.players``). Nobody plays exactly
like a model: the probability of each bid and card is (1 - doubt) P + doubt / choices, so that one
odd card doesn't rule out a hand.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinizations.determinization import Determinization, players_option
from spades.belief.determinize import Deals, UniformDeals, deal_count
from spades.belief.likelihood import (
    PlayerModel,
    distinct_hands,
    log_products,
    past_actions,
    weigh_bids,
    weigh_plays,
)
from spades.belief.network import PLAYER_KINDS
from spades.belief.owners import NetworkDeals
from spades.belief.players import AuctionArrays, bis_bids, habits_of, weigh_rule_plays
from spades.bidding.auction import bidder_options
from spades.bidding.curves import bid_context
from spades.core.kernel import FloatArray, IntArray, below, kernel, random_words, unit
from spades.core.observation import Observation
from spades.human.simulated import load_simulated_human
from spades.rule_based.sight import opened

PROPOSAL_SHARE = 0.2
"""Weight of the network's proposal in the mixture that is sampled: with so few particles the
weights alone are overconfident. Tuned as ``trust`` was (``spades.belief.players``)."""
LEAST_EFFECTIVE = 0.04
"""Share of the particles that are to be effective where their number is asked for."""
MORE = 4  # times as many deals are weighed where half of them are uniform


class PosteriorDeals:
    """The posterior determinizer of one observation.

    ``particles``: number of deals weighed, that of ``Habits`` unless given; ``players``: of
    ``PLAYER_KINDS``, the kind assumed at the table. Where fewer than ``least_effective`` of the
    network's deals would be effective, ``MORE`` times as many are weighed, half of them uniform.
    After the first sample: ``effective_``, the effective sample size (sum w)^2 / sum w^2, and
    ``weighed_``, the deals (n, 4) and their weights."""

    effective_: float
    weighed_: tuple[Deals, FloatArray]

    def __init__(
        self,
        observation: Observation,
        *,
        particles: int | None = None,
        players: str = PLAYER_KINDS[0],
        least_effective: float = 0.0,
    ) -> None:
        self.least_effective = least_effective
        self.habits = habits_of(players)
        self.proposals = NetworkDeals(observation, players=self.habits.network_kind)
        self.observation = observation
        self.particles = particles or self.habits.particles
        self._past = past_actions(observation, self.proposals.seen)
        self._particles: Deals | None = None

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4), drawn with replacement from the particles."""
        if self._particles is None:
            self._particles, state = self._resampled(np.uint64(state))
        words, state = random_words(n, state)
        return self._particles[below.py_func(words, len(self._particles))], state

    def _resampled(self, state: np.uint64) -> tuple[Deals, np.uint64]:
        """The particles: drawn from the proposal, weighted, resampled."""
        n = self.particles
        deals, state = self.proposals.sample(n, state)
        log_network = self.proposals.log_probabilities(deals)
        weights = self._weights(deals, log_network, log_network)
        if _effective(weights) < self.least_effective:
            n *= MORE
            deals, state = self._half_uniform(n, state)
            log_network = self.proposals.log_probabilities(deals) - self.proposals.log_total()
            log_uniform = -math.log(deal_count(self.observation))
            log_proposed = np.logaddexp(log_network, log_uniform) - math.log(2.0)
            weights = self._weights(deals, log_network, log_proposed)
        self.effective_ = _effective(weights)
        self.weighed_ = deals, weights
        words, state = random_words(1, state)
        chosen = systematic(weights, n, unit.py_func(words)[0])
        return deals[chosen], np.uint64(state)

    def _half_uniform(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        by_network, state = self.proposals.sample(n // 2, state)
        uniform, state = UniformDeals(self.observation).sample(n - n // 2, state)
        return np.concatenate([by_network, uniform]), state

    def _weights(
        self, deals: Deals, log_network: FloatArray, log_proposed: FloatArray
    ) -> FloatArray:
        """The weight of each deal, (n,); log probabilities, nats: by the network, and with which it
        was proposed."""
        trust = self.habits.trust
        log_believed = trust * self._log_likelihoods(deals) + (1.0 - trust) * log_network
        log_weights = log_believed - log_proposed
        weights = np.exp(log_weights - log_weights.max())
        of_network = np.exp(log_network - log_proposed)
        return (1.0 - PROPOSAL_SHARE) * weights + PROPOSAL_SHARE * of_network * weights.mean()

    def _log_likelihoods(self, deals: Deals) -> FloatArray:
        """Log likelihood of each deal, nats, (n,)."""
        habits = self.habits
        observation = self.observation
        model = PlayerModel(
            weights=habits.weights,
            bidder=load_simulated_human().bidder,
            human_bids=habits.human_bids,
            bid_given_bis=habits.bid_given_bis,
            rules=observation.rules.numbers,
            doubt=habits.doubt,
        )
        hands = distinct_hands(deals, self._past.seats)
        likelihoods = np.ones(hands.held.shape)
        played = np.array(observation.table.played, dtype=np.int64)
        bis = np.zeros(likelihoods.shape, dtype=np.int8)
        if habits.human_bids < 1.0:
            auctions = AuctionArrays(
                before=self._past.auction,
                seats=self._past.seats,
                score=np.array(observation.score_before or (0, 0)),
                bags=np.array(observation.bags_before or (0, 0)),
                options=bidder_options(),
            )
            bis_bids(hands, played, auctions, bid_context(observation.rules), bis)
        weigh_bids(hands, self._past, model, bis, likelihoods)
        if habits.weights.size:
            weigh_plays(hands, self._past, model, likelihoods)
        else:
            plays = np.array(observation.table.plays, dtype=np.int64)
            observer = observation.seat, habits.doubt
            weigh_rule_plays(hands, plays, played, opened(observation), observer, likelihoods)
        return log_products(hands.which, likelihoods)


@dataclass(frozen=True)
class PosteriorDeterminization(Determinization):
    """Deals in proportion to their likelihood; ``players``: how the others are taken to bid and
    play.

    Where more deals are wanted than a search needs, so many are weighed: the same deals don't come
    again."""

    name: ClassVar[str] = "posterior"
    meaning: ClassVar[str] = "by how likely a simulated human would have bid and played so"
    place: ClassVar[int] = 3
    depends_on_n: ClassVar[bool] = True

    players: str = players_option()

    def deals(self, observation: Observation, n: int | None = None) -> PosteriorDeals:
        least = LEAST_EFFECTIVE * n if n else 0.0
        return PosteriorDeals(observation, particles=n, players=self.players, least_effective=least)

    def independent_deals(self, observation: Observation, n: int, state: np.uint64) -> int:
        """At most the effective sample size."""
        posterior = self.deals(observation)
        posterior.sample(1, state)
        return min(n, round(posterior.effective_))


def _effective(weights: FloatArray) -> float:
    """The effective sample size."""
    return float(weights.sum() ** 2 / np.square(weights).sum())


@kernel
def systematic(weights: NDArray, n: int, start: float) -> IntArray:
    """Indices of ``n`` draws in proportion to ``weights``, by systematic resampling: evenly spaced
    from ``start`` (0 to 1) on."""
    chosen = np.empty(n, np.int64)
    step = weights.sum() / n
    index = 0
    cumulative = weights[0]
    for i in range(n):
        while cumulative <= (i + start) * step and index < len(weights) - 1:
            index += 1
            cumulative += weights[index]
        chosen[i] = index
    return chosen
