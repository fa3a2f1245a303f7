"""Whose plays an agent's KL to humans is of: one canonical sample, quoted by its name everywhere.

One agent has another KL on every sample of plays: other deals, fewer rounds, other humans. So a
page that shows one says which sample it is of, and Tune's shipped sweep has the canonical one.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

DEFINITION = "KL(humans ‖ agent) of the 32 abstract moves, in nats"


class KlSample(NamedTuple):
    """The humans of a log that no model was trained on, all their plays; and the agent's, in the
    human's seat, in the first ``rounds`` of those rounds in the order drawn: the same deals, bids
    and scores."""

    log: str
    rounds: int

    @classmethod
    def of_sweep(cls, plan: Mapping[str, Any]) -> Self:
        """The sample of a sweep's plan, as its document has it."""
        return cls(plan["log"], plan["rounds"])

    @property
    def name(self) -> str:
        return f"{self.log} held out, {self.rounds:,} rounds"

    @property
    def text(self) -> str:
        """The caption of a KL of this sample."""
        if self == CANONICAL:
            return f"{DEFINITION}; {self.name}, the canonical sample"
        return f"{DEFINITION}; {self.name}, not the canonical sample ({CANONICAL.name})"


CANONICAL = KlSample("human-south", 800)
"""That of the shipped sweep of Devlin et al. 2016, figure 1."""

OF_THESE_PLAYS = (
    f"KL of the plays of the logs at hand, not of the canonical sample ({CANONICAL.name}) that "
    "Tune's KL is of"
)
"""The caption of a KL between groups of a log."""
