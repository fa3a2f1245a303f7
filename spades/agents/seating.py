"""Who sits where, and by which rules."""

from __future__ import annotations

from dataclasses import dataclass

from spades.agents.compiled import NOT_COMPILED, bidder_code, player_code
from spades.agents.spec import Agent
from spades.core.errors import SpadesError
from spades.core.rules import Rules

DEFAULT_HUMAN = "human"
MAX_ROUNDS = 100  # a game of agents that only lose points ends here, undecided
MAX_DEALS = 1000  # of one nil-only round; simulated humans need 2 or 3


class NoNilError(SpadesError):
    """A nil-only round whose agents don't bid nil."""


@dataclass(frozen=True)
class Seating:
    """Four agents by seat N E S W, and the rules they play by."""

    agents: tuple[Agent, Agent, Agent, Agent]
    rules: Rules

    @property
    def names(self) -> str:
        """Every agent once."""
        return " and ".join(sorted({str(agent) for agent in self.agents}))

    @property
    def is_all_human(self) -> bool:
        return all(str(agent) == DEFAULT_HUMAN for agent in self.agents)

    @property
    def is_compiled(self) -> bool:
        """Whether all four bid and play in compiled code, whole rounds at a time."""
        codes = [player_code(agent.player) for agent in self.agents]
        codes += [bidder_code(agent.bidder) for agent in self.agents]
        return NOT_COMPILED not in codes

    def no_nil(self) -> NoNilError:
        """What to raise when nobody bids nil in a nil-only round."""
        return NoNilError(
            f"{self.names} bid no nil in {MAX_DEALS} deals: nil-only games need a bidder that does"
        )

    def swapped(self) -> Seating:
        """The same agents one seat on: the partnerships change sides, partners stay partners."""
        north, east, south, west = self.agents
        return Seating((east, south, west, north), self.rules)
