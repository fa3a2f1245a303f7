"""The truth set: decisions whose cards strong agents have played out, to compare judges on.

Made by ``python -m experiments.truth_set``, which says how. A value is true of the players that
played it out: ``best`` with fewer iterations, at all four seats, each shown its own hand and the
table. Half of the set is for choosing and fitting, the other half for reporting.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from analysis.phases import PHASES
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.documents import Document, load_object, read_text
from spades.core.kernel import FloatArray
from spades.core.observation import Observation
from spades.core.paths import DATA
from spades.core.records import Record
from spades.notation.schema import record_of
from spades.search.outcomes import Seats, endings_from

FOLDER = DATA / "truth"
VERSION = 1
CHOOSE, REPORT = HALVES = ("choose", "report")
_LAST_CHOICE = N_CARDS - N_SEATS  # plies of the last trick hold none


def plies_of(phase: str) -> range:
    """The plies of a phase at which a seat may have a choice."""
    tricks = PHASES[phase]
    return range(N_SEATS * tricks.start, min(N_SEATS * tricks.stop, _LAST_CHOICE))


def places_of(tricks: NDArray[np.int8], taken: Seats) -> NDArray[np.int64]:
    """The rows of ``outcome_table`` of a round's ``tricks`` (..., 4) by seat."""
    places = endings_from(taken).places
    return places[tricks[..., 0], tricks[..., 1], tricks[..., 2]].astype(np.int64)


@dataclass(frozen=True, eq=False)
class TruthDecision:
    """A decision of the truth set; points for the mover's partnership.

    ``table``: who plays, ``strong``, ``human`` or ``mixed``; ``has_nil``: whether a nil is alive;
    ``phase``: of ``PHASES``; ``half``: of ``HALVES``. ``classes``: the classes of cards played out,
    n in all, highest card first; ``deals``: in how many deals. ``values`` (n,): their mean points;
    ``covariance`` (n, n): of these means; ``outcomes`` (n, 8): mean outcomes, columns as in
    ``spades.search.outcomes.outcome_table``."""

    table: str
    has_nil: bool
    phase: str
    half: str
    record: Record
    ply: int
    classes: tuple[tuple[str, ...], ...]
    deals: int
    values: FloatArray
    covariance: FloatArray
    outcomes: FloatArray

    @classmethod
    def of(cls, row: Document) -> "TruthDecision":
        """From a row of a file of the set."""
        return cls(
            **{name: row[name] for name in ("table", "has_nil", "phase", "half", "ply", "deals")},
            record=record_of(row["record"]),
            classes=tuple(map(tuple, row["classes"])),
            values=np.array(row["values"]),
            covariance=np.array(row["covariance"]),
            outcomes=np.array(row["outcomes"]),
        )

    @property
    def stratum(self) -> tuple[str, bool, str]:
        return self.table, self.has_nil, self.phase

    @cached_property
    def observation(self) -> Observation:
        return self.record.observation(self.ply)

    def lead(self, one: int, other: int) -> tuple[float, float]:
        """How many points class ``one`` is worth more than class ``other``, and the standard
        error."""
        variances = self.covariance[one, one] + self.covariance[other, other]
        variance = max(0.0, variances - 2 * self.covariance[one, other])
        return float(self.values[one] - self.values[other]), math.sqrt(variance)


@lru_cache(maxsize=1)
def truth_set() -> tuple[TruthDecision, ...]:
    """All decisions of the set, in the order of its files; empty where it isn't there."""
    rows = []
    for path in sorted(FOLDER.glob("part-*.jsonl")):
        _facts, *decisions = map(load_object, read_text(path).splitlines())
        rows += decisions
    return tuple(map(TruthDecision.of, rows))
