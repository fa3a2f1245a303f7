"""Programs in a seat: ``external:cmd=NAME``, by the local list of ``spades.programs``."""

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
from spades.programs import ListedProgram, find_program, with_seat


def _listed(name: str) -> ListedProgram:
    try:
        return find_program(name)
    except ProgramError as error:
        raise UnknownAgentError(str(error)) from None


@dataclass(frozen=True)
class ExternalBidder(Bidder):
    """Another program, which bids over the engine protocol."""

    name: ClassVar[str] = "external"
    eager: ClassVar[tuple[str, ...]] = ("program",)

    cmd: str = option("", is_shown=True, help="Its name in the file that SPADES_PROGRAMS names.")

    @cached_property
    def program(self) -> ListedProgram:
        return _listed(self.cmd)

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

    @cached_property
    def program(self) -> ListedProgram:
        return _listed(self.cmd)

    @property
    def own_bidder(self) -> Bidder:
        return ExternalBidder(self.cmd)

    def clock(self) -> int:
        return time.perf_counter_ns()  # it thinks in another process

    def choose(self, observation: Observation, seed: int) -> int:
        with with_seat(self.program, observation.seat) as session:
            return session.play(observation, seed)

    def follow(self, observation: Observation) -> None:
        with with_seat(self.program, observation.seat) as session:
            session.follow(observation)
