"""What a bid brings: the points of the round for nil and for other bids of one hand, simulated.

Cohensius 2020, figure 2, has these distributions for one hand. Here, for any seat that is to bid:
the other 39 cards are drawn at random, the seats after it bid, and the strong rule-based player
plays all four hands. Every bid is tried on the same deals, so that two can be compared by deal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import mean_interval, share_interval, with_ends
from spades.agents import parse_agent
from spades.agents.compiled import Crew, Rounds, Seating, bid_by, crew_of
from spades.agents.pairs import nils_and_contracts
from spades.agents.play import play_bid_rounds
from spades.belief.determinize import UniformDeals
from spades.bidding import BLIND_NIL, BidderOptions, BisAnswer, bid_context, explain_bis
from spades.bidding.answer import check_seat
from spades.core.cards import N_SEATS, partnership_of
from spades.core.deal import seed_at, state_of
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.kernel import kernel, seed_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import GameScore
from spades.rule_based.sight import BID, BLIND, open_round

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

PLAYER = "srp"
DEFAULT_ROUNDS, MAX_ROUNDS = 2_000, 100_000
MAX_DRAWS, DRAWN_AT_ONCE = 200_000, 20_000
ENOUGH = 500  # deals that agree exactly with the bids before are enough of these
TOLERANCES = (0, 1, 2)  # tricks by which an earlier bid may differ from the one made
LAST_TOLERANCE = TOLERANCES[-1]
NO_LIMIT = 99
BIN_WIDTH = 10  # points
_DEAL_STREAM = 23


@dataclass(frozen=True)
class BidOutcome:
    """n rounds after one bid, for the bidder's partnership.

    Int64 (n,): ``points`` that the round adds to its game score, a bag penalty taken off;
    ``difference``, points less the opponents' points; ``tricks`` of the bidder alone. ``made`` bool
    (n,): the nil if the bid is one, else the partnership's contract."""

    bid: int
    name: str
    points: NDArray[np.int64]
    difference: NDArray[np.int64]
    tricks: NDArray[np.int64]
    made: NDArray[np.bool_]


@dataclass(frozen=True)
class BidTrials:
    """The outcomes of several bids on the same ``n`` deals; the other seats bid as ``bidder``.

    ``n_drawn`` deals were drawn; those kept agree with the bids before up to ``tolerance`` tricks a
    bid (a nil always with a nil), None where these were not looked at: there are none, or too few
    deals would have agreed."""

    outcomes: tuple[BidOutcome, ...]
    bidder: str
    seed: int
    n: int
    n_drawn: int
    tolerance: int | None


class Before(NamedTuple):
    """The auction so far: the seat to bid, the dealer, bids and blind nils int64 (4,) by seat,
    and ``score`` and ``bags`` int64 (2,) by partnership."""

    seat: int
    dealer: int
    bids: NDArray[np.int64]
    blind: NDArray[np.int64]
    score: NDArray[np.int64]
    bags: NDArray[np.int64]


def try_bids(
    observation: Observation,
    bids: Sequence[int],
    *,
    n: int = DEFAULT_ROUNDS,
    bidder: str = "bis",
    seed: int = 0,
) -> BidTrials:
    """``n`` rounds at most after each of these bids; 0 is nil where the rules have it.

    The hidden cards are drawn, never read. A deal counts if ``bidder`` would have made the bids
    made before on it, exactly where at least 500 (or all) deals of 200,000 drawn agree so, else
    within one, then two tricks, else the first deals drawn whatever was bid; which, the result
    says. Seats after this one bid as ``bidder`` does, having heard the bid tried. The same seed
    gives the same rounds. Raises ``SpadesError`` for a bidder that isn't compiled or a number of
    rounds out of range, ``IllegalBidError`` for a bid."""
    check_seat(observation)
    if not 1 <= n <= MAX_ROUNDS:
        raise SpadesError(f"{n} rounds to simulate; 1 to {MAX_ROUNDS:,} are legal")
    legal = observation.table.legal_bids(observation.seat)
    if wrong := [bid for bid in bids if bid not in legal]:
        raise IllegalBidError(
            f"a bid of {wrong[0]}; {legal[0]} to {legal[-1]} are legal: {observation.text()}"
        )
    table, rules = observation.table, observation.rules
    score, bags = observation.score_before or (0, 0), observation.bags_before or (0, 0)
    before = Before(
        observation.seat,
        table.dealer,
        *(np.array(values, dtype=np.int64) for values in (table.bids, table.blind, score, bags)),
    )
    seating = seating_of(rules, bidder)
    crew = crew_of(seating)
    deals, n_drawn, tolerance = draw_deals(observation, before, crew, n, seed)
    seeds = np.arange(len(deals), dtype=np.uint64) + np.uint64(seed_state(seed, 1))
    outcomes = []
    for bid in bids:
        all_bids, blind = np.zeros(deals.shape, np.int8), np.zeros(deals.shape, np.bool_)
        before.bids[before.seat] = bid
        finish_auctions(deals, before, crew, seeds, all_bids, blind)
        dealers, standing = np.full(len(deals), before.dealer, np.int8), GameScore(score, bags)
        played = play_bid_rounds(seating, deals, all_bids, dealers, blind=blind, before=standing)
        outcomes.append(outcome_of(played, bid, observation.seat, rules))
    return BidTrials(tuple(outcomes), bidder, seed, len(deals), n_drawn, tolerance)


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


def draw_deals(
    observation: Observation, before: Before, crew: Crew, n: int, seed: int
) -> tuple[NDArray[np.int64], int, int | None]:
    """At most n deals (n, 4) that agree with the bids before; how many were drawn; how well."""
    sampler, state = UniformDeals(observation), np.uint64(seed_state(seed, _DEAL_STREAM))
    if before.seat == (before.dealer + 1) % N_SEATS:
        return sampler.sample(n, state)[0], n, None
    drawn, misses, n_drawn, n_exact = [], [], 0, 0
    first_seed = np.uint64(seed_state(seed, 1))  # a deal's seed, for whoever bids on it
    while n_drawn < MAX_DRAWS and n_exact < n:
        deals, state = sampler.sample(DRAWN_AT_ONCE, state)
        miss = np.zeros(len(deals), dtype=np.int64)
        seeds = np.arange(n_drawn, n_drawn + len(deals), dtype=np.uint64) + first_seed
        measure_misses(deals, before, crew, seeds, miss)
        drawn.append(deals)
        misses.append(miss)
        n_drawn, n_exact = n_drawn + len(deals), n_exact + int((miss == 0).sum())
    all_deals, all_misses = np.concatenate(drawn), np.concatenate(misses)
    for tolerance in TOLERANCES:
        kept = np.flatnonzero(all_misses <= tolerance)[:n]
        if len(kept) >= min(n, ENOUGH):
            return all_deals[kept], n_drawn, tolerance
    return all_deals[:n], n_drawn, None


@kernel
def measure_misses(
    deals: NDArray, before: Before, crew: Crew, seeds: NDArray, misses: NDArray
) -> None:
    """By how many tricks, at most, the crew's bids on each deal differ from those made before.
    ``NO_LIMIT`` where one is nil and the other isn't; int64 (n,). Counting stops beyond the last
    tolerance."""
    for i in range(len(deals)):
        open_round(crew.public, before.dealer, before.score, before.bags)
        for turn in range(1, N_SEATS + 1):
            seat = (before.dealer + turn) & 3
            if seat == before.seat or misses[i] > LAST_TOLERANCE:
                break
            seed = seed_at(state_of(seeds[i], 0), seat)
            bid = bid_by(deals[i, seat], seat, seed, crew)
            bid = NIL_BID if bid == BLIND_NIL else bid
            made = before.bids[seat]
            is_alike = (bid == NIL_BID) == (made == NIL_BID)
            misses[i] = max(misses[i], abs(bid - made) if is_alike else NO_LIMIT)
            crew.public.seats[BID, seat] = made
            crew.public.seats[BLIND, seat] = before.blind[seat]


@kernel
def finish_auctions(
    deals: NDArray, before: Before, crew: Crew, seeds: NDArray, bids: NDArray, blind: NDArray
) -> None:
    """The bids of all four seats on each deal, int8 (n, 4), and which are blind, bool (n, 4).
    ``before`` has the bids made, the seat's own among them; the crew bids after it."""
    for i in range(len(deals)):
        open_round(crew.public, before.dealer, before.score, before.bags)
        is_open = True
        for turn in range(1, N_SEATS + 1):
            seat = (before.dealer + turn) & 3
            bid, is_blind = before.bids[seat], before.blind[seat] != 0
            if seat == before.seat:
                is_open = False
            elif not is_open:
                hand, seed = deals[i, seat], seed_at(state_of(seeds[i], 0), seat)
                bid = bid_by(hand, seat, seed, crew)
                is_blind = bid == BLIND_NIL
                bid = NIL_BID if is_blind else bid
            bids[i, seat], blind[i, seat] = bid, is_blind
            crew.public.seats[BID, seat], crew.public.seats[BLIND, seat] = bid, int(is_blind)


def outcome_of(played: Rounds, bid: int, seat: int, rules: Rules) -> BidOutcome:
    """What the rounds bring the partnership of ``seat``, who bid ``bid`` in all of them."""
    us = partnership_of(seat)
    counts = played.bags_before + played.bags
    penalties = rules.bag_penalty * (counts // rules.bag_limit) if rules.bag_limit else 0
    points = played.points - penalties
    is_nil, tricks = bid == NIL_BID and rules.nil is not None, played.tricks[:, seat]
    made = nils_and_contracts(rules, played.bids, played.tricks)[3][:, us] > 0
    has_contract = played.bids[:, us] + played.bids[:, us + 2] > 0
    return BidOutcome(
        bid=bid,
        name="nil" if is_nil else str(bid),
        points=points[:, us],
        difference=points[:, us] - points[:, 1 - us],
        tricks=tricks.astype(np.int64),
        made=tricks == 0 if is_nil else made | ~has_contract,
    )


def outcome_table(trials: BidTrials) -> "pd.DataFrame":
    """One row a bid: mean points and difference with 95% intervals, deviation, shares made.
    ``less_first``: mean of its points less those of the first bid on the same deals."""
    import pandas as pd

    rows, n = [], trials.n
    for outcome in trials.outcomes:
        n_made, points = int(outcome.made.sum()), outcome.points
        rows.append(
            {
                "bid": outcome.bid,
                "name": outcome.name,
                "n": n,
                **_mean("points", points),
                "sd": float(np.std(points, ddof=1)) if n > 1 else math.nan,
                **_mean("difference", outcome.difference),
                "made": n_made,
                **with_ends("made_share", n_made / n, share_interval(n_made, n)),
                "tricks": float(outcome.tricks.mean()),
                **_mean("less_first", points - trials.outcomes[0].points),
            }
        )
    return pd.DataFrame(rows)


def expected_table(trials: BidTrials, bids: "pd.DataFrame", answer: BisAnswer) -> "pd.DataFrame":
    """``outcome_table`` by bid, with ``who`` makes it of ``bids_table``, and ``estimate``: the
    points that BIS expects of nil and of its regular bid, NaN of others."""
    table, estimates = outcome_table(trials), {answer.regular: answer.expected_regular}
    if answer.may_nil and answer.expected_nil is not None:
        estimates[NIL_BID] = answer.expected_nil
    makers = {
        bid: ", ".join(
            row.bidder if row.share == 1 else f"{row.bidder} {row.share:.1%} of {row.n}"
            for row in rows.itertuples()
        )
        for bid, rows in bids.groupby("bid")
    }
    who, estimate = table["bid"].map(makers).fillna(""), table["bid"].map(estimates)
    return table.assign(who=who, estimate=estimate).sort_values("bid", ignore_index=True)


def _mean(name: str, values: NDArray) -> dict[str, float]:
    return with_ends(name, float(values.mean()), mean_interval(values))


def histogram_table(trials: BidTrials) -> "pd.DataFrame":
    """Shares of rounds by points in bins of 10, ``low`` the least of each; bid, name, count, n."""
    import pandas as pd

    parts = []
    for one in trials.outcomes:
        low, counts = np.unique(one.points // BIN_WIDTH * BIN_WIDTH, return_counts=True)
        of = {"bid": one.bid, "name": one.name, "n": len(one.points)}
        parts.append(pd.DataFrame({**of, "low": low, "count": counts}))
    table = pd.concat(parts).sort_values(["bid", "low"], ignore_index=True)
    return table.assign(share=table["count"] / table["n"])


def describe_deals(trials: BidTrials, who: str, *, has_before: bool) -> str:
    """How the deals were drawn and played, in sentences; ``who``: the bidder's name."""
    hint = (
        f"{trials.n:,} deals of the other 39 cards, the same for every bid; {who} bids after it, "
        "the strong rule-based player plays all four hands."
    )
    if not has_before:
        return hint
    if trials.tolerance is None:
        far = f"on too few of {trials.n_drawn:,} drawn {who} would have bid nearly so."
        return f"{hint} The deals don't reflect the bids before: {far}"
    near = ("exactly", "to within one trick", "to within two tricks")[trials.tolerance]
    like = f"of {trials.n_drawn:,} drawn on which {who} would have bid {near} what was bid before."
    return f"{hint} They are those {like}"
