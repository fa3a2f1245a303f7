"""What players and bidders have in common: their options, and how agents' texts name them."""

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from spades.core.errors import SpadesError
from spades.core.options import check_options, format_options
from spades.core.programs import Program

NOT_COMPILED = -1
RANDOM_PLAYS, HUMAN_PLAYS, WEAK_PLAYS, STRONG_PLAYS = range(4)
RANDOM_BIDS, HUMAN_BIDS, RULED_BIDS = range(3)

Probes = Mapping[str, tuple[str, ...]]
"""Options to play with, by the options that have a fingerprint of their own, "" for none."""


class UnknownAgentError(SpadesError):
    """A text that names no agent, or options that the agent doesn't have."""


@dataclass(frozen=True)
class Component(ABC):
    """A player or a bidder: a frozen dataclass whose fields declare its options.

    ``name``: in agents' texts. ``place``: in lists; those without one come last, by name.
    ``probes``: what the fingerprints of its behaviour are taken of (``spades.agents.behaviour``).
    ``eager``: properties computed at once, which refuse options that don't go together. ``code``:
    of its kernel in ``spades.agents.compiled``."""

    name: ClassVar[str]
    place: ClassVar[int] = 100
    probes: ClassVar[Probes] = {"": ("",)}
    eager: ClassVar[tuple[str, ...]] = ()
    code: ClassVar[int] = NOT_COMPILED

    def __post_init__(self) -> None:
        check_options(self, UnknownAgentError)
        for name in self.eager:
            getattr(self, name)

    @property
    def is_compiled(self) -> bool:
        """Whether whole rounds may be played in compiled code."""
        return self.code != NOT_COMPILED

    @property
    def program(self) -> Program | None:
        """The code of other people that decides, whose version results are stored under; None for
        what is shipped, which ``probes`` tell the behaviour of."""
        return None

    @property
    def text(self) -> str:
        """``NAME[:option=value,...]``."""
        return with_options(self.name, format_options(self))


def with_options(name: str, options: str) -> str:
    return f"{name}:{options}" if options else name
