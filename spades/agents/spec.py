"""The text of an agent: ``PLAYER[:option=value,...][+BIDDER[:option=value,...]]``.

``ismcts:iterations=2500+human`` plays by search and bids as the simulated human does; switches are
``on`` or ``off``, as in ``random+bis:threshold=20,end_game=off``. Registering a player or bidder
makes its name, and the names of its fields, legal.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from spades.agents.bidders import (
    DEFAULT_BIDDER,
    RULED,
    Bidder,
    HumanBidder,
    NoisyBidder,
    RandomBidder,
)
from spades.agents.players import (
    CorpusPlayer,
    DirectPlayer,
    FlatPlayer,
    FlatUcbPlayer,
    HumanPlayer,
    IsmctsPlayer,
    Player,
    RandomPlayer,
    StarsPlayer,
    StrongPlayer,
    ThumbPlayer,
    UctPlayer,
    UnknownAgentError,
    WeakPlayer,
)
from spades.core.options import format_options, parse_options

PLAYERS: dict[str, type] = {
    "random": RandomPlayer,
    "ismcts": IsmctsPlayer,
    "human": HumanPlayer,
    "srp": StrongPlayer,
    "wrp": WeakPlayer,
    "uct": UctPlayer,
    "direct": DirectPlayer,
    "flat-mc": FlatPlayer,
    "stars": StarsPlayer,
    "flat-ucb": FlatUcbPlayer,
    "corpus": CorpusPlayer,
    "thumb": ThumbPlayer,
}
BIDDERS: dict[str, type] = {
    "human": HumanBidder,
    "random": RandomBidder,
    **RULED,
    "noisy": NoisyBidder,
}


@dataclass(frozen=True)
class Agent:
    """Who bids and plays in a seat."""

    player_name: str
    player: Player
    bidder_name: str
    bidder: Bidder

    def __str__(self) -> str:
        bidder = _format(self.bidder_name, self.bidder)
        player = _format(self.player_name, self.player)
        return player if bidder == DEFAULT_BIDDER else f"{player}+{bidder}"

    def with_iterations(self, iterations: int) -> Agent:
        """The same agent thinking longer or shorter; refused for one that doesn't iterate."""
        if not hasattr(self.player, "iterations"):
            raise UnknownAgentError(f"{self} has no iterations")
        player: Any = self.player
        return dataclasses.replace(self, player=dataclasses.replace(player, iterations=iterations))


def parse_agent(text: str) -> Agent:
    """The agent that a text names; ``UnknownAgentError`` says what would be legal."""
    player_text, _, bidder_text = text.strip().partition("+")
    player_name, player = _parse(player_text, PLAYERS, "player")
    bidder_name, bidder = _parse(bidder_text or DEFAULT_BIDDER, BIDDERS, "bidder")
    return Agent(player_name, player, bidder_name, bidder)


def parse_bidder(text: str) -> tuple[str, Bidder]:
    """The canonical text and the bidder that a text names; ``UnknownAgentError`` otherwise."""
    name, bidder = _parse(text, BIDDERS, "bidder")
    return _format(name, bidder), bidder


def _parse(text: str, registry: dict[str, type], role: str) -> tuple[str, Any]:
    name, _, options = text.strip().partition(":")
    if name not in registry:
        raise UnknownAgentError(f"unknown {role} {name!r}; known: {', '.join(registry)}")
    return name, parse_options(registry[name], name, options, UnknownAgentError)


def _format(name: str, part: Any) -> str:
    options = format_options(part)
    return f"{name}:{options}" if options else name
