"""Agents as text: ``PLAYER[:option=value,...][+BIDDER[:option=value,...]]``.

``ismcts:iterations=2500+human`` plays by search and bids as the simulated human does; switches are
``on`` or ``off``, as in ``random+bis:threshold=20,end_game=off``. Players and bidders of one's own
(``spades.agents.own``) go by their names, ``mine+bis``, or as ``py:module.Name+bis``; other
programs (``spades.agents.external``) by their entry in a local list,
``external:cmd=my-bot+bis``, or by the name that they gave when they connected,
``external:http=my-bot``. A text is only looked up here: reading one runs no code that it names.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from spades.agents.bidders import BIDDERS, Bidder, HumanBidder
from spades.agents.component import UnknownAgentError
from spades.agents.external import ExternalBidder, ExternalPlayer
from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
from spades.agents.player import Player
from spades.agents.players import PLAYERS
from spades.core.errors import shown
from spades.core.options import made, options_of, parse_options, values_of
from spades.core.own_code import PREFIX, REFUSED
from spades.core.programs import Program

KNOWN_PLAYERS: Mapping[str, type[Player]] = {**PLAYERS, ExternalPlayer.name: ExternalPlayer}
KNOWN_BIDDERS: Mapping[str, type[Bidder]] = {**BIDDERS, ExternalBidder.name: ExternalBidder}


@dataclass(frozen=True)
class Agent:
    """Who bids and plays in a seat.

    Its text names no bidder where that is the simulated human's, or the own one of a program; a
    program that doesn't bid always has its bidder named, so that the text alone says who bids."""

    player: Player
    bidder: Bidder

    def __str__(self) -> str:
        bidder = self.player.own_bidder
        if bidder is None and self.player.program is None:
            bidder = HumanBidder()
        if self.bidder == bidder:
            return self.player.text
        return f"{self.player.text}+{self.bidder.text}"

    @property
    def programs(self) -> tuple[Program, ...]:
        """The code of other people in it; one that plays and bids is named once."""
        found = [self.player.program]
        if self.bidder != self.player.own_bidder:
            found.append(self.bidder.program)
        return tuple(program for program in found if program is not None)

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


def usual_bidder(player: Player) -> Bidder:
    """The bidder of a player whose text names none."""
    return player.own_bidder or HumanBidder()


def parse_agent(text: str) -> Agent:
    """The agent that a text names; ``UnknownAgentError`` says what would be legal."""
    player_text, _, bidder_text = text.strip().partition("+")
    player = _parse(player_text, {**KNOWN_PLAYERS, **OWN_PLAYERS}, "player")
    bidder = parse_bidder(bidder_text) if bidder_text else usual_bidder(player)
    return Agent(player, bidder)


def parse_bidder(text: str) -> Bidder:
    """The bidder that a text names; ``UnknownAgentError`` otherwise."""
    return _parse(text, {**KNOWN_BIDDERS, **OWN_BIDDERS}, "bidder")


def _parse(text: str, registry: Mapping[str, type], role: str) -> Any:
    name, options = _name_and_options(text.strip())
    if name not in registry:
        if name.startswith(PREFIX):
            raise UnknownAgentError(f"{shown(name)} {REFUSED}")
        raise UnknownAgentError(f"unknown {role} {shown(name)}; known: {', '.join(registry)}")
    return parse_options(registry[name], name, options, UnknownAgentError)


def _name_and_options(text: str) -> tuple[str, str]:
    """``name:options``, where the name of Python code has a colon itself."""
    prefix = PREFIX if text.startswith(PREFIX) else ""
    name, _, options = text.removeprefix(prefix).partition(":")
    return prefix + name, options
