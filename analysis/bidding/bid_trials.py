"""Trials of bids: simulated points of the round after nil and after other bids of one hand.

Cohensius 2020, figure 2, shows these distributions for one hand; here they are for any seat that is
to bid. The other 39 cards are drawn at random, the seats after it bid, and the strong rule-based
player plays all four hands. Every bid is tried on the same deals, so that bids are compared deal by
deal."""

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
from spades.core.kernel import BoolArray, IntArray, kernel, seed_state
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import GameScore
from spades.rule_based.sight import BID, BLIND, open_round

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

PLAYER = "srp"
DEFAULT_ROUNDS = 2_000
MAX_ROUNDS = 100_000
MAX_DRAWS = 200_000
DRAWN_AT_ONCE = 20_000
ENOUGH = 500  # deals that agree with the previous bids
TOLERANCES = (0, 1, 2)  # tricks by which an earlier bid may differ from the one made
LAST_TOLERANCE = TOLERANCES[-1]
NO_LIMIT = 99
BIN_WIDTH = 10  # points
_DEAL_STREAM = 23


@dataclass(frozen=True)
class TriedBid:
    """n rounds after one bid, for the bidder's partnership.

    Int64 (n,): ``points`` that the round adds to its game score, less any bag penalty;
    ``difference``, points less the opponents' points; ``tricks`` of the bidder alone. ``made`` bool
    (n,): of the nil if the bid is one, else of the partnership's contract."""

    bid: int
    name: str
    points: IntArray
    difference: IntArray
    tricks: IntArray
    made: BoolArray


@dataclass(frozen=True)
class BidTrials:
    """Several bids, each tried on the same ``n`` deals; the other seats bid as ``bidder``.

    ``n_drawn`` deals were drawn. On those kept, the bidder would have made each previous bid to
    within ``tolerance`` tricks (and a nil where a nil was bid). None if deals were kept whatever
    the previous bids: there are none, or too few deals agree with them."""

    bids: tuple[TriedBid, ...]
    bidder: str
    seed: int
    n: int
    n_drawn: int
    tolerance: int | None


class AuctionSoFar(NamedTuple):
    """The auction so far: the seat to bid, the dealer, bids and blind nils int64 (4,) by seat,
    and ``score`` and ``bags`` int64 (2,) by partnership."""

    seat: int
    dealer: int
    bids: IntArray
    blind: IntArray
    score: IntArray
    bags: IntArray


def try_bids(
    observation: Observation,
    bids: Sequence[int],
    *,
    n: int = DEFAULT_ROUNDS,
    bidder: str = "bis",
    seed: int = 0,
) -> BidTrials:
    """Play at most ``n`` rounds after each of these bids; 0 is nil where the rules have it.

    The hidden cards are drawn, never read. A deal is kept if ``bidder`` would have made the
    previous bids on it: exactly, if at least 500 (or ``n``) of 200,000 deals agree exactly, else to
    within one, then two tricks; otherwise the first deals are kept whatever was bid. The result
    says which. Seats after this one hear the bid and bid as ``bidder``. The same seed gives the
    same rounds. Raises ``SpadesError`` for a bidder that isn't compiled or a number of rounds out
    of range, ``IllegalBidError`` for an illegal bid."""
    check_seat(observation)
    check_rounds(n, MAX_ROUNDS)
    table = observation.table
    legal = table.legal_bids(observation.seat)
    for bid in bids:
        if bid not in legal:
            raise IllegalBidError(
                f"a bid of {bid}; {legal[0]} to {legal[-1]} are legal: {observation.text()}"
            )
    score_before = GameScore(observation.score_before or (0, 0), observation.bags_before or (0, 0))
    auction = auction_before(observation)
    seating = seating_of(observation.rules, bidder)
    crew = crew_of(seating)
    deals, n_drawn, tolerance = draw_deals(observation, auction, crew, n, seed)
    seeds = np.arange(len(deals), dtype=np.uint64) + np.uint64(seed_state(seed, 1))
    dealers = np.full(len(deals), auction.dealer, np.int8)
    outcomes = []
    for bid in bids:
        auction.bids[auction.seat] = bid
        all_bids = np.zeros(deals.shape, np.int8)
        blind = np.zeros(deals.shape, np.bool_)
        finish_auctions(deals, auction, crew, seeds, all_bids, blind)
        played = play_bid_rounds(
            seating, deals, all_bids, dealers, blind=blind, before=score_before
        )
        outcomes.append(tried_bid(played, bid, observation.seat, observation.rules))
    return BidTrials(tuple(outcomes), bidder, seed, len(deals), n_drawn, tolerance)


def auction_before(observation: Observation) -> AuctionSoFar:
    """The auction that a seat to bid has heard; an unknown score counts as 0."""
    table = observation.table
    return AuctionSoFar(
        seat=observation.seat,
        dealer=table.dealer,
        bids=np.array(table.bids, dtype=np.int64),
        blind=np.array(table.blind, dtype=np.int64),
        score=np.array(observation.score_before or (0, 0), dtype=np.int64),
        bags=np.array(observation.bags_before or (0, 0), dtype=np.int64),
    )


def check_rounds(n: int, most: int) -> None:
    if not 1 <= n <= most:
        raise SpadesError(f"{n} rounds to simulate; 1 to {most:,} are legal")


def seating_of(rules: Rules, bidder: str) -> Seating:
    """Four strong rule-based players with this bidder."""
    agent = parse_agent(f"{PLAYER}+{bidder}")
    return Seating((agent, agent, agent, agent), rules)


def bids_to_try(observation: Observation, options: BidderOptions) -> list[int]:
    """Nil, where it is legal, and BIS's regular bid of the hand."""
    regular = explain_bis(observation, options).regular
    has_nil = bid_context(observation.rules).rules.has_nil
    if has_nil and NIL_BID in observation.table.legal_bids(observation.seat):
        return [NIL_BID, regular]
    return [regular]


def draw_deals(
    observation: Observation,
    auction: AuctionSoFar,
    crew: Crew,
    n: int,
    seed: int,
) -> tuple[IntArray, int, int | None]:
    """At most n deals (n, 4) that agree with the previous bids; how many were drawn; and the
    tolerance of a bid, in tricks, None if the deals were kept whatever was bid."""
    sampler = UniformDeals(observation)
    state = np.uint64(seed_state(seed, _DEAL_STREAM))
    if auction.seat == (auction.dealer + 1) % N_SEATS:
        return sampler.sample(n, state)[0], n, None
    deal_batches = []
    miss_batches = []
    n_drawn = 0
    n_exact = 0
    first_seed = np.uint64(seed_state(seed, 1))  # of a deal, for the bidders on it
    while n_drawn < MAX_DRAWS and n_exact < n:
        batch, state = sampler.sample(DRAWN_AT_ONCE, state)
        batch_misses = np.zeros(len(batch), dtype=np.int64)
        seeds = np.arange(n_drawn, n_drawn + len(batch), dtype=np.uint64) + first_seed
        measure_misses(batch, auction, crew, seeds, batch_misses)
        deal_batches.append(batch)
        miss_batches.append(batch_misses)
        n_drawn += len(batch)
        n_exact += int((batch_misses == 0).sum())
    deals = np.concatenate(deal_batches)
    misses = np.concatenate(miss_batches)
    for tolerance in TOLERANCES:
        kept = np.flatnonzero(misses <= tolerance)[:n]
        if len(kept) >= min(n, ENOUGH):
            return deals[kept], n_drawn, tolerance
    return deals[:n], n_drawn, None


@kernel
def measure_misses(
    deals: NDArray,
    auction: AuctionSoFar,
    crew: Crew,
    seeds: NDArray,
    misses: NDArray,
) -> None:
    """Write to ``misses``, int64 (n,), by how many tricks at most the crew's bids on each deal
    differ from the previous bids; ``NO_LIMIT`` where one is nil and the other isn't. Bidding stops
    beyond the last tolerance."""
    for i in range(len(deals)):
        open_round(crew.public, auction.dealer, auction.score, auction.bags)
        for turn in range(1, N_SEATS + 1):
            seat = (auction.dealer + turn) & 3
            if seat == auction.seat or misses[i] > LAST_TOLERANCE:
                break
            seed = seed_at(state_of(seeds[i], 0), seat)
            bid = bid_by(deals[i, seat], seat, seed, crew)
            if bid == BLIND_NIL:
                bid = NIL_BID
            made = auction.bids[seat]
            if (bid == NIL_BID) == (made == NIL_BID):
                misses[i] = max(misses[i], abs(bid - made))
            else:
                misses[i] = NO_LIMIT
            crew.public.seats[BID, seat] = made
            crew.public.seats[BLIND, seat] = auction.blind[seat]


@kernel
def finish_auctions(
    deals: NDArray,
    auction: AuctionSoFar,
    crew: Crew,
    seeds: NDArray,
    bids: NDArray,
    blind: NDArray,
) -> None:
    """Write the bids of all four seats on each deal, int8 (n, 4), and which are blind, bool (n, 4).
    ``auction`` has the bids made, the seat's own among them; the crew bids after it."""
    for i in range(len(deals)):
        open_round(crew.public, auction.dealer, auction.score, auction.bags)
        is_after = False
        for turn in range(1, N_SEATS + 1):
            seat = (auction.dealer + turn) & 3
            if is_after:
                seed = seed_at(state_of(seeds[i], 0), seat)
                bid = bid_by(deals[i, seat], seat, seed, crew)
                is_blind = bid == BLIND_NIL
                if is_blind:
                    bid = NIL_BID
            else:
                bid = auction.bids[seat]
                is_blind = auction.blind[seat] != 0
            if seat == auction.seat:
                is_after = True
            bids[i, seat] = bid
            blind[i, seat] = is_blind
            crew.public.seats[BID, seat] = bid
            crew.public.seats[BLIND, seat] = int(is_blind)


def tried_bid(played: Rounds, bid: int, seat: int, rules: Rules) -> TriedBid:
    """The outcome of rounds for the partnership of ``seat``, which bid ``bid`` in all of them."""
    us = partnership_of(seat)
    points = played.points
    if rules.bag_limit:
        n_penalties = (played.bags_before + played.bags) // rules.bag_limit
        points = points - rules.bag_penalty * n_penalties
    tricks = played.tricks[:, seat]
    is_nil = bid == NIL_BID and rules.nil is not None
    if is_nil:
        made = tricks == 0
    else:
        _, _, _, contracts_made = nils_and_contracts(rules, played.bids, played.tricks)
        has_contract = played.bids[:, us] + played.bids[:, us + 2] > 0
        made = (contracts_made[:, us] > 0) | ~has_contract
    return TriedBid(
        bid=bid,
        name="nil" if is_nil else str(bid),
        points=points[:, us],
        difference=points[:, us] - points[:, 1 - us],
        tricks=tricks.astype(np.int64),
        made=made,
    )


def trials_table(trials: BidTrials) -> "pd.DataFrame":
    """A row for each bid: mean points and difference with 95% intervals, standard deviation, share
    made. ``less_first``: mean of its points less those of the first bid on the same deals."""
    import pandas as pd

    n = trials.n
    first = trials.bids[0]
    rows = []
    for outcome in trials.bids:
        points = outcome.points
        n_made = int(outcome.made.sum())
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
                **_mean("less_first", points - first.points),
            }
        )
    return pd.DataFrame(rows)


def expected_table(trials: BidTrials, bids: "pd.DataFrame", answer: BisAnswer) -> "pd.DataFrame":
    """``trials_table``, ordered by bid, with two more columns. ``who``: the bidders of a
    ``bids_table`` that make the bid; ``estimate``: the points that BIS expects of nil and of its
    regular bid, NaN for others."""
    table = trials_table(trials)
    estimates = {answer.regular: answer.expected_regular}
    if answer.may_nil and answer.expected_nil is not None:
        estimates[NIL_BID] = answer.expected_nil
    bidders = {bid: _bidders_text(rows) for bid, rows in bids.groupby("bid")}
    table = table.assign(
        who=table["bid"].map(bidders).fillna(""),
        estimate=table["bid"].map(estimates),
    )
    return table.sort_values("bid", ignore_index=True)


def _bidders_text(rows: "pd.DataFrame") -> str:
    """Bidders, each with how often it makes the bid unless that is always."""
    texts = []
    for row in rows.itertuples():
        is_always = row.share == 1
        texts.append(row.bidder if is_always else f"{row.bidder} {row.share:.1%} of {row.n}")
    return ", ".join(texts)


def _mean(name: str, values: NDArray) -> dict[str, float]:
    return with_ends(name, float(values.mean()), mean_interval(values))


def histogram_table(trials: BidTrials) -> "pd.DataFrame":
    """Shares of rounds by points in bins of 10, ``low`` the least of each; bid, name, count, n."""
    import pandas as pd

    tables = []
    for outcome in trials.bids:
        low, counts = np.unique(outcome.points // BIN_WIDTH * BIN_WIDTH, return_counts=True)
        bins = {
            "bid": outcome.bid,
            "name": outcome.name,
            "n": len(outcome.points),
            "low": low,
            "count": counts,
        }
        tables.append(pd.DataFrame(bins))
    table = pd.concat(tables).sort_values(["bid", "low"], ignore_index=True)
    return table.assign(share=table["count"] / table["n"])


def describe_deals(trials: BidTrials, who: str, *, has_before: bool) -> str:
    """How the deals were drawn and played, in sentences; ``who``: the bidder's name."""
    played = (
        f"{trials.n:,} deals of the other 39 cards, the same for every bid; {who} bids after it, "
        "the strong rule-based player plays all four hands."
    )
    if not has_before:
        return played
    if trials.tolerance is None:
        return (
            f"{played} The deals don't reflect the previous bids: on too few of "
            f"{trials.n_drawn:,} drawn would {who} have bid nearly so."
        )
    precision = ("exactly", "to within one trick", "to within two tricks")[trials.tolerance]
    return (
        f"{played} They are those of {trials.n_drawn:,} drawn on which {who} would have bid "
        f"{precision} what was bid before."
    )
