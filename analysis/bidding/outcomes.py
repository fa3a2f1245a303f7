"""What a bid comes to: the points of the round for nil and for other bids of one hand, simulated.

Cohensius 2020, figure 2, has these distributions for one hand. Here, for any seat that is to bid:
the other 39 cards are drawn at random, the seats after it bid, and the strong rule-based player
plays all four hands. Every bid is tried on the same deals, so that two bids can be compared deal
by deal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.bidding.kernels import TOLERANCES, Before, finish_auctions, measure_misses
from analysis.intervals import Interval, mean_interval, share_interval
from spades.agents import parse_agent
from spades.agents.compiled import Crew, Rounds, Seating, crew_of
from spades.agents.pairs import nils_and_contracts
from spades.agents.play import play_bid_rounds
from spades.belief.determinize import UniformDeals
from spades.bidding import BidderOptions, bid_context, explain_bis
from spades.bidding.answer import check_seat
from spades.core.cards import N_SEATS, partnership_of
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import GameScore

PLAYER = "srp"
DEFAULT_BIDDER = "bis"
DEFAULT_ROUNDS, MAX_ROUNDS = 2_000, 100_000
MAX_DRAWS, DRAWN_AT_ONCE = 200_000, 20_000
ENOUGH = 500  # deals that agree exactly with the bids before are enough of these
BIN_WIDTH = 10  # points
_DEAL_STREAM = 23


@dataclass(frozen=True)
class TrialSettings:
    """How bids are tried: ``n`` deals at most, the ``bidder`` of the other seats, the ``seed``.

    ``conditioned``: only deals on which ``bidder``, sitting in the seats that have bid, would have
    bid what they bid.
    """

    n: int = DEFAULT_ROUNDS
    bidder: str = DEFAULT_BIDDER
    seed: int = 0
    conditioned: bool = True


@dataclass(frozen=True)
class BidOutcome:
    """n rounds after one bid, for the bidder's partnership.

    Int64 (n,): ``points`` that the round adds to its game score, a bag penalty taken off;
    ``difference``, points less the opponents' points; ``tricks`` of the bidder alone. Bool (n,):
    ``made``, the nil if the bid is one, else the partnership's contract; ``contract_made``, the
    contract in either case (beside a nil the partner's alone, True where that is 0).
    """

    bid: int
    is_nil: bool
    points: NDArray[np.int64]
    difference: NDArray[np.int64]
    tricks: NDArray[np.int64]
    made: NDArray[np.bool_]
    contract_made: NDArray[np.bool_]

    @property
    def name(self) -> str:
        return "nil" if self.is_nil else str(self.bid)


@dataclass(frozen=True)
class BidTrials:
    """The outcomes of several bids on the same deals.

    ``n_drawn`` deals were drawn; those kept agree with the bids before up to ``tolerance`` tricks a
    bid (a nil always with a nil), None where these were not looked at: there are none, or too few
    deals would have agreed.
    """

    settings: TrialSettings
    outcomes: tuple[BidOutcome, ...]
    n: int
    n_drawn: int
    tolerance: int | None

    def of(self, bid: int) -> BidOutcome:
        return next(outcome for outcome in self.outcomes if outcome.bid == bid)


def try_bids(
    observation: Observation, bids: Sequence[int], settings: TrialSettings | None = None
) -> BidTrials:
    """Rounds after each of these bids, on the same deals; 0 is nil where the rules have it.

    The hidden cards are drawn, never read. A deal counts if ``settings.bidder`` would have made
    the bids made before on it, exactly where at least 500 (or all) deals of 200,000 drawn agree so,
    else within one, then two tricks, else the first deals drawn whatever was bid; which, the result
    says. Seats after this one bid as ``settings.bidder`` does, having heard the bid tried. The same
    settings give the same rounds. Raises ``SpadesError`` for a bidder that
    isn't compiled or a number of rounds out of range, ``IllegalBidError`` for a bid.
    """
    settings = settings or TrialSettings()
    _check(observation, bids, settings)
    before, seating = _before(observation), seating_of(observation.rules, settings.bidder)
    crew = crew_of(seating)
    deals, n_drawn, tolerance = draw_deals(observation, before, crew, settings)
    outcomes = []
    for bid in bids:
        all_bids, blind = np.zeros(deals.shape, np.int8), np.zeros(deals.shape, np.bool_)
        before.bids[before.seat] = bid
        finish_auctions(deals, before, crew, _seeds(settings, len(deals)), all_bids, blind)
        played = play_bid_rounds(
            seating,
            deals,
            all_bids,
            np.full(len(deals), before.dealer, np.int8),
            blind=blind,
            before=GameScore(_pair(before.score), _pair(before.bags)),
        )
        outcomes.append(outcome_of(played, bid, observation.seat, observation.rules))
    return BidTrials(settings, tuple(outcomes), len(deals), n_drawn, tolerance)


def _pair(values: NDArray[np.int64]) -> tuple[int, int]:
    return int(values[0]), int(values[1])


def _check(observation: Observation, bids: Sequence[int], settings: TrialSettings) -> None:
    check_seat(observation)
    if not 1 <= settings.n <= MAX_ROUNDS:
        raise SpadesError(f"{settings.n} rounds to simulate; 1 to {MAX_ROUNDS:,} are legal")
    legal = observation.table.legal_bids(observation.seat)
    for bid in bids:
        if bid not in legal:
            raise IllegalBidError(
                f"a bid of {bid}; {legal[0]} to {legal[-1]} are legal: {observation.text()}"
            )


def seating_of(rules: Rules, bidder: str) -> Seating:
    """Four strong rule-based players that bid so."""
    agent = parse_agent(f"{PLAYER}+{bidder}")
    return Seating((agent, agent, agent, agent), rules)


def bids_to_try(observation: Observation, options: BidderOptions) -> list[int]:
    """Nil, where it is legal, and the regular bid that BIS counts for the hand."""
    regular = explain_bis(observation, options).regular
    has_nil = bid_context(observation.rules).rules.has_nil
    is_legal = NIL_BID in observation.table.legal_bids(observation.seat)
    return [NIL_BID, regular] if has_nil and is_legal else [regular]


def _before(observation: Observation) -> Before:
    table = observation.table
    return Before(
        observation.seat,
        table.dealer,
        np.array(table.bids, dtype=np.int64),
        np.array(table.blind, dtype=np.int64),
        np.array(observation.score_before or (0, 0), dtype=np.int64),
        np.array(observation.bags_before or (0, 0), dtype=np.int64),
    )


def _seeds(settings: TrialSettings, n: int, first: int = 0) -> NDArray[np.uint64]:
    """A seed a deal, from which whoever bids on it draws."""
    return np.arange(first, first + n, dtype=np.uint64) + np.uint64(seed_state(settings.seed, 1))


def draw_deals(
    observation: Observation, before: Before, crew: Crew, settings: TrialSettings
) -> tuple[NDArray[np.int64], int, int | None]:
    """At most n deals (n, 4) that agree with the bids before; how many were drawn; how well."""
    sampler = UniformDeals(observation)
    state = np.uint64(seed_state(settings.seed, _DEAL_STREAM))
    is_first = before.seat == (before.dealer + 1) % N_SEATS
    if is_first or not settings.conditioned:
        return sampler.sample(settings.n, state)[0], settings.n, None
    drawn, misses, n_drawn = [], [], 0
    while n_drawn < MAX_DRAWS:
        deals, state = sampler.sample(DRAWN_AT_ONCE, state)
        miss = np.zeros(len(deals), dtype=np.int64)
        measure_misses(deals, before, crew, _seeds(settings, len(deals), n_drawn), miss)
        drawn.append(deals)
        misses.append(miss)
        n_drawn += len(deals)
        if sum(int((miss == 0).sum()) for miss in misses) >= settings.n:
            break
    all_deals, all_misses = np.concatenate(drawn), np.concatenate(misses)
    for tolerance in TOLERANCES:
        kept = np.flatnonzero(all_misses <= tolerance)[: settings.n]
        if len(kept) >= min(settings.n, ENOUGH):
            return all_deals[kept], n_drawn, tolerance
    return all_deals[: settings.n], n_drawn, None


def outcome_of(played: Rounds, bid: int, seat: int, rules: Rules) -> BidOutcome:
    """What the rounds come to for the partnership of ``seat``, who bid ``bid`` in all of them."""
    us = partnership_of(seat)
    counts = played.bags_before + played.bags
    penalties = rules.bag_penalty * (counts // rules.bag_limit) if rules.bag_limit else 0
    points = played.points - penalties
    _, _, _, made = nils_and_contracts(rules, played.bids, played.tricks)
    has_contract = played.bids[:, us] + played.bids[:, us + 2] > 0
    contract_made = (made[:, us] > 0) | ~has_contract
    is_nil = bid == NIL_BID and rules.nil is not None
    tricks = played.tricks[:, seat].astype(np.int64)
    return BidOutcome(
        bid=bid,
        is_nil=is_nil,
        points=points[:, us],
        difference=points[:, us] - points[:, 1 - us],
        tricks=tricks,
        made=tricks == 0 if is_nil else contract_made,
        contract_made=contract_made,
    )


def outcome_table(trials: BidTrials) -> pd.DataFrame:
    """One row a bid: mean points and difference with 95 % intervals, deviation, shares made.

    ``less_first``: mean of its points less those of the first bid on the same deals.
    """
    first = trials.outcomes[0]
    return pd.DataFrame([_outcome_row(outcome, first) for outcome in trials.outcomes])


def _outcome_row(outcome: BidOutcome, first: BidOutcome) -> dict[str, object]:
    n_made, n = int(outcome.made.sum()), len(outcome.points)
    return {
        "bid": outcome.bid,
        "name": outcome.name,
        "n": n,
        **_mean("points", outcome.points),
        "sd": float(np.std(outcome.points, ddof=1)) if n > 1 else math.nan,
        **_mean("difference", outcome.difference),
        "made": n_made,
        "made_share": n_made / n,
        **_ends("made_share", share_interval(n_made, n)),
        "tricks": float(outcome.tricks.mean()),
        **_mean("less_first", outcome.points - first.points),
    }


def _mean(name: str, values: NDArray) -> dict[str, float]:
    return {name: float(values.mean()), **_ends(name, mean_interval(values))}


def _ends(name: str, interval: Interval) -> dict[str, float]:
    low, high = interval or (math.nan, math.nan)
    return {f"{name}_low": low, f"{name}_high": high}


def distribution_table(trials: BidTrials) -> pd.DataFrame:
    """The distribution of the round's points after each bid: bid, name, points, count, share, n,
    and ``up_to``, the share of rounds with so many points or fewer."""
    parts = []
    for outcome in trials.outcomes:
        values, counts = np.unique(outcome.points, return_counts=True)
        n = len(outcome.points)
        points = {"points": values, "count": counts, "share": counts / n, "n": n}
        parts.append(
            pd.DataFrame(
                {"bid": outcome.bid, "name": outcome.name, **points, "up_to": counts.cumsum() / n}
            )
        )
    return pd.concat(parts, ignore_index=True)


def histogram_table(trials: BidTrials) -> pd.DataFrame:
    """Shares of rounds by points in bins of 10, ``low`` the least of each; bid, name, count, n."""
    spread = distribution_table(trials)
    spread["low"] = spread["points"] // BIN_WIDTH * BIN_WIDTH
    grouped = spread.groupby(["bid", "name", "n", "low"], sort=True)["count"].sum().reset_index()
    return grouped.assign(share=grouped["count"] / grouped["n"])
