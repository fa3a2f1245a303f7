"""How hidden cards are drawn, as agents' texts and settings say it; and biased determinization.

Biased (Whitehouse 2013): first the jacks and higher and the spades are dealt, in random order, to
seats by what their bids still lack, each card counted with the tricks that it is worth in a bid;
then the rest from the highest down, each by the probabilities of the inference table. Hand sizes
and shown voids are always respected: before every card it is counted whether the cards left still
fit. The flaw that the paper found is kept: where bidders' hands are full of high cards, the low
ones flood the hand of a nil bidder (87% where 33% is right).
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import ALL_OWNERS, Deals, Determinizer, UniformDeals
from spades.belief.inference import RULE_NAMES, RULES, USUAL_BID, height, inference_table
from spades.belief.network import KINDS
from spades.belief.owners import NetworkDeals
from spades.belief.posterior import PosteriorDeals
from spades.core.cards import N_SEATS, SPADES_MASK, cards_in
from spades.core.errors import SpadesError
from spades.core.kernel import below, kernel, mixed, next_state, random_words, unit
from spades.core.observation import Observation
from spades.core.options import check_options, option
from spades.core.rules import NO_BID

METHODS = "uniform", "biased", "mixed", "posterior", "network"
UNIFORM, BIASED, MIXED, POSTERIOR, NETWORK = METHODS
TELLABLE = NETWORK, POSTERIOR
"""Methods that may be told who plays."""
RULE_KEYS = {rule.key: rule.name for rule in RULES}
SEPARATOR = "/"
_NIL_NEED, _LEAST_NEED = 0.02, 0.15
_SPADE_VALUE = 0.35


class InvalidDealingError(SpadesError):
    """A way of drawing hidden cards that isn't there."""


@dataclass(frozen=True)
class Dealing:
    """A way of drawing hidden cards; called with an observation it gives the determinizer.

    ``without``: rules of the inference table that are switched off, keys of ``RULE_KEYS`` joined
    by ``/``. ``share``: how probable it is that a deal of ``mixed`` is biased. ``floor``: tricks
    that a seat's bid still lacks at least, as biased dealing weighs seats; no paper prints one.
    ``players``: what the belief network is told of who plays (``spades.belief.network``), and how
    the posterior takes them to bid and play (``spades.belief.players``)."""

    determinization: str = option(UNIFORM, choices=METHODS)
    without: str = option("", needs=("determinization", (BIASED, MIXED)))
    share: float = option(0.5, least=0, most=1, needs=("determinization", (MIXED,)))
    floor: float = option(0.02, least=0.001, most=1, needs=("determinization", (BIASED, MIXED)))
    players: str = option(KINDS[0], choices=KINDS, needs=("determinization", TELLABLE))

    def __post_init__(self) -> None:
        check_options(self, InvalidDealingError)
        for key in self.switched_off:
            if key not in RULE_KEYS:
                raise InvalidDealingError(
                    f"no rule {key!r} to be without; {', '.join(RULE_KEYS)} are there, "
                    f"several joined by {SEPARATOR}"
                )

    @property
    def switched_off(self) -> list[str]:
        """Keys of the rules that aren't applied."""
        return self.without.split(SEPARATOR) if self.without else []

    @property
    def has_rules(self) -> bool:
        """Whether deals are drawn by the inference table."""
        return self.determinization in (BIASED, MIXED)

    def __call__(self, observation: Observation) -> Determinizer:
        if self.has_rules:
            rules = [name for key, name in RULE_KEYS.items() if key not in self.switched_off]
            biased = BiasedDeals(observation, rules=rules, floor=self.floor)
            if self.determinization == BIASED:
                return biased
            return MixedDeals(biased, UniformDeals(observation), self.share)
        if self.determinization == NETWORK:
            return NetworkDeals(observation, players=self.players)
        if self.determinization == POSTERIOR:
            return PosteriorDeals(observation, players=self.players)
        return UniformDeals(observation)

    def text(self, noun: str = "") -> str:
        """In a few words, ``noun`` after the method: ``mixed deals (share 0.3, without nil)``."""
        details = [f"share {self.share:g}"] if self.share != Dealing.share else []
        details += [f"floor {self.floor:g}"] if self.floor != Dealing.floor else []
        details += [f"without {' and '.join(self.switched_off)}"] if self.without else []
        details += [f"players {self.players}"] if self.players != KINDS[0] else []
        method = f"{self.determinization} {noun}".strip()
        return f"{method} ({', '.join(details)})" if details else method


class BiasedDeals:
    """The biased determinizer of one observation; ``rules`` of the inference table to use and
    ``floor`` as in ``Dealing``."""

    def __init__(
        self,
        observation: Observation,
        *,
        rules: Collection[str] = RULE_NAMES,
        floor: float = Dealing.floor,
    ) -> None:
        self.floor = float(floor)
        uniform = UniformDeals(observation)
        self.seat, self.own_hand = uniform.seat, uniform.own_hand
        hidden = [(self.seat + i) % N_SEATS for i in (1, 2, 3)]
        table = inference_table(observation, rules=rules)
        deck = observation.rules.cards.mask
        order, owners = _dealing_order(observation, uniform)
        self._cards = np.array(order, dtype=np.int64).reshape(-1)
        self._owners = np.array([owners[card] for card in order], dtype=np.int64)
        self._first = sum(is_dealt_by_bids(card, deck) for card in order)
        self._values = np.array([_value(card, deck) for card in order])
        self._table = np.array([table[hidden, card] for card in order]).reshape(-1, 3)
        self._sizes = np.array(uniform.sizes)
        self._needs = np.array([_need(observation, seat) for seat in hidden])

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them."""
        deals = np.zeros((n, N_SEATS), dtype=np.int64)
        deals[:, self.seat] = self.own_hand
        cards = (self._cards, self._owners, self._values, self._table)
        hands = (self._sizes, self._needs, self.floor)
        state = deal_biased(cards, self._first, hands, self.seat, np.uint64(state), deals)
        return deals, np.uint64(state)


@dataclass(frozen=True)
class MixedDeals:
    """Each deal biased with probability ``share``, otherwise uniform."""

    biased: BiasedDeals
    uniform: UniformDeals
    share: float

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them; which kind is drawn deal by deal."""
        words, state = random_words(n, state)
        is_biased = unit.py_func(words) < self.share
        deals = np.empty((n, N_SEATS), dtype=np.int64)
        deals[is_biased], state = self.biased.sample(int(is_biased.sum()), state)
        deals[~is_biased], state = self.uniform.sample(int((~is_biased).sum()), state)
        return deals, state


def is_dealt_by_bids(card: int, deck: int) -> bool:
    """Whether a card is dealt by the bids: a spade, or a jack or higher."""
    return bool(1 << card & SPADES_MASK) or height(card, deck) >= 0.3


def _value(card: int, deck: int) -> float:
    """Tricks that a card counts for in a bid."""
    return max(height(card, deck) * 0.9, _SPADE_VALUE * bool(1 << card & SPADES_MASK))


def _need(observation: Observation, seat: int) -> float:
    """Tricks that a seat's bid still lacks; the usual bid where it is unknown."""
    table = observation.table
    if table.is_nil(seat):
        return USUAL_BID if table.blind[seat] else _NIL_NEED
    wanted = USUAL_BID if table.bids[seat] == NO_BID else table.bids[seat]
    return max(_LEAST_NEED, wanted - table.tricks_taken[seat])


def _dealing_order(
    observation: Observation, uniform: UniformDeals
) -> tuple[list[int], dict[int, int]]:
    """Unseen cards in the order dealt (those by the bids first), and each one's owner set."""
    deck = observation.rules.cards.mask
    owners = {
        card: owner for owner, cards in enumerate(uniform.groups) for card in cards_in(int(cards))
    }
    by_rank = sorted(owners, key=lambda card: (-(card & 15), card))
    return sorted(by_rank, key=lambda card: not is_dealt_by_bids(card, deck)), owners


@kernel
def deal_biased(
    cards: tuple, n_first: int, hands: tuple, seat: int, state: np.uint64, deals: NDArray
) -> np.uint64:
    """Fill ``deals``; ``cards``: codes, owner sets, values and table (n, 3) in dealing order."""
    codes, owners, values, table = cards
    sizes, needs, floor = hands
    n_cards = len(codes)
    order = np.arange(n_cards)
    room, lacks, weights = np.empty(3, np.int64), np.empty(3), np.empty(3)
    left = np.empty(ALL_OWNERS + 1, np.int64)
    for i in range(len(deals)):
        for j in range(n_first - 1, 0, -1):  # those dealt by the bids come in random order
            state = next_state(state)
            k = below(mixed(state), j + 1)
            order[j], order[k] = order[k], order[j]
        left[:] = 0
        for j in range(n_cards):
            left[owners[j]] += 1
        for other in range(3):
            room[other], lacks[other] = sizes[other], needs[other]
        for j in range(n_cards):
            at = order[j]
            left[owners[at]] -= 1
            for other in range(3):
                fits = owners[at] >> other & 1 and room[other] and still_fits(left, room, other)
                weight = max(lacks[other], floor) if j < n_first else max(table[at, other], 1e-9)
                weights[other] = weight if fits else 0.0
            state = next_state(state)
            other = pick_weighted(weights, unit(mixed(state)))
            room[other] -= 1
            lacks[other] -= values[at]
            deals[i, (seat + 1 + other) & 3] |= np.int64(1) << codes[at]
    return state


@kernel
def still_fits(left: NDArray, room: NDArray, other: int) -> bool:
    """Whether the cards left, by owner set, fit once ``other`` has taken one more card."""
    for some in range(1, ALL_OWNERS):
        space = 0
        for i in range(3):
            if some >> i & 1:
                space += room[i] - (i == other)
        bound = 0
        for owners in range(1, ALL_OWNERS + 1):
            if owners & ~some == 0:
                bound += left[owners]
        if bound > space:
            return False
    return True


@kernel
def pick_weighted(weights: NDArray, u: float) -> int:
    """An index by weight; ``u`` from 0 to 1."""
    at = u * (weights[0] + weights[1] + weights[2])
    if weights[0] > 0.0 and at < weights[0]:
        return 0
    if weights[1] > 0.0 and (at < weights[0] + weights[1] or weights[2] == 0.0):
        return 1
    return 2 if weights[2] > 0.0 else 0
