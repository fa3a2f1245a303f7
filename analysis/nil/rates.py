"""How often nils succeed, by sequence of bids and nil value, next to the fitted curves; and where
one hand lies on these.

A *source* of nils is a log, or the rounds that a table of curves was fitted on. Each holds counts
by sequence and nil value. Every rate has its n and an exact (Clopper-Pearson) 95% interval; a bin
without a nil has no rate."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from analysis.bidding.questions import ANY, NIL_DENIED, Pattern, format_bids, name_of, sequences_of
from analysis.intervals import rate_columns
from analysis.text_tables import counted
from spades.bidding import SuccessCurves
from spades.bidding.answer import FOUR_SPADES, pr_cnil
from spades.bidding.auction import MAX_PREVIOUS, N_BIDS, SEQUENCES
from spades.bidding.curves import N_VALUE_BINS
from spades.bidding.hands import VOID_FACTOR, nil_tables, nil_value
from spades.core.cards import SUITS, Deck, suit_mask
from spades.core.kernel import FloatArray, IntArray, kernel

N_PLACES = 101  # of a curve, over the nil values 0 to 1
CURVE_COLUMNS = ["source", "sequence", "value", "chance", "low", "high", "n"]
MAX_SUM = MAX_PREVIOUS * (N_BIDS - 1)


@dataclass(frozen=True, eq=False)
class Source:
    """Nils of one source. ``counts`` int (2955, 20, 2): nils, and nils made, by sequence and nil
    value; ``curves``: those fitted on them, None for a log."""

    label: str
    counts: NDArray[np.integer]
    curves: SuccessCurves | None = None


def bin_of(value: FloatArray, n_bins: int = N_VALUE_BINS) -> IntArray:
    """Bins of equal width over 0 to 1; the last holds 1 too."""
    bins = (np.asarray(value) * n_bins).astype(np.int64)
    return np.minimum(bins, n_bins - 1)


def pooled_chance(source: Source, sequences: IntArray, value: FloatArray) -> FloatArray:
    """The curve of one sequence at nil values above 0, shape (values,); NaN without curves.

    Of several sequences: the mean of their curves, weighted by the nils that each was fitted to
    (unweighted if there were none)."""
    if source.curves is None:
        return np.full(len(value), np.nan)
    weights = source.curves.n[sequences].astype(np.float64)
    if not weights.any():
        weights = np.ones(len(sequences))
    return (weights / weights.sum()) @ chances(source, sequences, value)


def chances(source: Source, sequences: IntArray, value: FloatArray) -> FloatArray:
    """Each sequence's curve at nil values above 0, (sequences, values); NaN without curves."""
    if source.curves is None:
        return np.full((len(sequences), len(value)), np.nan)
    logits, _ = source.curves.logits(sequences[:, None], value)
    return np.asarray(expit(logits))


def chance_at(source: Source, pattern: Pattern, value: float) -> tuple[float, float, float]:
    """Chance of a nil of this value with its 95% interval; no interval (NaN) for a pooled curve,
    and all NaN for a value of 0, which BIS's rules deny without a curve."""
    if value <= 0.0:
        return np.nan, np.nan, np.nan
    curves = source.curves
    if curves is not None and ANY not in pattern:
        low, high = curves.interval(pattern, value)
        return curves.probability(pattern, value), low, high
    chances_at = pooled_chance(source, sequences_of(pattern), np.array([value]))
    return float(chances_at[0]), np.nan, np.nan


def compute_curves(sources: Sequence[Source], patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Curves of every source that has them: ``source``, ``sequence``, ``value``, ``chance``,
    ``low`` and ``high`` (NaN for pooled curves), and ``n``, the nils in the value's bin."""
    tables = []
    for source, pattern in product(sources, patterns):
        if source.curves is not None:
            tables.append(_curve_table(source, source.curves, pattern))
    if not tables:
        return pd.DataFrame(columns=CURVE_COLUMNS)
    return pd.concat(tables, ignore_index=True)


def _curve_table(source: Source, curves: SuccessCurves, pattern: Pattern) -> pd.DataFrame:
    value = np.linspace(0.0, 1.0, N_PLACES)[1:]
    intervals = np.full((len(value), 2), np.nan)
    if ANY not in pattern:
        intervals[:] = [curves.interval(pattern, p) for p in value.tolist()]
    return pd.DataFrame(
        {
            "source": source.label,
            "sequence": name_of(pattern),
            "value": value,
            "chance": pooled_chance(source, sequences_of(pattern), value),
            "low": intervals[:, 0],
            "high": intervals[:, 1],
            "n": _counts(source, pattern)[0][bin_of(value)],
        }
    )


def describe_thin(rates: pd.DataFrame, few: int) -> str:
    """Which sequences have bins of fewer than ``few`` nils, of how many, in words; empty if none
    has. ``rates``: of ``compute_rates``, those of one source."""
    parts = []
    for sequence, bins in rates.groupby("sequence", sort=False):
        thin = bins[bins["n"] < few]
        if len(thin):
            nils = counted(thin["n"].sum(), "nil")
            parts.append(f"{sequence} in {len(thin)} of {len(bins)} parts ({nils})")
    return "; ".join(parts)


def compute_rates(sources: Sequence[Source], patterns: Sequence[Pattern]) -> pd.DataFrame:
    """Nils by bin of nil value: 20 rows for each source and sequence.

    ``from``, ``to``: edges of the bin; ``value``, its mean nil value, in the middle where that
    isn't known; ``n``, ``made``; ``rate``, ``low``, ``high``: NaN where n is
    0; ``curve``: the source's curve at that value, NaN without one; ``bids``: the
    pattern as links write it."""
    width = 1 / N_VALUE_BINS
    bins = np.arange(N_VALUE_BINS)
    edges = bins / N_VALUE_BINS
    tables = []
    for source, pattern in product(sources, patterns):
        n, made = _counts(source, pattern)
        value = edges + width / 2
        if source.curves is not None and source.curves.bin_values is not None:
            value = source.curves.bin_values
        columns = {
            "source": source.label,
            "sequence": name_of(pattern),
            "bids": format_bids(pattern),
            "bin": bins,
            "from": edges,
            "to": edges + width,
            "value": value,
            **rate_columns(n, made),
            "curve": pooled_chance(source, sequences_of(pattern), value),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def _counts(source: Source, pattern: Pattern) -> IntArray:
    """Nils, and nils made, after these bids by bin of nil value, (2, 20)."""
    by_sequence = source.counts[sequences_of(pattern)]
    return by_sequence.sum(axis=0, dtype=np.int64).T


def compute_totals(sources: Sequence[Source], patterns: Sequence[Pattern]) -> pd.DataFrame:
    """A row for each source and sequence: nils, made, rate with its interval, and the chance by the
    curve of nil values of 0.5 and 0.9 (NaN without a curve)."""
    values = np.array([0.5, 0.9])
    rows = []
    for source, pattern in product(sources, patterns):
        n, made = _counts(source, pattern).sum(axis=1)
        at_half, at_high = pooled_chance(source, sequences_of(pattern), values)
        row = {
            "source": source.label,
            "sequence": name_of(pattern),
            **_rate(n, made),
            "at 0.5": at_half,
            "at 0.9": at_high,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _rate(n: int, made: int) -> dict[str, float]:
    """``rate_columns`` of a single rate as numbers."""
    columns = rate_columns(n, made)
    return {name: value.item() for name, value in columns.items()}


def compute_surface(source: Source, n_previous: int, value: float) -> pd.DataFrame:
    """Chance of a nil by the partner's bid and the sum of the previous bids.

    A row for each possible pair after two or three bids: ``partner``, ``total``, ``chance`` of the
    curves at this nil value (NaN without curves), pooled over the sequences of the pair as
    ``pooled_chance`` does; ``n``, ``made``, ``rate``, ``low``, ``high`` of the nils of every nil
    value."""
    pairs = _pairs(n_previous).groupby(["partner", "total"])
    values = np.array([value])
    rows = []
    for (partner, total), sequences in pairs.groups.items():
        (chance,) = pooled_chance(source, sequences.to_numpy(), values)
        counts = source.counts[sequences]
        n, made = counts.sum(axis=(0, 1), dtype=np.int64)
        rows.append((partner, total, chance, n, made))
    table = pd.DataFrame(rows, columns=["partner", "total", "chance", "n", "made"])
    return table.assign(**rate_columns(table["n"], table["made"]))


def compute_cell(
    source: Source,
    n_previous: int,
    partner: int,
    total: int,
    value: float,
) -> pd.DataFrame:
    """The sequences of a cell of the surface, those with the most nils first. ``bids`` as links
    write them, ``n``, ``made``, ``rate``, ``low``, ``high`` of the nils of every nil value,
    ``chance`` of the curve at this one (NaN without curves)."""
    sequences = cell_sequences(n_previous, partner, total)
    counts = source.counts[sequences]
    totals = counts.sum(axis=1, dtype=np.int64)
    n, made = totals.T
    columns = {
        "bids": [format_bids(SEQUENCES[sequence]) for sequence in sequences],
        **rate_columns(n, made),
        "chance": chances(source, sequences, np.array([value]))[:, 0],
    }
    table = pd.DataFrame(columns)
    return table.sort_values("n", ascending=False, kind="stable", ignore_index=True)


def cell_sequences(n_previous: int, partner: int, total: int) -> IntArray:
    """Indices of the sequences of that many bids with this partner's bid and this sum."""
    pairs = _pairs(n_previous)
    is_in_cell = (pairs["partner"] == partner) & (pairs["total"] == total)
    return pairs.index[is_in_cell].to_numpy()


def _pairs(n_previous: int) -> pd.DataFrame:
    """Partner's bid and sum of every sequence of that many bids, by index."""
    pairs = {}
    for i, bids in enumerate(SEQUENCES):
        if len(bids) == n_previous:
            pairs[i] = (bids[-2], sum(bids))
    return pd.DataFrame.from_dict(pairs, orient="index", columns=["partner", "total"])


def value_of(hand: int, deck: Deck) -> float:
    """The nil value of 13 cards: Pr(cnil) of the suits multiplied, 1.15 times with a void."""
    return float(nil_value(hand, nil_tables(deck)))


@kernel
def values_of(hands: NDArray, p_cnils: NDArray) -> FloatArray:
    """Nil values of hands (n,). ``p_cnils``: ``nil_tables`` of the deck."""
    values = np.empty(len(hands))
    for i in range(len(hands)):
        values[i] = nil_value(np.int64(hands[i]), p_cnils)
    return values


def compute_suits(hand: int, deck: Deck) -> pd.DataFrame:
    """A row for each suit: ``suit``, its ``cards`` highest first, ``p_cnil``, the chance that the
    distribution of the cards alone doesn't set the nil there, NaN where a rule denies the nil."""
    cards = [deck.format_cards(hand & suit_mask(suit)) for suit in range(len(SUITS))]
    p_cnil = np.array(pr_cnil(hand, deck), dtype=float)
    return pd.DataFrame({"suit": list(SUITS), "cards": cards, "p_cnil": p_cnil})


def arithmetic(suits: pd.DataFrame, value: float) -> str:
    """The nil value as a product: ``0.54 × 0.97 × 0.57 × 1.00 = 0.30``; where a rule denies the
    nil, the rule."""
    if suits["p_cnil"].hasnans:
        return f"{value:g}; {NIL_DENIED[FOUR_SPADES]}"
    factors = [f"{p:.3f}" for p in suits["p_cnil"]]
    has_void = "" in suits["cards"].to_list()
    if has_void:
        factors.append(f"{VOID_FACTOR} (void)")
    text = f"{' × '.join(factors)} = {value:.3f}"
    if has_void and value == 1.0:
        text += ", at most 1"
    return text


def nil_points(chance: float, worth: int) -> float:
    """Expected points of a nil, which scores or costs ``worth``."""
    return worth * (2.0 * chance - 1.0)


def compute_places(
    sources: Sequence[Source],
    pattern: Pattern,
    value: float,
) -> pd.DataFrame:
    """Hands of this value on the curves of every source that has them: a row each.

    ``chance`` with ``low`` and ``high``; ``after``: nils seen after these bids; ``n``, ``made``,
    ``rate``, ``rate_low``, ``rate_high``: those of them in the hand's bin of nil value."""
    rows = []
    for source in sources:
        if source.curves is None:
            continue
        chance, low, high = chance_at(source, pattern, value)
        n, made = _counts(source, pattern)
        value_bin = bin_of(np.array(value))
        same_bin = _rate(n[value_bin], made[value_bin])
        row = {
            "source": source.label,
            "chance": chance,
            "low": low,
            "high": high,
            "after": int(n.sum()),
            "n": same_bin["n"],
            "made": same_bin["made"],
            "rate": same_bin["rate"],
            "rate_low": same_bin["low"],
            "rate_high": same_bin["high"],
        }
        rows.append(row)
    return pd.DataFrame(rows)
