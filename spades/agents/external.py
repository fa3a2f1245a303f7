"""Programs in a seat: ``external:cmd=NAME``, by the local list of ``spades.programs``, and
``external:http=NAME``, which has connected to this process over HTTP."""

import time
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from spades.agents.bidders import Bidder
from spades.agents.component import UnknownAgentError
from spades.agents.player import Player
from spades.core.observation import Observation
from spades.core.options import borrowed, option
from spades.core.programs import ProgramError
from spades.programs import SeatedProgram, find_connected, find_program, with_seat


def _found(cmd: str, http: str) -> SeatedProgram:
    """The program of a list, or the one that has connected."""
    if cmd and http:
        raise UnknownAgentError("cmd and http: a program is listed, or it has connected, not both")
    try:
        return find_connected(http) if http else find_program(cmd)
    except ProgramError as error:
        raise UnknownAgentError(str(error)) from None


@dataclass(frozen=True)
class ExternalBidder(Bidder):
    """Another program, which bids over the engine protocol."""

    name: ClassVar[str] = "external"
    eager: ClassVar[tuple[str, ...]] = ("program",)

    cmd: str = option("", help="Its name in the file that SPADES_PROGRAMS names.")
    http: str = option("", help="The name under which it has connected over HTTP.")

    @cached_property
    def program(self) -> SeatedProgram:
        return _found(self.cmd, self.http)

    def bid(self, observation: Observation, seed: int) -> int:
        with with_seat(self.program, observation.seat) as session:
            return session.bid(observation, seed)


@dataclass(frozen=True)
class ExternalPlayer(Player):
    """Another program, which plays over the engine protocol, and bids where no bidder is named."""

    name: ClassVar[str] = "external"
    words: ClassVar[str] = "Program"
    eager: ClassVar[tuple[str, ...]] = ("program",)

    cmd: str = borrowed(ExternalBidder, "cmd")
    http: str = borrowed(ExternalBidder, "http")

    @cached_property
    def program(self) -> SeatedProgram:
        return _found(self.cmd, self.http)

    @property
    def own_bidder(self) -> Bidder:
        return ExternalBidder(self.cmd, self.http)

    def clock(self) -> int:
        return time.perf_counter_ns()  # it thinks in another process

    def choose(self, observation: Observation, seed: int) -> int:
        with with_seat(self.program, observation.seat) as session:
            return session.play(observation, seed)

    def follow(self, observation: Observation) -> None:
        with with_seat(self.program, observation.seat) as session:
            session.follow(observation)
