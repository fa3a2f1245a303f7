"""A hand's nil: its value suit by suit, its chance by every curve, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.bidding.sequences import Pattern, sequences_of
from analysis.nil.rates import Source, chance_at, rate_columns
from analysis.nil.rounds import bin_of
from spades.bidding.hands import VOID_FACTOR, nil_tables, nil_value, p_cnil
from spades.core.cards import SUITS, Deck, suit_mask


def value_of(hand: int, deck: Deck) -> float:
    """The nil value of 13 cards: Pr(cnil) of the suits multiplied, 1.15 times with a void."""
    return float(nil_value(hand, nil_tables(deck)))


def compute_suits(hand: int, deck: Deck) -> pd.DataFrame:
    """A row a suit: ``suit``, its ``cards`` highest first, ``p_cnil``, the chance that the cards'
    lie alone doesn't set the nil there."""
    masks = [hand & suit_mask(suit) for suit in range(len(SUITS))]
    return pd.DataFrame(
        {
            "suit": list(SUITS),
            "cards": [deck.format_cards(mask) for mask in masks],
            "p_cnil": [p_cnil(mask, suit, deck) for suit, mask in enumerate(masks)],
        }
    )


def arithmetic(suits: pd.DataFrame, value: float) -> str:
    """The nil value as a product: ``0.54 × 0.97 × 0.57 × 1.00 = 0.30``."""
    factors = [f"{p:.3f}" for p in suits["p_cnil"]]
    if (suits["cards"] == "").any():
        factors.append(f"{VOID_FACTOR} (void)")
    cut = ", at most 1" if value == 1.0 and "" in suits["cards"].tolist() else ""
    return f"{' × '.join(factors)} = {value:.3f}{cut}"


def nil_points(chance: float, worth: int) -> float:
    """Points that a nil is expected to bring: it scores or costs ``worth``."""
    return worth * (2.0 * chance - 1.0)


def compute_places(
    sources: Sequence[Source], pattern: Pattern, value: float, worth: int
) -> pd.DataFrame:
    """The hand's place with every source that has curves: a row each.

    ``chance`` with ``low`` and ``high``; ``points`` expected of the nil, ``points_low`` and
    ``points_high``; ``after``: nils seen after these bids; ``n``, ``made``, ``rate``, ``rate_low``,
    ``rate_high``: those of them in the hand's bin of nil value.
    """
    rows = []
    for source in sources:
        if source.curves is None:
            continue
        chance, low, high = chance_at(source, pattern, value)
        counts = source.counts[sequences_of(pattern)].sum(axis=0, dtype=np.int64)
        n, made = counts[bin_of(np.array([value]))].T
        seen = {name: column[0] for name, column in rate_columns(n, made).items()}
        rows.append(
            {
                "source": source.label,
                "chance": chance,
                "low": low,
                "high": high,
                "points": nil_points(chance, worth),
                "points_low": nil_points(low, worth),
                "points_high": nil_points(high, worth),
                "after": int(counts[:, 0].sum()),
                "n": seen["n"],
                "made": seen["made"],
                "rate": seen["rate"],
                "rate_low": seen["low"],
                "rate_high": seen["high"],
            }
        )
    return pd.DataFrame(rows)
