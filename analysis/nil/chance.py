"""The chance of a nil of one hand: one number, and what it is made of.

Three numbers are known of a nil that is about to be bid, and they differ:

- how often hands of its nil value made their nil after these bids: the nil curve;
- how often this very hand makes it in simulated rounds;
- how often such nils were made in a log.

*The* chance of this nil is the second. It goes by all thirteen cards, of which the nil value is a
summary, and by the score and the rules. The curve is its mean over hands alike, so that the two are
one sum:

    chance of this nil = hands of this value, after these bids + these cards

Both are of the same players: BIS bids, the strong rule-based player plays all four hands, and the
hidden cards are those on which BIS would have bid what was bid. That is also their limit: nils are
made less often among simulated humans, whose curve stands beside. The third number is no chance of
this hand, but what happened to others, and is called that, with its n.

BIS doesn't ask for this chance. It bids by its own estimate, that of its logistic curve
(``BisAnswer.p_nil``), which is near the first number; Replay and the command ``bid`` show that one
as BIS's. Bids judged (``analysis.bidding.judged``) are compared by points and state no chance."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.bidding.bid_trials import BidTrials
from analysis.bidding.questions import Pattern, sequences_of
from analysis.intervals import share_interval
from analysis.nil.rates import Source, bin_of, chance_at, nil_points, value_of
from analysis.text_tables import points_text, signed, span
from spades.bidding import load_curves
from spades.bidding.answer import auction_of
from spades.bidding.auction import INDEX_OF, SEQUENCES, previous_index
from spades.bidding.curves import N_VALUE_BINS, NIL_TABLE
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, Rules

BIDDER = "bis"
"""Whose rounds the curve is of, and so who bids in the simulated ones."""
COLUMNS = ["what", "chance", "low", "high", "points", "n", "of"]


@dataclass(frozen=True)
class NilChance:
    """The chance of a nil of one hand after these bids.

    ``made`` of ``n`` simulated rounds. ``of_value``: the nil curve at the hand's nil value, with
    its interval ``of_value_ends``, fitted to ``n_after`` nils after these bids; None where a rule
    denies the nil, or where others bid than those of the curve. ``what_differs``: what, beside the
    cards, the simulated rounds know and the curve doesn't."""

    made: int
    n: int
    of_value: float | None
    of_value_ends: tuple[float, float]
    n_after: int
    what_differs: tuple[str, ...]

    @property
    def chance(self) -> float:
        return self.made / self.n

    @property
    def ends(self) -> tuple[float, float]:
        """95% interval of the chance, exact."""
        return share_interval(self.made, self.n) or (0.0, 1.0)

    @property
    def cards(self) -> float:
        """What these cards add to hands of their value; NaN without a curve."""
        return math.nan if self.of_value is None else self.chance - self.of_value

    @property
    def cards_ends(self) -> tuple[float, float]:
        """95% interval of that difference, from the intervals of its two parts (Newcombe 1998,
        method 10)."""
        if self.of_value is None:
            return math.nan, math.nan
        low, high = self.ends
        curve_low, curve_high = self.of_value_ends
        below = math.hypot(self.chance - low, curve_high - self.of_value)
        above = math.hypot(high - self.chance, self.of_value - curve_low)
        return self.cards - below, self.cards + above

    @property
    def cards_name(self) -> str:
        """``these cards``, and what else differs."""
        *others, last = ["these cards", *self.what_differs]
        return f"{', '.join(others)} and {last}" if others else last

    def text(self) -> str:
        """The sum as a sentence."""
        chance = f"{self.chance:.1%} ({span(self.ends, '.1%')})"
        if self.of_value is None:
            return f"Made in {chance} of {self.n:,} simulated rounds."
        return (
            f"Hands of this value, after these bids, make {self.of_value:.1%} of their nils "
            f"({span(self.of_value_ends, '.1%')}); {self.cards_name} {points_text(self.cards)} "
            f"pp ({_span_of_points(self.cards_ends)}): {chance}."
        )


def nil_chance(observation: Observation, trials: BidTrials) -> NilChance | None:
    """The chance of a nil, from trials of it; None where it wasn't tried."""
    tried = [outcome for outcome in trials.bids if outcome.bid == NIL_BID]
    if not tried or observation.rules.nil is None:
        return None
    made = tried[0].made
    curves = load_curves(NIL_TABLE)
    sequence = int(previous_index(auction_of(observation)))
    value = value_of(observation.hand_mask, observation.rules.cards)
    source = Source("", curves.counts, curves)
    chance, low, high = chance_at(source, SEQUENCES[sequence], value)
    is_known = trials.bidder == BIDDER and not math.isnan(chance)
    return NilChance(
        made=int(made.sum()),
        n=len(made),
        of_value=chance if is_known else None,
        of_value_ends=(low, high) if is_known else (math.nan, math.nan),
        n_after=int(curves.n[sequence]),
        what_differs=_what_differs(observation, trials, is_first=sequence == INDEX_OF[()]),
    )


def _what_differs(
    observation: Observation, trials: BidTrials, *, is_first: bool
) -> tuple[str, ...]:
    """What the rounds of the curve (0 to 0, usual rules, exactly these bids) don't have."""
    found = []
    if any(observation.score_before or ()) or any(observation.bags_before or ()):
        found.append("the score")
    if observation.rules != Rules():
        found.append("the rules")
    if trials.tolerance:
        found.append("bids before met only nearly")
    elif trials.tolerance is None and not is_first:
        found.append("bids before not met")
    return tuple(found)


def parts_table(chance: NilChance, worth: int) -> pd.DataFrame:
    """The sum: rows of hands of this value, of what these cards add, and of this nil; the last
    alone without a curve.

    ``what``; ``chance``, 0 to 1 or added to one, and its ends; ``points`` expected of the nil, or
    added; ``n`` ``of`` what."""
    rows: list[tuple[object, ...]] = []
    if chance.of_value is not None:
        of_value = ("Hands of this value, after these bids", chance.of_value)
        points = nil_points(chance.of_value, worth)
        rows.append((*of_value, *chance.of_value_ends, points, chance.n_after, "nils"))
        added = (f"Added by {chance.cards_name}", chance.cards)
        points = 2.0 * worth * chance.cards
        rows.append((*added, *chance.cards_ends, points, math.nan, ""))
    this_nil = ("This nil", chance.chance)
    points = nil_points(chance.chance, worth)
    rows.append((*this_nil, *chance.ends, points, chance.n, "simulated rounds"))
    return pd.DataFrame(rows, columns=COLUMNS)


def _span_of_points(ends: tuple[float, float]) -> str:
    return " to ".join(points_text(end) for end in ends)


def verdict(chance: NilChance, threshold: float, worth: int) -> str:
    """Whether the chance of this nil is worth the threshold, as a sentence."""
    points = nil_points(chance.chance, worth)
    low, high = (nil_points(end, worth) for end in chance.ends)
    if low > threshold:
        side = "over the threshold"
    elif high <= threshold:
        side = "not over the threshold"
    else:
        side = "too close to the threshold to call"
    return (
        f"The chance of this nil, {chance.chance:.1%}, makes it {signed(points)} points "
        f"({span((low, high), '+.1f')}): {side}."
    )


def describe_alike(source: Source, pattern: Pattern, value: float) -> str:
    """What became of nils of like value, the same twentieth, in a source, as a sentence."""
    at = bin_of(np.array(value)).item()
    n, made = source.counts[:, at].sum(axis=0, dtype=np.int64).tolist()
    low = at / N_VALUE_BINS
    alike = f"nils of like value ({low:.2f} to {low + 1 / N_VALUE_BINS:.2f})"
    if not n:
        return f"{source.label}: no {alike} was bid."
    n_after, made_after = source.counts[sequences_of(pattern), at].sum(axis=0).tolist()
    after = f"{made_after:,} of {n_after:,}" if n_after else "none was bid"
    ends = span(share_interval(made, n), ".1%")
    return (
        f"{source.label}: {made:,} of {n:,} {alike} were made, {made / n:.1%} (95%: {ends}), "
        f"whatever was bid before; after these bids {after}."
    )
