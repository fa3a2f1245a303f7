"""How hidden cards are drawn, as agents' texts and settings say it; and biased determinization.

Biased (Whitehouse 2013): first the jacks and higher and the spades are dealt, in random order, to
seats by what their bids still lack, each card counted with the tricks that it is worth in a bid;
then the rest from the highest down, each by the probabilities of the inference table. Hand sizes
and shown voids are always respected: before every card it is counted whether the cards left still
fit. The flaw that the paper found is kept: where bidders' hands are full of high cards, the low
ones flood the hand of a nil bidder (87% where 33% is right).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinize import ALL_OWNERS, Deals, Determinizer, UniformDeals
from spades.belief.inference import RULE_NAMES, RULES, USUAL_BID, height, inference_table
from spades.belief.network import KINDS
from spades.belief.owners import NetworkDeals
from spades.belief.posterior import PosteriorDeals
from spades.core.cards import N_SEATS, SPADES_MASK, cards_in
from spades.core.errors import SpadesError
from spades.core.kernel import below, lean_kernel, mixed, next_state, random_words, unit
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
_LANES = 4  # deals side by side; fewer take longer, more don't gain


def _packed(numbers: Iterable[int]) -> int:
    """Numbers of ``_SETS`` in one integer, a byte each."""
    return sum(int(number) << 8 * some for some, number in zip(_SETS, numbers, strict=True))


_SETS = range(1, ALL_OWNERS)  # one or two of the hidden seats, owner bits
_FREED = np.array([_packed(not can & ~some for some in _SETS) for can in range(ALL_OWNERS + 1)])
_TAKEN = np.array([_packed(some >> other & 1 for some in _SETS) for other in range(3)])
_BELOW_ZERO = _packed(0x80 for _ in _SETS)


class InvalidDealingError(SpadesError):
    """A way of drawing hidden cards that isn't there."""


@dataclass(frozen=True)
class Dealing:
    """A way of drawing hidden cards; called with an observation it gives the determinizer.

    ``without``: keys of ``RULE_KEYS``. ``floor``: no paper prints one. ``players``: what the belief
    network is told of who plays (``spades.belief.network``), and how the posterior takes them to
    bid and play (``spades.belief.players``)."""

    determinization: str = option(
        UNIFORM,
        choices=METHODS,
        label="Hidden cards",
        help="How the cards that the seat can't see are dealt. Uniform: every deal that agrees "
        "with what was seen is equally likely. Biased: by the bids, as Whitehouse et al. 2013. "
        "Mixed: a share of them biased. Posterior: by how likely a simulated human would have bid "
        "and played so. Network: by what a network learned of bids and plays.",
    )
    without: str = option(
        "",
        choices=tuple(RULE_KEYS),
        separator=SEPARATOR,
        needs=("determinization", (BIASED, MIXED)),
        label="Without these rules of inference",
        help="What bids and plays tell of the cards a seat holds; the table of rules under "
        "Sampled deals says what each reads.",
        labels=RULE_KEYS,
    )
    share: float = option(
        0.5,
        least=0,
        most=1,
        needs=("determinization", (MIXED,)),
        label="Share of biased deals",
        help="Share of deals that are biased; the others are uniform.",
        step=0.1,
    )
    floor: float = option(
        0.02,
        least=0.001,
        most=1,
        needs=("determinization", (BIASED, MIXED)),
        label="Floor of biased deals",
        unit="tricks",
        help="Tricks that a seat's bid still lacks at least, as biased dealing weighs seats.",
        step=0.01,
    )
    players: str = option(
        KINDS[0],
        choices=KINDS,
        needs=("determinization", TELLABLE),
        label="Players",
        help="Whom beliefs take for the players: simulated humans, ISMCTS, or strong rules; any "
        "says nothing, and the posterior then takes everybody for the simulated human.",
    )

    def __post_init__(self) -> None:
        check_options(self, InvalidDealingError)

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
        cards, are_first, values = _dealing_order(observation.rules.cards.mask)
        owners = sum(owner * (group >> cards & 1) for owner, group in enumerate(uniform.groups))
        unseen = np.flatnonzero(owners)
        self._cards, self._owners, self._values = cards[unseen], owners[unseen], values[unseen]
        self._first = int(are_first[unseen].sum())
        self._table = np.maximum(table[hidden][:, self._cards].T, 1e-9, order="C")
        self._spare = int(uniform.sizes @ _TAKEN - _FREED[self._owners].sum())
        self._needs = np.array([_need(observation, seat) for seat in hidden])

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them."""
        deals = np.zeros((n, N_SEATS), dtype=np.int64)
        deals[:, self.seat] = self.own_hand
        order = np.tile(np.arange(len(self._cards)), (_LANES, 1))
        cards = (self._cards, self._owners, self._values, self._table, order)
        by_lane = np.empty((_LANES, 3)), np.empty(_LANES, np.int64), np.empty(_LANES, np.uint64)
        hands = (self._spare, self._needs, self.floor, *by_lane)
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


@lru_cache(maxsize=8)
def _dealing_order(deck: int) -> list[NDArray]:
    """The cards of a deck in the order dealt, whether each is dealt by the bids, which come first,
    and its tricks in a bid."""
    by_rank = sorted(cards_in(deck), key=lambda card: (-(card & 15), card))
    order = sorted(by_rank, key=lambda card: not is_dealt_by_bids(card, deck))
    found = [(card, is_dealt_by_bids(card, deck), _value(card, deck)) for card in order]
    return list(map(np.array, zip(*found, strict=True)))


@lean_kernel
def deal_biased(
    cards: tuple, n_first: int, hands: tuple, seat: int, state: np.uint64, deals: NDArray
) -> np.uint64:
    """Fill ``deals``, ``_LANES`` side by side, so that none waits for another. ``cards``: codes,
    owner sets, values, table (n, 3) in dealing order, places (lanes, n). ``hands``: spare room,
    tricks that bids lack, the floor; by lane what they lack (lanes, 3), spare room, random state.
    Spare room: how many cards more each of ``_SETS`` may take than it must, packed; the cards left
    fit while none is below zero (Hall's theorem)."""
    codes, owners, values, table, order = cards
    all_spare, needs, floor, lacks, spare, states = hands
    for first in range(0, len(deals), _LANES):
        lanes = np.uintp(min(_LANES, len(deals) - first))
        for lane in range(lanes):
            for j in range(np.uintp(n_first)):
                order[lane, j] = order[lane - np.uintp(1) if lane else np.uintp(_LANES - 1), j]
            for j in range(n_first - 1, 0, -1):  # these come in random order
                state = next_state(state)
                k = np.uintp(below(mixed(state), j + 1))
                order[lane, np.uintp(j)], order[lane, k] = order[lane, k], order[lane, np.uintp(j)]
            states[lane], spare[lane] = state, all_spare
            lacks[lane, 0], lacks[lane, 1], lacks[lane, 2] = needs[0], needs[1], needs[2]
            for _ in range(len(codes)):
                state = next_state(state)
        for j in range(np.uintp(len(codes))):
            for lane in range(lanes):
                at = np.uintp(order[lane, j])
                if j < np.uintp(n_first):
                    a, b, c = lacks[lane, 0], lacks[lane, 1], lacks[lane, 2]
                    a, b, c = max(a, floor), max(b, floor), max(c, floor)
                else:
                    a, b, c = table[at, 0], table[at, 1], table[at, 2]
                spare[lane] += _FREED[np.uintp(owners[at])]
                a = a if may_take(0, owners[at], spare[lane]) else 0.0
                b = b if may_take(1, owners[at], spare[lane]) else 0.0
                c = c if may_take(2, owners[at], spare[lane]) else 0.0
                states[lane] = next_state(states[lane])
                drawn = unit(mixed(states[lane])) * (a + b + c)
                other = np.int64(drawn >= a) + np.int64(drawn >= a + b)  # no branch to mispredict
                spare[lane] -= _TAKEN[np.uintp(other)]
                lacks[lane, np.uintp(other)] -= values[at]
                hand = np.uintp((seat + 1 + other) & 3)
                deals[np.uintp(first) + lane, hand] |= np.int64(1) << codes[at]
    return state


@lean_kernel
def may_take(other: int, can: int, spare: int) -> bool:
    """Whether a hidden seat may take a card of an owner set; ``spare`` room without the card."""
    return can >> other & 1 != 0 and (spare - _TAKEN[np.uintp(other)]) & _BELOW_ZERO == 0
