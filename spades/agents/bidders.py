"""Bidders: from a hand and the bids before it to a bid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from spades.deal import derive_seed
from spades.human import human_bid
from spades.kernel import seed_state
from spades.observation import Observation

DEFAULT_BIDDER = "human"
USUAL_BIDS = 6


class Bidder(Protocol):
    """Makes a bid."""

    def bid(self, observation: Observation, seed: int) -> int:
        """A legal bid for the observation's seat; 0 is nil where the rules have nil."""
        ...


@dataclass(frozen=True)
class RandomBidder:
    """Any legal bid up to the sixth smallest, each equally likely."""

    def bid(self, observation: Observation, seed: int) -> int:
        legal = observation.table.legal_bids(observation.seat)[:USUAL_BIDS]
        return legal[derive_seed(seed) % len(legal)]


@dataclass(frozen=True)
class HumanBidder:
    """The simulated human's bidder, calibrated to published marginals of human bids."""

    def bid(self, observation: Observation, seed: int) -> int:
        return human_bid(observation, seed_state(seed))[0]
