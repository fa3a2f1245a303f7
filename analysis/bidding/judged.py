"""Bids judged: what each bid is worth where strong agents bid and play on from the auction.

The hidden cards are dealt so that ``BIDDER`` would have made the bids before; the seats after bid
as ``BIDDER`` does, and four equal players, each shown its own hand and the table alone, play the
cards: the judge's network on all deals, its searching player on as many as the budget allows. All
bids are tried on the same deals and seeds, so that the luck of the deal falls out of their
differences; what the network makes of the other deals takes more of it out of the searched ones
(``analysis.decisions.estimate.with_controls``). The first of several bids is the first in part by
luck, so leads are drawn towards what the network makes of all deals, as far as rounds played out
bear it out (``analysis.decisions.trust.trust_in_bids``). The conclusion is of the same kinds as
that on a card, and a bid gives away the points by which it is behind the best.

Values are points of the round for the bidder's partnership less the opponents', bags at their cost.
What they are true of is these players: the hidden bids of people who bid otherwise are believed to
be ``BIDDER``'s.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.bidding.bid_trials import (
    auction_before,
    draw_deals,
    finish_auctions,
    seating_of,
)
from analysis.bidding.decisions import ask_bidder
from analysis.bidding.questions import bid_name
from analysis.decisions.conclusion import (
    CLEAR,
    NETWORK,
    THRESHOLD,
    TOSS_UP,
    ClassValue,
    Conclusion,
    estimate_text,
    estimated,
    kind_of,
    next_look,
)
from analysis.decisions.estimate import Means, Trust, estimate, with_controls
from analysis.decisions.evidence import BUDGET_SECONDS, made_within
from analysis.decisions.judge import NETWORK_PLAYER, PLAYER
from analysis.decisions.settings import record_key
from analysis.decisions.trust import trust_in_bids
from analysis.records import documents_of
from analysis.runs.series import StoredSeries
from analysis.runs.store import version_of
from analysis.text_tables import span
from spades.agents import parse_agent
from spades.agents.bidders import BisBidder
from spades.agents.compiled import crew_of
from spades.agents.compiled_network import NetworkPlayer, network_player, play_dealt
from spades.agents.compiled_search import (
    Auction,
    Searcher,
    made_auction,
    play_round,
    searcher_of,
)
from spades.bidding import explain_bis
from spades.core.cards import N_SEATS, SEATS, clockwise, partnership_of, seat_name
from spades.core.deal import derive_seed
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray, IntArray, seed_state
from spades.core.observation import Observation
from spades.core.records import Record
from spades.core.rules import NIL_BID, Table
from spades.core.steps import last_value

BIDDER = "bis"
ASKED = (BIDDER, "human")
MAX_DEALS = 1000
LEAST_DEALS = 60
DEALS_A_BLOCK = 20
NETWORK_DEALS_A_BLOCK = 100
AROUND = 1  # bids on each side of the regular one that are tried too
HINT = (
    f"Losses are drawn towards what a network that plays {MAX_DEALS:,} deals makes of the bids, "
    "since the first of several bids is first in part by luck."
)
"""Beside the losses of bids."""


def observation_before(record: Record, seat: int) -> Observation:
    """What a seat of a round saw when it was to bid. Raises ``SpadesError`` where the bids aren't
    known."""
    if not record.has_bids:
        raise SpadesError("the bids are not known, so none can be judged")
    table = Table(record.rules, record.dealer)
    for before in clockwise(record.dealer + 1):
        if before == seat:
            break
        table.bid(before, record.bids[before], blind=record.blind[before])
    hand = int(record.hands[seat])
    return Observation(seat, hand, table, record.score_before, record.bags_before)


def bids_to_judge(observation: Observation, made: int) -> list[int]:
    """The bid made, nil, the bids of ``ASKED``, and those around the regular bid of BIS; ascending,
    legal ones."""
    regular = explain_bis(observation, BisBidder().options).regular
    wanted = {made, NIL_BID, *range(regular - AROUND, regular + AROUND + 1)}
    wanted.update(ask_bidder(observation, bidder).bid for bidder in ASKED)
    legal = set(observation.table.legal_bids(observation.seat))
    return sorted(wanted & legal)


def bid_series(record: Record, tried: "TriedAuctions", bids: Sequence[int]) -> StoredSeries:
    """Item i: points of each of ``bids``, tried in deal i and played by search; ``tried``: of a
    seat of the record."""

    def make(i: int) -> Generator[None, None, list[int]]:
        points = []
        for bid in bids:
            points.append(tried.points_by_search(bid, i))
            yield
        return points

    question = {**_question(record, tried, bids), **version_of(f"{PLAYER}+{BIDDER}")}
    return StoredSeries("judged-bids", question, make, block=DEALS_A_BLOCK, unit="deals")


def network_bid_series(record: Record, tried: "TriedAuctions", bids: Sequence[int]) -> StoredSeries:
    """The same, played by the network."""

    def make(i: int) -> Generator[None, None, list[int]]:
        points = [tried.points_by_network(bid, i) for bid in bids]
        yield
        return points

    question = {**_question(record, tried, bids), **version_of(f"{NETWORK_PLAYER}+{BIDDER}")}
    return StoredSeries("network-bids", question, make, block=NETWORK_DEALS_A_BLOCK, unit="deals")


def _question(record: Record, tried: "TriedAuctions", bids: Sequence[int]) -> Document:
    return {
        "round": record_key(record),
        "seat": tried.seat,
        "bids": list(bids),
        "seed": tried.seed,
        "deals": MAX_DEALS,
    }


class TriedAuctions:
    """Bids of one seat tried on at most ``n_deals`` deals that the bids before it allow; the cards
    are played by four of the network, or four of ``player``."""

    def __init__(
        self,
        observation: Observation,
        seed: int,
        player: str = PLAYER,
        *,
        n_deals: int = MAX_DEALS,
    ) -> None:
        self.seat = observation.seat
        self.seed = seed
        self._player = player
        self._n_deals = n_deals
        self._observation = observation
        self._sign = 1 if partnership_of(observation.seat) == 0 else -1
        self._before = auction_before(observation)
        self._crew = crew_of(seating_of(observation.rules, BIDDER))

    @cached_property
    def _searcher(self) -> Searcher:
        return searcher_of(parse_agent(self._player).player)

    @cached_property
    def _network(self) -> NetworkPlayer:
        return network_player(parse_agent(NETWORK_PLAYER).player, self._observation.rules)

    @cached_property
    def deals(self) -> IntArray:
        """What the bids before allow, (n, 4)."""
        return draw_deals(self._observation, self._before, self._crew, self._n_deals, self.seed)[0]

    def points_by_search(self, bid: int, i: int) -> int:
        """Points of the round after a bid in deal i, four searching players playing the cards."""
        seed = derive_seed(self.seed, i)
        auction = self._auction_after(bid, i)
        return self._sign * play_round(self.deals[i], auction, self._searcher, self._searcher, seed)

    def points_by_network(self, bid: int, i: int) -> int:
        """The same, four of the network playing the cards."""
        seed = np.uint64(derive_seed(self.seed, i))
        points = play_dealt(self.deals[i], self._auction_after(bid, i), self._network, seed)
        return self._sign * int(points)

    def _auction_after(self, bid: int, i: int) -> Auction:
        """The whole auction in deal i, in which the seat bids ``bid``."""
        deals = self.deals[i : i + 1]
        auction = self._before._replace(bids=self._before.bids.copy())
        auction.bids[auction.seat] = bid
        bids = np.zeros((1, N_SEATS), np.int8)
        blind = np.zeros((1, N_SEATS), np.bool_)
        seeds = np.array([seed_state(self.seed, i)], np.uint64)
        finish_auctions(deals, auction, self._crew, seeds, bids, blind)
        leader = (auction.dealer + 1) % N_SEATS
        return made_auction(self._observation.rules, leader, bids[0].tolist(), blind[0].tolist())


class BidEvidence:
    """Tries the bids of one seat, in steps, until one is clearly best, several are a toss-up, or
    the budget is spent.

    ``budget``: seconds of one core for searched deals; ``threshold``: points; ``trust``: in the
    network, ``trust_in_bids()`` if None. ``names``: of ``bids``, a number or ``nil`` each.
    ``conclusion``: None before there are enough deals; its classes are bids by name, and its
    ``rounds`` one a deal that was searched."""

    def __init__(
        self,
        record: Record,
        seat: int,
        *,
        budget: float = BUDGET_SECONDS,
        threshold: float = THRESHOLD,
        seed: int = 0,
        trust: Trust | None = None,
    ) -> None:
        self.budget = budget
        self.threshold = threshold
        self.trust = trust or trust_in_bids()
        observation = observation_before(record, seat)
        self.bids = bids_to_judge(observation, record.bids[seat])
        self._tried = TriedAuctions(observation, seed)
        self.series = bid_series(record, self._tried, self.bids)
        self.by_network = network_bid_series(record, self._tried, self.bids)
        self.names = [bid_name(bid, record.rules) for bid in self.bids]
        self.conclusion = self.concluded(self.n_deals)

    @property
    def n_deals(self) -> int:
        """How many deals count: whole blocks, since only these are stored."""
        return self.series.done // DEALS_A_BLOCK * DEALS_A_BLOCK

    def concluded(self, n_deals: int) -> Conclusion | None:
        """The conclusion from the first deals; None where they are too few."""
        if len(self.bids) == 1:
            return Conclusion(CLEAR, (ClassValue((self.names[0],)),), self.threshold)
        if n_deals < LEAST_DEALS or self.by_network.done < n_deals:
            return None
        guess, means = self.means(n_deals)
        found = estimate({NETWORK: guess}, self.trust, means)
        rows = estimated([(name,) for name in self.names], found, self.threshold)
        return Conclusion(kind_of(rows[1:]), tuple(rows), self.threshold, n_deals)

    def means(self, n_deals: int) -> tuple[FloatArray, Means]:
        """What the bids are worth by the network on all deals, (bids,), and by search on the first
        ``n_deals``."""
        points = np.array(self.series.items[:n_deals], dtype=float)
        by_network = np.array(self.by_network.items, dtype=float)
        means = with_controls(points, by_network[:n_deals], by_network)
        return by_network.mean(axis=0), means

    def ask_network(self) -> Generator[None, None, None]:
        """Let the network play on after every bid in every deal."""
        if len(self.bids) > 1:
            self.by_network.extend(len(self._tried.deals))
            yield from self.by_network.steps()

    def steps(self) -> Generator[None, None, None]:
        if len(self.bids) == 1:
            return
        yield from self.ask_network()
        n_searched = len(self._tried.deals) // DEALS_A_BLOCK * DEALS_A_BLOCK
        spent = 0.0
        while spent < self.budget:
            is_settled = self.conclusion is not None and self.conclusion.is_settled
            if is_settled or self.series.done >= n_searched:
                return
            n_blocks = -(-next_look(self.series.done, LEAST_DEALS) // DEALS_A_BLOCK)
            self.series.extend(min(n_searched, n_blocks * DEALS_A_BLOCK))
            spent += yield from made_within(self.series, self.budget - spent)
            self.conclusion = self.concluded(self.n_deals)


@dataclass(frozen=True)
class JudgedBid:
    """A bid of a round: the seat, the bid ``made`` in words, and the conclusion on it, None where
    it isn't judged, ``not_judged`` saying why."""

    seat: int
    made: str
    conclusion: Conclusion | None = None
    not_judged: str = ""

    @property
    def given_away(self) -> float | None:
        """Points by which it is behind the best bid, 0 if it is one of the best; None where it
        isn't judged."""
        faulted = self._faulted
        if self.conclusion is None:
            return None
        return faulted.behind if faulted else 0.0

    @property
    def se(self) -> float | None:
        """The standard error of ``given_away``."""
        faulted = self._faulted
        if self.conclusion is None:
            return None
        return faulted.gap_error if faulted else 0.0

    @property
    def _faulted(self) -> ClassValue | None:
        """The bid made, where it isn't one of the best."""
        if self.conclusion is None:
            return None
        made = self.conclusion.class_of(self.made)
        return None if made in self.conclusion.within else made

    def document(self) -> Document:
        """The bid for JSON."""
        conclusion = self.conclusion
        return {
            "seat": SEATS[self.seat],
            **documents_of(self, ("made", "given_away", "se", "not_judged")),
            "kind": conclusion.kind if conclusion else None,
            "deals": conclusion.rounds if conclusion else 0,
            "bids": [
                {
                    "bid": tried.cards[0],
                    **documents_of(tried, ("value", "error", "behind", "interval")),
                }
                for tried in (conclusion.classes if conclusion else ())
            ],
        }

    def text(self) -> str:
        """The conclusion in words, without a full stop."""
        start = f"{seat_name(self.seat)} bid {self.made}"
        conclusion = self.conclusion
        if conclusion is None:
            return f"{start}: not judged, {self.not_judged}"
        if not conclusion.is_choice:
            return f"{start}: the only legal bid"
        deals = f"{conclusion.rounds:,} deals"
        if conclusion.kind == TOSS_UP:
            *others, last = [tried.cards[0] for tried in conclusion.within]
            text = f"toss-up between {', '.join(others)} and {last} ({deals})"
        else:
            following = conclusion.classes[1]
            verb = "clear:" if conclusion.kind == CLEAR else "leans to"
            text = (
                f"{verb} {conclusion.best.cards[0]}, {following.behind:.1f} points over "
                f"{following.cards[0]} (95%: {span(following.interval, '.1f')}; {deals})"
            )
        if self._faulted:
            text += f"; gives away {estimate_text(self._faulted.behind, self._faulted.gap_error)}"
            if not conclusion.is_settled:
                text += ", not settled"
        return f"{start}: {text}"


def judge_bids(record: Record, **options: float) -> list[JudgedBid]:
    """The bids of a round in order, each judged by ``BidEvidence``, which gets ``options``; empty
    where the bids aren't known."""
    if not record.has_bids:
        return []
    seats = clockwise(record.dealer + 1)
    return [last_value(judge_in_steps(record, seat, **options)) for seat in seats]


def judge_in_steps(record: Record, seat: int, **options: float) -> Generator[None, None, JudgedBid]:
    """The bid that a seat made, judged by ``BidEvidence``, which gets ``options``, in steps.

    How many deals the budget allowed is stored, so that all readers see one number. A blind nil,
    bid before its hand was seen, isn't judged by the hand."""
    made = bid_name(record.bids[seat], record.rules, is_blind=record.blind[seat])
    if record.blind[seat]:
        return JudgedBid(seat, made, not_judged="it was bid before the hand was seen")
    evidence = BidEvidence(record, seat, **options)  # type: ignore[arg-type]

    def make(_: int) -> Generator[None, None, int]:
        yield from evidence.steps()
        return evidence.n_deals

    question = {
        **evidence.series.question,
        "budget": evidence.budget,
        "threshold": evidence.threshold,
        "trust": repr(evidence.trust),
    }
    once = StoredSeries("judged-bid", question, make, block=1, unit="bids")
    once.extend(1)
    yield from once.steps()
    yield from evidence.ask_network()
    conclusion = evidence.concluded(once.items[0])
    if conclusion is None:
        return JudgedBid(seat, made, not_judged="the budget is too short")
    return JudgedBid(seat, made, conclusion)
