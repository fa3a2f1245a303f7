"""A simulated human who weighs habit with what cards are worth."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from spades.agents.bidders import Bidder, HumanBidder
from spades.agents.component import Probes
from spades.agents.player import Player
from spades.agents.players.distilled import LEARNT_AT, load_distilled
from spades.core.cards import HAND_SIZE, cards_in
from spades.core.kernel import FloatArray, Int, IntArray, kernel, lowest, seed_state
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.records import SIMULATED_HUMAN
from spades.human.features.card_features import legal_strengths, softmax
from spades.human.features.view import DECK, HAND, LEGAL, PLAYED, TABLE, View, decision_at, view_of
from spades.human.model import Prior, own_copy
from spades.human.networks.forward import network_logits
from spades.human.simulated import load_simulated_human
from spades.search.techniques.pikl import draw_card

MAX_HABIT = 10.0
LEAST_LAMBDA = 0.1
MAX_LAMBDA = 1e6
LEAST_SHARE = 1e-30
"""Of what the network gives all cards; a class with less counts as one with as much."""


@dataclass(frozen=True)
class ThoughtfulPlayer(Player):
    """A simulated human who weighs habit with what cards are worth; no human plays.

    piKL without a search: a class of equivalent cards is played with probability proportional to
    P^habit exp(Q / lambda), P of ``devlin2016-nil``, the plain simulated human's model, and Q the
    value that ``distilled`` gives the class. Fitted to what the papers print of people."""

    name: ClassVar[str] = "thoughtful"
    words: ClassVar[str] = "Thoughtful simulated human"
    place: ClassVar[int] = 13
    kind: ClassVar[str] = SIMULATED_HUMAN
    probes: ClassVar[Probes] = {"": ("", "habit=0,lambda=20,lowest=0", "habit=2,lambda=1e5")}

    habit: float = option(
        1.6, least=0, most=MAX_HABIT, help="Exponent of the plain simulated human's probabilities."
    )
    lambda_: float = option(
        1.5,
        least=LEAST_LAMBDA,
        most=MAX_LAMBDA,
        label="λ",
        unit="points",
        help="So many points make a factor of e in the probabilities.",
    )
    lowest: float = option(
        0.6,
        least=0,
        most=1,
        help="How often it plays the lowest of equivalent cards, instead of any of them.",
    )

    @property
    def own_bidder(self) -> Bidder:
        """The plain simulated human's, with nils less sure and bids a little higher, fitted to how
        often people's nils are made and to the sum of four bids."""
        return HumanBidder(tricks=0.1, nil=-1.3, nil_noise=5.0)

    @cached_property
    def weights(self) -> FloatArray:
        return load_simulated_human().weights

    def choose(self, observation: Observation, seed: int) -> int:
        legal = list(cards_in(observation.legal_mask))
        return legal[draw_card(self.probabilities(observation), seed_state(seed))]

    def probabilities(self, observation: Observation) -> FloatArray:
        """How likely it plays each legal card, lowest code first."""
        p = np.zeros(HAND_SIZE)
        classes = np.zeros(HAND_SIZE, np.int64)
        n = fill_probabilities(view_of(observation), self.weighing, classes, p)
        return p[:n]

    @property
    def weighing(self) -> "Weighing":
        """What kernels weigh cards with, of which no two threads may share the memory."""
        return Weighing(
            network=own_copy(load_distilled()),
            weights=self.weights,
            habit=self.habit,
            per_logit=LEARNT_AT / self.lambda_,
            lowest=self.lowest,
            logits=np.zeros(HAND_SIZE),
        )


class Weighing(NamedTuple):
    """What the kernel weighs cards with. ``weights``: of the habit, nats; ``per_logit``: what a
    logit of ``network`` adds to the logarithm of a probability; ``logits`` float64 (13,) are
    overwritten; the others are options."""

    network: Prior
    weights: FloatArray
    habit: float
    per_logit: float
    lowest: float
    logits: FloatArray


@kernel
def fill_probabilities(view: View, weighing: Weighing, classes: IntArray, p: FloatArray) -> Int:
    """Write the probability of each legal card, lowest code first, into ``p`` float64 (13,);
    returns their number. ``classes`` int64 (13,) is overwritten."""
    _, _, plan, numbers, scratch, ids = weighing.network
    logits = weighing.logits
    n = legal_strengths(decision_at(view), weighing.weights, p)
    network_logits(plan, numbers, scratch, ids, view, logits)
    mark_classes(view, classes)
    pool(logits, classes, n)
    for i in range(n):
        p[i] = weighing.habit * p[i] + weighing.per_logit * logits[i]
    softmax(p, n)
    play_lowest(p, classes, n, weighing.lowest)
    return n


@kernel
def mark_classes(view: View, classes: IntArray) -> None:
    """Write the place of the lowest equivalent card (``spades.core.equivalence``) of each legal
    one."""
    on_table = view[TABLE] | view[TABLE + 1] | view[TABLE + 2]
    apart = view[DECK] & ~(view[PLAYED] & ~on_table) & ~view[HAND]
    previous = np.int64(-1)
    remaining = view[LEGAL]
    first = 0
    i = 0
    while remaining:
        card = lowest(remaining)
        between = ((np.int64(1) << card) - 1) & ~((np.int64(2) << previous) - 1)
        if previous < 0 or previous >> 4 != card >> 4 or between & apart:
            first = i
        classes[i] = first
        previous = card
        remaining &= remaining - 1
        i += 1


@kernel
def pool(logits: FloatArray, classes: IntArray, n: Int) -> None:
    """Give each card the logarithm of what its class has in all: the network was taught to give all
    to one card of a class."""
    top = logits[:n].max()
    total = 0.0
    start = 0
    for i in range(n):
        total += np.exp(logits[i] - top)
        if i + 1 == n or classes[i + 1] != classes[i]:
            logits[start : i + 1] = np.log(max(total, LEAST_SHARE))
            total = 0.0
            start = i + 1


@kernel
def play_lowest(p: FloatArray, classes: IntArray, n: Int, share: float) -> None:
    """Move a share of each card's probability to the lowest of its class."""
    for i in range(n):
        moved = share * p[i]
        p[i] -= moved
        p[classes[i]] += moved
