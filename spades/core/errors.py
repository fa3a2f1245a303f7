"""What can be wrong with cards, rounds and records.

All are ``ValueError``. A message holds what was found, why it is refused and what would be legal.
"""

from dataclasses import dataclass

MAX_SHOWN = 60


class SpadesError(ValueError):
    """Anything this library refuses."""


class BusyError(SpadesError):
    """Asked for more often, or more at a time, than may be; ``wait``: seconds until it may be."""

    def __init__(self, reason: str, wait: float) -> None:
        super().__init__(reason)
        self.wait = wait


class InvalidCardError(SpadesError):
    """A text or code that is no card of the deck."""


class InvalidRulesError(SpadesError):
    """A rule option that the engine doesn't know or that contradicts another."""


class InvalidDealError(SpadesError):
    """Hands that are no deal: a card twice, a card missing, a hand of the wrong size."""


class IllegalBidError(SpadesError):
    """A bid that the rules don't allow."""


class IllegalPlayError(SpadesError):
    """A card that the rules don't allow now."""


class UnknownModelError(SpadesError):
    """A name that no model of human play has."""


class InvalidRecordError(SpadesError):
    """A record, or another text from outside, that can't be read; ``line`` counts from 1, 0 where
    no line is to blame."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Refusal:
    """One record of a file that was refused: where, and why."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


def shown(found: object) -> str:
    """A found value as a message quotes it: escaped, on one line, not too long."""
    if isinstance(found, str):
        found = found[: MAX_SHOWN + 1]
    try:
        text = repr(found)
    except (RecursionError, ValueError):  # ValueError: a number of over 4,300 digits
        text = f"a huge {type(found).__name__}"
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."
