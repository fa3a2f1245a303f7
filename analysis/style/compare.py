"""Styles of play compared: abstract-move frequencies and the divergences between groups.

``StyleComparison`` is the one source of the numbers that pages, JSON and CSV show.

Divergences as in Devlin 2016: KL(human || agent) of the distributions of abstract moves; the
published figures are those of table 1. Smoothing: ``ALPHA`` is added to the count of every class of
both groups, so that a move that one of them never made stays finite. KL is in nats, the
Jensen-Shannon divergence in bits (0 to 1).

**Chance level.** A divergence is never negative, so two samples of one style differ too. By how
much is measured: a group's games are halved at random many times, and the KL between the halves is
averaged. A whole group has half the noise of its half. So two groups of one style, of these sizes,
are expected to differ by (halves of the one + halves of the other) / 4: the chance level of a pair.
The bootstrap adds the noise once more, so its replicates are shifted until their mean is the
estimate. A KL whose interval reaches down to the chance level shows no difference in style.

**Uncertainty** is over games: a Poisson bootstrap and random halves, on arrays of counts by game.
Counts have shape (games, classes), and a row means the same game in all groups: a game is drawn
with everything that was played in it, so that humans and bots of the same games stay together. Each
game's weight is an independent Poisson(1) number (the bootstrap of Hanley and MacGibbon 2006), from
a fixed seed: the same data give the same interval.

Above ``MAX_BLOCKS`` games, games are first pooled at random into that many blocks of equal size,
which are drawn instead; since games are independent, the variance is the same."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.intervals import with_ends
from analysis.records import Column, document_of
from analysis.style.counts import CONTEXT_LABELS, Group, PlayFilter, Plays, fold, game_counts
from spades.core.kernel import FloatArray, IntArray, kernel
from spades.human.features.abstract_moves import (
    CATEGORIES,
    CATEGORY_OF_32,
    MOVE_32_OF_68,
    MOVES_32,
    MOVES_68,
    N_MOVES,
    POSITION_OF_32,
    POSITIONS,
    SUIT_OF_68,
)

REPLICATES = 1000
SPLITS = 200
MAX_BLOCKS = 2000
LEVEL = 0.95
SEED = 20160
GROUP_COLUMNS = (
    Column("name", "Name", meaning="The kind, agent, player, log or context."),
    Column("group", "Group"),
    Column("games", "Games", ",d"),
    Column("decisions", "Plays", ",d", "Cards played that pass the filters."),
    Column(
        "kl_halves",
        "KL of two halves (nats)",
        ".5f",
        "Mean KL between two random halves of the group's own games: noise alone.",
    ),
)
DIVERGENCE_COLUMNS = (
    Column("of", "KL of"),
    Column("to", "to"),
    Column("kl", "KL (nats)", ".4f"),
    Column("kl_low", "95%", ".4f"),
    Column("kl_high", "95% to", ".4f"),
    Column("kl_bits", "KL (bits)", ".4f", "The same divergence: nats divided by ln 2."),
    Column("chance", "Chance level", ".4f", "Noise between groups of one style, of these sizes."),
    Column("js", "JS (bits)", ".4f"),
    Column("js_low", "95%", ".4f"),
    Column("js_high", "95% to", ".4f"),
    Column("of_games", "Games of", ",d"),
    Column("to_games", "Games to", ",d"),
    Column("of_decisions", "Plays of", ",d"),
    Column("to_decisions", "Plays to", ",d"),
)
ALPHA = 0.5
"""Added to the count of every class (the prior of Jeffreys)."""

CLEAR = 3.84
"""A contribution above this many times the average noise is significant at 95% (chi-square with
one degree of freedom)."""

PUBLISHED_KL = {"Biased agent": 0.0291, "AI Factory Spades": 0.0981, "Baseline ISMCTS": 0.1142}
"""Devlin 2016, table 1: KL in the distribution of abstract moves, agents against real humans."""


@lru_cache(maxsize=4)
def _weights(n_blocks: int) -> NDArray[np.float32]:
    """How often each block is drawn in each replicate, shape (``REPLICATES``, n_blocks)."""
    rng = np.random.default_rng(SEED)
    return rng.poisson(1.0, (REPLICATES, n_blocks)).astype(np.float32)


def _pool(counts: NDArray) -> NDArray[np.float32]:
    """Counts by game as counts by block, shape (at most ``MAX_BLOCKS``, classes)."""
    n, classes = counts.shape
    if n <= MAX_BLOCKS:
        return counts.astype(np.float32)
    order = np.random.default_rng(SEED).permutation(n)
    per_block = -(-n // MAX_BLOCKS)
    padded = np.zeros((per_block * MAX_BLOCKS, classes), dtype=counts.dtype)
    padded[:n] = counts[order]
    by_block = padded.reshape(per_block, MAX_BLOCKS, classes)
    return by_block.sum(axis=0).astype(np.float32)


class GameCounts(ABC):
    """Counts by game of a group, a row being the same game in all groups, as far as statistics need
    them."""

    @cached_property
    @abstractmethod
    def total(self) -> IntArray:
        """Counts over all games, (classes,)."""

    @cached_property
    @abstractmethod
    def n_games(self) -> int:
        """Games in which anything was counted."""

    @cached_property
    @abstractmethod
    def blocks(self) -> NDArray[np.float32]:
        """Counts by block of all games, (at most ``MAX_BLOCKS``, classes)."""

    @cached_property
    @abstractmethod
    def own_blocks(self) -> NDArray[np.float32]:
        """The same of the games in which anything was counted."""

    @abstractmethod
    def share_moments(self, classes: int, keys: IntArray) -> FloatArray:
        """Number, sum and sum of squares, over games, of shares of each of 32 or 68 ``classes``
        among those with its key, (3, classes)."""

    @cached_property
    def replicates(self) -> FloatArray:
        """Totals of every class in each resampling, shape (``REPLICATES``, classes)."""
        weights = _weights(len(self.blocks))
        return (weights @ self.blocks).astype(np.float64)

    @cached_property
    def halves(self) -> tuple[FloatArray, FloatArray]:
        """Totals of two random halves of the games, two arrays of shape (``SPLITS``, classes)."""
        blocks = self.own_blocks
        n = len(blocks)
        rng = np.random.default_rng(SEED)
        order = rng.random((SPLITS, n)).argpartition(n // 2, axis=1)  # half of them below it
        is_in_half = np.zeros((SPLITS, n), dtype=np.float32)
        np.put_along_axis(is_in_half, order[:, : n // 2], 1.0, axis=1)
        half = (is_in_half @ blocks).astype(np.float64)
        total = blocks.sum(axis=0, dtype=np.float64)
        return half, total - half

    def interval(self, statistic: Callable[[NDArray], NDArray]) -> tuple[FloatArray, FloatArray]:
        """95% percentile interval over games of a statistic of totals (..., classes). NaN for fewer
        than two games. Replicates in which the statistic is NaN (no play of the category drawn)
        don't count."""
        if self.n_games < 2:
            unknown = np.full_like(statistic(self.total), np.nan)
            return unknown, unknown
        return percentiles(statistic(self.replicates))


@dataclass(frozen=True)
class ByGame(GameCounts):
    """Counts by game in memory, ``counts`` of shape (games of all logs, classes)."""

    counts: NDArray[np.int32]

    @cached_property
    def total(self) -> IntArray:
        return self.counts.sum(axis=0, dtype=np.int64)

    @cached_property
    def n_games(self) -> int:
        return int(np.count_nonzero(self.counts.any(axis=1)))

    @cached_property
    def blocks(self) -> NDArray[np.float32]:
        return _pool(self.counts)

    @cached_property
    def own_blocks(self) -> NDArray[np.float32]:
        has_counts = self.counts.any(axis=1)
        return self.blocks if has_counts.all() else _pool(self.counts[has_counts])

    def share_moments(self, classes: int, keys: IntArray) -> FloatArray:
        return share_moments_of(fold(self.counts, classes), keys)


def percentiles(values: NDArray) -> tuple[FloatArray, FloatArray]:
    """Bounds of the middle 95% of replicates (axis 0); NaN replicates left out."""
    flat = pd.DataFrame(values.reshape(len(values), -1))  # numpy's nanquantile warns of all NaN
    tail = (1 - LEVEL) / 2
    ends = flat.quantile([tail, 1 - tail]).to_numpy()
    low, high = ends.reshape(2, *values.shape[1:])
    return low, high


@dataclass(frozen=True)
class Sample:
    """A group and its counts of the 68 moves by game."""

    group: Group
    moves: GameCounts

    @property
    def n_games(self) -> int:
        return self.moves.n_games

    @property
    def n_decisions(self) -> int:
        return int(self.moves.total.sum())


def draw_samples(data: Sequence[Plays], groups: Sequence[Group], where: PlayFilter) -> list[Sample]:
    """The plays of each group that pass the filter."""
    samples = []
    for group in groups:
        counts = game_counts(data, group, where)
        samples.append(Sample(group, ByGame(counts)))
    return samples


def move_names(classes: int) -> tuple[str, ...]:
    return MOVES_32 if classes == N_MOVES else MOVES_68


def _shares(counts: NDArray, keys: IntArray) -> FloatArray:
    """Counts (..., classes) as shares of those of the same key; NaN where there are none."""
    has_same_key = keys[:, None] == keys
    totals = counts @ has_same_key.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(counts / totals)


def share_moments_of(counts: NDArray[np.int32], keys: IntArray) -> FloatArray:
    """As ``GameCounts.share_moments``, of counts (games, classes)."""
    moments = np.zeros((3, keys.size))
    totals = np.empty(int(keys.max()) + 1, dtype=np.int64)
    share_moments(counts, keys, totals, moments)
    return moments


def _over_games(moments: FloatArray) -> tuple[IntArray, FloatArray]:
    """Games with a play of the category, and the standard deviation over them; NaN below two."""
    n, total, squares = moments
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations = np.maximum(squares - total * total / n, 0.0)
        variance = deviations / (n - 1)
    return n.astype(np.int64), np.sqrt(np.where(n > 1, variance, np.nan))


@kernel
def share_moments(counts: NDArray, keys: NDArray, totals: NDArray, out: NDArray) -> None:
    """Number, sum and sum of squares, over games, of shares of each class in its category.

    ``counts`` int32 (games, classes); ``keys`` the category of each class; ``totals`` scratch,
    int64, as long as there are categories; ``out`` float64 (3, classes), zeros before. A game
    without a play of the category has no share."""
    for game in range(len(counts)):
        totals[:] = 0
        for move in range(keys.size):
            totals[keys[move]] += counts[game, move]
        for move in range(keys.size):
            total = totals[keys[move]]
            if total:
                share = counts[game, move] / total
                out[0, move] += 1
                out[1, move] += share
                out[2, move] += share * share


def compute_frequencies(samples: Sequence[Sample], classes: int = N_MOVES) -> pd.DataFrame:
    """A row for each group and class: how often the group plays it.

    ``share``: of all its plays (sums to 1); ``within``: of the plays of its category (with 68
    classes: of the category and suit). Each with the standard deviation over games, ``_sd``, and
    the 95% bootstrap interval over games, ``_low`` and ``_high``. ``count`` of the class,
    ``decisions`` of the group, ``category_count``, and ``games`` with a play of the category."""
    return pd.concat([_frequency_rows(sample, classes) for sample in samples], ignore_index=True)


def categories_of(classes: int) -> IntArray:
    """The category of each of 32 or 68 classes."""
    moves_32 = MOVE_32_OF_68 if classes != N_MOVES else np.arange(N_MOVES)
    return CATEGORY_OF_32[moves_32].astype(np.int64)


def share_keys(classes: int) -> dict[str, IntArray]:
    """Among which plays a class has its ``share`` and its share ``within``: those of the same
    number."""
    categories = categories_of(classes)
    within = categories if classes == N_MOVES else categories * 4 + SUIT_OF_68
    return {"share": np.zeros_like(within), "within": within}


def _frequency_rows(sample: Sample, classes: int) -> pd.DataFrame:
    is_by_suit = classes != N_MOVES
    moves_32 = MOVE_32_OF_68 if is_by_suit else np.arange(N_MOVES)  # row of Devlin's table
    categories = categories_of(classes)
    suits = ["SHDC"[suit] for suit in SUIT_OF_68] if is_by_suit else [""] * N_MOVES
    keys = share_keys(classes)["within"]
    total = fold(sample.moves.total, classes)
    columns: dict[str, object] = {
        "group": sample.group.label,
        "move": move_names(classes),
        "category": [CATEGORIES[i] for i in categories],
        "suit": suits,
        "position": [POSITIONS[i] for i in POSITION_OF_32[moves_32]],
        "count": total,
        "decisions": sample.n_decisions,
        "category_count": [int(total[keys == key].sum()) for key in keys],
    }
    for name, shared_keys in share_keys(classes).items():

        def shares(counts_of_68: NDArray, by: NDArray = shared_keys) -> NDArray:
            return _shares(fold(counts_of_68, classes), by)

        games, deviation = _over_games(sample.moves.share_moments(classes, shared_keys))
        low, high = sample.moves.interval(shares)
        columns[name] = shares(sample.moves.total)
        columns["games"] = games
        columns[f"{name}_sd"] = deviation
        columns[f"{name}_low"] = low
        columns[f"{name}_high"] = high
    return pd.DataFrame(columns)


def smoothed(counts: NDArray) -> FloatArray:
    """Counts (..., classes) as probabilities, ``ALPHA`` added to each count."""
    raised = counts + ALPHA
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def kl_divergence(p: NDArray, q: NDArray) -> FloatArray:
    """KL(p || q) over the last axis, in nats; ``q`` nowhere 0."""
    return np.asarray((p * np.log(p / q)).sum(axis=-1))


def js_divergence(p: NDArray, q: NDArray) -> FloatArray:
    """Jensen-Shannon divergence over the last axis, in bits."""
    middle = (p + q) / 2
    return (kl_divergence(p, middle) + kl_divergence(q, middle)) / (2 * np.log(2))


def halves_divergence(moves: GameCounts, classes: int = N_MOVES) -> float:
    """Mean KL between two random halves of a group's games; NaN below two games."""
    if moves.n_games < 2:
        return math.nan
    half, rest = moves.halves
    p = smoothed(fold(half, classes))
    q = smoothed(fold(rest, classes))
    return float(kl_divergence(p, q).mean())


@dataclass(frozen=True)
class StyleComparison:
    """Groups of players compared by the frequencies of abstract moves, in 32 or 68 ``classes``.

    ``groups``: ``compute_groups``, with ``GROUP_COLUMNS``; ``divergences``:
    ``compute_divergences``, with ``DIVERGENCE_COLUMNS``; ``frequencies``: ``compute_frequencies``.
    KL in nats, JS in bits, shares from 0 to 1; intervals at 95% over games."""

    classes: int
    groups: pd.DataFrame
    divergences: pd.DataFrame
    frequencies: pd.DataFrame

    @classmethod
    def of(cls, samples: Sequence[Sample], classes: int = N_MOVES) -> Self:
        """The comparison of these groups."""
        return cls(
            classes,
            compute_groups(samples, classes),
            compute_divergences(samples, classes),
            compute_frequencies(samples, classes),
        )

    def document(self) -> dict[str, Any]:
        """The comparison for JSON; what can't be known (an interval from one game) is null."""
        return {
            "classes": self.classes,
            "alpha": ALPHA,
            "units": {"kl": "nats", "kl_bits": "bits", "js": "bits"},
            "groups": document_of(self.groups.to_dict("records")),
            "divergences": document_of(self.divergences.to_dict("records")),
            "frequencies": document_of(self.frequencies.to_dict("records")),
            "published_kl": PUBLISHED_KL,
        }


def compute_groups(samples: Sequence[Sample], classes: int = N_MOVES) -> pd.DataFrame:
    """A row for each group: games, decisions, and the mean KL between two halves of its games."""
    return pd.DataFrame(
        {
            "name": [sample.group.value for sample in samples],
            "group": [sample.group.label for sample in samples],
            "games": [sample.n_games for sample in samples],
            "decisions": [sample.n_decisions for sample in samples],
            "kl_halves": [halves_divergence(sample.moves, classes) for sample in samples],
        }
    )


def compute_divergences(samples: Sequence[Sample], classes: int = N_MOVES) -> pd.DataFrame:
    """A row for each ordered pair of groups: KL(of || to) and JS, intervals over games, chance
    level, the games and decisions of both. ``kl``, its ends and ``chance`` are in nats,
    ``kl_bits``, ``js`` and its ends in bits. Groups without a play have no row."""
    with_plays = [sample for sample in samples if sample.n_decisions]
    noise = [halves_divergence(sample.moves, classes) / 4 for sample in with_plays]
    rows = []
    for i, j in permutations(range(len(with_plays)), 2):
        chance = noise[i] + noise[j]
        rows.append(_divergence_row(with_plays[i], with_plays[j], classes, chance))
    return pd.DataFrame(rows, columns=[column.name for column in DIVERGENCE_COLUMNS])


def _divergence_row(of: Sample, to: Sample, classes: int, chance: float) -> dict[str, Any]:
    p = smoothed(fold(of.moves.total, classes))
    q = smoothed(fold(to.moves.total, classes))
    drawn = None
    if of.n_games >= 2 and to.n_games >= 2:
        drawn_p = smoothed(fold(of.moves.replicates, classes))
        drawn_q = smoothed(fold(to.moves.replicates, classes))
        drawn = (drawn_p, drawn_q)
    row: dict[str, Any] = {"of": of.group.label, "to": to.group.label}
    for name, divergence in (("kl", kl_divergence), ("js", js_divergence)):
        estimate = float(divergence(p, q))
        ends = None
        if drawn is not None:
            ends = shifted_interval(divergence(*drawn), estimate)
        row |= with_ends(name, estimate, ends)
    return row | {
        "kl_bits": row["kl"] / math.log(2),
        "chance": chance,
        "of_games": of.n_games,
        "to_games": to.n_games,
        "of_decisions": of.n_decisions,
        "to_decisions": to.n_decisions,
    }


def shifted_interval(replicates: FloatArray, estimate: float) -> tuple[float, float]:
    """95% interval of replicates shifted until their mean is the estimate; no end is below 0."""
    low, high = percentiles(replicates - (replicates.mean() - estimate))
    return max(0.0, float(low)), max(0.0, float(high))


@dataclass(frozen=True)
class Decomposition:
    """Where KL(of || to) comes from, in nats.

    The chain rule, with c the context and m the move: ``KL(c, m) = KL(c) + sum over c of p(c) KL(m
    | c)``: contexts met more or less often, plus choices within them. Each sum is split into terms
    ``p ln(p/q) - p + q``, which are never negative, are 0 where both groups agree, and add up to it
    since p and q both sum to 1.

    ``cells``: a row for each context and move: ``contribution``, shares of ``of`` and ``to`` within
    the context, counts; ``chance``, what noise alone adds on average, plays taken as independent;
    ``is_clear``, whether the contribution is significant at 95%, each cell by itself. ``contexts``:
    the same for each context, of how often it is met. ``kl_joint`` is exactly ``kl_contexts +
    kl_choices``; ``kl_moves``, the headline figure, is the KL of the moves alone, never above
    ``kl_joint``."""

    cells: pd.DataFrame
    contexts: pd.DataFrame
    kl_joint: float
    kl_contexts: float
    kl_choices: float
    kl_moves: float


def _terms(p: NDArray, q: NDArray) -> FloatArray:
    """Parts of KL(p || q), each at least 0."""
    return np.asarray(p * np.log(p / q) - p + q)


def compute_decomposition(
    of: NDArray, to: NDArray, context: str, classes: int = N_MOVES
) -> Decomposition:
    """Split KL(of || to) over a context and the moves, from counts (values of the context, 68).

    Smoothed so that each move, summed over contexts, gets ``ALPHA``. Contexts that neither group
    met are left out."""
    n_of = fold(of, classes)
    n_to = fold(to, classes)
    is_met = n_of.any(axis=1) | n_to.any(axis=1)
    labels = np.array(CONTEXT_LABELS[context])[is_met]
    n_of = n_of[is_met]
    n_to = n_to[is_met]
    p = _joint_shares(n_of)
    q = _joint_shares(n_to)
    p_met = p.sum(axis=1)
    q_met = q.sum(axis=1)
    p_within = p / p_met[:, None]
    q_within = q / q_met[:, None]
    names = {"context": labels.repeat(classes), "move": move_names(classes) * len(labels)}
    cells = _split_table(names, p_within, q_within, n_of, n_to, weights=p_met[:, None])
    n_of_met = n_of.sum(axis=1)
    n_to_met = n_to.sum(axis=1)
    contexts = _split_table({"context": labels}, p_met, q_met, n_of_met, n_to_met)
    return Decomposition(
        cells,
        contexts,
        kl_joint=float(_terms(p, q).sum()),
        kl_contexts=float(contexts["contribution"].sum()),
        kl_choices=float(cells["contribution"].sum()),
        kl_moves=float(kl_divergence(p.sum(axis=0), q.sum(axis=0))),
    )


def _joint_shares(counts: NDArray) -> FloatArray:
    """Counts (contexts, classes) as smoothed shares that sum to 1."""
    raised = counts + ALPHA / max(1, len(counts))
    return np.asarray(raised / raised.sum())


def _split_table(
    names: dict[str, Any],
    p: FloatArray,
    q: FloatArray,
    n_of: NDArray,
    n_to: NDArray,
    weights: FloatArray | float = 1.0,
) -> pd.DataFrame:
    """A row for each term of KL(p || q) over the last axis, times the ``weights`` of the others.

    ``n_of``, ``n_to``: counts behind ``p`` and ``q``, in their shape. ``chance`` is the mean of a
    term for Poisson counts of one distribution."""
    contributions = weights * _terms(p, q)
    size_of = n_of.sum(axis=-1, keepdims=True)
    size_to = n_to.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        noise = (1 / size_of + 1 / size_to) / 2
    chance = np.broadcast_to(weights * noise, p.shape)
    return pd.DataFrame(
        {
            **names,
            "contribution": contributions.ravel(),
            "of_share": p.ravel(),
            "to_share": q.ravel(),
            "of_count": n_of.ravel(),
            "to_count": n_to.ravel(),
            "chance": chance.ravel(),
            "is_clear": (contributions > CLEAR * chance).ravel(),
        }
    )
