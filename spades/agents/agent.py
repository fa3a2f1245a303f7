"""Agents as text: ``PLAYER[:option=value,...][+BIDDER[:option=value,...]]``.

``ismcts:iterations=2500+human`` plays by search and bids as the simulated human does; switches are
``on`` or ``off``, as in ``random+bis:threshold=20,end_game=off``.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from spades.agents.bidders import BIDDERS, Bidder, HumanBidder
from spades.agents.component import UnknownAgentError
from spades.agents.player import Player
from spades.agents.players import PLAYERS
from spades.core.errors import shown
from spades.core.options import made, options_of, parse_options, values_of

DEFAULT_BIDDER = HumanBidder.name


@dataclass(frozen=True)
class Agent:
    """Who bids and plays in a seat."""

    player: Player
    bidder: Bidder

    def __str__(self) -> str:
        if self.bidder.text == DEFAULT_BIDDER:
            return self.player.text
        return f"{self.player.text}+{self.bidder.text}"

    @property
    def written_out(self) -> Self:
        """The same agent with what a preset such as ``best`` stands for said in options."""
        return dataclasses.replace(self, player=self.player.written_out)

    def with_option(self, name: str, value: object) -> Self:
        """The same agent with an option of its player's; refused for one that doesn't have it."""
        if name not in options_of(type(self.player)):
            raise UnknownAgentError(f"{self} has no {name}")
        values = values_of(self.player) | {name: value}
        player = made(type(self.player), values, UnknownAgentError)
        return dataclasses.replace(self, player=player)


def parse_agent(text: str) -> Agent:
    """The agent that a text names; ``UnknownAgentError`` says what would be legal."""
    player_text, _, bidder_text = text.strip().partition("+")
    player = _parse(player_text, PLAYERS, "player")
    return Agent(player, parse_bidder(bidder_text or DEFAULT_BIDDER))


def parse_bidder(text: str) -> Bidder:
    """The bidder that a text names; ``UnknownAgentError`` otherwise."""
    return _parse(text, BIDDERS, "bidder")


def _parse(text: str, registry: Mapping[str, type], role: str) -> Any:
    name, _, options = text.strip().partition(":")
    if name not in registry:
        raise UnknownAgentError(f"unknown {role} {shown(name)}; known: {', '.join(registry)}")
    return parse_options(registry[name], name, options, UnknownAgentError)
