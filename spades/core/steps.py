"""Work that is done in steps: a generator that pauses every few milliseconds.

Between two steps the thread may do other work, or drop the rest by closing the generator.
"""

from collections.abc import Generator
from typing import TypeVar

_Value = TypeVar("_Value")
Steps = Generator[None, None, _Value]
"""What the generator returns is what the work comes to."""


def last_value(steps: Steps[_Value]) -> _Value:
    """Do all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            value: _Value = end.value
            return value
