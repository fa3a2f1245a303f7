"""Styles compared in logs larger than memory: counts by game as sums over parts of a log, and
habits, for which the log is read anew after each that was found.

Nothing of a log stays but sums: the counts of each group, in blocks of games that are drawn for the
intervals, and the moments of shares over games. Up to ``MAX_BLOCKS`` games the numbers are those of
the log in memory; of more, the games of a block are drawn otherwise, which moves the ends of
intervals as little as another seed would.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from analysis.style.compare import (
    MAX_BLOCKS,
    SEED,
    GameCounts,
    Sample,
    share_keys,
    share_moments_of,
)
from analysis.style.counts import (
    Group,
    PlayFilter,
    Plays,
    fold,
    game_counts,
    groups_of_seats,
    seats_by_name,
    units_of,
)
from analysis.style.habits import Choices, Counted, Reweighting
from spades.core.kernel import FloatArray, IntArray
from spades.core.logs import KnownRounds, Log
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.human.features.abstract_moves import N_SUIT_MOVES
from spades.human.features.logs import contexts_of_log


class _Blocks:
    """Counts of games in blocks that get the same number of games, in random order."""

    def __init__(self) -> None:
        self.sums = np.zeros((MAX_BLOCKS, N_SUIT_MOVES), dtype=np.float32)
        self.n_games = 0

    def add(self, counts: NDArray) -> None:
        """Add the next games, (games, 68): the first ``MAX_BLOCKS`` are a block each, and in every
        later turn each block gets one."""
        start = 0
        while start < len(counts):
            turn, place = divmod(self.n_games, MAX_BLOCKS)
            n = min(len(counts) - start, MAX_BLOCKS - place)
            order = np.arange(MAX_BLOCKS)
            if turn:
                order = np.random.default_rng((SEED, turn)).permutation(MAX_BLOCKS)
            self.sums[order[place : place + n]] += counts[start : start + n]
            self.n_games += n
            start += n

    @property
    def filled(self) -> NDArray[np.float32]:
        return self.sums[: self.n_games]


class SummedGames(GameCounts):
    """Counts by game of a group as sums over parts, for one number of ``classes``. Read it when all
    parts were added."""

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self._keys = list(share_keys(classes).values())
        self._moments = [np.zeros((3, classes)) for _ in self._keys]
        self._total = np.zeros(N_SUIT_MOVES, dtype=np.int64)
        self._of_all = _Blocks()
        self._of_own = _Blocks()

    def add(self, counts: NDArray[np.int32]) -> None:
        """Add the games of a part, (games, 68)."""
        self._total += counts.sum(axis=0, dtype=np.int64)
        self._of_all.add(counts)
        self._of_own.add(counts[counts.any(axis=1)])
        folded = fold(counts, self.classes)
        for moments, keys in zip(self._moments, self._keys, strict=True):
            moments += share_moments_of(folded, keys)

    @cached_property
    def total(self) -> IntArray:
        return self._total

    @cached_property
    def n_games(self) -> int:
        return self._of_own.n_games

    @cached_property
    def blocks(self) -> NDArray[np.float32]:
        return self._of_all.filled

    @cached_property
    def own_blocks(self) -> NDArray[np.float32]:
        return self._of_own.filled

    def share_moments(self, classes: int, keys: IntArray) -> FloatArray:
        assert classes == self.classes
        (place,) = (i for i, own in enumerate(self._keys) if np.array_equal(own, keys))
        return self._moments[place]


@dataclass(frozen=True)
class StreamedSamples:
    """The groups of a log and their plays. ``groups_left_out``: how many are beyond the most;
    ``repeated``: rounds that repeat another, and count once."""

    samples: list[Sample]
    groups_left_out: int
    repeated: int
    has_simulated: bool


Parts = Callable[[], Iterable[Log]]
"""The parts of a log from the first on, each time it is called; games are whole in each."""


@dataclass(frozen=True)
class StreamedChoices:
    """The plays of a group that pass a filter, for ``find_habits``: the log is read at each count,
    and only sums stay."""

    parts: Parts
    group: Group
    where: PlayFilter

    def count(self, weighed: Sequence[Reweighting]) -> Counted:
        return reduce(
            Counted.plus,
            (
                Choices.of([plays], self.group, self.where).count(weighed)
                for plays in classified_parts(self.parts)
            ),
        )


def classified_parts(parts: Parts) -> Iterator[Plays]:
    """Each part with its plays classified; a round that a part before has is marked as repeated."""
    known = KnownRounds()
    for log in parts():
        units, n_units = units_of(log)
        yield Plays("", log, contexts_of_log(log), units, n_units, known.repeated(log))


def stream_samples(
    parts: Parts,
    by: str,
    classes: int,
    where: PlayFilter,
    *,
    most: int,
) -> StreamedSamples:
    """The samples of groups by ``kind``, ``agent`` or ``player``, at most so many, those with the
    most rounds. ``parts`` is called twice.

    >>> from analysis.style.compare import StyleComparison
    >>> from spades.notation import stream_log
    >>> def parts():
    ...     return (log for log, refused in stream_log("human-south"))
    >>> found = stream_samples(parts, "kind", 32, PlayFilter(), most=12)
    >>> [sample.group.label for sample in found.samples]
    ['Simulated humans', 'Bots']
    >>> StyleComparison.of(found.samples, 32).divergences["kl"].round(2).tolist()
    [0.07, 0.08]
    """
    seats = seats_by_name(parts(), by)
    groups = groups_of_seats(seats, by)
    sums = {group: SummedGames(classes) for group in groups[:most]}
    n_repeated = 0
    for plays in classified_parts(parts):
        n_repeated += int(plays.repeated.sum())
        for group, moves in sums.items():
            moves.add(game_counts([plays], group, where))
    samples = [Sample(group, moves) for group, moves in sums.items()]
    simulated = KINDS.index(SIMULATED_HUMAN)
    return StreamedSamples(
        samples=[sample for sample in samples if sample.n_decisions],
        groups_left_out=max(0, len(groups) - most),
        repeated=n_repeated,
        has_simulated=any(bool(by_kind[simulated]) for by_kind in seats.values()),
    )
