"""The text of an agent: ``PLAYER[:option=value,...][+BIDDER[:option=value,...]]``.

``ismcts:iterations=2500+human`` plays by search and bids as the simulated human does; switches are
``on`` or ``off``, as in ``random+bis:threshold=20,end_game=off``. Players and
bidders are frozen dataclasses: registering one makes its name, and the names of its fields, legal.
Unknown names and options are refused with the list of those that are known.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, TypeVar

from spades.agents.bidders import (
    DEFAULT_BIDDER,
    RULED,
    Bidder,
    HumanBidder,
    NoisyBidder,
    RandomBidder,
)
from spades.agents.corpus_players import CorpusPlayer, FlatUcbPlayer, ThumbPlayer
from spades.agents.knowledge import FlatPlayer, StarsPlayer
from spades.agents.players import (
    DirectPlayer,
    HumanPlayer,
    IsmctsPlayer,
    Player,
    RandomPlayer,
    StrongPlayer,
    UctPlayer,
    UnknownAgentError,
    WeakPlayer,
)

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
ALWAYS_SAID = ("iterations", "simulations", "level")
_SWITCH = {"on": True, "off": False}
_Part = TypeVar("_Part")


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
        if not isinstance(self.player, IsmctsPlayer | UctPlayer | FlatUcbPlayer):
            raise UnknownAgentError(f"{self} has no iterations")
        return dataclasses.replace(
            self, player=dataclasses.replace(self.player, iterations=iterations)
        )


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


def _parse(text: str, registry: dict[str, type], what: str) -> tuple[str, Any]:
    name, _, listed = text.strip().partition(":")
    kind = registry.get(name)
    if kind is None:
        raise UnknownAgentError(f"unknown {what} {name!r}; known: {', '.join(registry)}")
    known = {option.name: option.default for option in dataclasses.fields(kind)}
    options: dict[str, Any] = {}
    for item in filter(None, listed.split(",")):
        key, equals, value = (part.strip() for part in item.partition("="))
        if key not in known or not equals:
            legal = ", ".join(f"{option}=" for option in known) or "none"
            raise UnknownAgentError(f"unknown option {item!r} of {name}; known: {legal}")
        if key in options:
            raise UnknownAgentError(f"option {key} of {name} comes twice")
        options[key] = _convert(key, value, type(known[key]))
    return name, kind(**options)


def _convert(key: str, value: str, kind: type) -> Any:
    if kind is bool:
        if value not in _SWITCH:
            raise UnknownAgentError(f"{key}={value} is no switch; on and off are legal")
        return _SWITCH[value]
    try:
        return kind(value)
    except ValueError:
        wanted = {int: "whole number", float: "number"}.get(kind, "value")
        raise UnknownAgentError(f"{key}={value} is no {wanted}") from None


def _format(name: str, part: Any) -> str:
    """The shortest text that parses to the same part; how long it thinks is always said."""
    said = [
        f"{option.name}={_option_text(getattr(part, option.name))}"
        for option in dataclasses.fields(part)
        if option.name in ALWAYS_SAID or getattr(part, option.name) != option.default
    ]
    return f"{name}:{','.join(said)}" if said else name


def _option_text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
