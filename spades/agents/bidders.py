"""Bidders: from a hand and the bids before it to a bid."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Protocol

from spades.agents.players import UnknownAgentError
from spades.bidding import (
    BIDDER_CODES,
    BLIND_NIL,
    BidderOptions,
    bid_of,
    bidder_options,
    is_blind_bid,
)
from spades.core.deal import derive_seed
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID
from spades.human import human_bid

DEFAULT_BIDDER = "human"
USUAL_BIDS = 6
MAX_POINTS = 1000.0


class Bidder(Protocol):
    """Makes a bid."""

    def bid(self, observation: Observation, seed: int) -> int:
        """A legal bid for the observation's seat; 0 is nil where the rules have nil."""
        ...

    def bids_blind(self, observation: Observation) -> bool:
        """Whether the seat's bid is nil before it looks at its hand; ``bid`` is 0 then."""
        ...


class _Looking:
    """A bidder that always looks at its hand first."""

    def bids_blind(self, observation: Observation) -> bool:
        return False


@dataclass(frozen=True)
class RandomBidder(_Looking):
    """Any legal bid up to the sixth smallest, each equally likely."""

    def bid(self, observation: Observation, seed: int) -> int:
        legal = observation.table.legal_bids(observation.seat)[:USUAL_BIDS]
        return legal[derive_seed(seed) % len(legal)]


@dataclass(frozen=True)
class HumanBidder(_Looking):
    """The simulated human's bidder, calibrated to published marginals of human bids."""

    def bid(self, observation: Observation, seed: int) -> int:
        return human_bid(observation, seed_state(seed))[0]


class _ByRule:
    """A bidder of ``spades.bidding``; ``options`` is what its compiled kernel takes."""

    @property
    def options(self) -> BidderOptions:
        raise NotImplementedError

    def bid(self, observation: Observation, seed: int) -> int:
        bid = bid_of(observation, self.options, seed)
        return NIL_BID if bid == BLIND_NIL else bid

    def bids_blind(self, observation: Observation) -> bool:
        return is_blind_bid(observation, self.options)


END_GAME = (
    "complete_to_14",
    "raise_to_win",
    "risky_nil",
    "opponent_nil",
    "safe_regular",
    "one_less",
    "ahead",
)
"""The switches of BIS that ``end_game=off`` turns off together."""


@dataclass(frozen=True)
class BisBidder(_ByRule):
    """BIS of Cohensius 2020; each option is one of ``BidderOptions``.

    ``end_game``: all of its seven switches. Conventions and blind nil are off by default: an agent
    doesn't know whether its partner reads Big 5 and Big 6.
    """

    threshold: float = 25.0
    bid_sensitive: bool = False
    single_curve: bool = False
    end_game: bool = True
    complete_to_14: bool = True
    raise_to_win: bool = True
    risky_nil: bool = True
    risky_chance: float = 0.35
    opponent_nil: bool = True
    safe_regular: bool = True
    one_less: bool = True
    ahead: bool = True
    big5: bool = False
    big6: bool = False
    cover_discount: float = 50.0
    blind_nil: bool = False

    def __post_init__(self) -> None:
        _check_number("threshold", self.threshold, -MAX_POINTS, MAX_POINTS)
        _check_number("risky_chance", self.risky_chance, 0.0, 1.0)
        _check_number("cover_discount", self.cover_discount, 0.0, MAX_POINTS)

    @property
    def options(self) -> BidderOptions:
        values = dataclasses.asdict(self)
        if not values.pop("end_game"):
            values.update(dict.fromkeys(END_GAME, False))
        return bidder_options(code=BIDDER_CODES["bis"], **values)


@dataclass(frozen=True)
class RbBidder(_ByRule):
    """The rule-based bidder RB of Cohensius 2020."""

    @property
    def options(self) -> BidderOptions:
        return bidder_options(code=BIDDER_CODES["rb"])


@dataclass(frozen=True)
class MsBidder(_ByRule):
    """Master Spades, as Cohensius 2020 gives it."""

    @property
    def options(self) -> BidderOptions:
        return bidder_options(code=BIDDER_CODES["ms"])


@dataclass(frozen=True)
class IoBidder(_ByRule):
    """The bidder of cardgames.io, as Cohensius 2020 gives it."""

    @property
    def options(self) -> BidderOptions:
        return bidder_options(code=BIDDER_CODES["io"])


@dataclass(frozen=True)
class KbBidder(_ByRule):
    """The knowledge-based bidder of Whitehouse 2013; personality -1 timid to 1 aggressive."""

    personality: float = 0.0
    randomness: float = 0.2

    def __post_init__(self) -> None:
        _check_number("personality", self.personality, -1.0, 1.0)
        _check_number("randomness", self.randomness, 0.0, MAX_BID)

    @property
    def options(self) -> BidderOptions:
        return bidder_options(code=BIDDER_CODES["kb"], **dataclasses.asdict(self))


RULED: dict[str, type[_ByRule]] = {
    "bis": BisBidder,
    "rb": RbBidder,
    "ms": MsBidder,
    "io": IoBidder,
    "kb": KbBidder,
}


@dataclass(frozen=True)
class NoisyBidder(_ByRule):
    """Another bidder, ``of``, at its defaults, made noisy to explore.

    ``noise``: standard deviation of what is added to a regular bid, tricks. ``nil``: probability
    of bidding nil whatever the hand, where it is legal and the partner hasn't.
    """

    of: str = "bis"
    noise: float = 1.0
    nil: float = 0.1

    def __post_init__(self) -> None:
        if self.of not in RULED:
            raise UnknownAgentError(f"no bidder of={self.of!r}; known: {', '.join(RULED)}")
        _check_number("noise", self.noise, 0.0, MAX_BID)
        _check_number("nil", self.nil, 0.0, 1.0)

    @property
    def options(self) -> BidderOptions:
        return RULED[self.of]().options._replace(noise=float(self.noise), nil_rate=float(self.nil))


def _check_number(name: str, value: float, least: float, most: float) -> None:
    if not (math.isfinite(value) and least <= value <= most):
        raise UnknownAgentError(f"{name} is {value}; {least:g} to {most:g} are legal")
