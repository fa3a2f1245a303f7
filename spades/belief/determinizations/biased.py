"""Biased determinization (Whitehouse 2013): deals by the bids and by rules of inference.

Cards are dealt in two passes. First the spades and all cards from
the jack up, in random order: a seat receives a card with probability proportional to the tricks
that its bid still lacks, and each card dealt to it reduces that number by the card's trick value.
Then the rest, from the highest down, each with the probabilities of the inference table. Hand
sizes and shown voids always hold: before every card the seats that would leave no legal deal for
the rest are excluded. The flaw that the paper reports is kept: once the bidders' hands are full of
high cards, the low ones flood the hand of a nil bidder (87% where 33% is right).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief.determinizations.determinization import Determinization
from spades.belief.determinize import ALL_OWNERS, Deals, UniformDeals, hidden_seats
from spades.belief.inference import MEAN_BID, RULE_NAMES, RULES, height, inference_table
from spades.core.cards import N_SEATS, SPADES_MASK, cards_in
from spades.core.kernel import (
    FloatArray,
    IntArray,
    below,
    lean_kernel,
    mixed,
    next_state,
    unit,
)
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.rules import NO_BID

RULE_KEYS = {rule.key: rule.name for rule in RULES}
SEPARATOR = "/"
FLOOR = 0.02
_NIL_NEED = 0.02
_MIN_NEED = 0.15
_SPADE_VALUE = 0.35
_LANES = 4  # deals drawn side by side: fewer are slower, more gain nothing
_GROUPS = range(1, ALL_OWNERS)  # every set of one or two hidden seats, as owner bits


def _pack(counts: Iterable[int]) -> int:
    """One small count for each of ``_GROUPS`` in one integer, a byte each."""
    packed = 0
    for group, count in zip(_GROUPS, counts, strict=True):
        packed |= int(count) << 8 * group
    return packed


def _groups_that_must_take(owners: int) -> int:
    """1 for each group that contains all seats which may hold a card of this owner set."""
    return _pack(owners & ~group == 0 for group in _GROUPS)


def _groups_of_seat(relative: int) -> int:
    """1 for each group that contains a hidden seat."""
    return _pack(group >> relative & 1 for group in _GROUPS)


_MUST_TAKE = np.array([_groups_that_must_take(owners) for owners in range(ALL_OWNERS + 1)])
_GROUPS_OF_SEAT = np.array([_groups_of_seat(relative) for relative in range(3)])
_SIGN_BITS = _pack(0x80 for _ in _GROUPS)


class CardsToDeal(NamedTuple):
    """The hidden cards in dealing order, for the kernel. ``codes``, ``owners`` (owner sets) and
    ``values`` (tricks in a bid), (n,); ``table`` (n, 3): P(hidden seat holds the card); the first
    ``n_by_bids`` are dealt by the bids."""

    codes: IntArray
    owners: IntArray
    values: FloatArray
    table: FloatArray
    n_by_bids: int


class SeatNeeds(NamedTuple):
    """The hidden seats before the first card is dealt, for the kernel.

    ``spare``: for each of ``_GROUPS``, how many cards its hands can take beyond those that only
    they may hold; packed, a byte each. The cards left can be dealt legally as long as none is
    negative (Hall's theorem). ``missing`` (3,): tricks that each seat's bid still lacks; ``floor``
    as in ``BiasedDeterminization``."""

    spare: int
    missing: FloatArray
    floor: float


class Lanes(NamedTuple):
    """Scratch memory for deals drawn side by side: ``order`` (lanes, n), the cards in the order
    dealt; ``missing`` (lanes, 3) and ``spare`` (lanes,) as in ``SeatNeeds``; ``states`` (lanes,),
    random states."""

    order: IntArray
    missing: FloatArray
    spare: IntArray
    states: NDArray[np.uint64]


class BiasedDeals:
    """The biased determinizer of one observation; ``rules`` of the inference table to apply and
    ``floor`` as in ``BiasedDeterminization``."""

    def __init__(
        self,
        observation: Observation,
        *,
        rules: Collection[str] = RULE_NAMES,
        floor: float = FLOOR,
    ) -> None:
        uniform = UniformDeals(observation)
        self.seat = uniform.seat
        self.own_hand = uniform.own_hand
        hidden = hidden_seats(self.seat)
        deck = _dealing_order(observation.rules.cards.mask)
        owners = np.zeros(len(deck.codes), dtype=np.int64)
        for owner_set, mask in enumerate(uniform.groups):
            owners += owner_set * (mask >> deck.codes & 1)
        unseen = np.flatnonzero(owners)
        codes = deck.codes[unseen]
        table = inference_table(observation, rules=rules)
        self._cards = CardsToDeal(
            codes=codes,
            owners=owners[unseen],
            values=deck.values[unseen],
            table=np.maximum(table[hidden][:, codes].T, 1e-9, order="C"),
            n_by_bids=int(deck.is_by_bids[unseen].sum()),
        )
        room = uniform.sizes @ _GROUPS_OF_SEAT
        self._needs = SeatNeeds(
            spare=int(room - _MUST_TAKE[self._cards.owners].sum()),
            missing=np.array([_missing_tricks(observation, seat) for seat in hidden]),
            floor=float(floor),
        )

    def sample(self, n: int, state: np.uint64) -> tuple[Deals, np.uint64]:
        """``n`` deals (n, 4) and the random state after them."""
        deals = np.zeros((n, N_SEATS), dtype=np.int64)
        deals[:, self.seat] = self.own_hand
        lanes = Lanes(
            order=np.tile(np.arange(len(self._cards.codes)), (_LANES, 1)),
            missing=np.empty((_LANES, 3)),
            spare=np.empty(_LANES, dtype=np.int64),
            states=np.empty(_LANES, dtype=np.uint64),
        )
        state = deal_biased(self._cards, self._needs, lanes, self.seat, np.uint64(state), deals)
        return deals, np.uint64(state)


@dataclass(frozen=True)
class BiasedDeterminization(Determinization):
    """Deals by the bids; ``without``: keys of ``RULE_KEYS``; ``floor``: no paper prints one."""

    name: ClassVar[str] = "biased"
    meaning: ClassVar[str] = "by the bids, as Whitehouse et al. 2013"
    place: ClassVar[int] = 1
    probes: ClassVar[tuple[str, ...]] = ("", "without=nil/ducked,floor=1")

    without: str = option(
        "",
        choices=tuple(RULE_KEYS),
        separator=SEPARATOR,
        label="Without these rules of inference",
        help="What bids and plays tell of the cards a seat holds; the table of rules under "
        "Sampled deals says what each reads.",
        labels=RULE_KEYS,
    )
    floor: float = option(
        FLOOR,
        least=0.001,
        most=1,
        label="Floor of biased deals",
        unit="tricks",
        help="Tricks that a seat's bid still lacks at least, as biased dealing weighs seats.",
        step=0.01,
    )

    def deals(self, observation: Observation, n: int | None = None) -> BiasedDeals:
        switched_off = self.without.split(SEPARATOR)
        rules = [name for key, name in RULE_KEYS.items() if key not in switched_off]
        return BiasedDeals(observation, rules=rules, floor=self.floor)


def is_dealt_by_bids(card: int, deck: int) -> bool:
    """Whether biased dealing gives a card out by the bids: a spade, or a jack or higher."""
    return _is_spade(card) or height(card, deck) >= 0.3


def _is_spade(card: int) -> bool:
    return bool(1 << card & SPADES_MASK)


def _trick_value(card: int, deck: int) -> float:
    """Tricks that a card counts for in a bid."""
    least = _SPADE_VALUE if _is_spade(card) else 0.0
    return max(height(card, deck) * 0.9, least)


def _missing_tricks(observation: Observation, seat: int) -> float:
    """Tricks that a seat's bid still lacks; an unknown bid counts as the usual one."""
    table = observation.table
    if table.is_nil(seat):
        return MEAN_BID if table.blind[seat] else _NIL_NEED
    bid = MEAN_BID if table.bids[seat] == NO_BID else table.bids[seat]
    return max(_MIN_NEED, bid - table.tricks_taken[seat])


class DealingOrder(NamedTuple):
    """The cards of a deck in the order dealt, (52,): those dealt by the bids first, each part from
    the highest rank down. ``values``: tricks in a bid."""

    codes: IntArray
    is_by_bids: NDArray[np.bool_]
    values: FloatArray


@lru_cache(maxsize=8)
def _dealing_order(deck: int) -> DealingOrder:
    by_rank = sorted(cards_in(deck), key=lambda card: (-(card & 15), card))
    order = sorted(by_rank, key=lambda card: not is_dealt_by_bids(card, deck))
    return DealingOrder(
        codes=np.array(order),
        is_by_bids=np.array([is_dealt_by_bids(card, deck) for card in order]),
        values=np.array([_trick_value(card, deck) for card in order]),
    )


@lean_kernel
def deal_biased(
    cards: CardsToDeal,
    needs: SeatNeeds,
    lanes: Lanes,
    seat: int,
    state: np.uint64,
    deals: NDArray,
) -> np.uint64:
    """Fill ``deals`` (n, 4), whose own hands are there; returns the random state after them.

    ``_LANES`` deals advance side by side, so that the processor needn't wait for one draw before
    it begins the next."""
    codes = cards.codes
    n_by_bids = cards.n_by_bids
    order = lanes.order
    missing = lanes.missing
    spare = lanes.spare
    states = lanes.states
    for first in range(0, len(deals), _LANES):
        n_lanes = np.uintp(min(_LANES, len(deals) - first))
        for lane in range(n_lanes):
            previous = lane - np.uintp(1) if lane else np.uintp(_LANES - 1)
            for j in range(np.uintp(n_by_bids)):
                order[lane, j] = order[previous, j]
            for j in range(n_by_bids - 1, 0, -1):  # shuffle the cards dealt by the bids
                state = next_state(state)
                k = np.uintp(below(mixed(state), j + 1))
                order[lane, np.uintp(j)], order[lane, k] = order[lane, k], order[lane, np.uintp(j)]
            states[lane] = state
            spare[lane] = needs.spare
            missing[lane, 0] = needs.missing[0]
            missing[lane, 1] = needs.missing[1]
            missing[lane, 2] = needs.missing[2]
            for _ in range(len(codes)):
                state = next_state(state)
        for j in range(np.uintp(len(codes))):
            for lane in range(n_lanes):
                card = np.uintp(order[lane, j])
                owners = cards.owners[card]
                if j < np.uintp(n_by_bids):
                    a = max(missing[lane, 0], needs.floor)
                    b = max(missing[lane, 1], needs.floor)
                    c = max(missing[lane, 2], needs.floor)
                else:
                    a = cards.table[card, 0]
                    b = cards.table[card, 1]
                    c = cards.table[card, 2]
                spare[lane] += _MUST_TAKE[np.uintp(owners)]
                a = a if may_take(0, owners, spare[lane]) else 0.0
                b = b if may_take(1, owners, spare[lane]) else 0.0
                c = c if may_take(2, owners, spare[lane]) else 0.0
                states[lane] = next_state(states[lane])
                drawn = unit(mixed(states[lane])) * (a + b + c)
                relative = np.int64(drawn >= a) + np.int64(drawn >= a + b)  # without branches
                spare[lane] -= _GROUPS_OF_SEAT[np.uintp(relative)]
                missing[lane, np.uintp(relative)] -= cards.values[card]
                hand = np.uintp((seat + 1 + relative) & 3)
                deals[np.uintp(first) + lane, hand] |= np.int64(1) << codes[card]
    return state


@lean_kernel
def may_take(relative: int, owners: int, spare: int) -> bool:
    """Whether a hidden seat may take a card of this owner set; ``spare`` room without the card."""
    left = spare - _GROUPS_OF_SEAT[np.uintp(relative)]
    return owners >> relative & 1 != 0 and left & _SIGN_BITS == 0
