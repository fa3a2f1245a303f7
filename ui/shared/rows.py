"""A list of decisions that a link to Replay carries: the rows beside the one it opens."""

from collections.abc import Sequence
from typing import NamedTuple, Self

from spades.core.documents import parse_integer

WINDOW = 20  # rows to each side: an address has to stay short
MAX_PLACE = 10_000_000
LEGAL = "legal is as 1@12.5_8.40@log: which of the places, round and ply of each, and their log"


class ListedRows(NamedTuple):
    """``places``: round and ply of each row, in the list's order; ``at``: the row that is open."""

    at: int
    places: tuple[tuple[int, int], ...]
    log: str

    @classmethod
    def around(cls, i: int, places: Sequence[tuple[int, int]], log: str) -> Self:
        """The rows around row ``i`` of a list."""
        first = max(0, i - WINDOW)
        return cls(i - first, tuple(places[first : i + WINDOW + 1]), log)

    @classmethod
    def parse(cls, text: str) -> Self:
        try:
            at, places, log = text.split("@", 2)
            pairs = [place.split(".") for place in places.split("_")]
            found = tuple(
                (parse_integer(index, 0, MAX_PLACE), parse_integer(ply, 0, 51))
                for index, ply in pairs
            )
            return cls(parse_integer(at, 0, len(found) - 1), found, log)
        except ValueError:
            raise ValueError(LEGAL) from None

    def __str__(self) -> str:
        return f"{self.at}@{'_'.join(f'{index}.{ply}' for index, ply in self.places)}@{self.log}"
