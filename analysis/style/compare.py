"""Styles of play compared: abstract-move frequencies and how far groups lie apart.

``StyleComparison`` is the one source of the numbers that pages, JSON and CSV show.

Divergences as in Devlin 2016: KL(human || agent) of the distributions of abstract moves; the
published figures are those of table 1. Smoothing: ``ALPHA`` is added to the count of every class of
both groups, so that a move that one of them never made stays finite. KL is in nats, the
Jensen-Shannon divergence in bits (0 to 1).

**Chance level.** A divergence is never negative, so that samples of the same style lie apart too.
How far is measured: a group's games are halved at random many times and the KL between the halves
is averaged. The noise of a whole group being half that of its half, two groups of one style and
these sizes would lie (halves of the one + halves of the other) / 4 apart; that is the chance level
of a pair. The bootstrap adds the noise once more, so its replicates are moved down by the
difference of their mean from the estimate. A KL whose interval reaches down to the chance level
shows no difference in style.

**Uncertainty** is over games: a Poisson bootstrap and random halves, on arrays of counts by game.
Counts have shape (games, classes), and a row means the same game in all groups: a game is drawn
with everything that was played in it, so that humans and bots of the same games stay together. Each
game's weight is an independent Poisson(1) number (the bootstrap of Hanley and MacGibbon 2006), from
a fixed seed: the same data give the same interval.

Above ``MAX_BLOCKS`` games, games are first pooled at random into that many blocks of equal size,
which are drawn instead; since games are independent, the variance is the same."""

import math
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
from spades.core.kernel import kernel
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
    Column("kl_low", "95% from", ".4f"),
    Column("kl_high", "to", ".4f"),
    Column("kl_bits", "KL (bits)", ".4f", "The same divergence: nats divided by ln 2."),
    Column("chance", "Chance level", ".4f", "Noise between groups of one style, of these sizes."),
    Column("js", "JS (bits)", ".4f"),
    Column("js_low", "95% from", ".4f"),
    Column("js_high", "to", ".4f"),
    Column("of_games", "Games of", ",d"),
    Column("to_games", "Games to", ",d"),
    Column("of_decisions", "Plays of", ",d"),
    Column("to_decisions", "Plays to", ",d"),
)
ALPHA = 0.5
"""Added to the count of every class (the prior of Jeffreys)."""

CLEAR = 3.84
"""Times the average noise (chi-square with one degree of freedom, 95%) that is beyond noise."""

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
    return padded.reshape(per_block, MAX_BLOCKS, classes).sum(axis=0).astype(np.float32)


@dataclass(frozen=True)
class ByGame:
    """Counts by game, shape (games of all logs, classes); one row a game, in every group."""

    counts: NDArray[np.int32]

    @cached_property
    def total(self) -> NDArray[np.int64]:
        """Counts over all games, (classes,)."""
        return self.counts.sum(axis=0, dtype=np.int64)

    @cached_property
    def n_games(self) -> int:
        """Games in which anything was counted."""
        return int(np.count_nonzero(self.counts.any(axis=1)))

    @cached_property
    def replicates(self) -> NDArray[np.float64]:
        """Totals of every class in each resampling, shape (``REPLICATES``, classes)."""
        blocks = _pool(self.counts)
        return (_weights(len(blocks)) @ blocks).astype(np.float64)

    @cached_property
    def halves(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Totals of two random halves of the games, two arrays of shape (``SPLITS``, classes)."""
        blocks = _pool(self.counts[self.counts.any(axis=1)])
        n = len(blocks)
        order = np.random.default_rng(SEED).random((SPLITS, n)).argsort(axis=1)
        in_half = np.zeros((SPLITS, n), dtype=np.float32)
        np.put_along_axis(in_half, order[:, : n // 2], 1.0, axis=1)
        half = (in_half @ blocks).astype(np.float64)
        return half, blocks.sum(axis=0, dtype=np.float64) - half

    def interval(
        self, statistic: Callable[[NDArray], NDArray]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """95% percentile interval over games of a statistic of totals (..., classes). NaN where
        there are fewer than two games. Replicates in which the statistic is not defined (no play of
        the category drawn) don't count."""
        if self.n_games < 2:
            nothing = np.full(np.shape(statistic(self.total)), np.nan)
            return nothing, nothing
        return percentiles(statistic(self.replicates))


def percentiles(values: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds of the middle 95% of replicates (axis 0); NaN replicates left out."""
    flat = pd.DataFrame(values.reshape(len(values), -1))  # numpy's nanquantile warns of all NaN
    low, high = flat.quantile([(1 - LEVEL) / 2, (1 + LEVEL) / 2]).to_numpy()
    return low.reshape(values.shape[1:]), high.reshape(values.shape[1:])


@dataclass(frozen=True)
class Sample:
    """A group and its counts of the 68 moves by game."""

    group: Group
    moves: ByGame

    @property
    def n_games(self) -> int:
        return self.moves.n_games

    @property
    def n_decisions(self) -> int:
        return int(self.moves.total.sum())


def draw_samples(data: Sequence[Plays], groups: Sequence[Group], where: PlayFilter) -> list[Sample]:
    """The plays of each group that pass the filter."""
    return [Sample(group, ByGame(game_counts(data, group, where))) for group in groups]


def move_names(classes: int) -> tuple[str, ...]:
    return MOVES_32 if classes == N_MOVES else MOVES_68


def _shares(counts: NDArray, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Counts (..., classes) as shares of those of the same key; NaN where there are none."""
    names, key_index = np.unique(keys, return_inverse=True)
    totals = counts @ (keys[:, None] == names).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(counts / totals[..., key_index])


def _over_games(
    counts: NDArray[np.int32], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Games with a play of the category, and the standard deviation over them; NaN below two."""
    moments = np.zeros((3, keys.size))
    share_moments(counts, keys, np.empty(int(keys.max()) + 1, dtype=np.int64), moments)
    n, total, squares = moments
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.maximum(squares - total * total / n, 0.0) / (n - 1)
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
    """A row a group and class: how often the group plays it.

    ``share``: of all its plays (sums to 1); ``within``: of the plays of its category (with 68
    classes: of the category and suit). Each with the standard deviation over games, ``_sd``, and
    the 95% bootstrap interval over games, ``_low`` and ``_high``. ``count`` of the class,
    ``decisions`` of the group, ``category_count``, and ``games`` with a play of the category."""
    return pd.concat([_frequency_rows(sample, classes) for sample in samples], ignore_index=True)


def _frequency_rows(sample: Sample, classes: int) -> pd.DataFrame:
    # The row of Devlin's table, one of 32, that each class belongs to. Frequencies within a
    # category are of the plays with its key: the category, with 68 classes also the suit.
    if classes == N_MOVES:
        rows = np.arange(N_MOVES)
        keys = CATEGORY_OF_32[rows].astype(np.int64)
        suits = [""] * N_MOVES
    else:
        rows = MOVE_32_OF_68.astype(np.int64)
        keys = CATEGORY_OF_32[rows].astype(np.int64) * 4 + SUIT_OF_68
        suits = ["SHDC"[suit] for suit in SUIT_OF_68]
    counts = fold(sample.moves.counts, classes)
    total = fold(sample.moves.total, classes)
    columns: dict[str, object] = {
        "group": sample.group.label,
        "move": move_names(classes),
        "category": [CATEGORIES[i] for i in CATEGORY_OF_32[rows]],
        "suit": suits,
        "position": [POSITIONS[i] for i in POSITION_OF_32[rows]],
        "count": total,
        "decisions": sample.n_decisions,
        "category_count": [int(total[keys == key].sum()) for key in keys],
    }
    for name, shared in (("share", np.zeros_like(keys)), ("within", keys)):
        columns[name] = _shares(total, shared)
        columns["games"], columns[f"{name}_sd"] = _over_games(counts, shared)

        def drawn_shares(drawn: NDArray, by: NDArray = shared) -> NDArray:
            return _shares(fold(drawn, classes), by)

        ends = sample.moves.interval(drawn_shares)
        columns[f"{name}_low"], columns[f"{name}_high"] = ends
    return pd.DataFrame(columns)


def smoothed(counts: NDArray, alpha: float = ALPHA) -> NDArray[np.float64]:
    """Counts (..., classes) as probabilities, ``alpha`` added to each."""
    raised = np.asarray(counts, dtype=np.float64) + alpha
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def kl_divergence(p: NDArray, q: NDArray) -> NDArray[np.float64]:
    """KL(p || q) over the last axis, in nats; ``q`` nowhere 0."""
    return np.asarray((p * np.log(p / q)).sum(axis=-1))


def js_divergence(p: NDArray, q: NDArray) -> NDArray[np.float64]:
    """Jensen-Shannon divergence over the last axis, in bits."""
    middle = (p + q) / 2
    return (kl_divergence(p, middle) + kl_divergence(q, middle)) / (2 * np.log(2))


def halves_divergence(moves: ByGame, classes: int = N_MOVES) -> float:
    """Mean KL between two random halves of a group's games; NaN below two games."""
    if moves.n_games < 2:
        return math.nan
    half, rest = (smoothed(fold(counts, classes)) for counts in moves.halves)
    return float(kl_divergence(half, rest).mean())


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
    """A row a group: games, decisions, and the mean KL between two halves of its games."""
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
    """A row an ordered pair of groups: KL(of || to) and JS, intervals over games, chance level, the
    games and decisions of both. ``kl``, its ends and ``chance`` are in nats, ``kl_bits``, ``js``
    and its ends in bits. Groups without a play have no row."""
    with_plays = [sample for sample in samples if sample.n_decisions]
    noise = [halves_divergence(sample.moves, classes) / 4 for sample in with_plays]
    rows = [
        _divergence_row(with_plays[i], with_plays[j], classes, noise[i] + noise[j])
        for i, j in permutations(range(len(with_plays)), 2)
    ]
    return pd.DataFrame(rows, columns=[column.name for column in DIVERGENCE_COLUMNS])


def _divergence_row(of: Sample, to: Sample, classes: int, chance: float) -> dict[str, Any]:
    pair = (of.moves, to.moves)
    totals = [smoothed(fold(moves.total, classes)) for moves in pair]
    replicates = None
    if min(of.n_games, to.n_games) >= 2:
        replicates = [smoothed(fold(moves.replicates, classes)) for moves in pair]
    row: dict[str, Any] = {"of": of.group.label, "to": to.group.label}
    for name, divergence in (("kl", kl_divergence), ("js", js_divergence)):
        estimate = float(divergence(*totals))
        ends = None
        if replicates:  # moved so that their mean is the estimate, none below 0
            resampled = divergence(*replicates)
            low, high = percentiles(resampled - (resampled.mean() - estimate))
            ends = (max(0.0, float(low)), max(0.0, float(high)))
        row |= with_ends(name, estimate, ends)
    return row | {
        "kl_bits": row["kl"] / math.log(2),
        "chance": chance,
        "of_games": of.n_games,
        "to_games": to.n_games,
        "of_decisions": of.n_decisions,
        "to_decisions": to.n_decisions,
    }


@dataclass(frozen=True)
class Decomposition:
    """Where KL(of || to) comes from, in nats.

    The chain rule, with c the context and m the move: ``KL(c, m) = KL(c) + sum over c of p(c) KL(m
    | c)``: contexts met more or less often, plus choices within them. Each sum is split into terms
    ``p ln(p/q) - p + q``, which are never negative, are 0 where both groups agree, and add up to it
    since p and q both sum to 1.

    ``cells``: a row a context and move (``contribution``, shares of ``of`` and ``to`` within the
    context, counts; ``chance``, what noise alone adds on average, plays taken as independent;
    ``is_clear`` where the contribution is beyond noise at 95%, each cell by itself). ``contexts``:
    a row a context (``contribution`` of how often it is met), likewise. ``kl_joint = kl_contexts +
    kl_choices`` exactly; ``kl_moves`` is the KL of the moves alone, the headline figure, never
    above ``kl_joint``."""

    cells: pd.DataFrame
    contexts: pd.DataFrame
    kl_joint: float
    kl_contexts: float
    kl_choices: float
    kl_moves: float


def _terms(p: NDArray, q: NDArray) -> NDArray[np.float64]:
    """Parts of KL(p || q), each at least 0."""
    return np.asarray(p * np.log(p / q) - p + q)


def compute_decomposition(
    of: NDArray, to: NDArray, context: str, classes: int = N_MOVES
) -> Decomposition:
    """Split KL(of || to) over a context and the moves; counts (values of the context, 68). Smoothed
    so that the moves summed over contexts are smoothed by ``ALPHA`` each. Contexts that neither
    group met are left out."""
    counts = [fold(table, classes).astype(np.float64) for table in (of, to)]
    met = np.flatnonzero(counts[0].any(axis=1) | counts[1].any(axis=1))
    raised = [table[met] + ALPHA / max(1, len(met)) for table in counts]
    p, q = (table / table.sum() for table in raised)  # (contexts, moves)
    p_met = p.sum(axis=1)
    q_met = q.sum(axis=1)
    p_within = p / p_met[:, None]
    q_within = q / q_met[:, None]
    terms = p_met[:, None] * _terms(p_within, q_within)
    context_terms = _terms(p_met, q_met)
    labels = [CONTEXT_LABELS[context][i] for i in met]
    n_of, n_to = (table[met].astype(np.int64) for table in counts)
    sizes = [table.sum(axis=1, keepdims=True) for table in (n_of, n_to)]
    cells = _split_table(
        {"context": np.repeat(labels, classes), "move": move_names(classes) * len(met)},
        terms,
        (p_within, q_within),
        (n_of, n_to),
        np.repeat(p_met[:, None] * _noise(sizes), classes, axis=1),
    )
    totals = (n_of.sum(axis=1), n_to.sum(axis=1))
    contexts = _split_table(
        {"context": labels},
        context_terms,
        (p_met, q_met),
        totals,
        np.repeat(_noise([total.sum() for total in totals]), len(met)),
    )
    return Decomposition(
        cells,
        contexts,
        kl_joint=float(_terms(p, q).sum()),
        kl_contexts=float(context_terms.sum()),
        kl_choices=float(terms.sum()),
        kl_moves=float(kl_divergence(p.sum(axis=0), q.sum(axis=0))),
    )


def _noise(sizes: Sequence[NDArray]) -> NDArray[np.float64]:
    """The average that noise alone adds to a term ``p ln(p/q) - p + q``, for Poisson counts."""
    with np.errstate(divide="ignore"):
        return np.asarray(sum(1 / np.asarray(n, dtype=np.float64) for n in sizes) / 2)


def _split_table(
    names: dict[str, Any],
    terms: NDArray,
    shares: tuple[NDArray, NDArray],
    counts: tuple[NDArray, NDArray],
    noise: NDArray,
) -> pd.DataFrame:
    """A row a term; ``shares`` and ``counts`` of both groups, in the shape of the terms."""
    return pd.DataFrame(
        {
            **names,
            "contribution": terms.ravel(),
            "of_share": shares[0].ravel(),
            "to_share": shares[1].ravel(),
            "of_count": counts[0].ravel(),
            "to_count": counts[1].ravel(),
            "chance": noise.ravel(),
            "is_clear": terms.ravel() > CLEAR * noise.ravel(),
        }
    )
